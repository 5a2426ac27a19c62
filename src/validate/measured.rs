//! The papers' measured values, from `fixtures/papers/`; they are part of the binary.
//!
//! Leaves out: rows of other problems than asked for.
//! Units: billions of GPop/s; the half-width of the paper's confidence interval in the same unit.
//! Source: Chitty's Tables 3, 4 and 7 to 10.

use super::cells::{Cell, Table};
use crate::util::rows::{Rows, RowsError};
use std::collections::HashMap;

const TABLE_3: &str = include_str!("../../fixtures/papers/table3.csv");
const TABLE_4: &str = include_str!("../../fixtures/papers/table4.csv");
const TABLE_7: &str = include_str!("../../fixtures/papers/table7.csv");
const TABLE_8: &str = include_str!("../../fixtures/papers/table8.csv");
const TABLE_9: &str = include_str!("../../fixtures/papers/table9.csv");
const TABLE_10: &str = include_str!("../../fixtures/papers/table10.csv");

/// A measured cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    pub gpops_billion: f64,
    /// Half-width of the confidence interval.
    pub ci_billion: f64,
}

/// The measured values of one table.
#[derive(Debug, Clone)]
pub struct Measured {
    table: Table,
    values: HashMap<(String, u32, String), Value>,
}

/// The committed file of a table.
pub(super) fn published(table: Table) -> &'static str {
    match table {
        Table::Three => TABLE_3,
        Table::Four => TABLE_4,
        Table::Seven => TABLE_7,
        Table::Eight => TABLE_8,
        Table::Nine => TABLE_9,
        Table::Ten => TABLE_10,
    }
}

impl Measured {
    pub fn of_paper(table: Table) -> Result<Measured, RowsError> {
        let file = format!("table{}.csv", table.number());
        Measured::parse(table, published(table), &file)
    }

    /// Reads the values of a table; `file` is used in messages only.
    pub fn parse(table: Table, text: &str, file: &str) -> Result<Measured, RowsError> {
        let axis = table.axis_name();
        let rows = Rows::read(text, file)?;
        let rows = rows.with_header(&format!(
            "problem,threads_per_block,{axis},gpops_billion,ci_billion"
        ))?;
        let mut values = HashMap::new();
        for row in rows.iter() {
            let cell = (
                row.text("problem").to_owned(),
                row.value("threads_per_block", "a whole number")?,
                row.text(axis).to_owned(),
            );
            let rate = |column, least: f64| {
                row.checked(column, "a positive number", |value: &f64| {
                    value.is_finite() && *value >= least
                })
            };
            let value = Value {
                gpops_billion: rate("gpops_billion", f64::MIN_POSITIVE)?,
                ci_billion: rate("ci_billion", 0.0)?,
            };
            if values.insert(cell, value).is_some() {
                return Err(row.refuse("problem", "a cell that no other row has"));
            }
        }
        Ok(Measured { table, values })
    }

    /// The measured value of a cell; `None` where the paper's value is not in the file.
    pub fn get(&self, cell: &Cell) -> Option<Value> {
        if cell.table != self.table {
            return None;
        }
        let key = (
            cell.problem.clone(),
            cell.threads_per_block,
            cell.axis.value(),
        );
        self.values.get(&key).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::{PROBLEMS, cells};
    use super::*;

    const HEADER: &str = "problem,threads_per_block,preference,gpops_billion,ci_billion\n";

    #[test]
    fn every_measured_value_has_a_cell_and_problems_are_whole_or_absent() {
        for table in Table::ALL {
            let measured = Measured::of_paper(table).unwrap();
            let mut n_found = 0;
            let mut whole = Vec::new();
            for problem in PROBLEMS {
                let cells = cells(table, problem);
                let found = cells.iter().filter(|cell| measured.get(cell).is_some());
                let found = found.count();
                assert!(found == 0 || found == cells.len(), "{table:?} {problem}");
                n_found += found;
                whole.extend((found > 0).then_some(problem));
            }
            assert_eq!(n_found, measured.values.len(), "no value without a cell");
            assert_eq!(whole, PROBLEMS);
        }
    }

    #[test]
    fn a_table_answers_only_for_itself() {
        let measured = Measured::of_paper(Table::Three).unwrap();
        assert_eq!(measured.get(&cells(Table::Four, "sextic")[0]), None);
    }

    fn error(body: &str) -> String {
        Measured::parse(Table::Three, &format!("{HEADER}{body}"), "t.csv")
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn corrupt_files_name_line_and_field() {
        assert_eq!(
            error("sextic,128,shared,fast,0.1\n"),
            "t.csv, line 2, field gpops_billion: given \"fast\"; allowed: a positive number"
        );
        assert!(error("sextic,many,shared,1,0.1\n").contains("line 2, field threads_per_block"));
        assert!(error("sextic,128,shared,1\n").contains("t.csv, line 2"));
        let twice = "sextic,128,shared,1,0.1\nsextic,128,shared,1,0.1\n";
        assert!(error(twice).contains("line 3, field problem"));
        let header = Measured::parse(Table::Four, HEADER, "t.csv").unwrap_err();
        assert!(matches!(header, RowsError::Refused(_)));
    }
}
