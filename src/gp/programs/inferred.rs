//! Factors for unpublished programs, inferred from measured speeds: three corrections to the properties of a corpus.
//!
//! Models: programs that are larger on average within the same stack depths, a longer longest program of every generation, and a
//! different share of operands that take a slow path. Leaves out: the derivation of the factors (`docs/calibration.md`); other
//! functions, other shapes.
//! Units: factors on the corpus' own values; 1 changes nothing.

use crate::util::rows::{Rows, RowsError};
use std::collections::BTreeMap;

/// Factors that correct a corpus for programs that are not available.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inferred {
    /// Factor on the mean number of nodes.
    pub mean_nodes: f64,
    /// Factor on the nodes of the longest program of every generation.
    pub longest: f64,
    /// Factor on the warp instructions that slow operands add.
    pub slow_operands: f64,
}

impl Default for Inferred {
    fn default() -> Self {
        Inferred {
            mean_nodes: 1.0,
            longest: 1.0,
            slow_operands: 1.0,
        }
    }
}

impl Inferred {
    /// Returns a description as part of a sentence.
    pub fn describe(self) -> String {
        format!(
            "programs inferred from Table 3 and 32 threads of Table 4: {} times the mean size, {} times the longest, {} times the slow operands",
            self.mean_nodes, self.longest, self.slow_operands
        )
    }
}

/// Columns of a file of factors.
pub const COLUMNS: &str = "problem,mean_nodes,longest,slow_operands";

/// Parses the factors of every problem from a CSV file; `file` appears in messages only.
pub fn parse(text: &str, file: &str) -> Result<BTreeMap<String, Inferred>, RowsError> {
    let mut found = BTreeMap::new();
    for row in Rows::read(text, file)?.with_header(COLUMNS)?.iter() {
        let factor = |column, least: f64| {
            row.checked(column, &format!("{least} to 5"), |factor| {
                (least..=5.0).contains(factor)
            })
        };
        let inferred = Inferred {
            mean_nodes: factor("mean_nodes", 0.2)?,
            longest: factor("longest", 0.2)?,
            slow_operands: factor("slow_operands", 0.0)?,
        };
        let problem = row.text("problem").to_owned();
        if found.insert(problem, inferred).is_some() {
            return Err(row.refuse("problem", "each problem once"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_out_of_range_is_named() {
        let parse = |row: &str| parse(&format!("{COLUMNS}\n{row}\n"), "f.csv");
        let found = parse("mux20,1.1,1.4,0").unwrap();
        assert_eq!(found["mux20"].longest, 1.4);
        let error = parse("mux20,1.1,9,0").unwrap_err().to_string();
        assert_eq!(
            error,
            "f.csv, line 2, field longest: given \"9\"; allowed: 0.2 to 5"
        );
        assert!(parse("mux20,1,1").is_err());
        assert!(parse("mux20,1,1,1\nmux20,1,1,1").is_err());
    }
}
