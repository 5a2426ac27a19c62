//! `warpstack reproduce --engine both`: the analytical model against the simulator, cell by cell, and why they differ.
//!
//! Predicts cells of the paper's tables with both engines; where they differ, names the term of the CPI stack that
//! differs most. Leaves out: measured values. Units: scheduler cycles per warp-node (one node on 32 cases).

use super::ReproduceArgs;
use crate::commands::CliResult;
use crate::commands::engine::note_validated;
use crate::commands::refuse;
use crate::device::Preset;
use crate::launch::prediction::{Cause, PredictError, Prediction};
use crate::predictor::{Kind, Predictor};
use crate::report::progress::Progress;
use crate::report::provenance::Provenance;
use crate::report::rows::Row;
use crate::report::table;
use crate::util::parallel;
use crate::validate::Cell;
use serde_json::Value;
use std::collections::BTreeMap;

/// One cell, predicted twice.
struct Pair {
    cell: Cell,
    simulated: Prediction,
    modelled: Prediction,
}

/// Cells shown in the table, those that differ most.
const SHOWN: usize = 12;

/// Refuses what a comparison of the engines does not have.
fn refuse_options(args: &ReproduceArgs) -> Result<(), String> {
    let options = [
        ("--spread", args.spread.is_some()),
        ("--chart", args.chart.chart.is_some()),
    ];
    refuse::given(
        &options,
        "given with --engine both; allowed: with simulator or analytical",
    )
}

pub(super) fn run(args: &ReproduceArgs, cells: &[Cell]) -> CliResult {
    refuse_options(args)?;
    let device = Preset::load(args.device())?.device;
    args.inputs.check_population()?;
    let settings = args.engine().settings()?;
    note_validated(&device);
    let opened = Predictor::with_settings(device, settings);
    let (simulator, model) = (
        opened.with_engine(Kind::Simulator),
        opened.with_engine(Kind::Analytical),
    );
    let progress = Progress::new(cells.len() as u64, "cells");
    let pairs = parallel::try_map(cells, |cell| {
        let configuration = simulator.configure(&cell.options())?;
        let pair = Pair {
            simulated: simulator.predict(&configuration)?,
            modelled: model.predict(&configuration)?,
            cell: cell.clone(),
        };
        progress.step();
        Ok::<_, PredictError>(pair)
    })?;
    drop(progress);
    let provenance = Provenance {
        // Both.
        engine: None,
        ..Provenance::of(&simulator)
    };
    let rows: Vec<Row> = pairs.iter().map(row).collect();
    args.output.print(&rows, &provenance, || text(&pairs))
}

impl Pair {
    fn difference_percent(&self) -> f64 {
        100.0 * (self.modelled.gpops_billion / self.simulated.gpops_billion - 1.0)
    }

    /// Cycles per warp-node by cause: simulated, modelled.
    fn terms(&self) -> BTreeMap<Cause, [f64; 2]> {
        let mut terms: BTreeMap<Cause, [f64; 2]> = BTreeMap::new();
        for (which, prediction) in [&self.simulated, &self.modelled].into_iter().enumerate() {
            let nodes = prediction.memory.warp_nodes.max(1) as f64;
            let operations = nodes * f64::from(prediction.configuration.stack_dim);
            for entry in &prediction.cpi_stack {
                terms.entry(entry.cause).or_default()[which] += entry.cycles as f64 / operations;
            }
        }
        terms
    }

    /// The term that differs most, and its cycles.
    fn largest_term(&self) -> (Cause, [f64; 2]) {
        let terms = self.terms().into_iter();
        let apart = |term: &(Cause, [f64; 2])| (term.1[1] - term.1[0]).abs();
        terms
            .max_by(|a, b| apart(a).total_cmp(&apart(b)))
            .unwrap_or((Cause::Issued, [0.0; 2]))
    }
}

