//! What is to be launched, before it is known on which device: a kernel, its programs, the fitness cases, the block.
//!
//! The only file of `launch` that knows GP. Units: bytes, fitness cases, threads.

use crate::launch::residency::CarveOut;
use std::sync::Arc;

use crate::gp::problem::{Dataset, ProblemId};
use crate::gp::programs::Population;
use crate::systems::chitty::code::Code;

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
    pub fn of(problem: ProblemId, n: u64) -> Cases {
        let elements = n as u32 / problem.cases_per_element();
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
