//! A launch before its device is known: a kernel, its programs, the fitness cases, the block.
//!
//! Units: bytes, fitness cases, threads.

use crate::launch::residency::CarveOut;
use std::sync::Arc;

use crate::gp::problem::{Dataset, ProblemId};
use crate::gp::programs::Population;
use crate::systems::chitty::code::KernelCode;

/// The fitness cases of a launch.
#[derive(Debug, Clone)]
pub struct Cases {
    /// Number of fitness cases that are scored.
    pub n: u64,
    /// Elements of a row, each a fitness case or a word of 32 Boolean cases.
    pub elements: u32,
    /// Elements of a row, including the padding that the last pass of a block also evaluates.
    pub padded_elements: u32,
    /// Values of the cases, if available; with them the divergence overhead is counted.
    pub values: Option<Arc<Dataset>>,
}

impl Cases {
    /// Makes `n` fitness cases of a problem, without padding.
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

/// A kernel to launch, with its programs, fitness cases and block.
#[derive(Debug, Clone)]
pub struct Request {
    pub kernel: KernelCode,
    pub programs: Arc<Population>,
    pub cases: Cases,
    pub threads_per_block: u32,
    /// Blocks that share the fitness cases of a program.
    pub case_blocks: u32,
    pub carve_out: CarveOut,
}
