//! A prediction as text.
//!
//! Leaves out: comparison with measurements (`reproduction.rs`).
//! Units: beside every figure. Percentages of the CPI stack are of all scheduler cycles.

use super::table::table;
use crate::launch::prediction::{CpiEntry, MemoryTraffic, Prediction};

/// Everything a prediction says, as two tables.
pub fn text(prediction: &Prediction) -> String {
    let mut rows = launch_rows(prediction);
    rows.extend(memory_rows(&prediction.memory));
    rows.extend(issue_rows(prediction));
    let figures = table(&["figure", "value"], rows, 1);
    let stack = cpi_table(&prediction.cpi_stack);
    format!("{figures}\n{stack}")
}

fn row(name: &str, value: String) -> Vec<String> {
    vec![name.into(), value]
}

fn launch_rows(prediction: &Prediction) -> Vec<Vec<String>> {
    let configuration = &prediction.configuration;
    let occupancy = &prediction.occupancy;
    let limiters: Vec<&str> = occupancy
        .limiters
        .iter()
        .map(|limit| limit.name())
        .collect();
    vec![
        row(
            "configuration",
            format!(
                "{} on {}, {}, {} threads per block",
                configuration.kernel,
                configuration.problem,
                configuration.sizes_in_words(),
                configuration.threads_per_block
            ),
        ),
        row("billion GPop/s", format!("{:.3}", prediction.gpops_billion)),
        row(
            "time of the kernel (ms)",
            format!("{:.3}", prediction.run_milliseconds),
        ),
        row(
            "time on the host (ms)",
            format!("{:.3}", prediction.host_milliseconds),
        ),
        row(
            "sampling error (%)",
            format!("{:.2}", prediction.sampling_error_percent),
        ),
        row(
            "occupancy",
            format!(
                "{:.1} % ({} blocks of {} warps)",
                100.0 * occupancy.fraction,
                occupancy.blocks,
                occupancy.warps_per_block
            ),
        ),
        row("limited by", limiters.join(", ")),
        row(
            "registers per thread",
            prediction.block.registers_per_thread.to_string(),
        ),
        row(
            "shared memory per block (bytes)",
            prediction.block.shared_bytes_per_block.to_string(),
        ),
        row("L1 (KiB)", (prediction.l1_bytes / 1024).to_string()),
    ]
}

fn memory_rows(memory: &MemoryTraffic) -> Vec<Vec<String>> {
    let per_node = |count: u64| format!("{:.2}", count as f64 / memory.warp_nodes.max(1) as f64);
    vec![
        row(
            "L1 load lines per warp and node",
            per_node(memory.l1_load_lines),
        ),
        row(
            "L1 load hits (%)",
            format!("{:.2}", memory.l1_load_hit_percent),
        ),
        row(
            "L1 store lines per warp and node",
            per_node(memory.l1_store_lines),
        ),
        row(
            "L1 store hits (%)",
            format!("{:.2}", memory.l1_store_hit_percent),
        ),
        row(
            "L2 read bytes per warp and node",
            per_node(memory.l2_read_bytes),
        ),
        row(
            "L2 written bytes per warp and node",
            per_node(memory.l2_write_bytes),
        ),
        row("L2 hits (%)", format!("{:.2}", memory.l2_hit_percent)),
        row(
            "DRAM read bytes per warp and node",
            per_node(memory.dram_read_bytes),
        ),
        row(
            "DRAM written bytes per warp and node",
            per_node(memory.dram_write_bytes),
        ),
    ]
}

fn issue_rows(prediction: &Prediction) -> Vec<Vec<String>> {
    vec![
        row(
            "warp instructions per cycle and SMX",
            format!("{:.3}", prediction.ipc),
        ),
        row(
            "dual-issued (%)",
            format!("{:.2}", prediction.dual_issue_percent),
        ),
        row(
            "warp instructions per node",
            format!("{:.2}", prediction.warp_instructions_per_node),
        ),
        row(
            "branches on data per node (assumed)",
            format!("{:.2}", prediction.assumed_branches_per_node),
        ),
        row(
            "slow paths add (%)",
            format!("{:.2}", prediction.added_by_data_percent),
        ),
        row(
            "simulated warp instructions",
            prediction.simulated_warp_instructions.to_string(),
        ),
        row(
            "simulated warp instructions per second",
            format!("{:.0}", prediction.warp_instructions_per_second()),
        ),
    ]
}

/// The CPI stack, layers without cycles left out.
pub fn cpi_table(stack: &[CpiEntry]) -> String {
    let total: u64 = stack.iter().map(|entry| entry.cycles).sum();
    let rows = stack
        .iter()
        .filter(|entry| entry.cycles > 0)
        .map(|entry| {
            let percent = 100.0 * entry.cycles as f64 / total as f64;
            vec![
                entry.cause.in_words().into(),
                entry.cycles.to_string(),
                format!("{percent:.2}"),
            ]
        })
        .chain([vec!["total".into(), total.to_string(), "100.00".into()]])
        .collect();
    table(&["where scheduler cycles go", "cycles", "%"], rows, 1)
}
