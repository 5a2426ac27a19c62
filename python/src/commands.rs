//! The subcommands, from options to JSON.
//!
//! Models: nothing; what the subcommand prints or writes comes from the same functions.
//! Leaves out: charts and tables. Units: in the columns' names.

use serde::Serialize;
use std::error::Error;
use warpstack::commands::stop::Stop;
use warpstack::commands::measure::cpu;
use warpstack::commands::whatif::{self as studies, hit_rates};
use warpstack::commands::{evolve as evolving, parse, predict as predicting};
use warpstack::gp::record::RunRecord;
use warpstack::report::provenance::Provenance;
use warpstack::report::rows::{self, Row};

type Text = Result<String, Box<dyn Error>>;

pub fn predict(options: &[String], _: &Stop) -> Text {
    let (predicted, engine) = predicting::predict(&parse(options)?)?;
    let text = rows::json_of_one(&predicted, &Provenance::of(&engine))?;
    Ok(String::from_utf8(text)?)
}

pub fn whatif(options: &[String], stop: &Stop) -> Text {
    let rows = studies::rows(&parse(options)?, stop)?;
    Ok(serde_json::to_string(&rows)?)
}

pub fn sweep(options: &[String], _: &Stop) -> Text {
    let (rows, provenance) = hit_rates::rows(&parse(options)?)?;
    with(&rows, &provenance)
}

pub fn evolve(options: &[String], stop: &Stop) -> Text {
    let args = parse(options)?;
    let campaign = evolving::evolve(&args, stop)?;
    evolving::write(&args, &campaign)?;
    let runs = campaign.record(String::new()).runs;
    let rows: Vec<GenerationRow> = (0..).zip(&runs).flat_map(generations).collect();
    Ok(serde_json::to_string(&rows)?)
}

pub fn measure_cpu(options: &[String], _: &Stop) -> Text {
    let rows = cpu::rows(&parse(options)?)?;
    with(&rows, &Provenance::of_program())
}

/// The columns of the CSV.
fn with<T: Serialize>(records: &[T], provenance: &Provenance) -> Text {
    let rows = rows::of(records)?.into_iter();
    let rows: Result<Vec<Row>, _> = rows.map(|row| row.with(provenance)).collect();
    Ok(serde_json::to_string(&rows?)?)
}

/// A generation, as the run record has it.
#[derive(Debug, Serialize)]
struct GenerationRow {
    run: u32,
    seed: u64,
    generation: usize,
    best_error: f64,
    mean_nodes: f32,
    /// Nodes of the longest program.
    longest_nodes: u32,
    longest_terminals: u32,
    /// Did the run, in any generation, solve the problem?
    run_solved: bool,
}

fn generations((run, record): (u32, &RunRecord)) -> Vec<GenerationRow> {
    let per_generation = record.best_error.iter().zip(&record.mean_nodes);
    let rows = per_generation.zip(&record.longest).enumerate();
    rows.map(
        |(generation, ((&best_error, &mean_nodes), longest))| GenerationRow {
            run,
            seed: record.seed,
            generation,
            best_error,
            mean_nodes,
            longest_nodes: longest.nodes,
            longest_terminals: longest.terminals,
            run_solved: record.solved,
        },
    )
    .collect()
}
