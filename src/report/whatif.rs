//! The points of a what-if study as CSV and JSON lines.
//!
//! Leaves out: predicting. Units: in the columns' names.

use crate::study::Axis;
use crate::study::run::Point;
use serde_json::{Map, Value};

/// Columns of every point: launch first, then what was predicted.
const COLUMNS: [&str; 15] = [
    "problem",
    "kernel",
    "stack_dim",
    "stack_registers",
    "threads_per_block",
    "l1_bytes",
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
    let (at, outcome) = (&point.configuration, &point.outcome);
    [
        at.problem.as_str().into(),
        at.kernel.as_str().into(),
        at.stack_dim.into(),
        at.stack_registers.into(),
        outcome
            .threads_per_block
            .unwrap_or(at.threads_per_block)
            .into(),
        at.l1_bytes.into(),
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

/// One line per point under a header.
pub fn csv(axes: &[Axis], points: &[Point]) -> Result<Vec<u8>, csv::Error> {
    let extra = extra_axes(axes);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = extra.iter().map(|(_, name)| name.as_str());
    writer.write_record(names.chain(COLUMNS))?;
    for point in points {
        let varied = extra.iter().map(|(index, _)| point.values[*index].clone());
        writer.write_record(varied.chain(values(point).iter().map(cell)))?;
    }
    writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A point: the columns' names and values, in the order of the CSV's.
pub type Row = Vec<(String, Value)>;

/// One row per point.
pub fn rows(axes: &[Axis], points: &[Point]) -> Vec<Row> {
    let extra = extra_axes(axes);
    let row = |point: &Point| -> Row {
        let varied = extra.iter().map(|(index, name)| {
            // Numbers as numbers; names as texts.
            let value = &point.values[*index];
            let parsed = serde_json::from_str(value);
            let parsed = parsed.unwrap_or_else(|_| value.as_str().into());
            (name.clone(), parsed)
        });
        let names = COLUMNS.iter().map(|name| (*name).to_owned());
        varied.chain(names.zip(values(point))).collect()
    };
    points.iter().map(row).collect()
}

/// One object per line.
pub fn json_lines(axes: &[Axis], points: &[Point]) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::new();
    for row in rows(axes, points) {
        let object: Map<String, Value> = row.into_iter().collect();
        serde_json::to_writer(&mut text, &object)?;
        text.push(b'\n');
    }
    Ok(text)
}
