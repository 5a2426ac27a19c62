//! Checks that a kernel's machine code computes the same as the reference interpreter.
//!
//! Executes all lanes of one block on programs that have every function of the problem on every kind of operand and at every
//! stack level, with the reference's values as expected outputs, and reports the instructions that ran. Also detects a kernel
//! that takes programs in another encoding, or steps through fitness cases differently than declared.
//! Leaves out: launches of several blocks. Units: summed errors (squared differences, wrong classes, wrong bits).

mod bounds;
mod programs;
mod trial;

use super::traces::{TracesError, launch_of, program_words, traceable};
use crate::gp::program::Rpn;
use crate::gp::stack_depth::{lgp_stack_depth, rpn_stack_depth};
use crate::isa::op::Op;
use crate::isa::{Instruction, Kernel};
use crate::systems::chitty::accumulate::Target;
use crate::systems::chitty::code::KernelCode;
use crate::systems::chitty::encode::EncodedProgram;
use crate::systems::chitty::kernel_id::Lowering;
use crate::systems::chitty::lower::{MAX_STACK_LEVELS, function_codes};
use crate::systems::chitty::variant::Variant;
use crate::trace::{CaseWords, KernelLaunch, TraceBuilder, TraceError, run_block_within};
use crate::util::parallel;
use programs::{Probe, Programs, Values};
use std::fmt;
use std::ops::RangeInclusive;
use trial::Trials;

/// Iterations of the case loop.
const ITERATIONS: u32 = 2;
/// Programs run at a time.
const AT_ONCE: usize = 64;
/// Approximate number of fitness cases of an iteration.
const CASES: u32 = 256;
/// Number of short programs, from the first, that are also scored.
const SCORED: usize = 4;

/// 31 warps: summing over them exercises every step of a loop over 16, 8, 4, 2 and 1.
const MANY_THREADS: u32 = 992;

/// Instruction limits of a warp, beyond which it counts as endless: per word of a program, and in addition.
const MOST_PER_WORD: u64 = 10_000;
const MOST_BESIDES: u64 = 1_000_000;

/// Extent and result of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Conformance {
    pub functions: usize,
    /// Stack levels up to which functions were compared.
    pub levels: usize,
    pub programs: usize,
    /// Instructions of the listing, without padding after the last exit.
    pub instructions: usize,
    /// Addresses of instructions that never ran.
    pub unreached: Vec<u32>,
    /// First program whose error is outside the allowed range.
    pub differs: Option<Difference>,
}

/// A program on which the kernel disagrees with the reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    pub program: Rpn,
    pub elements: u32,
    /// The kernel's summed error on outputs derived from the reference's values.
    pub error: f64,
    /// Allowed range of the error.
    pub allowed: RangeInclusive<f64>,
}

/// Largest number of instruction addresses listed.
const NAMED: usize = 5;

impl fmt::Display for Conformance {
    /// Describes a kernel that does not differ.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Conformance {
            functions,
            levels,
            programs,
            instructions,
            unreached,
            ..
        } = self;
        write!(
            formatter,
            "computes what the reference interpreter does: {functions} functions at {levels} stack levels in {programs} programs, {} of {instructions} instructions executed",
            instructions - unreached.len()
        )?;
        let named: Vec<String> = unreached
            .iter()
            .take(NAMED)
            .map(|pc| format!("{pc:#06x}"))
            .collect();
        match unreached.len() {
            0 => Ok(()),
            more if more > NAMED => write!(
                formatter,
                " (not {} and {} more)",
                named.join(", "),
                more - NAMED
            ),
            _ => write!(formatter, " (not {})", named.join(", ")),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference {
            program,
            elements,
            error,
            allowed,
        } = self;
        write!(
            formatter,
            "the summed error of `{program}` over {elements} elements is {error:.6e}, by the reference interpreter {:.6e} to {:.6e}",
            allowed.start(),
            allowed.end()
        )
    }
}

