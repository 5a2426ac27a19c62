//! `warpstack lab`: files for the 90-minute lab, and marks for its answers.
//!
//! Leaves out: the sheet (`docs/lab/sheet.md`). Units: those of each question (`questions.rs`).

mod answers;
mod check;
mod facts;
mod measured;
mod questions;
mod start;
mod unit;

use super::CliResult;

/// Do the 90-minute lab: write its files, mark its answers.
#[derive(Debug, clap::Args)]
pub struct LabArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Start(start::StartArgs),
    Check(check::CheckArgs),
}

pub fn run(args: &LabArgs) -> CliResult {
    match &args.what {
        What::Start(args) => start::run(args),
        What::Check(args) => check::run(args),
    }
}
