//! `warpstack measure counters`: Nsight Compute's counters joined to measured rows.
//!
//! Leaves out: profiling; reading the profiler's file (`measure::ncu`).

use super::MeasuredRows;
use crate::commands::format::OutputArgs;
use crate::measure::{counters, ncu};
use crate::report::rows;
use crate::util::input;
use std::path::PathBuf;

/// Join Nsight Compute's counters to the rows of the run that it profiled, without measuring.
#[derive(Debug, clap::Args)]
pub struct CountersArgs {
    /// Output of `ncu --csv --metrics LIST`
    #[arg(value_name = "FILE")]
    pub counters: PathBuf,
    /// Rows that the profiled `measure gpu --warm-ups 0 --repeats 1 --check 0` wrote
    #[arg(long, value_name = "FILE")]
    pub rows: PathBuf,
    #[command(flatten)]
    pub output: OutputArgs,
}

pub(super) fn rows(args: &CountersArgs) -> MeasuredRows {
    let named = |path: &PathBuf| path.display().to_string();
    let launches = ncu::parse(&input::named(&args.counters)?, &named(&args.counters))?;
    let measured = input::named(&args.rows)?;
    let joined = counters::join(&measured, &named(&args.rows), &launches)?;
    Ok(rows::of_csv(&joined)?)
}
