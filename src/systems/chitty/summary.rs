//! Average work of a kernel on a population, for models that need averages only.
//!
//! Models: every program's steady iteration, traced with one stand-in for all fitness-case inputs and one for all constants,
//! which changes addresses and values but no instruction; two prologues, between which the copy of a program into shared memory
//! is linear in its words; the number of rows of fitness cases that programs read.
//! Leaves out: first and last iterations, and the row that each load reads. One summary serves every block size.
//! Units: bytes, rows. Sources: those of `trace`.

use std::collections::{BTreeMap, BTreeSet};

use super::traces::{KernelTraces, TracesError, launch_of, program_words, traceable};
use crate::gp::program::{Rpn, Token};
use crate::systems::chitty::code::KernelCode;
use crate::systems::chitty::encode::EncodedProgram;
use crate::trace::builder::{Entrance, TraceBuilder};
use crate::trace::error::TraceError;
use crate::trace::{self, ProgramTrace};

/// Threads per block used for tracing summaries; the result does not depend on it.
const NOMINAL_THREADS: u32 = 256;

/// A kernel and its average work.
#[derive(Debug, Clone)]
pub struct KernelSummary {
    /// Traces of the programs' steady iterations, then of the two prologues as programs without nodes.
    pub traces: KernelTraces,
    /// Prologues, each as its index into the programs of the traces and its mean number of executions by a block.
    pub prologues: [(u32, f64); 2],
    /// Rows of fitness cases that each program reads, expected outputs included.
    pub rows_per_program: Vec<u32>,
    /// Rows that any program reads.
    pub rows: u32,
}

impl KernelSummary {
    /// Summarises `programs` on `variant`; `sample` holds the program of every block.
    pub fn new(
        code: &KernelCode,
        programs: &[Rpn],
        sample: &[u32],
        fitness_cases: u32,
    ) -> Result<Self, TracesError> {
        let stand_ins: Vec<Rpn> = programs.iter().map(stand_in).collect();
        let words = program_words(code, &stand_ins)?;
        let kernel = code.kernel()?;
        let launch = launch_of(code, &words, NOMINAL_THREADS, fitness_cases);
        let trace_error = |source| TracesError::Trace {
            kernel: code.to_string(),
            source,
        };
        let mut builder = TraceBuilder::new(&kernel, launch).map_err(trace_error)?;
        let programs_bits = words
            .iter()
            .map(traceable)
            .collect::<Result<Vec<_>, _>>()
            .map_err(trace_error)?;
        let mean_words = mean_words(&words, sample);
        let ends = prologue_programs(&words, mean_words);
        let mut traces = steady_traces(&mut builder, &programs_bits).map_err(trace_error)?;
        let first_prologue = traces.len() as u32;
        for index in ends {
            let entrance = builder.entrance(&programs_bits[index]);
            traces.push(ProgramTrace {
                prologue: entrance.map_err(trace_error)?.prologue,
                ..ProgramTrace::default()
            });
        }
        let rows: Vec<BTreeSet<u16>> = programs.iter().map(inputs).collect();
        let all: BTreeSet<u16> = rows.iter().flatten().copied().collect();
        let weight = weight_of_longer(&words, ends, mean_words);
        Ok(KernelSummary {
            traces: KernelTraces::assemble(code, &kernel, &words, builder.into_pool(), traces)?,
            prologues: [(first_prologue, 1.0 - weight), (first_prologue + 1, weight)],
            rows_per_program: rows.iter().map(|rows| rows.len() as u32 + 1).collect(),
            rows: all.len() as u32 + 1,
        })
    }
}

/// Returns the program with all inputs replaced by one, and all constants by one.
fn stand_in(program: &Rpn) -> Rpn {
    let token = |token: &Token| match token {
        Token::Input(_) => Token::Input(0),
        Token::Constant(_) => Token::Constant(0.5),
        Token::Apply(primitive) => Token::Apply(*primitive),
    };
    Rpn(program.0.iter().map(token).collect())
}

fn inputs(program: &Rpn) -> BTreeSet<u16> {
    let input = |token: &Token| match token {
        Token::Input(index) => Some(*index),
        _ => None,
    };
    program.0.iter().filter_map(input).collect()
}

/// Returns the shortest program, and the shortest of those longer than the mean over the blocks.
fn prologue_programs(words: &[EncodedProgram], mean_words: f64) -> [usize; 2] {
    let length = |index: &usize| words[*index].words.len();
    let shortest = (0..words.len()).min_by_key(length).unwrap_or(0);
    let long = |index: &usize| length(index) as f64 > mean_words;
    let longer = (0..words.len()).filter(long).min_by_key(length);
    [shortest, longer.unwrap_or(shortest)]
}

fn mean_words(words: &[EncodedProgram], sample: &[u32]) -> f64 {
    let sum: usize = sample
        .iter()
        .map(|&program| words[program as usize].words.len())
        .sum();
    sum as f64 / sample.len().max(1) as f64
}

