//! One warp scheduler: which of its warps may issue, which one does, and what its cycles were spent on.
//!
//! What it models: the order of the warps (loose round robin, or greedy then oldest), cycles in which replays or a
//! branch occupy the issue slot, the account of every cycle. What it leaves out: when a warp may issue (`smx`).
//! Units: core clock cycles. Sources: the device preset for the policy.
//!
//! Warps that can issue are kept by rank, the oldest first, so that the oldest one is the lowest bit.
//!
//! Warps that the load/store unit refuses are set aside together, not one by one: between two instructions that it takes,
//! the cycle from which it takes the next does not move, so all of them wait for the same one.

use super::observe::{Cause, Counters};
use super::spec::{WAIT_UNITS, WarpPolicy};

/// Warp slots of one scheduler.
pub const SLOTS: usize = 16;

/// See the module text.
#[derive(Debug, Clone)]
pub struct Scheduler {
    policy: WarpPolicy,
    /// Warps that can issue now, one bit each, by rank.
    ready: u16,
    /// Those whose next instruction is the load/store unit's, among all warps, by slot, and among the ready ones, by rank.
    asks_memory: u16,
    ready_for_memory: u16,
    /// Warps that wait until the load/store unit takes another instruction, by rank.
    refused: u16,
    /// Rank of a warp slot, and slot of a rank.
    rank: [u8; SLOTS],
    slot: [u8; SLOTS],
    /// Slots that hold a warp, one bit each.
    resident: u16,
    /// Slots whose wait is longer than the calendar, one bit each.
    far: u16,
    /// When a warp in the calendar can really issue, and what it waits for.
    ready_at: [u64; SLOTS],
    cause: [Cause; SLOTS],
    resident_since: [u64; SLOTS],
    last: u8,
    /// Cycles before this one are accounted for.
    accounted: u64,
    /// Replays or a branch occupy the issue slot until here.
    busy_until: u64,
    busy_cause: Cause,
    /// Parts of issue slots that operands have been waited for and that are not charged yet.
    operand_wait: u8,
}

impl Scheduler {
    /// A scheduler without warps.
    pub fn new(policy: WarpPolicy) -> Self {
        let identity = std::array::from_fn(|i| i as u8);
        Scheduler {
            policy,
            ready: 0,
            asks_memory: 0,
            ready_for_memory: 0,
            refused: 0,
            rank: identity,
            slot: identity,
            resident: 0,
            far: 0,
            ready_at: [0; SLOTS],
            cause: [Cause::NoWarp; SLOTS],
            resident_since: [0; SLOTS],
            last: 0,
            accounted: 0,
            busy_until: 0,
            busy_cause: Cause::LoadStoreUnit,
            operand_wait: 0,
        }
    }

    /// A warp becomes resident in a slot.
    pub fn admit(&mut self, slot: usize, now: u64) {
        self.resident |= 1 << slot;
        self.resident_since[slot] = now;
        if self.policy == WarpPolicy::GreedyThenOldest {
            self.order_by_age();
        }
    }

    /// The warp of a slot has ended.
    pub fn dismiss(&mut self, slot: usize) {
        self.resident &= !(1 << slot);
    }

    fn order_by_age(&mut self) {
        let old_rank = self.rank;
        let mut order: [u8; SLOTS] = std::array::from_fn(|i| i as u8);
        order.sort_by_key(|&slot| self.resident_since[usize::from(slot)]);
        self.slot = order;
        for (rank, &slot) in order.iter().enumerate() {
            self.rank[usize::from(slot)] = rank as u8;
        }
        for mask in [
            &mut self.ready,
            &mut self.ready_for_memory,
            &mut self.refused,
        ] {
            let bit = |rank: usize| (*mask >> old_rank[usize::from(order[rank])] & 1) << rank;
            *mask = (0..SLOTS).map(bit).sum();
        }
    }

    /// Some warp could issue.
    #[inline]
    pub fn has_ready(&self) -> bool {
        self.ready != 0
    }

    /// The first cycle at which the issue slot is free.
    #[inline]
    pub fn busy_until(&self) -> u64 {
        self.busy_until
    }

    /// Takes the ready warp to issue from. Where the load/store unit is closed, the warps before it in the policy's
    /// order ask for that unit, and are refused.
    #[inline]
    pub fn take_ready(&mut self, memory_closed: bool) -> Pick {
        let mut candidates = self.ready;
        if memory_closed {
            candidates &= !self.ready_for_memory;
        }
        if candidates == 0 {
            let refused = std::mem::take(&mut self.ready);
            self.refused |= refused;
            return Pick {
                slot: None,
                refused,
            };
        }
        let rank = self.first(candidates);
        let refused = match candidates == self.ready {
            true => 0,
            false => self.ready & self.before(rank),
        };
        self.refused |= refused;
        self.ready &= !(refused | 1 << rank);
        Pick {
            slot: Some(usize::from(self.slot[rank as usize % SLOTS])),
            refused,
        }
    }

