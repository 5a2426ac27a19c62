//! Which warps can issue, and what the others wait for.
//!
//! What it does: keeps the warps of a multiprocessor as masks, one bit each, so that waking all that a cycle wakes is one
//! operation, however many warps they are. Most warps wait in the timing wheel. Those that the load/store unit refuses are set
//! aside together: between two instructions that the unit takes, the cycle from which it takes the next one does not move,
//! so all of them wait for the same cycle, and none need be tried before it.
//! What it leaves out: why a warp waits so long (`smx`), which ready warp issues (`scheduler`).
//! Units: cycles.

use super::observe::Cause;
use super::timing_wheel::{TimingWheel, WHEEL};
use super::warp_mask::{MAX_WARPS, Slots, WarpMask};

/// See the module text.
#[derive(Debug, Clone)]
pub struct Waits<const EVEN_SLOTS: bool> {
    slots: Slots<EVEN_SLOTS>,
    timing_wheel: TimingWheel,
    /// Can issue now.
    ready: WarpMask,
    /// The next instruction is the load/store unit's.
    ask_memory: WarpMask,
    /// Wait until the load/store unit takes another instruction.
    refused: WarpMask,
    /// Wait for longer than the timing wheel reaches.
    far: WarpMask,
    /// When a warp in the timing wheel can really issue, and what it waits for.
    ready_at: [u64; MAX_WARPS],
    cause: [Cause; MAX_WARPS],
}

/// Warps that became ready in one cycle.
#[derive(Debug, Clone, Copy)]
pub struct Woken {
    /// All of them.
    pub warps: WarpMask,
    /// Those that the load/store unit had refused.
    opened: WarpMask,
}

impl<const EVEN_SLOTS: bool> Waits<EVEN_SLOTS> {
    /// No warps.
    pub fn new(slots: Slots<EVEN_SLOTS>) -> Self {
        Waits {
            slots,
            timing_wheel: TimingWheel::new(),
            ready: 0,
            ask_memory: 0,
            refused: 0,
            far: 0,
            ready_at: [0; MAX_WARPS],
            cause: [Cause::NoWarp; MAX_WARPS],
        }
    }

    /// The warps that can issue now.
    #[inline]
    pub fn ready(&self) -> WarpMask {
        self.ready
    }

    /// The ready warps of one scheduler.
    #[inline]
    pub fn ready_slots(&self, scheduler: usize) -> WarpMask {
        self.slots.of(self.ready, scheduler)
    }

    /// The warps of one scheduler whose next instruction is the load/store unit's.
    #[inline]
    pub fn slots_asking_memory(&self, scheduler: usize) -> WarpMask {
        self.slots.of(self.ask_memory, scheduler)
    }

    /// Says whether the next instruction of a warp is the load/store unit's.
    #[inline]
    pub fn ask_memory(&mut self, warp: usize, asks: bool) {
        let others = self.ask_memory & !(1 << (warp % MAX_WARPS));
        self.ask_memory = others | WarpMask::from(asks) << (warp % MAX_WARPS);
    }

    /// A ready warp is about to issue, or to be held.
    #[inline]
    pub fn take(&mut self, warp: usize) {
        self.ready &= !(1 << (warp % MAX_WARPS));
    }

    /// A warp that is not ready cannot issue before `until`, which is after `now`.
    #[inline]
    pub fn hold(&mut self, warp: usize, until: u64, cause: Cause, now: u64) {
        let warp = warp % MAX_WARPS;
        self.ready_at[warp] = until;
        self.cause[warp] = cause;
        let is_far = self.timing_wheel.enter(warp, until, now);
        self.far |= WarpMask::from(is_far) << warp;
    }

    /// The load/store unit, which opens at `opens_at`, refuses warps of one scheduler.
    #[inline]
    pub fn refuse(&mut self, scheduler: usize, slots: WarpMask, opens_at: u64, now: u64) {
        let warps = self.slots.warps(scheduler, slots);
        self.ready &= !warps;
        if opens_at - now < WHEEL {
            self.refused |= warps;
        } else {
            self.hold_all(warps, opens_at, now);
        }
    }

    #[cold]
    fn hold_all(&mut self, mut warps: WarpMask, until: u64, now: u64) {
        while warps != 0 {
            let warp = warps.trailing_zeros() as usize;
            warps &= warps - 1;
            self.hold(warp, until, Cause::LoadStoreUnit, now);
        }
    }

