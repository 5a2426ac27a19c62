//! Timing wheel: the cycles in which warps become ready.
//!
//! Models: for every cycle of the near future, the set of warps that become ready in it. The next such cycle is found in a
//! few instructions, however many warps wait.
//! Leaves out: waits longer than the wheel: such warps come back early, and the caller enters them again.
//! Units: cycles. Sources: Varghese and Lauck, Hashed and hierarchical timing wheels, SOSP 1987.

use super::warp_mask::WarpMask;

/// Cycles on the wheel: most waits are shorter than a DRAM access.
pub const WHEEL: u64 = 1024;
const WORDS: usize = (WHEEL / 64) as usize;

/// Warps by the cycle in which they become ready, up to [`WHEEL`] cycles ahead.
#[derive(Debug, Clone)]
pub struct TimingWheel {
    slots: Box<[WarpMask; WHEEL as usize]>,
    occupied: [u64; WORDS],
}

impl TimingWheel {
    /// A timing wheel without entries.
    pub fn new() -> Self {
        TimingWheel {
            slots: Box::new([0; WHEEL as usize]),
            occupied: [0; WORDS],
        }
    }

    /// Enters a warp for cycle `at`, which must be after `now`. Beyond the wheel it is entered for the wheel's last cycle,
    /// and true is returned.
    #[inline]
    pub fn enter(&mut self, warp: usize, at: u64, now: u64) -> bool {
        debug_assert!(at > now);
        let last = now + WHEEL - 1;
        let slot = (at.min(last) % WHEEL) as usize;
        self.slots[slot] |= 1 << warp;
        self.occupied[slot / 64] |= 1 << (slot % 64);
        at > last
    }

    /// Takes the warps that become ready at `now`.
    #[inline]
    pub fn take(&mut self, now: u64) -> WarpMask {
        let slot = (now % WHEEL) as usize;
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        std::mem::take(&mut self.slots[slot])
    }

    /// The first cycle after `now` that has an entry.
    #[inline]
    pub fn next_after(&self, now: u64) -> Option<u64> {
        let start = ((now + 1) % WHEEL) as usize;
        let (word, bit) = (start / 64, start % 64);
        let head = self.occupied[word] >> bit;
        if head != 0 {
            return Some(now + 1 + u64::from(head.trailing_zeros()));
        }
        let mut distance = 64 - bit as u64;
        for i in 1..=WORDS {
            let bits = self.occupied[(word + i) % WORDS];
            if bits != 0 {
                return Some(now + 1 + distance + u64::from(bits.trailing_zeros()));
            }
            distance += 64;
        }
        None
    }
}

impl Default for TimingWheel {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_in_order_across_the_wrap() {
        let mut timing_wheel = TimingWheel::new();
        let now = 3 * WHEEL - 5;
        timing_wheel.enter(19, now + 9, now);
        timing_wheel.enter(2, now + 4, now);
        timing_wheel.enter(63, now + 4, now);
        assert_eq!(timing_wheel.next_after(now), Some(now + 4));
        assert_eq!(timing_wheel.take(now + 4), 1 << 2 | 1 << 63);
        assert_eq!(timing_wheel.next_after(now + 4), Some(now + 9));
        assert_eq!(timing_wheel.take(now + 9), 1 << 19);
        assert_eq!(timing_wheel.next_after(now + 9), None);
    }

    #[test]
    fn an_entry_beyond_the_wheel_comes_back_at_its_end() {
        let mut timing_wheel = TimingWheel::new();
        assert!(timing_wheel.enter(0, 10 * WHEEL, 0));
        assert_eq!(timing_wheel.next_after(0), Some(WHEEL - 1));
    }
}
