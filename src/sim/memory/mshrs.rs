//! MSHRs: the L1 misses that can be in flight.
//!
//! Models: a limited number of misses at a time; each holds its MSHR until its line arrives.
//! Leaves out: sharing of an MSHR by misses of one line (the second access hits the line being filled, see `cache`).
//! Units: cycles. Sources: the preset's limit.

/// L1 misses in flight; a further one waits for the first to end.
#[derive(Debug, Clone)]
pub(super) struct Mshrs {
    ends_at: Vec<u64>,
    limit: usize,
}

impl Mshrs {
    pub(super) fn new(limit: u32) -> Self {
        Mshrs {
            ends_at: Vec::with_capacity(limit as usize),
            limit: limit as usize,
        }
    }

    /// The first cycle from `cycle` on at which a miss can be tracked.
    #[inline]
    pub(super) fn admit(&mut self, cycle: u64) -> u64 {
        if self.ends_at.len() < self.limit {
            return cycle;
        }
        let (index, &first) = self
            .ends_at
            .iter()
            .enumerate()
            .min_by_key(|entry| *entry.1)
            .expect("the limit is above 0");
        if first <= cycle {
            self.ends_at.retain(|&end| end > cycle);
            return cycle;
        }
        self.ends_at.swap_remove(index);
        first
    }

    #[inline]
    pub(super) fn track(&mut self, ends_at: u64) {
        self.ends_at.push(ends_at);
    }
}

#[cfg(test)]
mod tests {
    use super::Mshrs;

    /// Each waits for the end of another, or for none.
    #[test]
    fn misses_beyond_the_limit_take_places_that_become_free() {
        let mut misses = Mshrs::new(2);
        for ends_at in [100, 200] {
            assert_eq!(misses.admit(0), 0);
            misses.track(ends_at);
        }
        assert_eq!(misses.admit(10), 100);
        misses.track(300);
        assert_eq!(misses.admit(10), 200);
        misses.track(400);
        assert_eq!(misses.admit(400), 400, "both have ended");
        assert!(misses.ends_at.is_empty());
    }
}
