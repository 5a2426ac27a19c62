//! `warpstack import`: traces, counters and programs of other tools.

use super::CliResult;
use super::format::OutputArgs;
use crate::device::{Device, Preset};
use crate::gp::program::Rpn;
use crate::gp::program_file;
use crate::interop::accel_sim::list;
use crate::interop::replay::{Limits, import};
use crate::launch::CarveOut;
use crate::launch::blocks::Blocks;
use crate::launch::residency::l1_bytes;
use crate::launch::residency::reside;
use crate::launch::spec::SmxSpec;
use crate::measure::ncu;
use crate::report::blocks::BlocksReport;
use crate::report::columns::Columns;
use crate::report::progress;
use crate::report::provenance::Provenance;
use crate::sim;
use crate::sim::simulator::Simulator;
use crate::util::input;
use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Simulate an Accel-Sim kernel trace on a device, tabulate Nsight Compute's counters, or rewrite a GP library's programs as postfix.
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// Format of the file
    #[arg(value_enum, value_name = "FORMAT")]
    from: Tool,
    /// A .traceg file or a kernelslist.g; with ncu the output of `ncu --csv`; with programs a program per line
    file: PathBuf,
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670", value_parser = super::names::device())]
    device: String,
    /// L1 size in KiB; the rest of the on-chip memory is shared memory [default: the device's own division]
    #[arg(long, value_name = "KIB", value_parser = super::configuration::kib)]
    l1: Option<u32>,
    /// Number of blocks to simulate per kernel [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    blocks: Option<u32>,
    /// Largest number of warp instructions per kernel; about 100 bytes of memory each
    #[arg(long, default_value_t = 10_000_000, value_name = "N")]
    instructions: u64,
    /// Variables of the programs, in the order of the inputs [default: numbered names, such as x0, x1, or one name]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    variables: Option<Vec<String>>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Tool {
    /// Kernel traces
    AccelSim,
    /// Nsight Compute's counters
    Ncu,
    /// Programs as DEAP, gplearn, Operon or PySR print them
    Programs,
}

pub fn run(args: &ImportArgs) -> CliResult {
    args.output.check()?;
    if let (Some(variables), Tool::AccelSim | Tool::Ncu) = (&args.variables, args.from) {
        let given = variables.join(",");
        return Err(format!("--variables: given {given}; allowed: with import programs").into());
    }
    match args.from {
        Tool::AccelSim => accel_sim(args),
        Tool::Ncu => counters(args),
        Tool::Programs => programs(args),
    }
}

fn accel_sim(args: &ImportArgs) -> CliResult {
    let device = Preset::load(&args.device)?.device;
    let l1_bytes = l1_bytes(&device, args.l1)?;
    let mut reports = Vec::new();
    for trace in traces(&args.file)? {
        let blocks = read(args, &trace, &device)?;
        reports.push(simulate(&device, l1_bytes, blocks)?);
    }
    let provenance = Provenance {
        engine: Some("simulator"),
        sampling_seed: Some(seed().into()),
        ..Provenance::of_device(&device.name)
    };
    args.output.print(&reports, &provenance, || {
        let texts: Vec<String> = reports.iter().map(BlocksReport::text).collect();
        texts.join("\n")
    })
}

/// Default seed of the simulator.
fn seed() -> u32 {
    Simulator::default().plan.window.seed
}

/// A launch and one of its metrics.
type Counter<'a> = (&'a ncu::ProfiledLaunch, &'a str, &'a ncu::Metric);

/// One row per launch and metric.
fn counters(args: &ImportArgs) -> CliResult {
    let text = input::named(&args.file)?;
    let launches = ncu::parse(&text, &args.file.display().to_string())?;
    let rows = launches.iter().flat_map(|launch| {
        let metrics = launch.metrics.iter();
        metrics.map(move |(name, metric)| (launch, name.as_str(), metric))
    });
    let rows: Vec<Counter> = rows.collect();
    let columns = Columns::<Counter>::new(5)
        .column("launch", "launch", |row| row.0.id.clone())
        .column("kernel", "kernel", |row| row.0.kernel.clone())
        .column("block", "block", |row| row.0.block_size.clone())
        .column("metric", "metric", |row| row.1.to_owned())
        .column("unit", "unit", |row| row.2.unit.clone())
        .column("value", "value", |row| row.2.value);
    args.output
        .print_columns(&columns, &rows, &Provenance::of_program())
}

/// A program in postfix form.
#[derive(Debug, serde::Serialize)]
struct ProgramRow {
    program: Rpn,
}

/// One row per program.
fn programs(args: &ImportArgs) -> CliResult {
    let programs = program_file::read(&args.file, args.variables.as_deref())?.into_iter();
    let rows: Vec<ProgramRow> = programs.map(|program| ProgramRow { program }).collect();
    args.output.print(&rows, &Provenance::of_program(), || {
        rows.iter()
            .map(|row| format!("{}\n", row.program))
            .collect()
    })
}

/// The trace itself, or those of a list.
fn traces(file: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let name = file.display().to_string();
    list::check_unpacked(&name).map_err(|fault| fault.at(&name, 1))?;
    if file.extension().is_none_or(|extension| extension != "g") {
        return Ok(vec![file.to_owned()]);
    }
    let kernels = list::kernels(&input::named(file)?, &name)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    Ok(kernels.iter().map(|kernel| folder.join(kernel)).collect())
}

fn read(args: &ImportArgs, trace: &Path, device: &Device) -> Result<Blocks, Box<dyn Error>> {
    let file =
        File::open(trace).map_err(|error| format!("cannot read `{}`: {error}", trace.display()))?;
    let limits = Limits {
        blocks: args.blocks.map_or(usize::MAX, |blocks| blocks as usize),
        instructions: args.instructions,
    };
    let name = trace.display().to_string();
    let imported = import(BufReader::new(file), &name, limits, device)?;
    if imported.more_blocks {
        let blocks = imported.blocks.order.len();
        progress::say(&format!("{name}: the first {blocks} blocks only"));
    }
    Ok(imported.blocks)
}

fn simulate(
    device: &Device,
    l1_bytes: Option<u32>,
    mut blocks: Blocks,
) -> Result<BlocksReport, Box<dyn Error>> {
    let carve_out = l1_bytes.map_or(CarveOut::Default, CarveOut::L1Bytes);
    let (occupancy, l1_bytes) = reside(device, &blocks.kernel, carve_out, blocks.resources)?;
    let spec = SmxSpec::new(device, l1_bytes)?;
    blocks.geometry.resident_blocks = occupancy.blocks;
    let run = sim::blocks::run(&spec, &blocks, seed(), u64::MAX, ())?;
    Ok(BlocksReport::new(
        &blocks,
        &device.name,
        occupancy,
        l1_bytes,
        &run.counters,
    ))
}
