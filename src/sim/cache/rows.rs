//! Replacement in sets of rows, as in the L1 of compute capability 9.0.
//!
//! Models: a set has a capacity in lines, shared by its rows. A new line evicts one of its own row if that row is full. If the
//! set is full, a clock hand goes round the rows and evicts from the first that has an evictable line. The lines of a row's last
//! hits are protected; the others leave in the order in which they came or lost protection. A row with only protected lines
//! evicts that of the oldest hit. Lines being filled are not evicted.
//! Leaves out: evictions of several lines at a time, which sometimes occur.
//! Sources: `docs/h200.md`, "How its L1 replaces lines"; tested against the measurements there, access by access.

use super::{CacheSpec, EMPTY, GROUP, Line, RowSpec};

/// Largest number of hits that a row remembers.
const MOST_HITS: usize = 4;

/// The last hits of a row by way, oldest first, and how many lines it holds.
#[derive(Debug, Clone, Copy, Default)]
struct RowState {
    hits: [u8; MOST_HITS],
    n_hits: u8,
    n_lines: u8,
}

impl RowState {
    fn protected(&self) -> &[u8] {
        &self.hits[..usize::from(self.n_hits)]
    }

    /// Drops a way's line and its hits.
    fn forget(&mut self, way: usize) {
        let mut kept = 0;
        for i in 0..usize::from(self.n_hits) {
            if usize::from(self.hits[i]) != way {
                self.hits[kept] = self.hits[i];
                kept += 1;
            }
        }
        self.n_hits = kept as u8;
        self.n_lines -= 1;
    }
}

/// Replacement state of all rows of a cache.
#[derive(Debug, Clone)]
pub(super) struct RowReplacement {
    spec: RowSpec,
    /// Capacity of a set in lines.
    capacity: u32,
    fills_hold_lines: bool,
    /// Row after row, set after set.
    rows: Vec<RowState>,
    /// Lines in use by set.
    used: Vec<u32>,
    hands: Vec<u32>,
    /// A bit for every row that holds a line, set after set.
    taken: Vec<u64>,
}

/// Place for a new line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Free space in the row and the set.
    Free,
    /// Replaces the line in this way of this row.
    InsteadOf { row: usize, way: usize },
    /// No place: every candidate is being filled.
    None,
}

impl RowReplacement {
    pub(super) fn new(cache: &CacheSpec, spec: RowSpec) -> RowReplacement {
        let sets = cache.sets as usize;
        RowReplacement {
            capacity: cache.usable_ways(),
            fills_hold_lines: cache.fills_hold_lines,
            rows: vec![RowState::default(); sets * spec.rows_per_set as usize],
            used: vec![0; sets],
            hands: vec![0; sets],
            taken: vec![0; sets * (spec.rows_per_set as usize).div_ceil(64)],
            spec,
        }
    }

    pub(super) fn lines_per_row(&self) -> usize {
        self.spec.lines_per_row as usize
    }

    /// Records a hit; returns the way whose line loses protection, if any.
    #[inline]
    pub(super) fn hit(&mut self, row: usize, way: usize) -> Option<usize> {
        let most = (self.spec.protected_hits as usize).min(MOST_HITS);
        if most == 0 {
            return None;
        }
        let row = &mut self.rows[row];
        let n = usize::from(row.n_hits);
        if n < most {
            row.hits[n] = way as u8;
            row.n_hits += 1;
            return None;
        }
        let oldest = row.hits[0];
        row.hits.copy_within(1..n, 0);
        row.hits[n - 1] = way as u8;
        (!row.protected().contains(&oldest)).then_some(usize::from(oldest))
    }

    /// Selects the line that a new line of `row` evicts, and moves the hand.
    pub(super) fn make_place(
        &mut self,
        row: usize,
        tags: &[[u32; GROUP]],
        lines: &[Line],
        now: u64,
    ) -> Place {
        if u32::from(self.rows[row].n_lines) == self.spec.lines_per_row {
            return match self.leaves(row, tags, lines, now) {
                Some(way) => Place::InsteadOf { row, way },
                None => Place::None,
            };
        }
        let per_set = self.spec.rows_per_set as usize;
        let set = row / per_set;
        if self.used[set] < self.capacity {
            return Place::Free;
        }
        let start = self.hands[set] as usize;
        let mut passed = 0;
        while let Some(at) = self.next_taken(set, (start + passed) % per_set) {
            passed += (at + per_set - (start + passed) % per_set) % per_set + 1;
            if passed > per_set {
                break;
            }
            let row = set * per_set + at;
            if let Some(way) = self.leaves(row, tags, lines, now) {
                self.hands[set] = ((at + 1) % per_set) as u32;
                return Place::InsteadOf { row, way };
            }
        }
        Place::None
    }

