//! A set-associative cache with random replacement that knows which lines it holds and nothing else.
//!
//! What it leaves out: time, dirty lines. Units: lines. Sources: `sim/cache.rs` is its twin with time.

use crate::launch::spec::{CacheSpec, SetIndex};

const EMPTY: u32 = u32::MAX;
/// Tags that are compared together; sets are padded to whole groups.
const GROUP: usize = 4;

/// See the module text.
#[derive(Debug, Clone)]
pub struct RandomCache {
    index: SetIndex,
    n_sets: u32,
    n_ways: u32,
    /// Padding included.
    tags_per_set: usize,
    tags: Vec<u32>,
    /// Ways of every set that hold a line: the first ones.
    filled: Vec<u32>,
    /// The set of every line met so far.
    sets: Vec<u32>,
    random: u32,
}

impl RandomCache {
    /// An empty cache. Its replacement is random, whatever `cache` says.
    pub fn new(cache: &CacheSpec) -> Self {
        let tags_per_set = (cache.ways as usize).next_multiple_of(GROUP);
        RandomCache {
            index: cache.index,
            n_sets: cache.sets,
            n_ways: cache.ways,
            tags_per_set,
            tags: vec![EMPTY; cache.sets as usize * tags_per_set],
            filled: vec![0; cache.sets as usize],
            sets: Vec::new(),
            random: 0x9e37_79b9,
        }
    }

    /// Touches a line; whether it was there. Without branches on the outcome, which nothing could foretell.
    #[inline]
    pub fn access(&mut self, line: u32) -> bool {
        if self.sets.len() <= line as usize {
            self.meet(line);
        }
        let set = self.sets[line as usize] as usize;
        let start = set * self.tags_per_set;
        let tags = &mut self.tags[start..start + self.tags_per_set];
        let mut hit = false;
        for group in tags.chunks_exact(GROUP) {
            hit |= group
                .iter()
                .fold(false, |found, &tag| found | (tag == line));
        }
        // xorshift32 (Marsaglia 2003).
        let mut random = self.random;
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        self.random = if hit { self.random } else { random };
        let filled = &mut self.filled[set];
        let full = *filled == self.n_ways;
        let victim = ((u64::from(random) * u64::from(self.n_ways)) >> 32) as usize;
        let way = if full { victim } else { *filled as usize };
        *filled += u32::from(!hit & !full);
        tags[way] = if hit { tags[way] } else { line };
        hit
    }

    #[cold]
    fn meet(&mut self, line: u32) {
        let known = self.sets.len() as u32;
        let set = |line| self.index.set_of(line, self.n_sets);
        // Some more, so that lines which come in order are not met one by one.
        self.sets.extend((known..line + 256).map(set));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::spec::Replacement;
    use crate::sim::cache::{Cache, Lookup};
    use proptest::prelude::*;

    proptest! {
        /// Lines that fit never miss again; others hit as often as in the simulator's cache.
        #[test]
        fn hits_as_the_simulators_cache(sets_log2 in 0u32..4, ways in 1u32..7, lines in 1u32..60) {
            let spec = CacheSpec {
                sets: 1 << sets_log2,
                ways,
                line_bytes: 128,
                replacement: Replacement::Random,
                index: SetIndex::FermiXor,
                fills_hold_lines: false,
            };
            let (mut mine, mut theirs) = (RandomCache::new(&spec), Cache::new(spec, 7));
            let (mut hits, mut expected) = (0, 0);
            for access in 0..20_000u32 {
                // Half of the accesses go to a sixth of the lines.
                let random = access.wrapping_mul(0x9e37_79b1) >> 8;
                let line = if random & 1 == 0 { random % lines } else { random % (lines / 6 + 1) };
                hits += u32::from(mine.access(line));
                let lookup = theirs.access(128 * line, false);
                expected += u32::from(matches!(lookup, Lookup::Hit { .. }));
            }
            let points = (f64::from(hits) - f64::from(expected)) / 200.0;
            prop_assert!(points.abs() < 2.0, "{points} points");
        }
    }
}
