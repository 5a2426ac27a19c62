//! A resident block: its warps that still run, and the visits that they make one after another.
//!
//! What it models: the warps of a block go through the same visits, each at its own pace; where a visit is a new block,
//! the first warp that gets there waits for the last. What it leaves out: when a visit ends (`warp`).
//! Units: visits.

use super::dispatch::{BlockQueue, BlockStart};

/// See the module text.
#[derive(Debug, Clone, Default)]
pub struct Resident {
    pub warps_left: u32,
    /// Visits since the block began.
    visits: Vec<BlockStart>,
    /// The visit that the next block begins with, when a warp has got there already.
    next_block: Option<BlockStart>,
}

impl Resident {
    /// What a new block begins with; `None` when the queue is empty.
    pub fn begin(&mut self, queue: &mut BlockQueue) -> Option<BlockStart> {
        let before = self.visits.last();
        let pop = || match before {
            Some(before) => queue.pop_after(before),
            None => queue.pop(),
        };
        let start = self.next_block.take().or_else(pop)?;
        self.visits.clear();
        self.visits.push(start);
        Some(start)
    }

    /// What a warp goes on with that has made `n_visits`; `None` when the block is at its end.
    pub fn go_on(&mut self, n_visits: usize, queue: &mut BlockQueue) -> Option<BlockStart> {
        if n_visits < self.visits.len() {
            return Some(self.visits[n_visits]);
        }
        if self.next_block.is_some() || !queue.makes_visits() {
            return None;
        }
        let visit = queue.pop_after(self.visits.last()?)?;
        if visit.run_prologue {
            self.next_block = Some(visit);
            return None;
        }
        self.visits.push(visit);
        Some(visit)
    }
}
