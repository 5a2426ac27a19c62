//! `warpstack trace`: what one program makes a kernel execute, and with `--lanes` what it computes.

use super::CliResult;
use super::format::OutputArgs;
use super::names;
use crate::device::{Device, Preset};
use crate::gp::interpret::reference::value_f32;
use crate::gp::problem::{self, Dataset, ProblemId};
use crate::gp::program::Rpn;
use crate::isa::Kernel;
use crate::launch::prediction::Configuration;
use crate::report::provenance::Provenance;
use crate::systems::chitty::code::KernelCode;
use crate::systems::chitty::variant::{KernelId, Variant};
use crate::systems::chitty::words_of_program;
use crate::systems::options::LaunchOptions;
use crate::systems::registry;
use crate::systems::settings::Settings;
use crate::trace::{
    CaseWords, KernelLaunch, ProgramWords, SegmentId, SegmentPool, TraceBuilder, run_block,
};
use serde::Serialize;
use std::error::Error;

/// Trace one program through a kernel's machine code; with --lanes, execute all lanes on real data.
#[derive(Debug, clap::Args)]
pub struct TraceArgs {
    /// Program in postfix order, e.g. "X1 X1 *"
    #[arg(long)]
    program: String,
    /// Kernel name
    #[arg(long, default_value = "rpn", value_parser = names::chitty_kernel())]
    kernel: KernelId,
    /// Size of the stack's second dimension [default: the smallest compiled]
    #[arg(long, value_name = "N")]
    stack_dim: Option<u32>,
    /// Number of threads per block, which --lanes executes [default: 256]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Execute every lane of a block on the sextic's first fitness cases, and compare with the reference interpreter
    #[arg(long)]
    lanes: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Warp instructions that a program makes a kernel execute.
#[derive(Debug, Serialize)]
struct Traced {
    kernel: String,
    nodes: u32,
    prologue: u32,
    per_iteration: u32,
    last_iteration: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    lanes: Option<Lanes>,
}

/// All lanes of a block, executed.
#[derive(Debug, Serialize)]
struct Lanes {
    cases: u32,
    sum_of_squared_errors: f64,
    reference_error: f64,
    warp_instructions: u64,
    divergent_branches: u64,
}

/// Iterations of the fitness-case loop that `--lanes` executes.
const ITERATIONS: u32 = 2;

pub fn run(args: &TraceArgs) -> CliResult {
    args.output.check()?;
    let program: Rpn = args.program.parse()?;
    let sextic = ProblemId::Sextic.definition();
    program.check_against(sextic.functions, sextic.n_inputs)?;
    let (configuration, variant) = compiled(args)?;
    let threads = configuration.threads_per_block;
    let kernel = KernelCode::from(variant).kernel()?;
    let words = words_of_program(&variant, 0, &program)?;
    let cases = threads * variant.stack_dim * ITERATIONS;
    let launch = KernelLaunch {
        max_program_words: words.words().len() as u32,
        ..KernelLaunch::block_gp(threads, variant.stack_dim, cases)
    };
    let mut builder = TraceBuilder::new(&kernel, launch.clone())?;
    let trace = builder.trace(&words)?;
    let count = |ids: &[SegmentId]| instructions(builder.pool(), ids);
    let lanes = args
        .lanes
        .then(|| lanes(&kernel, &launch, &words, &program, cases));
    let traced = Traced {
        kernel: variant.to_string(),
        nodes: words.nodes(),
        prologue: count(&trace.prologue),
        per_iteration: count(&trace.steady),
        last_iteration: count(&trace.last),
        lanes: lanes.transpose()?,
    };
    let provenance = Provenance {
        architecture: Some(variant.arch.to_string()),
        math: Some(variant.math.to_string()),
        ..Provenance::of_program()
    };
    args.output
        .print_one(&traced, &provenance, || text(&traced))
}

fn text(traced: &Traced) -> String {
    let mut text = format!(
        "kernel {}\nnodes {}\nwarp instructions: {} before the first case, {} per iteration, {} in the last\n",
        traced.kernel, traced.nodes, traced.prologue, traced.per_iteration, traced.last_iteration,
    );
    if let Some(lanes) = &traced.lanes {
        text += &format!(
            "all lanes over {} cases: sum of squared errors {:.6e}, reference interpreter {:.6e}\n\
             warp instructions {}, divergent branches {}\n",
            lanes.cases,
            lanes.sum_of_squared_errors,
            lanes.reference_error,
            lanes.warp_instructions,
            lanes.divergent_branches,
        );
    }
    text
}

/// Devices in whose machine code kernels are traced: the first that has the kernel.
const DEVICES: [&str; 2] = ["gtx670", "h200"];

/// The launch of the sextic's kernel with the defaults of `predict`, and its machine code.
fn compiled(args: &TraceArgs) -> Result<(Configuration, Variant), Box<dyn Error>> {
    let has_kernel = |device: &Device| {
        let arch = device.code.parse()?;
        let stacks = Variant::stacks(args.kernel, ProblemId::Sextic, arch)?;
        Ok::<_, Box<dyn Error>>(!stacks.is_empty())
    };
    let mut device = Preset::load(DEVICES[0])?.device;
    if !has_kernel(&device)? {
        device = Preset::load(DEVICES[1])?.device;
    }
    let options = LaunchOptions {
        problem: Some(ProblemId::Sextic.name().to_owned()),
        stack_dim: args.stack_dim,
        threads_per_block: args.threads,
        ..LaunchOptions::of(args.kernel.name())
    };
    let configuration = registry::configure(&options, &device, &Settings::default())?;
    let variant = Variant {
        stack_registers: configuration.stack_registers,
        ..Variant::new(
            args.kernel,
            ProblemId::Sextic,
            configuration.stack_dim,
            device.code.parse()?,
        )
    };
    Ok((configuration, variant))
}

fn instructions(pool: &SegmentPool, ids: &[SegmentId]) -> u32 {
    ids.iter().map(|id| pool.length(*id)).sum()
}

fn lanes(
    kernel: &Kernel,
    launch: &KernelLaunch,
    words: &ProgramWords,
    program: &Rpn,
    cases: u32,
) -> Result<Lanes, Box<dyn Error>> {
    let sextic = problem::by_name("sextic", Some(cases as usize))?;
    let Dataset::Float(data) = &sextic.dataset else {
        return Err("problem sextic: given cases of bits; allowed: floats".into());
    };
    let bits = |values: &[f32]| {
        values
            .iter()
            .map(|value| value.to_bits())
            .collect::<Vec<u32>>()
    };
    let (inputs, outputs) = (bits(&data.inputs[0]), bits(&data.expected));
    let run = run_block(
        kernel,
        launch,
        words,
        &CaseWords {
            inputs: &inputs,
            outputs: &outputs,
            cases,
        },
    )?;
    let expected: f64 = data.inputs[0]
        .iter()
        .zip(&data.expected)
        .map(|(&x, &wanted)| (f64::from(value_f32(program, &[x])) - f64::from(wanted)).powi(2))
        .sum();
    Ok(Lanes {
        cases,
        sum_of_squared_errors: run.total(),
        reference_error: expected,
        warp_instructions: run.counts.instructions,
        divergent_branches: run.counts.divergences,
    })
}
