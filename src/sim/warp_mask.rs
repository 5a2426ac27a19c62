//! The warp slots of a multiprocessor, and sets of them as one bit each.
//!
//! Sources: the largest multiprocessors there are: 64 warps, four schedulers.

/// Largest number of schedulers of one multiprocessor.
pub use super::spec::MAX_SCHEDULERS;
/// Largest number of warps of one multiprocessor.
pub use super::spec::MAX_WARPS;

/// Warps, or slots of one scheduler, one bit each.
pub type WarpMask = u64;

/// Division of the slots among the schedulers: equal, contiguous ranges. `EVEN_SLOTS` tells the compiler that each has a
/// quarter (`are_quarters`), which makes the issue path a tenth faster.
#[derive(Debug, Clone, Copy)]
pub struct Slots<const EVEN_SLOTS: bool> {
    log2: u32,
}

/// Whether every scheduler has a quarter of the slots: wherever there are three or four.
pub fn are_quarters(n_schedulers: usize) -> bool {
    n_schedulers.next_power_of_two() == 4
}

/// An expression for a number of schedulers, with the constant named as the parameter `EVEN_SLOTS` that the number makes.
macro_rules! with_quarters {
    ($n_schedulers:expr, $quarters:ident => $result:expr) => {
        match $crate::sim::warp_mask::are_quarters($n_schedulers) {
            true => {
                const $quarters: bool = true;
                $result
            }
            false => {
                const $quarters: bool = false;
                $result
            }
        }
    };
}

pub(super) use with_quarters;

impl<const EVEN_SLOTS: bool> Slots<EVEN_SLOTS> {
    pub fn new(n_schedulers: usize) -> Self {
        assert!(are_quarters(n_schedulers) || !EVEN_SLOTS);
        Slots {
            log2: (MAX_WARPS / n_schedulers.next_power_of_two()).ilog2(),
        }
    }

    #[inline]
    fn log2(self) -> u32 {
        const QUARTER: u32 = (MAX_WARPS / 4).ilog2();
        if EVEN_SLOTS { QUARTER } else { self.log2 }
    }

    /// Slots of one scheduler.
    #[inline]
    pub fn per_scheduler(self) -> usize {
        1 << self.log2()
    }

    /// The index of the warp in slot `slot` of a scheduler.
    #[inline]
    pub fn warp(self, scheduler: usize, slot: usize) -> usize {
        ((scheduler << self.log2()) + slot) % MAX_WARPS
    }

    /// The slots of one scheduler in a mask of warps.
    #[inline]
    pub fn of(self, warps: WarpMask, scheduler: usize) -> WarpMask {
        (warps >> self.warp(scheduler, 0)) & (WarpMask::MAX >> (MAX_WARPS - self.per_scheduler()))
    }

    /// Slots of one scheduler as a mask of warps.
    #[inline]
    pub fn warps(self, scheduler: usize, slots: WarpMask) -> WarpMask {
        slots << self.warp(scheduler, 0)
    }

    /// The mask in which scheduler `first` comes first.
    #[inline]
    pub fn from(self, warps: WarpMask, first: usize) -> WarpMask {
        warps.rotate_right(self.warp(first, 0) as u32)
    }

    /// Returns the distance in schedulers from the first one to that of a mask's first warp; the mask must not be empty.
    #[inline]
    pub fn distance(self, warps: WarpMask) -> usize {
        warps.trailing_zeros() as usize >> self.log2()
    }

    /// The scheduler at a distance from another one.
    #[inline]
    pub fn scheduler(self, first: usize, distance: usize) -> usize {
        (first + distance) & ((MAX_WARPS >> self.log2()) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheduler_has_the_same_share() {
        for (n_schedulers, expected) in [(1, 64), (2, 32), (3, 16), (4, 16)] {
            let slots = Slots::<false>::new(n_schedulers);
            assert_eq!(slots.per_scheduler(), expected);
            for scheduler in 0..n_schedulers {
                let last = expected - 1;
                let warps = slots.warps(scheduler, 1 << last);
                assert_eq!(warps, 1 << slots.warp(scheduler, last));
                assert_eq!(slots.of(warps, scheduler), 1 << last);
                assert_eq!(slots.distance(slots.from(warps, scheduler)), 0);
            }
        }
    }
}
