//! Fits the H200's fitted value again, on the calibration split alone.
//!
//!     cargo xtask refit-h200 64
//!
//! Of each value in turn all candidates are predicted, the others as they are, and the one with the least mean absolute error in time
//! stays; two rounds. N is the number of configurations, evenly spread over those of the split that have a time.

use super::Failure;
use rayon::prelude::*;
use warpstack::device::{Device, Preset};
use warpstack::predictor::{Engine, Settings};
use warpstack::systems::chitty::request::Request;
use warpstack::systems::chitty::split::Split;
use warpstack::validate::launches::{MeasuredLaunch, measured_launches};
use warpstack::validate::requests::{Programs, Requests};

#[derive(clap::Args)]
pub struct Args {
    /// Configurations to predict
    #[arg(default_value_t = 64)]
    n: usize,
}

/// A value's name, its candidates, and how a device takes one.
type Value = (&'static str, &'static [f64], fn(&mut Device, f64));

const VALUES: [Value; 1] = [(
    "l2.request_bytes",
    &[8.0, 12.0, 16.0, 20.0, 24.0],
    |device, value| {
        device.l2.request_bytes = value as u32;
    },
)];

/// A launch and its measured milliseconds.
type Row = (Request, f64);

pub fn run(args: Args) -> Result<(), Failure> {
    let rows = calibration_rows(args.n)?;
    let mut device = Preset::load("h200")?.device;
    let engine = Engine::new(device.clone(), &[], Settings::default())?;
    for round in 1..=2 {
        for (name, candidates, set) in VALUES {
            let with = |candidate: f64| {
                let mut changed = device.clone();
                set(&mut changed, candidate);
                changed
            };
            let errors = candidates
                .iter()
                .map(|&candidate| mean_error_percent(&engine.on(with(candidate)), &rows))
                .collect::<Result<Vec<f64>, Failure>>()?;
            for (candidate, error) in candidates.iter().zip(&errors) {
                println!(
                    "round {round}: {name} = {candidate}: {error:.2} % over {} configurations",
                    rows.len()
                );
            }
            let best = (0..errors.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b]));
            if let Some(best) = best {
                set(&mut device, candidates[best]);
            }
        }
    }
    Ok(())
}

/// About `n` launches of the calibration split that have a time.
fn calibration_rows(n: usize) -> Result<Vec<Row>, Failure> {
    let timed = |row: &MeasuredLaunch| match row.split {
        Split::Calibration => row.milliseconds,
        Split::Holdout => None,
    };
    let mut launches = measured_launches(&Preset::load("h200")?.device)?;
    launches.retain(|row| timed(row).is_some());
    let step = (launches.len() / n.max(1)).max(1);
    let mut requests = Requests::new(Programs::Committed, None);
    let rows = launches.iter().step_by(step);
    rows.filter_map(|row| Some((row, timed(row)?)))
        .map(|(row, milliseconds)| Ok((requests.of(row)?, milliseconds)))
        .collect()
}

/// Mean absolute error in time.
fn mean_error_percent(engine: &Engine, rows: &[Row]) -> Result<f64, Failure> {
    let errors = rows
        .par_iter()
        .map(|(request, measured)| {
            let predicted = engine.predict_request(request)?.run_milliseconds;
            Ok(100.0 * (predicted / measured - 1.0).abs())
        })
        .collect::<Result<Vec<f64>, Failure>>()?;
    Ok(errors.iter().sum::<f64>() / errors.len().max(1) as f64)
}
