//! How the warps of one scheduler share its issue slots over time.
//!
//! What it models: a warp in a turn would take some issue slots per cycle. The oldest warps get what they would take until
//! nothing is left, or all get the same part of it. A warp with fewer slots moves slower in proportion.
//! What it leaves out: single cycles and slots. Units: cycles, issue slots. Sources: equation (23) of `docs/model.md`.

use crate::launch::spec::WarpPolicy;

/// Warps of one scheduler.
pub const SLOTS: usize = 16;
/// Less than this part of the issue slots is nothing.
const NOTHING: f64 = 1e-3;

/// See the module text. Warps are numbered by age, the oldest first.
#[derive(Debug, Clone)]
pub struct Shares {
    policy: WarpPolicy,
    pub now: f64,
    /// When the next turn or wait ends.
    pub next: f64,
    len: usize,
    /// Of every warp: when its turn or its wait ends if nothing changes.
    event: [f64; SLOTS],
    /// Cycles of the turn per cycle.
    speed: [f64; SLOTS],
    /// Cycles of the turn that are left to a warp that waits or stands still.
    rest: [f64; SLOTS],
    /// Issue slots per cycle at full speed.
    slots: [f64; SLOTS],
    /// Warps that are in a turn, one bit each.
    ready: u32,
    /// Issue slots per cycle that a warp and all older ones leave.
    left: [f64; SLOTS],
    /// The oldest warp whose turn or wait has changed since slots were given away.
    changed: usize,
}

impl Shares {
    pub fn new(policy: WarpPolicy) -> Self {
        Shares {
            policy,
            now: 0.0,
            next: f64::INFINITY,
            len: 0,
            event: [f64::INFINITY; SLOTS],
            speed: [0.0; SLOTS],
            rest: [0.0; SLOTS],
            slots: [0.0; SLOTS],
            ready: 0,
            left: [1.0; SLOTS],
            changed: 0,
        }
    }

    /// A new warp that begins at `start` with a turn of `cycles`, which takes `slots`.
    pub fn push(&mut self, cycles: f64, slots: f64, start: f64) {
        let i = self.len;
        self.len += 1;
        self.event[i] = start;
        self.speed[i] = 0.0;
        self.rest[i] = cycles;
        self.slots[i] = slots / cycles;
        self.ready &= !(1 << i);
        self.next = self.next.min(start);
        self.changed = self.changed.min(i);
    }

    /// A warp is no longer resident.
    pub fn remove(&mut self, i: usize) {
        self.len -= 1;
        for list in [
            &mut self.event,
            &mut self.speed,
            &mut self.rest,
            &mut self.slots,
        ] {
            list.copy_within(i + 1.., i);
        }
        self.event[self.len] = f64::INFINITY;
        let younger = self.ready >> (i + 1) << i;
        self.ready = self.ready & ((1 << i) - 1) | younger;
        // The numbers of younger warps have changed: everything behind is given away anew.
        self.left[i..].fill(f64::NAN);
        self.changed = self.changed.min(i);
    }

    /// A warp waits for `wait` cycles, then begins a turn.
    pub fn wait(&mut self, i: usize, wait: f64, cycles: f64, slots: f64) {
        self.rest[i] = cycles;
        self.slots[i] = slots / cycles;
        self.speed[i] = 0.0;
        self.changed = self.changed.min(i);
        if wait > 0.0 {
            self.ready &= !(1 << i);
            self.event[i] = self.now + wait;
        } else {
            self.event[i] = f64::INFINITY;
        }
    }

    /// Goes on to the next event. If it is the end of a turn: which warp's. [`Shares::plan`] must follow.
    pub fn advance(&mut self) -> Option<usize> {
        self.now = self.next;
        let i = self.event.iter().position(|&at| at == self.now)?;
        if self.ready >> i & 1 == 1 {
            return Some(i);
        }
        self.ready |= 1 << i;
        self.event[i] = f64::INFINITY;
        self.changed = self.changed.min(i);
        None
    }

