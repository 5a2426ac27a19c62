//! Warp scheduler: the issue order of its warps, and the account of its cycles.
//!
//! Models: the order of the warps (loose round robin, or greedy then oldest), cycles in which replays or a
//! branch occupy the issue slot, the account of every cycle.
//! Leaves out: when a warp may issue (`waits`).
//! Units: core clock cycles. Sources: the device preset for the policy.

use super::account::{Account, WHOLE};
use super::observe::Cause;
use super::spec::{WAIT_UNITS, WarpPolicy};
use super::warp_mask::{MAX_WARPS, WarpMask};

/// State of one warp scheduler.
#[derive(Debug, Clone)]
pub struct Scheduler {
    policy: WarpPolicy,
    /// Slot of the warp that issued last.
    last: u8,
    /// Fractions of issue slots lost and not yet charged.
    lost: u8,
    busy_cause: Cause,
    /// Cycles before this one are accounted for.
    accounted: u64,
    /// Cycle until which replays or a branch occupy the issue slot.
    busy_until: u64,
    /// Slots with older warps, one bit each, by slot.
    older: [WarpMask; MAX_WARPS],
    n_slots: usize,
    /// Slots that hold a warp, one bit each.
    resident: WarpMask,
    resident_since: [u64; MAX_WARPS],
    /// Idle cycles charged to a warp resident since the start, in [`WHOLE`]ths.
    idle_part: u64,
    /// Part of one idle cycle charged to a resident warp, in [`WHOLE`]ths.
    part_of_cycle: u64,
}

impl Scheduler {
    /// A scheduler of `n_slots` without warps.
    pub fn new(policy: WarpPolicy, n_slots: usize) -> Self {
        Scheduler {
            policy,
            last: 0,
            lost: 0,
            busy_cause: Cause::LoadStoreUnit,
            accounted: 0,
            busy_until: 0,
            older: [0; MAX_WARPS],
            n_slots,
            resident: 0,
            resident_since: [0; MAX_WARPS],
            idle_part: 0,
            part_of_cycle: 0,
        }
    }

    /// Makes a warp resident in a slot.
    pub fn admit(&mut self, slot: usize, now: u64) {
        self.set_resident(self.resident | 1 << slot);
        self.resident_since[slot] = now;
        let age = |slot: usize| (self.resident_since[slot], std::cmp::Reverse(slot));
        let is_older = |than: usize| move |&slot: &usize| age(slot) < age(than);
        let n = self.n_slots;
        let older = |i| (0..n).filter(is_older(i)).map(|slot| 1 << slot).sum();
        let older: [WarpMask; MAX_WARPS] =
            std::array::from_fn(|i| if i < n { older(i) } else { 0 });
        self.older = older;
    }

    /// Removes the warp of a slot, which has ended.
    pub fn dismiss(&mut self, slot: usize) {
        self.set_resident(self.resident & !(1 << slot));
    }

    fn set_resident(&mut self, slots: WarpMask) {
        self.resident = slots;
        let warps = u64::from(slots.count_ones());
        self.part_of_cycle = WHOLE.checked_div(warps).unwrap_or(0);
    }

    /// Running sum of idle parts in [`WHOLE`]ths; a waiting warp is charged its growth during the wait.
    #[inline]
    pub fn idle_part(&self) -> u64 {
        self.idle_part
    }

    /// Slots that hold a warp, one bit each.
    pub fn resident(&self) -> WarpMask {
        self.resident
    }

    /// The first cycle at which the issue slot is free.
    #[inline]
    pub fn busy_until(&self) -> u64 {
        self.busy_until
    }

    /// The first of some slots in the policy's order; there must be one.
    #[inline]
    pub fn first(&self, slots: WarpMask) -> usize {
        let last = u32::from(self.last) % MAX_WARPS as u32;
        match self.policy {
            WarpPolicy::GreedyThenOldest | WarpPolicy::GreedyThenNext if slots >> last & 1 == 1 => {
                last as usize
            }
            WarpPolicy::GreedyThenOldest => self.oldest(slots),
            WarpPolicy::LooseRoundRobin | WarpPolicy::GreedyThenNext => {
                let after = slots & !up_to(last);
                let next = if after != 0 { after } else { slots };
                next.trailing_zeros() as usize
            }
        }
    }

    #[inline]
    fn oldest(&self, slots: WarpMask) -> usize {
        let mut left = slots;
        loop {
            // Of a block the last one is the oldest.
            let slot = (left | 1).ilog2() as usize;
            left = slots & self.older[slot % MAX_WARPS];
            if left == 0 {
                return slot;
            }
        }
    }

    /// All slots that come before one in the policy's order.
    #[inline]
    pub fn before(&self, slot: usize) -> WarpMask {
        let last = u32::from(self.last) % MAX_WARPS as u32;
        let below = ((1 as WarpMask) << slot) - 1;
        match self.policy {
            WarpPolicy::GreedyThenOldest | WarpPolicy::GreedyThenNext if slot == last as usize => 0,
            WarpPolicy::GreedyThenOldest => self.older[slot % MAX_WARPS] | 1 << last,
            WarpPolicy::GreedyThenNext if slot > last as usize => {
                (below & !up_to(last)) | 1 << last
            }
            WarpPolicy::LooseRoundRobin if slot > last as usize => below & !up_to(last),
            WarpPolicy::LooseRoundRobin => below | !up_to(last),
            WarpPolicy::GreedyThenNext => below | !up_to(last) | 1 << last,
        }
    }

