//! Single events of the simulator, for observers outside its components.
//!
//! Leaves out: counting (`launch::counters`). Units: cycles, bytes.

use super::code::MemoryRequest;

pub use crate::launch::cause::Cause;
pub use crate::launch::counters::Counters;

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
    /// Cycle of the load/store unit's look-up.
    pub cycle: u64,
    /// Address in the L1, where local memory starts at `memory::LOCAL_BASE`.
    pub address: u32,
    /// Bytes of the line that are requested, from `address` on.
    pub bytes: u16,
    pub request: MemoryRequest,
}

/// Is told what happens, in the order in which it happens. Every method does nothing unless it is written; `()`
/// observes nothing and costs nothing. Every other observer is called through `&mut dyn Observer`, so that the simulator is compiled
/// for these two and no more.
pub trait Observer {
    /// False for what observes nothing.
    #[inline]
    fn watches(&self) -> bool {
        true
    }
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
    #[inline]
    fn watches(&self) -> bool {
        false
    }
}

impl Observer for &mut dyn Observer {
    fn watches(&self) -> bool {
        (**self).watches()
    }
    fn started(&mut self, slot: WarpSlot, block: u32, warp: u32, cycle: u64) {
        (**self).started(slot, block, warp, cycle);
    }
    fn issued(&mut self, issued: Issued) {
        (**self).issued(issued);
    }
    fn served(&mut self, slot: WarpSlot, ready_at: u64, cause: Cause) {
        (**self).served(slot, ready_at, cause);
    }
    fn l1_accessed(&mut self, access: L1Access) {
        (**self).l1_accessed(access);
    }
    fn l1_filled(&mut self, ready_at: u64) {
        (**self).l1_filled(ready_at);
    }
    fn held(&mut self, slot: WarpSlot, cycle: u64, until: u64, cause: Cause) {
        (**self).held(slot, cycle, until, cause);
    }
    fn exited(&mut self, slot: WarpSlot, cycle: u64) {
        (**self).exited(slot, cycle);
    }
}
