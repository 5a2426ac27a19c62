//! The columns of a paper's figures, predicted and published.
//!
//! Units: in the quantities' names; percent.

use super::columns::Columns;
use crate::validate::papers::ComparedFigure;

/// Returns the columns of one row per figure; the range is empty for a single reading, published and error for unpublished figures.
pub fn columns() -> Columns<ComparedFigure> {
    Columns::<ComparedFigure>::new(3)
        .filed("paper", |row| row.paper)
        .column("experiment", "experiment", |row| row.experiment)
        .column("configuration", "configuration", |row| {
            row.configuration.clone()
        })
        .column("quantity", "quantity", |row| row.quantity)
        .column("predicted", "predicted", |row| row.predicted)
        .digits(2)
        .column("at least", "predicted_low", |row| {
            row.range.map(|range| range[0])
        })
        .digits(2)
        .column("at most", "predicted_high", |row| {
            row.range.map(|range| range[1])
        })
        .digits(2)
        .column("published", "published", |row| row.published)
        .column("error (%)", "error_percent", |row| {
            row.error_percent(row.predicted)
        })
        .digits(1)
        .rounded()
}
