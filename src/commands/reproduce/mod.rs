//! `warpstack reproduce`: tables and figures of the papers, predicted beside what was measured.
//!
//! Leaves out: the stack depths of Tables 5 and 6 (`depths.rs`), the other papers (`papers.rs`).

mod depths;
pub mod papers;

use super::CliResult;
use super::engine::{EngineArgs, note_weights};
use super::format::OutputArgs;
use super::limit::evenly;
use super::look::ChartArgs;
use super::names::ALL;
use crate::device::{Device, Preset};
use crate::launch::prediction::{PredictError, Prediction};
use crate::predictor::{self, Predictor};
use crate::report::chart::tables as charts;
use crate::report::contrasts as report_contrasts;
use crate::report::progress::{self, Progress};
use crate::report::provenance::Provenance;
use crate::report::reproduction::{self, Reproduced};
use crate::systems::options::LaunchOptions;
use crate::util::parallel;
use crate::validate::contrasts::{Observed, contrasts};
use crate::validate::{Cell, Compared, Measured, Table, cells};
use papers::{PaperArg, PaperRun, Reproduction};
use std::error::Error;
use std::path::PathBuf;

/// Predict a paper's table and compare it with the measured values.
#[derive(Debug, clap::Args)]
#[command(mut_arg("chart", |arg| arg.help("Chart of predicted and measured values to draw, .svg or .png; with --paper its figures on one sheet")))]
pub struct ReproduceArgs {
    /// Tables of the main paper, separated by commas: 3, 4, 7, 8, 9, 10 or all; or 5,6: the percentage of programs that
    /// fits a stack limit
    #[arg(long, value_name = "LIST", required_unless_present = "paper")]
    pub table: Option<String>,
    /// Another paper, whose figures are predicted beside what it published
    #[arg(long, value_enum, conflicts_with_all = ["table", "problem", "spread", "limit"])]
    pub paper: Option<PaperArg>,
    /// Problem names, separated by commas (`warpstack list problems` lists them), or all [default: sextic; tables 5 and 6: the paper's four]
    #[arg(long, value_name = "LIST", value_parser = crate::commands::names::problem().list())]
    pub problem: Option<String>,
    /// Device name, or the path of a .toml file [default: gtx670; with --paper the paper's own]
    #[arg(long, value_parser = crate::commands::names::device())]
    pub device: Option<String>,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Predict at most N cells, evenly spread
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Tables 5 and 6: run records that `warpstack evolve --record` wrote [default: the committed ones]
    #[arg(long, value_name = "FILE", conflicts_with = "paper")]
    pub record: Vec<PathBuf>,
    /// Number of other draws of programs from the corpus to repeat with, to report how far the results spread
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=1000))]
    pub spread: Option<u16>,
    /// Compare all pairs of cells that differ in one thing, instead of the cells: how well differences are predicted
    #[arg(long, conflicts_with_all = ["paper", "spread", "chart", "limit"])]
    pub contrasts: bool,
    #[command(flatten)]
    pub chart: ChartArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

impl ReproduceArgs {
    /// The device of the speed tables.
    fn device(&self) -> &str {
        self.device.as_deref().unwrap_or("gtx670")
    }
}

pub fn run(args: &ReproduceArgs) -> CliResult {
    args.output.check()?;
    args.chart.check()?;
    if let Some(paper) = args.paper {
        return of_paper(args, paper);
    }
    let table = args.table.as_deref().unwrap_or(ALL);
    if depths::are_asked(table)? {
        return depths::run(args);
    }
    if let Some(path) = args.record.first() {
        let given = path.display();
        return Err(format!("--record: given {given}; allowed: with --table 5,6").into());
    }
    let tables = parse_tables(table)?;
    let problems = parse_problems(args.problem.as_deref().unwrap_or("sextic"))?;
    let cells = evenly(all_cells(&tables, &problems), args.limit);
    speeds(args, (&tables, &problems), cells)
}

fn of_paper(args: &ReproduceArgs, paper: PaperArg) -> CliResult {
    let reproduction = Reproduction {
        run: PaperRun {
            paper,
            device: args.device.as_deref(),
            engine: &args.engine.for_kernels([paper.kernel()]),
        },
        output: &args.output,
        chart: &args.chart,
    };
    reproduction.write()
}

