//! Least squares on the logarithm of the time.
//!
//! Models: `ln ms = a + b sizes + c(problem) + d(kernel)`, with a small ridge so that launches that never vary in a size can be fitted.
//! Leaves out: products of features. Units: milliseconds. Sources: normal equations.

use super::baselines::{Features, Sample};
use crate::util::linear::solve;
use std::collections::BTreeSet;

/// Added to the diagonal of the normal equations, per sample.
const RIDGE: f64 = 1e-4;

/// A fitted regression.
#[derive(Debug)]
pub struct Regression {
    problems: Vec<String>,
    kernels: Vec<String>,
    weights: Vec<f64>,
}

impl Regression {
    /// Fits the weights to the samples' times.
    pub fn fit(samples: &[&Sample]) -> Regression {
        let names = |of: &dyn Fn(&Features) -> String| -> Vec<String> {
            let names: BTreeSet<String> =
                samples.iter().map(|sample| of(&sample.features)).collect();
            names.into_iter().collect()
        };
        let mut regression = Regression {
            problems: names(&|features| features.problem.clone()),
            kernels: names(&|features| features.kernel.clone()),
            weights: Vec::new(),
        };
        let terms: Vec<Vec<f64>> = samples
            .iter()
            .map(|sample| regression.terms(&sample.features))
            .collect();
        let n = terms.first().map_or(0, Vec::len);
        let mut equations = vec![vec![0.0; n + 1]; n];
        for (terms, sample) in terms.iter().zip(samples) {
            for (row, term) in equations.iter_mut().zip(terms) {
                for (sum, other) in row.iter_mut().zip(terms) {
                    *sum += term * other;
                }
                row[n] += term * sample.milliseconds.ln();
            }
        }
        for (at, row) in equations.iter_mut().enumerate() {
            row[at] += RIDGE * samples.len() as f64;
        }
        regression.weights = solve(equations);
        regression
    }

    /// Returns the time that the regression predicts.
    pub fn milliseconds(&self, launch: &Features) -> f64 {
        let terms = self.terms(launch).into_iter().zip(&self.weights);
        terms.map(|(term, weight)| term * weight).sum::<f64>().exp()
    }

    fn terms(&self, launch: &Features) -> Vec<f64> {
        let is = |name: &String, own: &String| f64::from(u8::from(name == own));
        let problems = self.problems.iter().map(|name| is(name, &launch.problem));
        let kernels = self.kernels.iter().map(|name| is(name, &launch.kernel));
        let sizes = launch.sizes.iter().copied();
        [1.0]
            .into_iter()
            .chain(sizes)
            .chain(problems)
            .chain(kernels)
            .collect()
    }
}
