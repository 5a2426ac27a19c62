//! `warpstack measure cpu`: the interpreters of the CPU.
//!
//! Makes a row for each interpreter, number of threads and block of cases; `best` keeps the fastest of each number of threads. Leaves out:
//! the meaning of a row (`measure/on_cpu.rs`). Units: fitness cases.

use super::MeasuredRows;
use super::args::{ProtocolArgs, WorkArgs, check_threads, given_or, n_random};
use crate::commands::format::OutputArgs;
use crate::commands::look::ChartArgs;
use crate::commands::names::{self, BEST};
use crate::gp::evolve::config::FunctionChoice;
use crate::gp::evolve::dice::Dice;
use crate::gp::evolve::init::{Ingredients, of_size};
use crate::gp::interpret::cache::THIS_MACHINE;
use crate::gp::interpret::simd::{LANES, Path as Simd};
use crate::gp::interpret::{self, Interpreter, Options};
use crate::gp::primitive::Primitive;
use crate::gp::problem::{Dataset, Problem};
use crate::gp::program::Rpn;
use crate::gp::program_file;
use crate::measure::on_cpu::{Bench, CpuRow};
use crate::report::chart::lines::{Lines, Scale, of_points};
use crate::report::progress;
use crate::report::rows;
use clap::builder::TypedValueParser;
use std::error::Error;

/// The longest block, in vectors: 4 MiB for each row.
const MOST_VECTORS: usize = 1 << 16;

/// Which interpreters run which programs, and how.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "On the CPU")]
pub struct CpuWorkArgs {
    /// CPU interpreters, a row each: names separated by commas, `all`, or `best` for the fastest
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "best", value_parser = names::interpreter())]
    pub interpreter: Vec<String>,
    /// Functions of random programs: full (all of the problem), arithmetic (+ - * /)
    #[arg(long, value_enum, default_value = "full")]
    pub functions: Functions,
    /// Approximate number of nodes of a random program
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub nodes: u32,
    /// Numbers of fitness cases per block (the second dimension of the stack), separated by commas [default: as many as fit the
    /// L1 cache]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub block_cases: Vec<usize>,
    /// Vector instructions to use [default: the widest that this CPU has]
    #[arg(long, value_parser = simd())]
    pub simd: Option<String>,
    /// Evaluate common subexpressions of the programs once (lgp-2d only); GPop/s still counts every node
    #[arg(long)]
    pub share: bool,
}

/// Measure the interpreters of this CPU: one row per interpreter, number of threads and block of cases.
#[derive(Debug, clap::Args)]
#[command(mut_arg("chart", |arg| arg.help("Chart of the speed over the block of cases, .svg or .png")))]
pub struct CpuArgs {
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub cpu: CpuWorkArgs,
    /// Seed of random programs
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub program_seed: u64,
    /// Numbers of CPU threads, separated by commas [default: one per processor]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub threads: Vec<u32>,
    #[command(flatten)]
    pub protocol: ProtocolArgs,
    #[command(flatten)]
    pub chart: ChartArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

pub type Named = &'static dyn Interpreter;

/// Function set of random programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Functions {
    Full,
    Arithmetic,
}

const ARITHMETIC: [Primitive; 4] = [
    Primitive::Add,
    Primitive::Sub,
    Primitive::Mul,
    Primitive::Div,
];

/// Returns a parser that lists the same names on every machine and refuses those that this CPU lacks.
fn simd() -> impl TypedValueParser<Value = String> {
    let available = |name: String| {
        let names: Vec<&str> = Simd::all().into_iter().map(Simd::name).collect();
        match names.contains(&name.as_str()) {
            true => Ok(name),
            false => Err(format!(
                "this CPU has no {name}; allowed: {}",
                names.join(", ")
            )),
        }
    };
    clap::builder::PossibleValuesParser::new(Simd::NAMES).try_map(available)
}

impl CpuWorkArgs {
    /// Random programs of the problem.
    pub fn programs(&self, n: usize, seed: u64, problem: &Problem) -> Result<Vec<Rpn>, String> {
        let functions = match self.functions {
            Functions::Full => problem.functions.clone(),
            Functions::Arithmetic => ARITHMETIC.to_vec(),
        };
        let lacks = |f: &&Primitive| !problem.functions.contains(f);
        if let Some(function) = functions.iter().find(lacks) {
            let name = problem.name;
            return Err(format!(
                "--functions arithmetic: {name} has no {function}; allowed with {name}: full"
            ));
        }
        let ingredients = Ingredients {
            functions,
            ..Ingredients::of(problem, FunctionChoice::Uniform)
        };
        let program = |i| {
            let mut dice = Dice::new(seed, i as u64);
            of_size(&ingredients, self.nodes as usize, &mut dice)
        };
        Ok((0..n).map(program).collect())
    }

    pub fn options(&self) -> Options {
        let named = |path: &Simd| Some(path.name()) == self.simd.as_deref();
        let path = Simd::all().into_iter().find(named);
        Options {
            path: path.unwrap_or(Simd::best()),
            block_cases: None,
            share: self.share,
        }
    }

