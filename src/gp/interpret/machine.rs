//! Shared part of all vectorised interpreters: cases in chunks, threads, sums.
//!
//! Models: groups of programs on chunks of cases, spread over the threads of the pool. The errors of segments are added in the
//! order of the cases, so that results do not depend on threads, blocks or registers.
//! Leaves out: the evaluation of a program (`Machine`). Units: vectors of 16 elements. Sources: none.

use super::cache::THIS_MACHINE;
use super::cases::{Chunk, Columns, SEGMENT};
use super::element::Element;
use super::output::{Errors, Output};
use super::plan::UnsupportedFunction;
use super::simd::{LANES, Path, Simd, Vector, on_path};
use super::{Interpreter, Options, ProgramValues};
use crate::gp::problem::{Cases, Dataset, Problem, Score};
use crate::gp::program::{Rpn, Token};
use crate::util::parallel;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Target number of tasks per thread, so that no thread waits long for the last one.
const TASKS_PER_THREAD: usize = 12;
/// Smallest group of programs for which copying the cases costs little.
const LEAST_PROGRAMS: usize = 16;

/// A way to evaluate programs on vectors.
pub trait Machine: Sync {
    /// Prepared programs.
    type Prepared<T: Element>: Send + Sync;
    /// Working memory of one thread.
    type Memory<T: Element>: Send;

    fn name(&self) -> &'static str;
    /// Vectors of a block, given the wanted number; `None` if the machine sets its own blocks.
    fn block_vectors(&self, wanted: usize) -> Option<usize>;
    /// Vectors of a chunk, in whole segments.
    fn chunk_vectors(&self, block: usize) -> usize {
        block.next_multiple_of(SEGMENT)
    }
    /// Whether equal subtrees of all programs can be evaluated once.
    fn shares(&self) -> bool {
        false
    }
    fn prepare<T: Element>(&self, programs: &[&Rpn], share: bool) -> Self::Prepared<T>;
    /// Returns the output number of every program.
    fn outputs<T: Element>(prepared: &Self::Prepared<T>) -> Vec<usize>;
    fn memory<T: Element>(prepared: &Self::Prepared<T>, block: usize) -> Self::Memory<T>;
    /// Evaluates all programs on all cases of the chunk; inlined into a kernel.
    fn run<T: Element, S: Simd>(
        simd: S,
        prepared: &Self::Prepared<T>,
        inputs: &mut Columns<T>,
        block: usize,
        memory: &mut Self::Memory<T>,
        output: &mut Output<T>,
    );
}

/// State that a thread keeps from task to task.
struct Thread<M: Machine, T: Element> {
    chunk: Chunk<T>,
    /// Number of the chunk.
    number: Option<usize>,
    /// Working memory, with the number of its group.
    memory: Option<(usize, M::Memory<T>)>,
}

impl<M: Machine, T: Element> Default for Thread<M, T> {
    fn default() -> Self {
        Thread {
            chunk: Chunk::default(),
            number: None,
            memory: None,
        }
    }
}

/// Evaluates all programs on a chunk. One function for all callers: `on_path!` compiles the interpreter for every instruction set.
fn run<M: Machine, T: Element>(
    path: Path,
    prepared: &M::Prepared<T>,
    inputs: &mut Columns<T>,
    block: usize,
    memory: &mut M::Memory<T>,
    output: &mut Output<T>,
) {
    on_path!(path, simd => M::run(simd, prepared, inputs, block, memory, output));
}

/// Refuses functions without a meaning on these elements.
pub fn check<T: Element>(programs: &[&Rpn]) -> Result<(), UnsupportedFunction> {
    for (program, rpn) in programs.iter().enumerate() {
        for token in &rpn.0 {
            if let Token::Apply(function) = token
                && !T::supports(*function)
            {
                let symbol = function.symbol();
                return Err(UnsupportedFunction { program, symbol });
            }
        }
    }
    Ok(())
}

/// Returns the summed error of every program.
fn errors<M: Machine, T: Element>(
    machine: &M,
    programs: &[&Rpn],
    cases: &Cases<T>,
    score: Score,
    options: Options,
) -> Result<Vec<f64>, UnsupportedFunction> {
    check::<T>(programs)?;
    let block = block::<M, T>(machine, cases.inputs.len(), options);
    let chunk_vectors = machine.chunk_vectors(block);
    let n_vectors = cases.expected.len().div_ceil(LANES);
    let n_chunks = n_vectors.div_ceil(chunk_vectors);
    let share = options.share && machine.shares();
    let groups = groups(programs.len(), n_chunks, share);
    let prepare = |group: &Range<usize>| machine.prepare(&programs[group.clone()], share);
    let prepared: Vec<M::Prepared<T>> = parallel::map(&groups, prepare);
    let n_groups = prepared.len();
    let threads: Vec<Mutex<Thread<M, T>>> = (0..rayon::current_num_threads())
        .map(|_| Mutex::default())
        .collect();
    // Each task's sums: per output, one for each segment.
    let tasks: Vec<(Vec<f64>, usize)> = parallel::indices(n_chunks * n_groups, |task| {
        let (number, group) = (task / n_groups, task % n_groups);
        let thread = &threads[rayon::current_thread_index().unwrap_or(0)];
        // A chunk left incomplete by a panic is filled again.
        let mut thread = thread.lock().unwrap_or_else(PoisonError::into_inner);
        let Thread {
            chunk,
            number: of,
            memory,
        } = &mut *thread;
        if *of != Some(number) {
            *of = None;
            chunk.fill(cases, number * chunk_vectors, chunk_vectors);
            *of = Some(number);
        }
        let known = memory.take().filter(|(known, _)| *known == group);
        let (_, memory) =
            memory.insert(known.unwrap_or_else(|| (group, M::memory(&prepared[group], block))));
        on_chunk::<M, T>(&prepared[group], chunk, block, memory, score, options.path)
    });
    let mut total = Vec::with_capacity(programs.len());
    for (group, prepared) in prepared.iter().enumerate() {
        for output in M::outputs(prepared) {
            let chunks = (0..n_chunks).map(|number| &tasks[number * n_groups + group]);
            let segments = chunks.flat_map(|(sums, n)| &sums[output * n..(output + 1) * n]);
            total.push(segments.sum());
        }
    }
    Ok(total)
}

