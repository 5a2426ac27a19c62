//! What running some blocks once showed, as text and as JSON.
//!
//! Leaves out: throughput, which needs a whole grid (`prediction.rs`). Units: beside every figure.

use super::prediction::cpi_table;
use super::table::table;
use crate::device::occupancy::Occupancy;
use crate::launch::blocks::Blocks;
use crate::launch::counters::{cpi_entries, traffic};
use crate::launch::prediction::{CpiEntry, MemoryTraffic};
use crate::sim::observe::Counters;
use serde::Serialize;

/// See the module text.
#[derive(Debug, Clone, Serialize)]
pub struct BlocksReport {
    pub kernel: String,
    pub device: String,
    /// Where stall counts and dual issue come from.
    pub schedule: String,
    pub blocks: usize,
    #[serde(rename = "threads")]
    pub threads_per_block: u32,
    pub registers_per_thread: u32,
    pub shared_bytes_per_block: u32,
    pub occupancy: Occupancy,
    #[serde(rename = "l1", serialize_with = "crate::launch::prediction::kib")]
    pub l1_bytes: u32,
    /// From the first block's start to the last one's end on one multiprocessor.
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
        schedule: &str,
        occupancy: Occupancy,
        l1_bytes: u32,
        counters: &Counters,
    ) -> Self {
        let instructions = counters.instructions as f64;
        BlocksReport {
            kernel: blocks.kernel.clone(),
            device: device.to_owned(),
            schedule: schedule.to_owned(),
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
        let mut rows = self.launch_rows();
        rows.extend(self.result_rows());
        let figures = table(&["figure", "value"], rows, 1);
        format!("{figures}\n{}", cpi_table(&self.cpi_stack))
    }

    fn launch_rows(&self) -> Vec<Vec<String>> {
        let occupancy = &self.occupancy;
        let rows = [
            ("kernel", self.kernel.clone()),
            ("device", self.device.clone()),
            ("schedule", self.schedule.clone()),
            ("blocks", self.blocks.to_string()),
            ("threads per block", self.threads_per_block.to_string()),
            (
                "resident blocks",
                format!(
                    "{} of {} warps",
                    occupancy.blocks, occupancy.warps_per_block
                ),
            ),
            (
                "registers per thread",
                self.registers_per_thread.to_string(),
            ),
            (
                "shared memory per block (bytes)",
                self.shared_bytes_per_block.to_string(),
            ),
            ("L1 (KiB)", (self.l1_bytes / 1024).to_string()),
        ];
        rows.map(|(name, value)| vec![name.to_owned(), value])
            .into()
    }

    fn result_rows(&self) -> Vec<Vec<String>> {
        let memory = &self.memory;
        let rows = [
            ("cycles", self.cycles.to_string()),
            ("warp instructions", self.warp_instructions.to_string()),
            ("warp instructions per cycle", format!("{:.3}", self.ipc)),
            ("dual-issued (%)", format!("{:.2}", self.dual_issue_percent)),
            ("L1 load lines", memory.l1_load_lines.to_string()),
            (
                "L1 load hits (%)",
                format!("{:.2}", memory.l1_load_hit_percent),
            ),
            ("L1 store lines", memory.l1_store_lines.to_string()),
            (
                "L1 store hits (%)",
                format!("{:.2}", memory.l1_store_hit_percent),
            ),
            ("L2 read bytes", memory.l2_read_bytes.to_string()),
            ("L2 written bytes", memory.l2_write_bytes.to_string()),
            ("L2 hits (%)", format!("{:.2}", memory.l2_hit_percent)),
            ("DRAM read bytes", memory.dram_read_bytes.to_string()),
            ("DRAM written bytes", memory.dram_write_bytes.to_string()),
        ];
        rows.map(|(name, value)| vec![name.to_owned(), value])
            .into()
    }
}
