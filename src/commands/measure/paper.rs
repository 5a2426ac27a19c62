//! `warpstack measure paper`: another paper's system on a real GPU, or its programs on this CPU.

use super::MeasuredRows;
use super::args::{ProtocolArgs, given_or};
use super::cpu::CpuWorkArgs;
use super::robilliard::{self as measure_robilliard, RobilliardArgs};
use crate::commands::format::OutputArgs;
use crate::commands::reproduce::papers::PaperArg;
use crate::measure::gpocl as measure_gpocl;
use crate::measure::langdon::GenerationBench;
use crate::measure::launch::Gpu;
use crate::report::rows::{self, Row};
use crate::systems::gpocl::{Domain, GpoclConfiguration, Strategy};
use crate::systems::langdon;
use crate::systems::langdon::predict::LangdonLayout;
use crate::systems::robilliard;
use std::error::Error;

/// Measured unless others are asked for.
const GPOCL_POPULATIONS: [u32; 2] = [1000, 10_000];
const GPOCL_DATASETS: [u32; 2] = [1000, 10_000];

/// Measure another paper's system: its own programs and fitness cases, on a GPU or on this CPU.
#[derive(Debug, clap::Args)]
pub struct PaperArgs {
    /// Paper whose system is measured
    #[arg(value_enum)]
    pub paper: PaperArg,
    /// Where to run: the paper's kernels on a GPU, or this CPU's interpreters on the paper's programs
    #[arg(long, value_enum, default_value = "gpu")]
    pub on: On,
    /// Number of the GPU, counted from 0 as CUDA does
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub gpu: usize,
    /// Numbers of threads per block, separated by commas (not for gpocl, whose work-groups follow from the other sizes); with --on cpu,
    /// numbers of CPU threads [default: 128; with --on cpu 1 and one per processor]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub threads: Vec<u32>,
    /// Numbers of threads that share the tests of a program, separated by commas (langdon only) [default: 1,2,4,8,16,32,64]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub threads_per_program: Vec<u32>,
    /// Ways to spread programs and cases over threads, separated by commas: fp, pppe, ppcu (gpocl only) [default: all]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub strategy: Vec<Strategy>,
    /// Domains of the problems, separated by commas: regression, classification (gpocl only) [default: both]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub domain: Vec<Domain>,
    /// Numbers of programs per generation, separated by commas (not for langdon) [default: 1000,10000 for gpocl, 100,500,2500,12500 for
    /// robilliard]
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub populations: Vec<u32>,
    /// Numbers of rows of the data set, separated by commas (gpocl only) [default: 1000,10000]
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub datasets: Vec<u32>,
    #[command(flatten)]
    pub robilliard: RobilliardArgs,
    /// Seed of the paper's programs and tests
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub program_seed: u64,
    #[command(flatten)]
    pub cpu: CpuWorkArgs,
    #[command(flatten)]
    pub protocol: ProtocolArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// A kind of processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum On {
    Gpu,
    Cpu,
}

impl PaperArgs {
    /// Numbers of threads per block.
    fn threads(&self) -> &[u32] {
        given_or(&self.threads, &[128])
    }
}

pub(super) fn rows(args: &PaperArgs) -> MeasuredRows {
    let work = Work::of(args)?;
    let gpu = Gpu::open(args.gpu)?;
    work.measure(args, &gpu)
}

/// Launches of one paper to measure.
enum Work {
    Langdon(Vec<LangdonLayout>),
    Gpocl(Vec<GpoclConfiguration>),
    Robilliard(Vec<robilliard::predict::RobilliardLayout>),
}

impl Work {
    fn of(args: &PaperArgs) -> Result<Work, Box<dyn Error>> {
        Ok(match args.paper {
            PaperArg::Langdon => Work::Langdon(layouts(args)?),
            PaperArg::Gpocl => Work::Gpocl(configurations(args)?),
            PaperArg::Robilliard => {
                let (threads, populations) = (args.threads(), &args.populations);
                Work::Robilliard(args.robilliard.layouts(threads, populations)?)
            }
        })
    }

