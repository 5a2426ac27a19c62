//! `warpstack problems`: the problems with their function sets and fitness cases.

use super::CliResult;
use super::format::OutputArgs;
use crate::gp::problem::{Definition, ProblemId};
use crate::report::provenance::Provenance;
use crate::report::table::table;
use serde::Serialize;

/// List the problems: functions, inputs, constants, fitness cases.
#[derive(Debug, clap::Args)]
pub struct ProblemsArgs {
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Serialize)]
struct Row {
    problem: &'static str,
    functions: String,
    constants: String,
    inputs: usize,
    fitness_cases: usize,
}

pub fn run(args: &ProblemsArgs) -> CliResult {
    args.output.check()?;
    let row = |problem: &Definition| Row {
        problem: problem.name,
        functions: problem
            .functions
            .iter()
            .map(|function| function.symbol())
            .collect::<Vec<_>>()
            .join(" "),
        constants: problem
            .constants
            .map_or("none".into(), |(low, high)| format!("{low} to {high}")),
        inputs: problem.n_inputs,
        fitness_cases: problem.n_cases,
    };
    let all = ProblemId::ALL.iter().map(|id| row(id.definition()));
    let rows: Vec<Row> = all.collect();
    let provenance = Provenance::of_program();
    args.output.print(&rows, &provenance, || text(&rows))
}

fn text(rows: &[Row]) -> String {
    let cells = |row: &Row| {
        vec![
            row.problem.to_owned(),
            row.functions.clone(),
            row.constants.clone(),
            row.inputs.to_string(),
            row.fitness_cases.to_string(),
        ]
    };
    let headers = [
        "problem",
        "functions",
        "constants",
        "inputs",
        "fitness cases",
    ];
    table(&headers, rows.iter().map(cells).collect(), 3)
}
