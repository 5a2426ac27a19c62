//! Work of each block of a grid before timing, counted on a few of its repetitions.
//!
//! A grid of a few waves ends with the blocks that take longest. If the lanes of a warp run different programs, only execution
//! reveals them.
//! Units: warp instructions. Leaves out: time.

use crate::launch::prediction::PredictError;
use crate::trace::WarpPath;
use crate::util::parallel;

/// The warp instructions of every block of a grid.
#[derive(Debug, Clone, Default)]
pub struct BlockWork {
    longest_warps: Vec<f64>,
    all_warps: Vec<f64>,
}

impl BlockWork {
    /// Counts the work of every block by executing it.
    pub fn count(
        blocks: u32,
        execute: impl Fn(u32) -> Result<Vec<WarpPath>, PredictError> + Sync,
    ) -> Result<BlockWork, PredictError> {
        let counted = parallel::try_indices(blocks as usize, |block| {
            let warps = execute(block as u32)?;
            let steps = warps.iter().map(|warp| warp.steps.len() as f64);
            Ok((steps.clone().fold(0.0, f64::max), steps.sum()))
        });
        let counted: Vec<(f64, f64)> = counted?;
        let (longest_warps, all_warps) = counted.into_iter().unzip();
        Ok(BlockWork {
            longest_warps,
            all_warps,
        })
    }

    /// Returns the work of blocks in which every warp executes the same amount.
    pub fn of_even_blocks(each: Vec<f64>) -> BlockWork {
        BlockWork {
            longest_warps: each.clone(),
            all_warps: each,
        }
    }

    /// The warp instructions of the busiest warp of each block.
    pub fn longest_warps(&self) -> &[f64] {
        &self.longest_warps
    }

    /// The warp instructions of all warps of a block.
    pub fn of_block(&self, block: u32) -> f64 {
        self.all_warps[block as usize]
    }

    /// The mean of the blocks' warp instructions.
    pub fn mean(&self) -> f64 {
        self.all_warps.iter().sum::<f64>() / self.all_warps.len() as f64
    }

    /// Returns the mean work of all blocks over the mean work of the sampled ones.
    pub fn all_over(&self, sampled: &[u32]) -> f64 {
        let own = sampled.iter().map(|&block| self.of_block(block));
        self.mean() * sampled.len() as f64 / own.sum::<f64>()
    }
}
