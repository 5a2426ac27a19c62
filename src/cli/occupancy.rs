//! `warpstack occupancy`: resident blocks for one block size or all of them, and what limits them.

use super::CliResult;
use crate::device::occupancy::{BlockResources, Occupancy, OccupancyLimits};
use crate::device::{Device, Preset};
use crate::report::{output, table::table};
use std::error::Error;

/// Show how many blocks of a kernel are resident on one multiprocessor, and what limits them.
#[derive(Debug, clap::Args)]
pub struct OccupancyArgs {
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670")]
    device: String,
    /// Number of registers per thread
    #[arg(long)]
    registers: u32,
    /// Shared memory per block in bytes
    #[arg(long, default_value_t = 0)]
    shared: u32,
    /// Number of threads per block [default: every multiple of a warp]
    #[arg(long)]
    threads: Option<u32>,
    /// L1 size in KiB; the rest of the on-chip memory is shared memory
    #[arg(long, default_value_t = 48, value_name = "KIB")]
    l1: u32,
}

pub fn run(args: &OccupancyArgs) -> CliResult {
    let device = Preset::load(&args.device)?.device;
    let split = split_for_kib(&device, args.l1)?;
    let limits = OccupancyLimits::of(&device);
    let sizes: Vec<u32> = match args.threads {
        Some(threads) => vec![threads],
        None => (1..=limits.threads_per_block / limits.warp_lanes)
            .map(|warps| warps * limits.warp_lanes)
            .collect(),
    };
    let mut rows = Vec::new();
    for threads_per_block in sizes {
        let block = BlockResources {
            threads_per_block,
            registers_per_thread: args.registers,
            shared_bytes_per_block: args.shared,
        };
        let occupancy = limits.occupancy(block, split)?;
        rows.push(row(threads_per_block, &occupancy));
    }
    let headers = [
        "threads per block",
        "limited by",
        "blocks",
        "warps",
        "occupancy (%)",
        "shared memory (KiB)",
    ];
    output::write(None, table(&headers, rows, 2).as_bytes())?;
    Ok(())
}

fn row(threads_per_block: u32, occupancy: &Occupancy) -> Vec<String> {
    let limiters: Vec<&str> = occupancy
        .limiters
        .iter()
        .map(|limiter| limiter.name())
        .collect();
    vec![
        threads_per_block.to_string(),
        limiters.join(", "),
        occupancy.blocks.to_string(),
        occupancy.warps.to_string(),
        format!("{:.1}", 100.0 * occupancy.fraction),
        (occupancy.shared_config_bytes / 1024).to_string(),
    ]
}

/// The shared memory that remains beside an L1 of `l1_kib`.
fn split_for_kib(device: &Device, l1_kib: u32) -> Result<u32, Box<dyn Error>> {
    let l1_bytes = super::l1_bytes(device, l1_kib)?;
    let split = device.split_for_l1(l1_bytes);
    Ok(split.map_or(0, |split| split.shared_bytes))
}
