//! Blocks that one multiprocessor runs once, each from its first instruction to its last.
//!
//! Models: a kernel's traces, the program of each block, and the launch. Traces of other tools are read into it, and a sample of a
//! grid is written from it.
//! Leaves out: the steady state of a long run (`sim::window`). Units: in the names.

use super::code::ReplayCode;
use super::geometry::Geometry;
use crate::device::occupancy::BlockResources;

/// Blocks with the traces that they run.
#[derive(Debug, Clone)]
pub struct Blocks {
    pub kernel: String,
    pub code: ReplayCode,
    pub code_bytes: u32,
    /// Resident blocks and the distance of their local memories included.
    pub geometry: Geometry,
    pub resources: BlockResources,
    /// The program of every block's first warp, in launch order.
    pub order: Vec<u32>,
    /// 0 when all warps of a block run the same program, 1 when they run successive ones.
    pub programs_per_warp: u32,
    /// Most iterations of the case loop that a block runs.
    pub iterations: u32,
}