    /// The first of some warps in the policy's order, by rank.
    #[inline]
    fn first(&self, warps: u16) -> u32 {
        let last = self.rank[usize::from(self.last) % SLOTS];
        match self.policy {
            WarpPolicy::GreedyThenOldest if warps >> last & 1 == 1 => last.into(),
            WarpPolicy::GreedyThenOldest => warps.trailing_zeros(),
            WarpPolicy::LooseRoundRobin => {
                let after = u32::from(warps) & (!1 << last);
                if after != 0 {
                    after.trailing_zeros()
                } else {
                    warps.trailing_zeros()
                }
            }
        }
    }

    /// Ranks before one in the policy's order.
    #[inline]
    fn before(&self, rank: u32) -> u16 {
        let last = u32::from(self.rank[usize::from(self.last) % SLOTS]);
        let below = (1u16 << rank) - 1;
        let up_to_last = (2u32 << last) as u16;
        let up_to_last = up_to_last.wrapping_sub(1);
        match self.policy {
            WarpPolicy::GreedyThenOldest if rank == last => 0,
            WarpPolicy::GreedyThenOldest => below | 1 << last,
            WarpPolicy::LooseRoundRobin if rank > last => below & !up_to_last,
            WarpPolicy::LooseRoundRobin => below | !up_to_last,
        }
    }

    /// Slots of some ranks in the policy's order.
    pub fn in_order(&self, mut ranks: u16) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            (ranks != 0).then(|| {
                let rank = self.first(ranks);
                ranks &= !(1 << rank);
                usize::from(self.slot[rank as usize % SLOTS])
            })
        })
    }

    /// Says whether the next instruction of a slot's warp is the load/store unit's.
    #[inline]
    pub fn ask_memory(&mut self, slot: usize, asks: bool) {
        self.asks_memory = self.asks_memory & !(1 << slot) | u16::from(asks) << slot;
    }

    /// The load/store unit refuses the warp of a slot, whose rank is returned.
    #[inline]
    pub fn refuse(&mut self, slot: usize) -> u16 {
        let rank = 1 << self.rank[slot % SLOTS];
        self.refused |= rank;
        rank
    }

    /// Takes back refused warps, which are to wait in the calendar.
    pub fn take_back(&mut self, ranks: u16) {
        self.refused &= !ranks;
    }

    /// The warp of a slot cannot issue before `until`; true when that is beyond the calendar.
    #[inline]
    pub fn hold(&mut self, slot: usize, until: u64, cause: Cause, is_far: bool) {
        self.ready_at[slot % SLOTS] = until;
        self.cause[slot % SLOTS] = cause;
        self.far |= u16::from(is_far) << slot;
    }

    /// What the warp of a slot waits for.
    #[inline]
    pub fn cause(&self, slot: usize) -> Cause {
        self.cause[slot % SLOTS]
    }

    /// Marks the warps of some slots as ready, and when the load/store unit has opened those that it refused.
    #[inline]
    pub fn wake(&mut self, mut slots: u16, has_opened: bool, now: u64, counters: &mut Counters) {
        let refused = if has_opened { self.refused } else { 0 };
        if slots == 0 && refused == 0 {
            return;
        }
        if self.ready == 0 {
            let cause = self.cause_of_first(slots, refused);
            self.charge(now, cause, counters);
        }
        self.refused &= !refused;
        self.ready |= refused;
        self.ready_for_memory |= refused;
        while slots != 0 {
            let slot = slots.trailing_zeros() as usize;
            slots &= slots - 1;
            let rank = self.rank[slot % SLOTS];
            self.ready |= 1 << rank;
            let asks = self.asks_memory >> slot & 1;
            self.ready_for_memory = self.ready_for_memory & !(1 << rank) | asks << rank;
        }
    }

    /// What the warp of the lowest slot waited for, of some slots and of some refused ranks.
    #[inline]
    fn cause_of_first(&self, slots: u16, refused: u16) -> Cause {
        let first = slots.trailing_zeros();
        let is_lower = |slot: usize| slot < first as usize;
        if refused != 0 && (slots == 0 || self.in_order(refused).any(is_lower)) {
            Cause::LoadStoreUnit
        } else {
            self.cause(first as usize)
        }
    }

    /// Of some slots that the calendar gave back, one whose warp must wait on, and until when.
    #[inline]
    pub fn still_waiting(&mut self, slots: u16, now: u64) -> Option<(usize, u64)> {
        let mut early = slots & self.far;
        while early != 0 {
            let slot = early.trailing_zeros() as usize;
            early &= early - 1;
            self.far &= !(1 << slot);
            if self.ready_at[slot] > now {
                return Some((slot, self.ready_at[slot]));
            }
        }
        None
    }

    /// Occupies the issue slot until `until`.
    #[inline]
    pub fn occupy(&mut self, until: u64, cause: Cause) {
        self.busy_until = until;
        self.busy_cause = cause;
    }

    /// Adds an instruction's average wait for its operands; whole slots of it occupy the scheduler after `now`.
    #[inline]
    pub fn wait_for_operands(&mut self, wait: u8, now: u64) {
        self.operand_wait += wait;
        if self.operand_wait >= WAIT_UNITS {
            self.operand_wait -= WAIT_UNITS;
            self.occupy(now + 2, Cause::MathPipe);
        }
    }

    /// Charges the cycles before `now` to `cause`, after those in which the issue slot was occupied.
    #[inline]
    pub fn charge(&mut self, now: u64, cause: Cause, counters: &mut Counters) {
        if now <= self.accounted {
            return;
        }
        let occupied = self.busy_until.clamp(self.accounted, now) - self.accounted;
        counters.cpi_stack[self.busy_cause as usize] += occupied;
        counters.cpi_stack[cause as usize] += now - self.accounted - occupied;
        self.accounted = now;
    }

    /// Charges the cycles before `now`, in which a warp was ready, to what occupied the issue slot.
    #[inline]
    pub fn charge_occupied(&mut self, now: u64, counters: &mut Counters) {
        self.charge(now, self.busy_cause, counters);
    }

    /// Charges cycle `now`, whose past is accounted for, to issuing from a slot; replays come after it.
    #[inline]
    pub fn charge_issue(&mut self, slot: usize, now: u64, counters: &mut Counters) {
        self.last = slot as u8;
        counters.cpi_stack[Cause::Issued as usize] += 1;
        self.accounted = now + 1;
    }

    /// Charges the cycles before `now`, to what the warp nearest to issuing waits for; the load/store unit opens at
    /// `opens_at`. Where some warp is ready, all those cycles are occupied ones.
    pub fn charge_waiting(&mut self, now: u64, opens_at: u64, counters: &mut Counters) {
        let wait = |slot: usize| match self.refused >> self.rank[slot] & 1 {
            1 => (opens_at, Cause::LoadStoreUnit),
            _ => (self.ready_at[slot], self.cause[slot]),
        };
        let cause = (0..SLOTS)
            .filter(|slot| self.resident >> slot & 1 == 1)
            .map(wait)
            .min_by_key(|wait| wait.0)
            .map_or(Cause::NoWarp, |wait| wait.1);
        self.charge(now, cause, counters);
    }
}

