//! `warpstack occupancy`: resident blocks for one block size or all of them, and what limits them.
//!
//! A block's resources are given by options, or are those of a kernel for a problem's programs. Units: bytes for a block's shared memory,
//! in `--shared` and the column `shared_bytes`; KiB for the multiprocessor's L1 and shared memory.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::engine::{InputArgs, note_validated, open_for};
use super::format::OutputArgs;
use super::look::ChartArgs;
use super::own_kernel;
use crate::device::occupancy::{BlockResources, Occupancy, OccupancyLimits};
use crate::device::{Device, Preset};
use crate::launch::CarveOut;
use crate::launch::residency::l1_bytes;
use crate::launch::residency::reside;
use crate::report::chart::lines::{Lines, of_points};
use crate::report::columns::Columns;
use crate::report::provenance::Provenance;
use std::error::Error;

/// Show the resident blocks of one multiprocessor, and what limits them.
#[derive(Debug, clap::Args)]
#[command(mut_arg("chart", |arg| arg.help("Chart of the resident warps over the threads per block, .svg or .png")), mut_arg("threads", |arg| arg.help("Number of threads per block [default: every multiple of 32 that the device allows]")))]
pub struct OccupancyArgs {
    /// Numbers of registers per thread, separated by commas [default: the kernel's]
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with_all = ["kernel", "encoding"], required_unless_present_any = ["kernel", "encoding"])]
    registers: Vec<u32>,
    /// Shared memory per block in bytes [default: 0; with --kernel that of the problem's programs]
    #[arg(long, value_name = "BYTES")]
    shared: Option<u32>,
    #[command(flatten)]
    configuration: ConfigurationArgs,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    chart: ChartArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// One block size.
struct BlockSizeRow {
    block: BlockResources,
    occupancy: Occupancy,
    l1_bytes: u32,
}

pub fn run(args: &OccupancyArgs) -> CliResult {
    args.output.check()?;
    args.chart.check()?;
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
    for needs in needs {
        for &threads_per_block in &sizes {
            let block = BlockResources {
                threads_per_block,
                ..needs
            };
            limits.check_block(block)?;
            let (occupancy, l1_bytes) = reside(&device, "", carve_out, block)?;
            rows.push(BlockSizeRow {
                block,
                occupancy,
                l1_bytes,
            });
        }
    }
    args.output.print_columns(&columns(), &rows, &provenance)?;
    args.chart.save(|| steps(&rows))?;
    Ok(())
}

/// Resident warps over threads per block, a line for each number of registers.
fn steps(rows: &[BlockSizeRow]) -> Lines {
    let point = |row: &BlockSizeRow| {
        let name = format!("{} registers", row.block.registers_per_thread);
        let threads = f64::from(row.block.threads_per_block);
        (name, (threads, f64::from(row.occupancy.warps)))
    };
    Lines {
        x_label: "threads per block".into(),
        y_label: "resident warps".into(),
        lines: of_points(rows.iter().map(point)),
        ..Lines::default()
    }
}

/// Returns a block's resources except its threads, and their provenance.
fn needs(
    args: &OccupancyArgs,
    device: &Device,
) -> Result<(Vec<BlockResources>, Provenance), Box<dyn Error>> {
    let block = |registers_per_thread, shared_bytes_per_block| BlockResources {
        threads_per_block: 1,
        registers_per_thread,
        shared_bytes_per_block,
    };
    if !args.registers.is_empty() {
        let shared = args.shared.unwrap_or(0);
        let blocks = args.registers.iter().map(|&n| block(n, shared));
        return Ok((blocks.collect(), Provenance::of_device(&device.name)));
    }
    let (options, inputs) = own_kernel::asked(&args.configuration, &args.inputs, device)?;
    let (engine, launches) = open_for(device, inputs.settings(), &[options])?;
    let launch = engine.resolve(&engine.request(&launches[0])?)?;
    let provenance = Provenance {
        // Nothing is timed.
        engine: None,
        scope: None,
        sampling_seed: None,
        ..Provenance::of(&engine)
    };
    let (registers, shared) = (
        launch.placement.block.registers_per_thread,
        launch.placement.block.shared_bytes_per_block,
    );
    let block = block(registers, args.shared.unwrap_or(shared));
    Ok((vec![block], provenance))
}

fn columns() -> Columns<BlockSizeRow> {
    Columns::<BlockSizeRow>::new(2)
        .column("threads per block", "threads", |row| {
            row.block.threads_per_block
        })
        .column("limited by", "limited_by", |row| {
            let limiters = row.occupancy.limiters.iter();
            let names: Vec<&str> = limiters.map(|limiter| limiter.name()).collect();
            names
        })
        .column("blocks", "blocks", |row| row.occupancy.blocks)
        .column("warps", "warps", |row| row.occupancy.warps)
        .column("occupancy (%)", "occupancy_percent", |row| {
            100.0 * row.occupancy.fraction
        })
        .digits(1)
        .column("shared memory (KiB)", "shared_kib", |row| {
            row.occupancy.shared_config_bytes / 1024
        })
        .filed("l1", |row| row.l1_bytes / 1024)
        .filed("registers", |row| row.block.registers_per_thread)
        .filed("shared_bytes", |row| row.block.shared_bytes_per_block)
}
