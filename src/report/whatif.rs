//! The points of a what-if study as rows and as a table.
//!
//! Leaves out: predicting. Units: in the columns' names.

use super::columns::Columns;
use crate::study::run::Point;
use crate::study::{Axis, Key};
use crate::systems::options::Size;
use crate::validate::interval::SpeedInterval;
use crate::validate::known::MeasuredSpeed;
use serde_json::Value;

/// A point of a study, the interval of its speed, and what was measured of its launch.
pub struct StudyRow {
    pub point: Point,
    pub measured: Option<MeasuredSpeed>,
    /// Interval of the speed, if the point can run.
    pub interval: Option<SpeedInterval>,
}

/// Returns the columns of one row per point: axes, launch, prediction. Tables show the axes and the speed, and the hits of varied L1s.
pub fn columns(axes: &[Axis], with_measured: bool, has_gains: bool) -> Columns<StudyRow> {
    let mut columns = Columns::<StudyRow>::new(usize::MAX);
    for (index, axis) in axes.iter().enumerate() {
        let value = move |row: &StudyRow| row.point.values[index].clone();
        columns = columns.shown(axis.key.name(), value);
        if axis.key.is_extra() {
            columns = columns.filed(axis.key.name(), move |row| -> Value {
                let value = value(row);
                // Numbers as numbers; names as texts.
                serde_json::from_str(&value).unwrap_or_else(|_| value.into())
            });
        }
    }
    let measured = |row: &StudyRow| row.measured.map(|measured| measured.gpops_billion);
    let columns = columns
        .filed("problem", |row| row.point.outcome.launched.problem.clone())
        .filed("kernel", |row| row.point.outcome.launched.kernel.clone())
        .filed("stack_dim", |row| row.point.outcome.launched.stack_dim)
        .filed("stack_registers", |row| {
            row.point.outcome.launched.stack_registers
        })
        .filed("threads", |row| {
            row.point.outcome.launched.threads_per_block
        })
        .filed("l1", |row| row.point.outcome.launched.l1_kib)
        .filed("gpops_billion", |row| row.point.outcome.gpops_billion)
        .shown("billion GPop/s", |row| {
            let speed = row.point.outcome.gpops_billion;
            let speed = speed.map(|speed| format!("{speed:.3}"));
            speed.or(row.point.outcome.impossible.clone())
        })
        .filed("gpops_billion_low", |row| row.interval?.gpops_billion_low)
        .filed("gpops_billion_high", |row| row.interval?.gpops_billion_high)
        .filed("support", |row| Some(row.interval?.support.name()))
        .filed(MEASURED, measured);
    let columns = match with_measured {
        true => columns.shown("measured", measured).digits(3),
        false => columns,
    };
    let columns = match has_gains {
        true => columns
            .shown("removal gains most", |row| {
                row.point.outcome.gains_most.clone()
            })
            .shown("gain (%)", |row| row.point.outcome.gain_percent)
            .digits(0),
        false => columns,
    };
    let load_hits = |row: &StudyRow| row.point.outcome.l1_load_hit_percent;
    let store_hits = |row: &StudyRow| row.point.outcome.l1_store_hit_percent;
    let varies_l1 = |axis: &Axis| matches!(axis.key, Key::Size(Size::L1Kib));
    let columns = match axes.iter().any(varies_l1) {
        true => columns
            .shown("load hits (%)", load_hits)
            .digits(1)
            .shown("store hits (%)", store_hits)
            .digits(1),
        false => columns,
    };
    columns
        .column("blocks", "resident_blocks", |row| {
            row.point.outcome.resident_blocks
        })
        .column("limited by", "occupancy_limit", |row| {
            row.point.outcome.occupancy_limit.clone()
        })
        .filed("gains_most", |row| row.point.outcome.gains_most.clone())
        .filed("gain_percent", |row| row.point.outcome.gain_percent)
        .filed("l1_load_hit_percent", load_hits)
        .filed("l1_store_hit_percent", store_hits)
        .filed("l2_read_bytes_per_node", |row| {
            row.point.outcome.l2_read_bytes_per_node
        })
        .filed("dram_read_bytes_per_node", |row| {
            row.point.outcome.dram_read_bytes_per_node
        })
        .filed("impossible", |row| row.point.outcome.impossible.clone())
}

const MEASURED: &str = "measured_gpops_billion";