/// What a scheduler's policy gave.
#[derive(Debug, Clone, Copy)]
pub struct Pick {
    /// The warp to issue from.
    pub slot: Option<usize>,
    /// Warps before it that the load/store unit refuses, by rank.
    pub refused: u16,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picks(policy: WarpPolicy, started_at: [u64; 3]) -> Vec<usize> {
        let mut counters = Counters::default();
        let mut scheduler = Scheduler::new(policy);
        for (slot, now) in started_at.into_iter().enumerate() {
            scheduler.admit(slot, now);
        }
        scheduler.wake(0b010, false, 10, &mut counters);
        let first = scheduler.take_ready(false).slot.expect("one is ready");
        scheduler.charge_issue(first, 10, &mut counters);
        scheduler.wake(0b111, false, 11, &mut counters);
        std::iter::once(first)
            .chain(std::iter::from_fn(|| scheduler.take_ready(false).slot))
            .collect()
    }

    #[test]
    fn greedy_stays_with_its_warp_then_takes_the_oldest() {
        let order = picks(WarpPolicy::GreedyThenOldest, [5, 3, 4]);
        assert_eq!(order, [1, 1, 2, 0]);
    }

    #[test]
    fn round_robin_goes_on_with_the_next_slot() {
        let order = picks(WarpPolicy::LooseRoundRobin, [5, 3, 4]);
        assert_eq!(order, [1, 2, 0, 1]);
    }

    #[test]
    fn a_warp_that_starts_keeps_the_others_ready() {
        let mut counters = Counters::default();
        let mut scheduler = Scheduler::new(WarpPolicy::GreedyThenOldest);
        scheduler.admit(0, 9);
        scheduler.admit(1, 3);
        scheduler.wake(0b01, false, 10, &mut counters);
        scheduler.admit(1, 12);
        assert_eq!(scheduler.take_ready(false).slot, Some(0));
        assert!(!scheduler.has_ready());
    }
}