fn text(pairs: &[Pair]) -> String {
    let mut groups: BTreeMap<(u32, &str), Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        let key = (pair.cell.table.number(), pair.cell.problem.as_str());
        groups.entry(key).or_default().push(pair);
    }
    let mut rows: Vec<Vec<String>> = groups
        .iter()
        .map(|((number, problem), pairs)| summary(format!("table {number}, {problem}"), pairs))
        .collect();
    rows.push(summary("all".into(), &pairs.iter().collect::<Vec<_>>()));
    let headers = [
        "cells of",
        "n",
        "mean |difference| (%)",
        "mean difference (%)",
        "most (%)",
        "the terms that differ (cycles per warp-node, model - simulator)",
    ];
    let mut text = table::table(&headers, rows, usize::MAX);
    let mut worst: Vec<&Pair> = pairs.iter().collect();
    worst.sort_by(|a, b| {
        b.difference_percent()
            .abs()
            .total_cmp(&a.difference_percent().abs())
    });
    let rows = worst.into_iter().take(SHOWN).map(|pair| {
        let (term, [simulated, modelled]) = pair.largest_term();
        vec![
            format!(
                "table {}, {}, {}",
                pair.cell.table.number(),
                pair.cell.problem,
                pair.cell.label()
            ),
            format!("{:.3}", pair.simulated.gpops_billion),
            format!("{:.3}", pair.modelled.gpops_billion),
            format!("{:+.1}", pair.difference_percent()),
            format!(
                "{}: {simulated:.2} simulated, {modelled:.2} modelled",
                term.name()
            ),
        ]
    });
    text += "\nThe cells that differ most:\n";
    text += &table::table(
        &[
            "cell",
            "simulated",
            "modelled",
            "difference (%)",
            "the term that differs most",
        ],
        rows.collect(),
        usize::MAX,
    );
    text
}

fn summary(name: String, pairs: &[&Pair]) -> Vec<String> {
    let n = pairs.len().max(1) as f64;
    let differences: Vec<f64> = pairs.iter().map(|pair| pair.difference_percent()).collect();
    let mean = differences.iter().sum::<f64>() / n;
    let size = differences.iter().map(|d| d.abs()).sum::<f64>() / n;
    let most = differences
        .iter()
        .copied()
        .fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
    let mut terms: BTreeMap<Cause, f64> = BTreeMap::new();
    for pair in pairs {
        for (term, [simulated, modelled]) in pair.terms() {
            *terms.entry(term).or_default() += (modelled - simulated) / n;
        }
    }
    let mut terms: Vec<(Cause, f64)> = terms.into_iter().collect();
    terms.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let terms: Vec<String> = terms
        .iter()
        .take(3)
        .map(|(term, by)| format!("{} {by:+.2}", term.name()))
        .collect();
    vec![
        name,
        pairs.len().to_string(),
        format!("{size:.2}"),
        format!("{mean:+.2}"),
        format!("{most:+.1}"),
        terms.join(", "),
    ]
}

fn row(pair: &Pair) -> Row {
    let terms = pair.terms();
    let (simulated, modelled) = (&pair.simulated, &pair.modelled);
    let launch = [
        ("table", pair.cell.table.number().into()),
        ("problem", pair.cell.problem.as_str().into()),
        ("threads", pair.cell.threads_per_block.into()),
        ("axis", pair.cell.table.axis_name().into()),
        ("value", pair.cell.axis.value().into()),
        ("simulated_gpops_billion", rounded(simulated.gpops_billion)),
        ("modelled_gpops_billion", rounded(modelled.gpops_billion)),
        ("difference_percent", rounded(pair.difference_percent())),
        (
            "simulated_load_hit_percent",
            rounded(simulated.memory.l1_load_hit_percent),
        ),
        (
            "modelled_load_hit_percent",
            rounded(modelled.memory.l1_load_hit_percent),
        ),
    ];
    let mut row = Row::default();
    (row.0).extend(launch.map(|(name, value)| (name.to_owned(), value)));
    for (side, name) in ["simulated", "modelled"].into_iter().enumerate() {
        row.0.extend(Cause::ALL.map(|cause| {
            let cycles = terms.get(&cause).map_or(0.0, |both| both[side]);
            (format!("{name}_{}", cause.name()), rounded(cycles))
        }));
    }
    row
}

/// To three digits after the point.
fn rounded(value: f64) -> Value {
    ((1e3 * value).round() / 1e3).into()
}
