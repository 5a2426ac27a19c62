//! Hit rates of every L1 from one pass over the local-memory accesses of the warps that are resident together.
//!
//! What it does: interleaves the traces of resident warps, each in turn until it waits for a stack load or ends a token; for
//! every number of sets notes how many accesses to a set lie between two accesses to one line. Under random replacement a line of `A` ways survives one miss in
//! its set with `1 - 1/A`, and misses come evenly among the accesses to the set: one equation per set and number of
//! ways gives its hit rate. LRU caches come from stack distances.
//! What it leaves out: time; bursts of misses. Units: accesses of one line.
//! Sources: equations (22) to (24) of `docs/model.md`; Berg and Hagersten, StatCache, ISPASS 2004; Hill and Smith, IEEE
//! Trans. Computers 38 (1989), for one pass over many geometries.

use std::ops::Range;

use super::stack_distance::StackDistances;
use crate::launch::code::{MemoryRequest, ReplayCode};
use crate::launch::spec::{CacheSpec, Replacement, SetIndex};

/// Doublings of the number of sets: 1 to 4096.
const SET_COUNTS: usize = 13;
/// Histogram bins per doubling.
const BINS_PER_OCTAVE: f64 = 4.0;
const BINS: usize = 4 * 24;
const HALVINGS: u32 = 30;

/// The warps whose stacks share the cache.
#[derive(Debug, Clone, Copy)]
pub struct Residents<'a> {
    pub code: &'a ReplayCode,
    /// Programs of the blocks, in the order in which they start.
    pub sample: &'a [u32],
    pub blocks: u32,
    pub warps_per_block: u32,
    /// Iterations of the case loop that a block runs.
    pub iterations: u32,
    /// Bytes between the frames of neighbouring warps.
    pub stride_bytes: u32,
}

/// One access of a warp: 32 lanes of one word, which is one line of 128 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Byte address of lane 0.
    pub address: u32,
    pub store: bool,
}

/// Bytes of one word of all lanes.
const ROW_BYTES: u32 = 128;

/// A block that runs: its program's steady segments, and where each of its warps is.
struct Running<'a> {
    list: &'a [u32],
    warps: Vec<Place>,
}

/// Next segment of a warp, counted over all iterations, and the next turn within it.
#[derive(Clone, Copy)]
struct Place {
    segment: usize,
    turn: usize,
}

impl Residents<'_> {
    /// The accesses of the resident warps, at least `n` of them: every warp in turn executes until it waits for a stack load
    /// or ends a token. When a block ends the next program takes its frames.
    pub fn accesses(&self, n: usize) -> Vec<Access> {
        let turns = Turns::new(self.code);
        let mut next = self
            .sample
            .iter()
            .cycle()
            .map(|&program| self.list(program));
        let mut start = |stagger: bool| -> Running<'_> {
            let list = next.next().unwrap_or(&[]);
            // Warps that began together have drifted apart.
            let spread = |warp: u32| {
                let part = (f64::from(warp) * 0.618_034).fract() * f64::from(u8::from(stagger));
                Place {
                    segment: (part * list.len() as f64) as usize,
                    turn: 0,
                }
            };
            Running {
                list,
                warps: (0..self.warps_per_block).map(spread).collect(),
            }
        };
        let mut blocks: Vec<Running> = (0..self.blocks).map(|_| start(true)).collect();
        // Slots of the blocks, the oldest first.
        let mut by_age: Vec<usize> = (0..blocks.len()).collect();
        let mut all = Vec::with_capacity(n + 64);
        let mut idle_rounds = 0;
        while all.len() < n && idle_rounds < 1000 {
            let before = all.len();
            let mut ended = Vec::new();
            for &slot in &by_age {
                let block = &mut blocks[slot];
                let end = block.list.len() * self.iterations.max(1) as usize;
                let mut over = true;
                for (warp, place) in block.warps.iter_mut().enumerate() {
                    if place.segment >= end {
                        continue;
                    }
                    over = false;
                    let frame =
                        (slot as u32 * self.warps_per_block + warp as u32) * self.stride_bytes;
                    let segment = block.list[place.segment % block.list.len()];
                    turns.execute(segment, place, frame, &mut all);
                }
                if over {
                    *block = start(false);
                    ended.push(slot);
                }
            }
            by_age.retain(|slot| !ended.contains(slot));
            by_age.extend(ended);
            idle_rounds = if all.len() == before {
                idle_rounds + 1
            } else {
                0
            };
        }
        all
    }

    fn list(&self, program: u32) -> &[u32] {
        let steady = &self.code.programs[program as usize].steady;
        &self.code.lists[steady.start as usize..steady.end as usize]
    }
}

