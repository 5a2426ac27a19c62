//! `warpstack langdon`: Langdon's multiplexer GP on this machine's processors, generation by generation.

use super::CliResult;
use super::format::OutputArgs;
use crate::gp::evolve::langdon::{Langdon, Settings};
use crate::gp::problem::multiplexer::Multiplexer;
use crate::gp::problem::names;
use crate::report::columns::Columns;
use crate::report::progress::{self, Progress};
use crate::report::provenance::Provenance;
use std::time::Instant;

/// Run Langdon's multiplexer experiment, and print the progress and the speed of each generation.
#[derive(Debug, Clone, clap::Args)]
pub struct LangdonArgs {
    /// Multiplexer: mux20 or mux37; mux6 and mux11 for quick trials
    #[arg(long, default_value = "mux20", value_parser = crate::commands::names::problem())]
    pub problem: String,
    /// Number of programs; the paper has 262,144
    #[arg(long, value_parser = clap::value_parser!(u32).range(4..=1 << 24))]
    pub population: Option<u32>,
    /// Number of generations; the paper has 5,000
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub generations: u32,
    /// Seed of the run
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// A generation.
struct Row {
    generation: u32,
    best_wrong: f64,
    mean_wrong: f64,
    sampled_cases: usize,
    mean_nodes: f64,
    gpops_billion: f64,
    seed: u64,
}

pub fn run(args: &LangdonArgs) -> CliResult {
    args.output.check()?;
    let mux = Multiplexer::ALL
        .into_iter()
        .find(|mux| mux.id.name() == args.problem)
        .ok_or_else(|| {
            let allowed = names(&Multiplexer::ALL.map(|mux| mux.id));
            format!("--problem: given {}; allowed: {allowed}", args.problem)
        })?;
    let mut settings = Settings::of(mux);
    settings.population = args.population.map_or(settings.population, |n| n as usize);
    let mut run = Langdon::start(settings, args.seed);
    let progress = Progress::new(u64::from(args.generations), "generations");
    let mut rows = Vec::new();
    let mut solution = None;
    for _ in 0..args.generations {
        let start = Instant::now();
        let g = run.next_generation()?;
        rows.push(Row {
            generation: g.number,
            best_wrong: g.best_wrong,
            mean_wrong: g.mean_wrong,
            sampled_cases: settings.sampled_cases,
            mean_nodes: g.n_nodes as f64 / settings.population as f64,
            gpops_billion: g.operations as f64 / start.elapsed().as_secs_f64() / 1e9,
            seed: args.seed,
        });
        progress.step();
        if g.best_wrong == 0.0 {
            solution = Some(format!(
                "generation {}: a program passes its whole sample: {}",
                g.number, g.best
            ));
            break;
        }
    }
    drop(progress);
    let provenance = Provenance::of_program();
    args.output.print_columns(&columns(), &rows, &provenance)?;
    if let Some(sentence) = solution {
        progress::say(&sentence);
    }
    Ok(())
}

fn columns() -> Columns<Row> {
    Columns::<Row>::new(0)
        .column("generation", "generation", |row| row.generation)
        .column("best wrong", "best_wrong", |row| row.best_wrong)
        .column("mean wrong", "mean_wrong", |row| row.mean_wrong)
        .digits(1)
        .column("sampled cases", "sampled_cases", |row| row.sampled_cases)
        .column("mean nodes", "mean_nodes", |row| row.mean_nodes)
        .digits(1)
        .column("billion GPop/s", "gpops_billion", |row| row.gpops_billion)
        .digits(2)
        .filed("seed", |row| row.seed)
}
