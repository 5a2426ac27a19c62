//! The points of the explorer: every combination of the values of its axes, and what is kept of each prediction.
//!
//! Models: nothing; a point holds what `predict` prints, rounded as it prints it, so that the page never computes a number of its own.
//! Leaves out: points between the values, which the page cannot reach. Units: in the columns' names; a column is a whole number of
//! units of its last decimal place.

use crate::device::occupancy::Limiter;
use crate::launch::prediction::{Cause, Prediction};
use crate::report::verdict::stack_bytes;
use serde::Serialize;

/// One control of the page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// Name in the page's address: `threads`.
    pub key: &'static str,
    /// Label above the control.
    pub label: &'static str,
    /// Unit behind a value; may be empty.
    pub unit: &'static str,
    /// Values as commands take them, in order.
    pub values: Vec<String>,
    /// Index of the initial value; for the machine's axes, the device's own.
    pub start: usize,
    /// Option or key that gives a value to a command.
    pub option: Spelling,
}

/// Option or key that gives a value to a command.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Spelling {
    /// An option of `predict` and `whatif`; empty where there is no choice.
    Launch(&'static str),
    /// A key of `whatif --vary`: a value of the machine.
    Machine(&'static str),
}

impl Axis {
    pub fn is_of_machine(&self) -> bool {
        matches!(self.option, Spelling::Machine(_))
    }
}

/// Number of combinations.
pub fn n_points(axes: &[Axis]) -> usize {
    axes.iter().map(|axis| axis.values.len()).product()
}

/// Every combination as places on the axes; the last axis moves fastest.
pub fn places(axes: &[Axis], point: usize) -> Vec<usize> {
    let mut rest = point;
    let mut places = vec![0; axes.len()];
    for (place, axis) in places.iter_mut().zip(axes).rev() {
        *place = rest % axis.values.len();
        rest /= axis.values.len();
    }
    places
}

/// A number that every point has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Column {
    pub name: &'static str,
    /// Bytes that its values need.
    pub bytes: usize,
    /// Decimal places.
    pub places: usize,
}

const fn column(name: &'static str, bytes: usize, places: usize) -> Column {
    Column {
        name,
        bytes,
        places,
    }
}

/// Columns before the shares of the causes.
const FIRST: [Column; 11] = [
    // 0: possible; else the reason's number.
    column("impossible", 1, 0),
    column("gpops_billion", 4, 3),
    column("kernel_ms", 4, 3),
    column("host_ms", 4, 3),
    column("warps", 1, 0),
    column("blocks", 1, 0),
    // A bit for each of [`LIMITERS`].
    column("limiters", 1, 0),
    column("registers", 1, 0),
    column("l1_kib", 2, 0),
    column("touched_kib", 3, 1),
    column("l1_load_hit_percent", 2, 2),
];

/// The resources that limit occupancy, in the order of their bits.
pub const LIMITERS: [Limiter; 4] = [
    Limiter::Warps,
    Limiter::Registers,
    Limiter::SharedMemory,
    Limiter::Blocks,
];

/// All columns: the last ones are the percentages of the causes.
pub fn columns() -> Vec<Column> {
    let shares = Cause::ALL.map(|cause| column(cause.name(), 2, 1));
    FIRST.into_iter().chain(shares).collect()
}

/// The columns of one point.
pub type Record = Vec<u32>;

/// A point that can run.
pub fn record(prediction: &Prediction) -> Record {
    let occupancy = &prediction.occupancy;
    let limiters = LIMITERS
        .iter()
        .enumerate()
        .filter(|(_, limiter)| occupancy.limiters.contains(limiter));
    let mut record = vec![
        0,
        units(prediction.gpops_billion, 3),
        units(prediction.run_milliseconds, 3),
        units(prediction.host_milliseconds, 3),
        occupancy.warps,
        occupancy.blocks,
        limiters.map(|(bit, _)| 1 << bit).sum(),
        prediction.block.registers_per_thread,
        prediction.l1_bytes / 1024,
        units(stack_bytes(prediction) / 1024.0, 1),
        units(prediction.memory.l1_load_hit_percent, 2),
    ];
    let all = prediction.scheduler_cycles().max(1) as f64;
    record.extend(Cause::ALL.map(|cause| {
        let entry = prediction.cpi_stack.iter().find(|one| one.cause == cause);
        units(
            100.0 * entry.map_or(0, |entry| entry.cycles) as f64 / all,
            1,
        )
    }));
    record
}

/// A point that cannot run, for the reason of this number, from 1.
pub fn impossible(reason: usize) -> Record {
    let mut record = vec![0; columns().len()];
    record[0] = reason as u32;
    record
}

/// `value` as `{:.places}` prints it, without the point.
fn units(value: f64, places: usize) -> u32 {
    let text = format!("{value:.places$}").replace('.', "");
    text.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(values: &[&str]) -> Axis {
        Axis {
            key: "threads",
            label: "Threads",
            unit: "",
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            start: 0,
            option: Spelling::Launch("--threads"),
        }
    }

    #[test]
    fn a_number_is_kept_as_it_is_printed() {
        assert_eq!(units(21.462_766_107_741_1, 3), 21463);
        assert_eq!(units(0.0004, 3), 0);
        assert_eq!(units(1223.1377, 3), 1_223_138);
        assert_eq!(units(64.0, 0), 64);
    }

    #[test]
    fn the_last_axis_moves_fastest() {
        let axes = [axis(&["32", "64"]), axis(&["1", "2", "3"])];
        let all: Vec<Vec<usize>> = (0..n_points(&axes))
            .map(|point| places(&axes, point))
            .collect();
        assert_eq!(all.len(), 6);
        assert_eq!((&all[1][..], &all[3][..]), (&[0, 1][..], &[1, 0][..]));
    }

    #[test]
    fn an_impossible_point_says_why_and_nothing_else() {
        let record = impossible(2);
        assert_eq!(record.len(), columns().len());
        assert_eq!(record.iter().sum::<u32>(), 2);
    }
}
