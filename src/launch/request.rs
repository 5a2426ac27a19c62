//! What is to be launched, before it is known on which device: a kernel, its programs, the fitness cases, the block.
//!
//! The only file of `launch` that knows GP. Units: bytes, fitness cases, threads.

use std::sync::Arc;

use crate::gp::problem::Dataset;
use crate::gpu::code::Code;
use crate::gpu::variant::FunctionSet;
use crate::gpu::workload::cases_per_element;
use crate::programs::Population;

/// How the on-chip memory is divided between L1 and shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CarveOut {
    /// An L1 of this size; a block that needs more shared memory gets less.
    L1Bytes(u32),
    /// Shared memory of this size, for all blocks of a multiprocessor together.
    SharedBytes(u32),
    /// The least shared memory that limits no block.
    LeastShared,
    /// As the device divides it when nobody asks.
    Default,
}

/// The fitness cases of a launch.
#[derive(Debug, Clone)]
pub struct Cases {
    /// Fitness cases that count.
    pub n: u64,
    /// Elements of a row: a fitness case each, or a word of 32 Boolean ones.
    pub elements: u32,
    /// The same with the padding that the last pass of a block evaluates as well.
    pub padded_elements: u32,
    /// The values, if they are at hand: with them it is counted what data adds to the instructions.
    pub values: Option<Arc<Dataset>>,
}

impl Cases {
    /// `n` fitness cases of a problem, not padded.
    pub fn of(problem: FunctionSet, n: u64) -> Cases {
        let elements = n as u32 / cases_per_element(problem);
        Cases {
            n,
            elements,
            padded_elements: elements,
            values: None,
        }
    }
}

/// See the module text.
#[derive(Debug, Clone)]
pub struct Request {
    pub kernel: Code,
    pub programs: Arc<Population>,
    pub cases: Cases,
    pub threads_per_block: u32,
    /// Blocks that share the fitness cases of a program.
    pub case_blocks: u32,
    pub carve_out: CarveOut,
}
