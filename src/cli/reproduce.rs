//! `warpstack reproduce`: a table of the paper, predicted cell by cell beside what was measured.

use super::CliResult;
use super::engine::EngineArgs;
use crate::device::{Device, Preset};
use crate::predict::{PerformanceModel, PredictError};
use crate::report::chart::{self, panels::Panels};
use crate::report::progress::Progress;
use crate::report::{output, reproduction};
use crate::validate::{Cell, Compared, Measured, Table, cells};
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
    #[command(flatten)]
    pub engine: EngineArgs,
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// Repeat with N other draws of programs from the corpus and report how far the results spread
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=1000))]
    pub spread: Option<u16>,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Chart of predicted and measured values to draw, .svg or .png
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Table,
    Csv,
}

pub fn run(args: &ReproduceArgs) -> CliResult {
    let table = parse_table(&args.table)?;
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    if let Some(path) = &args.chart {
        chart::check_path(path)?;
    }
    let cells = cells(table, &args.problem);
    let device = Preset::load(&args.device)?.device;
    let model = args.engine.open(&device, &[&args.problem])?;
    let predictions = predict_all(&model, &cells)?;
    let other_draws = other_draws(args, &device, &cells)?;
    // Measured values are read only now that every prediction stands.
    let measured = Measured::of_paper(table)?;
    let compared = compare(&cells, &predictions, &measured);
    let content = match args.format {
        Format::Table => reproduction::text(&compared).into_bytes(),
        Format::Csv => reproduction::csv(&compared)?,
    };
    output::write(args.out.as_deref(), &content)?;
    if let Some(path) = &args.chart {
        chart::save(&Panels { cells: &compared }, path)?;
    }
    for sentence in model.weighting() {
        eprintln!("{sentence}");
    }
    eprint!("{}", reproduction::summary(&compared));
    let draws: Vec<_> = other_draws
        .iter()
        .map(|predictions| compare(&cells, predictions, &measured))
        .collect();
    eprint!("{}", reproduction::spread(&draws));
    Ok(())
}

/// Predictions for further draws of programs, as many as asked for.
fn other_draws(
    args: &ReproduceArgs,
    device: &Device,
    cells: &[Cell],
) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let n_draws = u64::from(args.spread.unwrap_or(0));
    let mut draws = Vec::new();
    for draw in 1..=n_draws {
        let mut engine = args.engine.clone();
        engine.population_seed = engine.population_seed.wrapping_add(draw);
        let model = engine.open(device, &[&args.problem])?;
        draws.push(predict_all(&model, cells)?);
    }
    Ok(draws)
}

fn compare(cells: &[Cell], predictions: &[f64], measured: &Measured) -> Vec<Compared> {
    cells
        .iter()
        .zip(predictions)
        .map(|(cell, predicted)| Compared {
            cell: cell.clone(),
            split: cell.split(),
            predicted_gpops_billion: *predicted,
            measured: measured.get(cell),
        })
        .collect()
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
