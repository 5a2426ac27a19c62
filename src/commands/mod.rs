//! The command line: one file per subcommand.
//!
//! A bad input is one line on standard error that names the thing, what was given and what is
//! allowed, and exit code 2. Results go to standard output or to a file, everything else to standard error.
//! Leaves out: all computing. Units: in the options' names and help.

pub mod advise;
pub mod annotate;
pub mod calibrate;
pub mod carveout;
pub mod compare;
pub mod configuration;
pub mod devices;
mod devices_new;
pub mod engine;
pub mod evolve;
pub mod explain;
mod explain_cpu;
pub mod explore;
pub mod export;
pub mod figure;
pub mod format;
mod help;
pub mod import;
pub mod kernels;
pub mod langdon;
pub mod look;
pub mod measure;
pub mod measure_args;
pub mod measure_cpu;
mod measure_paper;
mod measure_paper_cpu;
mod measure_robilliard;
pub mod merge;
mod names;
pub mod occupancy;
mod own_kernel;
pub mod papers;
pub mod problems;
pub mod report;
pub mod reproduce;
pub mod shell;
pub mod simulate;
pub mod slurm;
mod source;
pub mod stacks;
pub mod stop;
pub mod sweep;
pub mod trace;
pub mod validate;
pub mod whatif;

use crate::report::output;
use crate::report::progress::{self, Waiting};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::error::Error;
use std::process::ExitCode;

/// What a subcommand returns.
pub type CliResult = Result<(), Box<dyn Error>>;

/// Exit code of every refused input.
const BAD_INPUT: u8 = 2;

/// Explain and predict how fast genetic-programming stack interpreters run on GPUs.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
struct Cli {
    /// Number of threads to compute with; results do not depend on it [default: one per processor]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Simulate(simulate::SimulateArgs),
    Reproduce(reproduce::ReproduceArgs),
    Calibrate(calibrate::CalibrateArgs),
    Explain(explain::ExplainArgs),
    Annotate(annotate::AnnotateArgs),
    Source(source::SourceArgs),
    Explore(Box<explore::ExploreArgs>),
    Figure(figure::FigureArgs),
    Report(report::ReportArgs),
    Evolve(evolve::EvolveArgs),
    Devices(devices::DevicesArgs),
    Kernels(kernels::KernelsArgs),
    Measure(Box<measure_args::MeasureArgs>),
    Problems(problems::ProblemsArgs),
    Stacks(stacks::StacksArgs),
    Trace(trace::TraceArgs),
    Validate(validate::ValidateArgs),
    Langdon(langdon::LangdonArgs),
    Whatif(whatif::WhatifArgs),
    Merge(merge::MergeArgs),
    Slurm(slurm::SlurmArgs),
    Sweep(sweep::SweepArgs),
    Advise(advise::AdviseArgs),
    Compare(compare::CompareArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
    Occupancy(occupancy::OccupancyArgs),
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
    let done = dispatch(cli);
    drop(waiting);
    match done {
        Ok(()) => {
            engine::say_validated();
            ExitCode::SUCCESS
        }
        Err(error) => fail(&error.to_string()),
    }
}

fn dispatch(cli: Cli) -> CliResult {
    if let Some(jobs) = cli.jobs {
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(jobs))
            .build_global()?;
    }
    match cli.command {
        Command::Simulate(args) => simulate::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Annotate(args) => annotate::run(&args),
        Command::Source(args) => source::run(&args),
        Command::Explore(args) => explore::run(&args),
        Command::Figure(args) => figure::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Evolve(args) => evolve::run(args),
        Command::Kernels(args) => kernels::run(&args),
        Command::Measure(args) => measure::run(&args),
        Command::Problems(args) => problems::run(&args),
        Command::Stacks(args) => stacks::run(&args),
        Command::Trace(args) => trace::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Langdon(args) => langdon::run(&args),
        Command::Whatif(args) => whatif::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Slurm(args) => slurm::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Advise(args) => advise::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Completions(args) => {
            shell::completions(&args, help::with_examples(Cli::command()))
        }
        Command::Man(args) => shell::man(&args, help::with_examples(Cli::command())),
        Command::Devices(args) => devices::run(&args),
        Command::Occupancy(args) => occupancy::run(&args),
    }
}

/// Help and version as clap prints them, every refusal as one line.
fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Nothing on standard output, which is for results.
        progress::say(&error.to_string());
        return ExitCode::from(BAD_INPUT);
    }
    if !error.use_stderr() {
        // A reader who has had enough is no error.
        return match output::write(None, error.to_string().as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error.to_string()),
        };
    }
    fail(&refusal(error))
}

/// What clap refuses, what is allowed, and what may be meant.
fn refusal(error: &clap::Error) -> String {
    use clap::error::{ContextKind, ContextValue};
    let text = error.to_string();
    let first_paragraph = text.split("\n\n").next().unwrap_or(&text);
    let refused = first_paragraph.trim_start_matches("error: ");
    let refused = match refused.split_once("[possible values: ") {
        Some((before, after)) => {
            let allowed = after.trim_end_matches(']');
            format!("{}; allowed: {allowed}", before.trim_end())
        }
        None => refused.to_owned(),
    };
    let kinds = [
        ContextKind::SuggestedValue,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
    ];
    let meant = kinds.iter().find_map(|kind| match error.get(*kind)? {
        ContextValue::String(name) => Some(name.clone()),
        ContextValue::Strings(names) => names.first().cloned(),
        _ => None,
    });
    match meant {
        Some(name) => format!("{refused}; did you mean {name}?"),
        None => refused,
    }
}

fn fail(message: &str) -> ExitCode {
    progress::say(&format!("error: {}", one_line(message)));
    ExitCode::from(BAD_INPUT)
}

/// A message with its line breaks as spaces.
pub fn one_line(message: &str) -> String {
    let words: Vec<&str> = message.split_whitespace().collect();
    words.join(" ")
}

/// The options of one subcommand, as they are typed after its name: for callers that are no command line.
pub fn parse<A: clap::Args>(options: &[String]) -> Result<A, String> {
    let command = A::augment_args(clap::Command::new("warpstack").no_binary_name(true));
    let matches = command.try_get_matches_from(options);
    let parsed = matches.and_then(|matches| A::from_arg_matches(&matches));
    parsed.map_err(|error| one_line(&refusal(&error)))
}
