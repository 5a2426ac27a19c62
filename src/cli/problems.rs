//! `warpstack problems`: the problems with their function sets and fitness cases.

use super::CliResult;
use crate::gp::problem;
use crate::report::{output, table::table};

/// List the problems: functions, inputs, constants, fitness cases.
#[derive(Debug, clap::Args)]
pub struct ProblemsArgs {}

pub fn run(_: &ProblemsArgs) -> CliResult {
    let mut rows = Vec::new();
    for problem in problem::DESCRIPTIONS {
        let functions: Vec<&str> = problem.functions.iter().map(|f| f.symbol()).collect();
        let constants = problem
            .constants
            .map_or("none".into(), |(low, high)| format!("{low} to {high}"));
        rows.push(vec![
            problem.name.into(),
            functions.join(" "),
            constants,
            problem.n_inputs.to_string(),
            problem.n_cases.to_string(),
        ]);
    }
    let headers = [
        "problem",
        "functions",
        "constants",
        "inputs",
        "fitness cases",
    ];
    output::write(None, table(&headers, rows, 3).as_bytes())?;
    Ok(())
}