    /// Iterates over slots in the policy's order.
    pub fn in_order(&self, mut slots: WarpMask) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            (slots != 0).then(|| {
                let slot = self.first(slots);
                slots &= !(1 << slot);
                slot
            })
        })
    }

    /// Occupies the issue slot until `until`.
    #[inline]
    pub fn occupy(&mut self, until: u64, cause: Cause) {
        self.busy_until = until;
        self.busy_cause = cause;
    }

    /// Adds parts of issue slots, in [`WAIT_UNITS`]ths; whole ones occupy the scheduler after `now`.
    #[inline]
    pub fn lose_slots(&mut self, parts: u8, now: u64, cause: Cause) {
        self.lost += parts;
        if self.lost >= WAIT_UNITS {
            let slots = self.lost / WAIT_UNITS;
            self.lost %= WAIT_UNITS;
            let until = (now + 1 + u64::from(slots)).max(self.busy_until);
            self.occupy(until, cause);
        }
    }

    /// Charges the cycles before `now`, after those in which the issue slot was occupied, to the resident warps; the nearest to
    /// issuing waits for `nearest`. Cycles beyond `now` must not have been charged yet. Returns how many were idle.
    #[inline]
    pub fn charge(&mut self, now: u64, nearest: Cause, account: &mut Account) -> u64 {
        let occupied = self.busy_until.max(self.accounted).min(now) - self.accounted;
        let idle = now - self.accounted - occupied;
        account.occupied[self.busy_cause as usize] += occupied;
        account.nearest[nearest as usize] += idle;
        self.idle_part += idle * self.part_of_cycle;
        self.accounted = now;
        idle
    }

    /// Charges cycle `now`, whose past is accounted for, to issuing from a slot; replays come after it.
    #[inline]
    pub fn charge_issue(&mut self, slot: usize, now: u64, account: &mut Account) {
        self.last = slot as u8;
        account.occupied[Cause::Issued as usize] += 1;
        self.accounted = now + 1;
    }
}

/// The slots up to one, itself included.
#[inline]
fn up_to(slot: u32) -> WarpMask {
    WarpMask::MAX >> (MAX_WARPS as u32 - 1 - slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheduler(policy: WarpPolicy, started_at: [u64; 3]) -> Scheduler {
        let mut scheduler = Scheduler::new(policy, 16);
        for (slot, now) in started_at.into_iter().enumerate() {
            scheduler.admit(slot, now);
        }
        scheduler.charge_issue(1, 10, &mut Account::default());
        scheduler
    }

    #[test]
    fn greedy_stays_with_its_warp_then_takes_the_oldest() {
        let scheduler = scheduler(WarpPolicy::GreedyThenOldest, [5, 6, 4]);
        assert_eq!(scheduler.in_order(0b111).collect::<Vec<_>>(), [1, 2, 0]);
    }

    #[test]
    fn of_warps_that_started_together_the_last_counts_as_the_oldest() {
        let scheduler = scheduler(WarpPolicy::GreedyThenOldest, [5, 5, 5]);
        assert_eq!(scheduler.in_order(0b111).collect::<Vec<_>>(), [1, 2, 0]);
        assert_eq!(scheduler.before(0) & 0b111, 0b110);
    }

    #[test]
    fn round_robin_goes_on_with_the_next_slot() {
        let scheduler = scheduler(WarpPolicy::LooseRoundRobin, [5, 3, 4]);
        assert_eq!(scheduler.in_order(0b111).collect::<Vec<_>>(), [2, 0, 1]);
    }

    #[test]
    fn greedy_then_next_stays_with_its_warp_then_goes_on() {
        let scheduler = scheduler(WarpPolicy::GreedyThenNext, [5, 6, 4]);
        assert_eq!(scheduler.in_order(0b111).collect::<Vec<_>>(), [1, 2, 0]);
        assert_eq!(scheduler.in_order(0b101).collect::<Vec<_>>(), [2, 0]);
    }

    #[test]
    fn a_warp_that_starts_is_the_youngest() {
        let mut scheduler = scheduler(WarpPolicy::GreedyThenOldest, [5, 3, 4]);
        scheduler.admit(1, 12);
        assert_eq!(scheduler.in_order(0b101).collect::<Vec<_>>(), [2, 0]);
        scheduler.charge_issue(0, 13, &mut Account::default());
        assert_eq!(scheduler.in_order(0b110).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn what_comes_before_a_slot_is_what_is_picked_before_it() {
        for policy in WarpPolicy::ALL {
            let scheduler = scheduler(policy, [5, 3, 4]);
            let order: Vec<usize> = scheduler.in_order(0xffff).collect();
            for (place, &slot) in order.iter().enumerate() {
                let before: WarpMask = order[..place].iter().map(|slot| 1 << slot).sum();
                assert_eq!(scheduler.before(slot) & 0xffff, before);
            }
        }
    }
}
