//! The sextic polynomial x^6 - 2x^4 + x^2.
//!
//! Models: Koza's regression problem with random cases: Chitty's (100,000 cases, no constants, as his paper names
//! none) and Robilliard's (1,024 cases, ephemeral random constants, whose range of -1 to 1 is the ECJ library's).
//! Leaves out: Robilliard's smaller case sets; a limit on the number of cases gives them.
//! Units: error is the mean squared difference.
//! Sources: Chitty (2D stack) section 4.2; Robilliard et al. 2008 section 4.

use super::{CaseSource, Cases, Dataset, Definition, Problem, ProblemId, Score};
use crate::gp::evolve::dice::Dice;
use crate::gp::primitive::Primitive::{Add, Cos, Div, Exp, Log, Mul, Sin, Sub};

pub const SEXTIC: Definition = Definition {
    name: "sextic",
    aliases: &[],
    functions: &[Mul, Div, Add, Sub, Sin, Cos, Log, Exp],
    constants: None,
    n_inputs: 1,
    n_cases: 100_000,
    cases: CaseSource::Drawn(cases),
    score: Score::MeanSquaredError,
    // Rounding of single precision: an exact program stays below this error, every other one far above.
    solved_error: 1e-12,
    kernels: Some(ProblemId::Sextic),
};

pub const WITH_CONSTANTS: Definition = Definition {
    name: "sextic-constants",
    constants: Some((-1.0, 1.0)),
    n_cases: 1024,
    ..SEXTIC
};

/// Returns the value that a program should compute, in double precision.
pub fn target(x: f64) -> f64 {
    let x2 = x * x;
    x2 * x2 * x2 - 2.0 * x2 * x2 + x2
}

/// Returns the problem with `n_cases` random cases; equal seeds give equal cases, fewer cases are a prefix of more.
pub fn problem(case_seed: u64, n_cases: usize) -> Problem {
    SEXTIC.with(cases(case_seed, n_cases))
}

pub fn cases(case_seed: u64, n_cases: usize) -> Dataset {
    let mut dice = Dice::new(case_seed, 0);
    let xs: Vec<f32> = (0..n_cases).map(|_| dice.uniform(-1.0, 1.0)).collect();
    let expected = xs.iter().map(|&x| target(f64::from(x)) as f32).collect();
    Dataset::Float(Cases {
        inputs: vec![xs],
        expected,
    })
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
