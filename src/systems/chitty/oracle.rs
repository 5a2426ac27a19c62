//! Error that a kernel should report for a program, computed on the CPU.
//!
//! Models: the error of one case as defined in `systems/cuda/functions.cuh`, summed in double precision over single-precision
//! results, with every operation rounded once.
//! Leaves out: the GPU's own rounding of sine, logarithm and similar functions; comparisons allow a bound.
//! Units: summed errors: squared differences, wrong classes, wrong bits.
//! Sources: Chitty 2016, Table 2.

use super::layout::CaseTable;
use crate::gp::interpret::reference::{other_roundings, value_f32, value_u32};
use crate::gp::problem::{Cases, Dataset, ProblemId, Score};
use crate::gp::program::Rpn;
use crate::gp::workload::Workload;

/// Summed errors of one program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedError {
    /// Error over all fitness cases.
    all: f64,
    /// Error of the first case, which the padding repeats.
    first: f64,
}

impl ExpectedError {
    pub fn of(program: &Rpn, workload: &Workload) -> Self {
        let dataset = &workload.problem.dataset;
        let error = |element| element_error(program, workload.id, dataset, element);
        let n_elements = match dataset {
            Dataset::Float(cases) => cases.expected.len(),
            Dataset::Word(cases) => cases.expected.len(),
        };
        Self {
            all: (0..n_elements).map(error).sum(),
            first: error(0),
        }
    }

    /// Returns the sum that a kernel computes, including the padding.
    pub fn with_padding(&self, cases: &CaseTable) -> f64 {
        match cases.n_padding() {
            0 => self.all,
            n_padding => self.all + n_padding as f64 * self.first,
        }
    }

    /// Tells whether the error is independent of rounding, that is, every other rounding is within `tolerance` of it. For other
    /// programs, a GPU's functions may round differently and give another error.
    pub fn is_decided(&self, program: &Rpn, workload: &Workload, tolerance: f64) -> bool {
        let Dataset::Float(cases) = &workload.problem.dataset else {
            return true;
        };
        let mut sums = [0.0; 3];
        for element in 0..cases.expected.len() {
            let expected = f64::from(cases.expected[element]);
            let values = other_roundings(program, &inputs(cases, element));
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += error_of(workload.id, value - expected);
            }
        }
        let near = |sum: f64| relative_difference(self.all, sum) <= tolerance;
        sums.into_iter().all(near)
    }
}

/// Returns the error of one element: a fitness case, or a word of 32 Boolean cases.
pub fn element_error(program: &Rpn, problem: ProblemId, dataset: &Dataset, element: usize) -> f64 {
    match dataset {
        Dataset::Float(cases) => {
            let value = value_f32(program, &inputs(cases, element));
            case_error(problem, value, cases.expected[element])
        }
        Dataset::Word(cases) => {
            let value = value_u32(program, &inputs(cases, element));
            f64::from((value ^ cases.expected[element]).count_ones())
        }
    }
}

fn inputs<T: Copy>(cases: &Cases<T>, element: usize) -> Vec<T> {
    cases.inputs.iter().map(|column| column[element]).collect()
}

fn case_error(problem: ProblemId, value: f32, expected: f32) -> f64 {
    let difference = value - expected;
    match problem.definition().score {
        Score::MeanSquaredError => f64::from(difference * difference),
        _ => error_of(problem, f64::from(difference)),
    }
}

/// Returns the error of a difference that was not rounded to single precision.
fn error_of(problem: ProblemId, difference: f64) -> f64 {
    match problem.definition().score {
        Score::MeanSquaredError => difference * difference,
        _ if difference.abs() < 0.5 => 0.0,
        _ => 1.0,
    }
}

/// Returns the relative difference of a measured from an expected error; 0 if neither is finite.
pub fn relative_difference(measured: f64, expected: f64) -> f64 {
    if !measured.is_finite() || !expected.is_finite() {
        return if measured.is_finite() == expected.is_finite() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    (measured - expected).abs() / expected.abs().max(1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::workload::measured_programs;
    use rayon::prelude::*;

    #[test]
    fn what_overflows_single_precision_alone_is_not_decided() {
        let workload = Workload::with_cases(ProblemId::Sextic, None, 1, Some(64)).unwrap();
        let decided_in = |workload: &Workload, text: &str| {
            let program = text.parse().unwrap();
            ExpectedError::of(&program, workload).is_decided(&program, workload, 1e-2)
        };
        let decided = |text: &str| decided_in(&workload, text);
        assert!(decided("X1 X1 * sin"));
        assert!(decided("X1 exp exp exp"));
        // One unit in the last place of exp(10), 0.002, is 0.5 % of the difference: double precision differs by half a unit,
        // other libraries by two.
        assert!(!decided("10 exp 22026 -"));
        assert!(decided("10 exp 22000 -"));
        // Values of up to 2 * 10^26, whose square overflows single precision.
        let large = "X1 exp exp exp X1 exp exp exp *";
        assert!(!decided(&format!("{large} {large} *")));
        let words = Workload::with_cases(ProblemId::Mux20, None, 1, None).unwrap();
        assert!(decided_in(&words, "X1 NOT"));
    }

    /// Rounding decides few programs; otherwise wrong kernels would pass unnoticed.
    #[test]
    fn rounding_decides_few_of_the_programs_that_are_measured() {
        let workload = Workload::with_cases(ProblemId::Sextic, None, 1, Some(256)).unwrap();
        let programs = measured_programs(ProblemId::Sextic).unwrap();
        let undecided = programs.par_iter().filter(|program| {
            !ExpectedError::of(program, &workload).is_decided(program, &workload, 1e-2)
        });
        let (undecided, all) = (undecided.count(), programs.len());
        println!("{undecided} of {all}");
        assert!(undecided * 5 < all, "{undecided} of {all}");
    }
}
