//! `warpstack export`: some blocks of a configuration as a trace or a timeline for other tools.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::engine::{InputArgs, open_for};
use super::own_kernel;
use crate::device::{Device, Preset};
use crate::interop::accel_sim::{AddressMode, TraceWriter, list};
use crate::interop::perfetto;
use crate::interop::record::Recorder;
use crate::predictor::SampleBlocks;
use crate::report::blocks::BlocksReport;
use crate::report::output;
use crate::report::progress;
use crate::sim::blocks;
use crate::sim::timeline::Timeline;
use crate::trace::launch::{INPUTS_ADDRESS, OUTPUTS_ADDRESS, PROGRAMS_ADDRESS};
use std::path::PathBuf;

/// Export what some blocks of a configuration execute, for Accel-Sim or Perfetto.
///
/// The blocks run once, from their first instruction to their last, on one multiprocessor with empty caches.
/// `warpstack import` reads Accel-Sim traces back.
#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    /// Format to write
    #[arg(value_enum, value_name = "FORMAT")]
    to: Tool,
    /// File to write, or the folder of kernelslist.g for accel-sim [default: standard output]
    #[arg(long, value_name = "PATH", required_if_eq("to", "accel-sim"))]
    out: Option<PathBuf>,
    #[command(flatten)]
    configuration: ConfigurationArgs,
    #[command(flatten)]
    inputs: InputArgs,
    /// Number of blocks, taken from the head of the grid's sample
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    blocks: u32,
    /// Largest number of iterations of the fitness-case loop per block
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// Largest number of warp instructions to write; of accel-sim about 40 bytes each, 130 with --addresses list; of perfetto
    /// about 200
    #[arg(long, default_value_t = 2_000_000, value_name = "N")]
    instructions: u64,
    /// perfetto: cycle at which the timeline ends
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cycles: u64,
    /// accel-sim: encoding of the lanes' addresses
    #[arg(long, value_enum, default_value = "compressed")]
    addresses: Addresses,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Tool {
    /// Kernel trace (.traceg) with kernelslist.g beside it
    AccelSim,
    /// Chrome trace-event JSON: a lane per warp, stalls by cause
    Perfetto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Addresses {
    /// Base and stride, or base and differences
    Compressed,
    /// One address per active lane
    List,
}

/// Approximate bytes per instruction in a timeline.
const TIMELINE_BYTES: u64 = 200;

/// The file of the trace.
const TRACE: &str = "kernel-1.traceg";

pub fn run(args: &ExportArgs) -> CliResult {
    let device = Preset::load(&args.configuration.device)?.device;
    match (&args.out, args.to) {
        (Some(folder), Tool::AccelSim) => output::check_folder(folder)?,
        (Some(file), _) => output::check_writable(file)?,
        (None, _) => {}
    }
    let (options, inputs) = own_kernel::asked(&args.configuration, &args.inputs, &device)?;
    let (engine, launches) = open_for(&device, inputs.settings(), &[options])?;
    own_kernel::check(&engine, &launches, &args.configuration.own)?;
    let sample = engine.sample_blocks(&launches[0], args.blocks as usize, args.iterations)?;
    check_size(args, &device, &sample)?;
    match args.to {
        Tool::AccelSim => accel_sim(args, &device, &sample),
        Tool::Perfetto => timeline(args, &device, &sample),
    }
}

fn recorder<'a>(args: &ExportArgs, sample: &'a SampleBlocks) -> Recorder<'a> {
    let geometry = &sample.blocks.geometry;
    Recorder::new(&sample.kernel, &sample.pool, geometry, args.iterations)
}

