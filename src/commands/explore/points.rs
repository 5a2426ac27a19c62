//! Predicts every point of the explorer, in parallel, launch by launch.
//!
//! Leaves out: which points (`axes.rs`), what is kept of a prediction (`report/explore/grid.rs`). Units: launches of the progress bar.

use super::axes::Plan;
use crate::launch::prediction::PredictError;
use crate::predictor::Predictor;
use crate::report::explore::grid::{Record, impossible, record};
use crate::report::progress::Progress;
use crate::systems::options::LaunchOptions;
use crate::util::parallel;
use std::error::Error;

/// Largest number of reasons that a column of one byte can name.
const MAX_REASONS: usize = 255;

/// The record of every point, and why some cannot run.
pub fn predict(
    plan: &Plan,
    engine: &Predictor,
) -> Result<(Vec<Record>, Vec<String>), Box<dyn Error>> {
    let engines: Vec<Predictor> = plan
        .machines
        .iter()
        .map(|machine| engine.on(machine.clone()))
        .collect();
    let progress = Progress::new(plan.launches.len() as u64, "launches");
    let of_launch = |launch: &LaunchOptions| {
        let records: Result<Vec<_>, _> = engines.iter().map(|on| point(on, launch)).collect();
        progress.step();
        records
    };
    let points: Vec<Vec<Result<Record, String>>> = parallel::try_map(&plan.launches, of_launch)?;
    let mut reasons: Vec<String> = Vec::new();
    let records = points.into_iter().flatten().map(|point| {
        point.unwrap_or_else(|why| {
            let known = reasons.iter().position(|reason| *reason == why);
            let at = known.unwrap_or_else(|| {
                if reasons.len() < MAX_REASONS {
                    reasons.push(why);
                }
                reasons.len() - 1
            });
            impossible(at + 1)
        })
    });
    Ok((records.collect(), reasons))
}

/// Returns the predicted record of a point, or why the point cannot run.
fn point(
    engine: &Predictor,
    launch: &LaunchOptions,
) -> Result<Result<Record, String>, PredictError> {
    match engine.predict(launch) {
        Ok(prediction) => Ok(Ok(record(&prediction))),
        Err(why @ (PredictError::Occupancy { .. } | PredictError::Refused(_))) => {
            Ok(Err(why.to_string()))
        }
        Err(error) => Err(error),
    }
}
