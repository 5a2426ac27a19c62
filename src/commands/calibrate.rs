//! `warpstack calibrate`: refits the unknown values of a preset on the calibration rows of a user's own measurements.
//!
//! Leaves out: the search itself (`validate::calibrate`). The preset is never overwritten.
//! Units: those of the preset; errors in percent.

use super::CliResult;
use super::engine::EngineArgs;
use super::refuse;
use crate::device::{Device, Preset};
use crate::gp::problem::uci::folder;
use crate::launch::prediction::PredictError;
use crate::predictor::{Kind, Predictor};
use crate::report::output;
use crate::report::table::table;
use crate::study::Base;
use crate::systems::chitty::request::Request;
use crate::systems::chitty::split::MeasurementSplit;
use crate::util::input;
use crate::util::parallel;
use crate::validate::calibrate::{self, Calibration, ROWS_PER_VALUE, Scalar};
use crate::validate::card;
use crate::validate::launches::{merged, parse};
use crate::validate::requests::{Programs, Requests};
use crate::validate::stats;
use std::error::Error;
use std::path::PathBuf;

/// Refit unknown values of a preset on measured rows; report the error on rows held out.
///
/// Rows whose column `split` is `calibration` are fitted on; those of `holdout` are reported only. `warpstack measure` writes such rows
/// and assigns about half of them to each.
#[derive(Debug, clap::Args)]
pub struct CalibrateArgs {
    /// Device name, or the path of a .toml file
    #[arg(long, value_parser = crate::commands::names::device())]
    pub device: String,
    /// Rows that `warpstack measure` wrote on the device
    #[arg(long, value_name = "FILE")]
    pub measured: PathBuf,
    /// Folder of the UCI files, for rows measured on them [default: the folder that WARPSTACK_DATA names]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Accept rows of another card than the device, or of several
    #[arg(long)]
    pub any_card: bool,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// File to write: a copy of the preset with the values found
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

fn values<'a>(
    scalars: &'a [Scalar],
    found: &'a Calibration,
) -> impl Iterator<Item = Vec<String>> + 'a {
    let pairs = scalars.iter().zip(&found.values);
    pairs.map(|(scalar, value)| {
        vec![
            scalar.key.name(),
            scalar.start.to_string(),
            value.to_string(),
        ]
    })
}

/// A launch and its measured milliseconds.
type MeasuredRequest = (Request, f64);

/// The rows of a file by their split: those fitted on, and those reported.
#[derive(Default)]
struct SplitRows {
    fit: Vec<MeasuredRequest>,
    report: Vec<MeasuredRequest>,
    /// Rows in the file, those of a launch that another row has too, and launches without a time.
    read: usize,
    merged: usize,
    untimed: usize,
}

pub fn run(args: &CalibrateArgs) -> CliResult {
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    check_meaning(args)?;
    let base = Base::load(&args.device)?;
    let rows = rows(args, &base.device)?;
    let engine = Predictor::with_settings(base.device.clone(), args.engine.settings()?);
    let closed = engine.with_engine(Kind::Analytical);
    let reader = args.engine.engine.reader();
    let scalars = calibrate::unknown_scalars(&base, reader, rows.fit.len(), |device| {
        let ratios = ratios(&closed.on(device.clone()), &rows.fit)?;
        Ok::<_, PredictError>(ratios.iter().sum())
    })?;
    if scalars.iter().all(|one| one.key.name() == calibrate::CLOCK) {
        return Err(format!(
            "device {}: given no value that is assumed or fitted and that these rows depend on; allowed: at least one \
             (`warpstack list devices {} --kind assumed`)",
            args.device,
            args.device
        )
        .into());
    }
    let found = calibrate::fit(&base, &scalars, |device| {
        let ratios = ratios(&engine.on(device.clone()), &rows.fit)?;
        Ok::<_, Box<dyn Error>>(ratios)
    })?;
    let source = format!(
        "fitted on {} calibration rows of {}",
        rows.fit.len(),
        args.measured.display()
    );
    let preset = Preset::text(&args.device)?;
    let refitted = calibrate::with_values(&preset, &scalars, &found.values, &source);
    let report = report(&engine, &rows, &scalars, &found)?;
    let text = report + "\n" + &changed_lines(&preset, &refitted);
    output::write(None, text.as_bytes())?;
    if let Some(out) = &args.out {
        output::write(Some(out), refitted.as_bytes())?;
    }
    Ok(())
}

/// Refuses options that choose the programs and kernels to predict: the rows determine them.
fn check_meaning(args: &CalibrateArgs) -> Result<(), String> {
    let inputs = &args.engine.inputs;
    let given = [
        ("--corpus", inputs.corpus.is_some()),
        ("--inferred", inputs.inferred.is_some()),
        ("--population", inputs.population.is_some()),
        ("--arch", inputs.arch.is_some()),
        ("--shape", inputs.shape.is_some()),
        ("--math", inputs.math.is_some()),
        ("--token-type", inputs.token_type.is_some()),
    ];
    refuse::given(
        &given,
        "given with --measured; allowed with it: --device, --programs, --data, --engine, --scope, --out",
    )
}

