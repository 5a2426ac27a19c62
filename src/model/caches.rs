//! Many set-associative caches with random replacement that see the same accesses.
//!
//! What it does: keeps for every line one bit per cache that holds it. An access that hits everywhere changes nothing,
//! since random replacement does not look at hits; only caches that lack the line are touched.
//! What it leaves out: time, dirty lines. Units: lines. Sources: `sim/cache.rs` is the twin with time.

use crate::launch::spec::CacheSpec;

/// Caches that are followed together at most.
pub const TOGETHER: usize = u64::BITS as usize;
const EMPTY: u32 = u32::MAX;

#[derive(Debug, Clone)]
struct Held {
    spec: CacheSpec,
    /// The set of every line.
    sets: Vec<u32>,
    /// Set after set.
    tags: Vec<u32>,
    /// Ways of every set that hold a line: the first ones.
    filled: Vec<u32>,
    random: u32,
}

/// See the module text.
#[derive(Debug, Clone)]
pub struct Caches {
    held: Vec<Held>,
    /// Of every line: the caches that lack it.
    lacking: Vec<u64>,
    replaced: u32,
}

impl Caches {
    /// Empty caches, [`TOGETHER`] at most, for the lines below `n_lines`. Their replacement is random, whatever `specs` say.
    pub fn new(specs: &[CacheSpec], n_lines: u32) -> Self {
        debug_assert!(specs.len() <= TOGETHER, "one bit per cache");
        let all = u64::MAX >> (TOGETHER - specs.len()) as u32;
        Caches {
            held: specs.iter().map(|spec| Held::new(spec, n_lines)).collect(),
            lacking: vec![all; n_lines as usize],
            replaced: EMPTY,
        }
    }

    /// Touches a line; the caches that lacked it, one bit each, the first one the lowest.
    #[inline]
    pub fn access(&mut self, line: u32) -> u64 {
        let lacking = self.lacking[line as usize];
        if lacking != 0 {
            self.fill(line, lacking);
        }
        lacking
    }

    /// The line that the last one to be filled in replaced, in the last of the caches that lacked it.
    #[inline]
    pub fn replaced(&self) -> Option<u32> {
        (self.replaced != EMPTY).then_some(self.replaced)
    }

    fn fill(&mut self, line: u32, lacking: u64) {
        self.lacking[line as usize] = 0;
        let mut left = lacking;
        while left != 0 {
            let index = left.trailing_zeros();
            left &= left - 1;
            let victim = self.held[index as usize].replace(line);
            self.replaced = victim;
            if victim != EMPTY {
                self.lacking[victim as usize] |= 1 << index;
            }
        }
    }
}

impl Held {
    fn new(spec: &CacheSpec, n_lines: u32) -> Self {
        Held {
            sets: (0..n_lines)
                .map(|line| spec.index.set_of(line, spec.sets))
                .collect(),
            tags: vec![EMPTY; (spec.sets * spec.ways) as usize],
            filled: vec![0; spec.sets as usize],
            random: 0x9e37_79b9,
            spec: spec.clone(),
        }
    }

    /// Puts a line into its set and returns the one that it replaces, if any.
    #[inline]
    fn replace(&mut self, line: u32) -> u32 {
        let ways = self.spec.ways;
        let set = self.sets[line as usize];
        let filled = &mut self.filled[set as usize];
        let way = if *filled < ways {
            *filled += 1;
            *filled - 1
        } else {
            // xorshift32 (Marsaglia 2003).
            self.random ^= self.random << 13;
            self.random ^= self.random >> 17;
            self.random ^= self.random << 5;
            ((u64::from(self.random) * u64::from(ways)) >> 32) as u32
        };
        std::mem::replace(&mut self.tags[(set * ways + way) as usize], line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::spec::{Replacement, SetIndex, XorBits};
    use crate::sim::cache::{Cache, Lookup};
    use proptest::prelude::*;

    fn spec(sets: u32, ways: u32) -> CacheSpec {
        CacheSpec {
            sets,
            ways,
            line_bytes: 128,
            replacement: Replacement::Random,
            index: SetIndex::Xor(XorBits::new(&[13, 14, 15, 17, 19], 128).unwrap()),
            fills_hold_lines: false,
        }
    }

    proptest! {
        /// Lines that fit never miss again; others hit as often as in the simulator's cache, whichever caches are
        /// followed beside.
        #[test]
        fn hits_as_the_simulators_cache(sets_log2 in 0u32..4, ways in 1u32..7, lines in 1u32..60) {
            let spec = spec(1 << sets_log2, ways);
            let other = self::spec(1, 2);
            let mut mine = Caches::new(&[other, spec.clone()], lines);
            let mut theirs = Cache::new(spec, 7);
            let (mut hits, mut expected) = (0, 0);
            for access in 0..20_000u32 {
                // Half of the accesses go to a sixth of the lines.
                let random = access.wrapping_mul(0x9e37_79b1) >> 8;
                let line = if random & 1 == 0 { random % lines } else { random % (lines / 6 + 1) };
                hits += u32::from(mine.access(line.min(lines - 1)) & 2 == 0);
                let lookup = theirs.access(128 * line.min(lines - 1), false);
                expected += u32::from(matches!(lookup, Lookup::Hit { .. }));
            }
            let points = (f64::from(hits) - f64::from(expected)) / 200.0;
            prop_assert!(points.abs() < 2.0, "{points} points");
        }
    }
}
