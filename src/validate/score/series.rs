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
    /// Block of the score whose blind rows it belongs to; empty if it was not predicted before it was measured.
    pub block: String,
    /// Names of its sets; a star stands for any ending.
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
            block: text("block"),
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
    pub fn today(&self, rows: &[Row], own: &[Option<Own>]) -> Option<(usize, f64)> {
        let is_own = |row: &Row| self.sets.iter().any(|set| is_named(row.set, set));
        let pairs = rows.iter().zip(own).filter(|(row, _)| is_own(row));
        let pairs = pairs.filter_map(|(row, own)| Some((row, (*own)?.simulator?)));
        let error = |(row, predicted): (&Row, f64)| 100.0 * (predicted / row.measured - 1.0).abs();
        let errors: Vec<f64> = pairs.map(error).collect();
        Some((errors.len(), stats::mean(&errors)?))
    }
}

/// Whether the name of a set is `pattern`, or begins with what is before its star.
fn is_named(set: &str, pattern: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => set.starts_with(beginning),
        None => set == pattern,
    }
}

/// Errors of the day over the blind series of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct OfTheDay {
    pub block: String,
    pub launches: usize,
    /// Mean error, each launch with the same weight.
    pub mean: f64,
    /// Largest error that was written down.
    pub worst: Option<f64>,
}

/// Returns the errors of the day by block, in the order in which blocks first occur.
pub fn of_the_day(all: &[Series]) -> Vec<OfTheDay> {
    let mut blocks: Vec<OfTheDay> = Vec::new();
    for (one, mean) in all.iter().filter_map(|one| Some((one, one.mean?))) {
        let launches = one.launches as usize;
        match blocks.iter_mut().find(|known| known.block == one.block) {
            Some(known) => {
                let sum = known.mean * known.launches as f64 + mean * launches as f64;
                known.launches += launches;
                known.mean = sum / known.launches as f64;
                let worst = known.worst.into_iter().chain(one.worst);
                known.worst = worst.max_by(f64::total_cmp);
            }
            None => blocks.push(OfTheDay {
                block: one.block.clone(),
                launches,
                mean,
                worst: one.worst,
            }),
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_errors_of_the_day_are_those_of_the_table_of_trust() {
        let found = of_the_day(&all().unwrap());
        for (block, launches, mean) in [
            ("GTX 670, blind", 316, 9.0),
            ("H200, blind sets", 1055, 6.7),
            ("H200, other papers", 358, 7.9),
            ("H100, blind", 410, 5.1),
        ] {
            let one = found.iter().find(|one| one.block == block).unwrap();
            assert_eq!(one.launches, launches, "{block}");
            assert!((one.mean - mean).abs() < 0.06, "{block}: {}", one.mean);
        }
    }

    #[test]
    fn a_star_stands_for_any_ending() {
        assert!(is_named("h200/fresh/1-sextic", "h200/fresh/1-*"));
        assert!(!is_named("h200/langdon/seed10", "h200/langdon/seed1"));
    }
}
