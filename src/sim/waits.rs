//! Warps that can issue, and the causes of the others' waits.
//!
//! Models: the warps of a multiprocessor are masks, one bit each, so waking all warps of a cycle is one operation. Most warps
//! wait in the timing wheel. Warps that the load/store unit refuses are kept in one mask: the cycle in which the unit opens
//! changes only when it takes an instruction, so all of them wait for the same cycle and none is tried earlier.
//! Leaves out: the lengths of waits (`smx`), which ready warp issues (`scheduler`).
//! Units: cycles.

use super::account::Account;
use super::observe::Cause;
use super::timing_wheel::{TimingWheel, WHEEL};
use super::warp_mask::{MAX_WARPS, Slots, WarpMask};

/// Wait state of all warps of a multiprocessor.
#[derive(Debug, Clone)]
pub struct Waits<const EVEN_SLOTS: bool> {
    slots: Slots<EVEN_SLOTS>,
    timing_wheel: TimingWheel,
    /// Warps that can issue now.
    ready: WarpMask,
    /// Warps whose next instruction is the load/store unit's.
    ask_memory: WarpMask,
    /// Warps that wait until the load/store unit takes another instruction.
    refused: WarpMask,
    /// Warps whose waits exceed the timing wheel.
    far: WarpMask,
    /// Cycle in which a warp in the timing wheel can issue, also beyond the wheel.
    ready_at: [u64; MAX_WARPS],
    /// Cause of a warp's wait, or of its last wait if it is ready.
    cause: [Cause; MAX_WARPS],
    /// For a warp whose load waits for an MSHR first (`Cause::Mshr`): the level that serves the load, and the MSHR's part of the
    /// wait in `MSHR_WHOLE`ths.
    served_by: [Cause; MAX_WARPS],
    mshr_part: [u32; MAX_WARPS],
    /// Warps that were refused and have not waited for anything else since.
    at_unit: WarpMask,
    /// Value of the scheduler's idle sum up to which a warp has been charged.
    taken: [u64; MAX_WARPS],
}

/// Units that a wait is divided into, to split off the part for an MSHR.
const MSHR_WHOLE: u64 = 1 << 12;

impl<const EVEN_SLOTS: bool> Waits<EVEN_SLOTS> {
    /// Returns the waits of a multiprocessor without warps.
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
            served_by: [Cause::NoWarp; MAX_WARPS],
            mshr_part: [0; MAX_WARPS],
            at_unit: 0,
            taken: [0; MAX_WARPS],
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

    /// Sets whether the next instruction of a warp is the load/store unit's.
    #[inline]
    pub fn ask_memory(&mut self, warp: usize, asks: bool) {
        let others = self.ask_memory & !(1 << (warp % MAX_WARPS));
        self.ask_memory = others | WarpMask::from(asks) << (warp % MAX_WARPS);
    }

    /// Removes a warp that is about to issue, or to be held, from the ready warps.
    #[inline]
    pub fn take(&mut self, warp: usize) {
        self.ready &= !(1 << (warp % MAX_WARPS));
    }

    /// Makes a warp resident; it is charged nothing of its scheduler's idle sum up to `idle_part`.
    pub fn admit(&mut self, warp: usize, idle_part: u64) {
        self.taken[warp % MAX_WARPS] = idle_part;
    }

    /// Charges a warp's part of its scheduler's idle cycles, whose sum has grown to `idle_part`, to the cause of its wait.
    #[inline]
    pub fn charge(&mut self, warp: usize, idle_part: u64, account: &mut Account) {
        let warp = warp % MAX_WARPS;
        let mut part = idle_part - self.taken[warp];
        self.taken[warp] = idle_part;
        let cause = self.cause[warp];
        if cause == Cause::Mshr {
            let after = part * (MSHR_WHOLE - u64::from(self.mshr_part[warp])) / MSHR_WHOLE;
            account.parts[self.served_by[warp] as usize] += after;
            part -= after;
        }
        account.parts[cause as usize] += part;
    }