/// Compares a kernel's code at as many stack levels as it supports, at least those that `programs` need.
pub fn compare(code: &KernelCode, programs: &[Rpn]) -> Result<Conformance, TracesError> {
    let kernel = code.kernel()?;
    compare_kernel(&kernel, code, programs)
}

/// Compares parsed code that takes programs like `variant`.
pub fn compare_kernel(
    kernel: &Kernel,
    variant: &Variant,
    programs: &[Rpn],
) -> Result<Conformance, TracesError> {
    let mut writer = Programs::new(variant);
    let short = writer.short();
    let mut comparison = Comparison::new(kernel, variant);
    comparison.follow(&short[0].program)?;
    comparison.run(&short, false)?;
    comparison.run(&short[..short.len().min(SCORED)], true)?;
    if comparison.differs.is_none() {
        let needed = programs
            .iter()
            .map(|program| levels(program, variant))
            .max();
        comparison.deepen(&writer, needed.unwrap_or(0).clamp(2, MAX_STACK_LEVELS))?;
    }
    Ok(comparison.finish())
}

/// Compares a kernel's code on these programs only.
pub fn compare_programs(
    kernel: &Kernel,
    variant: &Variant,
    programs: &[Rpn],
) -> Result<Conformance, TracesError> {
    let mut comparison = Comparison::new(kernel, variant);
    let probes: Vec<Probe> = programs.iter().cloned().map(Probe::from).collect();
    comparison.run(&probes, false)?;
    Ok(comparison.finish())
}

/// Returns the stack levels that a program needs in the variant's encoding.
fn levels(program: &Rpn, variant: &Variant) -> usize {
    match variant.kernel.lowering() {
        Lowering::Postfix => rpn_stack_depth(program),
        Lowering::Linear => lgp_stack_depth(program),
        Lowering::Accumulator => Target::of(variant).levels(program).unwrap_or(0),
    }
}

/// State of a comparison.
#[derive(Clone)]
struct Comparison<'a> {
    kernel: &'a Kernel,
    variant: &'a Variant,
    reached: Vec<bool>,
    levels: usize,
    programs: usize,
    differs: Option<Difference>,
}

/// Result of one program's run.
struct Run {
    reached: Vec<bool>,
    differs: Option<Difference>,
}

impl<'a> Comparison<'a> {
    fn new(kernel: &'a Kernel, variant: &'a Variant) -> Self {
        Comparison {
            kernel,
            variant,
            reached: vec![false; kernel.instructions.len()],
            levels: 0,
            programs: 0,
            differs: None,
        }
    }

    fn trace_error(&self, source: TraceError) -> TracesError {
        TracesError::Trace {
            kernel: self.variant.to_string(),
            source,
        }
    }

    /// Returns a block size of several warps, so that wrongly shared data is detected, with about as many fitness cases as values
    /// are drawn.
    fn few_threads(&self) -> u32 {
        (CASES / self.variant.stack_dim)
            .next_multiple_of(32)
            .clamp(64, 256)
    }

    fn elements(&self, threads: u32) -> u32 {
        threads * self.variant.stack_dim * ITERATIONS
    }

    /// Returns a program's words and its launch. If threads share the copy of the program, all of them copy the same number of
    /// words.
    fn encoded(
        &self,
        program: &Rpn,
        threads: u32,
    ) -> Result<(EncodedProgram, KernelLaunch), TracesError> {
        let mut words = program_words(self.variant, std::slice::from_ref(program))?;
        let mut launch = launch_of(self.variant, &words, threads, self.elements(threads));
        launch.max_program_words = launch.max_program_words.next_multiple_of(2 * threads);
        Ok((words.remove(0), launch))
    }

    /// Traces a program, which counts the iterations of the case loop.
    fn follow(&self, program: &Rpn) -> Result<(), TracesError> {
        let (words, launch) = self.encoded(program, self.few_threads())?;
        let traced = TraceBuilder::new(self.kernel, launch)
            .and_then(|mut builder| builder.trace(&traceable(&words)?));
        traced
            .map(|_| ())
            .map_err(|source| self.trace_error(source))
    }