    /// Marks as ready the warps whose time has come. The load/store unit opens at `opens_at`.
    #[inline]
    pub fn wake(&mut self, now: u64, opens_at: u64) -> Woken {
        let mut warps = self.timing_wheel.take(now);
        if warps & self.far != 0 {
            warps = self.wait_on(warps, now);
        }
        let opened = if opens_at <= now { self.refused } else { 0 };
        self.refused ^= opened;
        warps |= opened;
        self.ready |= warps;
        Woken { warps, opened }
    }

    /// Of warps that the timing wheel gave back, those that need not wait on.
    #[cold]
    fn wait_on(&mut self, mut warps: WarpMask, now: u64) -> WarpMask {
        let mut early = warps & self.far;
        self.far &= !early;
        while early != 0 {
            let warp = early.trailing_zeros() as usize;
            early &= early - 1;
            if self.ready_at[warp] > now {
                warps &= !(1 << warp);
                self.hold(warp, self.ready_at[warp], self.cause[warp], now);
            }
        }
        warps
    }

    /// The first cycle after `now` in which a warp becomes ready, or the timing wheel's reach ends.
    #[inline]
    pub fn next_after(&self, now: u64, opens_at: u64) -> u64 {
        let called = self.timing_wheel.next_after(now).unwrap_or(u64::MAX);
        if self.refused != 0 {
            called.min(opens_at)
        } else {
            called
        }
    }

    /// What the first of the woken warps of one scheduler waited for; where there is none, any cause.
    #[inline]
    pub fn cause_of_first(&self, woken: Woken, scheduler: usize) -> Cause {
        let slot = self.slots.of(woken.warps, scheduler).trailing_zeros() as usize;
        let warp = self.slots.warp(scheduler, slot);
        if woken.opened >> warp & 1 == 1 {
            Cause::LoadStoreUnit
        } else {
            self.cause[warp]
        }
    }

    /// What the warp nearest to issuing waits for, of the given ones, none of which is ready.
    pub fn nearest_cause(&self, scheduler: usize, slots: WarpMask, opens_at: u64) -> Cause {
        let wait = |slot: usize| {
            let warp = self.slots.warp(scheduler, slot);
            match self.refused >> warp & 1 {
                1 => (opens_at, Cause::LoadStoreUnit),
                _ => (self.ready_at[warp], self.cause[warp]),
            }
        };
        (0..self.slots.per_scheduler())
            .filter(|slot| slots >> slot & 1 == 1)
            .map(wait)
            .min_by_key(|wait| wait.0)
            .map_or(Cause::NoWarp, |wait| wait.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_warps_wake_when_the_unit_opens() {
        let mut waits = Waits::new(Slots::<true>::new(4));
        waits.hold(17, 5, Cause::Wait, 0);
        assert_eq!(waits.next_after(0, 40), 5);
        assert_eq!(waits.wake(5, 40).warps, 1 << 17);
        waits.refuse(1, 0b10, 40, 5);
        assert_eq!((waits.ready(), waits.next_after(5, 40)), (0, 40));
        let woken = waits.wake(40, 40);
        assert_eq!((woken.warps, waits.ready()), (1 << 17, 1 << 17));
        assert_eq!(waits.cause_of_first(woken, 1), Cause::LoadStoreUnit);
    }

    #[test]
    fn a_wait_beyond_the_calendar_goes_on() {
        let mut waits = Waits::new(Slots::<true>::new(4));
        waits.hold(3, WHEEL + 100, Cause::Global, 0);
        waits.hold(4, WHEEL - 1, Cause::Wait, 0);
        assert_eq!(waits.wake(WHEEL - 1, 0).warps, 1 << 4);
        assert_eq!(waits.next_after(WHEEL - 1, 0), WHEEL + 100);
        assert_eq!(waits.wake(WHEEL + 100, 0).warps, 1 << 3);
    }

    #[test]
    fn a_unit_that_opens_beyond_the_calendar_is_waited_for_there() {
        let mut waits = Waits::new(Slots::<true>::new(4));
        let opens_at = 2 * WHEEL;
        waits.refuse(0, 1, opens_at, 0);
        assert_eq!(waits.nearest_cause(0, 1, opens_at), Cause::LoadStoreUnit);
        assert_eq!(waits.wake(WHEEL - 1, opens_at).warps, 0);
        assert_eq!(waits.wake(2 * WHEEL - 2, opens_at).warps, 0);
        assert_eq!(waits.wake(opens_at, opens_at).warps, 1);
    }
}
