//! A prediction as text.
//!
//! Leaves out: comparison with tables of measurements (`reproduction.rs`).
//! Units: beside every figure. Percentages of the CPI stack are of all scheduler cycles.

use super::columns::Columns;
use super::table::table;
use crate::launch::prediction::{CpiEntry, Prediction};
use crate::validate::interval::{SpeedInterval, Support};
use crate::validate::known::MeasuredSpeed;

/// Formats all figures of a prediction as two tables.
pub fn text(prediction: &Prediction) -> String {
    let columns = memory_columns(launch_columns());
    let figures = issue_columns(columns).turned(&["figure", "value"], &[prediction]);
    let figures = figures + shorter_paths([prediction.divergence_overhead_percent]);
    let stack = cpi_table(&prediction.cpi_stack);
    let configuration = &prediction.configuration;
    format!(
        "{} on {}, {}, {} threads per block\n\n{figures}\n{stack}",
        configuration.kernel,
        configuration.problem,
        configuration.sizes_in_words(),
        configuration.threads_per_block
    )
}

/// Title of the divergence overhead.
pub const EXTRA: &str = "extra instructions from divergence (%)";

/// A line that explains divergence overheads below 0, if there are any.
pub fn shorter_paths(overheads: impl IntoIterator<Item = f64>) -> &'static str {
    match overheads.into_iter().any(|percent| percent < 0.0) {
        true => {
            "Below 0, fitness cases take shorter paths than the trace: a zero divisor, for\n\
             example, skips the division.\n"
        }
        false => "",
    }
}

/// A line with the interval of the speed and what it rests on.
pub fn interval(interval: &SpeedInterval) -> String {
    let Some((low, high)) = interval.bounds() else {
        return "\n90 % interval: none; nothing like this launch was measured on this device\n"
            .into();
    };
    let basis = basis(interval.support, interval.launches);
    format!("\n90 % interval: {low:.3} to {high:.3} billion GPop/s, from the errors of {basis}\n")
}

/// The measured launches that an interval rests on.
pub fn basis(support: Support, launches: usize) -> String {
    let alike = match support {
        Support::Validated => "launches of this problem and kernel",
        Support::Near => "launches of this kernel on another problem",
        Support::Outside => "launches like it, whose errors are too large to count as validated",
    };
    format!("{launches} measured {alike}")
}

/// A line with the measured speed of the same launch.
pub fn beside(prediction: &Prediction, measured: &MeasuredSpeed) -> String {
    let error = 100.0 * (prediction.gpops_billion / measured.gpops_billion - 1.0);
    format!(
        "\nmeasured: {:.3} billion GPop/s (Table {} of the paper); predicted {error:+.1} %\n",
        measured.gpops_billion, measured.table
    )
}

fn launch_columns() -> Columns<Prediction> {
    Columns::<Prediction>::new(1)
        .shown("billion GPop/s", |one| one.gpops_billion)
        .digits(3)
        .shown("time of the kernel (ms)", |one| one.run_milliseconds)
        .digits(3)
        .shown("time on the host (ms)", |one| one.host_milliseconds)
        .digits(3)
        .shown("sampling error, 90 % bound (%)", |one| {
            one.sampling_error_percent
        })
        .digits(2)
        .shown("occupancy", |one| {
            let occupancy = &one.occupancy;
            format!(
                "{:.1} % ({} blocks of {} warps)",
                100.0 * occupancy.fraction,
                occupancy.blocks,
                occupancy.warps_per_block
            )
        })
        .shown("limited by", |one| {
            let limiters = one.occupancy.limiters.iter();
            limiters.map(|limit| limit.name()).collect::<Vec<_>>()
        })
        .shown("registers per thread", |one| one.block.registers_per_thread)
        .shown("shared memory per block (bytes)", |one| {
            one.block.shared_bytes_per_block
        })
        .shown("L1 (KiB)", |one| one.l1_bytes / 1024)
}

fn memory_columns(columns: Columns<Prediction>) -> Columns<Prediction> {
    let per_node = |one: &Prediction, count: u64| {
        let nodes = one.memory.warp_nodes.max(1) as f64;
        count as f64 / nodes
    };
    columns
        .shown("L1 load lines per warp and node", move |one| {
            per_node(one, one.memory.l1_load_lines)
        })
        .digits(2)
        .shown("L1 load hits (%)", |one| one.memory.l1_load_hit_percent)
        .digits(2)
        .shown("L1 store lines per warp and node", move |one| {
            per_node(one, one.memory.l1_store_lines)
        })
        .digits(2)
        .shown("L1 store hits (%)", |one| one.memory.l1_store_hit_percent)
        .digits(2)
        .shown("L2 read bytes per warp and node", move |one| {
            per_node(one, one.memory.l2_read_bytes)
        })
        .digits(2)
        .shown("L2 written bytes per warp and node", move |one| {
            per_node(one, one.memory.l2_write_bytes)
        })
        .digits(2)
        .shown("L2 hits (%)", |one| one.memory.l2_hit_percent)
        .digits(2)
        .shown("DRAM read bytes per warp and node", move |one| {
            per_node(one, one.memory.dram_read_bytes)
        })
        .digits(2)
        .shown("DRAM written bytes per warp and node", move |one| {
            per_node(one, one.memory.dram_write_bytes)
        })
        .digits(2)
}

fn issue_columns(columns: Columns<Prediction>) -> Columns<Prediction> {
    columns
        .shown("warp instructions per cycle and SMX", |one| one.ipc)
        .digits(3)
        .shown("dual-issued (%)", |one| one.dual_issue_percent)
        .digits(2)
        .shown("warp instructions per node", |one| {
            one.warp_instructions_per_node
        })
        .digits(2)
        .shown("branches on data per node (assumed)", |one| {
            one.assumed_branches_per_node
        })
        .digits(2)
        .shown(EXTRA, |one| one.divergence_overhead_percent)
        .digits(2)
        .shown("simulated warp instructions", |one| {
            one.simulated_warp_instructions
        })
        .shown("simulated warp instructions per second", |one| {
            one.warp_instructions_per_second()
        })
        .digits(0)
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
