//! The oracle: one program on one case, token by token.
//!
//! Models: exactly the definitions of the primitive table, in double or in single precision.
//! Leaves out: speed.
//! Sources: Chitty (2D stack) section 4.

use super::element::Element;
use super::machine::check;
use super::plan::UnsupportedFunction;
use super::{Interpreter, Options, ProgramValues};
use crate::gp::primitive::Primitive;
use crate::gp::problem::{Cases, Dataset, Problem, Score};
use crate::gp::program::{Rpn, Token};
use crate::util::parallel;

/// Returns the value that a valid program leaves on the stack, for any kind of value.
pub(crate) fn run<T: Copy + Default>(
    program: &Rpn,
    input: impl Fn(usize) -> T,
    constant: impl Fn(f32) -> T,
    apply: impl Fn(Primitive, [T; 4]) -> T,
) -> T {
    let mut stack: Vec<T> = Vec::new();
    for token in &program.0 {
        let value = match *token {
            Token::Input(i) => input(usize::from(i)),
            Token::Constant(c) => constant(c),
            Token::Apply(p) => {
                let mut operands = [T::default(); 4];
                let first = stack.len() - p.arity();
                operands[..p.arity()].copy_from_slice(&stack[first..]);
                stack.truncate(first);
                apply(p, operands)
            }
        };
        stack.push(value);
    }
    stack.pop().unwrap_or_default()
}

/// Returns the value of a valid program in double precision. `inputs` has one value per input.
pub fn value_f64(program: &Rpn, inputs: &[f64]) -> f64 {
    run(program, |i| inputs[i], f64::from, Primitive::apply_f64)
}

/// Returns the value of a valid program with every operation rounded to single precision.
pub fn value_f32(program: &Rpn, inputs: &[f32]) -> f32 {
    run(program, |i| inputs[i], |c| c, Primitive::apply_f32)
}

/// Error bound of a GPU's accurate functions, in units in the last place: 2 for sine, cosine and exponential, 1 for logarithm
/// (CUDA C++ Programming Guide, mathematical functions).
const LIBRARY_ULPS: i32 = 2;

/// Values that other roundings could have given in single precision: the value in double precision, and with every library
/// function's result larger, and smaller, by the libraries' error bound.
pub fn other_roundings(program: &Rpn, inputs: &[f32]) -> [f64; 3] {
    let double: Vec<f64> = inputs.iter().copied().map(f64::from).collect();
    let moved = |ulps: i32| {
        let apply = |p: Primitive, operands| moved(p, p.apply_f32(operands), ulps);
        f64::from(run(program, |i| inputs[i], |c| c, apply))
    };
    [
        value_f64(program, &double),
        moved(LIBRARY_ULPS),
        moved(-LIBRARY_ULPS),
    ]
}

/// Moves a result `ulps` units in the last place away from 0. Results that libraries give exactly, such as 0 and 1, stay.
fn moved(function: Primitive, value: f32, ulps: i32) -> f32 {
    let stays = function.is_exact() || value == 0.0 || value.abs() == 1.0 || !value.is_finite();
    match stays {
        true => value,
        false => f32::from_bits(value.to_bits().saturating_add_signed(ulps)),
    }
}

/// Returns the values of a valid Boolean program on 32 packed cases; functions without Boolean meaning give 0.
pub fn value_u32(program: &Rpn, inputs: &[u32]) -> u32 {
    let bits = |c: f32| if c != 0.0 { u32::MAX } else { 0 };
    run(
        program,
        |i| inputs[i],
        bits,
        |p, operands| p.apply_u32(operands).unwrap_or(0),
    )
}

/// Returns the fitness with the program run in single precision, errors summed in double precision, case by case.
pub fn fitness_f32(program: &Rpn, problem: &Problem) -> f64 {
    fitness(program, problem, |cases, case| {
        f64::from(value_f32(
            program,
            &cases
                .inputs
                .iter()
                .map(|column| column[case])
                .collect::<Vec<_>>(),
        ))
    })
}

