//! A resident block: its warps that still run, and the sampling units that they make one after another.
//!
//! What it models: the warps of a block go through the same sampling units, each at its own pace; where a sampling unit is a new block,
//! the first warp that gets there waits for the last. What it leaves out: when a sampling unit ends (`warp`).
//! Units: sampling units.

use super::dispatch::{BlockQueue, BlockStart};

/// See the module text.
#[derive(Debug, Clone, Default)]
pub struct Resident {
    pub warps_left: u32,
    /// Sampling units since the block began.
    units: Vec<BlockStart>,
    /// The sampling unit that the next block begins with, when a warp has got there already.
    next_block: Option<BlockStart>,
}

impl Resident {
    /// What a new block begins with; `None` when the queue is empty.
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

    /// What a warp goes on with that has made `n_units`; `None` when the block is at its end.
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