    /// Returns the requested block sizes in cases; one `None` if none is given.
    pub fn blocks(&self, problem: &Problem) -> Result<Vec<Option<usize>>, String> {
        let cases_per_vector = match problem.dataset {
            Dataset::Float(_) => LANES,
            Dataset::Word(_) => 32 * LANES,
        };
        let most = cases_per_vector * MOST_VECTORS;
        let fits =
            |cases: &usize| *cases > 0 && *cases <= most && cases.is_multiple_of(cases_per_vector);
        if let Some(given) = self.block_cases.iter().find(|cases| !fits(cases)) {
            let name = problem.name;
            return Err(format!(
                "--block-cases: given {given}; allowed with {name}: multiples of {cases_per_vector} up to {most}"
            ));
        }
        Ok(match &self.block_cases[..] {
            [] => vec![None],
            given => given.iter().copied().map(Some).collect(),
        })
    }

    /// The interpreters that are to be measured, and whether only the fastest row counts.
    pub fn interpreters(&self) -> Result<(Vec<Named>, bool), Box<dyn Error>> {
        let has = |name: &str| self.interpreter.iter().any(|given| given == name);
        if has(names::ALL) {
            return Ok((interpret::ALL.to_vec(), false));
        }
        if has(BEST) {
            return Ok((interpret::FAST.to_vec(), true));
        }
        let named = self.interpreter.iter();
        let named = named.map(|name| interpret::by_name(name));
        Ok((named.collect::<Result<_, _>>()?, false))
    }
}

/// Returns the rows of all combinations, by column.
pub(super) fn measured(args: &CpuArgs) -> MeasuredRows {
    Ok(rows::of(&rows(args)?)?)
}

/// The rows of all combinations.
pub fn rows(args: &CpuArgs) -> Result<Vec<CpuRow>, Box<dyn Error>> {
    args.chart.check()?;
    let cpu = &args.cpu;
    let (interpreters, only_best) = cpu.interpreters()?;
    let available = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    let threads = given_or(&args.threads, &[available]).to_vec();
    check_threads(&threads)?;
    let with_blocks =
        |one: &&dyn Interpreter| interpret::BLOCKED.iter().any(|b| b.name() == one.name());
    if args.chart.chart.is_some() && !interpreters.iter().any(with_blocks) {
        let with: Vec<&str> = interpret::BLOCKED.iter().map(|one| one.name()).collect();
        let with = with.join(", ");
        return Err(
            format!("--chart: no row has a block of cases; allowed: --interpreter {with}").into(),
        );
    }
    let file = &args.work.programs;
    let n_random = n_random(file)?;
    let listed = match n_random {
        Some(_) => Vec::new(),
        None => program_file::read(file, None)?,
    };
    let workload = args.work.workload()?;
    let list = match n_random {
        Some(n) => cpu.programs(n, args.program_seed, &workload.problem)?,
        None => listed,
    };
    let programs = args.work.launched(list, &workload)?;
    let blocks = cpu.blocks(&workload.problem)?;
    let functions = match (n_random, cpu.functions) {
        (None, _) => "file",
        (Some(_), Functions::Full) => "full",
        (Some(_), Functions::Arithmetic) => "arithmetic",
    };
    let bench = Bench::new(&workload, &programs, functions, args.protocol.protocol())?;
    let mut rows = Vec::new();
    for threads in threads {
        let mut of_these: Vec<CpuRow> = Vec::new();
        for &interpreter in &interpreters {
            let has_blocks = interpreter.block_cases(&workload.problem, cpu.options());
            let blocks = if has_blocks.is_some() {
                &blocks[..]
            } else {
                &[None]
            };
            for &block_cases in blocks {
                let options = Options {
                    block_cases,
                    ..cpu.options()
                };
                of_these.push(bench.row(interpreter, options, threads as usize)?);
            }
        }
        if only_best {
            let best = fastest(&of_these, |row| row.gpops_billion).cloned();
            of_these = best.into_iter().collect();
        }
        rows.append(&mut of_these);
    }
    if rows.iter().any(|row| row.block_cases.is_some()) && cpu.block_cases.is_empty() {
        let caches = *THIS_MACHINE;
        let n_inputs = workload.problem.n_inputs();
        progress::say(&format!(
            "L1 {} KiB, L2 {} KiB: blocks of {} elements for {n_inputs} inputs",
            caches.l1_bytes >> 10,
            caches.l2_bytes >> 10,
            caches.block_elements(n_inputs)
        ));
    }
    args.chart.save(|| curve(&rows))?;
    Ok(rows)
}

/// The row of the greatest speed.
pub(super) fn fastest<'a, R>(
    rows: impl IntoIterator<Item = &'a R>,
    speed: impl Fn(&R) -> f64,
) -> Option<&'a R> {
    let rows = rows.into_iter();
    rows.max_by(|a, b| speed(a).total_cmp(&speed(b)))
}

/// Speed over the block of cases, a line for each interpreter and number of threads.
fn curve(rows: &[CpuRow]) -> Lines {
    let points = rows.iter().filter_map(|row| {
        let name = match row.threads {
            1 => row.interpreter.to_owned(),
            threads => format!("{}, {threads} threads", row.interpreter),
        };
        Some((name, (row.block_cases? as f64, row.gpops_billion)))
    });
    Lines {
        x_label: "fitness cases of a block".to_owned(),
        y_label: "billion GPop/s".to_owned(),
        scale: Scale::Doubling,
        lines: of_points(points),
        ..Lines::default()
    }
}
