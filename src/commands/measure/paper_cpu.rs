//! `warpstack measure paper NAME --on cpu`: the CPU's interpreters on another paper's programs and cases, as the baseline of its speedups.
//!
//! Runs GPOCL's random programs and data, Robilliard's evolved programs and cases; a row for each interpreter and number of threads (`best`:
//! for the fastest at each number), beside the processor that the paper measured and its fastest GPU, where it printed their speeds.
//! Leaves out: breeding, transfers. Units: milliseconds; billions of GP operations (nodes times cases) per second. Speedups are
//! Robilliard's (section 4): time per node on the CPU over that on the GPU, so the ratio of the speeds.

use super::MeasuredRows;
use super::args::{check_threads, given_or};
use super::cpu::fastest;
use super::paper::PaperArgs;
use crate::commands::reproduce::papers::PaperArg;
use crate::gp::evolve::config::FunctionChoice;
use crate::gp::evolve::dice::Dice;
use crate::gp::evolve::init::{Ingredients, of_size};
use crate::gp::interpret::plan::UnsupportedFunction;
use crate::gp::interpret::{Interpreter, Options};
use crate::gp::problem::{self, Problem};
use crate::gp::program::Rpn;
use crate::measure::rows::Times;
use crate::report::rows;
use crate::systems::gpocl::published::{InstanceName, Quantity};
use crate::systems::gpocl::{Domain, NODES};
use crate::systems::robilliard::runs::Run;
use crate::validate::papers::{Paper, published};
use serde::Serialize;
use std::error::Error;
use std::time::Instant;

const GPOCL_POPULATION: u32 = 1000;
const GPOCL_DATASET: u32 = 10_000;
const ROBILLIARD_POPULATION: u32 = 500;

/// A paper's workload measured on this CPU.
#[derive(Debug, Clone, Serialize)]
struct CpuRow {
    paper: &'static str,
    problem: String,
    interpreter: &'static str,
    simd: &'static str,
    threads: u32,
    population: usize,
    cases: usize,
    mean_nodes: f64,
    median_wall_ms: f64,
    gpops_billion: f64,
    /// The paper's own processor, with one thread or all.
    #[serde(flatten)]
    published: Published,
}

/// Speeds that the paper printed for the workload.
#[derive(Debug, Clone, Serialize, Default)]
struct Published {
    published_cpu: Option<&'static str>,
    published_cpu_gpops_billion: Option<f64>,
    published_gpu: Option<&'static str>,
    published_gpu_gpops_billion: Option<f64>,
    /// The paper's GPU over the paper's processor.
    published_speedup: Option<f64>,
    /// The paper's GPU over this processor.
    speedup_over_this: Option<f64>,
}

/// One of a paper's experiments.
struct Work {
    paper: Paper,
    problem: Problem,
    name: String,
    /// Generations, evaluated one after the other.
    generations: Vec<Vec<Rpn>>,
    /// GPOCL's, whose speeds were published.
    domain: Option<Domain>,
}

type Works = fn(&PaperArgs) -> Result<Vec<Work>, Box<dyn Error>>;

pub(super) fn rows(args: &PaperArgs) -> MeasuredRows {
    let works: Works = match args.paper {
        PaperArg::Gpocl => gpocl,
        PaperArg::Robilliard => robilliard,
        PaperArg::Langdon => {
            return Err("--on: given cpu with langdon; allowed with it: gpocl, robilliard".into());
        }
    };
    let (interpreters, only_best) = args.cpu.interpreters()?;
    let all = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    let usual = if all > 1 { vec![1, all] } else { vec![1] };
    let threads = given_or(&args.threads, &usual);
    check_threads(threads)?;
    for (option, given) in [
        ("--populations", &args.populations),
        ("--datasets", &args.datasets),
    ] {
        if given.len() > 1 {
            let n = given.len();
            return Err(format!("{option}: given {n} sizes; allowed with --on cpu: one").into());
        }
    }
    let mut measured = Vec::new();
    for work in &works(args)? {
        let mut of_work = Vec::new();
        for &interpreter in &interpreters {
            for &threads in threads {
                of_work.push(measure(args, work, interpreter, threads)?);
            }
        }
        if only_best {
            let best = |first| {
                let of_these = of_work.iter().skip(first).step_by(threads.len());
                fastest(of_these, |row| row.gpops_billion).cloned()
            };
            of_work = (0..threads.len()).filter_map(best).collect();
        }
        measured.append(&mut of_work);
    }
    Ok(rows::of(&measured)?)
}

