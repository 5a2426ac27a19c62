//! Single events of the simulator, for observers outside its components.
//!
//! Leaves out: counting (`launch::counters`). Units: cycles, bytes.

use super::code::MemoryRequest;

pub use crate::launch::cause::Cause;
pub use crate::launch::counters::Counters;

/// Scheduler and slot of a resident warp.
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
    /// Whether it took the second slot of a dual issue.
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

/// Receiver of the simulator's events, in their order. Every method does nothing by default; `()` observes nothing and costs
/// nothing. Every other observer is called through `&mut dyn Observer`, so the simulator is compiled for these two only.
pub trait Observer {
    /// Whether events are observed; false for observers that ignore them all.
    #[inline]
    fn watches(&self) -> bool {
        true
    }
    /// Reports that warp `warp` of the `block`-th block started is resident.
    #[inline]
    fn started(&mut self, _slot: WarpSlot, _block: u32, _warp: u32, _cycle: u64) {}
    #[inline]
    fn issued(&mut self, _issued: Issued) {}
    /// Reports that the load/store unit took the instruction issued last, whose result is available at `ready_at`.
    #[inline]
    fn served(&mut self, _slot: WarpSlot, _ready_at: u64, _cause: Cause) {}
    /// Reports an L1 look-up of a part of the instruction issued last.
    #[inline]
    fn l1_accessed(&mut self, _access: L1Access) {}
    /// Reports that the line looked up last was missing, and is filled at `ready_at`.
    #[inline]
    fn l1_filled(&mut self, _ready_at: u64) {}
    /// Reports that the warp cannot issue before `until`.
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
