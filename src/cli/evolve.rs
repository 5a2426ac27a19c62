//! `warpstack evolve`: GP runs whose programs, sampled over runs and generations, become a corpus.

use crate::gp::corpus::{Corpus, Entry, Header, Statistics};
use crate::gp::evolve::{self, EvolveConfig, Generation, dice::Dice};
use crate::gp::problem;
use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Runs genetic programming and writes a corpus of evaluated programs.
#[derive(Debug, Clone, clap::Args)]
pub struct EvolveArgs {
    /// Problem to solve
    #[arg(long)]
    pub problem: String,
    /// Seed of the first run; run number r uses seed + r
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Number of runs
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// Corpus file to write
    #[arg(long)]
    pub out: PathBuf,
    /// Programs sampled per run and generation
    #[arg(long, default_value_t = 10)]
    pub per_generation: usize,
    /// Evaluate on the first N fitness cases only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub cases: Option<u64>,
    /// Settings as a JSON file; absent: the defaults
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
}

pub fn run(args: EvolveArgs) -> Result<(), Box<dyn Error>> {
    let problem = problem::by_name(&args.problem, args.cases.map(|n| n as usize))?;
    let config = settings(args.settings.as_deref())?;
    check_writable(&args.out)?;
    let bar = progress_bar(u64::from(args.runs) * u64::from(config.generations));
    let mut entries = Vec::new();
    let mut solved_runs = 0;
    for run in 0..args.runs {
        let seed = args.seed.wrapping_add(u64::from(run));
        let mut solved = false;
        evolve::evolve(&problem, &config, seed, |generation| {
            entries.extend(sample(&generation, run, seed, args.per_generation));
            solved |= generation.solved;
            bar.inc(1);
        })?;
        solved_runs += u32::from(solved);
        bar.set_position(u64::from(run + 1) * u64::from(config.generations));
    }
    bar.finish_and_clear();
    let statistics = Statistics::of(&entries, solved_runs);
    let header = Header::new(
        problem.name,
        args.seed,
        args.runs,
        command(&args),
        problem.n_cases(),
        config,
        statistics,
    );
    Corpus { header, entries }.save(&args.out)?;
    Ok(())
}

/// Settings from a file, or the defaults.
pub(super) fn settings(path: Option<&Path>) -> Result<EvolveConfig, Box<dyn Error>> {
    let Some(path) = path else {
        return Ok(EvolveConfig::default());
    };
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
    let config: EvolveConfig = serde_json::from_str(&text).map_err(|e| format!("{name}: {e}"))?;
    config.check().map_err(|e| format!("{name}: {e}"))?;
    Ok(config)
}

/// Finds out before hours of work that the output cannot be written.
fn check_writable(path: &Path) -> Result<(), Box<dyn Error>> {
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if path.is_dir() {
        return Err(format!("{}: is a folder, allowed: a file", path.display()).into());
    }
    tempfile::tempfile_in(folder).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(())
}

/// Distinct members of a generation, drawn from a stream of their own.
fn sample(generation: &Generation, run: u32, seed: u64, n: usize) -> Vec<Entry> {
    let programs = &generation.population.programs;
    let mut dice = Dice::new(seed ^ 0x5a3b_1e00, u64::from(generation.number));
    let mut indices: Vec<usize> = (0..programs.len()).collect();
    let n = n.min(indices.len());
    for i in 0..n {
        let other = i + dice.below(indices.len() - i);
        indices.swap(i, other);
    }
    let entry = |&index: &usize| Entry {
        run,
        generation: generation.number,
        program: programs[index].clone(),
    };
    indices[..n].iter().map(entry).collect()
}

fn progress_bar(steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} generation {pos} of {len}, {eta} left");
    ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn command(args: &EvolveArgs) -> String {
    let mut text = format!(
        "warpstack evolve --problem {} --seed {} --runs {}",
        args.problem, args.seed, args.runs
    );
    text += &format!(" --per-generation {}", args.per_generation);
    if let Some(cases) = args.cases {
        text += &format!(" --cases {cases}");
    }
    if let Some(settings) = &args.settings {
        text += &format!(" --settings {}", settings.display());
    }
    text + &format!(" --out {}", args.out.display())
}
