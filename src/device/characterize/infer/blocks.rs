//! Clock, starts of grids and blocks.

use super::{Found, Rule, measured, nearest, rounded};
use crate::device::characterize::readings::Readings;
use crate::util::stats;

pub const RULES: &[Rule] = &[
    ("chip.clock_mhz", |r| {
        let rounds = r.rounds("clock_mhz", 0, 0);
        let mhz = rounded(stats::median(&rounds)?, 0);
        let how = "`clock_mhz`, while all multiprocessors work";
        Some(measured(mhz, how, &rounds))
    }),
    ("chip.grid_cycles", |r| {
        let mhz = r.middle("clock_mhz", 0, 0)?;
        let us = r.rounds("empty_us", 0, 0).into_iter().reduce(f64::min)?;
        let how = format!("the least `empty_us`, {us:.2}");
        Some(measured(nearest(us * mhz), &how, &[]))
    }),
    ("chip.block_cycles", |r| {
        let gaps: Vec<f64> = r.of("block_gap").map(|row| row.value).collect();
        let how = "median of `block_gap` over the sizes of blocks";
        Some(measured(nearest(stats::median(&gaps)?), how, &gaps))
    }),
    ("chip.block_interval_cycles", |r| {
        let all: Vec<f64> = r.of("block_interval").map(|row| row.value).collect();
        let cycles = rounded(stats::median(&all)?, 2);
        Some(measured(cycles, "`block_interval`", &all))
    }),
    ("issue.first_warps_in_turn", first_warps),
];

/// Largest share of first warps on one scheduler of four that still counts as in turn.
const IN_TURN: f64 = 0.35;

fn first_warps(readings: &Readings) -> Option<Found> {
    let shares = readings.of("first_warps").map(|row| row.value);
    let most = shares.reduce(f64::max)?;
    let how = format!("one scheduler has up to {most:.2} of the first warps (`first_warps`)");
    Some(measured(most < IN_TURN, &how, &[]))
}
