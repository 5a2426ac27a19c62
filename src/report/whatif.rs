//! The points of a what-if study as CSV and JSON lines.
//!
//! Leaves out: predicting. Units: in the columns' names.

use crate::predict::{Configuration, Prediction};
use serde::Serialize;

/// One combination and what was predicted; empty where a block cannot be resident.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    pub problem: String,
    pub kernel: String,
    pub stack_dim: u32,
    pub threads_per_block: u32,
    pub l1_bytes: u32,
    pub gpops_billion: Option<f64>,
    pub resident_blocks: Option<u32>,
    pub l1_load_hit_percent: Option<f64>,
    pub l1_store_hit_percent: Option<f64>,
    pub l2_read_bytes_per_node: Option<f64>,
    pub dram_read_bytes_per_node: Option<f64>,
}

impl Point {
    /// A combination whose block cannot be resident.
    pub fn impossible(configuration: &Configuration) -> Self {
        Point {
            problem: configuration.problem.clone(),
            kernel: configuration.kernel.clone(),
            stack_dim: configuration.stack_dim,
            threads_per_block: configuration.threads_per_block,
            l1_bytes: configuration.l1_bytes,
            gpops_billion: None,
            resident_blocks: None,
            l1_load_hit_percent: None,
            l1_store_hit_percent: None,
            l2_read_bytes_per_node: None,
            dram_read_bytes_per_node: None,
        }
    }

    pub fn of(prediction: &Prediction) -> Self {
        let memory = &prediction.memory;
        let per_node = |bytes: u64| Some(bytes as f64 / memory.warp_nodes.max(1) as f64);
        Point {
            gpops_billion: Some(prediction.gpops_billion),
            resident_blocks: Some(prediction.occupancy.blocks),
            l1_load_hit_percent: Some(memory.l1_load_hit_percent),
            l1_store_hit_percent: Some(memory.l1_store_hit_percent),
            l2_read_bytes_per_node: per_node(memory.l2_read_bytes),
            dram_read_bytes_per_node: per_node(memory.dram_read_bytes),
            ..Point::impossible(&prediction.configuration)
        }
    }
}

/// One line per point under a header.
pub fn csv(points: &[Point]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for point in points {
        writer.serialize(point)?;
    }
    writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))
}

/// One object per line.
pub fn json_lines(points: &[Point]) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::new();
    for point in points {
        serde_json::to_writer(&mut text, point)?;
        text.push(b'\n');
    }
    Ok(text)
}
