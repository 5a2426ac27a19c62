//! `warpstack score`: errors of predictions of everything measured, ours beside simple predictors' and anybody's.

mod own;
mod template;

use super::CliResult;
use super::format::OutputArgs;
use super::limit::evenly;
use crate::report::progress;
use crate::report::provenance::Provenance;
use crate::report::score as report;
use crate::util::input;
use crate::validate::score::predictions::{COLUMNS, Own, Predictions, committed};
use crate::validate::score::sets::{Origin, Row, rows};
use crate::validate::score::{of_the_day, series, table};
use std::path::PathBuf;

/// Score predictions of every measured launch: ours, simple predictors', or those of a file
#[derive(Debug, clap::Args)]
pub struct ScoreArgs {
    /// CSV of predictions to score beside ours, with the columns set, row and predicted
    #[arg(long, value_name = "FILE", conflicts_with_all = ["template", "series", "predict"])]
    pub predictions: Option<PathBuf>,
    /// Print the rows to predict, without measured values
    #[arg(long, conflicts_with_all = ["series", "predict"])]
    pub template: bool,
    /// Print every set that was measured: when it was predicted, its error then and today
    #[arg(long, conflicts_with = "predict")]
    pub series: bool,
    /// Predict the rows anew and print the predictions (all rows: 40 minutes on two cores)
    #[arg(long)]
    pub predict: bool,
    /// With --predict or --template: only sets whose names begin with NAME
    #[arg(long, value_name = "NAME", conflicts_with_all = ["predictions", "series"])]
    pub set: Option<String>,
    /// Predict at most N rows anew, evenly spread; 0 for all [default: 12, to check the committed predictions; with --predict all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Rows predicted anew by default.
const CHECKED: usize = 12;

/// Largest difference of a committed prediction from today's, in percent.
const TOLERANCE_PERCENT: f64 = 0.1;

pub fn run(args: &ScoreArgs) -> CliResult {
    args.output.check()?;
    let mut rows = rows()?;
    if let Some(name) = &args.set {
        if !args.predict && !args.template {
            return Err(
                format!("--set: given {name}; allowed: with --predict or --template").into(),
            );
        }
        rows.retain(|row| row.set.starts_with(name.as_str()));
        if rows.is_empty() {
            return Err(format!("--set: given {name}; allowed: the beginning of a set of `warpstack score --template`").into());
        }
    }
    let provenance = Provenance::of_program();
    if args.template {
        let templates = template::templates(&rows)?;
        return args
            .output
            .print_columns(&template::columns(), &templates, &provenance);
    }
    if args.predict {
        return predict(args, &rows);
    }
    let own = committed(&rows)?;
    if args.series {
        let all = series::all()?.into_iter();
        let lines: Vec<report::SeriesLine> = all
            .map(|series| report::SeriesLine {
                today: series.today(&rows, &own),
                series,
            })
            .collect();
        return args
            .output
            .print_columns(&report::series_columns(), &lines, &provenance);
    }
    let given = match &args.predictions {
        Some(path) => {
            let file = path.display().to_string();
            Some((
                Predictions::parse(&input::named(path)?, &file, &rows)?,
                file,
            ))
        }
        None => None,
    };
    let mut lines = of_the_day()?;
    let scores = table(
        &rows,
        &own,
        given.as_ref().map(|(given, file)| (file.as_str(), given)),
    );
    lines.extend(scores);
    args.output
        .print_columns(&report::columns(), &lines, &provenance)?;
    progress::say(&report::legend());
    match &given {
        Some((given, file)) => progress::say(&format!(
            "{file}: {} of {} rows predicted\n",
            given.len(),
            rows.len()
        )),
        None => check(args.limit.unwrap_or(CHECKED), &rows, &own)?,
    }
    Ok(())
}

/// Predicts some rows anew, and says how far the committed predictions are from them.
fn check(limit: usize, rows: &[Row], committed: &[Option<Own>]) -> CliResult {
    // The other papers' populations take minutes.
    let predicted = rows
        .iter()
        .zip(committed)
        .filter_map(|(row, own)| Some((row, (*own)?)));
    let quick = predicted.filter(|(row, _)| !matches!(row.origin, Origin::Paper(_)));
    let chosen = evenly(quick.collect(), Some(limit));
    let asked: Vec<&Row> = chosen.iter().map(|(row, _)| *row).collect();
    let again = own::predict(&asked)?;
    let apart = |a: f64, b: f64| 100.0 * (a / b - 1.0).abs();
    let made = chosen.iter().zip(&again);
    let made = made.filter_map(|((_, known), again)| Some((known, (*again)?)));
    let differences = made.flat_map(|(known, again)| {
        let pairs = [
            known.simulator.zip(again.simulator),
            known.analytical.zip(again.analytical),
        ];
        pairs
            .into_iter()
            .flatten()
            .map(|(known, again)| apart(known, again))
    });
    let largest = differences.fold(0.0, f64::max);
    let advice = match largest > TOLERANCE_PERCENT {
        true => "; the table is not of this program: run `cargo xtask predictions`",
        false => "",
    };
    progress::say(&format!(
        "{} of {} committed predictions made anew: at most {largest:.2} % apart{advice}\n",
        again.len(),
        rows.len()
    ));
    Ok(())
}

/// Prints predictions made anew, in the form of the committed ones.
fn predict(args: &ScoreArgs, rows: &[Row]) -> CliResult {
    let chosen = evenly(rows.iter().collect(), args.limit);
    let own = own::predict(&chosen)?;
    let mut text = format!("set,row,{}\n", COLUMNS.join(","));
    for (row, own) in chosen.iter().zip(own) {
        let Some(own) = own else { continue };
        let values = own.values().map(five_digits);
        text.push_str(&format!(
            "{},{},{}\n",
            row.set,
            row.number,
            values.join(",")
        ));
    }
    args.output.write(text.as_bytes())
}

/// Rounds to five significant digits; nothing where there is no value.
fn five_digits(value: Option<f64>) -> String {
    let rounded = value.map(|value| format!("{value:.4e}").parse().unwrap_or(value));
    rounded.map_or(String::new(), |value: f64| value.to_string())
}
