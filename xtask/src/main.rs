//! Maintenance of warpstack, `cargo xtask help`: programs that make fixtures, fit values, or answer a question of the documents.

mod count_divergence;
mod depth_conventions;
mod differential;
mod fuzz;
mod mutants;
mod random_programs;
mod refit_h200;
mod run_spread;
mod sampling;
mod stack_study;
mod token_latency;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

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
    /// Count the warp instructions that data adds to the traces: writes fixtures/divergence.csv
    CountDivergence(count_divergence::Args),
    /// Count the stack levels of the corpora in other orders of evaluation (docs/tables-5-6.md)
    DepthConventions,
    /// Compare interpreters and machine code on a million pairs of a program and a case (docs/testing.md)
    Differential(differential::Args),
    /// Feed damaged files to readers and what comes after them (docs/testing.md)
    Fuzz(fuzz::Args),
    /// Put small faults into the timing code and find which tests notice (docs/testing.md)
    Mutants(mutants::Args),
    /// Write the random programs that measurements run
    RandomPrograms(random_programs::Args),
    /// Fit the H200's fitted value again, on the calibration split alone
    RefitH200(refit_h200::Args),
    /// Compare the speeds of single GP runs with the paper's confidence intervals (docs/tables-5-6.md)
    RunSpread,
    /// Predict cells of the paper's tables with any sampling plan, as CSV (docs/sampling.md)
    Sampling(sampling::Args),
    /// Search the GP settings behind Tables 5 and 6 (docs/tables-5-6.md)
    StackStudy(stack_study::Args),
    /// Predict what a token of Robilliard's interpreter takes, beside what was measured
    TokenLatency(token_latency::Args),
}

fn main() -> ExitCode {
    let done = match Args::parse().task {
        Task::CountDivergence(args) => count_divergence::run(args),
        Task::DepthConventions => depth_conventions::run(),
        Task::Differential(args) => differential::run(args),
        Task::Fuzz(args) => fuzz::run(args),
        Task::Mutants(args) => mutants::run(args),
        Task::RandomPrograms(args) => random_programs::run(args),
        Task::RefitH200(args) => refit_h200::run(args),
        Task::RunSpread => run_spread::run(),
        Task::Sampling(args) => sampling::run(args),
        Task::StackStudy(args) => stack_study::run(args),
        Task::TokenLatency(args) => token_latency::run(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A path below the repository's root.
fn in_repository(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(path)
}
