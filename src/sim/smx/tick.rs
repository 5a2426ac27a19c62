//! The tick: issue by every scheduler in one cycle, and selection of the next cycle.
//!
//! Cycles in which nothing can issue are skipped. That is exact: between two instructions nothing changes but the time,
//! and the cycle in which each warp can next issue is known (`waits`).

use super::Smx;
use crate::sim::observe::{Cause, Observer, WarpSlot};
use crate::sim::scheduler::Scheduler;
use crate::sim::spec::Arbitration;
use crate::sim::warp_mask::{MAX_SCHEDULERS, WarpMask};

impl<O: Observer, const EVEN_SLOTS: bool> Smx<'_, O, EVEN_SLOTS> {
    /// Simulates one cycle in which a warp can issue, every scheduler in turn, and advances to the next such cycle. Returns false
    /// when there is none.
    #[inline(always)]
    pub(super) fn tick(&mut self) -> bool {
        let now = self.now;
        let woken = self.waits.wake(now, self.memory.accepts_at());
        let mut next = u64::MAX;
        let first = self.first_scheduler();
        let slots = self.slots;
        let mut left = slots.from(self.waits.ready(), first);
        while left != 0 {
            let distance = slots.distance(left);
            left &= !slots.warps(distance, slots.of(left, distance));
            let s = slots.scheduler(first, distance) % MAX_SCHEDULERS;
            // Where a warp has been ready since the last tick, the cycles not yet charged are all occupied ones.
            let cause = self.waits.cause_of_first(woken, s);
            self.schedulers[s].charge(now, cause, &mut self.account);
            if self.schedulers[s].busy_until() <= now {
                self.schedule(s);
            }
            let again = self.schedulers[s].busy_until().max(now + 1);
            next = next.min(match self.waits.ready_slots(s) {
                0 => u64::MAX,
                _ => again,
            });
        }
        if next > now + 1 {
            next = next.min(self.waits.next_after(now, self.memory.accepts_at()));
        }
        if next == u64::MAX {
            return self.stand_still();
        }
        self.now = next;
        true
    }

    /// Handles the case that no warp will ever issue again: the last block of a finite queue has ended, or the simulation is stuck.
    #[cold]
    fn stand_still(&mut self) -> bool {
        let has_ended = !self.is_occupied();
        self.now += u64::from(has_ended);
        has_ended
    }

    /// The scheduler that the shared units serve first. Where stores press on them without end, a fixed order starves
    /// the last one.
    #[inline]
    fn first_scheduler(&self) -> usize {
        match self.spec.device.load_store.arbitration {
            Arbitration::Rotating => self.now as usize % self.n_schedulers,
            Arbitration::FixedOrder => 0,
        }
    }

    #[inline]
    pub(super) fn scheduler(&mut self, s: usize) -> &mut Scheduler {
        &mut self.schedulers[s % MAX_SCHEDULERS]
    }

    /// Lets scheduler `s` issue from one of its ready warps. Those that ask for the load/store unit while it is closed are
    /// refused without being tried.
    #[inline]
    fn schedule(&mut self, s: usize) {
        let now = self.now;
        let opens_at = self.memory.accepts_at();
        let mut closed_to = 0;
        if opens_at > now {
            closed_to = self.waits.slots_asking_memory(s);
        }
        let mut cause = Cause::Wait;
        let mut ready = self.waits.ready_slots(s);
        if !self.pipes.may_issue(now) {
            // The other schedulers have issued all that a cycle takes.
            cause = Cause::MathPipe;
            ready = 0;
        }
        while ready != 0 {
            let candidates = ready & !closed_to;
            if candidates == 0 {
                self.refuse(s, ready, opens_at);
                cause = Cause::LoadStoreUnit;
                break;
            }
            let i = self.schedulers[s].first(candidates);
            if candidates != ready {
                let refused = ready & self.schedulers[s].before(i);
                self.refuse(s, refused, opens_at);
                ready &= !refused;
            }
            ready &= !(1 << i);
            self.waits.take(self.slots.warp(s, i));
            if self.issue(s, i) {
                let interval = u64::from(self.spec.device.issue.interval_cycles);
                let scheduler = &mut self.schedulers[s];
                scheduler.charge_issue(i, now, &mut self.account);
                if interval > 1 && scheduler.busy_until() < now + interval {
                    scheduler.occupy(now + interval, Cause::Issued);
                }
                return;
            }
            cause = Cause::MathPipe;
        }
        // Every ready warp found its pipe taken, or the cycle had its instructions.
        self.schedulers[s].charge(now + 1, cause, &mut self.account);
    }

    /// Makes warps of scheduler `s` wait for the load/store unit, which opens at `opens_at`.
    #[inline]
    pub(super) fn refuse(&mut self, s: usize, slots: WarpMask, opens_at: u64) {
        if self.observer.watches() {
            for i in self.schedulers[s].in_order(slots) {
                let (slot, cause) = (WarpSlot::new(s, i), Cause::LoadStoreUnit);
                self.observer.held(slot, self.now, opens_at, cause);
            }
        }
        let (times, idle_part) = ((opens_at, self.now), self.schedulers[s].idle_part());
        self.waits
            .refuse(s, slots, times, idle_part, &mut self.account);
    }

    /// Holds warp `i` until cycle `until`.
    #[inline]
    pub(super) fn hold(&mut self, s: usize, i: usize, until: u64, cause: Cause) {
        let until = until.max(self.now + 1);
        self.observer
            .held(WarpSlot::new(s, i), self.now, until, cause);
        self.charge_warp(s, i);
        self.waits
            .hold(self.slots.warp(s, i), until, cause, self.now);
    }

    /// Holds warp `i` until cycle `until`: its load waits for an MSHR until `mshr_until`, and then for `cause`.
    pub(super) fn hold_for_mshr(
        &mut self,
        s: usize,
        i: usize,
        mshr_until: u64,
        until: u64,
        cause: Cause,
    ) {
        let (slot, warp, now) = (WarpSlot::new(s, i), self.slots.warp(s, i), self.now);
        self.observer.held(slot, now, mshr_until, Cause::Mshr);
        self.observer.held(slot, mshr_until, until, cause);
        self.charge_warp(s, i);
        self.waits.hold(warp, until, cause, now);
        self.waits
            .wait_for_mshr(warp, mshr_until - now, until - now);
    }

    /// Charges the wait of warp `i` so far.
    #[inline]
    pub(super) fn charge_warp(&mut self, s: usize, i: usize) {
        let (warp, idle_part) = (self.slots.warp(s, i), self.scheduler(s).idle_part());
        self.waits.charge(warp, idle_part, &mut self.account);
    }
}