    /// Charges the first `first` of the `cycles` for which a warp has just been held to waiting for an MSHR. The idle cycles of its
    /// scheduler among them are split in the same ratio.
    pub fn wait_for_mshr(&mut self, warp: usize, first: u64, cycles: u64) {
        let warp = warp % MAX_WARPS;
        self.served_by[warp] = std::mem::replace(&mut self.cause[warp], Cause::Mshr);
        self.mshr_part[warp] = (first.min(cycles) * MSHR_WHOLE / cycles) as u32;
    }

    /// Holds a warp until cycle `until`, which is after `now`. The warp must not be ready, and its last wait must be charged.
    #[inline]
    pub fn hold(&mut self, warp: usize, until: u64, cause: Cause, now: u64) {
        let warp = warp % MAX_WARPS;
        self.cause[warp] = cause;
        self.enter(warp, until, now);
    }

    /// Holds a warp until [`Waits::hold`] says when it wakes. Its last wait must be charged.
    pub fn park(&mut self, warp: usize, cause: Cause) {
        let warp = warp % MAX_WARPS;
        self.cause[warp] = cause;
        self.ready_at[warp] = u64::MAX;
    }

    #[inline]
    fn enter(&mut self, warp: usize, until: u64, now: u64) {
        self.ready_at[warp] = until;
        let is_far = self.timing_wheel.enter(warp, until, now);
        self.far |= WarpMask::from(is_far) << warp;
    }

    /// Makes warps of one scheduler wait for the load/store unit, which opens at `opens_at`.
    #[inline]
    pub fn refuse(
        &mut self,
        scheduler: usize,
        slots: WarpMask,
        (opens_at, now): (u64, u64),
        idle_part: u64,
        account: &mut Account,
    ) {
        let warps = self.slots.warps(scheduler, slots);
        self.ready &= !warps;
        let mut others = warps & !self.at_unit;
        self.at_unit |= warps;
        while others != 0 {
            let warp = others.trailing_zeros() as usize;
            others &= others - 1;
            self.charge(warp, idle_part, account);
            self.cause[warp] = Cause::LoadStoreUnit;
        }
        if opens_at - now < WHEEL {
            self.refused |= warps;
        } else {
            self.enter_all(warps, opens_at, now);
        }
    }

    #[cold]
    fn enter_all(&mut self, mut warps: WarpMask, until: u64, now: u64) {
        while warps != 0 {
            let warp = warps.trailing_zeros() as usize;
            warps &= warps - 1;
            self.enter(warp, until, now);
        }
    }

    /// Marks as ready the warps whose waits end at `now`, and returns them. The load/store unit opens at `opens_at`.
    #[inline]
    pub fn wake(&mut self, now: u64, opens_at: u64) -> WarpMask {
        let mut warps = self.timing_wheel.take(now);
        if warps & self.far != 0 {
            warps = self.wait_on(warps, now);
        }
        let opened = if opens_at <= now { self.refused } else { 0 };
        self.refused ^= opened;
        self.at_unit &= !warps;
        warps |= opened;
        self.ready |= warps;
        warps
    }