/// Returns the position of the mean length between those of the two programs, 0 to 1.
fn weight_of_longer(words: &[EncodedProgram], ends: [usize; 2], mean_words: f64) -> f64 {
    let [shortest, longer] = ends.map(|index| words[index].words.len() as f64);
    if longer <= shortest {
        return 0.0;
    }
    (mean_words - shortest) / (longer - shortest)
}

/// Number of programs per first word whose entries into the loop are compared; if they agree, the others share the first entry.
const WITNESSES: usize = 2;

/// Traces the steady iterations. Programs with the same first word normally enter the loop in the same state, as kernels may
/// prefetch that word but no other. If the shortest of them disagree, each program's entry is traced.
fn steady_traces(
    builder: &mut TraceBuilder,
    programs: &[trace::ProgramWords],
) -> Result<Vec<ProgramTrace>, TraceError> {
    let mut by_length: Vec<usize> = (0..programs.len()).collect();
    by_length.sort_by_key(|&index| programs[index].words().len());
    let mut kinds: BTreeMap<u32, Vec<Entrance>> = BTreeMap::new();
    for index in by_length {
        let program = &programs[index];
        let known = kinds.entry(program.words()[0]).or_default();
        if known.len() < WITNESSES {
            known.push(builder.entrance(program)?);
        }
    }
    let agree = |known: &[Entrance]| known.windows(2).all(|pair| pair[0].meets(&pair[1]));
    programs
        .iter()
        .map(|program| {
            let known = &kinds[&program.words()[0]];
            if agree(known) {
                return builder.steady(program, &known[0]);
            }
            let entrance = builder.entrance(program)?;
            builder.steady(program, &entrance)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::corpus::Corpus;
    use crate::gp::problem::ProblemId;
    use crate::isa::Arch;
    use crate::systems::chitty::variant::{KernelId, Math, Variant};
    use crate::trace::{SegmentId, SegmentPool};

    /// Returns instructions and local addresses, without the addresses of fitness cases.
    fn instructions(pool: &SegmentPool, list: &[SegmentId]) -> Vec<(u16, u32)> {
        let mut all = Vec::new();
        for segment in list {
            all.extend(
                pool.segment(*segment)
                    .iter()
                    .map(|op| match op.address_kind {
                        trace::AddressKind::Local => (op.inst, op.address),
                        _ => (op.inst, 0),
                    }),
            );
        }
        all
    }

    fn variant(kernel: KernelId, problem: ProblemId, stack_dim: u32) -> Variant {
        Variant {
            math: match problem {
                ProblemId::Mux20 => Math::Accurate,
                _ => Math::Fast,
            },
            stack_registers: match kernel {
                KernelId::LgpRegisters | KernelId::Accumulator => 2,
                _ => 0,
            },
            ..Variant::new(kernel, problem, stack_dim, arch(kernel))
        }
    }

    fn arch(kernel: KernelId) -> Arch {
        match kernel {
            KernelId::Accumulator => Arch::Sm90,
            _ => Arch::Sm35,
        }
    }

    fn check(variant: &Variant) {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/corpus");
        let path = format!("{folder}/{}.corpus", variant.problem.name());
        let corpus = Corpus::load(std::path::Path::new(&path)).unwrap();
        let programs: Vec<Rpn> = corpus
            .entries
            .iter()
            .step_by(41)
            .map(|entry| entry.program.clone())
            .collect();
        let sample: Vec<u32> = (0..programs.len() as u32).collect();
        let summary = KernelSummary::new(&(*variant).into(), &programs, &sample, 32_768).unwrap();
        let traces =
            KernelTraces::new(&(*variant).into(), &programs, NOMINAL_THREADS, 32_768).unwrap();
        assert_eq!(
            summary.traces.shared_bytes_per_block,
            traces.shared_bytes_per_block
        );
        let mut copied = 0.0;
        for (program, (short, full)) in summary
            .traces
            .programs
            .iter()
            .zip(&traces.programs)
            .enumerate()
        {
            assert_eq!(
                instructions(&summary.traces.pool, &short.steady),
                instructions(&traces.pool, &full.steady),
                "{variant}: {}",
                programs[program]
            );
            copied += instructions(&traces.pool, &full.prologue).len() as f64;
        }
        let expected: f64 = summary
            .prologues
            .iter()
            .map(|&(at, times)| {
                let prologue = &summary.traces.programs[at as usize].prologue;
                times * instructions(&summary.traces.pool, prologue).len() as f64
            })
            .sum();
        let mean = copied / programs.len() as f64;
        assert!(
            (expected / mean - 1.0).abs() < 0.01,
            "{variant}: {expected} for {mean}"
        );
    }

    #[test]
    fn a_summary_holds_the_instructions_of_the_programs_themselves() {
        check(&variant(KernelId::Rpn, ProblemId::Sextic, 2));
        check(&variant(KernelId::Lgp, ProblemId::Shuttle, 3));
        check(&variant(KernelId::LgpVector, ProblemId::Mux20, 4));
        check(&variant(KernelId::LgpRegisters, ProblemId::Kddcup, 4));
        check(&variant(KernelId::Accumulator, ProblemId::Sextic, 8));
        check(&variant(KernelId::Accumulator, ProblemId::Mux20, 8));
    }
}
