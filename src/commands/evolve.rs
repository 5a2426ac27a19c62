//! `warpstack evolve`: GP runs whose programs, sampled over runs and generations, become a corpus.

use super::CliResult;
use super::stop::Stop;
use crate::gp::campaign::{Campaign, Part, Plan};
use crate::gp::evolve::EvolveConfig;
use crate::gp::evolve::timing::{Shares, Timing};
use crate::gp::problem::{self, Source};
use crate::report::output;
use crate::report::progress::{self, Progress};
use crate::study::shard::{Description, Shard};
use crate::util::input;
use crate::validate::nearest;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Run genetic programming and write a corpus of evaluated programs.
#[derive(Debug, Clone, clap::Args)]
pub struct EvolveArgs {
    /// Problem to solve (`warpstack list problems` lists them)
    #[arg(long, value_parser = crate::commands::names::problem())]
    pub problem: String,
    /// Seed of the first run; run number r uses seed + r
    #[arg(long, alias = "seed", value_name = "SEED", default_value_t = 1)]
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
    /// File for the state after every generation; an interrupted campaign resumes from it
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Number of programs to sample per run and generation
    #[arg(long, default_value_t = 10)]
    pub per_generation: usize,
    /// Largest number of fitness cases to evaluate
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub cases: Option<u64>,
    /// Folder of the UCI files [default: the folder that WARPSTACK_DATA names]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Part of the runs, K/N from 1/N to N/N, for another machine; `merge` puts the parts together
    #[arg(long, value_name = "K/N", requires = "out", conflicts_with = "record")]
    pub shard: Option<Shard>,
    /// JSON file of settings [default: the built-in settings]
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// Sample only the N runs whose stack depths are nearest to the paper's Tables 5 and 6; the record keeps all runs
    #[arg(long, value_name = "N", conflicts_with = "shard", value_parser = clap::value_parser!(u32).range(1..))]
    pub nearest: Option<u32>,
    /// Print a time breakdown to standard error
    #[arg(long)]
    pub timing: bool,
}

pub fn run(args: EvolveArgs, stop: &Stop) -> CliResult {
    let campaign = evolve(&args, stop)?;
    write(&args, &campaign)?;
    if args.out.is_none() {
        output::write(None, campaign.corpus(command(&args)).to_text().as_bytes())?;
    }
    Ok(())
}

/// The campaign at its end. Its checkpoint is the only file that is written.
pub fn evolve(args: &EvolveArgs, stop: &Stop) -> Result<Campaign, Box<dyn Error>> {
    let settings = settings(args.settings.as_deref())?;
    let files = [&args.out, &args.record, &args.checkpoint];
    for path in files.into_iter().flatten() {
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
    let part = args.shard.map(|shard| part(shard, args));
    let checkpoint = args.checkpoint.as_deref();
    let campaign = campaign(plan, part, checkpoint)?;
    let started = Instant::now();
    let (mut campaign, parts) = finish(campaign, &problem, checkpoint, stop)?;
    if args.timing {
        let whole = started.elapsed();
        progress::say(&format!("{}: {}", problem.name, Shares { parts, whole }));
    }
    if let Some(n) = args.nearest {
        let others = nearest::others(problem.name, campaign.finished(), n as usize)?;
        campaign.leave_out(&others);
    }
    Ok(campaign)
}

/// The runs of a part.
fn part(shard: Shard, args: &EvolveArgs) -> Part {
    let runs = shard.points(args.runs as usize);
    Part {
        first: runs.start as u32,
        end: runs.end as u32,
        command: with_files(whole_command(args), None, None),
    }
}

/// Writes the files that the options name.
pub fn write(args: &EvolveArgs, campaign: &Campaign) -> CliResult {
    if let Some(path) = &args.record {
        let text = campaign.record(command(args)).to_text()?;
        output::write(Some(path), text.as_bytes())?;
    }
    if let (Some(shard), Some(path)) = (args.shard, &args.out) {
        return write_part(shard, campaign, path);
    }
    if let Some(path) = &args.out {
        let text = campaign.corpus(command(args)).to_text();
        output::write(Some(path), text.as_bytes())?;
    }
    Ok(())
}

/// The state of a finished part, and what it is a part of.
fn write_part(shard: Shard, campaign: &Campaign, path: &Path) -> CliResult {
    let study = campaign.plan_hash()?;
    let description = serde_json::to_vec(&Description { study, shard })?;
    output::write(Some(&Description::path_for(path)), &description)?;
    output::write(Some(path), campaign.checkpoint()?.as_bytes())?;
    Ok(())
}

/// The campaign at its beginning, or where a checkpoint left it.
fn campaign(
    plan: Plan,
    part: Option<Part>,
    checkpoint: Option<&Path>,
) -> Result<Campaign, Box<dyn Error>> {
    match checkpoint.filter(|path| path.exists()) {
        Some(path) => {
            let name = path.display().to_string();
            let text = input::data(path).map_err(|e| format!("checkpoint {name}: {e}"))?;
            Ok(Campaign::from_checkpoint(
                &text,
                &name,
                &plan,
                part.as_ref(),
            )?)
        }
        None => Ok(match part {
            Some(part) => Campaign::of_part(plan, part),
            None => Campaign::new(plan),
        }),
    }
}

/// Runs the campaign to its end, saving its state if asked; what breeding and evaluation took.
pub(super) fn finish(
    mut campaign: Campaign,
    problem: &problem::Problem,
    checkpoint: Option<&Path>,
    stop: &Stop,
) -> Result<(Campaign, Timing), Box<dyn Error>> {
    let progress = Progress::new(campaign.generations_planned(), "generations");
    (0..campaign.generations_seen()).for_each(|_| progress.step());
    let timing = campaign.run(problem, |state| -> CliResult {
        progress.step();
        if let Some(path) = checkpoint {
            output::write(Some(path), state.checkpoint()?.as_bytes())?;
        }
        Ok(stop.check()?)
    })?;
    Ok((campaign, timing))
}

/// Settings from a file, or the defaults.
pub(super) fn settings(path: Option<&Path>) -> Result<EvolveConfig, Box<dyn Error>> {
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
    with_files(
        whole_command(args),
        args.record.as_deref(),
        args.out.as_deref(),
    )
}

/// A campaign's command with the files that it writes.
pub(super) fn with_files(mut command: String, record: Option<&Path>, out: Option<&Path>) -> String {
    for (option, path) in [("record", record), ("out", out)] {
        if let Some(path) = path {
            command += &format!(" --{option} {}", path.display());
        }
    }
    command
}

/// Returns the command without `--record` and `--out`.
fn whole_command(args: &EvolveArgs) -> String {
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
    text
}
