//! Cache residency of a row when it is touched again.
//!
//! Models: rows in the order of their last use. Between two uses of a row the interpreter touches a number of other bytes;
//! spread evenly over the sets of a cache, they evict the row from a set with the probability that more lines map to it than it
//! has ways, so that a cache that is nearly full still holds a part. Dirty lines are written back on eviction.
//! Leaves out: useless prefetches; other activity on the core; the replacement order within a set.
//! Units: bytes; fractions of a row's lines.
//! Sources: Hill and Smith 1989 (sets from distances); Mattson et al. 1970 (distances).

use super::preset::Cache;
use super::work::DataRow;

/// Number of cache levels.
pub const LEVELS: usize = 3;

/// Fraction of a row's lines transferred from and to the next level, for each level.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Crossing {
    pub fetched: [f64; LEVELS],
    pub written_back: [f64; LEVELS],
}

impl Crossing {
    pub fn add(&mut self, other: &Crossing) {
        for level in 0..LEVELS {
            self.fetched[level] += other.fetched[level];
            self.written_back[level] += other.written_back[level];
        }
    }
}

/// A row and its block; slots are shared by all blocks.
pub type Name = (DataRow, u32);

struct Known {
    name: Name,
    bytes: f64,
    /// Fraction modified since it entered each level.
    changed: [f64; LEVELS],
}

/// Rows in the order of their last use, the most recent first.
pub struct Residency<'a> {
    caches: &'a [Cache; LEVELS],
    rows: Vec<Known>,
    /// Sum of reuse distances of slots in bytes, and their number.
    reused: [f64; 2],
}

impl<'a> Residency<'a> {
    pub fn new(caches: &'a [Cache; LEVELS]) -> Self {
        Residency {
            caches,
            rows: Vec::new(),
            reused: [0.0; 2],
        }
    }

    /// Mean reuse distance of slots, in bytes.
    pub fn reuse_bytes(&self) -> f64 {
        self.reused[0] / self.reused[1].max(1.0)
    }

    /// Uses a row of `bytes` bytes and returns the transfers.
    pub fn touch(&mut self, name: Name, bytes: f64, writes: bool) -> Crossing {
        let mut distance = bytes;
        let found = self.rows.iter().position(|row| {
            let is_it = row.name == name;
            if !is_it {
                distance += row.bytes;
            }
            is_it
        });
        let (mut row, held) = match found {
            Some(place) => {
                if matches!(name.0, DataRow::Slot(_)) {
                    self.reused[0] += distance;
                    self.reused[1] += 1.0;
                }
                (self.rows.remove(place), self.held(distance))
            }
            None => {
                let changed = [0.0; LEVELS];
                let row = Known {
                    name,
                    bytes,
                    changed,
                };
                (row, [0.0; LEVELS])
            }
        };
        let mut crossing = Crossing::default();
        for (level, held) in held.into_iter().enumerate() {
            crossing.fetched[level] = 1.0 - held;
            crossing.written_back[level] = (1.0 - held) * row.changed[level];
            row.changed[level] = if writes {
                1.0
            } else {
                row.changed[level] * held
            };
        }
        row.bytes = bytes;
        self.rows.insert(0, row);
        crossing
    }

    /// Fraction of a row that each level still holds at this reuse distance. Lines found in one level count as held in the next
    /// ones.
    fn held(&self, distance: f64) -> [f64; LEVELS] {
        let mut least: f64 = 0.0;
        std::array::from_fn(|level| {
            least = least.max(self.caches[level].holds(distance));
            least
        })
    }
}

impl Cache {
    /// Fraction of a row that is still cached at this reuse distance, which includes the row itself.
    pub fn holds(&self, distance: f64) -> f64 {
        if self.bytes <= 0.0 {
            return 0.0;
        }
        // Lines that map to a set, on average: a Poisson distribution.
        let mean = distance / self.bytes * self.ways;
        let mut term = (-mean).exp();
        let mut below = 0.0;
        let mut lines = 0.0;
        while lines < self.ways {
            below += term;
            lines += 1.0;
            term *= mean / lines;
        }
        below.min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(bytes: f64) -> Cache {
        Cache {
            bytes,
            ways: 12.0,
            read_bytes_per_cycle: 64.0,
            write_bytes_per_cycle: 64.0,
        }
    }

    #[test]
    fn a_cache_holds_less_and_less() {
        let l1 = cache(49152.0);
        let held = [0.0, 8192.0, 32768.0, 49152.0, 65536.0, 131072.0].map(|d| l1.holds(d));
        assert!(held.is_sorted_by(|a, b| a >= b), "{held:?}");
        assert!(held[1] > 0.99 && held[5] < 0.01, "{held:?}");
        assert!((0.3..0.6).contains(&held[3]), "{held:?}");
    }

    #[test]
    fn what_was_changed_is_written_back_when_it_leaves() {
        let caches = [cache(49152.0), cache(1e6), cache(1e7)];
        let mut rows = Residency::new(&caches);
        let row = |n| (DataRow::Slot(n), 0);
        rows.touch(row(0), 4096.0, true);
        let near = rows.touch(row(0), 4096.0, false);
        assert!(
            near.fetched[0] < 0.01 && near.written_back[0] < 0.01,
            "{near:?}"
        );
        rows.touch(row(1), 262_144.0, false);
        let far = rows.touch(row(0), 4096.0, false);
        assert!(
            far.fetched[0] > 0.99 && far.written_back[0] > 0.9,
            "{far:?}"
        );
        assert!(far.fetched[1] < 0.01, "{far:?}");
    }
}
