//! Maintenance of warpstack, `cargo xtask help`: programs that make fixtures, the book and the page in the browser.

mod book;
mod errors;
mod predictions;
mod random_programs;
mod wasm;

use clap::{Parser, Subcommand};
use std::process::{Command, ExitCode};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Maintenance of warpstack
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the book, and the page of `warpstack explore` in it (needs mdbook)
    Book,
    /// Write the errors that intervals rest on: fixtures/measured/errors.csv
    Errors,
    /// Write the predictions that `warpstack score` judges: fixtures/measured/predictions.csv
    Predictions,
    /// Write the random programs that measurements run
    RandomPrograms(random_programs::Args),
    /// Build the library for browsers and compare its digits with this machine's
    Wasm,
}

fn main() -> ExitCode {
    let done = match Args::parse().task {
        Task::Book => book::run(),
        Task::Errors => errors::run(),
        Task::Predictions => predictions::run(),
        Task::RandomPrograms(args) => random_programs::run(args),
        Task::Wasm => wasm::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns a path below the repository's root.
fn in_repository(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(path)
}

/// Returns what the program prints with these words.
fn printed(words: &[&str]) -> Result<Vec<u8>, Failure> {
    let output = Command::new(env!("CARGO"))
        .args(["run", "--release", "--quiet", "--"])
        .args(words)
        .current_dir(in_repository(""))
        .output()?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into()),
    }
}