    fn measure(&self, args: &PaperArgs, gpu: &Gpu) -> MeasuredRows {
        let (seed, protocol) = (args.program_seed, args.protocol.protocol());
        let mut measured = Vec::new();
        match self {
            Work::Langdon(layouts) => {
                let generation = GenerationBench::initial(seed)?;
                for &layout in layouts {
                    let row = generation.measure(gpu, layout, protocol)?;
                    measured.push(Row::of(&row)?);
                }
            }
            Work::Robilliard(layouts) => {
                let all = measure_robilliard::measured(layouts, gpu, seed, protocol)?;
                measured.extend(rows::of(&all)?);
            }
            Work::Gpocl(configurations) => {
                for &one in configurations {
                    let row = measure_gpocl::measure(gpu, one, seed, protocol)?;
                    measured.push(Row::of(&row)?);
                }
            }
        }
        Ok(measured)
    }
}

/// Refuses options that are another paper's, or the GPU's where the CPU's interpreters run.
pub(super) fn check_options(args: &PaperArgs) -> Result<(), String> {
    use PaperArg::{Gpocl, Langdon, Robilliard};
    let paper = args.paper;
    let (scheme, benchmark) = args.robilliard.given();
    let on_cpu = args.on == On::Cpu;
    let of_kernels = |papers: &'static [PaperArg]| if on_cpu { &papers[..0] } else { papers };
    let options: [(&str, bool, &[PaperArg]); 8] = [
        (
            "--threads-per-program",
            !args.threads_per_program.is_empty(),
            of_kernels(&[Langdon]),
        ),
        (
            "--strategy",
            !args.strategy.is_empty(),
            of_kernels(&[Gpocl]),
        ),
        ("--domain", !args.domain.is_empty(), &[Gpocl]),
        ("--datasets", !args.datasets.is_empty(), &[Gpocl]),
        ("--scheme", scheme, of_kernels(&[Robilliard])),
        ("--benchmark", benchmark, &[Robilliard]),
        (
            "--populations",
            !args.populations.is_empty(),
            &[Gpocl, Robilliard],
        ),
        (
            "--threads",
            !args.threads.is_empty(),
            if on_cpu {
                &[Gpocl, Robilliard]
            } else {
                &[Langdon, Robilliard]
            },
        ),
    ];
    let has = |papers: &[PaperArg]| papers.contains(&paper);
    let foreign = options
        .iter()
        .find(|(_, given, papers)| *given && !has(papers));
    let Some((option, ..)) = foreign else {
        return Ok(());
    };
    let own = options.iter().filter(|(_, _, papers)| has(papers));
    let own: Vec<&str> = own.map(|(option, ..)| *option).collect();
    let name = paper.paper().name();
    let on = if on_cpu { " --on cpu" } else { "" };
    Err(format!(
        "{option}: given with {name}{on}; allowed with it: {}",
        own.join(", ")
    ))
}

/// Every combination of the lists whose programs fill blocks.
fn layouts(args: &PaperArgs) -> Result<Vec<LangdonLayout>, String> {
    let check = |what: &str, given: &[u32], allowed: &[u32]| {
        let wrong = given.iter().find(|value| !allowed.contains(value));
        wrong.map_or(Ok(()), |value| {
            Err(format!("{what}: given {value}; allowed: {allowed:?}"))
        })
    };
    check("--threads", args.threads(), &langdon::BLOCK_SIZES)?;
    let allowed = &langdon::THREADS_PER_PROGRAM;
    let programs = given_or(&args.threads_per_program, allowed);
    check("--threads-per-program", programs, allowed)?;
    let asked = |layout: &LangdonLayout| {
        args.threads().contains(&layout.threads_per_block)
            && programs.contains(&layout.threads_per_program)
    };
    Ok(langdon::figures::layouts()
        .into_iter()
        .filter(asked)
        .collect())
}

/// Every combination of the lists.
fn configurations(args: &PaperArgs) -> Result<Vec<GpoclConfiguration>, String> {
    let strategies = given_or(&args.strategy, &Strategy::ALL);
    let domains = given_or(&args.domain, &Domain::ALL);
    let populations = given_or(&args.populations, &GPOCL_POPULATIONS);
    let datasets = given_or(&args.datasets, &GPOCL_DATASETS);
    let mut all = Vec::new();
    for &strategy in strategies {
        for &domain in domains {
            for &population in populations {
                let of_dataset = |&dataset| GpoclConfiguration {
                    strategy,
                    domain,
                    population,
                    dataset,
                };
                all.extend(datasets.iter().map(of_dataset));
            }
        }
    }
    Ok(all)
}
