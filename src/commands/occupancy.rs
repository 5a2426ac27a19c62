//! `warpstack occupancy`: resident blocks for one block size or all of them, and what limits them.
//!
//! What a block needs is given by options, or is what a kernel needs for a problem's programs. Units: KiB for the L1 and the shared memory.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::engine::{InputArgs, note_validated, open_for};
use super::format::OutputArgs;
use super::own_kernel;
use crate::device::occupancy::{BlockResources, Occupancy, OccupancyLimits};
use crate::device::{Device, Preset};
use crate::launch::CarveOut;
use crate::launch::residency::reside;
use crate::report::provenance::Provenance;
use crate::report::table::table;
use crate::systems::registry::l1_bytes;
use serde::Serialize;
use std::error::Error;

/// Show how many blocks of a kernel are resident on one multiprocessor, and what limits them.
#[derive(Debug, clap::Args)]
pub struct OccupancyArgs {
    /// Number of registers per thread [default: the kernel's]
    #[arg(long, value_name = "N", conflicts_with_all = ["kernel", "lowering"], required_unless_present_any = ["kernel", "lowering"])]
    registers: Option<u32>,
    /// Shared memory per block in bytes [default: 0; with --kernel that of the problem's programs]
    #[arg(long, value_name = "BYTES")]
    shared: Option<u32>,
    #[command(flatten)]
    configuration: ConfigurationArgs,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// One block size.
#[derive(Debug, Serialize)]
struct Row {
    threads: u32,
    limited_by: Vec<&'static str>,
    blocks: u32,
    warps: u32,
    occupancy_percent: f64,
    shared_kib: u32,
    /// In KiB.
    l1: u32,
    registers: u32,
    shared_bytes: u32,
}

pub fn run(args: &OccupancyArgs) -> CliResult {
    args.output.check()?;
    let device = Preset::load(&args.configuration.device)?.device;
    note_validated(&device);
    let (needs, provenance) = needs(args, &device)?;
    let limits = OccupancyLimits::of(&device);
    let sizes: Vec<u32> = match args.configuration.launch.threads {
        Some(threads) => vec![threads],
        None => (1..=limits.threads_per_block / limits.warp_lanes)
            .map(|warps| warps * limits.warp_lanes)
            .collect(),
    };
    let launch = &args.configuration.launch;
    let l1_bytes = l1_bytes(&device, launch.l1)?;
    let carve_out = l1_bytes.map_or(CarveOut::Default, CarveOut::L1Bytes);
    let mut rows = Vec::new();
    for threads_per_block in sizes {
        let block = BlockResources {
            threads_per_block,
            ..needs
        };
        limits.check_block(block)?;
        let (occupancy, l1_bytes) = reside(&device, "", carve_out, block)?;
        rows.push(row(block, &occupancy, l1_bytes));
    }
    args.output.print(&rows, &provenance, || text(&rows))
}

/// What a block needs, its threads aside, and where that comes from.
fn needs(
    args: &OccupancyArgs,
    device: &Device,
) -> Result<(BlockResources, Provenance), Box<dyn Error>> {
    let block = |registers_per_thread, shared_bytes_per_block| BlockResources {
        threads_per_block: 1,
        registers_per_thread,
        shared_bytes_per_block,
    };
    if let Some(registers) = args.registers {
        let provenance = Provenance::of_device(&device.name);
        return Ok((block(registers, args.shared.unwrap_or(0)), provenance));
    }
    let (options, inputs) = own_kernel::asked(&args.configuration, &args.inputs, device)?;
    let (engine, launches) = open_for(device, inputs.settings(), &[options])?;
    let launch = engine.resolve(&engine.request(&launches[0])?)?;
    let provenance = Provenance {
        // Nothing is timed.
        engine: None,
        effort: None,
        sampling_seed: None,
        ..Provenance::of(&engine)
    };
    let (registers, shared) = (
        launch.block.registers_per_thread,
        launch.block.shared_bytes_per_block,
    );
    Ok((block(registers, args.shared.unwrap_or(shared)), provenance))
}

fn row(block: BlockResources, occupancy: &Occupancy, l1_bytes: u32) -> Row {
    let limiters = occupancy.limiters.iter();
    Row {
        threads: block.threads_per_block,
        limited_by: limiters.map(|limiter| limiter.name()).collect(),
        blocks: occupancy.blocks,
        warps: occupancy.warps,
        occupancy_percent: 100.0 * occupancy.fraction,
        shared_kib: occupancy.shared_config_bytes / 1024,
        l1: l1_bytes / 1024,
        registers: block.registers_per_thread,
        shared_bytes: block.shared_bytes_per_block,
    }
}

fn text(rows: &[Row]) -> String {
    let headers = [
        "threads per block",
        "limited by",
        "blocks",
        "warps",
        "occupancy (%)",
        "shared memory (KiB)",
    ];
    let cells = |row: &Row| {
        vec![
            row.threads.to_string(),
            row.limited_by.join(", "),
            row.blocks.to_string(),
            row.warps.to_string(),
            format!("{:.1}", row.occupancy_percent),
            row.shared_kib.to_string(),
        ]
    };
    table(&headers, rows.iter().map(cells).collect(), 2)
}
