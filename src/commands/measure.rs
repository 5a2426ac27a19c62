//! `warpstack measure`: the interpreters on a real GPU, or on this CPU.

use super::CliResult;
use super::format::OutputArgs;
use super::measure_cpu::{self, CpuArgs};
use super::measure_paper;
use super::measure_paper_cpu;
use super::measure_robilliard::RobilliardArgs;
use super::papers::PaperArg;
use crate::gp::problem::ProblemId;
use crate::gp::problem::uci::folder;
use crate::gp::program::Rpn;
use crate::gp::workload::{Workload, read_programs};
use crate::isa::Arch;
use crate::measure::launch::{Gpu, GridLaunch};
use crate::measure::rows::{Bench, Configuration, Programs, Protocol};
use crate::measure::scaling::measure_split;
use crate::measure::{counters, ncu};
use crate::report::provenance::Provenance;
use crate::report::rows::{self, Row};
use crate::report::table::table;
use crate::systems::chitty::kernel_id::Sharing;
use crate::systems::chitty::variant::{KernelId, Math, Shape, Variant};
use crate::util::input;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Measure the interpreters on an NVIDIA GPU (needs its driver; on compute capability 7.5, 8.0 to 8.9 and 9.0, no other part of CUDA).
///
/// One row per combination of the lists that was compiled (`warpstack kernels`). Every run checks the errors of the
/// first programs against the CPU.
#[derive(Debug, clap::Args)]
pub struct MeasureArgs {
    /// Where to run: gpu, or cpu for the CPU's interpreters (options of kernels and GPUs are ignored)
    #[arg(long, default_value = "gpu", value_parser = ["gpu", "cpu"])]
    pub on: String,
    /// Number of the GPU
    #[arg(long, default_value_t = 0)]
    pub device: usize,
    /// Another paper's system instead of the main paper's interpreters: its own programs and cases; with --on cpu this CPU's interpreters on them
    #[arg(long, value_enum, conflicts_with_all = ["problem", "programs", "data", "case_seed", "counters", "rows", "population", "longest_first", "kernel", "stack_dim", "stack_registers", "math", "case_blocks", "carveout", "gpus", "every", "cases"])]
    paper: Option<PaperArg>,
    /// Numbers of threads that share the tests of a program (--paper langdon only) [default: 1,2,4,8,16,32,64]
    #[arg(long, value_delimiter = ',', requires = "paper")]
    pub threads_per_program: Vec<u32>,
    /// Ways to spread programs and cases: fp, pppe, ppcu (--paper gpocl only) [default: all]
    #[arg(long, value_delimiter = ',', requires = "paper")]
    pub strategy: Vec<String>,
    /// Domains: regression, classification (--paper gpocl only) [default: both]
    #[arg(long, value_delimiter = ',', requires = "paper")]
    pub domain: Vec<String>,
    /// Sizes of the population [default: --paper gpocl: 1000, 10000; --paper robilliard: 100, 500, 2500, 12500]
    #[arg(long, value_delimiter = ',', requires = "paper", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub populations: Vec<u32>,
    /// Rows of the data set (--paper gpocl only) [default: 1000,10000]
    #[arg(long, value_delimiter = ',', requires = "paper", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub datasets: Vec<u32>,
    #[command(flatten)]
    pub robilliard: RobilliardArgs,
    /// Seed of the paper's programs and tests
    #[arg(long, default_value_t = 1, requires = "paper")]
    pub population_seed: u64,
    /// Problem: sextic, shuttle, kddcup or mux20
    #[arg(long, required_unless_present_any = ["counters", "paper"], value_parser = super::names::problem())]
    problem: Option<String>,
    /// File of programs, one per line in postfix order; with --on cpu also a number of random ones
    #[arg(long, value_name = "FILE|N", required_unless_present_any = ["counters", "paper"])]
    pub programs: Option<PathBuf>,
    /// Number of fitness cases [default: the problem's]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    cases: Option<u32>,
    /// Folder of the UCI files for shuttle and kddcup [default: the folder that WARPSTACK_DATA names, else random cases]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Seed of random fitness cases [default: a new one every time; rows record it]
    #[arg(long)]
    case_seed: Option<u64>,
    /// Output of `ncu --csv --metrics LIST` to join to --rows, without measuring
    #[arg(long, value_name = "FILE", requires = "rows")]
    counters: Option<PathBuf>,
    /// Rows that the profiled `measure --warm-ups 0 --repeats 1 --check 0` wrote
    #[arg(long, value_name = "FILE", requires = "counters")]
    rows: Option<PathBuf>,
    /// Number of programs per launch; the file's list is repeated [default: the length of the list]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    population: Option<u32>,
    /// Launch the longest programs first, so that no launch ends with one of them
    #[arg(long)]
    longest_first: bool,
    /// Kernels: rpn, lgp, lgp-vector, lgp-registers, accumulator
    #[arg(long, value_delimiter = ',', default_value = "rpn", value_parser = super::names::kernel())]
    kernel: Vec<String>,
    /// Sizes of the stack's second dimension (accumulator: cases per thread)
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4,5,6,8")]
    stack_dim: Vec<u32>,
    /// Numbers of stack levels in registers (lgp-registers and accumulator only)
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4")]
    stack_registers: Vec<u32>,
    /// Math: accurate, fast
    #[arg(long, value_delimiter = ',', default_value = "accurate")]
    math: Vec<String>,
    /// Number of threads per block (not with --paper gpocl, whose work-groups follow from the other sizes) [default: 128]; with --on cpu of CPU threads [default: all]
    #[arg(long, value_delimiter = ',')]
    pub threads: Vec<u32>,
    /// Numbers of blocks that share the fitness cases of a program (accumulator only)
    #[arg(long, value_delimiter = ',', default_value = "50", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    case_blocks: Vec<u32>,
    /// Preferred shared memory in percent of the maximum [default: the driver's choice]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(0..=100))]
    carveout: Vec<u32>,
    /// Number of timed runs per configuration; a row contains their median
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeats: u16,
    /// Number of runs before the timed ones
    #[arg(long, default_value_t = 2)]
    warm_ups: u16,
    /// Number of programs to check against the CPU
    #[arg(long, default_value_t = 64)]
    check: usize,
    /// Number of GPUs of the host to split the population over, or `all`; rows then contain wall-clock times with transfers
    #[arg(long, value_name = "N", conflicts_with = "device")]
    gpus: Option<String>,
    /// Measure only every Nth configuration
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    every: u16,
    #[command(flatten)]
    pub cpu: CpuArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

impl MeasureArgs {
    /// Those given, or the one that is meant if none are.
    pub fn threads(&self) -> &[u32] {
        given_or(&self.threads, &[128])
    }

