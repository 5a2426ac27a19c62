//! Predictions of the measured rows: anybody's, and the committed ones of this program.
//!
//! Leaves out: measured values. Units: those of the row (`ms`, or `gpops_billion` for the paper's cells); in the names of the others.
//! Sources: `fixtures/measured/predictions.csv`, which `cargo xtask predictions` writes.

use super::sets::Row;
use crate::util::refused::Refused;
use crate::util::rows::{CsvRow, Rows, RowsError};
use std::collections::HashMap;

const COMMITTED: &str = include_str!("../../../fixtures/measured/predictions.csv");

/// Predicted values by row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Predictions(HashMap<(String, u32), f64>);

impl Predictions {
    /// Reads a file with the columns `set`, `row` and `predicted`; other columns are ignored, and so are rows without a prediction.
    pub fn parse(text: &str, file: &str, known: &[Row]) -> Result<Predictions, RowsError> {
        let rows = Rows::read(text, file)?;
        for column in ["set", "row", "predicted"] {
            rows.require(column)?;
        }
        let mut numbers: HashMap<&str, Vec<u32>> = HashMap::new();
        for row in known {
            numbers.entry(row.set).or_default().push(row.number);
        }
        let mut predictions = HashMap::new();
        for row in rows.iter() {
            let id = id(row, &numbers)?;
            let value = row.optional("predicted", "a positive number", |value: &f64| {
                value.is_finite() && *value > 0.0
            })?;
            let Some(value) = value else {
                continue;
            };
            if predictions.insert(id, value).is_some() {
                return Err(row.refuse("row", "a row of the set that no line before has"));
            }
        }
        if predictions.is_empty() {
            return Err(Refused::new(
                file,
                "no prediction",
                "rows of measured launches, predicted",
            )
            .into());
        }
        Ok(Predictions(predictions))
    }

    /// Returns the predicted value of a row.
    pub fn get(&self, row: &Row) -> Option<f64> {
        self.0.get(&(row.set.to_owned(), row.number)).copied()
    }
}

/// Reads the set and the number of a row, and refuses those that do not exist.
fn id(row: CsvRow<'_>, known: &HashMap<&str, Vec<u32>>) -> Result<(String, u32), RowsError> {
    let set = row.text("set");
    let allowed = "a file of measured launches (docs/data.md), as h200/runs";
    let numbers = known.get(set).ok_or_else(|| row.refuse("set", allowed))?;
    let allowed = format!("the number of a line of {set}, with a time that no line before has");
    let number = row.checked("row", &allowed, |number| numbers.contains(number))?;
    Ok((set.to_owned(), number))
}

/// Predictions of this program for one row: nothing measured.
#[derive(Debug, Clone, Copy)]
pub struct Own {
    pub simulator: f64,
    /// `None` for launches that the analytical model does not cover.
    pub analytical: Option<f64>,
    pub counts: Counts,
}

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Counts of a launch that baselines read.
        #[derive(Debug, Clone, Copy, Default)]
        pub struct Counts { $($(#[$doc])* pub $name: f64),* }

        impl Counts {
            /// Columns of the committed predictions after `simulator` and `analytical`.
            pub const COLUMNS: &[&str] = &[$(stringify!($name)),*];

            /// Returns the values in the order of the columns.
            pub fn values(&self) -> impl Iterator<Item = f64> {
                [$(self.$name),*].into_iter()
            }

            fn of(row: CsvRow<'_>) -> Result<Counts, RowsError> {
                Ok(Counts { $($name: row.value(stringify!($name), "a number")?),* })
            }
        }
    };
}

counts! {
    /// Milliseconds at the highest ceiling of the chip.
    roofline,
    /// GP operations of the launch, in billions.
    billion_operations,
    warp_instructions,
    /// Resident warps per multiprocessor.
    warps,
    /// Blocks of the grid over those that the chip holds at once.
    waves,
    l1_kib,
    /// Lines that the launch's loads and stores look up in the L1.
    l1_lines,
    l2_bytes,
    dram_bytes,
}

/// Returns the committed predictions in the order of `rows`; `None` for rows that are not predicted.
pub fn committed(rows: &[Row]) -> Result<Vec<Option<Own>>, RowsError> {
    let file = Rows::read(COMMITTED, "predictions.csv")?;
    let mut known = HashMap::new();
    for row in file.iter() {
        let number: u32 = row.value("row", "a whole number")?;
        let own = Own {
            simulator: row.value("simulator", "a number")?,
            analytical: row.optional("analytical", "a number", |_| true)?,
            counts: Counts::of(row)?,
        };
        known.insert((row.text("set"), number), own);
    }
    let own = rows
        .iter()
        .map(|row| known.get(&(row.set, row.number)).copied());
    Ok(own.collect())
}

#[cfg(test)]
mod tests {
    use super::super::sets::rows;
    use super::*;

    fn refused(body: &str) -> String {
        let rows = rows().unwrap();
        let text = format!("set,row,predicted\n{body}");
        Predictions::parse(&text, "p.csv", &rows)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn wrong_rows_are_refused_by_line_and_field() {
        for (body, expected) in [
            (
                "h200/runs,1,-2\n",
                "p.csv, line 2, field predicted: given \"-2\"",
            ),
            ("h200/runs,1,inf\n", "field predicted: given \"inf\""),
            ("h200/runs,1,NaN\n", "field predicted"),
            ("h200/runs,1,0\n", "field predicted"),
            ("h200/runs,0,1\n", "field row: given \"0\""),
            ("h200/runs,9999,1\n", "field row"),
            ("h300/runs,1,1\n", "field set: given \"h300/runs\""),
            ("h200/runs,1,1\nh200/runs,1,2\n", "p.csv, line 3, field row"),
            ("h200/runs,1,\n", "p.csv: given no prediction"),
        ] {
            let message = refused(body);
            assert!(message.contains(expected), "{message}");
        }
        let rows = rows().unwrap();
        let message = Predictions::parse("set,row\nh200/runs,1\n", "p.csv", &rows).unwrap_err();
        assert!(message.to_string().contains("predicted"), "{message}");
    }

    #[test]
    fn predictions_are_those_of_their_rows() {
        let rows = rows().unwrap();
        let text = "note,predicted,row,set\nx,2.5,3,h100/runs\n,,4,h100/runs\n";
        let predictions = Predictions::parse(text, "p.csv", &rows).unwrap();
        assert_eq!(predictions.0.len(), 1);
        let row = |number| {
            rows.iter()
                .find(|row| (row.set, row.number) == ("h100/runs", number))
                .unwrap()
        };
        assert_eq!(
            (predictions.get(row(3)), predictions.get(row(4))),
            (Some(2.5), None)
        );
    }

    #[test]
    fn every_row_of_the_main_kernels_has_a_committed_prediction() {
        let rows = rows().unwrap();
        for (row, own) in rows.iter().zip(committed(&rows).unwrap()) {
            let other_paper = matches!(row.origin, super::super::sets::Origin::Paper(_));
            assert!(own.is_some() || other_paper, "{} {}", row.set, row.number);
        }
    }
}
