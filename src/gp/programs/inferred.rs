//! What measured speeds say of programs that nobody has: three factors on what a corpus holds.
//!
//! Models: programs that are larger on average within the same stack depths, a longer longest program of every generation, and another
//! share of operands that take a slow path. Leaves out: how the factors were found (`docs/calibration.md`); other functions, other shapes.
//! Units: factors on the corpus' own figures; 1 changes nothing.

use std::collections::BTreeMap;

/// See the module text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inferred {
    /// On the mean number of nodes.
    pub mean_nodes: f64,
    /// On the nodes of the longest program of every generation.
    pub longest: f64,
    /// On the warp instructions that slow operands add.
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
    /// In one sentence's part.
    pub fn describe(self) -> String {
        format!(
            "programs inferred from Table 3 and 32 threads of Table 4: {} times the mean size, {} times the longest, {} times the slow operands",
            self.mean_nodes, self.longest, self.slow_operands
        )
    }
}

/// A file of factors that cannot be read.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum InferredError {
    /// Not a file of factors.
    #[error("{file}: {message}; allowed: the columns {COLUMNS}")]
    Csv {
        /// The file.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// A factor out of range.
    #[error("{file}, {problem}, {column}: given {given}; allowed: {allowed}")]
    Factor {
        /// The file.
        file: String,
        /// Of which problem.
        problem: String,
        /// Its column.
        column: &'static str,
        /// What was given.
        given: f64,
        /// What is allowed instead.
        allowed: &'static str,
    },
}

/// Of a file of factors.
pub const COLUMNS: &str = "problem,mean_nodes,longest,slow_operands";

/// The factors of every problem in a CSV file; `file` is used in messages only.
pub fn parse(text: &str, file: &str) -> Result<BTreeMap<String, Inferred>, InferredError> {
    let csv_error = |message: String| InferredError::Csv {
        file: file.into(),
        message: message.replace('\n', " "),
    };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| csv_error(e.to_string()))?;
    let header: Vec<&str> = header.iter().collect();
    if header.join(",") != COLUMNS {
        return Err(csv_error(format!("given \"{}\"", header.join(","))));
    }
    let mut found = BTreeMap::new();
    for row in reader.deserialize::<(String, f64, f64, f64)>() {
        let (problem, mean_nodes, longest, slow_operands) =
            row.map_err(|e| csv_error(e.to_string()))?;
        let factors = [
            ("mean_nodes", mean_nodes, 0.2),
            ("longest", longest, 0.2),
            ("slow_operands", slow_operands, 0.0),
        ];
        for (column, given, least) in factors {
            if !(least..=5.0).contains(&given) {
                return Err(InferredError::Factor {
                    file: file.into(),
                    problem,
                    column,
                    given,
                    allowed: if least > 0.0 { "0.2 to 5" } else { "0 to 5" },
                });
            }
        }
        let inferred = Inferred {
            mean_nodes,
            longest,
            slow_operands,
        };
        if found.insert(problem.clone(), inferred).is_some() {
            return Err(csv_error(format!("given {problem} twice")));
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
        assert_eq!(error, "f.csv, mux20, longest: given 9; allowed: 0.2 to 5");
        assert!(parse("mux20,1,1").is_err());
        assert!(parse("mux20,1,1,1\nmux20,1,1,1").is_err());
    }
}
