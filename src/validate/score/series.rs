//! Every set ever measured: when it was predicted and measured, its error then and today.
//!
//! Leaves out: sets that only calibrate or time microbenchmarks. Units: percent. Sources: `fixtures/measured/series.csv`; the errors of the day
//! are those that the project wrote down, today's are of the committed predictions.

use super::predictions::Own;
use super::sets::Row;
use crate::util::rows::{Rows, RowsError};
use crate::util::stats;

const COMMITTED: &str = include_str!("../../../fixtures/measured/series.csv");

/// One set.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub name: String,
    /// Names of its sets, or how they begin.
    sets: Vec<String>,
    /// Commit of the program that predicted it, and its date.
    pub predicted: (String, String),
    /// Commit that added its rows, and its date; empty if they were not kept.
    pub measured: (String, String),
    pub launches: u32,
    /// Mean and largest error of the day; `None` if it was not predicted before it was measured.
    pub mean: Option<f64>,
    pub worst: Option<f64>,
    /// Programs of the launches: a seed, a file, or `lost`.
    pub programs: String,
}

/// Returns the committed sets, in order of time.
pub fn all() -> Result<Vec<Series>, RowsError> {
    let rows = Rows::read(COMMITTED, "series.csv")?;
    let series = rows.iter().map(|row| {
        let text = |column: &str| row.text(column).to_owned();
        let percent = |column: &str| {
            row.optional(column, "a number of at least 0", |value: &f64| {
                *value >= 0.0
            })
        };
        Ok(Series {
            name: text("series"),
            sets: row
                .text("sets")
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            predicted: (text("predicted_at"), text("predicted")),
            measured: (text("measured_at"), text("measured")),
            launches: row.count("launches")?,
            mean: percent("mean_percent")?,
            worst: percent("worst_percent")?,
            programs: text("programs"),
        })
    });
    series.collect()
}

impl Series {
    /// Returns the number of rows at hand and the simulator's mean error on them today.
    pub fn today(&self, rows: &[Row], own: &[Own]) -> Option<(usize, f64)> {
        let is_own = |row: &Row| {
            self.sets
                .iter()
                .any(|set| row.set.starts_with(set.as_str()))
        };
        let pairs = rows.iter().zip(own).filter(|(row, _)| is_own(row));
        let errors: Vec<f64> = pairs
            .map(|(row, own)| 100.0 * (own.simulator / row.measured - 1.0).abs())
            .collect();
        Some((errors.len(), stats::mean(&errors)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(prefix: &str) -> (u32, f64) {
        let all = all().unwrap();
        let blind = all.iter().filter(|one| one.name.starts_with(prefix));
        let blind = blind.filter_map(|one| Some((one.launches, one.mean?)));
        let (n, sum) = blind.fold((0, 0.0), |(n, sum), (launches, mean)| {
            (n + launches, sum + f64::from(launches) * mean)
        });
        (n, sum / f64::from(n))
    }

    #[test]
    fn the_errors_of_the_day_are_those_of_the_table_of_trust() {
        for (prefix, launches, mean) in [
            ("H200, set", 1055, 6.7),
            ("H200, Langdon", 169, f64::NAN),
            ("H100, runs", 410, 5.1),
            ("GTX 670", 316, 9.0),
        ] {
            let (n, found) = sum(prefix);
            assert_eq!(n, launches, "{prefix}");
            assert!(
                mean.is_nan() || (found - mean).abs() < 0.05,
                "{prefix}: {found}"
            );
        }
    }
}
