//! Interpreter with a two-dimensional stack: postfix programs, a row of cases on every level.
//!
//! Models: each token once per block; a terminal copies its row onto the stack, a function replaces its operands' rows.
//! Leaves out: sharing between programs. Units: vectors. Sources: Chitty 2012; Chitty (2D stack) section 4.

use super::cases::Columns;
use super::element::Element;
use super::machine::Machine;
use super::output::Output;
use super::rows;
use super::simd::{LANES, Simd, Vector};
use crate::gp::program::{Rpn, Token};
use crate::gp::stack_depth::rpn_stack_depth;

pub struct Rpn2d;

/// A token, with its constant converted to an element.
#[derive(Debug, Clone, Copy)]
enum Step<T> {
    Input(usize),
    Constant(T),
    Apply(crate::gp::primitive::Primitive),
}

pub struct Prepared<T> {
    programs: Vec<Vec<Step<T>>>,
    n_levels: usize,
}

impl Machine for Rpn2d {
    type Prepared<T: Element> = Prepared<T>;
    type Memory<T: Element> = Vec<Vec<Vector<T>>>;

    fn name(&self) -> &'static str {
        "rpn-2d"
    }

    fn block_vectors(&self, wanted: usize) -> Option<usize> {
        Some(wanted)
    }

    fn prepare<T: Element>(&self, programs: &[&Rpn], _: bool) -> Prepared<T> {
        let step = |token: &Token| match *token {
            Token::Input(i) => Step::Input(usize::from(i)),
            Token::Constant(c) => Step::Constant(T::from_constant(c)),
            Token::Apply(function) => Step::Apply(function),
        };
        let steps = |program: &&Rpn| program.0.iter().map(step).collect();
        let depths = programs.iter().map(|program| rpn_stack_depth(program));
        Prepared {
            programs: programs.iter().map(steps).collect(),
            n_levels: depths.max().unwrap_or(0),
        }
    }

    fn outputs<T: Element>(prepared: &Prepared<T>) -> Vec<usize> {
        (0..prepared.programs.len()).collect()
    }

    fn memory<T: Element>(prepared: &Prepared<T>, block: usize) -> Self::Memory<T> {
        vec![vec![Vector::default(); block]; prepared.n_levels]
    }

    #[inline(always)]
    fn run<T: Element, S: Simd>(
        simd: S,
        prepared: &Prepared<T>,
        inputs: &mut Columns<T>,
        block: usize,
        stack: &mut Self::Memory<T>,
        output: &mut Output<T>,
    ) {
        for (program, steps) in prepared.programs.iter().enumerate() {
            let mut at = 0;
            while at < inputs.n_vectors {
                let n = block.min(inputs.n_vectors - at);
                run_block(simd, steps, inputs, at..at + n, stack);
                output.take(simd, program, at, &stack[0][..n]);
                at += n;
            }
        }
    }
}

/// Runs a program on a block; the result is left on level 0.
#[inline(always)]
fn run_block<T: Element, S: Simd>(
    simd: S,
    steps: &[Step<T>],
    inputs: &Columns<T>,
    cases: std::ops::Range<usize>,
    stack: &mut [Vec<Vector<T>>],
) {
    let n = cases.len();
    let mut level = 0;
    for step in steps {
        match *step {
            Step::Input(i) => {
                copy(
                    simd,
                    &inputs.column(i)[cases.clone()],
                    &mut stack[level][..n],
                );
                level += 1;
            }
            Step::Constant(c) => {
                stack[level][..n].fill(Vector([c; LANES]));
                level += 1;
            }
            Step::Apply(function) => {
                level -= function.arity() - 1;
                let (below, above) = stack.split_at_mut(level);
                let row = |i: usize| above.get(i).map_or(&[][..], |row| &row[..]);
                let others = [row(0), row(1), row(2)];
                let first = &mut below[level - 1][..n];
                rows::apply_in_place(simd, function, first, others);
            }
        }
    }
}

#[inline(always)]
fn copy<T: Element, S: Simd>(simd: S, from: &[Vector<T>], to: &mut [Vector<T>]) {
    for (from, to) in from.iter().zip(to) {
        T::store(to, T::load(simd, from));
    }
}
