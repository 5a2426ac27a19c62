//! `warpstack measure`: the interpreters on a real GPU or on this CPU, another paper's system, a profiler's counters.
//!
//! Leaves out: launching and timing (`crate::measure`), predicting. Units: in the columns' names.

pub mod args;
mod counters;
pub mod cpu;
mod gpu;
mod paper;
mod paper_cpu;
mod robilliard;

use super::CliResult;
use super::format::OutputArgs;
use crate::report::provenance::Provenance;
use crate::report::rows::Row;
use crate::report::table::table;
use paper::On;

/// Measure the interpreters: on a GPU, on this CPU, as another paper ran them, or with a profiler's counters.
///
/// Every run checks the errors of the first programs against the reference interpreter.
#[derive(Debug, clap::Args)]
pub struct MeasureArgs {
    #[command(subcommand)]
    pub what: What,
}

#[derive(Debug, clap::Subcommand)]
pub enum What {
    Gpu(Box<gpu::GpuArgs>),
    Cpu(Box<cpu::CpuArgs>),
    Paper(Box<paper::PaperArgs>),
    Counters(counters::CountersArgs),
}

pub fn run(args: &MeasureArgs) -> CliResult {
    match &args.what {
        What::Gpu(args) => print(&args.output, || gpu::rows(args)),
        What::Cpu(args) => print(&args.output, || cpu::measured(args)),
        What::Paper(args) => print(&args.output, || {
            paper::check_options(args)?;
            match args.on {
                On::Gpu => paper::rows(args),
                On::Cpu => paper_cpu::rows(args),
            }
        }),
        What::Counters(args) => print(&args.output, || counters::rows(args)),
    }
}

type MeasuredRows = Result<Vec<Row>, Box<dyn std::error::Error>>;

fn print(output: &OutputArgs, rows: impl FnOnce() -> MeasuredRows) -> CliResult {
    output.check()?;
    let rows = rows()?;
    // Each row names its device.
    output.print(&rows, &Provenance::of_program(), || text(&rows))
}

/// Columns of the table for people; the CSV has them all.
const SHOWN: [&str; 28] = [
    "problem",
    "functions",
    "interpreter",
    "simd",
    "scheme",
    "strategy",
    "domain",
    "kernel",
    "stack_dim",
    "stack_registers",
    "threads_per_program",
    "threads",
    "block_cases",
    "case_blocks",
    "carveout_percent",
    "population",
    "dataset",
    "median_ms",
    "median_wall_ms",
    "gpops_billion",
    "spread_percent",
    "max_error",
    "agreeing_programs",
    "undecided_programs",
    "published_cpu_gpops_billion",
    "published_gpu_gpops_billion",
    "published_speedup",
    "speedup_over_this",
];

fn text(measured: &[Row]) -> String {
    let has = |name: &&&str| measured.iter().any(|row| row.column(name).is_some());
    let names: Vec<&str> = SHOWN.iter().filter(has).copied().collect();
    let cells = |row: &Row| {
        let cells = names
            .iter()
            .map(|name| row.column(name).unwrap_or_default());
        cells.collect()
    };
    table(&names, measured.iter().map(cells).collect(), 2)
}
