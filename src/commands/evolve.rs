//! `warpstack evolve`: GP runs whose programs, sampled over runs and generations, become a corpus.

use super::CliResult;
use super::stop::Stop;
use crate::gp::campaign::{Campaign, Plan};
use crate::gp::evolve::EvolveConfig;
use crate::gp::problem::{self, Source};
use crate::report::output;
use crate::report::progress::Progress;
use crate::util::input;
use crate::validate::nearest;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Run genetic programming and write a corpus of evaluated programs.
#[derive(Debug, Clone, clap::Args)]
pub struct EvolveArgs {
    /// Problem to solve (`warpstack list problems` lists them)
    #[arg(long, value_parser = crate::commands::names::problem())]
    pub problem: String,
    /// Seed of the first run; run number r uses seed + r
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub run_seed: u64,
    /// Number of runs
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// Corpus file to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Run record to write: errors, sizes and stack depths of all programs
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Number of programs to sample per run and generation
    #[arg(long, default_value_t = 10)]
    pub per_generation: usize,
    /// Largest number of fitness cases to evaluate
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub cases: Option<u64>,
    /// Folder of the UCI files [default: the folder that WARPSTACK_DATA names]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// JSON file of settings [default: the built-in settings]
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// Sample only the N runs whose stack depths are nearest to the paper's Tables 5 and 6; the record keeps all runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub nearest: Option<u32>,
}

pub fn run(args: &EvolveArgs, stop: &Stop) -> CliResult {
    let campaign = evolve(args, stop)?;
    if let Some(path) = &args.record {
        let text = campaign.record(command(args)).to_text()?;
        output::write(Some(path), text.as_bytes())?;
    }
    let corpus = campaign.corpus(command(args));
    output::write(args.out.as_deref(), corpus.to_text().as_bytes())?;
    Ok(())
}

/// Runs the campaign to its end; `stop` ends it after a generation, before any file is written.
fn evolve(args: &EvolveArgs, stop: &Stop) -> Result<Campaign, Box<dyn Error>> {
    let settings = settings(args.settings.as_deref())?;
    for path in [&args.out, &args.record].into_iter().flatten() {
        output::check_writable(path)?;
    }
    let source = Source {
        n_cases: args.cases.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
        data: args.data.clone(),
    };
    let problem = problem::load(&args.problem, &source)?;
    let plan = Plan {
        problem: problem.name.to_owned(),
        evaluated_cases: problem.n_cases(),
        seed: args.run_seed,
        runs: args.runs,
        per_generation: args.per_generation,
        settings,
    };
    if args.nearest.is_some() {
        nearest::check(problem.name)?;
    }
    let progress = Progress::new(plan.generations(), "generations");
    let mut campaign = Campaign::run(plan, &problem, || -> CliResult {
        progress.step();
        Ok(stop.check()?)
    })?;
    drop(progress);
    if let Some(n) = args.nearest {
        let others = nearest::others(problem.name, &campaign.runs, n as usize)?;
        campaign.leave_out(&others);
    }
    Ok(campaign)
}

/// Settings from a file, or the defaults.
fn settings(path: Option<&Path>) -> Result<EvolveConfig, Box<dyn Error>> {
    let Some(path) = path else {
        return Ok(EvolveConfig::default());
    };
    let name = path.display();
    let text = input::text(path).map_err(|e| format!("{name}: {e}"))?;
    let config: EvolveConfig = serde_json::from_str(&text).map_err(|e| format!("{name}: {e}"))?;
    config.check().map_err(|e| format!("{name}: {e}"))?;
    Ok(config)
}

/// The command that makes this corpus again.
fn command(args: &EvolveArgs) -> String {
    let EvolveArgs {
        problem,
        run_seed: seed,
        runs,
        per_generation,
        ..
    } = args;
    let mut text = format!(
        "warpstack evolve --problem {problem} --run-seed {seed} --runs {runs} --per-generation {per_generation}"
    );
    if let Some(cases) = args.cases {
        text += &format!(" --cases {cases}");
    }
    if let Some(path) = &args.settings {
        text += &format!(" --settings {}", path.display());
    }
    if let Some(n) = args.nearest {
        text += &format!(" --nearest {n}");
    }
    for (option, path) in [("record", &args.record), ("out", &args.out)] {
        if let Some(path) = path {
            text += &format!(" --{option} {}", path.display());
        }
    }
    text
}