fn rows(args: &CalibrateArgs, device: &Device) -> Result<SplitRows, Box<dyn Error>> {
    let file = args.measured.display().to_string();
    let programs = Programs::File(args.engine.inputs.programs.clone());
    let mut requests = Requests::new(programs, folder(args.data.as_deref()));
    let mut rows = SplitRows::default();
    let text = input::named(&args.measured)?;
    if !args.any_card {
        card::check(&text, &file, device)?;
    }
    let parsed = parse(&text, &file, device)?;
    rows.read = parsed.len();
    let launches = merged(parsed);
    rows.merged = rows.read - launches.len();
    for row in launches {
        let Some(milliseconds) = row.milliseconds else {
            rows.untimed += 1;
            continue;
        };
        let split = match row.split {
            MeasurementSplit::Calibration => &mut rows.fit,
            MeasurementSplit::Holdout => &mut rows.report,
        };
        split.push((requests.of(&row)?, milliseconds));
    }
    let (fit, report) = (rows.fit.len(), rows.report.len());
    if fit < ROWS_PER_VALUE || report == 0 {
        return Err(format!(
            "{file}: given {fit} different launches with split calibration and {report} with holdout; allowed: at least \
             {ROWS_PER_VALUE} and 1 (measure more block sizes, carve-outs or kernels)"
        )
        .into());
    }
    Ok(rows)
}

/// Predicted over measured time of every row.
fn ratios(engine: &Predictor, rows: &[MeasuredRequest]) -> Result<Vec<f64>, PredictError> {
    let ratio = |(request, measured): &MeasuredRequest| {
        let predicted = engine.predict_request(request)?.run_milliseconds;
        Ok(predicted / measured)
    };
    parallel::try_map(rows, ratio)
}

/// Absolute errors in percent.
fn errors(engine: &Predictor, rows: &[MeasuredRequest]) -> Result<Vec<f64>, PredictError> {
    let ratios = ratios(engine, rows)?.into_iter();
    Ok(ratios.map(|ratio| 100.0 * (ratio - 1.0).abs()).collect())
}

fn report(
    engine: &Predictor,
    measured: &SplitRows,
    scalars: &[Scalar],
    found: &Calibration,
) -> Result<String, PredictError> {
    let refitted = engine.on(found.device.clone());
    let mut rows = Vec::new();
    let mut means = Vec::new();
    let splits = [
        ("calibration: fitted on", &measured.fit),
        ("holdout: not seen", &measured.report),
    ];
    for (name, of_split) in splits {
        let mut row = vec![name.to_owned(), of_split.len().to_string()];
        for engine in [engine, &refitted] {
            let errors = errors(engine, of_split)?;
            let mean = stats::mean(&errors).unwrap_or(0.0);
            let median = stats::median(&errors).unwrap_or(0.0);
            row.push(format!("{mean:.1} ({median:.1})"));
            means.push(mean);
        }
        rows.push(row);
    }
    let headers = ["rows", "launches", "preset", "refitted"];
    let mut text = format!(
        "{}\n\nmean (median) |error| of time, %\n{}\n{}",
        measured.counts(),
        table(&headers, rows, 1),
        common_factor(scalars, found),
    );
    let headers = ["value", "preset", "refitted"];
    text += &table(&headers, values(scalars, found).collect(), 1);
    text += &not_told_apart(scalars, found);
    // The last two are those of the holdout rows.
    if means[3] >= means[2] {
        text += "\nThe holdout rows are predicted no better: keep the preset.\n";
    }
    Ok(text)
}

impl SplitRows {
    /// Says how many rows became how many launches.
    fn counts(&self) -> String {
        let launches = self.fit.len() + self.report.len();
        format!(
            "{} rows, {launches} launches: {} rows merged with one of the same launch, {} dropped without a time",
            self.read, self.merged, self.untimed
        )
    }
}

/// Says by what factor the preset is off in the mean, and the clock that would explain it.
fn common_factor(scalars: &[Scalar], found: &Calibration) -> String {
    let factor = found.common_factor;
    let clock = scalars.iter().zip(&found.values);
    let mut clock = clock.filter(|(one, _)| one.key.name() == calibrate::CLOCK);
    let explained = clock.next().map_or(String::new(), |(clock, now)| {
        format!(
            "; a clock of {:.0} MHz alone would explain it, the fit has {now:.0} (check it with `nvidia-smi -q -d CLOCK`)",
            clock.start * factor
        )
    });
    format!("predicted over measured time with the preset, in the mean: {factor:.3}{explained}\n\n")
}

/// Names the values that the rows cannot tell apart: only their joint effect is known.
fn not_told_apart(scalars: &[Scalar], found: &Calibration) -> String {
    let line = |(a, b, cosine): &(usize, usize, f64)| {
        let [a, b] = [a, b].map(|at| scalars[*at].key.name());
        format!(
            "\nThese rows do not tell {a} and {b} apart (their effects have a cosine of {cosine:.2}): only the joint change is known.\n"
        )
    };
    found.alike.iter().map(line).collect()
}

/// Returns the lines that differ between two texts of a preset, under their sections' names, ready to paste.
fn changed_lines(before: &str, after: &str) -> String {
    let (mut section, mut shown) = ("", "");
    let mut text = String::new();
    for (old, new) in before.lines().zip(after.lines()) {
        if old.starts_with('[') {
            section = old;
        }
        if old == new {
            continue;
        }
        if shown != section {
            text += &format!("{section}\n");
            shown = section;
        }
        text += &format!("{new}\n");
    }
    match text.is_empty() {
        true => "No other value is better than the preset's.\n".into(),
        false => text,
    }
}
