//! The interpreters: their machine code and their blocks.
//!
//! Models: `systems/cuda/robilliard.cu`. Leaves out: time. Units: bytes, words.
//! Sources: Robilliard et al. 2008, section 3; for programs in shared memory the authors' paper of 2009.

use super::problem::{CaseTable, ProblemId, case_error};
use super::program::chunk;
use crate::gp::interpret::reference::{other_roundings, value_f32};
use crate::gp::program::Rpn;
use crate::isa::{Arch, Kernel};
use crate::launch::prediction::PredictError;
use crate::systems::blocks::{self, BlockLaunch};
use crate::trace::memory::BlockMemory;
use crate::util::names::named;

named! {
    /// Distribution of programs over threads.
    pub enum Scheme ("scheme") {
        /// One program per block, whose threads share the cases: the paper's scheme.
        BlockGp = "blockgp",
        /// `BlockGp` with the program copied into shared memory: the authors' scheme of 2009.
        BlockGpShared = "blockgp-shared",
        /// One program per thread.
        ThreadGp = "threadgp",
    }
}

impl Scheme {
    /// Returns the macros that the kernel's source is compiled with.
    pub fn defines(self, function_set: ProblemId) -> Vec<String> {
        let scheme: &[&str] = match self {
            Scheme::BlockGp => &["SCHEME_BLOCKGP"],
            Scheme::BlockGpShared => &["SCHEME_BLOCKGP", "PROGRAM_SHARED"],
            Scheme::ThreadGp => &["SCHEME_THREADGP"],
        };
        let problem = format!("PROBLEM_{}", function_set.name().to_uppercase());
        scheme
            .iter()
            .map(|&name| name.to_owned())
            .chain([problem])
            .collect()
    }

    /// Returns the programs of a block of `threads`.
    pub fn programs_per_block(self, threads: u32) -> u32 {
        match self {
            Scheme::ThreadGp => threads,
            Scheme::BlockGp | Scheme::BlockGpShared => 1,
        }
    }

    /// Returns the shared memory of a block of `threads` whose programs have at most `words` words.
    pub fn shared_bytes(self, threads: u32, words: u32) -> u32 {
        match self {
            Scheme::ThreadGp => 0,
            Scheme::BlockGp => 4 * threads,
            Scheme::BlockGpShared => 4 * (threads + words),
        }
    }
}

/// Loads a kernel.
pub fn load(scheme: Scheme, function_set: ProblemId, arch: Arch) -> Result<Kernel, PredictError> {
    blocks::load(&stem(scheme, function_set, arch))
}

/// Returns a block of `threads` on as many programs as fit, or fewer. Its results are the programs' errors, as bits.
pub fn block<'a>(
    kernel: &'a Kernel,
    programs: &[Vec<u32>],
    cases: CaseTable,
    threads: u32,
) -> BlockLaunch<'a> {
    let n_programs = programs.len() as u32;
    let numbers = vec![n_programs, cases.len() as u32];
    let memory = BlockMemory::new(chunk(programs), cases.inputs, cases.expected, n_programs);
    BlockLaunch::first(kernel, threads, numbers, memory)
}

/// Returns the name of a kernel's files under `fixtures/sass/`.
pub fn stem(scheme: Scheme, function_set: ProblemId, arch: Arch) -> String {
    format!(
        "robilliard/{arch}-{}-{}",
        scheme.name(),
        function_set.name()
    )
}

/// Returns the error of a program by the reference interpreter, which evaluates all branches of the tree.
pub fn expected_error(program: &Rpn, function_set: ProblemId, cases: &CaseTable) -> f64 {
    error_by(function_set, cases, |inputs| {
        f64::from(value_f32(program, inputs))
    })
}

/// Tells whether an expected error is independent of rounding, that is, agrees with that of every other rounding. For other
/// programs, a GPU's functions may round differently and give another error.
pub fn is_decided(
    program: &Rpn,
    function_set: ProblemId,
    cases: &CaseTable,
    expected: f64,
) -> bool {
    (0..3).all(|way| {
        let value = |inputs: &[f32]| other_roundings(program, inputs)[way];
        agrees(
            function_set,
            error_by(function_set, cases, value) as f32,
            expected,
        )
    })
}

fn error_by(function_set: ProblemId, cases: &CaseTable, value: impl Fn(&[f32]) -> f64) -> f64 {
    let as_value = |word: u32| match function_set {
        ProblemId::Multiplexer => word as f32,
        ProblemId::Regression | ProblemId::Spirals => f32::from_bits(word),
    };
    let error = |at: usize| {
        let inputs: Vec<f32> = cases.case(at).into_iter().map(as_value).collect();
        case_error(
            function_set,
            value(&inputs),
            as_value(cases.expected[at]).into(),
        )
    };
    (0..cases.len()).map(error).sum()
}

/// Tells whether an error equals the expected one except for rounding: of sums in another order, of the device's functions, of
/// values near zero, whose signs count.
pub fn agrees(function_set: ProblemId, found: f32, expected: f64) -> bool {
    const RELATIVE: f64 = 1e-3;
    const SIGNS: f64 = 2.0;
    let found = f64::from(found);
    match function_set {
        ProblemId::Multiplexer => found == expected,
        ProblemId::Spirals => (found - expected).abs() <= SIGNS,
        ProblemId::Regression if expected.is_finite() => {
            (found - expected).abs() <= RELATIVE * expected.abs().max(RELATIVE)
        }
        ProblemId::Regression => !found.is_finite(),
    }
}
