//! How much each block of a grid executes, before any is timed: counted on a few of its repetitions.
//!
//! What it is for: a grid of a few waves ends with the blocks that take longest, and where the lanes of a warp run programs of their own
//! only execution tells which these are.
//! Units: warp instructions. Leaves out: time.

use crate::launch::prediction::PredictError;
use crate::trace::WarpPath;
use crate::util::parallel;

/// See the module text; by block.
#[derive(Debug, Clone, Default)]
pub struct BlockWork {
    longest_warps: Vec<f64>,
    all_warps: Vec<f64>,
}

impl BlockWork {
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

    /// Of blocks whose warps all execute as much.
    pub fn of_even_blocks(each: Vec<f64>) -> BlockWork {
        BlockWork {
            longest_warps: each.clone(),
            all_warps: each,
        }
    }

    /// Of the warp of each block that executes most.
    pub fn longest_warps(&self) -> &[f64] {
        &self.longest_warps
    }

    /// Of all warps of a block.
    pub fn of_block(&self, block: u32) -> f64 {
        self.all_warps[block as usize]
    }

    /// Of all warps of a block, on average.
    pub fn mean(&self) -> f64 {
        self.all_warps.iter().sum::<f64>() / self.all_warps.len() as f64
    }

    /// What a block executes on average, over the average of these.
    pub fn all_over(&self, sampled: &[u32]) -> f64 {
        let own = sampled.iter().map(|&block| self.of_block(block));
        self.mean() * sampled.len() as f64 / own.sum::<f64>()
    }
}
