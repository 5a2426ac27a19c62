//! The points of a what-if study as rows and as a table.
//!
//! Leaves out: predicting. Units: in the columns' names.

use super::columns::Columns;
use crate::study::Axis;
use crate::study::run::Point;
use serde_json::Value;

/// One row per point: the axes, the launch, then what was predicted. A table has what is varied, and how fast it is.
pub fn columns(axes: &[Axis]) -> Columns<Point> {
    let mut columns = Columns::<Point>::new(usize::MAX);
    for (index, axis) in axes.iter().enumerate() {
        let value = move |point: &Point| point.values[index].clone();
        columns = columns.shown(axis.key.name(), value);
        if axis.key.is_extra() {
            columns = columns.filed(axis.key.name(), move |point| -> Value {
                let value = value(point);
                // Numbers as numbers; names as texts.
                serde_json::from_str(&value).unwrap_or_else(|_| value.into())
            });
        }
    }
    columns
        .filed("problem", |point| point.outcome.launched.problem.clone())
        .filed("kernel", |point| point.outcome.launched.kernel.clone())
        .filed("stack_dim", |point| point.outcome.launched.stack_dim)
        .filed("stack_registers", |point| {
            point.outcome.launched.stack_registers
        })
        .filed("threads", |point| point.outcome.launched.threads_per_block)
        .filed("l1", |point| point.outcome.launched.l1_kib)
        .filed("gpops_billion", |point| point.outcome.gpops_billion)
        .shown("billion GPop/s", |point| {
            let speed = point.outcome.gpops_billion;
            let speed = speed.map(|speed| format!("{speed:.3}"));
            speed.or(point.outcome.impossible.clone())
        })
        .column("blocks", "resident_blocks", |point| {
            point.outcome.resident_blocks
        })
        .column("limited by", "occupancy_limit", |point| {
            point.outcome.occupancy_limit.clone()
        })
        .column("first stall", "first_stall", |point| {
            point.outcome.first_stall.clone()
        })
        .filed("l1_load_hit_percent", |point| {
            point.outcome.l1_load_hit_percent
        })
        .filed("l1_store_hit_percent", |point| {
            point.outcome.l1_store_hit_percent
        })
        .filed("l2_read_bytes_per_node", |point| {
            point.outcome.l2_read_bytes_per_node
        })
        .filed("dram_read_bytes_per_node", |point| {
            point.outcome.dram_read_bytes_per_node
        })
        .filed("impossible", |point| point.outcome.impossible.clone())
}
