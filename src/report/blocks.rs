//! Results of running some blocks once, as text and as JSON.
//!
//! Leaves out: throughput, which needs a whole grid (`prediction.rs`). Units: beside every figure.

use super::columns::Columns;
use super::prediction::cpi_table;
use crate::device::occupancy::Occupancy;
use crate::launch::blocks::Blocks;
use crate::launch::counters::{cpi_entries, traffic};
use crate::launch::prediction::{CpiEntry, MemoryTraffic};
use crate::sim::observe::Counters;
use serde::Serialize;

/// A run of some blocks.
#[derive(Debug, Clone, Serialize)]
pub struct BlocksReport {
    pub kernel: String,
    pub device: String,
    pub blocks: usize,
    #[serde(rename = "threads")]
    pub threads_per_block: u32,
    pub registers_per_thread: u32,
    pub shared_bytes_per_block: u32,
    pub occupancy: Occupancy,
    #[serde(rename = "l1", serialize_with = "crate::launch::prediction::kib")]
    pub l1_bytes: u32,
    /// Cycles from the first block's start to the last one's end on one multiprocessor.
    pub cycles: u64,
    pub warp_instructions: u64,
    /// Warp instructions per cycle.
    pub ipc: f64,
    pub dual_issue_percent: f64,
    pub memory: MemoryTraffic,
    pub cpi_stack: Vec<CpiEntry>,
}

impl BlocksReport {
    pub fn new(
        blocks: &Blocks,
        device: &str,
        occupancy: Occupancy,
        l1_bytes: u32,
        counters: &Counters,
    ) -> Self {
        let instructions = counters.instructions as f64;
        BlocksReport {
            kernel: blocks.kernel.clone(),
            device: device.to_owned(),
            blocks: blocks.order.len(),
            threads_per_block: blocks.resources.threads_per_block,
            registers_per_thread: blocks.resources.registers_per_thread,
            shared_bytes_per_block: blocks.resources.shared_bytes_per_block,
            occupancy,
            l1_bytes,
            cycles: counters.cycles,
            warp_instructions: counters.instructions,
            ipc: instructions / counters.cycles.max(1) as f64,
            dual_issue_percent: 100.0 * counters.dual_issued as f64 / instructions.max(1.0),
            memory: traffic(counters),
            cpi_stack: cpi_entries(counters),
        }
    }

    /// Two tables.
    pub fn text(&self) -> String {
        let figures = columns().turned(&["figure", "value"], &[self]);
        format!("{figures}\n{}", cpi_table(&self.cpi_stack))
    }
}

fn columns() -> Columns<BlocksReport> {
    Columns::<BlocksReport>::new(1)
        .shown("kernel", |one| one.kernel.clone())
        .shown("device", |one| one.device.clone())
        .shown("blocks", |one| one.blocks)
        .shown("threads per block", |one| one.threads_per_block)
        .shown("resident blocks", |one| {
            let occupancy = &one.occupancy;
            format!(
                "{} of {} warps",
                occupancy.blocks, occupancy.warps_per_block
            )
        })
        .shown("registers per thread", |one| one.registers_per_thread)
        .shown("shared memory per block (bytes)", |one| {
            one.shared_bytes_per_block
        })
        .shown("L1 (KiB)", |one| one.l1_bytes / 1024)
        .shown("cycles", |one| one.cycles)
        .shown("warp instructions", |one| one.warp_instructions)
        .shown("warp instructions per cycle", |one| one.ipc)
        .digits(3)
        .shown("dual-issued (%)", |one| one.dual_issue_percent)
        .digits(2)
        .shown("L1 load lines", |one| one.memory.l1_load_lines)
        .shown("L1 load hits (%)", |one| one.memory.l1_load_hit_percent)
        .digits(2)
        .shown("L1 store lines", |one| one.memory.l1_store_lines)
        .shown("L1 store hits (%)", |one| one.memory.l1_store_hit_percent)
        .digits(2)
        .shown("L2 read bytes", |one| one.memory.l2_read_bytes)
        .shown("L2 written bytes", |one| one.memory.l2_write_bytes)
        .shown("L2 hits (%)", |one| one.memory.l2_hit_percent)
        .digits(2)
        .shown("DRAM read bytes", |one| one.memory.dram_read_bytes)
        .shown("DRAM written bytes", |one| one.memory.dram_write_bytes)
}