    /// Re-enters warps that left the timing wheel early, and returns the others.
    #[cold]
    fn wait_on(&mut self, mut warps: WarpMask, now: u64) -> WarpMask {
        let mut early = warps & self.far;
        self.far &= !early;
        while early != 0 {
            let warp = early.trailing_zeros() as usize;
            early &= early - 1;
            if self.ready_at[warp] > now {
                warps &= !(1 << warp);
                self.enter(warp, self.ready_at[warp], now);
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

    /// Cause of the first woken warp of one scheduler; an arbitrary cause if none was woken.
    #[inline]
    pub fn cause_of_first(&self, woken: WarpMask, scheduler: usize) -> Cause {
        let slot = self.slots.of(woken, scheduler).trailing_zeros() as usize;
        self.sole_cause(self.slots.warp(scheduler, slot))
    }

    /// Cause of a warp's wait; for a wait that begins at an MSHR, the level that serves the load.
    #[inline]
    fn sole_cause(&self, warp: usize) -> Cause {
        match self.cause[warp] {
            Cause::Mshr => self.served_by[warp],
            cause => cause,
        }
    }

    /// Cause of the warp nearest to issuing among the given ones, none of which is ready.
    pub fn nearest_cause(&self, scheduler: usize, slots: WarpMask, opens_at: u64) -> Cause {
        let wait = |slot: usize| {
            let warp = self.slots.warp(scheduler, slot);
            let until = match self.refused >> warp & 1 {
                1 => opens_at,
                _ => self.ready_at[warp],
            };
            (until, self.sole_cause(warp))
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
        let mut account = Account::default();
        waits.hold(17, 5, Cause::Wait, 0);
        assert_eq!(waits.next_after(0, 40), 5);
        assert_eq!(waits.wake(5, 40), 1 << 17);
        waits.refuse(1, 0b10, (40, 5), 0, &mut account);
        assert_eq!((waits.ready(), waits.next_after(5, 40)), (0, 40));
        let woken = waits.wake(40, 40);
        assert_eq!((woken, waits.ready()), (1 << 17, 1 << 17));
        assert_eq!(waits.cause_of_first(woken, 1), Cause::LoadStoreUnit);
    }

    /// A refused warp waits for the unit from the first refusal on, however often it is refused.
    #[test]
    fn a_refused_warp_waits_for_the_unit_until_it_is_held_for_something_else() {
        let mut waits = Waits::new(Slots::<true>::new(4));
        let mut account = Account::default();
        waits.admit(0, 5);
        waits.hold(0, 10, Cause::Wait, 0);
        waits.refuse(0, 1, (20, 10), 8, &mut account);
        waits.refuse(0, 1, (30, 20), 12, &mut account);
        waits.charge(0, 19, &mut account);
        waits.hold(0, 40, Cause::L2, 30);
        waits.charge(0, 30, &mut account);
        let parts = [Cause::Wait, Cause::LoadStoreUnit, Cause::L2];
        assert_eq!(
            parts.map(|cause| account.parts[cause as usize]),
            [3, 11, 11]
        );
    }

    #[test]
    fn a_wait_that_begins_with_one_for_an_mshr_is_charged_to_both() {
        let mut waits = Waits::new(Slots::<true>::new(4));
        let mut account = Account::default();
        waits.hold(0, 100, Cause::Dram, 0);
        waits.wait_for_mshr(0, 25, 100);
        waits.charge(0, 40, &mut account);
        waits.charge(0, 80, &mut account);
        waits.hold(0, 120, Cause::Dram, 100);
        waits.charge(0, 90, &mut account);
        let parts = [Cause::Mshr, Cause::Dram, Cause::L2];
        assert_eq!(
            parts.map(|cause| account.parts[cause as usize]),
            [20, 70, 0]
        );
    }

    #[test]
    fn a_wait_beyond_the_calendar_goes_on() {
        let mut waits = Waits::new(Slots::<true>::new(4));
        waits.hold(3, WHEEL + 100, Cause::Global, 0);
        waits.hold(4, WHEEL - 1, Cause::Wait, 0);
        assert_eq!(waits.wake(WHEEL - 1, 0), 1 << 4);
        assert_eq!(waits.next_after(WHEEL - 1, 0), WHEEL + 100);
        assert_eq!(waits.wake(WHEEL + 100, 0), 1 << 3);
    }

    #[test]
    fn a_unit_that_opens_beyond_the_calendar_is_waited_for_there() {
        let mut waits = Waits::new(Slots::<true>::new(4));
        let opens_at = 2 * WHEEL;
        waits.refuse(0, 1, (opens_at, 0), 0, &mut Account::default());
        assert_eq!(waits.nearest_cause(0, 1, opens_at), Cause::LoadStoreUnit);
        assert_eq!(waits.wake(WHEEL - 1, opens_at), 0);
        assert_eq!(waits.wake(2 * WHEEL - 2, opens_at), 0);
        assert_eq!(waits.wake(opens_at, opens_at), 1);
    }
}
