//! Simple predictors that a model must beat.
//!
//! Models: each is fitted on the measured times of one half of the launches and predicts the other half. Roofline is not fitted.
//! Leaves out: everything that happens inside a multiprocessor. Units: milliseconds.
//! Sources: instruction and byte counts of the analytical model (`predictions.csv`); Williams, Waterman and Patterson, Roofline, 2009.

use super::regression::Regression;
use crate::util::names::named;
use crate::util::stats;

named! {
    /// A simple predictor.
    pub enum Baseline ("baseline") {
        /// Mean of the measured values.
        Mean = "mean",
        /// Constant time per warp instruction.
        Constant = "constant",
        /// Measured launch nearest in its features, scaled by warp instructions.
        Nearest = "nearest",
        /// Linear regression of logarithms on features of the launch.
        Regression = "regression",
        /// Largest of the times at the ceilings of issue, L1, L2 and DRAM.
        Roofline = "roofline",
    }
}

/// A launch, as far as baselines see it.
#[derive(Debug, Clone)]
pub struct Features {
    pub problem: String,
    pub kernel: String,
    pub warp_instructions: f64,
    pub roofline_ms: f64,
    /// Sizes of the launch, as logarithms.
    pub sizes: Vec<f64>,
}

/// A launch with its time, or in the scored half the place for one.
#[derive(Debug, Clone)]
pub struct Sample {
    pub features: Features,
    pub milliseconds: f64,
    /// Value in the unit of the row.
    pub measured: f64,
    /// Turns milliseconds into that unit and back, if it is a speed: billions of operations times 1000.
    pub work: Option<f64>,
}

impl Sample {
    /// Returns a time in the unit of the row.
    fn in_unit(&self, milliseconds: f64) -> f64 {
        self.work.map_or(milliseconds, |work| work / milliseconds)
    }
}

impl Baseline {
    /// Predicts the launches of `scored` in the units of their rows; their measured values are not read.
    pub fn predict(self, fitted: &[&Sample], scored: &[&Sample]) -> Vec<f64> {
        let all = |time: &dyn Fn(&Sample) -> f64| -> Vec<f64> {
            scored
                .iter()
                .map(|sample| sample.in_unit(time(sample)))
                .collect()
        };
        match self {
            Baseline::Mean => {
                let values: Vec<f64> = fitted.iter().map(|sample| sample.measured).collect();
                vec![stats::mean(&values).unwrap_or(f64::NAN); scored.len()]
            }
            Baseline::Constant => {
                let per = fitted
                    .iter()
                    .map(|sample| sample.milliseconds / sample.features.warp_instructions);
                let per = stats::median(&per.collect::<Vec<f64>>()).unwrap_or(f64::NAN);
                all(&|sample| per * sample.features.warp_instructions)
            }
            Baseline::Nearest => {
                let scales = scales(fitted);
                all(&|sample| nearest(fitted, &sample.features, &scales))
            }
            Baseline::Regression => {
                let regression = Regression::fit(fitted);
                all(&|sample| regression.milliseconds(&sample.features))
            }
            Baseline::Roofline => all(&|sample| sample.features.roofline_ms),
        }
    }
}

/// Distance between launches of different problems or kernels, in standard deviations.
const OTHER_NAME: f64 = 2.0;

/// Standard deviation of each size.
fn scales(samples: &[&Sample]) -> Vec<f64> {
    let n_sizes = samples
        .first()
        .map_or(0, |sample| sample.features.sizes.len());
    let scale = |at: usize| {
        let values: Vec<f64> = samples
            .iter()
            .map(|sample| sample.features.sizes[at])
            .collect();
        let mean = stats::mean(&values).unwrap_or(0.0);
        let squares: Vec<f64> = values.iter().map(|value| (value - mean).powi(2)).collect();
        stats::mean(&squares).unwrap_or(0.0).sqrt().max(1e-9)
    };
    (0..n_sizes).map(scale).collect()
}

fn nearest(fitted: &[&Sample], launch: &Features, scales: &[f64]) -> f64 {
    let distance = |other: &Features| -> f64 {
        let sizes = launch.sizes.iter().zip(&other.sizes).zip(scales);
        let sizes: f64 = sizes.map(|((a, b), scale)| ((a - b) / scale).powi(2)).sum();
        let names = [
            launch.problem != other.problem,
            launch.kernel != other.kernel,
        ];
        let names = names.iter().filter(|differs| **differs).count();
        sizes + names as f64 * OTHER_NAME.powi(2)
    };
    let found = fitted
        .iter()
        .min_by(|a, b| distance(&a.features).total_cmp(&distance(&b.features)));
    found.map_or(f64::NAN, |found| {
        found.milliseconds * launch.warp_instructions / found.features.warp_instructions
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(problem: &str, instructions: f64, size: f64, milliseconds: f64) -> Sample {
        Sample {
            features: Features {
                problem: problem.to_owned(),
                kernel: "rpn".to_owned(),
                warp_instructions: instructions,
                roofline_ms: instructions / 10.0,
                sizes: vec![instructions.ln(), size],
            },
            milliseconds,
            measured: milliseconds,
            work: None,
        }
    }

    #[test]
    fn each_baseline_predicts_what_it_says() {
        let fitted = [
            sample("a", 10.0, 0.0, 20.0),
            sample("a", 20.0, 1.0, 40.0),
            sample("b", 30.0, 2.0, 90.0),
        ];
        let fitted: Vec<&Sample> = fitted.iter().collect();
        let scored = sample("b", 60.0, 2.0, f64::NAN);
        let predict = |baseline: Baseline| baseline.predict(&fitted, &[&scored])[0];
        assert_eq!(predict(Baseline::Mean), 50.0);
        assert_eq!(predict(Baseline::Constant), 120.0);
        assert_eq!(predict(Baseline::Nearest), 180.0);
        assert_eq!(predict(Baseline::Roofline), 6.0);
        let speed = Sample {
            work: Some(1200.0),
            ..scored.clone()
        };
        assert_eq!(Baseline::Roofline.predict(&fitted, &[&speed]), [200.0]);
    }

    #[test]
    fn a_power_law_is_found_by_the_regression() {
        let law = |n: f64, size: f64| 3.0 * n.powf(0.5) * f64::exp(0.2 * size);
        let fitted: Vec<Sample> = (1..40)
            .map(|n| {
                let (n, size) = (f64::from(n), f64::from(n * 7 % 5));
                sample("a", n, size, law(n, size))
            })
            .collect();
        let fitted: Vec<&Sample> = fitted.iter().collect();
        let scored = sample("a", 25.5, 1.5, f64::NAN);
        let predicted = Baseline::Regression.predict(&fitted, &[&scored])[0];
        assert!(
            (predicted / law(25.5, 1.5) - 1.0).abs() < 0.01,
            "{predicted}"
        );
    }
}
