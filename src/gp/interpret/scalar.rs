//! Interpreter with a stack of single values: one program on one case at a time.
//!
//! Models: the CPU baseline of the papers' GPU comparisons: for every case a loop over the tokens, each a push or a function.
//! Leaves out: vectors, blocks, sharing. Units: one case; for Boolean problems one word of 32 cases.

use super::element::Element;
use super::machine::check;
use super::plan::UnsupportedFunction;
use super::{Interpreter, Options, ProgramValues};
use crate::gp::primitive::Primitive;
use crate::gp::problem::{Cases, Dataset, Problem, Score};
use crate::gp::program::{Rpn, Token};
use crate::gp::stack_depth::rpn_stack_depth;
use crate::util::parallel;

pub struct Scalar;

/// Returns the value on one case. The stack is as deep as the program needs.
#[inline(always)]
fn value<T: Element>(
    program: &Rpn,
    cases: &Cases<T>,
    case: usize,
    stack: &mut [T],
    apply: impl Fn(Primitive, [T; 4]) -> T,
) -> T {
    let mut top = 0;
    for token in &program.0 {
        stack[top] = match *token {
            Token::Input(i) => cases.inputs[usize::from(i)][case],
            Token::Constant(c) => T::from_constant(c),
            Token::Apply(function) => {
                let arity = function.arity();
                top -= arity;
                let mut operands = [T::default(); 4];
                operands[..arity].copy_from_slice(&stack[top..top + arity]);
                apply(function, operands)
            }
        };
        top += 1;
    }
    stack[0]
}

fn run<T: Element, R>(
    program: &Rpn,
    cases: &Cases<T>,
    apply: impl Fn(Primitive, [T; 4]) -> T,
    mut take: impl FnMut(usize, T) -> R,
) {
    let mut stack = vec![T::default(); rpn_stack_depth(program)];
    for case in 0..cases.expected.len() {
        take(case, value(program, cases, case, &mut stack, &apply));
    }
}

fn words(function: Primitive, operands: [u32; 4]) -> u32 {
    function.apply_u32(operands).unwrap_or(0)
}

fn errors_of_floats(program: &Rpn, cases: &Cases<f32>, score: Score) -> f64 {
    let mut sum = 0.0;
    run(program, cases, Primitive::apply_single, |case, value| {
        sum += score.case_error(f64::from(value), f64::from(cases.expected[case]));
    });
    sum
}

fn errors_of_words(program: &Rpn, cases: &Cases<u32>) -> f64 {
    let mut wrong = 0u64;
    run(program, cases, words, |case, value| {
        wrong += u64::from((value ^ cases.expected[case]).count_ones());
    });
    wrong as f64
}

impl Interpreter for Scalar {
    fn name(&self) -> &'static str {
        "rpn"
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
        let finish = |sum| problem.score.finish(sum, problem.n_cases());
        Ok(match &problem.dataset {
            Dataset::Float(cases) => parallel::map(programs, |program| {
                finish(errors_of_floats(program, cases, problem.score))
            }),
            Dataset::Word(cases) => {
                check::<u32>(programs)?;
                parallel::map(programs, |program| finish(errors_of_words(program, cases)))
            }
        })
    }

    fn values(
        &self,
        program: &Rpn,
        problem: &Problem,
        _: Options,
    ) -> Result<ProgramValues, UnsupportedFunction> {
        Ok(match &problem.dataset {
            Dataset::Float(cases) => {
                let mut values = Vec::with_capacity(cases.expected.len());
                run(program, cases, Primitive::apply_single, |_, value| {
                    values.push(value)
                });
                ProgramValues::Float(values)
            }
            Dataset::Word(cases) => {
                check::<u32>(&[program])?;
                let mut values = Vec::with_capacity(cases.expected.len());
                run(program, cases, words, |_, value| values.push(value));
                ProgramValues::Word(values)
            }
        })
    }
}