    /// Runs programs up to the first whose error is outside the allowed range.
    fn run(&mut self, probes: &[Probe], is_scored: bool) -> Result<(), TracesError> {
        let turns = probes.len().div_ceil(AT_ONCE);
        for first in 0..turns {
            if self.differs.is_some() {
                break;
            }
            // Each turn has some programs of every function, so that differences are found early.
            let probes: Vec<&Probe> = probes.iter().skip(first).step_by(turns).collect();
            let tried = |probe: &&Probe| self.tried(probe, is_scored);
            let runs: Vec<Option<Run>> = parallel::try_map(&probes, tried)?;
            for (probe, run) in probes.iter().zip(runs) {
                if let Some(run) = run {
                    self.take(probe, run);
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, probe: &Probe, run: Run) {
        self.programs += 1;
        self.levels = self.levels.max(levels(&probe.program, self.variant));
        for (all, this) in self.reached.iter_mut().zip(run.reached) {
            *all |= this;
        }
        self.differs = self.differs.take().or(run.differs);
    }

    /// Runs a program; `None` if rounding decides its values.
    fn tried(&self, probe: &Probe, is_scored: bool) -> Result<Option<Run>, TracesError> {
        let threads = match is_scored || probe.values == Values::RarelyExtreme {
            true => MANY_THREADS,
            false => self.few_threads(),
        };
        let elements = self.elements(threads);
        let trials = Trials {
            variant: self.variant,
            elements: elements as usize,
            is_scored,
        };
        let Some(trial) = trials.of(probe) else {
            return Ok(None);
        };
        let cases = CaseWords {
            inputs: &trial.inputs,
            outputs: &trial.outputs,
            cases: elements,
        };
        let (words, launch) = self.encoded(&probe.program, threads)?;
        let limit = MOST_BESIDES + MOST_PER_WORD * words.words.len() as u64;
        let run = traceable(&words)
            .and_then(|words| run_block_within(self.kernel, &launch, &words, &cases, limit))
            .map_err(|source| self.trace_error(source))?;
        let error = run.total();
        let differs = !trial.allowed.contains(&error);
        Ok(Some(Run {
            reached: run.reached,
            differs: differs.then(|| Difference {
                program: probe.program.clone(),
                elements,
                error,
                allowed: trial.allowed,
            }),
        }))
    }

    /// Runs the long programs at the greatest number of stack levels at which the kernel agrees, at least `needed`.
    fn deepen(&mut self, writer: &Programs, needed: usize) -> Result<(), TracesError> {
        let at = |levels: usize| {
            let mut comparison = self.clone();
            comparison
                .run(&writer.long(levels), false)
                .map(|()| comparison)
        };
        let agrees = |result: &Result<Self, TracesError>| {
            result
                .as_ref()
                .is_ok_and(|comparison| comparison.differs.is_none())
        };
        let mut best = at(MAX_STACK_LEVELS);
        if !agrees(&best) {
            best = at(needed);
            let (mut least, mut most) = (needed, MAX_STACK_LEVELS);
            while agrees(&best) && least + 1 < most {
                let middle = least.midpoint(most);
                match at(middle) {
                    deeper if agrees(&deeper) => (best, least) = (deeper, middle),
                    _ => most = middle,
                }
            }
        }
        *self = best?;
        Ok(())
    }

    fn finish(self) -> Conformance {
        let instructions = &self.kernel.instructions;
        let is_padding = |instruction: &Instruction| {
            instruction.op == Op::Nop && !instruction.sync
                || instruction.target == Some(instruction.pc_bytes)
        };
        let padding = instructions
            .iter()
            .rev()
            .take_while(|one| is_padding(one))
            .count();
        let code = &instructions[..instructions.len() - padding];
        let reached = code.iter().zip(&self.reached);
        Conformance {
            functions: function_codes(self.variant.problem).len(),
            levels: self.levels,
            programs: self.programs,
            instructions: code.len(),
            unreached: reached
                .filter(|(_, reached)| !**reached)
                .map(|(one, _)| one.pc_bytes)
                .collect(),
            differs: self.differs,
        }
    }
}
