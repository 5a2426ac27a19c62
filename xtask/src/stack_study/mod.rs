//! The search for the settings behind Tables 5 and 6.
//!
//! Round 0 draws settings from everything the paper leaves out, or takes given ones; every later round varies the best
//! so far and runs these again with fresh seeds. Prints the settings with their distance to the paper's percentages, one
//! line of JSON each, best first. Equal arguments give equal results, whatever the number of threads.
//!
//! `cargo xtask stack-study --n 100 --rounds 3`; see `docs/tables-5-6.md`.

mod distance;
mod sampler;

use super::Failure;
use distance::ProblemOutcome;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpstack::gp::evolve::EvolveConfig;
use warpstack::gp::evolve::dice::Dice;
use warpstack::gp::problem::{self, Problem, Source};

/// Keeps the streams of the study apart from those of evolution.
const STUDY_SEED: u64 = 4242;
/// The error aimed at on each problem, in points; what is above counts half again.
const GOAL_PER_PROBLEM: f64 = 5.0;

#[derive(clap::Args)]
pub struct Args {
    /// New settings per round
    #[arg(long, default_value_t = 20)]
    n: usize,
    /// Rounds
    #[arg(long, default_value_t = 1)]
    rounds: usize,
    /// Runs per problem whenever a setting is tried
    #[arg(long, default_value_t = 4)]
    runs: u64,
    /// Seed of the first run
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Settings of round 0: a settings file, or the output of an earlier search; may be given more than once
    #[arg(long, value_name = "FILE")]
    base: Vec<PathBuf>,
    /// How many settings of each earlier output to take, and how many to vary in each round
    #[arg(long, default_value_t = 24)]
    top: usize,
    /// Problems in the order of evaluation, each with a limit of its cases if wanted; Shuttle needs its data
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "sextic=1000,mux20,shuttle"
    )]
    problems: Vec<String>,
    /// Go on to the next problem only below this error (points)
    #[arg(long, default_value_t = 12.0)]
    drop_above: f64,
    /// Threads, one setting each [default: one per processor]
    #[arg(long)]
    jobs: Option<usize>,
    /// Folder of the UCI files (default: the one that WARPSTACK_DATA names)
    #[arg(long)]
    data: Option<PathBuf>,
    /// Write what is known after each round here
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// One setting and what it gave.
#[derive(Clone, Serialize, Deserialize)]
struct Outcome {
    score: f64,
    each: Vec<ProblemOutcome>,
    config: EvolveConfig,
}

impl Outcome {
    fn new(config: EvolveConfig, each: Vec<ProblemOutcome>, n_problems: usize) -> Self {
        let errors = || each.iter().map(|p| p.error);
        let mean = errors().sum::<f64>() / each.len().max(1) as f64;
        let excess = (errors().fold(0.0, f64::max) - GOAL_PER_PROBLEM).max(0.0);
        let missing = 100.0 * (n_problems - each.len()) as f64;
        Outcome {
            score: mean + 0.5 * excess + missing,
            each,
            config,
        }
    }
}

pub fn run(args: Args) -> Result<(), Failure> {
    let problems = (args.problems.iter())
        .map(|text| load(text, &args))
        .collect::<Result<Vec<Problem>, _>>()?;
    let mut first = (args.base.iter())
        .map(|path| read_settings(path, args.top))
        .collect::<Result<Vec<_>, _>>()?
        .concat();
    if first.is_empty() {
        let draw = |number| sampler::sample(&mut Dice::new(STUDY_SEED, number as u64));
        first = (0..args.n).map(draw).collect();
    }
    let mut known: Vec<Outcome> = Vec::new();
    let mut seen = HashSet::new();
    for round in 0..args.rounds.max(1) {
        let settings = match round {
            0 => std::mem::take(&mut first),
            _ => next_settings(&known, round, &args),
        };
        let fresh = settings
            .into_iter()
            .filter(|s| seen.insert(format!("{s:?}")));
        let mut tasks: Vec<Outcome> = fresh
            .map(|config| Outcome::new(config, Vec::new(), problems.len()))
            .collect();
        let again = args.top.min(known.len());
        tasks.extend(known.drain(..again));
        let seeds =
            args.seed + round as u64 * args.runs..args.seed + (round as u64 + 1) * args.runs;
        known.extend(tried(tasks, &problems, seeds, &args)?);
        known.sort_by(|a, b| a.score.total_cmp(&b.score));
        if let Some(path) = &args.out {
            std::fs::write(path, lines(&known)?)?;
        }
        eprintln!(
            "round {round}: {} settings, best {:.2}",
            known.len(),
            known[0].score
        );
    }
    print!("{}", lines(&known)?);
    Ok(())
}