/// The accesses of every segment, cut where a warp waits for a stack load.
struct Turns {
    /// Of every segment: its turns as ranges of `accesses`.
    segments: Vec<Vec<Range<usize>>>,
    accesses: Vec<Access>,
}

impl Turns {
    fn new(code: &ReplayCode) -> Self {
        let mut accesses = Vec::new();
        let segments = code.segments.iter().map(|&(start, end)| {
            let mut turns = Vec::new();
            let (mut first, mut pending) = (accesses.len(), 0u64);
            for op in &code.ops[start as usize..end as usize] {
                if op.registers & pending != 0 {
                    pending = 0;
                    turns.push(first..accesses.len());
                    first = accesses.len();
                }
                let store = op.request == MemoryRequest::LocalStore;
                if store || op.request == MemoryRequest::LocalLoad {
                    let rows = 0..u32::from(op.lines);
                    accesses.extend(rows.map(|row| Access {
                        address: ROW_BYTES * (op.address / 4 + row),
                        store,
                    }));
                    pending |= op.load_targets;
                }
            }
            turns.push(first..accesses.len());
            turns
        });
        let segments = segments.collect();
        Turns { segments, accesses }
    }

    /// One turn of a warp whose frame begins at `frame`.
    fn execute(&self, segment: u32, place: &mut Place, frame: u32, all: &mut Vec<Access>) {
        let turns = &self.segments[segment as usize];
        let made = &self.accesses[turns[place.turn].clone()];
        all.extend(made.iter().map(|access| Access {
            address: frame + access.address,
            ..*access
        }));
        place.turn += 1;
        if place.turn == turns.len() {
            *place = Place {
                segment: place.segment + 1,
                turn: 0,
            };
        }
    }
}

/// Hit rates, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HitRates {
    pub loads: f64,
    pub stores: f64,
}

/// Reuse of one set: accesses to the set since the last access to the same line, by loads and stores.
#[derive(Debug, Clone)]
struct SetReuse {
    bins: [[u32; BINS]; 2],
    cold: [u32; 2],
    clock: u32,
    /// Lines that map to the set.
    lines: u32,
}

impl Default for SetReuse {
    fn default() -> Self {
        SetReuse {
            bins: [[0; BINS]; 2],
            cold: [0; 2],
            clock: 0,
            lines: 0,
        }
    }
}

/// What one pass found, for one size of line.
#[derive(Debug)]
pub struct OnePass {
    line_bytes: u32,
    /// By doubling of the number of sets.
    sets: Vec<Vec<SetReuse>>,
    /// Stack distances of loads and stores, for LRU.
    distances: [StackDistances; 2],
}

impl OnePass {
    /// Counts the reuse of `accesses` in caches of `line_bytes` lines that index their sets by `index`; the first `warm_up`
    /// accesses only fill them.
    pub fn new(accesses: &[Access], line_bytes: u32, index: SetIndex, warm_up: usize) -> Self {
        let lines = lines(accesses, line_bytes);
        let per_access = lines.len() / accesses.len().max(1);
        let highest = lines.iter().map(|line| line.0).max().unwrap_or(0) as usize;
        let sets = (0..SET_COUNTS)
            .map(|doubling| {
                let n_sets = 1u32 << doubling;
                let mut last = vec![0u32; highest + 1];
                let mut sets = vec![SetReuse::default(); n_sets as usize];
                for (now, &(line, store)) in lines.iter().enumerate() {
                    let counted = now >= warm_up * per_access;
                    let set = &mut sets[index.set_of(line, n_sets) as usize];
                    set.touch(&mut last[line as usize], usize::from(store), counted);
                }
                sets
            })
            .collect();
        OnePass {
            line_bytes,
            sets,
            distances: StackDistances::of_two(lines),
        }
    }