fn gpocl(args: &PaperArgs) -> Result<Vec<Work>, Box<dyn Error>> {
    let population = args
        .populations
        .first()
        .copied()
        .unwrap_or(GPOCL_POPULATION);
    let cases = args.datasets.first().copied().unwrap_or(GPOCL_DATASET);
    let work = |domain: Domain| {
        let problem = problem::by_name(&format!("gpocl-{domain}"), Some(cases as usize))?;
        let ingredients = Ingredients::of(&problem, FunctionChoice::Uniform);
        let program = |n| {
            let mut dice = Dice::new(args.program_seed, u64::from(n));
            of_size(&ingredients, NODES as usize, &mut dice)
        };
        Ok(Work {
            paper: Paper::Gpocl,
            generations: vec![(0..population).map(program).collect()],
            problem,
            name: domain.name().to_owned(),
            domain: Some(domain),
        })
    };
    let domains = given_or(&args.domain, &Domain::ALL);
    domains.iter().copied().map(work).collect()
}

fn robilliard(args: &PaperArgs) -> Result<Vec<Work>, Box<dyn Error>> {
    let population = args
        .populations
        .first()
        .copied()
        .unwrap_or(ROBILLIARD_POPULATION);
    let mut works = Vec::new();
    for benchmark in args.robilliard.benchmarks()? {
        for run in Run::of(benchmark, &[population], args.program_seed)? {
            let whole = |programs: &Vec<Rpn>| {
                programs
                    .iter()
                    .cycle()
                    .take(population as usize)
                    .cloned()
                    .collect()
            };
            works.push(Work {
                paper: Paper::Robilliard,
                problem: benchmark.problem(),
                name: benchmark.to_string(),
                generations: run.generations.iter().map(whole).collect(),
                domain: None,
            });
        }
    }
    Ok(works)
}

fn measure(
    args: &PaperArgs,
    work: &Work,
    interpreter: &'static dyn Interpreter,
    threads: u32,
) -> Result<CpuRow, Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads as usize)
        .build();
    let pool = pool.map_err(|error| format!("{threads} threads: {error}"))?;
    let (options, protocol) = (args.cpu.options(), args.protocol.protocol());
    let mut median_wall_ms = 0.0;
    for generation in &work.generations {
        let programs: Vec<&Rpn> = generation.iter().collect();
        let times = pool.install(|| {
            timed(
                interpreter,
                &programs,
                &work.problem,
                options,
                protocol.warm_ups + protocol.repeats,
            )
        })?;
        median_wall_ms += Times::of(&times[protocol.warm_ups..]).median_ms;
    }
    let nodes: usize = work
        .generations
        .iter()
        .flatten()
        .map(|one| one.0.len())
        .sum();
    let programs: usize = work.generations.iter().map(Vec::len).sum();
    let cases = work.problem.n_cases();
    let gpops_billion = (nodes * cases) as f64 / (median_wall_ms * 1e6);
    Ok(CpuRow {
        paper: work.paper.name(),
        problem: work.name.clone(),
        interpreter: interpreter.name(),
        simd: options.path.name(),
        threads,
        population: programs / work.generations.len().max(1),
        cases,
        mean_nodes: nodes as f64 / programs.max(1) as f64,
        median_wall_ms: median_wall_ms / work.generations.len().max(1) as f64,
        gpops_billion,
        published: work.published(threads, gpops_billion)?,
    })
}

/// Milliseconds of every run.
fn timed(
    interpreter: &dyn Interpreter,
    programs: &[&Rpn],
    problem: &Problem,
    options: Options,
    runs: usize,
) -> Result<Vec<f64>, UnsupportedFunction> {
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        let start = Instant::now();
        interpreter.errors(programs, problem, options)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

impl Work {
    fn published(
        &self,
        threads: u32,
        ours: f64,
    ) -> Result<Published, crate::util::rows::RowsError> {
        let Some(domain) = self.domain else {
            return Ok(Published::default());
        };
        let cpu = match threads {
            1 => InstanceName::W3680Sequential.name(),
            _ => InstanceName::W3680Parallel.name(),
        };
        let gpu = InstanceName::Gtx285Ppcu.name();
        let of = |name| match Quantity::Median.of(domain, &[name]) {
            Some(id) => published(self.paper, &id),
            None => Ok(None),
        };
        let (cpu_speed, gpu_speed) = (of(cpu)?, of(gpu)?);
        Ok(Published {
            published_cpu: Some(cpu),
            published_cpu_gpops_billion: cpu_speed,
            published_gpu: Some(gpu),
            published_gpu_gpops_billion: gpu_speed,
            published_speedup: gpu_speed.zip(cpu_speed).map(|(gpu, cpu)| gpu / cpu),
            speedup_over_this: gpu_speed.map(|gpu| gpu / ours),
        })
    }
}
