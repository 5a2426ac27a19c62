//! Scores of predictors as text and rows.
//!
//! Leaves out: computing the figures (`validate/score/`). Units: percent.

use super::columns::Columns;
use crate::validate::score::Line;

/// Returns the columns of the table of scores.
pub fn columns() -> Columns<Line> {
    Columns::<Line>::new(2)
        .column("block", "block", |line| line.block.clone())
        .column("predictor", "predictor", |line| line.predictor.clone())
        .column("launches", "launches", |line| line.launches)
        .column("missing", "missing", |line| line.missing)
        .column("mean %", "mean_error_percent", |line| line.mean)
        .digits(1)
        .column("median %", "median_error_percent", |line| line.median)
        .digits(1)
        .or("-")
        .column("worst %", "worst_error_percent", |line| line.worst)
        .digits(0)
        .or("-")
        .column("rank corr.", "rank_correlation", |line| {
            line.rank_correlation
        })
        .digits(3)
        .or("-")
        .rounded()
}
