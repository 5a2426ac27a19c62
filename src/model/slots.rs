//! How the warps of one scheduler share its issue slots over time.
//!
//! What it models: a step takes a warp some time alone and some issue slots. A warp that finds them booked ends later:
//! behind all that is booked, or, where older warps go first, behind what warps older than the last one booked.
//! What it leaves out: single slots. Who is overtaken ends when it would have ended, and only what follows is later.
//! Units: ticks, see [`TICKS_PER_CYCLE`]. Sources: equation (23) of `docs/model.md`.

use crate::launch::spec::WarpPolicy;

/// Warps of one scheduler.
pub const SLOTS: usize = 16;
/// Time is counted in these parts of a cycle.
pub const TICKS_PER_CYCLE: f64 = 16.0;
/// Events are looked through in groups of so many warps.
const GROUP: usize = 4;
const SLOT_BITS: u32 = SLOTS.trailing_zeros();
/// No event.
const NEVER: u64 = u64::MAX;

/// What a warp takes until its next access or wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// If it stands in no line.
    pub ticks: u32,
    /// Of them, those in which it issues.
    pub issue_ticks: u32,
}

/// See the module text. Warps are numbered by age, the oldest first.
#[derive(Debug, Clone)]
pub struct Slots {
    policy: WarpPolicy,
    len: usize,
    /// Of every warp: when its step ends, as far as is known, and its number in the lowest bits.
    events: [u64; SLOTS],
    /// The first of every group.
    first: [u64; SLOTS / GROUP],
    spans: [Span; SLOTS],
    /// Warps that have booked the issue slots of their step, one bit each.
    booked: u32,
    /// Warps that the load/store unit holds up, one bit each.
    held: u32,
    /// Until when issue slots are booked, and by whom.
    free_at: u64,
    owner: usize,
    /// The first event.
    next: u64,
}

impl Slots {
    pub fn new(policy: WarpPolicy) -> Self {
        Slots {
            policy,
            len: 0,
            events: [NEVER; SLOTS],
            first: [NEVER; SLOTS / GROUP],
            spans: [Span::default(); SLOTS],
            booked: 0,
            held: 0,
            free_at: 0,
            owner: 0,
            next: NEVER,
        }
    }

    /// When something happens next.
    #[inline]
    pub fn next_at(&self) -> u64 {
        self.next >> SLOT_BITS
    }

    /// Goes on to the next event. If it is the end of a step: which warp's. [`Slots::go_on`] or [`Slots::remove`] must
    /// follow then.
    #[inline]
    pub fn advance(&mut self) -> Option<usize> {
        let now = self.next_at();
        let i = self.next as usize % SLOTS;
        if self.booked >> i & 1 == 1 {
            self.booked &= !(1 << i);
            return Some(i);
        }
        let ends_at = self.book(i, now);
        if ends_at <= now {
            return Some(i);
        }
        self.booked |= 1 << i;
        self.set(i, event(ends_at, i));
        None
    }

    /// **(23)** Books the issue slots of a step that would end now; when it really ends.
    #[inline]
    fn book(&mut self, i: usize, now: u64) -> u64 {
        let span = self.spans[i];
        let owner = std::mem::replace(&mut self.owner, i);
        self.free_at = self.free_at.max(now - u64::from(span.ticks)) + u64::from(span.issue_ticks);
        let overtakes = self.policy == WarpPolicy::GreedyThenOldest && i < owner;
        if overtakes { now } else { self.free_at }
    }

    /// A warp that has ended a step begins the next at `start`.
    #[inline]
    pub fn go_on(&mut self, i: usize, start: u64, span: Span) {
        let i = i % SLOTS;
        self.spans[i] = span;
        self.set(i, event(start + u64::from(span.ticks), i));
    }

    /// The load/store unit does not take what a warp has for it at the end of its step.
    pub fn hold(&mut self, i: usize) {
        self.held |= 1 << i;
        self.set(i, NEVER);
    }

    /// The oldest warp that was held goes on.
    pub fn release(&mut self) -> Option<usize> {
        let i = self.held.trailing_zeros() as usize;
        self.held &= self.held.wrapping_sub(1);
        (i < SLOTS).then_some(i)
    }

