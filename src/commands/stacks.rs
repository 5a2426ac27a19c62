//! `warpstack stacks`: Tables 5 and 6 from committed run records, or from runs made now.

use super::CliResult;
use super::evolve::{finish, settings};
use super::format::OutputArgs;
use super::look::{self, LookArgs};
use super::stop::Stop;
use crate::gp::campaign::{Campaign, Plan};
use crate::gp::problem::{self, ProblemId, Source};
use crate::gp::record::Record;
use crate::report::chart::{self, tables};
use crate::report::progress;
use crate::report::provenance::Provenance;
use crate::report::{output, stacks};
use std::error::Error;
use std::path::PathBuf;

/// Print what percentage of programs fits a stack limit, in RPN and in LGP, beside the paper's Tables 5 and 6.
#[derive(Debug, Clone, clap::Args)]
#[command(mut_args(look::only_with_chart))]
pub struct StacksArgs {
    /// Show only this problem; repeat for several
    #[arg(long, value_parser = crate::commands::names::problem())]
    pub problem: Vec<String>,
    /// Run now instead of reading the committed records
    #[arg(long)]
    pub run: bool,
    /// Number of runs per problem
    #[arg(long, default_value_t = 1, requires = "run", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// Seed of the first run; run number r uses seed + r
    #[arg(long, default_value_t = 1, requires = "run")]
    pub seed: u64,
    /// Largest number of fitness cases to evaluate
    #[arg(long, value_name = "N", requires = "run", value_parser = clap::value_parser!(u64).range(1..))]
    pub cases: Option<u64>,
    /// Folder of the UCI files [default: the folder that WARPSTACK_DATA names]
    #[arg(long, value_name = "DIR", requires = "run")]
    pub data: Option<PathBuf>,
    /// JSON file of settings [default: the built-in settings]
    #[arg(long, value_name = "FILE", requires = "run")]
    pub settings: Option<PathBuf>,
    /// Run record to write (single problem)
    #[arg(long, value_name = "FILE", requires = "run")]
    pub record: Option<PathBuf>,
    /// Chart of both tables to draw, .svg or .png
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
    #[command(flatten)]
    pub look: LookArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The committed records, in the paper's order.
const RECORDS: [(&str, &str); 4] = [
    ("sextic", include_str!("../../fixtures/runs/sextic.json")),
    ("shuttle", include_str!("../../fixtures/runs/shuttle.json")),
    ("kddcup", include_str!("../../fixtures/runs/kddcup.json")),
    ("mux20", include_str!("../../fixtures/runs/mux20.json")),
];

pub fn run(args: &StacksArgs) -> CliResult {
    for name in &args.problem {
        name.parse::<ProblemId>()?;
    }
    args.output.check()?;
    if let Some(path) = &args.chart {
        chart::check_path(path)?;
    }
    let records = if args.run {
        make(args)?
    } else {
        committed(&args.problem)?
    };
    let rows = stacks::rows(&records)?;
    if let Some(path) = &args.chart {
        chart::save(&tables::depths(&rows), path, args.look.look())?;
    }
    args.output
        .print_columns(&stacks::columns(), &rows, &provenance(args))?;
    progress::say(&stacks::summary(&records, &rows));
    Ok(())
}

/// The committed records say their seeds themselves.
fn provenance(args: &StacksArgs) -> Provenance {
    Provenance {
        population_seed: args.run.then_some(args.seed),
        ..Provenance::of_program()
    }
}

/// The committed records of these problems, or all of them.
fn committed(problems: &[String]) -> Result<Vec<Record>, Box<dyn Error>> {
    if let Some(name) = problems
        .iter()
        .find(|name| RECORDS.iter().all(|(known, _)| known != name))
    {
        let allowed = RECORDS.map(|(name, _)| name).join(", ");
        return Err(format!(
            "--problem: given {name}; allowed: {allowed}, whose runs are committed; others with --run"
        )
        .into());
    }
    let wanted = RECORDS
        .iter()
        .filter(|(name, _)| problems.is_empty() || problems.iter().any(|p| p == name));
    Ok(wanted
        .map(|(name, text)| Record::parse(text, name))
        .collect::<Result<_, _>>()?)
}

fn make(args: &StacksArgs) -> Result<Vec<Record>, Box<dyn Error>> {
    let all = problem::PAPER.map(|id| id.name().to_owned()).to_vec();
    let names = if args.problem.is_empty() {
        &all
    } else {
        &args.problem
    };
    if let Some(path) = &args.record {
        if names.len() != 1 {
            return Err(format!(
                "--record: given with the problems {}; allowed: with one --problem",
                names.join(", ")
            )
            .into());
        }
        output::check_writable(path)?;
    }
    let config = settings(args.settings.as_deref())?;
    let source = Source {
        n_cases: args.cases.map(|n| n as usize),
        data: args.data.clone(),
    };
    let mut records = Vec::new();
    for name in names {
        let problem = problem::load(name, &source)?;
        let plan = Plan {
            problem: name.clone(),
            evaluated_cases: problem.n_cases(),
            seed: args.seed,
            runs: args.runs,
            per_generation: 0,
            settings: config.clone(),
        };
        let (campaign, _) = finish(Campaign::new(plan), &problem, None, &Stop::default())?;
        records.push(campaign.record(command(args, name)));
    }
    if let (Some(path), [record]) = (&args.record, &records[..]) {
        output::write(Some(path), record.to_text()?.as_bytes())?;
    }
    Ok(records)
}

/// The command that makes this record again.
fn command(args: &StacksArgs, problem: &str) -> String {
    let mut text = format!(
        "warpstack stacks --run --problem {problem} --seed {} --runs {}",
        args.seed, args.runs
    );
    if let Some(cases) = args.cases {
        text += &format!(" --cases {cases}");
    }
    if let Some(settings) = &args.settings {
        text += &format!(" --settings {}", settings.display());
    }
    if let Some(record) = &args.record {
        text += &format!(" --record {}", record.display());
    }
    text
}
