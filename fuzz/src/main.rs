//! Readers of files and what comes after them, fed with damaged ones: `cargo fuzz --help`; inputs that once crashed are in `fuzz/crashes/`.
//!
//! Each target takes any bytes and must not panic. Inputs are mutated from seeds; one that comes by new code, where
//! the program was compiled with counters (`with-coverage`), becomes a seed itself. Everything follows from the seed number and the
//! number of iterations, as long as no time ends it.

mod coverage;
mod driver;
mod mutate;
mod targets;

use clap::Parser;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;
use std::process::ExitCode;

/// Feed damaged files to readers and what comes after them
#[derive(Parser)]
struct Args {
    /// Targets [default: all, each for the given time or number]
    #[arg(value_parser = PossibleValuesParser::new(targets::all().into_iter().map(|target| target.name)))]
    targets: Vec<String>,
    /// Time for each target
    #[arg(long, conflicts_with = "iterations")]
    seconds: Option<f64>,
    /// Executions of each target
    #[arg(long, default_value_t = 10_000)]
    iterations: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for inputs that panic; the input in work of each target lies there, too
    #[arg(long, default_value = "target/fuzz-found")]
    found: PathBuf,
    /// Run these files once instead
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "targets")]
    replay: Vec<PathBuf>,
}

/// Runs the fuzzer; returns whether it found no fault.
fn run(args: &Args) -> Result<bool, String> {
    let mut clean = true;
    let is_chosen =
        |name: &str| args.targets.is_empty() || args.targets.iter().any(|one| one == name);
    for target in targets::all()
        .into_iter()
        .filter(|target| is_chosen(target.name))
    {
        for path in &args.replay {
            let bytes =
                std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            (target.run)(&bytes);
        }
        if !args.replay.is_empty() {
            continue;
        }
        let limit = match args.seconds {
            Some(seconds) => driver::Limit::Seconds(seconds),
            None => driver::Limit::Iterations(args.iterations),
        };
        let session = driver::Session {
            target: &target,
            limit,
            seed: args.seed,
            found: &args.found,
        };
        let found = session.run();
        clean &= found.map_err(|error| format!("{}: {error}", args.found.display()))? == 0;
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
