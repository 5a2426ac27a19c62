//! Intervals around predicted times, from the errors of measured launches like them.
//!
//! Models: split conformal prediction by groups. Launches of one device, engine, problem and kernel form a group; the interval is as wide as
//! the errors of its measured launches. A launch of another problem gets the widest interval of its kernel's groups. Where the kernel was not
//! measured on the device there is none.
//! Leaves out: programs, block sizes and fitness cases unlike the measured ones.
//! Units: factors on time or speed. Sources: `fixtures/measured/errors.csv`, which `cargo xtask errors` writes; Papadopoulos et al., Inductive
//! Confidence Machines for Regression, ECML 2002; equations (C1) to (C3) in `docs/validation.md`.

use crate::device::{Device, Preset};
use crate::launch::prediction::Prediction;
use crate::util::names::named;
use crate::util::rows::{Rows, RowsError};
use serde::Serialize;
use std::sync::LazyLock;

const COMMITTED: &str = include_str!("../../fixtures/measured/errors.csv");

/// Probability that an interval is to cover.
const COVERAGE: f64 = 0.9;
/// Smallest group that has an interval with this coverage: of fewer, even the largest error is passed too often.
const LEAST: usize = 9;
/// Half-width of an interval, as a factor, above which a prediction counts as not validated.
const WIDEST: f64 = 1.2;

named! {
    /// Kind of measurements that a prediction rests on.
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Support ("support") {
        /// Launches of the same problem and kernel on the device.
        Validated = "validated",
        /// Launches of the same kernel on other problems.
        Near = "near",
        /// None of the kernel, or launches whose errors were too large.
        Outside = "outside",
    }
}

/// A launch, as far as it decides the group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub device: String,
    pub engine: String,
    pub problem: String,
    pub kernel: String,
}

impl Group {
    /// Returns the group of a prediction.
    pub fn of(prediction: &Prediction, device: &str, engine: &str) -> Self {
        Group {
            device: device.to_owned(),
            engine: engine.to_owned(),
            problem: prediction.configuration.problem.clone(),
            kernel: prediction.configuration.kernel.clone(),
        }
    }
}

/// Confidence in one prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub support: Support,
    /// The measured value is within the predicted one divided and multiplied by this factor, with a probability of 90 %.
    pub factor: Option<f64>,
    /// Measured launches of the group that decides.
    pub launches: usize,
}

impl Interval {
    /// No interval: nothing like the launch was measured.
    pub const NONE: Interval = Interval {
        support: Support::Outside,
        factor: None,
        launches: 0,
    };

    /// Returns the interval of a launch on a device with this L1; none if the device was changed or has no such L1.
    pub fn of(device: &Device, launch: &Group, l1_bytes: Option<u32>) -> Interval {
        let is_real = l1_bytes.is_none_or(|bytes| device.split_for_l1(bytes).is_some());
        match is_real {
            true => Errors::of(device).interval(launch),
            false => Interval::NONE,
        }
    }

    /// Returns the bounds around a predicted value.
    pub fn around(&self, predicted: f64) -> Option<(f64, f64)> {
        let factor = self.factor?;
        Some((predicted / factor, predicted * factor))
    }

    /// Returns the interval of a predicted speed.
    pub fn of_speed(&self, gpops_billion: f64) -> SpeedInterval {
        let bounds = self.around(gpops_billion);
        SpeedInterval {
            gpops_billion_low: bounds.map(|bounds| bounds.0),
            gpops_billion_high: bounds.map(|bounds| bounds.1),
            support: self.support,
            launches: self.launches,
        }
    }
}

/// Interval of a predicted speed, as outputs name it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SpeedInterval {
    pub gpops_billion_low: Option<f64>,
    pub gpops_billion_high: Option<f64>,
    pub support: Support,
    /// As [`Interval::launches`].
    #[serde(skip)]
    pub launches: usize,
}

/// Natural logarithms of measured over predicted times, by group.
#[derive(Debug, Default)]
pub struct Errors(Vec<(Group, Vec<f64>)>);

