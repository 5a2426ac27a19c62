//! The interpreters' machine code, and their blocks.
//!
//! Models: `systems/cuda/gpocl.cu`. Leaves out: time. Units: bytes, fitness cases. Sources: Augusto and Barbosa 2013, Algorithms
//! 3 to 5; section 5.1.2 on expected outputs in constant memory.

use super::population::Data;
use super::program::Program;
use super::{Domain, NODES, Strategy};
use crate::isa::{Arch, Kernel};
use crate::launch::prediction::PredictError;
use crate::systems::blocks::{self, BlockLaunch};
use crate::trace::memory::BlockMemory;

/// Words from one program to the next.
pub const PROGRAM_WORDS: u32 = NODES + 1;
/// Largest data set whose expected outputs fit in constant memory.
pub const MOST_CONSTANT_OUTPUTS: u32 = 16_384;
/// Size of the cached program, after which the partial errors begin.
const CACHED_BYTES: u32 = 208;

/// Work of a block.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    pub programs: &'a [Program],
    pub data: &'a Data,
    /// First of the block's cases; all from there on, up to `cases` of them.
    pub first_case: u32,
    pub cases: u32,
}

/// Returns the name of a kernel's files.
pub fn stem(arch: Arch, strategy: Strategy, domain: Domain, constant_outputs: bool) -> String {
    let outputs = if constant_outputs {
        "constant"
    } else {
        "global"
    };
    let (strategy, domain) = (strategy.name(), domain.name());
    format!("gpocl/{arch}-{strategy}-{domain}-{outputs}")
}

/// Tells whether the expected outputs of this many rows are in constant memory.
pub fn has_constant_outputs(dataset: u32) -> bool {
    dataset <= MOST_CONSTANT_OUTPUTS
}

/// Returns the bytes of shared memory for a block's partial errors.
pub fn partial_bytes(strategy: Strategy, local: u32) -> u32 {
    match strategy {
        Strategy::Pppe => 0,
        Strategy::Fp | Strategy::Ppcu => 4 * local,
    }
}

/// Returns the shared memory of a block: the program and partial errors, for strategies that have them.
pub fn shared_bytes(strategy: Strategy, local: u32) -> u32 {
    match partial_bytes(strategy, local) {
        0 => 0,
        partial => CACHED_BYTES + partial,
    }
}

/// Loads the kernel for a data set of `dataset` rows.
pub fn load(
    strategy: Strategy,
    domain: Domain,
    dataset: u32,
    arch: Arch,
) -> Result<Kernel, PredictError> {
    let constant_outputs = has_constant_outputs(dataset);
    blocks::load(&stem(arch, strategy, domain, constant_outputs))
}

/// Returns a block of `local` threads. Its results are the programs' errors over its cases, as bits.
pub fn block<'a>(kernel: &'a Kernel, domain: Domain, local: u32, part: Part) -> BlockLaunch<'a> {
    let Part {
        programs,
        data,
        first_case,
        cases,
    } = part;
    let (n_programs, rows) = (programs.len() as u32, data.rows() as u32);
    let numbers = vec![
        PROGRAM_WORDS,
        cases,
        rows,
        n_programs,
        local.next_power_of_two(),
    ];
    let bits = |values: &[f32]| -> Vec<u32> {
        let behind = &values[first_case as usize..];
        behind.iter().map(|value| value.to_bits()).collect()
    };
    let words = programs.iter().flat_map(|program| program.words(domain));
    let (inputs, outputs) = (bits(&data.inputs), bits(&data.outputs));
    let constants = match has_constant_outputs(rows) {
        true => outputs.clone(),
        false => Vec::new(),
    };
    let memory = BlockMemory::new(words.collect(), inputs, outputs, n_programs);
    BlockLaunch {
        constants: (0, constants),
        ..BlockLaunch::first(kernel, local, numbers, memory)
    }
}

/// Returns the sum of a program's errors over the first `cases` of the data.
pub fn error(program: &Program, data: &Data, cases: u32) -> f64 {
    error_by(data, cases, |row| program.value(row))
}

/// Returns the sum of errors of the function `value`, which maps a row to its value.
pub fn error_by(data: &Data, cases: u32, value: impl Fn(&[f32]) -> f64) -> f64 {
    let of_row = |n: usize| (value(&data.row(n)) - f64::from(data.outputs[n])).abs();
    (0..cases as usize).map(of_row).sum()
}
