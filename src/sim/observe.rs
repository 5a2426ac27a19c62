//! What the simulator counts.
//!
//! What it does: counters of issue and memory events, and the CPI stack: every cycle of every scheduler
//! belongs to exactly one [`Cause`], so the stack sums to `schedulers x cycles`.
//! What it leaves out: overlapping causes. A cycle in which no warp can issue is charged to what the
//! warp nearest to issuing waits for.
//! Units: cycles, warp instructions, bytes.
//! Sources: cause names follow Nsight Compute's warp states; the mapping is in [`Cause::nsight_name`].

use serde::Serialize;

use super::code::MemoryRequest;
use super::warp::CREDITS_PER_TOKEN;

pub use crate::launch::cause::Cause;

/// Where a resident warp lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WarpSlot {
    pub scheduler: u16,
    pub index: u16,
}

impl WarpSlot {
    #[inline]
    pub fn new(scheduler: usize, index: usize) -> Self {
        WarpSlot {
            scheduler: scheduler as u16,
            index: index as u16,
        }
    }
}

/// One issued warp instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Issued {
    pub slot: WarpSlot,
    /// Index into `ReplayCode::ops`.
    pub op: u32,
    pub cycle: u64,
    /// In the second slot of a dual issue.
    pub second: bool,
}

/// One line looked up in the L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct L1Access {
    /// When the load/store unit looked it up.
    pub cycle: u64,
    /// As the L1 sees it: local memory starts at 0.
    pub address: u32,
    /// What of the line is asked for, from `address` on.
    pub bytes: u16,
    pub request: MemoryRequest,
}

/// Is told what happens, in the order in which it happens. Every method does nothing unless it is written; `()`
/// observes nothing and costs nothing.
pub trait Observer {
    /// False for what observes nothing.
    const WATCHES: bool = true;
    /// Warp `warp` of the `block`-th block started becomes resident.
    #[inline]
    fn started(&mut self, _slot: WarpSlot, _block: u32, _warp: u32, _cycle: u64) {}
    #[inline]
    fn issued(&mut self, _issued: Issued) {}
    /// The load/store unit took what was issued last; its result is there at `ready_at`.
    #[inline]
    fn served(&mut self, _slot: WarpSlot, _ready_at: u64, _cause: Cause) {}
    /// A part of what was issued last was looked up in the L1.
    #[inline]
    fn l1_accessed(&mut self, _access: L1Access) {}
    /// The line looked up last was not there; it is from `ready_at` on.
    #[inline]
    fn l1_filled(&mut self, _ready_at: u64) {}
    /// The warp cannot issue before `until`.
    #[inline]
    fn held(&mut self, _slot: WarpSlot, _cycle: u64, _until: u64, _cause: Cause) {}
    #[inline]
    fn exited(&mut self, _slot: WarpSlot, _cycle: u64) {}
}

impl Observer for () {
    const WATCHES: bool = false;
}

/// Counters of one simulated window.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Counters {
    pub cycles: u64,
    /// Warp instructions issued (replays not counted).
    pub instructions: u64,
    /// Instructions that issued in the second slot of a dual issue.
    pub dual_issued: u64,
    /// Program nodes that warps evaluated, in fractions of `CREDITS_PER_TOKEN`.
    pub token_credits: u64,
    /// Local-memory lines looked up in the L1, and those that hit.
    pub l1_load_lines: u64,
    pub l1_load_hits: u64,
    pub l1_store_lines: u64,
    pub l1_store_hits: u64,
    /// Global lines looked up in the L1, where it holds them, and those that hit.
    pub l1_global_lines: u64,
    pub l1_global_hits: u64,
    /// L2 look-ups (local fills, write-backs and fitness cases) and hits, in lines.
    pub l2_lines: u64,
    pub l2_hits: u64,
    pub l2_read_bytes: u64,
    pub l2_write_bytes: u64,
    pub dram_read_bytes: u64,
    pub dram_write_bytes: u64,
    pub icache_misses: u64,
    pub blocks_finished: u64,
    /// Scheduler-cycles per cause, indexed by `Cause as usize`.
    pub cpi_stack: [u64; Cause::ALL.len()],
}

impl Counters {
    /// Program nodes that warps evaluated.
    pub fn tokens(&self) -> f64 {
        self.token_credits as f64 / f64::from(CREDITS_PER_TOKEN)
    }

    /// What was counted after `start`.
    pub fn since(&self, start: &Counters) -> Counters {
        let mut stack = self.cpi_stack;
        for (now, then) in stack.iter_mut().zip(start.cpi_stack) {
            *now -= then;
        }
        Counters {
            cycles: self.cycles - start.cycles,
            instructions: self.instructions - start.instructions,
            dual_issued: self.dual_issued - start.dual_issued,
            token_credits: self.token_credits - start.token_credits,
            l1_load_lines: self.l1_load_lines - start.l1_load_lines,
            l1_load_hits: self.l1_load_hits - start.l1_load_hits,
            l1_store_lines: self.l1_store_lines - start.l1_store_lines,
            l1_store_hits: self.l1_store_hits - start.l1_store_hits,
            l1_global_lines: self.l1_global_lines - start.l1_global_lines,
            l1_global_hits: self.l1_global_hits - start.l1_global_hits,
            l2_lines: self.l2_lines - start.l2_lines,
            l2_hits: self.l2_hits - start.l2_hits,
            l2_read_bytes: self.l2_read_bytes - start.l2_read_bytes,
            l2_write_bytes: self.l2_write_bytes - start.l2_write_bytes,
            dram_read_bytes: self.dram_read_bytes - start.dram_read_bytes,
            dram_write_bytes: self.dram_write_bytes - start.dram_write_bytes,
            icache_misses: self.icache_misses - start.icache_misses,
            blocks_finished: self.blocks_finished - start.blocks_finished,
            cpi_stack: stack,
        }
    }
}
