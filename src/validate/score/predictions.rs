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
                "rows of `warpstack score --template`, predicted",
            )
            .into());
        }
        Ok(Predictions(predictions))
    }

    /// Returns the predicted value of a row.
    pub fn get(&self, row: &Row) -> Option<f64> {
        self.0.get(&(row.set.to_owned(), row.number)).copied()
    }

    /// Number of predicted rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is predicted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads the set and the number of a row, and refuses those that do not exist.
fn id(row: CsvRow<'_>, known: &HashMap<&str, Vec<u32>>) -> Result<(String, u32), RowsError> {
    let set = row.text("set");
    let allowed = "a set of `warpstack score --template`";
    let numbers = known.get(set).ok_or_else(|| row.refuse("set", allowed))?;
    let allowed = format!("a row that `warpstack score --template` has for {set}");
    let number = row.checked("row", &allowed, |number| numbers.contains(number))?;
    Ok((set.to_owned(), number))
}

/// Predictions of this program for one row, and what baselines read: nothing measured.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Own {
    pub simulator: Option<f64>,
    pub analytical: Option<f64>,
    pub roofline: f64,
    /// GP operations of the launch, in billions.
    pub billion_operations: f64,
    pub warp_instructions: f64,
    /// Resident warps per multiprocessor.
    pub warps: f64,
    /// Blocks of the grid over those that the chip holds at once.
    pub waves: f64,
    pub l1_kib: f64,
    /// Lines that the launch's loads and stores look up in the L1.
    pub l1_lines: f64,
    pub l2_bytes: f64,
    pub dram_bytes: f64,
}

/// Columns of the committed predictions after `set` and `row`.
pub const COLUMNS: [&str; 11] = [
    "simulator",
    "analytical",
    "roofline",
    "billion_operations",
    "warp_instructions",
    "warps",
    "waves",
    "l1_kib",
    "l1_lines",
    "l2_bytes",
    "dram_bytes",
];

impl Own {
    /// Returns the values in the order of [`COLUMNS`].
    pub fn values(&self) -> [Option<f64>; 11] {
        let counts = [
            self.roofline,
            self.billion_operations,
            self.warp_instructions,
            self.warps,
            self.waves,
            self.l1_kib,
            self.l1_lines,
            self.l2_bytes,
            self.dram_bytes,
        ];
        let mut values = [self.simulator; 11];
        values[1] = self.analytical;
        for (value, count) in values[2..].iter_mut().zip(counts) {
            *value = Some(count);
        }
        values
    }

    fn of(values: [Option<f64>; 11]) -> Own {
        let count = |at: usize| values[at].unwrap_or(0.0);
        Own {
            simulator: values[0],
            analytical: values[1],
            roofline: count(2),
            billion_operations: count(3),
            warp_instructions: count(4),
            warps: count(5),
            waves: count(6),
            l1_kib: count(7),
            l1_lines: count(8),
            l2_bytes: count(9),
            dram_bytes: count(10),
        }
    }
}

/// Returns the committed predictions in the order of `rows`; `None` for rows that are not predicted.
pub fn committed(rows: &[Row]) -> Result<Vec<Option<Own>>, RowsError> {
    const FILE: &str = "fixtures/measured/predictions.csv";
    let file = Rows::read(COMMITTED, FILE)?;
    let mut known = HashMap::new();
    for row in file.iter() {
        let mut values = [None; COLUMNS.len()];
        for (value, column) in values.iter_mut().zip(COLUMNS) {
            *value = row.optional(column, "a number of at least 0", |value: &f64| {
                value.is_finite() && *value >= 0.0
            })?;
        }
        let number: u32 = row.value("row", "a whole number")?;
        known.insert((row.text("set"), number), Own::of(values));
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
        assert_eq!(predictions.len(), 1);
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
        let own = committed(&rows).unwrap();
        for (row, own) in rows.iter().zip(own) {
            let other_paper = matches!(row.origin, super::super::sets::Origin::Paper(_));
            let both = own.is_some_and(|own| own.simulator.is_some() && own.analytical.is_some());
            assert!(both || other_paper, "{} {}", row.set, row.number);
        }
    }
}
