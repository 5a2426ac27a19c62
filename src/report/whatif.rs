//! The points of a what-if study as rows and as a table.
//!
//! Leaves out: predicting. Units: in the columns' names.

use super::rows::Row;
use super::table::table;
use crate::study::Axis;
use crate::study::run::Point;
use serde_json::Value;

/// Columns of every point: launch first, then what was predicted.
const COLUMNS: [&str; 15] = [
    "problem",
    "kernel",
    "stack_dim",
    "stack_registers",
    "threads",
    "l1",
    "gpops_billion",
    "resident_blocks",
    "occupancy_limit",
    "first_stall",
    "l1_load_hit_percent",
    "l1_store_hit_percent",
    "l2_read_bytes_per_node",
    "dram_read_bytes_per_node",
    "impossible",
];

fn values(point: &Point) -> [Value; COLUMNS.len()] {
    let outcome = &point.outcome;
    let at = &outcome.launched;
    [
        at.problem.as_deref().into(),
        at.kernel.as_str().into(),
        at.stack_dim.into(),
        at.stack_registers.into(),
        at.threads_per_block.into(),
        at.l1_kib.into(),
        outcome.gpops_billion.into(),
        outcome.resident_blocks.into(),
        outcome.occupancy_limit.clone().into(),
        outcome.first_stall.clone().into(),
        outcome.l1_load_hit_percent.into(),
        outcome.l1_store_hit_percent.into(),
        outcome.l2_read_bytes_per_node.into(),
        outcome.dram_read_bytes_per_node.into(),
        outcome.impossible.clone().into(),
    ]
}

/// Indices and names of the axes that are columns of their own.
fn extra_axes(axes: &[Axis]) -> Vec<(usize, String)> {
    let numbered = axes.iter().enumerate();
    numbered
        .filter(|(_, axis)| axis.key.is_extra())
        .map(|(index, axis)| (index, axis.key.name()))
        .collect()
}

/// Names of the columns of every point.
pub fn columns(axes: &[Axis]) -> Vec<String> {
    let extra = extra_axes(axes).into_iter().map(|(_, name)| name);
    let names = COLUMNS.iter().map(|name| (*name).to_owned());
    extra.chain(names).collect()
}

/// One row per point.
pub fn rows<'a>(axes: &[Axis], points: &'a [Point]) -> impl Iterator<Item = Row> + 'a {
    let extra = extra_axes(axes);
    points.iter().map(move |point| {
        let varied = extra.iter().map(|(index, name)| {
            // Numbers as numbers; names as texts.
            let value = &point.values[*index];
            let parsed = serde_json::from_str(value);
            let parsed = parsed.unwrap_or_else(|_| value.as_str().into());
            (name.clone(), parsed)
        });
        let names = COLUMNS.iter().map(|name| (*name).to_owned());
        Row(varied.chain(names.zip(values(point))).collect())
    })
}

/// For people: what is varied, and how fast it is.
pub fn text(axes: &[Axis], points: &[Point]) -> String {
    let names: Vec<String> = axes.iter().map(|axis| axis.key.name()).collect();
    let mut headers: Vec<&str> = names.iter().map(String::as_str).collect();
    headers.extend(["billion GPop/s", "blocks", "limited by", "first stall"]);
    let cells = |point: &Point| {
        let outcome = &point.outcome;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let speed = outcome.gpops_billion.map(|speed| format!("{speed:.3}"));
        let blocks = outcome.resident_blocks.map(|blocks| blocks.to_string());
        let known = [
            speed.unwrap_or_else(|| text(&outcome.impossible)),
            blocks.unwrap_or_default(),
            text(&outcome.occupancy_limit),
            text(&outcome.first_stall),
        ];
        point.values.iter().cloned().chain(known).collect()
    };
    table(&headers, points.iter().map(cells).collect(), usize::MAX)
}