    /// A new warp, the youngest, that begins at `start`; its number.
    pub fn push(&mut self, start: u64, span: Span) -> usize {
        let i = self.len;
        self.len += 1;
        self.go_on(i, start, span);
        i
    }

    /// A warp is no longer resident.
    pub fn remove(&mut self, i: usize) {
        self.len -= 1;
        self.spans.copy_within(i + 1.., i);
        for j in i..self.len {
            let event = self.events[j + 1];
            self.set(j, if event == NEVER { NEVER } else { event - 1 });
        }
        self.set(self.len, NEVER);
        for mask in [&mut self.booked, &mut self.held] {
            *mask = *mask & ((1 << i) - 1) | *mask >> (i + 1) << i;
        }
        self.owner -= usize::from(self.owner > i);
    }

    #[inline]
    fn set(&mut self, i: usize, event: u64) {
        self.events[i] = event;
        let group = i / GROUP;
        let [a, b, c, d] = self.events.as_chunks::<GROUP>().0[group];
        self.first[group] = a.min(b).min(c.min(d));
        let [a, b, c, d] = self.first;
        self.next = a.min(b).min(c.min(d));
    }
}

#[inline]
fn event(at: u64, i: usize) -> u64 {
    at << SLOT_BITS | i as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(policy: WarpPolicy, spans: &[(u32, u32)]) -> Vec<u64> {
        let mut slots = Slots::new(policy);
        for &(ticks, issue_ticks) in spans {
            slots.push(0, Span { ticks, issue_ticks });
        }
        let mut ends = vec![0; spans.len()];
        let mut left = spans.len();
        while left > 0 {
            if let Some(i) = slots.advance() {
                ends[i] = slots.next_at();
                left -= 1;
                slots.go_on(i, 1 << 40, Span::default());
            }
        }
        ends
    }

    #[test]
    fn who_finds_no_slots_ends_later() {
        // Two of these fill the scheduler; the third ends when its slots have passed, too.
        for policy in [WarpPolicy::GreedyThenOldest, WarpPolicy::LooseRoundRobin] {
            assert_eq!(ends(policy, &[(100, 50); 3]), [100, 100, 150]);
        }
    }

    #[test]
    fn an_older_warp_goes_before_younger_ones() {
        let mut slots = Slots::new(WarpPolicy::GreedyThenOldest);
        let span = Span {
            ticks: 50,
            issue_ticks: 50,
        };
        // The oldest comes while the second issues and the third waits for slots.
        slots.push(20, span);
        slots.push(0, span);
        slots.push(10, span);
        let mut ends = Vec::new();
        while ends.len() < 4 {
            if let Some(i) = slots.advance() {
                let now = slots.next_at();
                ends.push((i, now));
                slots.go_on(i, if i == 2 { now } else { 1 << 40 }, span);
            }
        }
        // What the oldest took the third lacks in its next step.
        assert_eq!(ends, [(1, 50), (0, 70), (2, 100), (2, 200)]);
    }

    #[test]
    fn who_is_held_comes_when_released_the_oldest_first() {
        let mut slots = Slots::new(WarpPolicy::GreedyThenOldest);
        for start in [5, 0] {
            slots.push(start, Span::default());
        }
        for i in [1, 0] {
            assert_eq!(slots.advance(), Some(i));
            slots.hold(i);
        }
        assert_eq!([(); 3].map(|()| slots.release()), [Some(0), Some(1), None]);
    }

    #[test]
    fn in_turn_nobody_overtakes() {
        let found = ends(WarpPolicy::LooseRoundRobin, &[(50, 50); 4]);
        assert_eq!(found, [50, 100, 150, 200]);
    }

    #[test]
    fn a_warp_that_leaves_takes_nothing_with_it() {
        let mut slots = Slots::new(WarpPolicy::GreedyThenOldest);
        for ticks in [30, 20, 10] {
            slots.push(
                0,
                Span {
                    ticks,
                    issue_ticks: 1,
                },
            );
        }
        slots.remove(1);
        assert_eq!((slots.advance(), slots.next_at()), (Some(1), 10));
        slots.remove(1);
        assert_eq!((slots.advance(), slots.next_at()), (Some(0), 30));
    }
}
