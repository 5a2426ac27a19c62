//! A kernel that runs given programs, as the models see it: traces on demand, and facts known without timing.
//!
//! Leaves out: where programs and machine code come from (`workload`).
//! Units: warp instructions, program nodes; a warp executes a node for `stack_dim` cases per lane.

use std::sync::Arc;

use super::code::ReplayCode;
use super::geometry::Geometry;
use super::makespan::BlockSchedule;
use crate::launch::prediction::PredictError;
use crate::trace::mix::MixEntry;
use crate::util::memo::Memo;

/// The blocks of one launch.
#[derive(Debug)]
pub struct Grid {
    /// Work of every block in grid order: its program's nodes, weighted by the warp instructions that this program takes for
    /// a node against the mean of all programs, where the block's program is known.
    pub work: Vec<f64>,
    /// Nodes of all blocks.
    pub nodes: u64,
    /// The program of every block, where it is known.
    pub programs: Option<Arc<Vec<u32>>>,
    /// Block schedules by multiprocessors and resident blocks.
    handed_out: Memo<(usize, usize), BlockSchedule>,
}

impl Grid {
    pub fn new(work: Vec<f64>, nodes: u64) -> Grid {
        Grid {
            work,
            nodes,
            programs: None,
            handed_out: Memo::default(),
        }
    }

    /// Returns the work of each block, weighted with its program's time per work over the mean; `None` if programs are not known.
    pub fn timed(&self, times: &[f64]) -> Option<Vec<f64>> {
        let programs = self.programs.as_ref()?;
        Some(timed(&self.work, programs, times))
    }

    /// Returns the assignment of blocks to multiprocessors.
    pub fn handed_out(&self, n_smx: usize, resident_blocks: usize) -> Arc<BlockSchedule> {
        let make = || BlockSchedule::new(&self.work, n_smx, resident_blocks);
        self.handed_out.get((n_smx, resident_blocks), make)
    }
}

/// Returns the work of blocks of these programs, weighted with each program's time per work over the mean.
fn timed(work: &[f64], programs: &[u32], times: &[f64]) -> Vec<f64> {
    let blocks = work.iter().zip(programs);
    blocks
        .map(|(work, &program)| work * times[program as usize])
        .collect()
}

/// Facts of a kernel and its programs that no model changes.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Identifies the kernel and its programs; the key of caches about them.
    pub id: u64,
    pub mix: Vec<MixEntry>,
    /// Branches on data per node and iteration of a warp, mean over the programs: the trace takes them the way
    /// ordinary numbers go.
    pub assumed_branches_per_node: f64,
    pub mean_stack_levels: f64,
    /// Warp instructions per node of a steady iteration, mean over the blocks.
    pub instructions_per_node: f64,
    /// Warp instructions of a warp before its case loop, mean over the blocks.
    pub prologue_instructions: f64,
    /// Warp instructions that real fitness cases add to the traces, in percent.
    pub divergence_overhead_percent: f64,
    /// Kernels share those in which programs differ in nodes alone.
    pub grids: Arc<Vec<Grid>>,
}

/// Programs traced in full, laid out for replay by blocks of any size.
#[derive(Debug, Clone)]
pub struct Replay {
    pub code: ReplayCode,
    pub code_bytes: u32,
    /// The program of every block that is stood for, indices into the code's.
    pub order: Vec<u32>,
    /// Work of each of these blocks, as in [`Grid::work`], and their programs, as in [`Grid::programs`].
    pub work: Vec<f64>,
    pub programs: Vec<u32>,
}

impl Replay {
    /// Returns the work of each block, weighted with its program's time per work over the mean.
    pub fn timed(&self, times: &[f64]) -> Vec<f64> {
        timed(&self.work, &self.programs, times)
    }
}

/// Average execution of a kernel, for models that need no order of events.
#[derive(Debug, Clone)]
pub struct Summary {
    /// Steady iterations, then prologues as programs without nodes.
    pub code: ReplayCode,
    pub code_bytes: u32,
    /// Programs of `code` whose prologues stand for all, and how often a block executes each on average.
    pub prologues: [(u32, f64); 2],
    /// Program of `code` whose only iteration is a whole block without fitness cases, where a launch can have such blocks.
    pub empty_block: Option<u32>,
    /// Program of every block of the sample.
    pub sample: Vec<u32>,
    /// Rows of fitness cases that each program reads, expected outputs included.
    pub rows_per_program: Vec<u32>,
    /// Rows that any program reads.
    pub rows: u32,
    pub stack_dim: u32,
}

/// A kernel with its programs, traced on demand.
pub trait TracedKernel: std::fmt::Debug + Send + Sync {
    fn facts(&self) -> &Facts;

    fn summary(&self) -> &Summary;

    /// The first `n_programs` blocks of the sample, neighbours in the order alike.
    fn sample(&self, n_programs: usize, geometry: &Geometry) -> Result<Replay, PredictError>;

    /// Every `step`-th block from block `first` on, of the sample or, where the programs of a launch are known, of the launch, in
    /// grid order: the blocks of one of `step` multiprocessors.
    fn every_block(
        &self,
        first: usize,
        step: usize,
        geometry: &Geometry,
    ) -> Result<Replay, PredictError>;

    /// Number of blocks that `every_block` chooses from.
    fn n_blocks(&self) -> usize;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_takes_its_work_as_long_as_its_program_needs() {
        let mut grid = Grid::new(vec![10.0, 30.0], 40);
        assert_eq!(grid.timed(&[0.5, 2.0]), None);
        grid.programs = Some(Arc::new(vec![1, 0]));
        assert_eq!(grid.timed(&[0.5, 2.0]), Some(vec![20.0, 15.0]));
    }
}
