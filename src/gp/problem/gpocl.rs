//! GPOCL's random data sets.
//!
//! Models: 10 inputs and an output uniform in [-1, 1]; a regression and a classification function set.
//! Leaves out: the terminals 1 and -1 as separate kinds; the range of ephemeral constants contains them. In the classification
//! set the output is a class, 0 or 1, with equal probability: the paper does not give the number of classes.
//! Units: error is the mean squared difference, or the number of wrong classes.
//! Sources: Augusto and Barbosa 2013 section 4.2, tables 2 and 3 (program size 50, 100 to 50,000 rows).

use super::{CaseSource, Cases, Dataset, Definition, Score};
use crate::gp::evolve::dice::Dice;
use crate::gp::primitive::Primitive::{
    Add, And, Cos, Div, Equal, Greater, If, Less, Mul, Neg, Not, Or, Sin, Sub,
};

const N_INPUTS: usize = 10;

pub const REGRESSION: Definition = Definition {
    name: "gpocl-regression",
    aliases: &[],
    functions: &[Add, Sub, Mul, Div, Neg, Sin, Cos],
    constants: Some((-1.0, 1.0)),
    n_inputs: N_INPUTS,
    n_cases: 50_000,
    cases: CaseSource::Drawn(|seed, n| cases(seed, n, |dice| dice.uniform(-1.0, 1.0))),
    score: Score::MeanSquaredError,
    solved_error: 0.0,
    kernels: None,
};

pub const CLASSIFICATION: Definition = Definition {
    name: "gpocl-classification",
    functions: &[If, Equal, Less, Greater, And, Or, Not],
    cases: CaseSource::Drawn(|seed, n| cases(seed, n, |dice| dice.below(2) as f32)),
    score: Score::WrongClasses,
    ..REGRESSION
};

fn cases(case_seed: u64, n_cases: usize, output: impl Fn(&mut Dice) -> f32) -> Dataset {
    let mut dice = Dice::new(case_seed, 0);
    let mut cases = Cases {
        inputs: vec![Vec::new(); N_INPUTS],
        expected: Vec::with_capacity(n_cases),
    };
    for _ in 0..n_cases {
        cases
            .inputs
            .iter_mut()
            .for_each(|column| column.push(dice.uniform(-1.0, 1.0)));
        cases.expected.push(output(&mut dice));
    }
    Dataset::Float(cases)
}
