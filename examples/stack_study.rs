//! The search for the settings behind Tables 5 and 6: samples what the paper leaves out, or varies given settings,
//! runs short evolutions and prints the distance to the paper's percentages, one line per setting, best first.
//!
//! `cargo run --release --example stack_study -- --n 100 [--base settings.json]`. See `docs/tables-5-6.md`.

use clap::Parser;
use rayon::prelude::*;
use std::error::Error;
use std::path::PathBuf;
use warpstack::gp::depth_profile::{DepthProfile, Representation};
use warpstack::gp::evolve::config::{FunctionChoice, Init, InitMethod, Mates, Mutation, Parsimony};
use warpstack::gp::evolve::dice::Dice;
use warpstack::gp::evolve::{self, EvolveConfig};
use warpstack::gp::problem::{self, Problem, Source};
use warpstack::validate::stack_tables::paper_percentages;

#[derive(Parser)]
struct Args {
    /// Settings to try
    #[arg(long, default_value_t = 20)]
    n: u64,
    /// Number of the first one; equal numbers give equal settings
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Runs per problem and setting
    #[arg(long, default_value_t = 4)]
    runs: u64,
    /// Vary this setting instead of sampling; may be given more than once
    #[arg(long, value_name = "FILE")]
    base: Vec<PathBuf>,
    /// Problems; Shuttle needs its data
    #[arg(long, value_delimiter = ',', default_value = "sextic,mux20")]
    problems: Vec<String>,
    /// Folder of the UCI files (default: the one that WARPSTACK_DATA names)
    #[arg(long)]
    data: Option<PathBuf>,
}

/// Cases while searching. All cases tell more programs apart, which makes Shuttle's programs deeper: the last word on a
/// setting has a run on all of them.
const CASES: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let source = Source {
        n_cases: Some(CASES),
        data: args.data,
    };
    let problems: Vec<Problem> = args
        .problems
        .iter()
        .map(|p| problem::load(p, &source))
        .collect::<Result<_, _>>()?;
    let read = |path: &PathBuf| -> Result<EvolveConfig, Box<dyn Error>> {
        Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
    };
    let bases: Vec<EvolveConfig> = args.base.iter().map(read).collect::<Result<_, _>>()?;
    let one = |number: u64| -> Result<(f64, String), Box<dyn Error + Send + Sync>> {
        let mut dice = Dice::new(4242, number);
        let config = match bases.is_empty() {
            true => sample(&mut dice),
            false => varied(&bases[dice.below(bases.len())], &mut dice),
        };
        let errors = (problems.iter())
            .map(|problem| distance(problem, &config, args.runs))
            .collect::<Result<Vec<f64>, Box<dyn Error + Send + Sync>>>()?;
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        let each: Vec<String> = errors.iter().map(|e| format!("{e:.2}")).collect();
        Ok((
            mean,
            format!(
                "{mean:.2} [{}] #{number} {}",
                each.join(" "),
                serde_json::to_string(&config)?
            ),
        ))
    };
    let mut lines = (args.first..args.first + args.n)
        .into_par_iter()
        .map(one)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| e.to_string())?;
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    lines.iter().for_each(|(_, line)| println!("{line}"));
    Ok(())
}

/// Mean absolute difference to the paper's percentages, in points, over both tables.
fn distance(
    problem: &Problem,
    config: &EvolveConfig,
    runs: u64,
) -> Result<f64, Box<dyn Error + Send + Sync>> {
    let mut depths = DepthProfile::default();
    for run in 0..runs {
        evolve::evolve(problem, config, 1 + run, |g| {
            depths.merge(&DepthProfile::of(&g.population.programs))
        })?;
    }
    let mut errors = Vec::new();
    for representation in [Representation::Rpn, Representation::Lgp] {
        for (limit, paper) in paper_percentages(representation, problem.name)? {
            errors.push((depths.percent_within(representation, limit) - paper).abs());
        }
    }
    Ok(errors.iter().sum::<f64>() / errors.len().max(1) as f64)
}

/// A setting drawn from everything the paper leaves out.
fn sample(dice: &mut Dice) -> EvolveConfig {
    let (low, high) = (1 + dice.below(3), 3 + dice.below(4));
    let small = dice.below(4);
    let mutation = match dice.below(5) {
        0 | 1 => Mutation::PointPerNode,
        2 => Mutation::Subtree { max_depth: small },
        3 => Mutation::SubtreePerNode { max_depth: small },
        _ => Mutation::Point,
    };
    let per_node = matches!(
        mutation,
        Mutation::PointPerNode | Mutation::SubtreePerNode { .. }
    );
    EvolveConfig {
        init: Init {
            method: dice.pick(&[InitMethod::Full, InitMethod::Grow, InitMethod::Ramped]),
            min_depth: low,
            max_depth: high,
        },
        mutation,
        // Table 2 says 0.2 but not of what; per node it is varied.
        mutation_probability: if per_node {
            dice.pick(&[0.02, 0.05, 0.1, 0.15, 0.2])
        } else {
            0.2
        },
        function_choice: dice.pick(&[FunctionChoice::Uniform, FunctionChoice::ByArity]),
        mates: dice.pick(&[Mates::TwoTournaments, Mates::TwoTournaments, Mates::BestTwo]),
        crossover_function_bias: dice.pick(&[None, Some(0.5), Some(0.7), Some(0.9)]),
        parsimony: match dice.below(6) {
            0 => None,
            1 => Some(Parsimony::Near(0.0)),
            2 => Some(Parsimony::Near(
                dice.pick(&[0.001, 0.005, 0.01, 0.02, 0.04, 0.08]),
            )),
            _ => Some(Parsimony::Coin(
                dice.pick(&[0.01, 0.02, 0.05, 0.1, 0.2, 0.3]),
            )),
        },
        elitism: dice.pick(&[0, 1, 10, 50, 100, 200, 300, 500]),
        stop_when_solved: dice.chance(0.5),
        ..EvolveConfig::default()
    }
}

/// A neighbour: one or two choices drawn anew, the probabilities scaled.
fn varied(base: &EvolveConfig, dice: &mut Dice) -> EvolveConfig {
    let other = sample(dice);
    let mut config = base.clone();
    for _ in 0..1 + dice.below(2) {
        match dice.below(9) {
            0 => config.init.method = other.init.method,
            1 => {
                (config.init.min_depth, config.init.max_depth) =
                    (other.init.min_depth, other.init.max_depth)
            }
            2 => {
                (config.mutation, config.mutation_probability) =
                    (other.mutation, other.mutation_probability)
            }
            3 => config.parsimony = other.parsimony,
            4 => config.crossover_function_bias = other.crossover_function_bias,
            5 => config.elitism = other.elitism,
            6 => config.mates = other.mates,
            7 => config.function_choice = other.function_choice,
            _ => {
                config.mutation_probability =
                    (config.mutation_probability * (0.6 + dice.unit() * 0.9)).min(0.3)
            }
        }
    }
    config
}
