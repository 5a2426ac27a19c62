//! Hit rates of every cache size from one pass over a trace.
//!
//! What it does: for each access counts the distinct lines touched since the last access to the same line (the stack
//! distance). A fully associative LRU cache hits exactly the accesses whose distance is below its number of lines; for
//! a set-associative one the distance within a set is binomially distributed.
//! What it leaves out: policies other than LRU; time. Units: lines.
//! Sources: equation (22) of `docs/model.md`; Mattson et al., IBM Systems Journal 9 (1970); Bennett and Kruskal,
//! IBM J. Res. Dev. 19 (1975), for the tree; Hill and Smith, IEEE Trans. Computers 38 (1989), for sets.

use rustc_hash::FxHashMap;

/// How often each stack distance occurred.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StackDistances {
    /// `counts[d]`: accesses with `d` other lines touched since.
    counts: Vec<u64>,
    /// First touches.
    cold: u64,
}

impl StackDistances {
    /// One pass over line addresses.
    pub fn of(lines: impl IntoIterator<Item = u32>) -> Self {
        let [found, _] = Self::of_two(lines.into_iter().map(|line| (line, false)));
        found
    }

    /// One pass over line addresses of two kinds (loads and stores) that share the cache: the distances of each kind.
    pub fn of_two(lines: impl IntoIterator<Item = (u32, bool)>) -> [Self; 2] {
        let lines: Vec<(u32, bool)> = lines.into_iter().collect();
        let mut last_touches = Tree::new(lines.len());
        let mut last: FxHashMap<u32, usize> = FxHashMap::default();
        let mut found = [StackDistances::default(), StackDistances::default()];
        for (now, &(line, second)) in lines.iter().enumerate() {
            let found = &mut found[usize::from(second)];
            match last.insert(line, now) {
                None => found.cold += 1,
                Some(before) => {
                    // Lines whose last touch lies after the line's own.
                    let distance = last_touches.sum(now) - last_touches.sum(before + 1);
                    found.count(distance as usize);
                    last_touches.add(before, -1);
                }
            }
            last_touches.add(now, 1);
        }
        found
    }

    fn count(&mut self, distance: usize) {
        if self.counts.len() <= distance {
            self.counts.resize(distance + 1, 0);
        }
        self.counts[distance] += 1;
    }

    /// Accesses counted.
    pub fn accesses(&self) -> u64 {
        self.cold + self.counts.iter().sum::<u64>()
    }

    /// **(22)** Part of the accesses that a fully associative LRU cache of `lines` lines hits.
    pub fn hit_rate(&self, lines: u32) -> f64 {
        let hits: u64 = self.counts.iter().take(lines as usize).sum();
        hits as f64 / self.accesses().max(1) as f64
    }

    /// The same with `sets` sets of `ways` ways and a hash that spreads lines evenly: of `d` other lines, fewer than
    /// `ways` must lie in the same set.
    pub fn hit_rate_in_sets(&self, sets: u32, ways: u32) -> f64 {
        if sets <= 1 {
            return self.hit_rate(ways);
        }
        let p = 1.0 / f64::from(sets);
        let hits: f64 = self
            .counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(distance, &count)| count as f64 * fewer_than(ways, distance, p))
            .sum();
        hits / self.accesses().max(1) as f64
    }
}

/// Probability that fewer than `limit` of `n` events of probability `p` happen.
fn fewer_than(limit: u32, n: usize, p: f64) -> f64 {
    let mut term = (1.0 - p).powi(n as i32);
    let mut sum = 0.0;
    for k in 0..limit as usize {
        if k > n {
            break;
        }
        sum += term;
        term *= (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
    }
    sum.min(1.0)
}

/// Sums of a prefix in logarithmic time (Fenwick).
struct Tree(Vec<i64>);

impl Tree {
    fn new(n: usize) -> Self {
        Tree(vec![0; n + 1])
    }

    fn add(&mut self, index: usize, value: i64) {
        let mut i = index + 1;
        while i < self.0.len() {
            self.0[i] += value;
            i += i & i.wrapping_neg();
        }
    }

    /// Of the entries before `end`.
    fn sum(&self, end: usize) -> i64 {
        let (mut i, mut sum) = (end, 0);
        while i > 0 {
            sum += self.0[i];
            i &= i - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Hits of a real LRU list.
    fn lru_hits(lines: &[u32], size: usize) -> usize {
        let mut cache: Vec<u32> = Vec::new();
        let mut hits = 0;
        for &line in lines {
            if let Some(found) = cache.iter().position(|&l| l == line) {
                cache.remove(found);
                hits += 1;
            }
            cache.insert(0, line);
            cache.truncate(size);
        }
        hits
    }

    proptest! {
        #[test]
        fn one_pass_equals_a_cache_of_every_size(
            lines in prop::collection::vec(0u32..24, 1..300),
            size in 1usize..30,
        ) {
            let rate = StackDistances::of(lines.iter().copied()).hit_rate(size as u32);
            prop_assert!((rate - lru_hits(&lines, size) as f64 / lines.len() as f64).abs() < 1e-12);
        }
    }

    #[test]
    fn distances_of_a_short_trace() {
        let found = StackDistances::of([1, 2, 1, 1, 3, 2]);
        assert_eq!((found.cold, found.counts.clone()), (3, vec![1, 1, 1]));
        assert_eq!(found.hit_rate(2), 2.0 / 6.0);
    }

    #[test]
    fn sets_spread_as_coins_fall() {
        // One access with two other lines between, two sets of one way: neither may share the set.
        let found = StackDistances::of([1, 2, 3, 1]);
        assert!((found.hit_rate_in_sets(2, 1) - 0.25 * 0.25).abs() < 1e-12);
        assert_eq!(found.hit_rate_in_sets(1, 4), found.hit_rate(4));
    }
}
