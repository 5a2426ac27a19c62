//! The options of `warpstack measure`, and the programs and cases that they name.

use super::format::OutputArgs;
use super::measure_cpu::CpuArgs;
use super::measure_robilliard::RobilliardArgs;
use super::papers::PaperArg;
use crate::gp::problem::ProblemId;
use crate::gp::problem::uci::folder;
use crate::gp::program::Rpn;
use crate::gp::workload::{Workload, read_programs};
use crate::measure::rows::Protocol;
use crate::systems::gpocl::{Domain, Strategy};
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
    pub paper: Option<PaperArg>,
    /// Numbers of threads that share the tests of a program (--paper langdon only) [default: 1,2,4,8,16,32,64]
    #[arg(long, value_delimiter = ',', requires = "paper")]
    pub threads_per_program: Vec<u32>,
    /// Ways to spread programs and cases: fp, pppe, ppcu (--paper gpocl only) [default: all]
    #[arg(long, value_delimiter = ',', requires = "paper")]
    pub strategy: Vec<Strategy>,
    /// Domains: regression, classification (--paper gpocl only) [default: both]
    #[arg(long, value_delimiter = ',', requires = "paper")]
    pub domain: Vec<Domain>,
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
    /// Problem (`warpstack problems` lists them)
    #[arg(long, required_unless_present_any = ["counters", "paper"], value_parser = super::names::problem())]
    pub problem: Option<String>,
    /// File of programs, one per line in postfix order; with --on cpu also a number of random ones
    #[arg(long, value_name = "FILE|N", required_unless_present_any = ["counters", "paper"])]
    pub programs: Option<PathBuf>,
    /// Number of fitness cases [default: the problem's]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub cases: Option<u32>,
    /// Folder of the UCI files for shuttle and kddcup [default: the folder that WARPSTACK_DATA names, else random cases]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Seed of random fitness cases [default: a new one every time; rows record it]
    #[arg(long)]
    pub case_seed: Option<u64>,
    /// Output of `ncu --csv --metrics LIST` to join to --rows, without measuring
    #[arg(long, value_name = "FILE", requires = "rows")]
    pub counters: Option<PathBuf>,
    /// Rows that the profiled `measure --warm-ups 0 --repeats 1 --check 0` wrote
    #[arg(long, value_name = "FILE", requires = "counters")]
    pub rows: Option<PathBuf>,
    /// Number of programs per launch; the file's list is repeated [default: the length of the list]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub population: Option<u32>,
    /// Launch the longest programs first, so that no launch ends with one of them
    #[arg(long)]
    pub longest_first: bool,
    /// Kernels: rpn, lgp, lgp-vector, lgp-registers, accumulator
    #[arg(long, value_delimiter = ',', default_value = "rpn", value_parser = super::names::kernel())]
    pub kernel: Vec<String>,
    /// Sizes of the stack's second dimension (accumulator: cases per thread)
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4,5,6,8")]
    pub stack_dim: Vec<u32>,
    /// Numbers of stack levels in registers (lgp-registers and accumulator only)
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4")]
    pub stack_registers: Vec<u32>,
    /// Math: accurate, fast
    #[arg(long, value_delimiter = ',', default_value = "accurate")]
    pub math: Vec<String>,
    /// Number of threads per block (not with --paper gpocl, whose work-groups follow from the other sizes) [default: 128]; with --on cpu of CPU threads [default: all]
    #[arg(long, value_delimiter = ',')]
    pub threads: Vec<u32>,
    /// Numbers of blocks that share the fitness cases of a program (accumulator only)
    #[arg(long, value_delimiter = ',', default_value = "50", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub case_blocks: Vec<u32>,
    /// Preferred shared memory in percent of the maximum [default: the driver's choice]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(0..=100))]
    pub carveout: Vec<u32>,
    /// Number of timed runs per configuration; a row contains their median
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub repeats: u16,
    /// Number of runs before the timed ones
    #[arg(long, default_value_t = 2)]
    pub warm_ups: u16,
    /// Number of programs to check against the CPU
    #[arg(long, default_value_t = 64)]
    pub check: usize,
    /// Number of GPUs of the host to split the population over, or `all`; rows then contain wall-clock times with transfers
    #[arg(long, value_name = "N", conflicts_with = "device")]
    pub gpus: Option<String>,
    /// Measure only every Nth configuration
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub every: u16,
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

pub(super) fn protocol(args: &MeasureArgs) -> Protocol {
    Protocol {
        warm_ups: usize::from(args.warm_ups),
        repeats: usize::from(args.repeats),
        checked_programs: args.check,
    }
}

/// The cases and the programs of a launch.
pub(super) fn work(args: &MeasureArgs) -> Result<(Workload, Vec<Rpn>), Box<dyn Error>> {
    let problem: ProblemId = args.problem.as_deref().unwrap_or_default().parse()?;
    let n_random = match args.on.as_str() {
        "cpu" => n_random(args.programs.as_deref())?,
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

/// Whether the programs are so many random ones, not a file.
pub fn n_random(programs: Option<&Path>) -> Result<Option<usize>, String> {
    let number = programs
        .and_then(Path::to_str)
        .and_then(|text| text.parse().ok());
    match number {
        Some(n) if !(1..=1_000_000).contains(&n) => Err(format!(
            "--programs: given {n}; allowed: a file, or 1 to 1000000"
        )),
        number => Ok(number),
    }
}
