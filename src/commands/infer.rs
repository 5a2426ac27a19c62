//! `warpstack calibrate --workload`: what the paper's speeds say of its programs, which it does not give.
//!
//! Leaves out: the search (`validate::workload`). Units: factors; errors in percent.

use super::CliResult;
use super::engine::EngineArgs;
use super::reproduce::{all_cells, compare, predict_all};
use crate::device::Device;
use crate::gp::programs::{Inferred, inferred};
use crate::predictor;
use crate::predictor::{Predictor, Settings};
use crate::report::output;
use crate::report::table::table;
use crate::validate::workload::{Found, search, workload_cells};
use crate::validate::{Cell, Measured, Summary, Table};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

/// Finds, prints and perhaps writes the factors of every problem.
pub fn run(device: &Device, args: &EngineArgs, out: Option<&Path>) -> CliResult {
    let measured = Measured::tables().into_iter().map(Measured::of_paper);
    let measured = measured.collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    let mut file = format!("{}\n", inferred::COLUMNS);
    for problem in predictor::problems() {
        let trial = Trial {
            device,
            settings: args.settings(),
            problem,
            measured: &measured,
        };
        let cells = workload_cells(problem);
        let found = search(|inferred| trial.error_percent(inferred, &cells))?;
        let others = trial.held_out(&cells);
        let held_out = [Inferred::default(), found.inferred]
            .map(|inferred| trial.error_percent(inferred, &others));
        let [before, after] = held_out;
        let Inferred {
            mean_nodes,
            longest,
            slow_operands,
        } = found.inferred;
        file += &format!("{problem},{mean_nodes},{longest},{slow_operands}\n");
        rows.push(row(problem, &found, [before?, after?]));
    }
    let header = [
        "problem",
        "mean nodes",
        "longest",
        "slow operands",
        "tried",
        "29 cells: nothing inferred (%)",
        "inferred (%)",
        "other cells: nothing inferred (%)",
        "inferred (%)",
    ];
    output::write(None, table(&header, rows, 1).as_bytes())?;
    if let Some(path) = out {
        output::write(Some(path), file.as_bytes())?;
    }
    Ok(())
}

fn row(problem: &str, found: &Found, held_out: [f64; 2]) -> Vec<String> {
    let inferred = found.inferred;
    let factors = [
        inferred.mean_nodes,
        inferred.longest,
        inferred.slow_operands,
    ];
    let errors = [found.start_error_percent, found.error_percent];
    let errors = errors.into_iter().chain(held_out);
    [problem.to_owned()]
        .into_iter()
        .chain(factors.map(|factor| factor.to_string()))
        .chain([found.tried.to_string()])
        .chain(errors.map(|error| format!("{error:.2}")))
        .collect()
}

/// What predictions with some factors are made from, and compared with.
struct Trial<'a> {
    device: &'a Device,
    settings: Settings,
    problem: &'a str,
    measured: &'a [Measured],
}

impl Trial<'_> {
    fn error_percent(&self, inferred: Inferred, cells: &[Cell]) -> Result<f64, Box<dyn Error>> {
        let settings = Settings {
            inferred: BTreeMap::from([(self.problem.to_owned(), inferred)]),
            ..self.settings.clone()
        };
        let engine = Predictor::with_settings(self.device.clone(), settings);
        let predictions = predict_all(&engine, cells)?;
        let compared = compare(cells, &predictions, self.measured);
        let summary = Summary::of(&compared).ok_or("no cell to infer from has a measured value")?;
        Ok(summary.mean_absolute_error_percent)
    }

    /// Measured cells of the problem that nothing was inferred from.
    fn held_out(&self, used: &[Cell]) -> Vec<Cell> {
        let mut cells = all_cells(&Table::ALL, &[self.problem]);
        let is_measured = |cell: &Cell| self.measured.iter().any(|table| table.get(cell).is_some());
        cells.retain(|cell| is_measured(cell) && !used.contains(cell));
        cells
    }
}