/// Refuses what would be too large before anything is simulated: of a timeline, the instructions that can issue until it ends.
fn check_size(args: &ExportArgs, device: &Device, sample: &SampleBlocks) -> Result<(), String> {
    let recorder = recorder(args, sample);
    let traces = sample.traces.iter();
    let total: u64 = traces.map(|(trace, _)| recorder.instructions(trace)).sum();
    let issue = &device.issue;
    let per_cycle = u64::from(issue.n_schedulers) * u64::from(issue.n_dispatch);
    let (total, shorter, bytes_per_instruction) = match (args.to, args.addresses) {
        (Tool::AccelSim, Addresses::Compressed) => (total, "--iterations", 40),
        (Tool::AccelSim, Addresses::List) => (total, "--iterations", 130),
        _ => {
            let issued = args.cycles.saturating_mul(per_cycle);
            (total.min(issued), "--cycles", TIMELINE_BYTES)
        }
    };
    if total <= args.instructions {
        return Ok(());
    }
    Err(format!(
        "trace: given {total} warp instructions in {} blocks (about {} MB); allowed: at most {}; lower --blocks or \
         {shorter}, or raise --instructions",
        args.blocks,
        total
            .saturating_mul(bytes_per_instruction)
            .div_ceil(1_000_000),
        args.instructions
    ))
}

fn accel_sim(args: &ExportArgs, device: &Device, sample: &SampleBlocks) -> CliResult {
    let blocks = &sample.blocks;
    let recorder = recorder(args, sample);
    let mode = match args.addresses {
        Addresses::Compressed => AddressMode::Compressed,
        Addresses::List => AddressMode::ListAll,
    };
    let run = blocks::run(&sample.spec, blocks, sample.seed, u64::MAX, ())?;
    let header = recorder.header(&blocks.kernel, blocks.resources, args.blocks);
    let mut writer = TraceWriter::new(&header, mode);
    for (number, (trace, positions)) in sample.traces.iter().enumerate() {
        writer.block(&recorder.block(number as u32, trace, positions));
    }
    let folder = args.out.clone().unwrap_or_default();
    let files = [
        (TRACE, writer.finish().into_bytes()),
        ("kernelslist.g", commands(sample).into_bytes()),
    ];
    output::write_folder(&folder, &files)?;
    let report = BlocksReport::new(
        blocks,
        &device.name,
        sample.occupancy.clone(),
        sample.l1_bytes,
        &run.counters,
    );
    let text = format!("{}\nwritten to {}\n", report.text(), folder.display());
    output::write(None, text.as_bytes())?;
    Ok(())
}

/// Copies of the buffers that the kernel reads, then the kernel.
fn commands(sample: &SampleBlocks) -> String {
    let launch = &sample.launch;
    let cases = u64::from(launch.cases);
    let words = [
        (PROGRAMS_ADDRESS, u64::from(launch.max_program_words)),
        (INPUTS_ADDRESS, cases * sample.n_inputs as u64),
        (OUTPUTS_ADDRESS, cases),
    ];
    let buffers = words.map(|(address, words)| (u64::from(address), 4 * words));
    list::text(&buffers, TRACE)
}

fn timeline(args: &ExportArgs, device: &Device, sample: &SampleBlocks) -> CliResult {
    let blocks = &sample.blocks;
    let run = blocks::run(
        &sample.spec,
        blocks,
        sample.seed,
        args.cycles,
        Timeline::default(),
    )?;
    let timeline = &run.observer;
    let title = format!("{}, one SMX: {}", device.name, blocks.kernel);
    let instructions = &sample.kernel.instructions;
    let listed = |op: u32| &instructions[usize::from(sample.pool.ops[op as usize].inst)];
    let text = perfetto::json(timeline, &blocks.kernel, listed, &title);
    output::write(args.out.as_deref(), text.as_bytes())?;
    let cut = if run.ended {
        String::new()
    } else {
        format!("; cut there, raise --cycles (now {}) for more", args.cycles)
    };
    progress::say(&format!(
        "{} warp instructions of {} blocks in {} cycles, {} bytes{cut}",
        timeline.events.len(),
        args.blocks,
        run.counters.cycles,
        text.len()
    ));
    Ok(())
}
