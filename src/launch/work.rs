//! A launch as both models read it: placed on a device, with the work of its blocks.
//!
//! Leaves out: time. Units: in field names.

use super::divergent::DivergentWork;
use super::placement::Placement;
use super::uniform::{Uniform, UniformWork};
use crate::launch::prediction::{Configuration, PredictError};
use crate::trace::mix::MixEntry;

/// A launch as both performance models read it.
#[derive(Debug, Clone)]
pub struct Launch {
    pub configuration: Configuration,
    pub placement: Placement,
    pub facts: LaunchFacts,
    pub work: Work,
}

/// The work of a launch's blocks.
#[derive(Debug, Clone)]
pub enum Work {
    /// All warps of a block run one program.
    Uniform(UniformWork),
    /// The warps of a block, or their lanes, run several.
    Divergent(DivergentWork),
}

/// The facts about a launch that need no timing.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchFacts {
    /// Warp instructions per launch, including divergence.
    pub warp_instructions: f64,
    pub instruction_mix: Vec<MixEntry>,
    pub mean_stack_levels: f64,
    pub assumed_branches_per_node: f64,
    pub divergence_overhead_percent: f64,
    /// Time on the host between two launches.
    pub host_milliseconds: f64,
}

impl Launch {
    /// Returns the launch if every block runs one program, as listings of instructions, caches or blocks require.
    pub fn uniform(&self) -> Result<Uniform<'_>, PredictError> {
        match &self.work {
            Work::Uniform(work) => Ok(Uniform {
                placement: &self.placement,
                work,
            }),
            Work::Divergent(_) => Err(PredictError::not_uniform(&self.configuration.kernel)),
        }
    }
}
