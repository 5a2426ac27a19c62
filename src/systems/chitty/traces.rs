//! The traces of a population on one kernel.
//!
//! Models: encodes programs, parses the kernel's machine code, executes its control path for every program and lays out the
//! result for the performance models.
//! Leaves out: time. Units: bytes. Sources: those of `systems::chitty::lower`, `isa`, `trace`.

use crate::gp::program::Rpn;
use crate::gp::record::Size;
use crate::isa::{Kernel, TimingOp};
use crate::launch::timed::TimedCode;
use crate::systems::chitty::code::{CodeError, KernelCode};
use crate::systems::chitty::encode::{EncodedProgram, encode};
use crate::systems::chitty::kernel_id::Sharing;
use crate::systems::chitty::lower::{LowerError, n_words};
use crate::systems::chitty::variant::{Resources, Variant};
use crate::trace::builder::TraceBuilder;
use crate::trace::error::TraceError;
use crate::trace::launch::KernelLaunch;
use crate::trace::{self, ProgramTrace, SegmentPool};

/// Bytes of a program word.
const WORD_BYTES: u32 = 4;

/// A kernel, its resources, and the trace of every program of a population.
#[derive(Debug, Clone)]
pub struct KernelTraces {
    pub resources: Resources,
    pub timing: Vec<TimingOp>,
    pub code_bytes: u32,
    pub pool: SegmentPool,
    pub programs: Vec<ProgramTrace>,
    /// Shared memory per block of the launch, including the longest program's words.
    pub shared_bytes_per_block: u32,
}

