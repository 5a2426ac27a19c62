//! `warpstack list`: devices and their values, kernels and their code, problems.

mod devices;
mod kernels;
mod problems;
mod source;

use super::CliResult;

/// List devices and their values, kernels and their code, or problems.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    #[command(subcommand)]
    pub what: What,
}

#[derive(Debug, clap::Subcommand)]
pub enum What {
    Devices(devices::DevicesArgs),
    Kernels(Box<kernels::KernelsArgs>),
    Problems(problems::ProblemsArgs),
}

pub fn run(args: &ListArgs) -> CliResult {
    match &args.what {
        What::Devices(args) => devices::run(args),
        What::Kernels(args) => kernels::run(args),
        What::Problems(args) => problems::run(args),
    }
}