    /// The first row of a set from `from` on, all round, that holds a line.
    #[inline]
    fn next_taken(&self, set: usize, from: usize) -> Option<usize> {
        let words = (self.spec.rows_per_set as usize).div_ceil(64);
        let taken = &self.taken[set * words..(set + 1) * words];
        let first = taken[from / 64] & (u64::MAX << (from % 64));
        if first != 0 {
            return Some(from / 64 * 64 + first.trailing_zeros() as usize);
        }
        (1..=words).find_map(|step| {
            let word = (from / 64 + step) % words;
            let bits = taken[word];
            (bits != 0).then(|| word * 64 + bits.trailing_zeros() as usize)
        })
    }

    /// The word and bit of a row among those that hold lines.
    #[inline]
    fn bit(&self, row: usize) -> (usize, u64) {
        let per_set = self.spec.rows_per_set as usize;
        let (set, at) = (row / per_set, row % per_set);
        (set * per_set.div_ceil(64) + at / 64, 1 << (at % 64))
    }

    /// The way of a row whose line is evicted next.
    fn leaves(&self, row: usize, tags: &[[u32; GROUP]], lines: &[Line], now: u64) -> Option<usize> {
        let state = &self.rows[row];
        if state.n_lines == 0 {
            return None;
        }
        let groups = (self.spec.lines_per_row as usize).div_ceil(GROUP);
        let first = row * groups;
        let line = |way: usize| &lines[first * GROUP + way];
        let can = |way: usize| !self.fills_hold_lines || line(way).ready_at <= now;
        let mut next: Option<usize> = None;
        for way in 0..self.spec.lines_per_row as usize {
            let held = tags[first + way / GROUP][way % GROUP] != EMPTY;
            if !held || state.protected().contains(&(way as u8)) || !can(way) {
                continue;
            }
            if next.is_none_or(|next| line(way).last_use < line(next).last_use) {
                next = Some(way);
            }
        }
        let protected = state.protected().iter().map(|&way| usize::from(way));
        next.or_else(|| protected.into_iter().find(|&way| can(way)))
    }

    /// Removes a line from its row.
    #[inline]
    pub(super) fn left(&mut self, row: usize, way: usize) {
        self.rows[row].forget(way);
        if self.rows[row].n_lines == 0 {
            let (word, bit) = self.bit(row);
            self.taken[word] &= !bit;
        }
        self.used[row / self.spec.rows_per_set as usize] -= 1;
    }

    /// Adds a line to its row.
    #[inline]
    pub(super) fn came(&mut self, row: usize) {
        self.rows[row].n_lines += 1;
        let (word, bit) = self.bit(row);
        self.taken[word] |= bit;
        self.used[row / self.spec.rows_per_set as usize] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::spec::{BitFlips, Replacement};
    use super::*;

    /// Two sets of `rows_per_set` rows.
    fn rows(rows_per_set: u32) -> RowReplacement {
        let spec = RowSpec {
            rows_per_set,
            lines_per_row: 2,
            index: BitFlips::new(&[0, 1, 2, 3, 4, 5, 6, 7], 256).expect("eight bits"),
            protected_hits: 2,
        };
        let cache = CacheSpec {
            replacement: Replacement::Rows,
            rows: Some(spec),
            ..CacheSpec::new(2, 4, 128)
        };
        RowReplacement::new(&cache, spec)
    }

    proptest::proptest! {
        /// More rows than a word has bits, and no whole words.
        #[test]
        fn the_next_row_with_a_line_is_found_in_every_word(
            held in proptest::collection::btree_set(0usize..2 * 200, 0..12), from in 0usize..200
        ) {
            let mut rows = rows(200);
            for row in &held {
                rows.came(*row);
            }
            for set in 0..2 {
                let holds = |at: &usize| held.contains(&(200 * set + at));
                let expected = (from..200).chain(0..from).find(holds);
                proptest::prop_assert_eq!(rows.next_taken(set, from), expected);
            }
        }
    }
}