    /// Hit rates of a cache with these sets and ways.
    pub fn hit_rates(&self, cache: &CacheSpec) -> Option<HitRates> {
        if cache.line_bytes != self.line_bytes || !cache.sets.is_power_of_two() {
            return None;
        }
        if cache.replacement == Replacement::Lru {
            let [loads, stores] = &self.distances;
            return Some(HitRates {
                loads: loads.hit_rate_in_sets(cache.sets, cache.ways),
                stores: stores.hit_rate_in_sets(cache.sets, cache.ways),
            });
        }
        let sets = self.sets.get(cache.sets.trailing_zeros() as usize)?;
        let mut misses = [0.0; 2];
        let mut accesses = [0.0; 2];
        for set in sets {
            let rate = set.miss_rate(f64::from(cache.ways));
            for kind in 0..2 {
                misses[kind] += set.misses(kind, rate, f64::from(cache.ways));
                accesses[kind] += set.accesses(kind);
            }
        }
        let hits = |kind: usize| 1.0 - misses[kind] / f64::max(accesses[kind], 1.0);
        Some(HitRates {
            loads: hits(0),
            stores: hits(1),
        })
    }
}

/// Line addresses: wide lines hold several rows, narrow ones a part of a row.
fn lines(accesses: &[Access], line_bytes: u32) -> Vec<(u32, bool)> {
    let per_row = (ROW_BYTES / line_bytes).max(1);
    let of = |access: &Access| {
        let first = access.address / line_bytes;
        let store = access.store;
        (first..first + per_row).map(move |line| (line, store))
    };
    accesses.iter().flat_map(of).collect()
}

impl SetReuse {
    fn touch(&mut self, last: &mut u32, kind: usize, counted: bool) {
        self.clock += 1;
        self.lines += u32::from(*last == 0);
        if counted {
            match *last {
                0 => self.cold[kind] += 1,
                before => self.bins[kind][bin(self.clock - before)] += 1,
            }
        }
        *last = self.clock;
    }

    fn accesses(&self, kind: usize) -> f64 {
        let reused: u32 = self.bins[kind].iter().sum();
        f64::from(reused + self.cold[kind])
    }

    /// **(23)** Misses if a part `rate` of the accesses to the set misses: of `t` accesses since the last touch, `t x rate`
    /// evicted something, each time this line with `1 / ways`.
    fn misses(&self, kind: usize, rate: f64, ways: f64) -> f64 {
        let log_keep = (1.0 - 1.0 / ways).ln();
        let gone = |(bin, &n): (usize, &u32)| {
            let evictions = rate * (between(bin) - 1.0).max(0.0);
            -f64::from(n) * (evictions * log_keep).exp_m1()
        };
        let used = self.bins[kind].iter().enumerate().filter(|(_, n)| **n > 0);
        used.map(gone).sum::<f64>() + f64::from(self.cold[kind])
    }

    /// **(24)** The rate that agrees with itself. One way evicts with every miss.
    fn miss_rate(&self, ways: f64) -> f64 {
        let accesses = self.accesses(0) + self.accesses(1);
        if accesses == 0.0 || f64::from(self.lines) <= ways {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let misses = self.misses(0, middle, ways) + self.misses(1, middle, ways);
            if misses / accesses > middle {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}

fn bin(time: u32) -> usize {
    ((BINS_PER_OCTAVE * f64::from(time).log2()).round() as usize).min(BINS - 1)
}

fn between(bin: usize) -> f64 {
    (bin as f64 / BINS_PER_OCTAVE).exp2()
}
