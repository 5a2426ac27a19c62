//! Do 25 GP runs differ in speed as little as the paper's confidence intervals say?
//!
//! Predicts the cells of Table 3 with the large L1 for the programs of each of a few runs of a corpus alone, and prints how
//! much the runs differ beside the paper's intervals: `cargo xtask run-spread`. See `docs/tables-5-6.md`.
//! Leaves out: the spread of the measurement itself; it would add to that of the runs.

use super::{Failure, in_repository};
use std::path::{Path, PathBuf};
use warpstack::device::Preset;
use warpstack::gp::corpus::{Corpus, Statistics};
use warpstack::predictor::{Engine, Kind, Settings, Weighting};

use warpstack::validate::{Cell, Measured, Table, cells};

/// Runs behind each of the paper's values.
const PAPER_RUNS: f64 = 25.0;
const LARGE_L1: u32 = 48 * 1024;
/// Runs of ours that are compared.
const RUNS: u32 = 5;
/// Of a normal distribution, for an interval of 95 percent.
const Z_95: f64 = 1.96;

pub fn run() -> Result<(), Failure> {
    println!(
        "problem, runs, cells, median paper interval %, median interval of {PAPER_RUNS} runs like ours %"
    );
    let measured = Measured::of_paper(Table::Three)?;
    for problem in ["sextic", "shuttle", "kddcup", "mux20"] {
        let path = in_repository(&format!("fixtures/corpus/{problem}.corpus"));
        let corpus = Corpus::load(&path)?;
        let folder = tempfile::tempdir()?;
        let runs = write_runs(&corpus, folder.path())?;
        let engines = (runs.iter())
            .map(|run| engine(problem, run))
            .collect::<Result<Vec<Engine>, _>>()?;
        let of_cell = |cell: &Cell| -> Option<Result<(f64, f64), Failure>> {
            let value = measured.get(cell)?;
            let paper = value.ci_billion / value.gpops_billion;
            Some(interval(&engines, cell).map(|ours| (100.0 * paper, 100.0 * ours)))
        };
        let pairs = (cells(Table::Three, problem).iter())
            .filter(|cell| cell.configuration().l1_bytes == Some(LARGE_L1))
            .filter_map(of_cell)
            .collect::<Result<Vec<_>, _>>()?;
        let (paper, ours): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        println!(
            "{problem}, {}, {}, {:.3}, {:.2}",
            engines.len(),
            paper.len(),
            median(paper),
            median(ours)
        );
    }
    Ok(())
}

/// One corpus file per run.
fn write_runs(corpus: &Corpus, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let one = |run: u32| -> Result<PathBuf, Failure> {
        let mut own = corpus.clone();
        own.entries.retain(|entry| entry.run == run);
        own.header.runs = 1;
        own.header.statistics = Statistics::of(&own.entries, 0);
        let path = folder.join(format!("{run}.corpus"));
        std::fs::write(&path, own.to_text())?;
        Ok(path)
    };
    (0..RUNS.min(corpus.header.runs)).map(one).collect()
}

fn engine(problem: &str, corpus: &Path) -> Result<Engine, Failure> {
    let settings = Settings {
        kind: Kind::Analytical,
        corpus: Some(corpus.to_owned()),
        weighting: Weighting::AsEvolved,
        ..Settings::default()
    };
    Ok(Engine::new(
        Preset::load("gtx670")?.device,
        &[problem],
        settings,
    )?)
}

/// Half-width of the confidence interval of the mean of 25 runs that differ like these, relative to the mean.
fn interval(engines: &[Engine], cell: &Cell) -> Result<f64, Failure> {
    let configuration = cell.configuration();
    let speeds = (engines.iter())
        .map(|engine| Ok(engine.predict(&configuration)?.gpops_billion))
        .collect::<Result<Vec<f64>, Failure>>()?;
    let n = speeds.len() as f64;
    let mean = speeds.iter().sum::<f64>() / n;
    let variance = speeds.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Ok(Z_95 * variance.sqrt() / PAPER_RUNS.sqrt() / mean)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
