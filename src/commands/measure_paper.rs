//! `warpstack measure --paper`: another paper's system on a real GPU.

use super::measure_args::{MeasureArgs, given_or, protocol};
use super::measure_robilliard;
use super::papers::PaperArg;
use crate::measure::gpocl as measure_gpocl;
use crate::measure::langdon::Generation;
use crate::measure::launch::Gpu;
use crate::report::rows::{self, Row};
use crate::systems::gpocl::{Configuration, Domain, Strategy};
use crate::systems::langdon;
use crate::systems::langdon::predict::Layout;
use crate::systems::robilliard;
use std::error::Error;

/// Measured unless others are asked for.
const GPOCL_POPULATIONS: [u32; 2] = [1000, 10_000];
const GPOCL_DATASETS: [u32; 2] = [1000, 10_000];

pub(super) fn rows(args: &MeasureArgs, paper: PaperArg) -> Result<Vec<Row>, Box<dyn Error>> {
    let work = Work::of(args, paper)?;
    let gpu = Gpu::open(args.device)?;
    work.measure(args, &gpu)
}

/// What is to be measured.
enum Work {
    Langdon(Vec<Layout>),
    Gpocl(Vec<Configuration>),
    Robilliard(Vec<robilliard::predict::Layout>),
}

impl Work {
    fn of(args: &MeasureArgs, paper: PaperArg) -> Result<Work, Box<dyn Error>> {
        check_options(args, paper)?;
        Ok(match paper {
            PaperArg::Langdon => Work::Langdon(layouts(args)?),
            PaperArg::Gpocl => Work::Gpocl(configurations(args)?),
            PaperArg::Robilliard => {
                let (threads, populations) = (args.threads(), &args.populations);
                Work::Robilliard(args.robilliard.layouts(threads, populations)?)
            }
        })
    }

    fn measure(&self, args: &MeasureArgs, gpu: &Gpu) -> Result<Vec<Row>, Box<dyn Error>> {
        let (seed, protocol) = (args.population_seed, protocol(args));
        let mut measured = Vec::new();
        match self {
            Work::Langdon(layouts) => {
                let generation = Generation::initial(seed)?;
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
pub(super) fn check_options(args: &MeasureArgs, paper: PaperArg) -> Result<(), String> {
    use PaperArg::{Gpocl, Langdon, Robilliard};
    let (scheme, benchmark) = args.robilliard.given();
    let on_cpu = args.on == "cpu";
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
    let name = paper.name();
    let on = if on_cpu { " --on cpu" } else { "" };
    Err(format!(
        "{option}: given with --paper {name}{on}; allowed with it: {}",
        own.join(", ")
    ))
}

/// Every combination of the lists whose programs fill blocks.
fn layouts(args: &MeasureArgs) -> Result<Vec<Layout>, String> {
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
    let asked = |layout: &Layout| {
        args.threads().contains(&layout.threads_per_block)
            && programs.contains(&layout.threads_per_program)
    };
    Ok(langdon::figures::layouts()
        .into_iter()
        .filter(asked)
        .collect())
}

/// Every combination of the lists.
fn configurations(args: &MeasureArgs) -> Result<Vec<Configuration>, String> {
    let strategies = given_or(&args.strategy, &Strategy::ALL);
    let domains = given_or(&args.domain, &Domain::ALL);
    let populations = given_or(&args.populations, &GPOCL_POPULATIONS);
    let datasets = given_or(&args.datasets, &GPOCL_DATASETS);
    let mut all = Vec::new();
    for &strategy in strategies {
        for &domain in domains {
            for &population in populations {
                let of_dataset = |&dataset| Configuration {
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
