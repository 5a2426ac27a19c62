//! A set-associative cache with timing: the L1, the L2 or one SMX's share of it, and the instruction caches.
//!
//! Models: sets, ways, hashed set index, replacement (LRU, random or by rows, see `rows.rs`), dirty bits, and the
//! cycle at which a line that is being filled becomes usable (a hit on a pending fill waits for it).
//! Leaves out: data; a limit on outstanding fills (the port behind the cache limits them).
//! Units: byte addresses, cycles.
//! Sources: Fermi's index hash as in GPGPU-Sim's `gpu-cache.cc` (Nugteren et al., HPCA 2014); Kepler's
//! L1 is known not to be LRU (Jia et al. 2018, arXiv 1804.06826).

mod index;
mod rows;

use super::spec::{CacheSpec, Replacement, RowSpec};
use index::{ByteFlips, row_of};
use rows::{Place, RowReplacement};

/// Line-address tag of an empty way.
const EMPTY: u32 = u32::MAX;
/// Tags compared at a time.
const GROUP: usize = 4;

/// State of a line besides its tag.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    /// Cycle from which the data is usable.
    ready_at: u64,
    last_use: u32,
    dirty: bool,
    /// Sectors present or being filled, and those of the last fill, to which `ready_at` applies.
    sectors: u8,
    filling: u8,
}

impl Line {
    /// A line requested just now.
    fn coming(use_number: u32, store: bool, sectors: u8) -> Line {
        Line {
            ready_at: 0,
            last_use: use_number,
            dirty: store,
            sectors,
            filling: sectors,
        }
    }
}

/// All sectors of a line.
const WHOLE: u8 = u8::MAX;

/// Outcome of one line access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// The line is present, usable from `ready_at`.
    Hit { ready_at: u64 },
    /// The line was allocated; the caller sets its fill cycle with [`Cache::fill_at`].
    Miss {
        way: u32,
        evicted_dirty: Option<u32>,
        /// Cycle at which the way is free: later than now when all lines of the set are being filled, and
        /// fills hold their lines.
        free_at: u64,
    },
}

/// Tags, replacement state and fill times of one cache.
#[derive(Debug, Clone)]
pub struct Cache {
    spec: CacheSpec,
    /// Usable ways of a set, or lines of a row.
    ways: u32,
    line_shift: u32,
    sector_shift: u32,
    /// Set after set (or row after row), each in whole groups; apart from the rest, so that a set is searched within one line of the
    /// host's cache.
    tags: Vec<[u32; GROUP]>,
    groups_per_set: usize,
    /// Number of ways that hold a line, by set: always the first ones, as ways are never emptied without rows.
    filled: Vec<u32>,
    /// One line per tag, and one that represents no place.
    lines: Vec<Line>,
    rows: Option<Box<RowReplacement>>,
    flips: Option<ByteFlips>,
    uses: u32,
    random: u32,
    /// Cycle of the access.
    now: u64,
}

impl Cache {
    /// An empty cache; `seed` starts the replacement generator.
    pub fn new(spec: CacheSpec, seed: u32) -> Self {
        let (sets, ways) = match &spec.rows {
            Some(rows) => (spec.sets * rows.rows_per_set, rows.lines_per_row),
            None => (spec.sets, spec.usable_ways()),
        };
        let groups_per_set = (ways as usize).div_ceil(GROUP);
        let sets = sets as usize;
        Cache {
            line_shift: spec.line_bytes.trailing_zeros(),
            sector_shift: spec.sector_bytes.trailing_zeros(),
            tags: vec![[EMPTY; GROUP]; sets * groups_per_set],
            groups_per_set,
            filled: vec![0; sets],
            lines: vec![Line::default(); sets * groups_per_set * GROUP + 1],
            rows: spec
                .rows
                .map(|rows| Box::new(RowReplacement::new(&spec, rows))),
            flips: ByteFlips::new(&spec),
            ways,
            uses: 0,
            now: 0,
            random: seed | 1,
            spec,
        }
    }

    /// Looks the line of `address` up and allocates it when absent. `store` marks it dirty.
    #[inline]
    pub fn access(&mut self, address: u32, store: bool) -> Lookup {
        self.access_sectors(address, WHOLE, store)
    }

    /// Accesses the sectors that hold `bytes` from `address` on, within a line; a line without them misses ([`Cache::access`]).
    #[inline]
    pub fn access_part(&mut self, address: u32, bytes: u32, store: bool) -> Lookup {
        let sectors = match bytes < self.spec.line_bytes && self.sector_shift < self.line_shift {
            true => self.sectors_of(address, bytes),
            false => WHOLE,
        };
        self.access_sectors(address, sectors, store)
    }

    fn sectors_of(&self, address: u32, bytes: u32) -> u8 {
        let first = (address & (self.spec.line_bytes - 1)) >> self.sector_shift;
        let n = bytes.div_ceil(self.spec.sector_bytes);
        (((1u32 << n) - 1) << first) as u8
    }