fn lines(known: &[Outcome]) -> Result<String, serde_json::Error> {
    let lines = known.iter().map(serde_json::to_string);
    Ok(lines.collect::<Result<Vec<_>, _>>()?.join("\n") + "\n")
}

/// Neighbours of the best.
fn next_settings(known: &[Outcome], round: usize, args: &Args) -> Vec<EvolveConfig> {
    let best = &known[..args.top.min(known.len())];
    let vary = |index: usize| {
        let mut dice = Dice::new(STUDY_SEED + round as u64, index as u64);
        sampler::varied(&best[dice.below(best.len())].config, &mut dice)
    };
    (0..args.n).map(vary).collect()
}

/// Runs every setting with these seeds, one thread each.
fn tried(
    tasks: Vec<Outcome>,
    problems: &[Problem],
    seeds: std::ops::Range<u64>,
    args: &Args,
) -> Result<Vec<Outcome>, Failure> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> Result<(), Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        while let Some((index, task)) = Some(next.fetch_add(1, Ordering::Relaxed))
            .and_then(|index| Some((index, tasks.get(index)?)))
        {
            let outcome = pool.install(|| again(task, problems, seeds.clone(), args.drop_above))?;
            done.lock()
                .map_err(|e| e.to_string())?
                .push((index, outcome));
        }
        Ok(())
    };
    let jobs = match args.jobs {
        Some(jobs) => jobs,
        None => std::thread::available_parallelism()?.get(),
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a thread panicked")?)
    })?;
    let mut done = done.into_inner().map_err(|e| e.to_string())?;
    done.sort_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, outcome)| outcome).collect())
}

/// The setting with these runs added to those it has.
fn again(
    task: &Outcome,
    problems: &[Problem],
    seeds: std::ops::Range<u64>,
    drop_above: f64,
) -> Result<Outcome, Failure> {
    let mut each: Vec<ProblemOutcome> = Vec::new();
    for (index, problem) in problems.iter().enumerate() {
        if each.last().is_some_and(|last| last.error > drop_above) {
            break;
        }
        let new = distance::of(problem, &task.config, seeds.clone())?;
        each.push(match task.each.get(index) {
            Some(old) => new.merged(old)?,
            None => new,
        });
    }
    Ok(Outcome::new(task.config.clone(), each, problems.len()))
}

/// `name` or `name=cases`.
fn load(text: &str, args: &Args) -> Result<Problem, Failure> {
    let (name, n_cases) = match text.split_once('=') {
        Some((name, n)) => (name, Some(n.parse()?)),
        None => (text, None),
    };
    let data = args.data.clone();
    Ok(problem::load(name, &Source { n_cases, data })?)
}

/// One setting, or the best `top` of a study's output.
fn read_settings(path: &PathBuf, top: usize) -> Result<Vec<EvolveConfig>, Failure> {
    let text = std::fs::read_to_string(path)?;
    if let Ok(config) = serde_json::from_str(&text) {
        return Ok(vec![config]);
    }
    let read = |line| Ok(serde_json::from_str::<Outcome>(line)?.config);
    text.lines().take(top).map(read).collect()
}
