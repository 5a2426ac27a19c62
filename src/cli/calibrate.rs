//! `warpstack calibrate`: refits the values of a preset that are marked as fitted.
//!
//! Leaves out: the search itself (`validate::calibrate`). The preset is never overwritten.
//! Units: those of the preset; errors in percent.

use super::CliResult;
use super::engine::EngineArgs;
use super::reproduce::{compare, predict_all};
use crate::device::{Device, Preset};
use crate::report::output;
use crate::report::table::table;
use crate::validate::calibrate::{self, Calibration, Scalar};
use crate::validate::{Cell, Measured, Summary, Table, fitted_cells};
use std::error::Error;
use std::path::PathBuf;

/// Refit the fitted values of a preset on the declared cells and print every combination tried.
#[derive(Debug, clap::Args)]
pub struct CalibrateArgs {
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670")]
    pub device: String,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// File to write: a copy of the preset with the values found
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

pub fn run(args: &CalibrateArgs) -> CliResult {
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    let preset = Preset::load(&args.device)?;
    let scalars = calibrate::fitted_scalars(&preset);
    let cells = fitted_cells();
    let measured = [Table::Three, Table::Four].map(Measured::of_paper);
    let measured = measured.into_iter().collect::<Result<Vec<_>, _>>()?;
    let found = calibrate::search(&preset.device, &scalars, |device| {
        error_percent(args, device, &cells, &measured)
    })?;
    output::write(None, text(&preset.device, &scalars, &found).as_bytes())?;
    if let Some(path) = &args.out {
        let text = calibrate::with_values(&Preset::text(&args.device)?, &scalars, &found.device);
        output::write(Some(path), text.as_bytes())?;
    }
    Ok(())
}

/// Mean absolute error of a device's predictions over the cells.
fn error_percent(
    args: &CalibrateArgs,
    device: &Device,
    cells: &[Cell],
    measured: &[Measured],
) -> Result<f64, Box<dyn Error>> {
    let model = args.engine.open(device, &[&cells[0].problem])?;
    let predictions = predict_all(&model, cells)?;
    let compared = compare(cells, &predictions, measured);
    let summary = Summary::of(&compared).ok_or("no cell to fit on has a measured value")?;
    Ok(summary.mean_absolute_error_percent)
}

fn text(start: &Device, scalars: &[Scalar], found: &Calibration) -> String {
    let trials = found.trials.iter().map(|trial| {
        let mut cells: Vec<String> = trial.values.iter().map(f64::to_string).collect();
        cells.push(format!("{:.3}", trial.error_percent));
        cells
    });
    let mut header: Vec<&str> = scalars.iter().map(|scalar| scalar.field).collect();
    header.push("mean |error| (%)");
    let tried = table(&header, trials.collect(), 0);
    let values = scalars.iter().map(|scalar| {
        vec![
            format!("{}.{}", scalar.section, scalar.field),
            scalar.value(start).to_string(),
            scalar.value(&found.device).to_string(),
        ]
    });
    let error = vec![
        "mean |error| (%)".into(),
        format!("{:.3}", found.start_error_percent),
        format!("{:.3}", found.error_percent),
    ];
    let rows = values.chain([error]).collect();
    tried + "\n" + &table(&["fitted value", "preset", "refitted"], rows, 1)
}
