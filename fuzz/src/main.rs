//! Readers of files and what comes after them, fed with damaged ones: `cargo fuzz --help`; what was found is in `docs/testing.md`.
//!
//! Each target takes any bytes and must neither panic nor take long. Inputs are mutated from seeds; one that comes by new code, where
//! the program was compiled with counters (`with-coverage`), becomes a seed itself. Everything follows from the seed number and the
//! number of iterations, as long as no time ends it.

mod coverage;
mod driver;
mod mutate;
mod targets;

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

/// Feed damaged files to readers and what comes after them
#[derive(Parser)]
struct Args {
    /// Targets [default: all, each for the given time or number]
    targets: Vec<String>,
    /// Time for each target
    #[arg(long, conflicts_with = "iterations")]
    seconds: Option<f64>,
    /// Executions of each target [default: 10000]
    #[arg(long)]
    iterations: Option<u64>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What one execution may take before it counts as a hang, in seconds
    #[arg(long, default_value_t = 10.0)]
    longest: f64,
    /// Where inputs go that panic, hang or end the process; the last input of each target lies there, too
    #[arg(long, default_value = "target/fuzz-found")]
    found: PathBuf,
    /// Run these files once instead
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "targets")]
    replay: Vec<PathBuf>,
}

fn chosen(names: &[String]) -> Result<Vec<targets::Target>, String> {
    let all = targets::all();
    if names.is_empty() {
        return Ok(all);
    }
    let allowed: Vec<&str> = all.iter().map(|target| target.name).collect();
    if let Some(given) = names.iter().find(|name| !allowed.contains(&name.as_str())) {
        return Err(format!(
            "target: given {given}; allowed: {}",
            allowed.join(", ")
        ));
    }
    Ok(all
        .into_iter()
        .filter(|target| names.iter().any(|name| name == target.name))
        .collect())
}

fn run(args: &Args) -> Result<bool, String> {
    let mut clean = true;
    for target in chosen(&args.targets)? {
        if !args.replay.is_empty() {
            for path in &args.replay {
                let bytes =
                    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
                (target.run)(&bytes);
            }
            continue;
        }
        let limit = match (args.seconds, args.iterations) {
            (Some(seconds), _) => driver::Limit::Seconds(seconds),
            (None, given) => driver::Limit::Iterations(given.unwrap_or(10_000)),
        };
        let session = driver::Session {
            target: &target,
            limit,
            seed: args.seed,
            longest_seconds: args.longest,
            found: &args.found,
        };
        let summary = session
            .run()
            .map_err(|error| format!("{}: {error}", args.found.display()))?;
        println!("{summary}");
        clean &= summary.found == 0;
    }
    Ok(clean)
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
