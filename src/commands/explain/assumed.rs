//! The assumed values of a device that the speed of a launch rests on.
//!
//! Changes each assumed value by 10 % and predicts again with the analytical model, whatever engine explains. Leaves out: joint effects;
//! values that only the simulator reads; kernels that the analytical model does not cover. Units: percent of the speed.

use crate::device::{Kind, Reader};
use crate::launch::prediction::{Configuration, PredictError};
use crate::predictor::{self, Predictor};
use crate::report::explain::Assumed;
use crate::study::Base;
use crate::study::sensitivity::sensitivities;
use crate::systems::registry;

/// Values that are named.
const MOST: usize = 3;
/// Effects below this are not worth a word, in percent.
const LEAST_PERCENT: f64 = 1.0;

/// Returns the assumed values with the largest effects; none for a launch that the analytical model cannot predict.
pub fn values(base: &Base, model: &Predictor, launch: &Configuration) -> Vec<Assumed> {
    if !registry::is_uniform(&launch.kernel) {
        return Vec::new();
    }
    let quick = model.with_engine(predictor::Kind::Analytical);
    let found = sensitivities(
        base,
        Reader::Model,
        |_, kind| kind == Kind::Assumed,
        |device| {
            let predicted = quick.on(device.clone()).predict(launch)?;
            Ok::<_, PredictError>(predicted.gpops_billion)
        },
    );
    let found = found.unwrap_or_default().into_iter();
    let notable = found
        .filter(|one| one.percent() >= LEAST_PERCENT)
        .take(MOST);
    let assumed = notable.map(|one| Assumed {
        field: one.key.name(),
        value: one.value,
        percent: one.percent(),
    });
    assumed.collect()
}
