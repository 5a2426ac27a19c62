//! `warpstack score`: errors of predictions of everything measured, ours beside simple predictors' and anybody's.

mod own;

use super::CliResult;
use super::format::OutputArgs;
use super::limit::evenly;
use crate::report::progress;
use crate::report::provenance::Provenance;
use crate::report::score as report;
use crate::util::input;
use crate::validate::score::predictions::{Counts, Predictions, committed};
use crate::validate::score::sets::{Row, rows};
use crate::validate::score::{of_the_day, table};
use std::path::PathBuf;

/// Score predictions of every measured launch: ours, simple predictors', or those of a file
#[derive(Debug, clap::Args)]
pub struct ScoreArgs {
    /// CSV of predictions to score beside ours, with the columns set, row and predicted
    #[arg(long, value_name = "FILE", conflicts_with = "predict")]
    pub predictions: Option<PathBuf>,
    /// Predict the rows anew and print the predictions (all rows: 40 minutes on two cores)
    #[arg(long)]
    pub predict: bool,
    /// With --predict: only sets whose names begin with NAME
    #[arg(
        long,
        value_name = "NAME",
        requires = "predict",
        default_value = "",
        hide_default_value = true
    )]
    pub set: String,
    /// With --predict: at most N rows, evenly spread; 0 for all
    #[arg(long, value_name = "N", requires = "predict")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub output: OutputArgs,
}

pub fn run(args: &ScoreArgs) -> CliResult {
    args.output.check()?;
    let rows = rows()?;
    if args.predict {
        return predict(args, &rows);
    }
    let own = committed(&rows)?;
    let given = match &args.predictions {
        Some(path) => {
            let file = path.display().to_string();
            let given = Predictions::parse(&input::named(path)?, &file, &rows)?;
            Some((file, given))
        }
        None => None,
    };
    let mut lines = of_the_day()?;
    let given = given.as_ref().map(|(file, given)| (file.as_str(), given));
    lines.extend(table(&rows, &own, given));
    let provenance = Provenance::of_program();
    args.output
        .print_columns(&report::columns(), &lines, &provenance)?;
    progress::say("mean to twin card: baselines (docs/data.md)\n");
    Ok(())
}

/// Prints predictions made anew, in the form of the committed ones.
fn predict(args: &ScoreArgs, rows: &[Row]) -> CliResult {
    let of_set = rows.iter().filter(|row| row.set.starts_with(&args.set));
    let chosen = evenly(of_set.collect(), args.limit);
    if chosen.is_empty() {
        let given = &args.set;
        return Err(format!("--set: given {given}; allowed: the beginning of a file of measured launches (docs/data.md), as h200/runs").into());
    }
    let columns = Counts::COLUMNS.join(",");
    let mut text = format!("set,row,simulator,analytical,{columns}\n");
    for (row, own) in chosen.iter().zip(own::predict(&chosen)?) {
        let Some(own) = own else { continue };
        let analytical = own.analytical.map_or(String::new(), five_digits);
        let engines = [five_digits(own.simulator), analytical];
        let values = engines.into_iter();
        let values: Vec<String> = values.chain(own.counts.values().map(five_digits)).collect();
        let (set, number) = (row.set, row.number);
        text.push_str(&format!("{set},{number},{}\n", values.join(",")));
    }
    args.output.write(text.as_bytes())
}

/// Rounds to five significant digits.
fn five_digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.4e}").parse().unwrap_or(value);
    rounded.to_string()
}
