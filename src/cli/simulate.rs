//! `warpstack simulate`: one configuration, with everything the model says about it.

use super::CliResult;
use crate::device::Device;
use crate::predict::{Configuration, PerformanceModel};
use crate::report::{output, prediction};
use std::path::PathBuf;

/// Predicts one configuration and shows where its cycles go.
#[derive(Debug, clap::Args)]
pub struct SimulateArgs {
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670")]
    pub device: String,
    /// Kernel name (`warpstack kernels` lists them)
    #[arg(long, default_value = "rpn")]
    pub kernel: String,
    /// Size of the stack's second dimension
    #[arg(long, default_value_t = 1)]
    pub stack_dim: u32,
    /// Problem name (`warpstack problems` lists them)
    #[arg(long, default_value = "sextic")]
    pub problem: String,
    /// Threads per block
    #[arg(long)]
    pub threads: u32,
    /// L1 size in KiB; the rest of the on-chip memory is shared memory
    #[arg(long, default_value_t = 48, value_name = "KIB")]
    pub l1: u32,
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Table,
    Json,
}

pub fn run(args: &SimulateArgs, device: &Device, model: &dyn PerformanceModel) -> CliResult {
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    let prediction = model.predict(&Configuration {
        problem: args.problem.clone(),
        kernel: args.kernel.clone(),
        stack_dim: args.stack_dim,
        threads_per_block: args.threads,
        l1_bytes: super::l1_bytes(device, args.l1)?,
    })?;
    let text = match args.format {
        Format::Table => prediction::text(&prediction),
        Format::Json => prediction::json(&prediction)?,
    };
    output::write(args.out.as_deref(), text.as_bytes())?;
    Ok(())
}
