//! Counts the warp instructions that divergence adds to the traces. Makes `fixtures/divergence.csv`.
//!
//! `cargo xtask count-divergence --data DIR`, with the UCI files in DIR. Every
//! kernel of the tables runs the programs of its predictions on real fitness cases, all lanes (`workload::divergence`).

use std::fmt::Write as _;
use std::path::PathBuf;

use super::{Failure, in_repository};
use warpstack::device::Preset;
use warpstack::gp::problem::{CASE_SEED, ProblemId};
use warpstack::gp::workload::Workload;
use warpstack::isa::Arch;
use warpstack::predictor::{Predictor, Settings, problems};
use warpstack::systems::chitty::KernelTraces;
use warpstack::systems::chitty::divergence::divergent_instructions;
use warpstack::systems::chitty::variant::{Dispatch, Math, Shape, Variant};

#[derive(clap::Args)]
pub struct Args {
    /// Folder of the UCI files
    #[arg(long)]
    data: PathBuf,
    /// Only these problems
    #[arg(long, value_delimiter = ',')]
    problem: Vec<String>,
    /// File to write [default: fixtures/divergence.csv]
    #[arg(long)]
    out: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let names = match args.problem.is_empty() {
        true => problems(),
        false => args.problem.iter().map(String::as_str).collect(),
    };
    let engine = Predictor::with_settings(Preset::load("gtx670")?.device, Settings::default());
    let mut text = String::from("problem,kernel,stack_dim,stack_registers,added_percent\n");
    for name in names {
        let set: ProblemId = name.parse()?;
        let problem = Workload::new(set, Some(&args.data), CASE_SEED)?.problem;
        let population = engine.population(name)?;
        let programs = &population.programs;
        for variant in Variant::all()? {
            let of_tables = variant.arch == Arch::Sm35
                && variant.problem == set
                && (variant.shape, variant.math) == (Shape::Unrolled, Math::Accurate)
                && variant.dispatch == Dispatch::Float;
            if !of_tables {
                continue;
            }
            let added = divergent_instructions(&variant.into(), programs, &problem.dataset)?;
            let traces =
                KernelTraces::of_any_block(&variant.into(), programs, problem.n_cases() as u32)?;
            let (mut sum, mut whole) = (0.0, 0.0);
            for &program in &population.sample {
                let steady = &traces.programs[program as usize].steady;
                let lengths = steady.iter().map(|&id| traces.pool.length(id) as f64);
                whole += lengths.sum::<f64>();
                sum += added[program as usize];
            }
            writeln!(
                text,
                "{name},{},{},{},{:.3}",
                variant.kernel,
                variant.stack_dim,
                variant.stack_registers,
                100.0 * sum / whole
            )?;
        }
    }
    let path = args
        .out
        .unwrap_or_else(|| in_repository("fixtures/divergence.csv"));
    Ok(std::fs::write(path, text)?)
}
