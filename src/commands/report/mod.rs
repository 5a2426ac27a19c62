//! `warpstack report`: predictions, measurements and explanations as one page.
//!
//! Leaves out: what the page looks like (`report/page/`). Units: in the options' help.

mod maker;
mod papers;

use super::CliResult;
use super::engine::{EngineArgs, Kind};
use super::explore;
use super::reproduce::{
    all_cells, compare, other_draws, parse_problems, parse_tables, predict_all,
};
use super::validate;
use crate::device::Preset;
use crate::predictor::Settings;
use crate::report::output;
use crate::report::page::{Content, page};
use crate::report::validation::Line;
use crate::validate::Measured;
use maker::Maker;
use std::error::Error;
use std::path::{Path, PathBuf};

/// The page's file in its folder.
const FILE: &str = "index.html";
/// The explorer's.
const EXPLORER: &str = "explore.html";

/// With the analytical model the page takes a fifth of the processor time, and differs by 4 % in the mean.
const DEFAULT_ENGINE: &str = "analytical";

/// Write one page of HTML that shows predictions beside measurements, and explains them.
#[derive(Debug, clap::Args)]
#[command(mut_arg("engine", |arg| arg.default_value(DEFAULT_ENGINE)))]
pub struct ReportArgs {
    /// Folder for the page, index.html; created if missing
    #[arg(long, alias = "out", value_name = "DIR")]
    pub out_dir: PathBuf,
    /// Tables of the paper, separated by commas: 3, 4, 7, 8, 9, 10 or all
    #[arg(long, alias = "tables", default_value = "all", value_name = "LIST")]
    pub table: String,
    /// Problem names, separated by commas, or all; the first one is explained in detail
    #[arg(long, alias = "problems", default_value = "all", value_name = "LIST", value_parser = crate::commands::names::problem().list())]
    pub problem: String,
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670", value_parser = crate::commands::names::device())]
    pub device: String,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Number of other draws of programs to repeat the predictions with, to show how far they spread
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=100))]
    pub spread: u16,
    /// Number of measured launches of the H200 to predict, too, evenly spread; 0 for none
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LAUNCHES)]
    pub launches: usize,
    /// Other papers whose published numbers are predicted, too, each on its own cards, separated by commas: robilliard, langdon, gpocl
    /// or all. With the simulator each takes some minutes
    #[arg(long, alias = "papers", value_name = "LIST")]
    pub paper: Option<String>,
    /// Add the explorer of `warpstack explore`, explore.html, to the folder
    #[arg(long)]
    pub explore: bool,
}

const DEFAULT_LAUNCHES: usize = 40;

/// The H200's measured launches beside their predictions.
fn launches(n: usize, engine: Kind) -> Result<Vec<Line>, Box<dyn Error>> {
    if n == 0 {
        return Ok(Vec::new());
    }
    let settings = Settings {
        kind: engine,
        ..Settings::default()
    };
    let mut lines = validate::launches("h200", n, settings)?;
    lines.retain(|line| line.measured_ms.is_some());
    Ok(lines)
}

pub fn run(args: &ReportArgs) -> CliResult {
    let tables = parse_tables(&args.table)?;
    let problems = parse_problems(&args.problem)?;
    let asked = papers::asked(args)?;
    check_folder(&args.out_dir)?;
    let device = Preset::load(&args.device)?.device;
    args.engine.inputs.check_population()?;
    let model = args.engine.open(&device, &problems)?;
    let cells = all_cells(&tables, &problems);
    let maker = Maker {
        args,
        model: &model,
        problem: problems[0],
    };
    let predictions = predict_all(&model, &cells)?;
    let draws = other_draws(&args.engine, args.spread, (&device, &problems), &cells)?;
    let papers_predicted = papers::predict(args, &asked)?;
    // Measured values are read only now that every table is predicted.
    let measured = tables
        .iter()
        .map(|table| Measured::of_paper(*table))
        .collect::<Result<Vec<_>, _>>()?;
    let cells_compared = compare(&cells, &predictions, &measured);
    let content = Content {
        device: device.title.clone(),
        engine: maker.engine_name().into(),
        command: maker.command(),
        tables: args.table.clone(),
        problems: args.problem.clone(),
        options: maker.options(),
        weighting: model.weighting(),
        best: maker.best(&cells_compared)?,
        best_and_worst: maker.best_and_worst(&cells_compared)?,
        draws: draws
            .iter()
            .map(|draw| compare(&cells, draw, &measured))
            .collect(),
        cells: cells_compared,
        further: maker.further(),
        launches: launches(args.launches, args.engine.engine)?,
        launches_command: format!(
            "warpstack validate --device h200 --limit {}{}",
            args.launches,
            args.engine.changed_engine()
        ),
        papers: papers::parts(args, papers_predicted)?,
        explorer: args.explore.then_some(EXPLORER),
    };
    let explorer = match args.explore {
        true => Some(explore::of_paper()?),
        false => None,
    };
    write(&args.out_dir, &page(&content)?, explorer.as_deref())
}

/// Finds out before long work that the page could not be written.
fn check_folder(folder: &Path) -> CliResult {
    let path = match folder.is_dir() {
        true => folder.join(FILE),
        false => folder.to_path_buf(),
    };
    Ok(output::check_writable(&path)?)
}

/// The folder is made only now, so that a failure before leaves nothing behind.
fn write(folder: &Path, text: &str, explorer: Option<&str>) -> CliResult {
    if !folder.is_dir() {
        std::fs::create_dir(folder).map_err(|error| {
            format!(
                "cannot make {}: {error}; allowed: a new folder in one that exists",
                folder.display()
            )
        })?;
    }
    if let Some(explorer) = explorer {
        output::write(Some(&folder.join(EXPLORER)), explorer.as_bytes())?;
    }
    Ok(output::write(Some(&folder.join(FILE)), text.as_bytes())?)
}
