//! Interpreter of three-address steps over a block of cases, with operands read in place, fitness cases included.
//!
//! Models: a two-dimensional stack with numbered rows (`plan.rs`); a step reads up to four rows and writes one. With sharing,
//! subtrees that several programs have in common are evaluated once per block, and equal programs once.
//! Leaves out: fusing steps. Units: vectors. Sources: Chitty 2012, Chitty (2D stack) section 4.

use super::cases::Columns;
use super::element::Element;
use super::machine::Machine;
use super::output::Output;
use super::plan::{Operand, Plan, Step};
use super::rows;
use super::simd::{LANES, Simd, Vector};
use crate::gp::program::Rpn;
use std::ops::Range;

pub struct Lgp2d;

/// Plans that run one after the other: one for all programs, or one each.
pub struct Prepared<T>(Vec<Plan<T>>);

impl Machine for Lgp2d {
    type Prepared<T: Element> = Prepared<T>;
    type Memory<T: Element> = Vec<Vec<Vector<T>>>;

    fn name(&self) -> &'static str {
        "lgp-2d"
    }

    fn block_vectors(&self, wanted: usize) -> Option<usize> {
        Some(wanted)
    }

    fn shares(&self) -> bool {
        true
    }

    fn prepare<T: Element>(&self, programs: &[&Rpn], share: bool) -> Prepared<T> {
        let plans = if share {
            vec![Plan::shared(programs)]
        } else {
            programs.iter().map(|one| Plan::of_one(one)).collect()
        };
        Prepared(plans)
    }

    fn outputs<T: Element>(prepared: &Prepared<T>) -> Vec<usize> {
        let mut first = 0;
        let mut outputs = Vec::new();
        for plan in &prepared.0 {
            outputs.extend(plan.output_of.iter().map(|&output| first + output as usize));
            first += plan.n_outputs;
        }
        outputs
    }

    fn memory<T: Element>(prepared: &Prepared<T>, block: usize) -> Self::Memory<T> {
        let n_slots = prepared.0.iter().map(|plan| plan.n_slots).max();
        vec![vec![Vector::default(); block]; n_slots.unwrap_or(0)]
    }

    #[inline(always)]
    fn run<T: Element, S: Simd>(
        simd: S,
        prepared: &Prepared<T>,
        inputs: &mut Columns<T>,
        block: usize,
        slots: &mut Self::Memory<T>,
        output: &mut Output<T>,
    ) {
        let mut first = 0;
        for plan in &prepared.0 {
            for (slot, &constant) in slots.iter_mut().zip(&plan.constants) {
                slot.fill(Vector([constant; LANES]));
            }
            let mut at = 0;
            while at < inputs.n_vectors {
                let n = block.min(inputs.n_vectors - at);
                run_block(simd, plan, inputs, at..at + n, slots, first, output);
                at += n;
            }
            first += plan.n_outputs;
        }
    }
}

#[inline(always)]
fn run_block<T: Element, S: Simd>(
    simd: S,
    plan: &Plan<T>,
    inputs: &Columns<T>,
    cases: Range<usize>,
    slots: &mut [Vec<Vector<T>>],
    first: usize,
    output: &mut Output<T>,
) {
    let n = cases.len();
    for step in &plan.steps {
        match *step {
            Step::Compute {
                function,
                operands,
                out,
            } => {
                let mut row = std::mem::take(&mut slots[out as usize]);
                let operands = views(function.arity(), operands, inputs, slots, &cases);
                rows::apply(simd, function, operands, &mut row[..n]);
                slots[out as usize] = row;
            }
            Step::Score { value, output: of } => {
                let values = view(value, inputs, slots, &cases);
                output.take(simd, first + of as usize, cases.start, values);
            }
        }
    }
}

/// Returns the rows of the operands, none beyond the arity. Has no closure, which would be called instead of inlined.
#[inline(always)]
fn views<'a, T: Copy + Default>(
    arity: usize,
    operands: [Operand; 4],
    inputs: &'a Columns<T>,
    slots: &'a [Vec<Vector<T>>],
    cases: &Range<usize>,
) -> [&'a [Vector<T>]; 4] {
    let mut rows = [&[][..]; 4];
    let mut operand = 0;
    while operand < arity {
        rows[operand] = view(operands[operand], inputs, slots, cases);
        operand += 1;
    }
    rows
}

#[inline(always)]
fn view<'a, T: Copy + Default>(
    operand: Operand,
    inputs: &'a Columns<T>,
    slots: &'a [Vec<Vector<T>>],
    cases: &Range<usize>,
) -> &'a [Vector<T>] {
    match operand {
        Operand::Input(i) => &inputs.column(usize::from(i))[cases.clone()],
        Operand::Slot(s) => &slots[s as usize][..cases.len()],
    }
}
