//! The interpreters' machine code, and its execution by blocks.
//!
//! Models: `systems/cuda/gpocl.cu`. Leaves out: time. Units: bytes, fitness cases. Sources: Augusto and Barbosa 2013, Algorithms
//! 3 to 5; section 5.1.2 on expected outputs in constant memory.

use super::ndrange::NdRange;
use super::population::Data;
use super::program::Program;
use super::{Domain, NODES, Strategy};
use crate::isa::Arch;
use crate::isa::Kernel;
use crate::launch::prediction::PredictError;
use crate::systems::chitty::embedded::listing;
use crate::trace::launch::{Argument, Buffer, KernelLaunch};
use crate::trace::memory::BlockMemory;
use crate::trace::{WarpPath, execute_block};

/// Words from one program to the next.
pub const PROGRAM_WORDS: u32 = NODES + 1;
/// Largest data set whose expected outputs fit in constant memory.
pub const MOST_CONSTANT_OUTPUTS: u32 = 16_384;
/// Bank of `__constant__` variables.
const CONSTANT_BANK: u8 = 3;
/// Size of the cached program, after which the partial errors begin.
const CACHED_BYTES: u32 = 208;

/// A strategy's kernel for a domain.
#[derive(Debug)]
pub struct Interpreter {
    pub kernel: Kernel,
    pub strategy: Strategy,
    pub domain: Domain,
    pub constant_outputs: bool,
}

/// Work of a block.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    pub programs: &'a [Program],
    pub data: &'a Data,
    /// First of the block's cases; all from there on, up to `cases` of them.
    pub first_case: u32,
    pub cases: u32,
}

/// Execution of a block, and the errors that it computed.
#[derive(Debug, Clone)]
pub struct BlockRun {
    pub warps: Vec<WarpPath>,
    pub errors: Vec<f32>,
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

impl Interpreter {
    /// Loads the kernel for a data set of `dataset` rows.
    pub fn load(
        strategy: Strategy,
        domain: Domain,
        dataset: u32,
        arch: Arch,
    ) -> Result<Self, PredictError> {
        let constant_outputs = has_constant_outputs(dataset);
        let file = format!("{}.sass", stem(arch, strategy, domain, constant_outputs));
        let code = listing(&file).map_err(PredictError::other)?;
        let kernel = Kernel::parse(&code, &file);
        Ok(Interpreter {
            kernel: kernel.map_err(PredictError::other)?,
            strategy,
            domain,
            constant_outputs,
        })
    }

    /// Executes a block.
    pub fn execute(&self, range: NdRange, part: Part) -> Result<BlockRun, PredictError> {
        let launch = self.launch(range, part);
        let mut constants = launch.constants(&self.kernel, launch.cases);
        let bits = |values: &[f32]| -> Vec<u32> {
            let behind = &values[part.first_case as usize..];
            behind.iter().map(|value| value.to_bits()).collect()
        };
        let outputs = bits(&part.data.outputs);
        if self.constant_outputs {
            let bytes = outputs.iter().flat_map(|word| word.to_le_bytes());
            constants.set_bank(CONSTANT_BANK, bytes.collect());
        }
        let words = part.programs.iter().flat_map(|p| p.words(self.domain));
        let inputs = bits(&part.data.inputs);
        let mut memory = BlockMemory::new(words.collect(), inputs, outputs, range.local);
        memory.results = vec![0; part.programs.len()];
        let warps = execute_block(&self.kernel, &constants, range.local, &mut memory);
        Ok(BlockRun {
            warps: warps.map_err(PredictError::other)?,
            errors: memory.results.into_iter().map(f32::from_bits).collect(),
        })
    }

    fn launch(&self, range: NdRange, part: Part) -> KernelLaunch {
        let values = [
            PROGRAM_WORDS,
            part.cases,
            part.data.rows() as u32,
            part.programs.len() as u32,
            range.local.next_power_of_two(),
        ];
        let buffers = [
            Buffer::Programs,
            Buffer::Inputs,
            Buffer::Outputs,
            Buffer::Results,
        ];
        let buffers = buffers.into_iter().map(Argument::Buffer);
        KernelLaunch {
            arguments: buffers.chain(values.map(Argument::Value)).collect(),
            ..KernelLaunch::block_gp(range.local, 1, part.cases)
        }
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
