//! `warpstack explain --device cpu`: why the CPU's interpreters are as fast as they are, and how long a block of cases should be.
//!
//! Prints a row for each interpreter and block, and a text for each interpreter. Leaves out: the model (`cpu`), measuring (`measure cpu`);
//! options of launches and kernels are ignored. Units: fitness cases.

use super::ExplainArgs;
use crate::commands::CliResult;
use crate::commands::format::Format;
use crate::commands::measure::args::n_random;
use crate::commands::names::{self, BEST};
use crate::cpu::explain::{Explained, explain};
use crate::cpu::preset::{Preset, THIS, builtin_names};
use crate::cpu::work::{Kind, Setup, WorkError};
use crate::gp::problem::{Problem, ProblemId};
use crate::gp::program::Rpn;
use crate::gp::program_file;
use crate::gp::workload::Workload;
use crate::report::cpu as report;
use crate::report::provenance::Provenance;
use std::error::Error;

/// Random programs where none are named.
const USUAL_PROGRAMS: usize = 200;

/// Number of block sizes: one vector, then each twice the one before.
const DOUBLINGS: u32 = 13;

/// Whether the device is a core of a CPU.
pub fn is_cpu(device: &str) -> bool {
    device == THIS || builtin_names().contains(&device)
}

pub fn run(args: &ExplainArgs) -> CliResult {
    let only_gpu = [
        ("--per-instruction", args.per_instruction),
        ("--roofline", args.roofline),
    ];
    if let Some((option, _)) = only_gpu.iter().find(|(_, is_given)| *is_given) {
        let device = &args.configuration.device;
        return Err(format!("{option}: given with --device {device}; allowed: with a GPU").into());
    }
    let preset = Preset::named(&args.configuration.device)?;
    let (problem, programs) = work(args)?;
    let options = args.cpu.options();
    let setup = Setup::of(options)?;
    let machine = preset.machine(setup.width)?;
    let blocks = blocks(args, &problem)?;
    let mut explained: Vec<Explained> = Vec::new();
    for kind in kinds(args)? {
        let one = explain(kind, &programs, &problem, setup, &blocks, &machine)?;
        explained.push(one);
    }
    let rows = report::rows(&explained, &preset, options);
    let provenance = Provenance::of_device(&preset.name);
    match args.output.format() {
        Format::Table => {
            let text = report::text(&explained, &rows, &preset, &machine);
            args.output.write(text.as_bytes())?;
        }
        _ => args
            .output
            .print_columns(&report::columns(), &rows, &provenance)?,
    }
    args.chart.save(|| report::chart(&explained))?;
    Ok(())
}

/// Returns the named interpreters, or all modelled ones for `best` and `all`.
fn kinds(args: &ExplainArgs) -> Result<Vec<Kind>, WorkError> {
    let named = &args.cpu.interpreter;
    if named.iter().any(|name| name == BEST || name == names::ALL) {
        return Ok(Kind::ALL.to_vec());
    }
    named.iter().map(|name| Kind::named(name)).collect()
}

fn blocks(args: &ExplainArgs, problem: &Problem) -> Result<Vec<usize>, Box<dyn Error>> {
    let given = args.cpu.blocks(problem)?;
    let given: Vec<usize> = given.into_iter().flatten().collect();
    if !given.is_empty() {
        return Ok(given);
    }
    let least = Kind::Rpn2d.block_cases(problem, Some(1)).unwrap_or(1);
    Ok((0..DOUBLINGS).map(|n| least << n).collect())
}

/// The problem with cases whose values do not matter, and the programs.
fn work(args: &ExplainArgs) -> Result<(Problem, Vec<Rpn>), Box<dyn Error>> {
    let launch = &args.configuration.launch;
    let problem = launch
        .problem
        .as_deref()
        .unwrap_or(ProblemId::Sextic.name());
    let function_set: ProblemId = problem.parse()?;
    let cases = launch.cases.map(|cases| cases as usize);
    let workload = Workload::with_cases(function_set, None, 1, cases)?;
    let inputs = &args.engine.inputs;
    let (file, seed) = (inputs.programs.as_deref(), inputs.program_seed);
    let programs = match (file, n_random(file)?) {
        (Some(file), None) => program_file::read(file, None)?,
        (_, n) => args
            .cpu
            .programs(n.unwrap_or(USUAL_PROGRAMS), seed, &workload.problem)?,
    };
    workload.check(&programs)?;
    Ok((workload.problem, programs))
}
