//! The warp slots of a multiprocessor, and sets of them as one bit each.
//!
//! Sources: the largest multiprocessors there are: 64 warps, four schedulers.

/// Warp slots of one scheduler.
pub const SLOTS: usize = 16;
/// Schedulers of one multiprocessor at most.
pub use super::spec::MAX_SCHEDULERS;
/// Warps of one multiprocessor at most.
pub const MAX_WARPS: usize = MAX_SCHEDULERS * SLOTS;

/// Warps, one bit each: slot `i` of scheduler `s` has number `SLOTS * s + i`.
pub type WarpMask = u64;

/// The slots of one scheduler in a mask.
#[inline]
pub fn slots_of(mask: WarpMask, scheduler: usize) -> u16 {
    (mask >> (SLOTS * (scheduler % MAX_SCHEDULERS))) as u16
}

/// Slots of one scheduler as a mask.
#[inline]
pub fn mask_of(scheduler: usize, slots: u16) -> WarpMask {
    WarpMask::from(slots) << (SLOTS * (scheduler % MAX_SCHEDULERS))
}
