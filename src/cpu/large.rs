//! Sines and cosines of large arguments, which the interpreters compute element by element.
//!
//! Models: for each program, the fraction of sin and cos vectors with an argument beyond `math::REDUCIBLE`, and the number of
//! such arguments, from evaluating the program on a sample of the cases.
//! Leaves out: which of a program's sines have them.
//! Units: elements.
//! Sources: `gp/interpret/math.rs`.

use crate::gp::interpret::math::REDUCIBLE;
use crate::gp::interpret::simd::LANES;
use crate::gp::primitive::Primitive;
use crate::gp::problem::Cases;
use crate::gp::program::{Rpn, Token};

/// Number of case vectors on which a program is evaluated.
const SAMPLED_VECTORS: usize = 8;

/// Large arguments per vector of a program's sines, or cosines.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Large {
    /// Probability that a vector contains large arguments.
    pub vectors: f64,
    /// Mean number of large arguments, over all vectors.
    pub elements: f64,
}

/// Measures the large arguments of sin, then those of cos.
pub fn of_program(program: &Rpn, cases: &Cases<f32>) -> [Large; 2] {
    let mut large = [Large::default(); 2];
    let has = |function: &Token| kind(function).is_some();
    if !program.0.iter().any(has) {
        return large;
    }
    let n_vectors = cases.expected.len() / LANES;
    let sampled = SAMPLED_VECTORS.min(n_vectors);
    let mut executed = [0.0_f64; 2];
    for nth in 0..sampled {
        let first = nth * n_vectors / sampled * LANES;
        for (kind, elements) in on_vector(program, cases, first) {
            executed[kind] += 1.0;
            large[kind].elements += elements as f64;
            large[kind].vectors += if elements > 0 { 1.0 } else { 0.0 };
        }
    }
    for (large, executed) in large.iter_mut().zip(executed) {
        large.vectors /= executed.max(1.0);
        large.elements /= executed.max(1.0);
    }
    large
}

/// Index of the function: 0 for sine, 1 for cosine.
fn kind(token: &Token) -> Option<usize> {
    match token {
        Token::Apply(Primitive::Sin) => Some(0),
        Token::Apply(Primitive::Cos) => Some(1),
        _ => None,
    }
}

/// Evaluates a vector of cases; returns each sine and cosine of the program with its number of large arguments.
fn on_vector(program: &Rpn, cases: &Cases<f32>, first: usize) -> Vec<(usize, usize)> {
    let mut stack: Vec<[f32; LANES]> = Vec::new();
    let mut found = Vec::new();
    for token in &program.0 {
        if let (Some(kind), Some(argument)) = (kind(token), stack.last()) {
            let is_large = |x: &&f32| x.is_finite() && x.abs() > REDUCIBLE;
            found.push((kind, argument.iter().filter(is_large).count()));
        }
        let value = match *token {
            Token::Input(input) => {
                let column = &cases.inputs[usize::from(input)];
                std::array::from_fn(|lane| column[first + lane])
            }
            Token::Constant(constant) => [constant; LANES],
            Token::Apply(function) => {
                let operands = stack.split_off(stack.len().saturating_sub(function.arity()));
                std::array::from_fn(|lane| {
                    let mut values = [0.0; 4];
                    for (value, row) in values.iter_mut().zip(&operands) {
                        *value = row[lane];
                    }
                    function.apply_single(values)
                })
            }
        };
        stack.push(value);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn large(program: &str) -> [Large; 2] {
        let column: Vec<f32> = (0..64).map(|n| n as f32).collect();
        let cases = Cases {
            inputs: vec![column.clone()],
            expected: column,
        };
        of_program(&program.parse().unwrap(), &cases)
    }

    #[test]
    fn only_what_is_beyond_the_reduction_is_large() {
        assert_eq!(large("X1 sin"), [Large::default(); 2]);
        let [sin, cos] = large("X1 2000 * sin");
        // 33 to 63 times 2000 of 64 arguments, in two vectors of four.
        assert_eq!((sin.vectors, sin.elements), (0.5, 31.0 / 4.0));
        assert_eq!(cos, Large::default());
        // An infinite argument has no sine; nothing is reduced.
        assert_eq!(large("X1 1000 + exp cos"), [Large::default(); 2]);
    }
}
