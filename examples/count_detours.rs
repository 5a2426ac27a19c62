//! How many warp instructions does data add to the traces? Makes `fixtures/detours.csv`.
//!
//! `cargo run --release --example count_detours -- --data DIR > fixtures/detours.csv`, with the UCI files in DIR. Every
//! kernel of the tables runs the programs of its predictions on real fitness cases, all lanes (`workload::detours`).

use std::error::Error;
use std::path::PathBuf;

use clap::Parser;
use warpstack::device::Preset;
use warpstack::engine::{Engine, Settings, problems};
use warpstack::gp::problem::CASE_SEED;
use warpstack::gpu::variant::{Arch, Dispatch, FunctionSet, Math, Shape, Variant};
use warpstack::gpu::workload::Workload;
use warpstack::workload::KernelTraces;
use warpstack::workload::detours::detour_instructions;

#[derive(Parser)]
struct Args {
    /// Folder of the UCI files
    #[arg(long)]
    data: PathBuf,
    /// Only these problems
    #[arg(long, value_delimiter = ',')]
    problem: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let names = match args.problem.is_empty() {
        true => problems(),
        false => args.problem.iter().map(String::as_str).collect(),
    };
    let engine = Engine::new(Preset::load("gtx670")?.device, &names, Settings::default())?;
    println!("problem,kernel,stack_dim,stack_registers,added_percent");
    for name in names {
        let set: FunctionSet = name.parse()?;
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
            let added = detour_instructions(&variant, programs, &problem.dataset)?;
            let traces = KernelTraces::of_any_block(&variant, programs, problem.n_cases() as u32)?;
            let (mut sum, mut whole) = (0.0, 0.0);
            for &program in &population.sample {
                let steady = &traces.programs[program as usize].steady;
                let lengths = steady.iter().map(|&id| traces.pool.length(id) as f64);
                whole += lengths.sum::<f64>();
                sum += added[program as usize];
            }
            println!(
                "{name},{},{},{},{:.3}",
                variant.kernel,
                variant.stack_dim,
                variant.stack_registers,
                100.0 * sum / whole
            );
        }
    }
    Ok(())
}
