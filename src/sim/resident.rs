//! Resident block: its running warps, and the sampling units that they execute in turn.
//!
//! Models: the warps of a block go through the same sampling units, each at its own pace. If a sampling unit is a new block,
//! the first warp to reach it waits for the last.
//! Leaves out: when a sampling unit ends (`warp`).
//! Units: sampling units.

use super::dispatch::{BlockQueue, BlockStart};

/// State of one resident block.
#[derive(Debug, Clone, Default)]
pub struct Resident {
    pub warps_left: u32,
    /// Warps that wait at a barrier, and the cycle by which the last of them is counted.
    pub arrived: u32,
    pub counted_at: u64,
    /// Sampling units since the block began.
    units: Vec<BlockStart>,
    /// First sampling unit of the next block, if a warp has reached it already.
    next_block: Option<BlockStart>,
}

impl Resident {
    /// Starts a new block and returns its first sampling unit; `None` when the queue is empty.
    pub fn begin(&mut self, queue: &mut BlockQueue) -> Option<BlockStart> {
        let before = self.units.last();
        let pop = || match before {
            Some(before) => queue.pop_after(before),
            None => queue.pop(),
        };
        let start = self.next_block.take().or_else(pop)?;
        self.units.clear();
        self.units.push(start);
        Some(start)
    }

    /// Next sampling unit of a warp that has completed `n_units`; `None` when the block is at its end.
    pub fn go_on(&mut self, n_units: usize, queue: &mut BlockQueue) -> Option<BlockStart> {
        if n_units < self.units.len() {
            return Some(self.units[n_units]);
        }
        if self.next_block.is_some() || !queue.is_sampled() {
            return None;
        }
        let unit = queue.pop_after(self.units.last()?)?;
        if unit.run_prologue {
            self.next_block = Some(unit);
            return None;
        }
        self.units.push(unit);
        Some(unit)
    }
}
