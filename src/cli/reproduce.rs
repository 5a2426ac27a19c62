//! `warpstack reproduce`: a table of the paper, predicted cell by cell beside what was measured.

use super::CliResult;
use crate::predict::{PerformanceModel, PredictError};
use crate::report::chart::{self, panels::Panels};
use crate::report::progress::Progress;
use crate::report::{output, reproduction};
use crate::validate::cells::PROBLEMS;
use crate::validate::{Cell, Compared, Measured, Split, Table, cells};
use rayon::prelude::*;
use std::error::Error;
use std::path::PathBuf;

/// Predicts every cell of a table of the paper and compares it with the measured value.
#[derive(Debug, clap::Args)]
pub struct ReproduceArgs {
    /// Table of the paper: 3 or 4
    #[arg(long)]
    pub table: String,
    /// Problem name (`warpstack problems` lists them)
    #[arg(long, default_value = "sextic")]
    pub problem: String,
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670")]
    pub device: String,
    /// The performance model
    #[arg(long, value_enum, default_value = "sim")]
    pub engine: Engine,
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Chart of predicted and measured values to draw, .svg or .png
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// The cycle-approximate simulator
    Sim,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Table,
    Csv,
}

/// `split` says which cells took part in choosing a fitted value.
pub fn run(
    args: &ReproduceArgs,
    model: &dyn PerformanceModel,
    split: impl Fn(&Cell) -> Split,
) -> CliResult {
    let table = parse_table(&args.table)?;
    check_problem(&args.problem)?;
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    if let Some(path) = &args.chart {
        chart::check_path(path)?;
    }
    let cells = cells(table, &args.problem);
    let predictions = predict_all(model, &cells)?;
    // Measured values are read only now that every prediction stands.
    let measured = Measured::of_paper(table)?;
    let compared: Vec<Compared> = cells
        .into_iter()
        .zip(predictions)
        .map(|(cell, predicted_gpops_billion)| Compared {
            split: split(&cell),
            measured: measured.get(&cell),
            predicted_gpops_billion,
            cell,
        })
        .collect();
    let content = match args.format {
        Format::Table => reproduction::text(&compared).into_bytes(),
        Format::Csv => reproduction::csv(&compared)?,
    };
    output::write(args.out.as_deref(), &content)?;
    if let Some(path) = &args.chart {
        chart::save(&Panels { cells: &compared }, path)?;
    }
    eprint!("{}", reproduction::summary(&compared));
    Ok(())
}

/// In parallel, in the order of the cells.
fn predict_all(model: &dyn PerformanceModel, cells: &[Cell]) -> Result<Vec<f64>, PredictError> {
    let progress = Progress::new(cells.len() as u64, "cells");
    cells
        .par_iter()
        .map(|cell| {
            let prediction = model.predict(&cell.configuration())?;
            progress.step();
            Ok(prediction.gpops_billion)
        })
        .collect()
}

fn parse_table(given: &str) -> Result<Table, Box<dyn Error>> {
    let table = given.parse().ok().and_then(Table::from_number);
    table.ok_or_else(|| {
        let allowed = Table::ALL.map(|table| table.number().to_string());
        format!("unknown table \"{given}\"; allowed: {}", allowed.join(", ")).into()
    })
}

fn check_problem(given: &str) -> Result<(), Box<dyn Error>> {
    if PROBLEMS.contains(&given) {
        return Ok(());
    }
    let allowed = PROBLEMS.join(", ");
    Err(format!("unknown problem \"{given}\"; allowed: {allowed}").into())
}