    /// Refuses more threads than a block of CUDA may have, of a GPU or of the CPU.
    pub fn check_threads(&self) -> Result<(), String> {
        match self.threads.iter().find(|n| !(1..=1024).contains(*n)) {
            Some(given) => Err(format!(
                "--threads: given {given}; allowed with --on {}: 1 to 1024",
                self.on
            )),
            None => Ok(()),
        }
    }
}

/// A list that was given, or what is meant if none was.
pub(super) fn given_or<'a, T>(given: &'a [T], usual: &'a [T]) -> &'a [T] {
    match given {
        [] => usual,
        given => given,
    }
}

pub fn run(args: &MeasureArgs) -> CliResult {
    args.output.check()?;
    args.cpu.check(&args.on)?;
    let measured = match (&args.counters, &args.rows) {
        (Some(counters), Some(rows)) => join(counters, rows)?,
        _ => match args.paper {
            Some(paper) if args.on == "cpu" => measure_paper_cpu::rows(args, paper)?,
            Some(paper) => measure_paper::rows(args, paper)?,
            None => measure(args)?,
        },
    };
    // The rows say themselves what was measured where.
    let provenance = Provenance::of_program();
    args.output
        .print(&measured, &provenance, || text(&measured))
}

fn join(counters: &Path, rows: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
    let launches = ncu::parse(&read(counters)?, &counters.display().to_string())?;
    let joined = counters::join(&read(rows)?, &rows.display().to_string(), &launches)?;
    Ok(rows::of_csv(&joined)?)
}

/// Columns that people look at; the rest is in the CSV.
const SHOWN: [&str; 30] = [
    "problem",
    "functions",
    "interpreter",
    "simd",
    "scheme",
    "strategy",
    "domain",
    "kernel",
    "stack_dim",
    "stack_registers",
    "threads_per_program",
    "threads",
    "block_cases",
    "case_blocks",
    "carveout_percent",
    "gpus",
    "population",
    "dataset",
    "median_ms",
    "median_wall_ms",
    "gpops_billion",
    "predicted_gpops_billion",
    "spread_percent",
    "max_error",
    "agreeing_programs",
    "undecided_programs",
    "published_cpu_gpops_billion",
    "published_gpu_gpops_billion",
    "published_speedup",
    "speedup_over_this",
];

fn text(measured: &[Row]) -> String {
    let has = |name: &&&str| measured.iter().any(|row| row.column(name).is_some());
    let names: Vec<&str> = SHOWN.iter().filter(has).copied().collect();
    let cells = |row: &Row| {
        let cells = names
            .iter()
            .map(|name| row.column(name).unwrap_or_default());
        cells.collect()
    };
    table(&names, measured.iter().map(cells).collect(), 2)
}

pub(super) fn read(path: &Path) -> Result<String, String> {
    input::data(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}

pub(super) fn protocol(args: &MeasureArgs) -> Protocol {
    Protocol {
        warm_ups: usize::from(args.warm_ups),
        repeats: usize::from(args.repeats),
        checked_programs: args.check,
    }
}

fn measure(args: &MeasureArgs) -> Result<Vec<Row>, Box<dyn Error>> {
    if args.on == "cpu" {
        return Ok(rows::of(&measure_cpu::rows(args)?)?);
    }
    args.check_threads()?;
    let (workload, list) = work(args)?;
    let file = args.programs.as_deref().unwrap_or(Path::new(""));
    let programs = Programs {
        list,
        file: file.display().to_string(),
    };
    measure_on_gpu(args, &workload, &programs, protocol(args))
}

/// The cases and the programs of a launch.
pub(super) fn work(args: &MeasureArgs) -> Result<(Workload, Vec<Rpn>), Box<dyn Error>> {
    let problem: ProblemId = args.problem.as_deref().unwrap_or_default().parse()?;
    let n_random = match args.on.as_str() {
        "cpu" => measure_cpu::n_random(args.programs.as_deref())?,
        _ => None,
    };
    let listed = match n_random {
        Some(_) => Vec::new(),
        None => read_programs(args.programs.as_deref().unwrap_or(Path::new("")))?,
    };
    let workload = Workload::with_cases(
        problem,
        folder(args.data.as_deref()).as_deref(),
        case_seed(args),
        args.cases.map(|cases| cases as usize),
    )?;
    let programs = match n_random {
        Some(n) => args.cpu.work.programs(n, &workload.problem)?,
        None => listed,
    };
    let population = args
        .population
        .map_or(programs.len(), |population| population as usize);
    workload.check(&programs)?;
    let mut programs: Vec<Rpn> = programs.into_iter().cycle().take(population).collect();
    if args.longest_first {
        programs.sort_by_key(|program| std::cmp::Reverse(program.0.len()));
    }
    Ok((workload, programs))
}

/// The seed given, or one that no other run has.
fn case_seed(args: &MeasureArgs) -> u64 {
    args.case_seed.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(0, |now| now.as_nanos() as u64 & 0xffff_ffff)
    })
}

