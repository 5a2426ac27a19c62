//! Simple predictors that a model must beat.
//!
//! Models: measured values predict a row, those of other rows but for the mean. Roofline is not fitted.
//! Leaves out: everything that happens inside a multiprocessor. Units: those of the row.
//! Sources: instruction and byte counts of the analytical model (`predictions.csv`); Williams, Waterman and Patterson, Roofline, 2009.

use super::block;
use super::predictions::Own;
use super::sets::{Origin, Row, Unit};
use crate::util::stats;
use crate::validate::launches::Launched;
use std::collections::HashMap;

/// Predicts the mean of the block's rows.
pub fn mean(rows: &[Row]) -> Vec<Option<f64>> {
    let mut blocks: HashMap<_, Vec<f64>> = HashMap::new();
    for row in rows {
        blocks.entry(block(row)).or_default().push(row.measured);
    }
    let means: HashMap<_, _> = blocks
        .iter()
        .map(|(block, measured)| (block, stats::mean(measured)))
        .collect();
    rows.iter().map(|row| means[&block(row)]).collect()
}

/// Predicts the time at the highest ceiling of the chip.
pub fn roofline(rows: &[Row], own: &[Option<Own>]) -> Vec<Option<f64>> {
    let ceiling = |(row, own): (&Row, &Option<Own>)| {
        let own = own.as_ref()?;
        Some(converted(row, own, own.counts.roofline))
    };
    rows.iter().zip(own).map(ceiling).collect()
}

/// Predicts the time of the same launch on the card with the same chip: the H100 for the H200 and the reverse.
pub fn twin_card(rows: &[Row]) -> Vec<Option<f64>> {
    let launched = |row: &'_ Row| -> Option<Launched> {
        match &row.origin {
            Origin::Launch(launch) => Some(launch.launched.clone()),
            _ => None,
        }
    };
    let times = rows.iter();
    let times = times.filter_map(|row| Some(((row.device, launched(row)?), row.measured)));
    let times: HashMap<_, f64> = times.collect();
    let twin = |row: &Row| {
        let other = if row.device == "h200" { "h100" } else { "h200" };
        times.get(&(other, launched(row)?)).copied()
    };
    rows.iter().map(twin).collect()
}

/// Turns milliseconds into the unit of the row, or a speed into milliseconds.
fn converted(row: &Row, own: &Own, value: f64) -> f64 {
    match row.unit {
        Unit::Milliseconds => value,
        Unit::Speed => 1e3 * own.counts.billion_operations / value,
    }
}

/// A launch as a point in the space of its sizes.
struct Point<'a> {
    row: &'a Row,
    own: &'a Own,
    names: (String, String),
    /// Logarithms of the launch's sizes and of what it executes and moves.
    sizes: Vec<f64>,
}

impl<'a> Point<'a> {
    fn of(row: &'a Row, own: &'a Own) -> Point<'a> {
        // All but the roofline and the operations.
        let sizes = own.counts.values().skip(2).chain(row.sizes());
        Point {
            row,
            own,
            names: row.names(),
            sizes: sizes.map(f64::ln_1p).collect(),
        }
    }

    /// Squared distance, in variances; another problem or kernel counts as two standard deviations.
    fn distance(&self, other: &Point, variances: &[f64]) -> f64 {
        let sizes = self.sizes.iter().zip(&other.sizes).zip(variances);
        let sizes: f64 = sizes
            .map(|((a, b), variance)| (a - b).powi(2) / variance)
            .sum();
        let other_problem = u8::from(self.names.0 != other.names.0);
        let other_kernel = u8::from(self.names.1 != other.names.1);
        sizes + 4.0 * f64::from(other_problem + other_kernel)
    }
}

/// Predicts the time of the nearest other launch on the card, scaled by warp instructions.
pub fn nearest(rows: &[Row], own: &[Option<Own>]) -> Vec<Option<f64>> {
    let pairs = rows.iter().zip(own);
    let points: Vec<Option<Point>> = pairs
        .map(|(row, own)| Some(Point::of(row, own.as_ref()?)))
        .collect();
    let known: Vec<&Point> = points.iter().flatten().collect();
    let n_sizes = known.first().map_or(0, |point| point.sizes.len());
    let variance = |at: usize| {
        let values: Vec<f64> = known.iter().map(|point| point.sizes[at]).collect();
        let mean = stats::mean(&values).unwrap_or(0.0);
        let squares: Vec<f64> = values.iter().map(|value| (value - mean).powi(2)).collect();
        stats::mean(&squares).unwrap_or(0.0).max(1e-18)
    };
    let variances: Vec<f64> = (0..n_sizes).map(variance).collect();
    let predicted = |launch: &Point| {
        let others = known.iter().filter(|other| {
            other.row.device == launch.row.device && !std::ptr::eq(other.row, launch.row)
        });
        let others = others.map(|other| (launch.distance(other, &variances), other));
        let (_, other) = others.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let milliseconds = converted(other.row, other.own, other.row.measured);
        let scale = launch.own.counts.warp_instructions / other.own.counts.warp_instructions;
        Some(converted(launch.row, launch.own, milliseconds * scale))
    };
    points
        .iter()
        .map(|point| predicted(point.as_ref()?))
        .collect()
}