/// Returns the errors of every output, segment after segment, and the number of segments.
fn on_chunk<M: Machine, T: Element>(
    prepared: &M::Prepared<T>,
    chunk: &mut Chunk<T>,
    block: usize,
    memory: &mut M::Memory<T>,
    score: Score,
    path: Path,
) -> (Vec<f64>, usize) {
    let n_outputs = M::outputs(prepared).iter().max().map_or(0, |max| max + 1);
    let Chunk {
        inputs,
        expected,
        n_elements,
    } = chunk;
    let mut output = Output::Errors(Errors::new(score, expected, *n_elements, n_outputs));
    run::<M, T>(path, prepared, inputs, block, memory, &mut output);
    match output {
        Output::Errors(errors) => errors.totals(),
        Output::Values(_) => (Vec::new(), 0),
    }
}

/// Returns the vectors of a block; 1 if the machine sets its own blocks.
fn block<M: Machine, T: Element>(machine: &M, n_inputs: usize, options: Options) -> usize {
    let wanted = match options.block_cases {
        Some(cases) => cases.div_ceil(LANES * T::CASES).max(1),
        None => THIS_MACHINE.block_elements(n_inputs) / LANES,
    };
    machine.block_vectors(wanted).unwrap_or(1)
}

/// Groups of programs prepared together: one group with sharing, else enough groups to occupy all threads.
fn groups(n_programs: usize, n_chunks: usize, share: bool) -> Vec<Range<usize>> {
    let wanted = (TASKS_PER_THREAD * rayon::current_num_threads()).div_ceil(n_chunks.max(1));
    let most = n_programs.div_ceil(LEAST_PROGRAMS).max(1);
    let n_groups = match rayon::current_num_threads() {
        _ if share => 1,
        1 => 1,
        _ => wanted.clamp(1, most),
    };
    let of = |i: usize| n_programs * i / n_groups;
    (0..n_groups).map(|i| of(i)..of(i + 1)).collect()
}

fn values<M: Machine, T: Element>(
    machine: &M,
    program: &Rpn,
    cases: &Cases<T>,
    options: Options,
) -> Result<Vec<T>, UnsupportedFunction> {
    check::<T>(&[program])?;
    let block = block::<M, T>(machine, cases.inputs.len(), options);
    let prepared = machine.prepare::<T>(&[program], false);
    let mut memory = M::memory(&prepared, block);
    let mut chunk = Chunk::default();
    chunk.fill(cases, 0, cases.expected.len().div_ceil(LANES));
    let mut output = Output::Values(vec![Vector::default(); chunk.inputs.n_vectors]);
    run::<M, T>(
        options.path,
        &prepared,
        &mut chunk.inputs,
        block,
        &mut memory,
        &mut output,
    );
    let values = match output {
        Output::Values(values) => values,
        Output::Errors(_) => Vec::new(),
    };
    let all = values.iter().flat_map(|vector| vector.0);
    Ok(all.take(cases.expected.len()).collect())
}

impl<M: Machine> Interpreter for M {
    fn name(&self) -> &'static str {
        Machine::name(self)
    }

    fn block_cases(&self, problem: &Problem, options: Options) -> Option<usize> {
        self.block_vectors(1)?;
        Some(match &problem.dataset {
            Dataset::Float(cases) => block::<M, f32>(self, cases.inputs.len(), options) * LANES,
            Dataset::Word(cases) => {
                block::<M, u32>(self, cases.inputs.len(), options) * LANES * u32::CASES
            }
        })
    }

    fn errors(
        &self,
        programs: &[&Rpn],
        problem: &Problem,
        options: Options,
    ) -> Result<Vec<f64>, UnsupportedFunction> {
        let score = problem.score;
        let sums = match &problem.dataset {
            Dataset::Float(cases) => errors(self, programs, cases, score, options)?,
            Dataset::Word(cases) => errors(self, programs, cases, score, options)?,
        };
        let n_cases = problem.n_cases();
        Ok(sums
            .into_iter()
            .map(|sum| score.finish(sum, n_cases))
            .collect())
    }

    fn values(
        &self,
        program: &Rpn,
        problem: &Problem,
        options: Options,
    ) -> Result<ProgramValues, UnsupportedFunction> {
        Ok(match &problem.dataset {
            Dataset::Float(cases) => ProgramValues::Float(values(self, program, cases, options)?),
            Dataset::Word(cases) => ProgramValues::Word(values(self, program, cases, options)?),
        })
    }
}
