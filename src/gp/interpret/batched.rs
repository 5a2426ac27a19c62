//! The batched interpreter: a two-dimensional stack over blocks of fitness cases.
//!
//! Models: programs evaluated block by block; each step runs over a whole block whose rows stay in the near caches.
//! Blocks are spread over threads; partial sums are added in block order, so results do not depend on the threads.
//! Leaves out: order of summation of a GPU.
//! Units: fitness is an error, lower is better; sizes in elements (cases, or words of 32 cases).
//! Sources: Chitty 2012, Chitty (2D stack) section 4.

use super::element::Element;
use super::plan::{Operand, Plan, Step, UnsupportedFunction};
use crate::gp::problem::{Cases, Dataset, Problem, Score};
use crate::gp::program::Rpn;
use rayon::prelude::*;

/// Elements per block: the second dimension of the stack.
const BLOCK_ELEMENTS: usize = 256;
/// Blocks that one thread evaluates in a row and sums up.
const BLOCKS_PER_CHUNK: usize = 16;

/// The fitness of each program. Programs must be valid for the problem.
pub fn evaluate<'a>(
    programs: impl IntoIterator<Item = &'a Rpn>,
    problem: &Problem,
) -> Result<Vec<f64>, UnsupportedFunction> {
    let (output_of, sums) = match &problem.dataset {
        Dataset::Float(cases) => sums(Plan::new(programs)?, cases, problem.score),
        Dataset::Word(cases) => sums(Plan::new(programs)?, cases, problem.score),
    };
    Ok(output_of
        .iter()
        .map(|&output| {
            problem
                .score
                .finish(sums[output as usize], problem.n_cases())
        })
        .collect())
}

fn sums<T: Element>(plan: Plan<T>, cases: &Cases<T>, score: Score) -> (Vec<u32>, Vec<f64>) {
    let n_elements = cases.expected.len();
    let chunk = BLOCK_ELEMENTS * BLOCKS_PER_CHUNK;
    let partial: Vec<Vec<f64>> = (0..n_elements.div_ceil(chunk))
        .into_par_iter()
        .map_init(
            || memory(&plan),
            |slots, i| {
                run_chunk(
                    &plan,
                    cases,
                    score,
                    i * chunk..n_elements.min((i + 1) * chunk),
                    slots,
                )
            },
        )
        .collect();
    let mut total = vec![0.0; plan.n_outputs];
    for part in &partial {
        total
            .iter_mut()
            .zip(part)
            .for_each(|(total, part)| *total += part);
    }
    (plan.output_of, total)
}

/// The rows, constants filled in.
fn memory<T: Element>(plan: &Plan<T>) -> Vec<Vec<T>> {
    let mut slots = vec![vec![T::default(); BLOCK_ELEMENTS]; plan.n_slots];
    for (slot, &constant) in slots.iter_mut().zip(&plan.constants) {
        slot.fill(constant);
    }
    slots
}

fn run_chunk<T: Element>(
    plan: &Plan<T>,
    cases: &Cases<T>,
    score: Score,
    range: std::ops::Range<usize>,
    slots: &mut [Vec<T>],
) -> Vec<f64> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { run_chunk_avx2(plan, cases, score, range, slots) };
    }
    run_chunk_portable(plan, cases, score, range, slots)
}

/// The same operations in the same order on wider registers: equal results, no fused multiply-add.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_chunk_avx2<T: Element>(
    plan: &Plan<T>,
    cases: &Cases<T>,
    score: Score,
    range: std::ops::Range<usize>,
    slots: &mut [Vec<T>],
) -> Vec<f64> {
    run_chunk_portable(plan, cases, score, range, slots)
}

#[inline(always)]
fn run_chunk_portable<T: Element>(
    plan: &Plan<T>,
    cases: &Cases<T>,
    score: Score,
    range: std::ops::Range<usize>,
    slots: &mut [Vec<T>],
) -> Vec<f64> {
    let mut sums = vec![0.0; plan.n_outputs];
    let mut start = range.start;
    while start < range.end {
        let len = BLOCK_ELEMENTS.min(range.end - start);
        for step in &plan.steps {
            match *step {
                Step::Compute {
                    function,
                    operands,
                    out,
                } => {
                    let mut row = std::mem::take(&mut slots[out as usize]);
                    let operands = operands.map(|operand| view(operand, cases, slots, start, len));
                    T::apply(function, operands, &mut row[..len]);
                    slots[out as usize] = row;
                }
                Step::Score { value, output } => {
                    let values = view(value, cases, slots, start, len);
                    sums[output as usize] +=
                        T::block_error(score, values, &cases.expected[start..start + len]);
                }
            }
        }
        start += len;
    }
    sums
}

#[inline(always)]
fn view<'a, T>(
    operand: Operand,
    cases: &'a Cases<T>,
    slots: &'a [Vec<T>],
    start: usize,
    len: usize,
) -> &'a [T] {
    match operand {
        Operand::Input(i) => &cases.inputs[usize::from(i)][start..start + len],
        Operand::Slot(s) => &slots[s as usize][..len],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::interpret::reference;
    use crate::gp::problem::sextic;

    #[test]
    fn arithmetic_programs_equal_the_reference() {
        let problem = sextic::problem(3, 5000);
        let programs: Vec<Rpn> = [
            "X1",
            "0.5",
            "X1 X1 * X1 - 0.25 X1 / +",
            "X1 X1 X1 * X1 * - X1 X1 X1 * X1 * - *",
        ]
        .iter()
        .map(|p| p.parse().unwrap())
        .collect();
        for (program, fitness) in programs.iter().zip(evaluate(&programs, &problem).unwrap()) {
            let want = reference::fitness_f32(program, &problem);
            assert!(
                (fitness - want).abs() <= 1e-6 * want,
                "{program}: {fitness} against {want}"
            );
        }
    }

    #[test]
    fn transcendental_programs_come_close_to_the_reference() {
        let problem = sextic::problem(3, 5000);
        let programs: Vec<Rpn> = [
            "X1 sin X1 cos *",
            "X1 log X1 exp +",
            "X1 exp exp sin",
            "X1 0.00001 / cos",
        ]
        .map(|p| p.parse().unwrap())
        .into();
        for (program, fitness) in programs.iter().zip(evaluate(&programs, &problem).unwrap()) {
            let want = reference::fitness_f32(program, &problem);
            assert!(
                (fitness - want).abs() <= 1e-5 * want,
                "{program}: {fitness} against {want}"
            );
        }
    }
}
