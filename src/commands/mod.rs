//! The command line: one file per subcommand.
//!
//! A bad input is one line on standard error that names the thing, what was given and what is
//! allowed, and exit code 2. A check that ran with a negative result has exit code 1. Results go to standard output or to a file, everything else to standard error.
//! Leaves out: all computing. Units: in the options' names and help.

pub mod advise;
pub mod calibrate;
mod characterize;
pub mod configuration;
pub mod engine;
mod error;
pub mod evolve;
pub mod explain;
pub mod explore;
pub mod export;
pub mod format;
mod generate;
mod help;
pub mod import;
mod lab;
mod limit;
pub mod list;
pub mod look;
pub mod measure;
mod names;
pub mod occupancy;
mod own_kernel;
pub mod predict;
mod refuse;
pub mod reproduce;
pub mod score;
pub mod stop;
pub mod trace;
pub mod validate;
pub mod whatif;

use crate::gp::program_file;
use crate::report::output;
use crate::report::progress::{self, Waiting};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use error::{CommandError, Negative};
use std::error::Error;
use std::process::ExitCode;
use stop::Stop;

/// Result of a subcommand.
pub type CliResult = Result<(), Box<dyn Error>>;

/// Explain and predict how fast genetic-programming stack interpreters run on GPUs.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 80)]
struct Cli {
    /// Number of threads to compute with; results do not depend on it [default: one per processor]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Predict(predict::PredictArgs),
    Explain(explain::ExplainArgs),
    Advise(advise::AdviseArgs),
    Whatif(Box<whatif::WhatifArgs>),
    Occupancy(occupancy::OccupancyArgs),
    Trace(trace::TraceArgs),
    Reproduce(Box<reproduce::ReproduceArgs>),
    Validate(validate::ValidateArgs),
    Score(score::ScoreArgs),
    Measure(measure::MeasureArgs),
    Characterize(characterize::CharacterizeArgs),
    Calibrate(calibrate::CalibrateArgs),
    Evolve(Box<evolve::EvolveArgs>),
    List(list::ListArgs),
    Lab(lab::LabArgs),
    Explore(Box<explore::ExploreArgs>),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
    #[command(hide = true)]
    Generate(generate::GenerateArgs),
}

/// Runs the program.
pub fn main() -> ExitCode {
    let command = help::with_examples(Cli::command());
    let parsed = command
        .try_get_matches()
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let waiting = Waiting::begin();
    let done = dispatch(cli, &Stop::default());
    drop(waiting);
    match done {
        Ok(()) => {
            engine::say_notes();
            progress::say(program_file::mapped().unwrap_or_default());
            ExitCode::SUCCESS
        }
        Err(error) => match error.downcast_ref::<Negative>() {
            Some(negative) => {
                progress::say(&negative.0);
                ExitCode::from(error::NEGATIVE)
            }
            None => fail(&CommandError::refused(&*error)),
        },
    }
}

fn dispatch(cli: Cli, stop: &Stop) -> CliResult {
    if let Some(jobs) = cli.jobs {
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(jobs))
            .build_global()?;
    }
    match cli.command {
        Command::Predict(args) => predict::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Advise(args) => advise::run(&args),
        Command::Whatif(args) => whatif::run(&args, stop),
        Command::Occupancy(args) => occupancy::run(&args),
        Command::Trace(args) => trace::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Score(args) => score::run(&args),
        Command::Measure(args) => measure::run(&args),
        Command::Characterize(args) => characterize::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Evolve(args) => evolve::run(&args, stop),
        Command::List(args) => list::run(&args),
        Command::Lab(args) => lab::run(&args),
        Command::Explore(args) => explore::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Generate(args) => generate::run(&args, help::with_examples(Cli::command())),
    }
}

/// Help and version as clap prints them, every refusal as one line.
fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Nothing on standard output, which is for results.
        progress::say(&error.to_string());
        return ExitCode::from(error::BAD_INPUT);
    }
    if !error.use_stderr() {
        // A reader who has had enough is no error.
        return match output::write(None, error.to_string().as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&CommandError::refused(&error)),
        };
    }
    fail(&error.into())
}

fn fail(error: &CommandError) -> ExitCode {
    progress::say(&format!("error: {}", one_line(&error.to_string())));
    ExitCode::from(error.exit_code())
}

/// A message with its line breaks as spaces.
pub fn one_line(message: &str) -> String {
    let words: Vec<&str> = message.split_whitespace().collect();
    words.join(" ")
}

/// Runs a command line, given without the program's name, and returns what it prints: for callers that are no command line. A refusal is
/// one line, as the program prints it.
pub fn output_of(arguments: &[String], stop: &Stop) -> Result<String, String> {
    let command = Cli::command().no_binary_name(true);
    let parsed = command
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = parsed.map_err(|error| one_line(&CommandError::from(&error).to_string()))?;
    let (done, printed) = output::captured(|| dispatch(cli, stop));
    match done {
        Ok(()) => String::from_utf8(printed).map_err(|error| error.to_string()),
        Err(error) => Err(one_line(&error.to_string())),
    }
}
