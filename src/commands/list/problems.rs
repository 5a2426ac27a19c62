//! `warpstack list problems`: the problems with their function sets and fitness cases.

use crate::commands::CliResult;
use crate::commands::format::OutputArgs;
use crate::gp::problem::{Definition, ProblemId};
use crate::report::columns::Columns;
use crate::report::provenance::Provenance;

/// List the problems: functions, inputs, constants, fitness cases.
#[derive(Debug, clap::Args)]
pub struct ProblemsArgs {
    #[command(flatten)]
    pub output: OutputArgs,
}

pub fn run(args: &ProblemsArgs) -> CliResult {
    args.output.check()?;
    let all = ProblemId::ALL.iter().map(|id| id.definition());
    let all: Vec<&Definition> = all.collect();
    args.output
        .print_columns(&columns(), &all, &Provenance::of_program())
}

fn columns() -> Columns<&'static Definition> {
    Columns::<&Definition>::new(3)
        .column("problem", "problem", |one| one.name)
        .column("functions", "functions", |one| {
            let symbols = one.functions.iter().map(|function| function.symbol());
            symbols.collect::<Vec<_>>().join(" ")
        })
        .column("constants", "constants", |one| match one.constants {
            Some((low, high)) => format!("{low} to {high}"),
            None => "none".to_owned(),
        })
        .column("inputs", "inputs", |one| one.n_inputs)
        .column("fitness cases", "fitness_cases", |one| one.n_cases)
}
