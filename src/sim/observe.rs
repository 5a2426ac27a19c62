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
    /// As the L1 sees it: local memory starts at `memory::LOCAL_BASE`.
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

    /// The same of so many program nodes.
    pub fn of_tokens(self, tokens: f64) -> Counters {
        Counters {
            token_credits: (tokens * f64::from(CREDITS_PER_TOKEN)).round() as u64,
            ..self
        }
    }

    /// What was counted here and there together; cycles add up, too.
    pub fn with(&self, other: &Counters) -> Counters {
        self.combined(other, |a, b| a + b)
    }

    /// All counts multiplied.
    pub fn times(&self, factor: f64) -> Counters {
        self.combined(self, |count, _| (count as f64 * factor).round() as u64)
    }

    /// What was counted after `start`.
    pub fn since(&self, start: &Counters) -> Counters {
        self.combined(start, |now, then| now - then)
    }

    fn combined(&self, other: &Counters, of: impl Fn(u64, u64) -> u64) -> Counters {
        let mut stack = self.cpi_stack;
        for (own, other) in stack.iter_mut().zip(other.cpi_stack) {
            *own = of(*own, other);
        }
        Counters {
            cycles: of(self.cycles, other.cycles),
            instructions: of(self.instructions, other.instructions),
            dual_issued: of(self.dual_issued, other.dual_issued),
            token_credits: of(self.token_credits, other.token_credits),
            l1_load_lines: of(self.l1_load_lines, other.l1_load_lines),
            l1_load_hits: of(self.l1_load_hits, other.l1_load_hits),
            l1_store_lines: of(self.l1_store_lines, other.l1_store_lines),
            l1_store_hits: of(self.l1_store_hits, other.l1_store_hits),
            l1_global_lines: of(self.l1_global_lines, other.l1_global_lines),
            l1_global_hits: of(self.l1_global_hits, other.l1_global_hits),
            l2_lines: of(self.l2_lines, other.l2_lines),
            l2_hits: of(self.l2_hits, other.l2_hits),
            l2_read_bytes: of(self.l2_read_bytes, other.l2_read_bytes),
            l2_write_bytes: of(self.l2_write_bytes, other.l2_write_bytes),
            dram_read_bytes: of(self.dram_read_bytes, other.dram_read_bytes),
            dram_write_bytes: of(self.dram_write_bytes, other.dram_write_bytes),
            icache_misses: of(self.icache_misses, other.icache_misses),
            blocks_finished: of(self.blocks_finished, other.blocks_finished),
            cpi_stack: stack,
        }
    }
}