    /// Gives the issue slots away and finds the next event.
    pub fn plan(&mut self) {
        match self.policy {
            WarpPolicy::GreedyThenOldest => self.oldest_first(),
            WarpPolicy::LooseRoundRobin => self.all_alike(),
        }
        self.changed = SLOTS;
        self.next = self.event.iter().fold(f64::INFINITY, |a, &b| a.min(b));
    }

    /// **(23)** Every warp gets what the older ones leave.
    fn oldest_first(&mut self) {
        let first = self.changed;
        let mut free = if first == 0 {
            1.0
        } else {
            self.left[first - 1]
        };
        for i in first..self.len {
            if self.ready >> i & 1 == 1 {
                let wanted = self.slots[i];
                let speed = if wanted <= free {
                    1.0
                } else if free < NOTHING {
                    0.0
                } else {
                    free / wanted
                };
                free -= wanted * speed;
                self.change(i, speed);
            }
            // From here on nothing is new.
            if i > first && self.left[i] == free {
                return;
            }
            self.left[i] = free;
        }
    }

    fn all_alike(&mut self) {
        let ready = self.ready;
        let ready = (0..self.len).filter(|i| ready >> i & 1 == 1);
        let asked: f64 = ready.clone().map(|i| self.slots[i]).sum();
        let speed = 1.0 / asked.max(1.0);
        for i in ready {
            self.change(i, speed);
        }
    }

    fn change(&mut self, i: usize, speed: f64) {
        if speed == self.speed[i] {
            return;
        }
        if self.speed[i] > 0.0 {
            self.rest[i] = (self.event[i] - self.now) * self.speed[i];
        }
        self.speed[i] = speed;
        self.event[i] = if speed > 0.0 {
            self.now + self.rest[i].max(0.0) / speed
        } else {
            f64::INFINITY
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(policy: WarpPolicy, turns: &[(f64, f64)]) -> Vec<f64> {
        let mut shares = Shares::new(policy);
        for &(cycles, slots) in turns {
            shares.push(cycles, slots, 0.0);
        }
        let mut ends = vec![0.0; turns.len()];
        let mut left = turns.len();
        while left > 0 {
            if let Some(i) = shares.advance() {
                ends[i] = shares.now;
                left -= 1;
                shares.wait(i, 1e9, 1.0, 1.0);
            }
            shares.plan();
        }
        ends
    }

    #[test]
    fn the_oldest_lack_nothing() {
        // Two of these fill the scheduler; the third begins when they are done.
        let found = ends(WarpPolicy::GreedyThenOldest, &[(10.0, 5.0); 3]);
        assert_eq!(found, [10.0, 10.0, 20.0]);
        // The second gets what the first leaves: half of its speed until then.
        let found = ends(WarpPolicy::GreedyThenOldest, &[(10.0, 5.0), (10.0, 10.0)]);
        assert_eq!(found, [10.0, 15.0]);
    }

    #[test]
    fn all_alike_are_equally_late() {
        let found = ends(WarpPolicy::LooseRoundRobin, &[(10.0, 5.0); 3]);
        assert!(
            found.iter().all(|end| (end - 15.0).abs() < 1e-9),
            "{found:?}"
        );
    }

    #[test]
    fn a_warp_that_leaves_takes_nothing_with_it() {
        let mut shares = Shares::new(WarpPolicy::GreedyThenOldest);
        for cycles in [30.0, 20.0, 10.0] {
            shares.push(cycles, 1.0, 0.0);
        }
        for _ in 0..3 {
            assert_eq!(shares.advance(), None);
            shares.plan();
        }
        shares.remove(1);
        shares.plan();
        assert_eq!((shares.advance(), shares.now), (Some(1), 10.0));
        shares.remove(1);
        shares.plan();
        assert_eq!((shares.advance(), shares.now), (Some(0), 30.0));
    }
}
