//! Whether a kernel's machine code computes what the reference interpreter does.
//!
//! What it does: executes all lanes of one block on the first fitness cases, and compares the summed error of a few programs.
//! A kernel that takes programs in another form, or goes through fitness cases in other steps than it is said to, shows here.
//! Leaves out: the launch of several blocks. Units: summed errors (squared differences, wrong classes, wrong bits).

use super::traces::{TracesError, launch_of, program_words, traceable};
use crate::gp::problem::{Cases, Dataset};
use crate::gp::program::Rpn;
use crate::gp::workload::Workload;
use crate::systems::chitty::code::Code;
use crate::systems::chitty::oracle::{element_error, relative_difference};
use crate::trace::{CaseWords, TraceBuilder, run_block};

/// Programs that are compared.
const PROGRAMS: usize = 8;
/// Of so many, spread over the list, the first whose error is a number.
const CANDIDATES: usize = 64;
/// Threads of the block: two warps, so that it shows when they share what they should not.
const THREADS: u32 = 64;
/// Iterations of the case loop.
const ITERATIONS: u32 = 2;
/// Largest relative difference: a sum of squares in single precision, with functions as a GPU rounds them.
const TOLERANCE: f64 = 1e-2;

/// What was compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Conformance {
    /// Programs.
    pub programs: usize,
    /// Elements that each was run on.
    pub elements: u32,
    /// The first program whose errors differ: the machine code's, and the reference's.
    pub differs: Option<(Rpn, f64, f64)>,
}

/// Compares the first distinct of `programs`.
pub fn compare(
    code: &Code,
    programs: &[Rpn],
    workload: &Workload,
) -> Result<Conformance, TracesError> {
    let kernel = code.kernel()?;
    let elements = THREADS * code.stack_dim * ITERATIONS;
    let (programs, expected): (Vec<Rpn>, Vec<f64>) = chosen(programs, elements, workload);
    let words = program_words(code, &programs)?;
    let mut launch = launch_of(code, &words, THREADS, elements);
    launch.max_program_words = launch.max_program_words.next_multiple_of(2 * THREADS);
    let dataset = &workload.problem.dataset;
    let (inputs, outputs) = match dataset {
        Dataset::Float(cases) => first(cases, elements as usize, f32::to_bits),
        Dataset::Word(cases) => first(cases, elements as usize, |word| word),
    };
    let trace_error = |source| TracesError::Trace {
        kernel: code.to_string(),
        source,
    };
    let cases = CaseWords {
        inputs: &inputs,
        outputs: &outputs,
        cases: elements,
    };
    let mut builder = TraceBuilder::new(&kernel, launch.clone()).map_err(trace_error)?;
    let mut differs = None;
    for ((program, expected), words) in programs.iter().zip(expected).zip(&words) {
        let words = traceable(words).map_err(trace_error)?;
        // The trace counts the iterations of the case loop.
        builder.trace(&words).map_err(trace_error)?;
        let run = run_block(&kernel, &launch, &words, &cases).map_err(trace_error)?;
        if relative_difference(run.total(), expected) > TOLERANCE {
            differs = Some((program.clone(), run.total(), expected));
            break;
        }
    }
    Ok(Conformance {
        programs: programs.len(),
        elements,
        differs,
    })
}

/// Programs with their errors, spread over a list that may be in the order of their sizes.
fn chosen(programs: &[Rpn], elements: u32, workload: &Workload) -> (Vec<Rpn>, Vec<f64>) {
    let (problem, dataset) = (workload.id, &workload.problem.dataset);
    let n_elements = workload.problem.n_cases() / problem.cases_per_element() as usize;
    let step = programs.len().div_ceil(CANDIDATES).max(1);
    let with_error = |program: &Rpn| {
        let error = |element| element_error(program, problem, dataset, element % n_elements);
        let error: f64 = (0..elements as usize).map(error).sum();
        (program.clone(), error)
    };
    let spread = programs.iter().step_by(step).map(with_error);
    let finite: Vec<_> = spread.filter(|(_, error)| error.is_finite()).collect();
    let step = finite.len().div_ceil(PROGRAMS).max(1);
    finite.into_iter().step_by(step).unzip()
}

/// Input rows and outputs of the first `n` elements; where there are fewer, they begin again.
fn first<T: Copy>(
    cases: &Cases<T>,
    n: usize,
    bits: impl Fn(T) -> u32 + Copy,
) -> (Vec<u32>, Vec<u32>) {
    let column =
        |column: &[T]| -> Vec<u32> { column.iter().cycle().take(n).map(|&v| bits(v)).collect() };
    let inputs = cases.inputs.iter().flat_map(|row| column(row)).collect();
    (inputs, column(&cases.expected))
}