fn measure_on_gpu(
    args: &MeasureArgs,
    workload: &Workload,
    programs: &Programs,
    protocol: Protocol,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut measured = Vec::new();
    let gpu = Gpu::open(args.device);
    let arch = gpu
        .as_ref()
        .map_or(Arch::Sm90, |gpu| Arch::for_gpu(gpu.info.compute_capability));
    let configurations = configurations(args, workload.id, arch)?;
    let chosen = configurations.iter().step_by(usize::from(args.every));
    if let Some(gpus) = &args.gpus {
        let n_gpus = gpu_count(gpus)?;
        for configuration in chosen {
            let list = &programs.list;
            let row = measure_split(n_gpus, workload, list, configuration, protocol)?;
            measured.push(Row::of(&row)?);
        }
    } else {
        let gpu = gpu?;
        let bench = Bench::new(&gpu, workload, programs, protocol);
        for configuration in chosen {
            measured.push(Row::of(&bench.row(configuration)?)?);
        }
    }
    Ok(measured)
}

fn gpu_count(given: &str) -> Result<usize, Box<dyn std::error::Error>> {
    let found = Gpu::count()?;
    match given {
        "all" if found > 0 => Ok(found),
        _ => match given.parse() {
            Ok(count) if (1..=found).contains(&count) => Ok(count),
            _ => Err(
                format!("--gpus {given}: allowed: `all` or 1 to {found}, the devices found").into(),
            ),
        },
    }
}

/// Every combination that was compiled for an architecture.
fn configurations(
    args: &MeasureArgs,
    problem: ProblemId,
    arch: Arch,
) -> Result<Vec<Configuration>, Box<dyn std::error::Error>> {
    let carveouts: Vec<Option<u32>> = match &args.carveout[..] {
        [] => vec![None],
        given => given.iter().copied().map(Some).collect(),
    };
    let mut found = Vec::new();
    for variant in variants(args, problem, arch)? {
        let case_blocks = match variant.kernel.sharing() {
            Sharing::PerBlock => &args.case_blocks[..],
            Sharing::PerThread => &[1],
        };
        for &threads_per_block in args.threads() {
            for &carveout_percent in &carveouts {
                for &case_blocks in case_blocks {
                    let launch = GridLaunch {
                        threads_per_block,
                        case_blocks,
                        carveout_percent,
                    };
                    found.push(Configuration { variant, launch });
                }
            }
        }
    }
    if found.is_empty() {
        return Err(format!(
            "no compiled kernel among the combinations for {problem} on {arch}; `warpstack kernels --arch {arch}` lists them"
        )
        .into());
    }
    Ok(found)
}

fn variants(
    args: &MeasureArgs,
    problem: ProblemId,
    arch: Arch,
) -> Result<Vec<Variant>, Box<dyn std::error::Error>> {
    let kernels = args
        .kernel
        .iter()
        .map(|name| name.parse())
        .collect::<Result<Vec<KernelId>, _>>()?;
    let maths = args
        .math
        .iter()
        .map(|name| name.parse())
        .collect::<Result<Vec<Math>, _>>()?;
    let chosen = |variant: &Variant| {
        let registers =
            variant.stack_registers == 0 || args.stack_registers.contains(&variant.stack_registers);
        let dispatch = variant.kernel.default_dispatch();
        let plain = variant.shape == Shape::Unrolled && variant.dispatch == dispatch;
        kernels.contains(&variant.kernel)
            && args.stack_dim.contains(&variant.stack_dim)
            && maths.contains(&variant.math)
            && registers
            && plain
    };
    let compiled = Variant::of_problem(problem, arch)?.into_iter();
    Ok(compiled.filter(chosen).collect())
}
