//! Ranking of a preset's values by their effect on predictions.
//!
//! Changes one number of the preset after the other by 10 % down and up, and predicts again.
//! Leaves out: joint effects of two values; names and switches; devices that the change makes invalid.
//! Units: percent of the prediction; the values' own.

use super::{Base, Key, StudyError};
use crate::device::{Device, Kind, Reader};
use crate::util::parallel;

/// Relative change of a value.
const STEP: f64 = 0.1;

/// Effect of changing a value by 10 % on a prediction.
#[derive(Debug, Clone)]
pub struct Sensitivity {
    pub key: Key,
    pub kind: Kind,
    /// Value in the preset.
    pub value: f64,
    /// A smaller value and a larger one, and what the prediction changes by; without those that no device can have.
    tried: Vec<(f64, f64)>,
}

impl Sensitivity {
    /// The larger change of the prediction, for 10 % of the value: whole numbers cannot always be changed by that little.
    pub fn percent(&self) -> f64 {
        let per_step =
            |(value, percent): &(f64, f64)| percent.abs() * STEP / (value / self.value - 1.0).abs();
        self.tried.iter().map(per_step).fold(0.0, f64::max)
    }
}

/// Sensitivities to the numbers of `base` that `engine` reads and `wanted` selects, the largest first; `predict` returns the
/// prediction for a device, in any unit.
pub fn sensitivities<E: Send>(
    base: &Base,
    engine: Reader,
    wanted: impl Fn(&Key, Kind) -> bool,
    predict: impl Fn(&Device) -> Result<f64, E> + Sync,
) -> Result<Vec<Sensitivity>, E> {
    let usual = predict(&base.device)?;
    let mut numbers = base.numbers(engine);
    numbers.retain(|(key, kind, _)| wanted(key, *kind));
    let mut found = parallel::map(&numbers, |(key, kind, value)| {
        let (kind, value) = (*kind, *value);
        let changes = [value * (1.0 - STEP), value * (1.0 + STEP)];
        let changed = changes.into_iter().filter_map(|to| {
            let (to, device) = changed(base, key, value, to).ok()?;
            Some((to, 100.0 * (predict(&device).ok()? / usual - 1.0)))
        });
        Sensitivity {
            tried: changed.collect(),
            key: key.clone(),
            kind,
            value,
        }
    });
    found.retain(|one| one.percent() > 0.0);
    found.sort_by(|a, b| {
        let by_name = || a.key.name().cmp(&b.key.name());
        b.percent().total_cmp(&a.percent()).then_with(by_name)
    });
    Ok(found)
}

/// The value that is next to `to` and the device that has it; whole numbers change by one at least.
fn changed(base: &Base, key: &Key, from: f64, to: f64) -> Result<(f64, Device), StudyError> {
    let to = match base.is_whole(key) {
        true if to < from => to.round().min(from - 1.0),
        true => to.round().max(from + 1.0),
        false => to,
    };
    let device = base.device(&[(key, &to.to_string())])?;
    Ok((to, device))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of it the clock's, a fifth the multiprocessors'.
    fn speed(device: &Device) -> Result<f64, ()> {
        let clock = device.chip.clock_mhz / 1980.0;
        Ok(clock.powf(0.5) * (f64::from(device.chip.n_smx) / 132.0).powf(0.2))
    }

    fn all(_: &Key, _: Kind) -> bool {
        true
    }

    #[test]
    fn what_changes_the_prediction_is_found_in_order_and_nothing_else() {
        let base = Base::load("h200").unwrap();
        let found = sensitivities(&base, Reader::Model, all, speed).unwrap();
        let names: Vec<String> = found.iter().map(|one| one.key.name()).collect();
        assert_eq!(names, ["chip.clock_mhz", "chip.n_smx"]);
        assert_eq!(found[0].tried.len(), 2);
        assert!((found[0].percent() - 5.13).abs() < 0.01, "{found:?}");
        assert_eq!(found[1].tried[0].0, 119.0);
    }

    #[test]
    fn whole_numbers_change_by_one_at_least_and_impossible_ones_are_left_out() {
        let base = Base::load("h200").unwrap();
        let one = |value: u32| Ok::<_, ()>(f64::from(value));
        let schedulers = |device: &Device| one(device.issue.n_schedulers);
        let found = sensitivities(&base, Reader::Model, all, schedulers).unwrap();
        assert_eq!(found[0].tried, [(3.0, -25.0), (5.0, 25.0)]);
        assert!((found[0].percent() - 10.0).abs() < 1e-9);
        let lanes = |device: &Device| one(device.limits.warp_lanes);
        let found = sensitivities(&base, Reader::Model, all, lanes).unwrap();
        assert!(found.is_empty(), "a warp has 32 lanes: {found:?}");
    }
}
