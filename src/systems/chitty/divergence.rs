//! Divergence overhead: warp instructions added to a trace by data, from slow paths of divisions and functions and from diverging
//! compares.
//!
//! Models: a trace takes every data-dependent branch as ordinary numbers do. Here all lanes execute a sample of the fitness
//! cases, and the instructions beyond the trace are counted.
//! Leaves out: their location in the program. Units: warp instructions per iteration of one warp.

use super::counted::counted_percent;
use super::traces::{TracesError, launch_of, program_words, traceable};
use crate::gp::problem::{Cases, Dataset};
use crate::gp::program::Rpn;
use crate::gp::programs::Population;
use crate::systems::chitty::code::KernelCode;
use crate::systems::chitty::request;
use crate::trace::{CaseWords, SegmentId, SegmentPool, TraceBuilder, run_block};
use crate::util::parallel;

const LANES: usize = 32;

/// Returns the iterations of one warp executed per program: 64 to 192 cases.
fn iterations(stack_dim: usize) -> usize {
    if stack_dim < 4 { 2 } else { 1 }
}

/// Number of blocks in the sample whose programs are executed.
const SAMPLED_PROGRAMS: usize = 128;

/// Returns the divergence overhead of a kernel's steady iterations in percent, mean over the blocks; `lengths` are the
/// instructions of those iterations. Without the cases' values, the count for the paper's tables is used.
pub fn added_percent(
    code: &KernelCode,
    population: &Population,
    cases: &request::Cases,
    lengths: &[f64],
) -> Result<f64, TracesError> {
    let Some(values) = &cases.values else {
        return Ok(code.compiled().and_then(counted_percent).unwrap_or(0.0));
    };
    let sample = &population.sample[..SAMPLED_PROGRAMS.min(population.sample.len())];
    let mut distinct = sample.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let programs: Vec<Rpn> = distinct
        .iter()
        .map(|&program| population.programs[program as usize].clone())
        .collect();
    let added = divergent_instructions(code, &programs, values)?;
    let place = |program: &u32| distinct.binary_search(program).unwrap_or(0);
    let sum: f64 = sample.iter().map(|program| added[place(program)]).sum();
    let whole: f64 = sample
        .iter()
        .map(|&program| lengths[program as usize])
        .sum();
    Ok(100.0 * sum / whole)
}

/// Returns the divergence overhead of each program, in instructions per iteration of a warp.
pub fn divergent_instructions(
    code: &KernelCode,
    programs: &[Rpn],
    dataset: &Dataset,
) -> Result<Vec<f64>, TracesError> {
    let kernel = code.kernel()?;
    let words = program_words(code, programs)?;
    let trace_error = |source| TracesError::Trace {
        kernel: code.to_string(),
        source,
    };
    let stack_dim = code.stack_dim as usize;
    let iterations = iterations(stack_dim);
    let n_cases = iterations * LANES * stack_dim;
    let mut launch = launch_of(code, &words, LANES as u32, n_cases as u32);
    // Makes all lanes copy the same number of words, where they share the copy of a program: unequal copies do not depend on
    // data.
    launch.max_program_words = launch.max_program_words.next_multiple_of(2 * LANES as u32);
    // Traces first: the builder caches segments across programs.
    let mut builder = TraceBuilder::new(&kernel, launch.clone()).map_err(trace_error)?;
    let mut traced = Vec::with_capacity(words.len());
    for program in &words {
        let words = traceable(program).map_err(trace_error)?;
        let found = builder.trace(&words).map_err(trace_error)?;
        let cases = match iterations {
            1 => vec![&found.only],
            _ => vec![&found.first, &found.last],
        };
        let parts = cases.into_iter().chain([&found.prologue]);
        let instructions: u64 = parts.map(|ids| length(builder.pool(), ids)).sum();
        let on_data = found.assumptions > 0;
        traced.push((words, instructions, on_data));
    }
    parallel::try_indices(traced.len(), |index| {
        let (words, instructions, on_data) = &traced[index];
        if !on_data {
            return Ok(0.0);
        }
        let (inputs, outputs) = sample(dataset, n_cases, index);
        let cases = CaseWords {
            inputs: &inputs,
            outputs: &outputs,
            cases: n_cases as u32,
        };
        let run = run_block(&kernel, &launch, words, &cases).map_err(trace_error)?;
        let added = run.counts.instructions as f64 - *instructions as f64;
        Ok(added / iterations as f64)
    })
}

/// Returns input rows and outputs of `n_cases` cases: runs of 32 neighbours, at a different place for every program.
fn sample(dataset: &Dataset, n_cases: usize, index: usize) -> (Vec<u32>, Vec<u32>) {
    match dataset {
        Dataset::Float(cases) => sample_of(cases, n_cases, index, f32::to_bits),
        Dataset::Word(cases) => sample_of(cases, n_cases, index, |word| word),
    }
}

fn sample_of<T: Copy>(
    cases: &Cases<T>,
    n_cases: usize,
    index: usize,
    bits: impl Fn(T) -> u32 + Copy,
) -> (Vec<u32>, Vec<u32>) {
    let groups = (cases.expected.len() / LANES).max(1);
    let n_groups = n_cases / LANES;
    let place = move |case: usize| {
        // The golden ratio spreads the groups of all programs evenly.
        let turn = ((index * n_groups + case / LANES) as f64 * 0.618_033_988_749_895).fract();
        (turn * groups as f64) as usize * LANES + case % LANES
    };
    let column = |column: &[T]| -> Vec<u32> {
        (0..n_cases)
            .map(|case| column.get(place(case)).map_or(0, |&value| bits(value)))
            .collect()
    };
    let inputs = cases.inputs.iter().flat_map(|row| column(row)).collect();
    (inputs, column(&cases.expected))
}

fn length(pool: &SegmentPool, ids: &[SegmentId]) -> u64 {
    ids.iter().map(|id| u64::from(pool.length(*id))).sum()
}
