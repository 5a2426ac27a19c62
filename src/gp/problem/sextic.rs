//! The sextic polynomial x^6 - 2x^4 + x^2.
//!
//! Models: Koza's regression problem with Chitty's function set and random cases.
//! Leaves out: constants (the paper names none); `constants` of the problem can be set by the caller.
//! Units: error is the mean squared difference.
//! Sources: Chitty (2D stack) section 4.2: 100,000 cases uniform in [-1, 1].

use super::{Cases, Dataset, Problem, Score};
use crate::gp::evolve::dice::Dice;
use crate::gp::primitive::Primitive;

pub const NAME: &str = "sextic";
/// The paper's number of fitness cases.
pub const N_CASES: usize = 100_000;

/// The value that a program should compute, in double precision.
pub fn target(x: f64) -> f64 {
    let x2 = x * x;
    x2 * x2 * x2 - 2.0 * x2 * x2 + x2
}

/// The problem with `n_cases` random cases; equal seeds give equal cases, fewer cases are a prefix of more.
pub fn problem(case_seed: u64, n_cases: usize) -> Problem {
    use Primitive::*;
    let mut dice = Dice::new(case_seed, 0);
    let xs: Vec<f32> = (0..n_cases).map(|_| dice.uniform(-1.0, 1.0)).collect();
    let expected = xs.iter().map(|&x| target(f64::from(x)) as f32).collect();
    Problem {
        name: NAME,
        functions: vec![Mul, Div, Add, Sub, Sin, Cos, Log, Exp],
        constants: None,
        dataset: Dataset::Float(Cases {
            inputs: vec![xs],
            expected,
        }),
        score: Score::MeanSquaredError,
        // Rounding of single precision: an exact program stays below this, every other one far above.
        solved_error: 1e-12,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_lie_in_range_and_are_a_prefix() {
        let (small, large) = (problem(1, 100), problem(1, 1000));
        let (Dataset::Float(small), Dataset::Float(large)) = (&small.dataset, &large.dataset)
        else {
            panic!("sextic has float cases");
        };
        assert_eq!(small.inputs[0], large.inputs[0][..100]);
        assert!(large.inputs[0].iter().all(|x| (-1.0..=1.0).contains(x)));
        let mean: f32 = large.inputs[0].iter().sum::<f32>() / 1000.0;
        assert!(mean.abs() < 0.06, "mean {mean}");
    }

    #[test]
    fn target_factors() {
        for x in [-1.0, -0.3, 0.0, 0.5, 1.0] {
            let root = x * x * x - x;
            assert!((target(x) - root * root).abs() < 1e-15);
        }
    }
}
