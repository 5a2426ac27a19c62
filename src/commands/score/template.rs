//! The rows to predict, as anybody's simulator needs them: no measured value.

use crate::gp::workload::WorkloadError;
use crate::report::columns::Columns;
use crate::systems::options::LaunchOptions;
use crate::validate::at_hand;
use crate::validate::launches::MeasuredLaunch;
use crate::validate::paper_rows::PaperRow;
use crate::validate::score::sets::{Origin, Row};
use std::collections::HashMap;

/// A row to predict.
#[derive(Debug, Clone)]
pub struct Template {
    set: &'static str,
    number: u32,
    device: &'static str,
    unit: &'static str,
    problem: String,
    kernel: String,
    options: LaunchOptions,
    math: String,
    case_blocks: Option<u32>,
    shared_config_kib: Option<f64>,
    case_seed: Option<u64>,
    /// File or seed of the programs.
    programs: String,
}

/// Digest and number of a launch's programs, by which their source is remembered.
type Known = HashMap<(String, u32), String>;

/// Returns the rows without what was measured.
pub fn templates(rows: &[Row]) -> Result<Vec<Template>, WorkloadError> {
    let mut known = Known::new();
    rows.iter().map(|row| template(row, &mut known)).collect()
}

fn template(row: &Row, known: &mut Known) -> Result<Template, WorkloadError> {
    let (problem, kernel) = row.names();
    let empty = Template {
        set: row.set,
        number: row.number,
        device: row.device,
        unit: row.unit.name(),
        problem,
        kernel,
        options: LaunchOptions::default(),
        math: String::new(),
        case_blocks: None,
        shared_config_kib: None,
        case_seed: None,
        programs: String::new(),
    };
    Ok(match &row.origin {
        Origin::Cell(cell) => Template {
            options: cell.options(),
            programs: "not published".to_owned(),
            ..empty
        },
        Origin::Launch(launch) => Template {
            programs: source(launch, known)?,
            ..of_launch(launch, empty)
        },
        Origin::Paper(paper) => of_paper(paper, empty),
    })
}

fn of_launch(launch: &MeasuredLaunch, empty: Template) -> Template {
    let launched = &launch.launched;
    let kernel = &launched.kernel;
    Template {
        options: LaunchOptions {
            stack_dim: Some(kernel.stack_dim),
            stack_registers: Some(kernel.stack_registers),
            threads_per_block: Some(launched.threads_per_block),
            population: Some(launched.population),
            cases: u32::try_from(launch.cases).ok(),
            ..LaunchOptions::default()
        },
        math: kernel.math.to_string(),
        case_blocks: Some(launched.case_blocks),
        shared_config_kib: launched
            .shared_config_bytes
            .map(|bytes| f64::from(bytes) / 1024.0),
        case_seed: launch.case_seed,
        ..empty
    }
}

fn of_paper(paper: &PaperRow, empty: Template) -> Template {
    Template {
        options: paper.launch.clone(),
        programs: format!(
            "measure paper {} --program-seed {}",
            paper.paper.name(),
            paper.seed
        ),
        ..empty
    }
}

fn source(launch: &MeasuredLaunch, known: &mut Known) -> Result<String, WorkloadError> {
    let launched = &launch.launched;
    let key = (launched.programs.clone(), launched.population);
    if let Some(source) = known.get(&key) {
        return Ok(source.clone());
    }
    let found = at_hand::find(
        launched.kernel.problem,
        launched.population as usize,
        &key.0,
    )?;
    let source = found.map_or("lost".to_owned(), |found| found.source);
    known.insert(key, source.clone());
    Ok(source)
}

/// Returns the columns of the template; `predicted` is left empty.
pub fn columns() -> Columns<Template> {
    Columns::<Template>::new(7)
        .column("set", "set", |row: &Template| row.set)
        .column("row", "row", |row| row.number)
        .column("device", "device", |row| row.device)
        .column("unit", "unit", |row| row.unit)
        .column("problem", "problem", |row| row.problem.clone())
        .column("kernel", "kernel", |row| row.kernel.clone())
        .filed("math", |row| row.math.clone())
        .column("dim", "stack_dim", |row| row.options.stack_dim)
        .column("registers", "stack_registers", |row| {
            row.options.stack_registers
        })
        .column("threads", "threads", |row| row.options.threads_per_block)
        .filed("threads_per_program", |row| row.options.threads_per_program)
        .column("case blocks", "case_blocks", |row| row.case_blocks)
        .column("L1 KiB", "l1", |row| row.options.l1_kib)
        .column("shared KiB", "shared_config_kib", |row| {
            row.shared_config_kib
        })
        .column("population", "population", |row| row.options.population)
        .column("cases", "cases", |row| row.options.cases)
        .filed("case_seed", |row| row.case_seed)
        .filed("programs", |row| row.programs.clone())
        .filed("predicted", |_| None::<f64>)
}