impl Errors {
    /// Returns the committed errors, or none for a device with other values than the preset of its name.
    pub fn of(device: &Device) -> &'static Errors {
        static COMMITTED_ERRORS: LazyLock<Errors> =
            LazyLock::new(|| Errors::parse(COMMITTED).unwrap_or_default());
        static NO_ERRORS: Errors = Errors(Vec::new());
        let preset = Preset::load(&device.name);
        match preset.is_ok_and(|preset| preset.device == *device) {
            true => &COMMITTED_ERRORS,
            false => &NO_ERRORS,
        }
    }

    /// Reads rows of engine, device, problem, kernel and measured over predicted time.
    pub fn parse(text: &str) -> Result<Errors, RowsError> {
        let rows = Rows::read(text, "errors.csv")?;
        let rows = rows.with_header("engine,device,problem,kernel,measured_over_predicted")?;
        let mut errors = Errors::default();
        for row in rows.iter() {
            let group = Group {
                device: row.text("device").to_owned(),
                engine: row.text("engine").to_owned(),
                problem: row.text("problem").to_owned(),
                kernel: row.text("kernel").to_owned(),
            };
            let ratio = row.checked(
                "measured_over_predicted",
                "a positive number",
                |ratio: &f64| ratio.is_finite() && *ratio > 0.0,
            )?;
            errors.add(group, ratio);
        }
        Ok(errors)
    }

    /// Adds a launch that took `ratio` times as long as predicted.
    pub fn add(&mut self, group: Group, ratio: f64) {
        let error = ratio.ln();
        match self.0.iter_mut().find(|(known, _)| *known == group) {
            Some((_, errors)) => errors.push(error),
            None => self.0.push((group, vec![error])),
        }
    }

    /// Returns the errors of the launches of a group.
    fn of_group(&self, group: &Group) -> &[f64] {
        let own = self.0.iter().find(|(known, _)| known == group);
        own.map_or(&[], |(_, errors)| errors)
    }

    /// Returns the interval of a launch.
    pub fn interval(&self, launch: &Group) -> Interval {
        let of_device =
            |group: &Group| (&group.device, &group.engine) == (&launch.device, &launch.engine);
        let groups = || self.0.iter().filter(|(group, _)| of_device(group));
        let own = self.of_group(launch);
        let alike = groups().filter(|(group, _)| group.kernel == launch.kernel);
        let alike: Vec<&[f64]> = alike.map(|(_, errors)| errors.as_slice()).collect();
        let validated = widest([own].into_iter()).map(|found| (Support::Validated, found));
        let near = || {
            let (factor, launches) = widest(alike.iter().copied())?;
            // Groups without an interval say at least how far a launch of the kernel can be off.
            let small = alike.iter().filter(|errors| errors.len() < LEAST);
            let farthest = small.copied().flatten().map(|error| error.abs());
            let farthest = farthest.fold(0.0, f64::max).exp();
            Some((Support::Near, (factor.max(farthest), launches)))
        };
        let found = validated.or_else(near);
        found.map_or(Interval::NONE, |(support, (factor, launches))| Interval {
            support: match factor > WIDEST {
                true => Support::Outside,
                false => support,
            },
            factor: Some(factor),
            launches,
        })
    }
}

impl SpeedInterval {
    /// Returns both bounds.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        self.gpops_billion_low.zip(self.gpops_billion_high)
    }
}

/// A launch and its predicted speed.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub group: Group,
    pub speed: f64,
}

impl Errors {
    /// Returns the chance of each launch to be the fastest, if each errs like a measured launch of its problem and kernel, independently of the
    /// others; `None` where too few were measured for one of them.
    pub fn chances(&self, candidates: &[Candidate]) -> Option<Vec<f64>> {
        let own = candidates.iter().map(|one| self.of_group(&one.group));
        let errors: Vec<&[f64]> = own.collect();
        if errors.iter().any(|errors| errors.len() < LEAST) {
            return None;
        }
        let steps: Vec<f64> = steps().take(candidates.len()).collect();
        let mut fastest = vec![0u32; candidates.len()];
        for draw in 0..DRAWS {
            let speeds = candidates.iter().enumerate().map(|(at, candidate)| {
                let place = (0.5 + f64::from(draw) * steps[at]).fract() * errors[at].len() as f64;
                candidate.speed * (-errors[at][place as usize]).exp()
            });
            let first = speeds.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?.0;
            fastest[first] += 1;
        }
        let chance = |wins: &u32| f64::from(*wins) / f64::from(DRAWS);
        Some(fastest.iter().map(chance).collect())
    }
}

/// Draws of one error for each launch.
const DRAWS: u32 = 10_000;

/// Steps of a Kronecker sequence, one for each dimension: square roots of numbers that are not squares.
fn steps() -> impl Iterator<Item = f64> {
    let not_squares = (2u32..).filter(|n| n.isqrt().pow(2) != *n);
    not_squares.map(|n| f64::from(n).sqrt())
}

