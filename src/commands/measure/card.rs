//! `warpstack measure card`: what microbenchmarks read of a GPU.
//!
//! Leaves out: the launches (`measure::card::experiments`); a preset from the readings.

use crate::commands::CliResult;
use crate::measure::card::experiments;
use crate::measure::launch::Gpu;
use crate::measure::launch::probes::Probes;
use crate::report::output;
use crate::report::progress::{self, Progress};
use std::path::PathBuf;

/// Read latencies, capacities and bandwidths of a GPU by microbenchmarks, in seconds.
///
/// The file has one reading per line: experiment, two parameters, round, value. It needs NVIDIA's driver and a card of compute capability 7.5
/// or newer that nobody else uses, but no CUDA.
#[derive(Debug, clap::Args)]
pub struct CardArgs {
    /// File to write, as CSV
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of the GPU to measure
    #[arg(long, value_name = "N", default_value_t = 0)]
    gpu: usize,
}

pub fn run(args: &CardArgs) -> CliResult {
    output::check_writable(&args.out)?;
    let mut probes = Probes::load(Gpu::open(args.gpu)?)?;
    let mut readings = experiments::facts(&probes)?;
    let progress = Progress::new(experiments::EXPERIMENTS.len() as u64, "experiments");
    for (name, experiment) in experiments::EXPERIMENTS {
        progress.begin(name);
        experiment(&mut probes, &mut readings)?;
        progress.step();
    }
    output::write(Some(&args.out), readings.to_csv().as_bytes())?;
    progress::say(&format!("{} written", args.out.display()));
    Ok(())
}
