//! `warpstack validate`: predictions beside everything that was measured on a device.

use super::CliResult;
use super::engine::Engine as EngineArg;
use crate::device::{Device, Preset};
use crate::engine::given::{GivenLaunch, GivenPrediction, GivenPrograms};
use crate::engine::{self, Engine, Kind, Settings};
use crate::gp::program::Rpn;
use crate::gpu::measure::Split as MeasuredSplit;
use crate::gpu::variant::{FunctionSet, KernelId};
use crate::gpu::workload::measured_programs;
use crate::predict::{PerformanceModel, Prediction};
use crate::report::output;
use crate::report::progress::Progress;
use crate::report::validation::{self, Line};
use crate::validate::launches::{MeasuredLaunch, measured_launches};
use crate::validate::{Cell, Measured, Split, Table, cells};
use rayon::prelude::*;
use std::collections::HashMap;
use std::error::Error;
use std::path::PathBuf;

/// Predicts what was measured on a device, the same programs and cases, and compares.
#[derive(Debug, clap::Args)]
pub struct ValidateArgs {
    /// Device with measurements
    #[arg(long, value_enum, default_value = "h200")]
    pub device: Measurements,
    /// Configurations to predict, evenly spread over those measured; 0 for all
    #[arg(long, default_value_t = 60)]
    pub rows: usize,
    /// The performance model
    #[arg(long, value_enum, default_value = "sim")]
    pub engine: EngineArg,
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Measurements {
    /// The runs of `fixtures/measured/h200/`
    H200,
    /// The tables of the paper
    Gtx670,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Table,
    Csv,
}

pub fn run(args: &ValidateArgs) -> CliResult {
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    let lines = match args.device {
        Measurements::H200 => launches(args.rows, args.engine.kind())?,
        Measurements::Gtx670 => paper(args.rows, args.engine.kind())?,
    };
    let content = match args.format {
        Format::Table => validation::text(&lines).into_bytes(),
        Format::Csv => validation::csv(&lines)?,
    };
    output::write(args.out.as_deref(), &content)?;
    eprint!("{}", validation::summary(&lines));
    Ok(())
}

/// `n` of `all`, evenly spread; all of them for 0.
fn spread<T>(all: Vec<T>, n: usize) -> Vec<T> {
    let total = all.len();
    let n = if n == 0 { total } else { n.min(total) };
    let chosen = |index: usize| index * n / total != (index + 1) * n / total;
    let all = all.into_iter().enumerate();
    all.filter(|(index, _)| chosen(*index))
        .map(|(_, item)| item)
        .collect()
}

/// The problems' measured programs, ready to be predicted.
pub(super) fn measured_populations() -> Result<HashMap<FunctionSet, Vec<Rpn>>, Box<dyn Error>> {
    let read = |problem: &FunctionSet| Ok((*problem, measured_programs(*problem)?));
    FunctionSet::ALL.iter().map(read).collect()
}

/// `n_rows` of the H200's launches, evenly spread over those measured (all for 0), with what is predicted for them.
pub(super) fn launches(n_rows: usize, kind: Kind) -> Result<Vec<Line>, Box<dyn Error>> {
    let device = Preset::load("h200")?.device;
    let populations = measured_populations()?;
    let rows = spread(measured_launches()?, n_rows);
    let progress = Progress::new(rows.len() as u64, "configurations");
    let of_problem = |problem: &FunctionSet| -> Vec<&MeasuredLaunch> {
        let rows = rows.iter();
        rows.filter(|row| row.launch.variant.problem == *problem)
            .collect()
    };
    let mut lines = Vec::new();
    for problem in FunctionSet::ALL {
        let rows = of_problem(problem);
        let launches: Vec<GivenLaunch> = rows.iter().map(|row| row.launch).collect();
        let given = GivenPrograms::new(*problem, &populations[problem]);
        let predictions = given.predict(&device, &launches, kind, &|| progress.step());
        for (row, prediction) in rows.into_iter().zip(predictions) {
            lines.push(launch_line(&device, row, &prediction?));
        }
    }
    Ok(lines)
}

fn launch_line(device: &Device, row: &MeasuredLaunch, predicted: &GivenPrediction) -> Line {
    let variant = row.launch.variant;
    Line {
        device: device.name.clone(),
        split: match row.split {
            MeasuredSplit::Calibration => "calibration",
            MeasuredSplit::Holdout => "holdout",
        },
        problem: variant.problem.to_string(),
        kernel: variant.kernel.to_string(),
        stack_dim: variant.stack_dim,
        data_type: data_type(variant.problem, variant.kernel, variant.stack_dim),
        stack_registers: variant.stack_registers,
        threads_per_block: row.launch.threads_per_block,
        l1_kib: predicted.l1_bytes / 1024,
        measured_ms: row.milliseconds,
        predicted_ms: predicted.milliseconds,
        measured_warp_instructions: row.warp_instructions,
        predicted_warp_instructions: predicted.warp_instructions,
        measured_l1_hit_percent: row.l1_hit_percent,
        predicted_l1_hit_percent: predicted.l1_hit_percent,
    }
}

fn data_type(problem: FunctionSet, kernel: KernelId, stack_dim: u32) -> String {
    let element = match problem {
        FunctionSet::Mux20 => "uint",
        _ => "float",
    };
    match kernel {
        KernelId::Rpn | KernelId::Lgp | KernelId::Accumulator => element.to_owned(),
        KernelId::LgpVector | KernelId::LgpRegisters => format!("{element}{stack_dim}"),
    }
}

fn paper(n_rows: usize, kind: Kind) -> Result<Vec<Line>, Box<dyn Error>> {
    let problems = engine::problems();
    let engine = Engine::new(
        Preset::load("gtx670")?.device,
        &problems,
        Settings {
            kind,
            ..Settings::default()
        },
    )?;
    let tables = [Table::Three, Table::Four, Table::Eight, Table::Ten];
    let measured = tables
        .iter()
        .map(|table| Measured::of_paper(*table))
        .collect::<Result<Vec<_>, _>>()?;
    let value = |cell: &Cell| measured.iter().find_map(|table| table.get(cell));
    let all = tables
        .iter()
        .flat_map(|table| problems.iter().flat_map(|problem| cells(*table, problem)));
    let cells = spread(all.filter(|cell| value(cell).is_some()).collect(), n_rows);
    let progress = Progress::new(cells.len() as u64, "cells");
    cells
        .par_iter()
        .map(|cell| {
            let prediction = engine.predict(&cell.configuration())?;
            progress.step();
            let measured = value(cell).map(|value| value.gpops_billion);
            paper_line(cell, &prediction, measured)
        })
        .collect::<Result<Vec<_>, Box<dyn Error + Send + Sync>>>()
        .map_err(|error| error as Box<dyn Error>)
}

fn paper_line(
    cell: &Cell,
    predicted: &Prediction,
    measured_gpops_billion: Option<f64>,
) -> Result<Line, Box<dyn Error + Send + Sync>> {
    let configuration = &predicted.configuration;
    let problem: FunctionSet = configuration.problem.parse()?;
    let kernel: KernelId = configuration.kernel.parse()?;
    let cases_per_element = crate::gpu::workload::cases_per_element(problem);
    let per_warp = f64::from(32 * configuration.stack_dim * cases_per_element);
    let nodes = predicted.gpops_billion * 1e6 * predicted.run_milliseconds / per_warp;
    Ok(Line {
        device: "gtx670".to_owned(),
        split: match cell.split() {
            Split::Fitted => "calibration",
            Split::HeldOut => "holdout",
        },
        problem: configuration.problem.clone(),
        kernel: configuration.kernel.clone(),
        stack_dim: configuration.stack_dim,
        data_type: data_type(problem, kernel, configuration.stack_dim),
        stack_registers: configuration.stack_registers,
        threads_per_block: configuration.threads_per_block,
        l1_kib: predicted.l1_bytes / 1024,
        measured_ms: measured_gpops_billion
            .map(|measured| predicted.run_milliseconds * predicted.gpops_billion / measured),
        predicted_ms: predicted.run_milliseconds,
        measured_warp_instructions: None,
        predicted_warp_instructions: (nodes * predicted.warp_instructions_per_node) as u64,
        measured_l1_hit_percent: None,
        predicted_l1_hit_percent: (predicted.memory.l1_load_lines > 0)
            .then_some(predicted.memory.l1_load_hit_percent),
    })
}