/// Predicted and measured speeds of the cells.
fn speeds(
    args: &ReproduceArgs,
    (tables, problems): (&[Table], &[&str]),
    cells: Vec<Cell>,
) -> CliResult {
    let engine = &args.engine;
    engine.inputs.check_population()?;
    let device = Preset::load(args.device())?.device;
    let model = engine.open(&device, problems)?;
    let predictions = predict_all(&model, &cells)?;
    let n_draws = args.spread.unwrap_or(0);
    let other_draws = other_draws(engine, n_draws, (&device, problems), &cells)?;
    // Measured values are read only after every prediction is made.
    let measured = tables
        .iter()
        .map(|table| Measured::of_paper(*table))
        .collect::<Result<Vec<_>, _>>()?;
    let compared = compare(&cells, &predictions, &measured);
    if args.contrasts {
        let found = contrasts(&Observed::of_paper(&compared));
        let provenance = Provenance::of(&model);
        args.output
            .print_columns(&report_contrasts::columns(), &found, &provenance)?;
        progress::say(&report_contrasts::legend());
        return Ok(());
    }
    let pairs = compared.iter().zip(&predictions);
    let rows: Vec<Reproduced> = pairs
        .map(|(compared, prediction)| Reproduced {
            compared,
            prediction,
        })
        .collect();
    let provenance = Provenance::of(&model);
    args.output
        .print_columns(&reproduction::columns(), &rows, &provenance)?;
    args.chart.save(|| charts::speeds(&compared))?;
    note_weights(&model);
    progress::say(&reproduction::summary(&compared));
    if args.limit.is_none() {
        progress::say(&reproduction::conclusions(&compared));
    }
    let draws: Vec<_> = other_draws
        .iter()
        .map(|predictions| compare(&cells, predictions, &measured))
        .collect();
    let draws: Vec<&[Compared]> = draws.iter().map(Vec::as_slice).collect();
    progress::say(&reproduction::spread(&draws));
    Ok(())
}

/// Predictions for further draws of programs, as many as asked for.
fn other_draws(
    engine: &EngineArgs,
    n_draws: u16,
    (device, problems): (&Device, &[&str]),
    cells: &[Cell],
) -> Result<Vec<Vec<Prediction>>, Box<dyn Error>> {
    let mut draws = Vec::new();
    for draw in 1..=u64::from(n_draws) {
        let mut engine = engine.clone();
        let seed = &mut engine.inputs.program_seed;
        *seed = seed.wrapping_add(draw);
        let model = engine.open(device, problems)?;
        draws.push(predict_all(&model, cells)?);
    }
    Ok(draws)
}

fn compare(cells: &[Cell], predictions: &[Prediction], measured: &[Measured]) -> Vec<Compared> {
    cells
        .iter()
        .zip(predictions)
        .map(|(cell, prediction)| Compared {
            cell: cell.clone(),
            split: cell.split(),
            predicted_gpops_billion: prediction.gpops_billion,
            measured: measured.iter().find_map(|table| table.get(cell)),
        })
        .collect()
}

/// Predicts all cells in parallel; results are in the order of the cells. Cells of one kernel are predicted one after another, so
/// that they share its traces.
fn predict_all(model: &Predictor, cells: &[Cell]) -> Result<Vec<Prediction>, PredictError> {
    let progress = Progress::new(cells.len() as u64, "cells");
    let launches: Vec<LaunchOptions> = cells.iter().map(Cell::options).collect();
    let mut by_kernel: Vec<usize> = (0..cells.len()).collect();
    by_kernel.sort_by_key(|&index| {
        let c = &launches[index];
        (&c.problem, &c.kernel, c.stack_dim, c.stack_registers)
    });
    let mut found = parallel::try_map(&by_kernel, |&index| {
        let prediction = model.predict(&launches[index])?;
        progress.step();
        Ok((index, prediction))
    })?;
    found.sort_unstable_by_key(|(index, _)| *index);
    Ok(found
        .into_iter()
        .map(|(_, prediction)| prediction)
        .collect())
}

/// Table by table, problem by problem.
fn all_cells(tables: &[Table], problems: &[&str]) -> Vec<Cell> {
    let of_table = |table: &Table| {
        let table = *table;
        problems
            .iter()
            .flat_map(move |problem| cells(table, problem))
    };
    tables.iter().flat_map(of_table).collect()
}

/// Problem names, several with commas, or all.
fn parse_problems(given: &str) -> Result<Vec<&str>, String> {
    let known = predictor::problems();
    if given == ALL {
        return Ok(known);
    }
    let names: Vec<&str> = given.split(',').map(str::trim).collect();
    match names.iter().find(|name| !known.contains(name)) {
        Some(name) => {
            let allowed = known.join(", ");
            Err(format!(
                "unknown problem \"{name}\"; allowed: {allowed}, {ALL}"
            ))
        }
        None => Ok(names),
    }
}

/// Table numbers, several with commas, or all.
fn parse_tables(given: &str) -> Result<Vec<Table>, String> {
    if given == ALL {
        return Ok(Table::ALL.to_vec());
    }
    let parse = |part: &str| {
        let table = part.trim().parse().ok().and_then(Table::from_number);
        table.ok_or_else(|| {
            let allowed = Table::ALL.map(|table| table.number().to_string());
            let allowed = allowed.join(", ");
            format!("unknown table \"{part}\"; allowed: {allowed}, {ALL}; 5 and 6 by themselves")
        })
    };
    let mut tables: Vec<Table> = Vec::new();
    for part in given.split(',') {
        let table = parse(part)?;
        // Named twice, it is predicted and counted once.
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_named_twice_is_predicted_once() {
        let numbers = |given| {
            parse_tables(given)
                .unwrap()
                .iter()
                .map(|table| table.number())
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers("3,3, 4,3"), [3, 4]);
        assert_eq!(numbers("4,3"), [4, 3]);
        assert!(parse_tables("3,").is_err());
    }
}