    #[inline]
    fn access_sectors(&mut self, address: u32, sectors: u8, store: bool) -> Lookup {
        let tag = address >> self.line_shift;
        let set = self.set_of(tag) as usize;
        let groups = set * self.groups_per_set;
        let start = groups * GROUP;
        self.uses += 1;
        if let Some(way) = position(&self.tags[groups..groups + self.groups_per_set], tag) {
            // In rows the order is that of coming, or of losing protection, which a hit of another line may bring.
            let stamped = match &mut self.rows {
                Some(rows) => rows.hit(set, way),
                None => Some(way),
            };
            if let Some(stamped) = stamped {
                self.lines[start + stamped].last_use = self.uses;
            }
            let line = &mut self.lines[start + way];
            line.dirty |= store;
            if line.sectors & sectors != sectors {
                line.sectors |= sectors;
                line.filling = sectors;
                return Lookup::Miss {
                    way: (start + way) as u32,
                    evicted_dirty: None,
                    free_at: 0,
                };
            }
            return Lookup::Hit {
                ready_at: if line.filling & sectors == 0 {
                    0
                } else {
                    line.ready_at
                },
            };
        }
        if self.rows.is_some() {
            return self.allocate_in_rows(set, tag, sectors, store);
        }
        let filled = &mut self.filled[set];
        let way = if *filled < self.ways {
            *filled += 1;
            *filled as usize - 1
        } else {
            self.victim(start)
        };
        let index = start + way;
        let old_tag = std::mem::replace(&mut self.tags[index / GROUP][index % GROUP], tag);
        let old = self.lines[index];
        self.lines[index] = Line::coming(self.uses, store, sectors);
        let evicted_dirty = (old_tag != EMPTY && old.dirty).then_some(old_tag << self.line_shift);
        Lookup::Miss {
            way: index as u32,
            evicted_dirty,
            free_at: if self.spec.fills_hold_lines {
                old.ready_at
            } else {
                0
            },
        }
    }

    /// Allocates a place for a line in its row, if there is one.
    fn allocate_in_rows(&mut self, row: usize, tag: u32, sectors: u8, store: bool) -> Lookup {
        let Some(rows) = &mut self.rows else {
            unreachable!("asked for with rows only")
        };
        let nowhere = self.lines.len() - 1;
        let mut evicted_dirty = None;
        match rows.make_place(row, &self.tags, &self.lines, self.now) {
            Place::Free => {}
            Place::None => {
                return Lookup::Miss {
                    way: nowhere as u32,
                    evicted_dirty: None,
                    free_at: 0,
                };
            }
            Place::InsteadOf { row, way } => {
                rows.left(row, way);
                let index = row * self.groups_per_set * GROUP + way;
                let old = std::mem::replace(&mut self.tags[index / GROUP][index % GROUP], EMPTY);
                evicted_dirty = (self.lines[index].dirty).then_some(old << self.line_shift);
            }
        }
        rows.came(row);
        let groups = row * self.groups_per_set;
        let ways = groups * GROUP..groups * GROUP + rows.lines_per_row();
        let empty = |index: &usize| self.tags[index / GROUP][index % GROUP] == EMPTY;
        let index = ways.clone().find(empty).unwrap_or(ways.start);
        self.tags[index / GROUP][index % GROUP] = tag;
        self.lines[index] = Line::coming(self.uses, store, sectors);
        Lookup::Miss {
            way: index as u32,
            evicted_dirty,
            free_at: 0,
        }
    }

    /// Returns the place of the line of `address`, counted way by way and set after set; `None` if it is not present.
    pub fn place_of(&self, address: u32) -> Option<u32> {
        let tag = address >> self.line_shift;
        let set = self.set_of(tag) as usize;
        let groups = set * self.groups_per_set;
        let way = position(&self.tags[groups..groups + self.groups_per_set], tag)?;
        Some(set as u32 * self.ways + way as u32)
    }

    /// Returns the number of sets and of ways; of rows and of their lines in a cache of rows.
    pub fn shape(&self) -> (u32, u32) {
        (self.filled.len() as u32, self.ways)
    }

    /// Sets the cycle in which the line that [`Lookup::Miss`] allocated is filled.
    #[inline]
    pub fn fill_at(&mut self, way: u32, cycle: u64) {
        self.lines[way as usize].ready_at = cycle;
    }

    /// Sets the cycle of the following accesses: lines with later fill cycles are still being filled.
    #[inline]
    pub fn now(&mut self, cycle: u64) {
        self.now = cycle;
    }

    fn victim(&mut self, start: usize) -> usize {
        let ways = self.ways as usize;
        let set = &self.lines[start..start + ways];
        let holds = self.spec.fills_hold_lines;
        let free = |way: &usize| !holds || set[*way].ready_at <= self.now;
        let victim = match self.spec.replacement {
            Replacement::Random => {
                // xorshift32 (Marsaglia 2003): a stand-in for the unknown hardware choice.
                self.random ^= self.random << 13;
                self.random ^= self.random >> 17;
                self.random ^= self.random << 5;
                let first = ((u64::from(self.random) * ways as u64) >> 32) as usize;
                (first..ways).chain(0..first).find(free)
            }
            Replacement::Lru | Replacement::Rows => {
                (0..ways).filter(free).min_by_key(|&way| set[way].last_use)
            }
        };
        victim.unwrap_or_else(|| {
            let first = (0..ways).min_by_key(|&way| set[way].ready_at);
            first.unwrap_or(0)
        })
    }

    #[inline]
    fn set_of(&self, tag: u32) -> u32 {
        match &self.flips {
            Some(flips) => flips.of(tag),
            None => row_of(&self.spec, tag),
        }
    }
}

/// The way with a tag. All tags of a group are compared, so that the host has no branch to guess but the last.
#[inline]
fn position(set: &[[u32; GROUP]], tag: u32) -> Option<usize> {
    let mut found = usize::MAX;
    for (group, tags) in set.iter().enumerate() {
        for (i, &other) in tags.iter().enumerate() {
            found = if other == tag {
                GROUP * group + i
            } else {
                found
            };
        }
    }
    (found != usize::MAX).then_some(found)
}

#[cfg(test)]
mod tests;
