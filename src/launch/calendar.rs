//! A calendar queue of the slot that is free first, where each free slot gets new work.
//!
//! Models: a calendar queue; times never go back, and no work is longer than a bound known before.
//! Units: any time. Sources: Brown, Calendar queues, Communications of the ACM 31 (1988).

const NOBODY: u32 = u32::MAX;

/// A calendar queue of slots.
#[derive(Debug)]
pub struct Calendar {
    days_per_time: f64,
    /// First slot of every day; days come again after the longest work.
    days: Vec<u32>,
    /// Days with a slot, a bit each.
    taken: Vec<u64>,
    /// The next slot of the same day, and when each slot is free.
    next: Vec<u32>,
    ends: Vec<f64>,
    today: usize,
}

impl Calendar {
    /// Creates a queue of `slots`, none of which is given more than `longest` at once.
    pub fn new(slots: usize, longest: f64) -> Self {
        let days = (2 * slots).next_power_of_two().max(64);
        Calendar {
            // A day short of all of them, so that a slot is never put on today for the next round.
            days_per_time: (days - 2) as f64 / longest.max(f64::MIN_POSITIVE),
            days: vec![NOBODY; days],
            taken: vec![0; days / 64],
            next: vec![NOBODY; slots],
            ends: vec![0.0; slots],
            today: 0,
        }
    }

    /// The slot is taken until `end`.
    #[inline]
    pub fn take(&mut self, slot: usize, end: f64) {
        let day = (end * self.days_per_time) as usize & (self.days.len() - 1);
        self.ends[slot] = end;
        self.next[slot] = std::mem::replace(&mut self.days[day], slot as u32);
        self.taken[day / 64] |= 1 << (day % 64);
    }

    /// The slot that is free first, of several the one with the lowest number, and when it is.
    #[inline]
    pub fn free_first(&mut self) -> Option<(usize, f64)> {
        let day = self.next_day()?;
        self.today = day;
        let (mut first, mut before_first) = (self.days[day], NOBODY);
        let (mut before, mut slot) = (first, self.next[first as usize]);
        while slot != NOBODY {
            let order = |slot: u32| (self.ends[slot as usize], slot);
            if order(slot) < order(first) {
                (first, before_first) = (slot, before);
            }
            (before, slot) = (slot, self.next[slot as usize]);
        }
        let after = self.next[first as usize];
        match before_first {
            NOBODY => {
                self.days[day] = after;
                if after == NOBODY {
                    self.taken[day / 64] &= !(1 << (day % 64));
                }
            }
            before => self.next[before as usize] = after,
        }
        Some((first as usize, self.ends[first as usize]))
    }

    /// Returns the next day with an entry, today included.
    #[inline]
    fn next_day(&self) -> Option<usize> {
        let (word, bit) = (self.today / 64, self.today % 64);
        let rest = self.taken[word] & (u64::MAX << bit);
        if rest != 0 {
            return Some(64 * word + rest.trailing_zeros() as usize);
        }
        let n = self.taken.len();
        let words = (1..=n).map(|further| (word + further) % n);
        let mut taken = words.filter(|&word| self.taken[word] != 0);
        taken
            .next()
            .map(|word| 64 * word + self.taken[word].trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn slots_are_free_in_the_order_of_a_search(
            slots in 1usize..200,
            work in proptest::collection::vec(0u16..1000, 1..400),
        ) {
            let work: Vec<f64> = work.into_iter().map(f64::from).collect();
            let longest = work.iter().copied().fold(0.0, f64::max);
            let mut calendar = Calendar::new(slots, longest);
            let mut ends = vec![f64::INFINITY; slots];
            for (i, &work) in work.iter().enumerate() {
                let (slot, now) = if i < slots {
                    (i, 0.0)
                } else {
                    let found = calendar.free_first().unwrap();
                    let least = ends.iter().copied().fold(f64::INFINITY, f64::min);
                    let first = ends.iter().position(|end| *end == least).unwrap();
                    proptest::prop_assert_eq!(found, (first, least));
                    found
                };
                ends[slot] = now + work;
                calendar.take(slot, now + work);
            }
        }
    }
}
