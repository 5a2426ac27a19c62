//! Scores of predictors, and the record of measured sets, as text and rows.
//!
//! Leaves out: computing the figures (`validate/score/`). Units: percent.

use super::columns::Columns;
use crate::validate::score::Line;
use crate::validate::score::series::Series;

/// Returns the columns of the table of scores.
pub fn columns() -> Columns<Line> {
    let end = |place: usize| move |line: &Line| line.interval.map(|(low, high)| [low, high][place]);
    Columns::<Line>::new(2)
        .column("block", "block", |line| line.block.clone())
        .column("predictor", "predictor", |line| line.predictor.clone())
        .column("launches", "launches", |line| line.launches)
        .column("missing", "missing", |line| line.missing)
        .column("mean %", "mean_error_percent", |line| line.mean)
        .digits(1)
        .column("low", "mean_error_percent_low", end(0))
        .digits(1)
        .or("-")
        .column("high", "mean_error_percent_high", end(1))
        .digits(1)
        .or("-")
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

/// Returns the meaning of the columns.
pub fn legend() -> String {
    "low, high: 90 % interval of the mean, by drawing whole populations of programs; mean to roofline are baselines, fitted on the \
     calibration half or on the other half of the block\n"
        .to_owned()
}

/// A set with its error today.
#[derive(Debug, Clone)]
pub struct SeriesLine {
    pub series: Series,
    /// Rows at hand, and the simulator's mean error on them.
    pub today: Option<(usize, f64)>,
}

/// Returns the columns of the record of measured sets.
pub fn series_columns() -> Columns<SeriesLine> {
    Columns::<SeriesLine>::new(5)
        .column("series", "series", |line| line.series.name.clone())
        .column("predicted at", "predicted_at", |line| {
            line.series.predicted.0.clone()
        })
        .column("predicted", "predicted", |line| {
            line.series.predicted.1.clone()
        })
        .column("measured at", "measured_at", |line| {
            line.series.measured.0.clone()
        })
        .column("measured", "measured", |line| {
            line.series.measured.1.clone()
        })
        .column("launches", "launches", |line| line.series.launches)
        .column("mean % then", "mean_error_percent", |line| line.series.mean)
        .digits(1)
        .or("-")
        .column("worst % then", "worst_error_percent", |line| {
            line.series.worst
        })
        .digits(0)
        .or("-")
        .column("scored", "scored_rows", |line| {
            line.today.map_or(0, |(n, _)| n)
        })
        .column("mean % today", "mean_error_percent_today", |line| {
            line.today.map(|(_, mean)| mean)
        })
        .digits(1)
        .or("-")
        .column("programs", "programs", |line| line.series.programs.clone())
        .rounded()
}