/// Error in making traces.
#[derive(Debug, thiserror::Error)]
pub enum TracesError {
    #[error(transparent)]
    Code(#[from] CodeError),
    #[error("program {index} of the population: {source}")]
    Lower { index: usize, source: LowerError },
    #[error("kernel {kernel}: {source}")]
    Trace { kernel: String, source: TraceError },
}

/// Encodes every program, in order.
pub fn program_words(
    variant: &Variant,
    programs: &[Rpn],
) -> Result<Vec<EncodedProgram>, TracesError> {
    let programs = programs.iter().enumerate();
    programs
        .map(|(index, program)| encoded(variant, index, program))
        .collect()
}

/// Returns the shared memory per block, in bytes, of launches with these longest programs. For token kernels the size determines
/// the words. For the accumulator they depend on the shape of the tree; the mean words per function of `programs`, of the same
/// population, are used.
pub fn shared_bytes(
    code: &KernelCode,
    programs: &[Rpn],
    longest: &[Size],
) -> Result<Vec<u32>, TracesError> {
    let fixed = code.resources()?.static_shared_bytes;
    let n_words = |&size| n_words(code.kernel.lowering(), size);
    let of_sizes: Option<Vec<u32>> = longest.iter().map(n_words).collect();
    if let Some(words) = of_sizes {
        return Ok(words
            .iter()
            .map(|words| fixed + WORD_BYTES * words)
            .collect());
    }
    let functions = |size: &Size| f64::from((size.nodes - size.terminals).max(1));
    let words = program_words(code, programs)?;
    let words: usize = words.iter().map(|program| program.words.len()).sum();
    let per_function = words as f64
        / programs
            .iter()
            .map(|p| functions(&Size::of(p)))
            .sum::<f64>();
    let bytes = |size| {
        // Instructions are pairs of words.
        let words = (per_function * functions(size)).ceil() as u32;
        fixed + WORD_BYTES * words.next_multiple_of(2)
    };
    Ok(longest.iter().map(bytes).collect())
}

fn encoded(variant: &Variant, index: usize, program: &Rpn) -> Result<EncodedProgram, TracesError> {
    encode(program, variant).map_err(|source| TracesError::Lower { index, source })
}

/// Returns the launch of `variant`'s kernel on a population whose longest program is the longest of `words`.
pub(super) fn launch_of(
    variant: &Variant,
    words: &[EncodedProgram],
    threads_per_block: u32,
    fitness_cases: u32,
) -> KernelLaunch {
    let row_words = words.iter().map(|program| program.words.len()).max();
    KernelLaunch {
        max_program_words: row_words.unwrap_or(0) as u32,
        ..KernelLaunch::block_gp(threads_per_block, variant.stack_dim, fitness_cases)
    }
}

/// Encodes program `index` of a population in the tracer's form.
pub fn words_of_program(
    variant: &Variant,
    index: usize,
    program: &Rpn,
) -> Result<trace::ProgramWords, TracesError> {
    traceable(&encoded(variant, index, program)?).map_err(|source| TracesError::Trace {
        kernel: variant.to_string(),
        source,
    })
}

pub(super) fn traceable(program: &EncodedProgram) -> Result<trace::ProgramWords, TraceError> {
    trace::ProgramWords::new(program.words.clone(), &program.token_starts, program.nodes)
}

/// Returns the threads per block of traces for blocks of `threads_per_block`. All threads of a token kernel copy the whole
/// program, so one size serves all; the accumulator's threads share the copy, and its first warp adds up the others' results.
pub fn trace_threads(variant: &Variant, threads_per_block: u32) -> u32 {
    match variant.kernel.sharing() {
        Sharing::PerBlock => threads_per_block,
        Sharing::PerThread => MAX_THREADS_PER_BLOCK,
    }
}

/// Largest block of any device.
pub const MAX_THREADS_PER_BLOCK: u32 = 1024;

impl KernelTraces {
    /// Traces `programs` on `variant` in blocks of `threads_per_block`, over `fitness_cases`. If every warp has several
    /// iterations, the programs' `only` stay empty.
    pub fn new(
        code: &KernelCode,
        programs: &[Rpn],
        threads_per_block: u32,
        fitness_cases: u32,
    ) -> Result<Self, TracesError> {
        let words = program_words(code, programs)?;
        let kernel = code.kernel()?;
        let launch = launch_of(code, &words, threads_per_block, fitness_cases);
        let trace_error = |source| TracesError::Trace {
            kernel: code.to_string(),
            source,
        };
        // The last warps of a block may have one iteration fewer than the first; if the cases of a program are divided among
        // blocks, a block may have any number.
        let several = code.kernel.sharing() == Sharing::PerThread
            && fitness_cases > 2 * launch.cases_per_iteration;
        let mut builder = TraceBuilder::new(&kernel, launch).map_err(trace_error)?;
        let programs = words
            .iter()
            .map(|program| {
                let program = traceable(program)?;
                if several {
                    builder.trace_iterations(&program)
                } else {
                    builder.trace(&program)
                }
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(trace_error)?;
        Self::assemble(code, &kernel, &words, builder.into_pool(), programs)
    }

    /// Combines traces with the properties of their kernel.
    pub(super) fn assemble(
        code: &KernelCode,
        kernel: &Kernel,
        words: &[EncodedProgram],
        pool: SegmentPool,
        programs: Vec<ProgramTrace>,
    ) -> Result<Self, TracesError> {
        let longest = words
            .iter()
            .map(|program| program.shared_bytes() as u32)
            .max()
            .unwrap_or(0);
        let resources = code.resources()?.clone();
        let timed = TimedCode::literal(kernel);
        Ok(KernelTraces {
            shared_bytes_per_block: resources.static_shared_bytes + longest,
            resources,
            timing: timed.timing,
            code_bytes: timed.code_bytes,
            pool,
            programs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::corpus::Corpus;
    use crate::gp::problem::ProblemId;
    use crate::isa::Arch;
    use crate::launch::code::ReplayCode;
    use crate::systems::chitty::variant::KernelId;
    use crate::trace::AddressKind;

    /// Returns the address of every access of every instruction, including the offset within the block's rows of cases.
    fn accesses(code: &ReplayCode, threads: u32) -> Vec<(u32, AddressKind, u32)> {
        let place = |row: u8| u32::from(row) * 4 * threads;
        let access = |op: &crate::launch::code::ReplayOp| {
            (
                op.pc_bytes,
                op.address_kind,
                op.address + place(op.case_row),
            )
        };
        code.lists
            .iter()
            .flat_map(|&segment| {
                let (start, end) = code.segments[segment as usize];
                code.ops[start as usize..end as usize].iter().map(access)
            })
            .collect()
    }

    #[test]
    fn shared_memory_of_instructions_follows_the_programs() {
        let variant = Variant {
            stack_registers: 2,
            ..Variant::new(KernelId::Accumulator, ProblemId::Sextic, 8, Arch::Sm90)
        };
        let programs: Vec<Rpn> = ["X1 X1 * X1 +", "X1 sin X1 cos + X1 exp X1 log + /"]
            .map(|text| text.parse().unwrap())
            .to_vec();
        let own = KernelTraces::new(&variant.into(), &programs, 64, 100_352).unwrap();
        let longest = Size::of(&programs[1]);
        let estimated = shared_bytes(&variant.into(), &programs, &[longest]).unwrap()[0];
        let fixed = variant.resources().unwrap().static_shared_bytes;
        let part = f64::from(estimated - fixed) / f64::from(own.shared_bytes_per_block - fixed);
        assert!((0.8..1.3).contains(&part), "{part}");
    }

    #[test]
    fn traces_of_any_block_are_those_of_the_block_itself() {
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/fixtures/corpus/shuttle.corpus"
        );
        let corpus = Corpus::load(std::path::Path::new(file)).unwrap();
        let entries = corpus.entries.iter().step_by(211);
        let programs: Vec<Rpn> = entries.map(|entry| entry.program.clone()).collect();
        for (kernel, stack_dim) in [(KernelId::Rpn, 3), (KernelId::Lgp, 6), (KernelId::Rpn, 1)] {
            let variant = Variant::new(kernel, ProblemId::Shuttle, stack_dim, Arch::Sm35);
            let code = |traces: &KernelTraces| {
                ReplayCode::new(&traces.timing, &traces.pool, &traces.programs)
            };
            let any = KernelTraces::new(&variant.into(), &programs, MAX_THREADS_PER_BLOCK, 58_000)
                .unwrap();
            let any = code(&any).of_any_block(MAX_THREADS_PER_BLOCK, 58_000);
            for threads in [32, 96, 640] {
                let own = KernelTraces::new(&variant.into(), &programs, threads, 58_000).unwrap();
                assert!(
                    accesses(&any, threads) == accesses(&code(&own), threads),
                    "{variant}, {threads} threads"
                );
            }
        }
    }
}