fn fitness(program: &Rpn, problem: &Problem, value: impl Fn(&Cases<f32>, usize) -> f64) -> f64 {
    let sum = match &problem.dataset {
        Dataset::Float(cases) => (0..cases.expected.len())
            .map(|case| {
                problem
                    .score
                    .case_error(value(cases, case), f64::from(cases.expected[case]))
            })
            .sum(),
        Dataset::Word(cases) => (0..cases.expected.len())
            .map(|word| {
                let inputs: Vec<u32> = cases.inputs.iter().map(|column| column[word]).collect();
                f64::from((value_u32(program, &inputs) ^ cases.expected[word]).count_ones())
            })
            .sum(),
    };
    problem.score.finish(sum, problem.n_cases())
}

impl Score {
    /// Returns the error of one case.
    pub fn case_error(self, value: f64, expected: f64) -> f64 {
        match self {
            Score::MeanSquaredError => (value - expected) * (value - expected),
            Score::WrongBits => f64::from(u8::from(value != expected)),
            Score::WrongClasses => f64::from(u8::from(value.trunc() != expected)),
            Score::WrongSigns => f64::from(u8::from((value >= 0.0) != (expected >= 0.0))),
        }
    }

    /// Returns the fitness from the summed case errors; NaN becomes the worst fitness.
    pub fn finish(self, sum: f64, n_cases: usize) -> f64 {
        match self {
            _ if sum.is_nan() => f64::INFINITY,
            Score::MeanSquaredError => sum / n_cases.max(1) as f64,
            Score::WrongBits | Score::WrongClasses | Score::WrongSigns => sum,
        }
    }
}

/// The oracle in single precision, as one of the interpreters.
pub struct Reference;

impl Interpreter for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn block_cases(&self, _: &Problem, _: Options) -> Option<usize> {
        None
    }

    fn errors(
        &self,
        programs: &[&Rpn],
        problem: &Problem,
        _: Options,
    ) -> Result<Vec<f64>, UnsupportedFunction> {
        if let Dataset::Word(_) = problem.dataset {
            check::<u32>(programs)?;
        }
        Ok(parallel::map(programs, |one| fitness_f32(one, problem)))
    }

    fn values(
        &self,
        program: &Rpn,
        problem: &Problem,
        _: Options,
    ) -> Result<ProgramValues, UnsupportedFunction> {
        Ok(match &problem.dataset {
            Dataset::Float(cases) => {
                ProgramValues::Float(values(cases, |inputs| value_f32(program, inputs)))
            }
            Dataset::Word(cases) => {
                check::<u32>(&[program])?;
                ProgramValues::Word(values(cases, |inputs| value_u32(program, inputs)))
            }
        })
    }
}

fn values<T: Element>(cases: &Cases<T>, value: impl Fn(&[T]) -> T) -> Vec<T> {
    let inputs =
        |case: usize| -> Vec<T> { cases.inputs.iter().map(|column| column[case]).collect() };
    (0..cases.expected.len())
        .map(|case| value(&inputs(case)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::problem::sextic;

    #[test]
    fn exact_solution_of_the_sextic() {
        let problem = sextic::problem(1, 1000);
        let exact: Rpn = "X1 X1 X1 * X1 * - X1 X1 X1 * X1 * - *".parse().unwrap();
        assert!(fitness_f32(&exact, &problem) < problem.solved_error);
        let wrong: Rpn = "X1 X1 *".parse().unwrap();
        assert!(fitness_f32(&wrong, &problem) > 0.01);
    }

    #[test]
    fn the_papers_token_string_computes_another_polynomial() {
        // Figure 2 prints (x^3-x)^2, its token string computes (2x^2-x)^2.
        let program: Rpn = "X1 X1 X1 + * X1 - X1 X1 X1 + * X1 - *".parse().unwrap();
        for x in [-0.7, 0.3, 0.9] {
            let expected = (2.0 * x * x - x) * (2.0 * x * x - x);
            assert!((value_f64(&program, &[x]) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn overflow_is_the_worst_fitness() {
        let problem = sextic::problem(1, 100);
        let program: Rpn = "X1 exp exp exp exp exp X1 exp exp exp exp exp -"
            .parse()
            .unwrap();
        assert_eq!(fitness_f32(&program, &problem), f64::INFINITY);
    }
}