/// Returns the factor of the widest interval of these groups, and the launches of its group. Small groups have none.
fn widest<'a>(groups: impl Iterator<Item = &'a [f64]>) -> Option<(f64, usize)> {
    let intervals = groups.filter_map(|errors| Some((quantile(errors)?.exp(), errors.len())));
    intervals.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Returns the error that a further launch of the group exceeds with a probability of at most `1 - COVERAGE`.
fn quantile(errors: &[f64]) -> Option<f64> {
    if errors.len() < LEAST {
        return None;
    }
    let mut sorted: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let rank = (COVERAGE * (sorted.len() + 1) as f64).ceil() as usize;
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(problem: &str, kernel: &str) -> Group {
        Group {
            device: "card".into(),
            engine: "simulator".into(),
            problem: problem.into(),
            kernel: kernel.into(),
        }
    }

    /// Launches that took 1, 2, ... `n` percent longer than predicted.
    fn with(problem: &str, kernel: &str, n: u32, errors: &mut Errors) {
        for percent in 1..=n {
            errors.add(group(problem, kernel), 1.0 + f64::from(percent) / 100.0);
        }
    }

    #[test]
    fn nine_tenths_of_further_launches_are_inside() {
        let mut errors = Errors::default();
        with("sextic", "rpn", 19, &mut errors);
        let interval = errors.interval(&group("sextic", "rpn"));
        // 0.9 x 20: the 18th smallest.
        assert!((interval.factor.unwrap() - 1.18).abs() < 1e-12);
        assert_eq!(
            (interval.support, interval.launches),
            (Support::Validated, 19)
        );
        let (low, high) = interval.around(2.36).unwrap();
        assert!((low - 2.0).abs() < 1e-9 && (high - 2.36 * 1.18).abs() < 1e-9);
    }

    #[test]
    fn another_problem_gets_the_widest_of_its_kernel_and_another_kernel_none() {
        let mut errors = Errors::default();
        with("sextic", "rpn", 9, &mut errors);
        with("shuttle", "rpn", 12, &mut errors);
        with("kddcup", "lgp", 40, &mut errors);
        let near = errors.interval(&group("mux20", "rpn"));
        assert_eq!((near.support, near.launches), (Support::Near, 12));
        assert!((near.factor.unwrap() - 1.12).abs() < 1e-12);
        assert_eq!(
            errors.interval(&group("sextic", "accumulator")),
            Interval::NONE
        );
        // Launches like it were far off.
        let wide = errors.interval(&group("kddcup", "lgp"));
        assert_eq!(wide.support, Support::Outside);
        assert!(wide.factor.unwrap() > 1.3);
        let elsewhere = Group {
            device: "other".into(),
            ..group("sextic", "rpn")
        };
        assert_eq!(errors.interval(&elsewhere), Interval::NONE);
    }

    #[test]
    fn eight_launches_are_too_few_but_the_farthest_of_them_counts() {
        let mut errors = Errors::default();
        with("sextic", "rpn", 7, &mut errors);
        let own = group("sextic", "rpn");
        assert_eq!(errors.interval(&own), Interval::NONE);
        with("shuttle", "rpn", 12, &mut errors);
        assert!((errors.interval(&own).factor.unwrap() - 1.12).abs() < 1e-12);
        errors.add(own.clone(), 1.0 / 1.5);
        // Another problem of the kernel, which was never measured, may be as far off.
        for launch in [own, group("mux20", "rpn")] {
            let interval = errors.interval(&launch);
            assert!((interval.factor.unwrap() - 1.5).abs() < 1e-12);
            assert_eq!(interval.support, Support::Outside);
        }
    }

    #[test]
    fn the_faster_launch_wins_as_often_as_its_lead_exceeds_the_errors() {
        let mut errors = Errors::default();
        // Half of them 10 % slower than predicted, half as fast; the other kernel as predicted.
        for n in 0..20 {
            errors.add(group("sextic", "rpn"), [1.0, 1.1][n % 2]);
            errors.add(group("sextic", "lgp"), 1.0);
        }
        let chances = |speeds: [f64; 2]| {
            let kernels = ["rpn", "lgp"].into_iter().zip(speeds);
            let candidates: Vec<Candidate> = kernels
                .map(|(kernel, speed)| Candidate {
                    group: group("sextic", kernel),
                    speed,
                })
                .collect();
            errors.chances(&candidates).unwrap()
        };
        assert_eq!(chances([1.2, 1.0]), [1.0, 0.0]);
        let tie = chances([1.05, 1.0]);
        assert!((tie[0] - 0.5).abs() < 0.01, "{tie:?}");
        assert!((tie[0] + tie[1] - 1.0).abs() < 1e-12);
        assert_eq!(chances([0.9, 1.0]), [0.0, 1.0]);
        let unknown = Candidate {
            group: group("sextic", "accumulator"),
            speed: 1.0,
        };
        assert_eq!(errors.chances(&[unknown]), None);
    }

    /// Each problem of the paper left out in turn: 90 % (`docs/validation.md`).
    #[test]
    fn the_intervals_of_other_problems_cover_the_papers_cells() {
        let all = Errors::parse(COMMITTED).unwrap();
        let cells = all.0.iter().filter(|(group, _)| {
            (group.device.as_str(), group.engine.as_str()) == ("gtx670", "simulator")
        });
        let mut inside = Vec::new();
        for (group, errors) in cells {
            let others = all.0.iter().filter(|one| one.0.problem != group.problem);
            let factor = Errors(others.cloned().collect()).interval(group).factor;
            let widest = factor.unwrap().ln();
            inside.extend(errors.iter().map(|error| error.abs() <= widest));
        }
        assert_eq!(inside.len(), 940);
        let covered = inside.iter().filter(|inside| **inside).count() as f64 / 940.0;
        assert!((0.86..=0.94).contains(&covered), "{covered}");
    }

    #[test]
    fn the_committed_errors_are_read() {
        let errors = Errors::parse(COMMITTED).unwrap();
        let total: usize = errors.0.iter().map(|(_, errors)| errors.len()).sum();
        assert!(total > 2000, "{total}");
    }
}
