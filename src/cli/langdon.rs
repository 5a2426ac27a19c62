//! `warpstack langdon`: Langdon's multiplexer GP on this machine's processors, generation by generation.

use super::CliResult;
use crate::gp::evolve::langdon::{Langdon, Settings};
use crate::gp::problem::multiplexer::Multiplexer;
use crate::report::output;
use std::time::Instant;

/// Run Langdon's multiplexer experiment and print the progress and the speed of each generation.
#[derive(Debug, Clone, clap::Args)]
pub struct LangdonArgs {
    /// Multiplexer: mux20 or mux37; mux6 and mux11 for quick trials
    #[arg(long, default_value = "mux20", value_parser = crate::cli::problem_name::parse)]
    pub problem: String,
    /// Number of programs; the paper has 262,144
    #[arg(long, value_parser = clap::value_parser!(u32).range(4..=1 << 24))]
    pub population: Option<u32>,
    /// Number of generations; the paper has 5,000
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub generations: u32,
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

pub fn run(args: &LangdonArgs) -> CliResult {
    let mux = Multiplexer::ALL
        .into_iter()
        .find(|mux| mux.name == args.problem)
        .ok_or_else(|| {
            let allowed = Multiplexer::ALL.map(|mux| mux.name).join(", ");
            format!(
                "problem `{}` is no multiplexer, allowed: {allowed}",
                args.problem
            )
        })?;
    let mut settings = Settings::of(mux);
    settings.population = args.population.map_or(settings.population, |n| n as usize);
    let mut run = Langdon::start(settings, args.seed);
    line("generation,best_wrong,mean_wrong,sampled_cases,mean_nodes,gpops_billion")?;
    for _ in 0..args.generations {
        let start = Instant::now();
        let g = run.next_generation()?;
        let gpops_billion = g.operations as f64 / start.elapsed().as_secs_f64() / 1e9;
        let mean_nodes = g.n_nodes as f64 / settings.population as f64;
        let cases = settings.sampled_cases;
        line(&format!(
            "{},{},{:.1},{cases},{mean_nodes:.1},{gpops_billion:.2}",
            g.number, g.best_wrong, g.mean_wrong
        ))?;
        if g.best_wrong == 0.0 {
            eprintln!(
                "generation {}: a program passes its whole sample: {}",
                g.number, g.best
            );
            break;
        }
    }
    Ok(())
}

fn line(text: &str) -> CliResult {
    Ok(output::write(None, format!("{text}\n").as_bytes())?)
}
