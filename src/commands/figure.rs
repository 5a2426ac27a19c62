//! `warpstack figure`: the drawings that explain how the model works; the report and the book show them.
//!
//! Leaves out: drawing (`report/chart/`). Units: on the axes.

use super::CliResult;
use super::engine::EngineArgs;
use super::look::LookArgs;
use crate::device::occupancy::{BlockResources, OccupancyLimits};
use crate::device::{Device, Preset};
use crate::gp::program::Rpn;
use crate::launch::prediction::{PredictError, Prediction};
use crate::predictor::Predictor;
use crate::report::chart::bars::{Bar, StackedBars};
use crate::report::chart::lines::{Line, Lines};
use crate::report::chart::smx::SmxDrawing;
use crate::report::chart::tree::TreeDrawing;
use crate::report::chart::{self, Chart};
use crate::report::explain;
use crate::report::progress;
use crate::report::verdict::stack_bytes;
use crate::systems::options::LaunchOptions;
use crate::util::parallel;
use std::error::Error;
use std::path::PathBuf;

/// Draw one of the figures that explain how an interpreter runs on a GPU.
#[derive(Debug, clap::Args)]
pub struct FigureArgs {
    /// Figure to draw
    #[arg(value_enum)]
    pub name: Name,
    /// File to draw, .svg or .png
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    #[command(flatten)]
    pub look: LookArgs,
    /// Program of the figure `tree`, in postfix order
    #[arg(long, default_value = PROGRAM)]
    pub program: String,
    /// Problem of the figures `l1` and `cycles`
    #[arg(long, default_value = "sextic", value_parser = crate::commands::names::problem())]
    pub problem: String,
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670", value_parser = crate::commands::names::device())]
    pub device: String,
    #[command(flatten)]
    pub engine: EngineArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Name {
    /// A program as a tree, as tokens and as instructions, with its stack
    Tree,
    /// One multiprocessor with its numbers
    Smx,
    /// Resident warps over threads per block for some register counts
    Occupancy,
    /// L1 hits against what the resident stacks touch
    L1,
    /// Where the cycles go, over threads per block
    Cycles,
}

/// A program that is short enough to draw.
const PROGRAM: &str = "X1 X1 * X1 X1 + * X1 -";

/// A drawing and its caption.
struct Figure {
    chart: Box<dyn Chart>,
    caption: String,
}

pub fn run(args: &FigureArgs) -> CliResult {
    chart::check_path(&args.out)?;
    let device = Preset::load(&args.device)?.device;
    let figure = match args.name {
        Name::Tree => tree(&args.program)?,
        Name::Smx => smx(&device),
        Name::Occupancy => occupancy(&device)?,
        Name::L1 => {
            let model = args.engine.open(&device, &[&args.problem])?;
            l1(&model, &device, &args.problem)?
        }
        Name::Cycles => {
            let model = args.engine.open(&device, &[&args.problem])?;
            cycles(&model, &device, &args.problem)?
        }
    };
    chart::save(&*figure.chart, &args.out, args.look.look())?;
    progress::say(&figure.caption);
    Ok(())
}

fn tree(program: &str) -> Result<Figure, Box<dyn Error>> {
    let program: Rpn = program.parse()?;
    let drawing = TreeDrawing::new(program)?;
    Ok(Figure {
        caption: drawing.words(),
        chart: Box::new(drawing),
    })
}

fn smx(device: &Device) -> Figure {
    Figure {
        caption: "What is modelled of it. Instructions go from the top to the bottom; whatever the L1 does not hold goes further down."
            .into(),
        chart: Box::new(SmxDrawing::of(device)),
    }
}

/// Registers per thread of the steps: the most that do not limit, a few more, the most that a thread can have.
const REGISTERS: [u32; 3] = [32, 36, 63];

/// Resident warps of blocks without shared memory.
fn occupancy(device: &Device) -> Result<Figure, Box<dyn Error>> {
    let limits = OccupancyLimits::of(device);
    let preferred = device.l1.splits.iter().map(|split| split.shared_bytes);
    let preferred = preferred.max().unwrap_or(0);
    let mut lines = Vec::new();
    for registers_per_thread in REGISTERS
        .into_iter()
        .filter(|r| *r <= limits.registers_per_thread)
    {
        let mut points = Vec::new();
        for warps in 1..=limits.threads_per_block / limits.warp_lanes {
            let threads_per_block = warps * limits.warp_lanes;
            let block = BlockResources {
                threads_per_block,
                registers_per_thread,
                shared_bytes_per_block: 0,
            };
            match limits.occupancy(block, preferred) {
                Ok(resident) => {
                    points.push((f64::from(threads_per_block), f64::from(resident.warps)));
                }
                // Too many registers for one block, and so for every larger one.
                Err(_) if !points.is_empty() => break,
                Err(error) => return Err(error.into()),
            }
        }
        let name = format!("{registers_per_thread} registers");
        lines.push(Line::new(name, points));
    }
    Ok(Figure {
        caption: format!(
            "Resident warps over threads per block. With {} blocks and {} warps at most, small blocks leave room \
             unused, and so do blocks whose size does not divide the limit; the more registers a thread takes, the lower the steps.",
            limits.blocks_per_smx, limits.warps_per_smx
        ),
        chart: Box::new(Lines {
            x_label: "threads per block".into(),
            y_label: "resident warps".into(),
            lines,
            ..Lines::default()
        }),
    })
}

const STACK_DIMS: std::ops::RangeInclusive<u32> = 1..=6;
const BLOCKS: [u32; 7] = [32, 64, 128, 256, 512, 768, 1024];
const L1_BLOCK: u32 = 256;

/// L1 hits over the stacks' size, one line per L1 size of the device.
fn l1(model: &Predictor, device: &Device, problem: &str) -> Result<Figure, Box<dyn Error>> {
    let mut lines = Vec::new();
    for split in &device.l1.splits {
        let launches: Vec<LaunchOptions> = STACK_DIMS
            .map(|stack_dim| launch(problem, stack_dim, L1_BLOCK, split.l1_bytes / 1024))
            .collect();
        let predictions = predict_all(model, &launches)?;
        let point = |prediction: &Prediction| {
            let kib = stack_bytes(prediction) / 1024.0;
            (kib, prediction.memory.l1_load_hit_percent)
        };
        let name = format!("L1 of {} KiB", split.l1_bytes / 1024);
        lines.push(Line::new(name, predictions.iter().map(point).collect()));
    }
    Ok(Figure {
        caption: format!(
            "L1 load hits over the bytes that the stacks of all resident warps touch, for second dimensions of 1 to 6 of \
             {problem} in blocks of {L1_BLOCK} threads. Hits fall as the stacks outgrow the L1, and a larger L1 falls later."
        ),
        chart: Box::new(Lines {
            x_label: "resident stacks touch, KiB".into(),
            y_label: "L1 load hits, %".into(),
            lines,
            ..Lines::default()
        }),
    })
}

/// Cycles per operation by cause, over the block size, with a one-dimensional stack: what differs is how many warps are there.
fn cycles(model: &Predictor, device: &Device, problem: &str) -> Result<Figure, Box<dyn Error>> {
    const STACK_DIM: u32 = 1;
    let largest = device.l1.splits.iter().map(|split| split.l1_bytes).max();
    let l1_bytes = largest.unwrap_or(0);
    let launches: Vec<LaunchOptions> = BLOCKS
        .into_iter()
        .map(|threads| launch(problem, STACK_DIM, threads, l1_bytes / 1024))
        .collect();
    let predictions = predict_all(model, &launches)?;
    let bar = |prediction: &Prediction| Bar {
        label: prediction.configuration.threads_per_block.to_string(),
        layers: explain::cycles(prediction)
            .0
            .into_iter()
            .map(|share| (share.name, share.per_operation))
            .collect(),
    };
    Ok(Figure {
        caption: format!(
            "Scheduler cycles per operation by what they were spent on, for {problem} with a second dimension of {STACK_DIM}, over \
             threads per block; shorter is faster. At most {} blocks are resident, so blocks of 32 threads leave most places for warps empty \
             and less is there to hide latency with.",
            device.limits.blocks_per_smx
        ),
        chart: Box::new(
            StackedBars::new(
                "Threads per block".into(),
                "cycles per operation".into(),
                predictions.iter().map(bar).collect(),
            )
            .narrow(),
        ),
    })
}

fn launch(problem: &str, stack_dim: u32, threads_per_block: u32, l1_kib: u32) -> LaunchOptions {
    LaunchOptions {
        problem: Some(problem.into()),
        stack_dim: Some(stack_dim),
        threads_per_block: Some(threads_per_block),
        l1_kib: Some(l1_kib),
        ..LaunchOptions::of("rpn")
    }
}

/// In parallel, in the order given.
fn predict_all(
    model: &Predictor,
    launches: &[LaunchOptions],
) -> Result<Vec<Prediction>, PredictError> {
    parallel::try_map(launches, |launch| model.predict(launch))
}
