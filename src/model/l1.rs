//! L1 misses of stack accesses by warps that share its sets.
//!
//! Models: the true set of every line of every resident warp (address layout and index hash); in each set the survival time at
//! which the expected number of resident lines equals the ways; fitness cases that share the L1; programs that touch different
//! lines. One curve over the number of warps covers every block size.
//! Leaves out: warps that run ahead of others; that lines in flight are not replaced.
//! Units: lines, per warp instruction of a warp.
//! Sources: equations (13) and (14) of `docs/model.md`.

use crate::util::elementary::{exp2, log2};
use std::collections::BTreeMap;

use super::locality::{GRID, LineRates, Locality, Table, log2_time, presence};
use crate::launch::spec::{CacheSpec, Replacement};

/// Doublings of the request rate by which lines are binned for the L2.
pub const RATE_BINS: usize = 28;

/// Misses of one warp, per warp instruction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Misses {
    pub loads: f64,
    pub stores: f64,
    pub write_backs: f64,
    /// Line loads of levels of which at least one line misses.
    pub waiting_loads: f64,
    /// Load misses shared by a neighbour of the same level.
    pub paired_loads: f64,
    /// Fraction of the loaded fitness-case lines that hit.
    pub case_hit: f64,
}

impl Misses {
    fn between(&self, other: &Misses, part: f64) -> Misses {
        let mix = |a: f64, b: f64| (a + (b - a) * part).max(0.0);
        Misses {
            loads: mix(self.loads, other.loads),
            stores: mix(self.stores, other.stores),
            write_backs: mix(self.write_backs, other.write_backs),
            waiting_loads: mix(self.waiting_loads, other.waiting_loads),
            paired_loads: mix(self.paired_loads, other.paired_loads),
            case_hit: mix(self.case_hit, other.case_hit),
        }
    }
}

/// Lines of one warp with similar L2 request rates.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RateBin {
    pub lines: f64,
    pub fills: f64,
    pub write_backs: f64,
    /// Ticks per warp instruction between a line's eviction and its fill, sum over the lines.
    pub away: f64,
}

/// L1 behaviour with `warps` resident warps.
#[derive(Debug, Clone, PartialEq)]
struct Point {
    warps: u32,
    /// All programs mixed.
    mixed: Misses,
    /// Mean over program classes, with all warps running programs of one class.
    alike: Misses,
    to_l2: [RateBin; RATE_BINS],
}

/// L1 misses as a function of the number of resident warps.
#[derive(Debug, Clone, PartialEq)]
pub struct L1Curve {
    points: Vec<Point>,
}

/// Placement of stack and fitness-case lines in the cache.
#[derive(Debug, Clone, PartialEq)]
pub struct L1Layout<'a> {
    pub cache: &'a CacheSpec,
    /// Bytes between the frames of neighbouring warps.
    pub stride_bytes: u32,
    pub max_warps: u32,
    /// Fetches the line from the L2 when a store misses.
    pub fetches_on_write_miss: bool,
    /// Lines of all rows of fitness cases if the L1 caches them; otherwise 0.
    pub case_lines: f64,
}

/// Numbers of resident warps at which the misses are tabulated.
const WARPS: [u32; 12] = [1, 2, 4, 6, 8, 12, 16, 24, 32, 40, 48, 64];

impl L1Curve {
    pub fn new(layout: &L1Layout, locality: &Locality) -> Self {
        let tables = locality.tables(layout.cache.replacement);
        let mut lines = vec![vec![0u16; locality.words.len()]; layout.cache.sets as usize];
        let mut points = Vec::new();
        let mut done = 0;
        for warps in WARPS.into_iter().filter(|&warps| warps <= layout.max_warps) {
            for slot in done..warps {
                place(layout, locality, slot, &mut lines);
            }
            done = warps;
            let cases = Cases::new(layout, locality, warps);
            points.push(point(layout, &cases, &tables, &lines, warps));
        }
        L1Curve { points }
    }

    /// **(14)** Misses of one of `warps` warps that run `blocks` programs: differences between programs average out as their
    /// number grows.
    pub fn misses(&self, warps: f64, blocks: f64) -> Misses {
        let (low, high, part) = self.neighbours(warps);
        let mixed = low.mixed.between(&high.mixed, part);
        let alike = low.alike.between(&high.alike, part);
        mixed.between(&alike, 1.0 / blocks.max(1.0))
    }

    /// Lines that request data from the L2, binned by their request rate, for all `warps` together.
    pub fn to_l2(&self, warps: f64) -> [RateBin; RATE_BINS] {
        let (low, high, part) = self.neighbours(warps);
        std::array::from_fn(|bin| {
            let (a, b) = (&low.to_l2[bin], &high.to_l2[bin]);
            let mix = |a: f64, b: f64| warps * (a + (b - a) * part);
            RateBin {
                lines: mix(a.lines, b.lines),
                fills: mix(a.fills, b.fills),
                write_backs: mix(a.write_backs, b.write_backs),
                away: mix(a.away, b.away),
            }
        })
    }

    fn neighbours(&self, warps: f64) -> (&Point, &Point, f64) {
        let last = self.points.len() - 1;
        let high = self
            .points
            .iter()
            .position(|point| f64::from(point.warps) >= warps)
            .unwrap_or(last);
        let low = high.saturating_sub(1);
        let (from, to) = (
            f64::from(self.points[low].warps),
            f64::from(self.points[high].warps),
        );
        let part = if to > from {
            ((warps - from) / (to - from)).clamp(0.0, 1.0)
        } else {
            0.0
        };
        (&self.points[low], &self.points[high], part)
    }
}

/// Adds the lines of one warp slot to their sets.
fn place(layout: &L1Layout, locality: &Locality, slot: u32, lines: &mut [Vec<u16>]) {
    let cache = layout.cache;
    let base = slot * (layout.stride_bytes / cache.line_bytes);
    for (level, words) in locality.words.iter().enumerate() {
        for word in words {
            lines[cache.index.set_of(base + word, cache.sets) as usize][level] += 1;
        }
    }
}

/// Fitness cases in one set.
struct Cases {
    /// Lines of all rows.
    lines: f64,
    replacement: Replacement,
    /// Loads of one line per warp instruction by any warp.
    rate: f64,
    /// Fraction of loads that are the first of their iteration.
    first: f64,
    /// Loads per warp instruction of a line that its iteration has loaded before.
    again: f64,
}

impl Cases {
    fn new(layout: &L1Layout, locality: &Locality, warps: u32) -> Cases {
        let all = layout.case_lines;
        let of = |part: f64, of: f64| if of > 0.0 { part / of } else { 0.0 };
        let first = of(locality.first_case_lines, locality.case_lines);
        Cases {
            lines: all / f64::from(layout.cache.sets),
            replacement: layout.cache.replacement,
            rate: of(f64::from(warps) * locality.first_case_lines, all),
            first,
            again: of(1.0, locality.instructions_per_iteration * first),
        }
    }

    /// Expected number of cached lines at the given survival time.
    fn occupancy(&self, log2_time: f64) -> f64 {
        self.lines * presence(self.replacement, self.rate * exp2(log2_time))
    }

    /// **(13a)** Fraction of the loads that hit.
    fn hit(&self, log2_time: Option<f64>) -> f64 {
        let time = match log2_time {
            _ if self.lines == 0.0 => return 0.0,
            None => return 1.0,
            Some(log2_time) => exp2(log2_time),
        };
        let hit = |rate: f64| presence(self.replacement, rate * time);
        self.first * hit(self.rate) + (1.0 - self.first) * hit(self.again)
    }
}

fn point(
    layout: &L1Layout,
    cases: &Cases,
    tables: &[(f64, Vec<Table>)],
    lines: &[Vec<u16>],
    warps: u32,
) -> Point {
    let mut alike_sets: BTreeMap<&[u16], f64> = BTreeMap::new();
    for set in lines {
        *alike_sets.entry(set).or_default() += 1.0;
    }
    let mut point = Point {
        warps,
        mixed: Misses::default(),
        alike: Misses::default(),
        to_l2: [RateBin::default(); RATE_BINS],
    };
    let ways = f64::from(layout.cache.usable_ways());
    for (set, times) in alike_sets {
        let per_warp = times / f64::from(warps);
        for (index, (part, tables)) in tables.iter().enumerate() {
            let time = survival(set, cases, tables, ways);
            let of_sets = times / f64::from(layout.cache.sets) * part;
            let misses = [&mut point.mixed, &mut point.alike];
            let [mixed, alike] = misses;
            let misses = if index == 0 { mixed } else { alike };
            misses.case_hit += of_sets * cases.hit(time);
            let Some(time) = time else {
                continue;
            };
            for (&n, table) in set.iter().zip(tables).filter(|(n, _)| **n > 0) {
                let rates = table.at(time);
                let n = f64::from(n) * per_warp;
                if index == 0 {
                    point.mixed.add(&rates, n);
                    count(&mut point.to_l2, &rates, n, layout.fetches_on_write_miss);
                } else {
                    point.alike.add(&rates, n * part);
                }
            }
        }
    }
    point
}

impl Misses {
    fn add(&mut self, rates: &LineRates, times: f64) {
        self.loads += times * rates.load_misses;
        self.stores += times * rates.store_misses;
        self.write_backs += times * rates.dirty_evictions;
        self.waiting_loads += times * rates.waiting_loads;
        self.paired_loads += times * rates.paired_misses;
    }
}

fn count(bins: &mut [RateBin; RATE_BINS], rates: &LineRates, lines: f64, fetches: bool) {
    let (mut fills, mut away) = (rates.load_misses, rates.away_before_loads);
    if fetches {
        fills += rates.store_misses;
        away += rates.away_before_stores;
    }
    let requests = fills + rates.dirty_evictions;
    if requests <= 0.0 {
        return;
    }
    let bin = &mut bins[(-log2(requests)).clamp(0.0, (RATE_BINS - 1) as f64) as usize];
    bin.lines += lines;
    bin.fills += lines * fills;
    bin.write_backs += lines * rates.dirty_evictions;
    bin.away += lines * away;
}

/// **(13)** Logarithm of the survival time at which a set's expected number of lines equals its ways; `None` if all fit.
fn survival(set: &[u16], cases: &Cases, tables: &[Table], ways: f64) -> Option<f64> {
    let lines = set.iter().map(|n| u32::from(*n)).sum::<u32>();
    if f64::from(lines) + cases.lines <= ways {
        return None;
    }
    let mut resident = [0.0; GRID];
    if cases.lines > 0.0 {
        resident = std::array::from_fn(|index| cases.occupancy(log2_time(index as f64)));
    }
    for (&n, table) in set.iter().zip(tables).filter(|(n, _)| **n > 0) {
        for (sum, rates) in resident.iter_mut().zip(&table.0) {
            *sum += f64::from(n) * rates.occupancy;
        }
    }
    let high = resident.iter().position(|&lines| lines >= ways)?;
    if high == 0 {
        return Some(log2_time(0.0));
    }
    let (below, above) = (resident[high - 1], resident[high]);
    let part = (ways - below) / (above - below).max(f64::MIN_POSITIVE);
    Some(log2_time((high - 1) as f64 + part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Space;
    use crate::launch::code::ReplayCode;
    use crate::launch::testing::{load, looped, store};
    use crate::model::tests::inputs;

    fn misses(loads: f64) -> Misses {
        Misses {
            loads,
            ..Misses::default()
        }
    }

    fn curve() -> L1Curve {
        let point = |warps: u32, mixed: f64, alike: f64| Point {
            warps,
            mixed: misses(mixed),
            alike: misses(alike),
            to_l2: [RateBin {
                lines: mixed,
                ..RateBin::default()
            }; RATE_BINS],
        };
        L1Curve {
            points: vec![point(2, 1.0, 3.0), point(4, 2.0, 8.0)],
        }
    }

    #[test]
    fn misses_lie_between_those_of_the_nearest_numbers_of_warps() {
        let loads = |warps: f64| curve().misses(warps, 1e12).loads;
        assert!((loads(2.0) - 1.0).abs() < 1e-9);
        assert!((loads(3.0) - 1.5).abs() < 1e-9);
        assert!((loads(1.0) - 1.0).abs() < 1e-9 && (loads(9.0) - 2.0).abs() < 1e-9);
        assert_eq!(curve().to_l2(3.0)[0].lines, 3.0 * 1.5);
    }

    #[test]
    fn one_block_is_of_one_class_and_many_are_a_mixture() {
        let loads = |blocks: f64| curve().misses(2.0, blocks).loads;
        assert_eq!((loads(1.0), loads(2.0), loads(4.0)), (3.0, 2.0, 1.5));
        assert_eq!(loads(0.5), 3.0, "a part of a block is one");
    }

    /// A warp that walks over its words in turn, each a store and a load; 128-byte lines.
    fn locality(words: u32) -> Locality {
        let mut ops = vec![store(Space::Local, 4); words as usize];
        ops.extend(vec![load(Space::Local, 4); words as usize]);
        let mut code: ReplayCode = looped(&ops);
        for (op, n) in code.ops.iter_mut().zip(0..) {
            op.address = 4 * (n % words);
        }
        Locality::new(&inputs(&code))
    }

    fn of_one_set(ways: u32, words: u32, replacement: Replacement, warps: f64) -> Misses {
        let cache = CacheSpec {
            replacement,
            ..CacheSpec::new(1, ways, 128)
        };
        let layout = L1Layout {
            cache: &cache,
            stride_bytes: 4096,
            max_warps: 4,
            fetches_on_write_miss: true,
            case_lines: 0.0,
        };
        L1Curve::new(&layout, &locality(words)).misses(warps, 1.0)
    }

    /// Eight lines in four ways: the least recently used line is always the next one needed. Half of the instructions load,
    /// half store.
    #[test]
    fn words_in_turn_all_miss_where_one_too_many_shares_a_set() {
        let few = of_one_set(8, 8, Replacement::Lru, 1.0);
        assert_eq!((few.loads, few.stores, few.write_backs), (0.0, 0.0, 0.0));
        let many = of_one_set(4, 8, Replacement::Lru, 1.0);
        assert!((many.loads - 0.5).abs() < 1e-6, "{many:?}");
        assert!((many.stores - 0.5).abs() < 1e-6, "{many:?}");
        assert!((many.write_backs - 0.5).abs() < 1e-6, "{many:?}");
        // Two warps have as many lines together.
        let two = of_one_set(8, 8, Replacement::Lru, 2.0);
        assert!((two.loads - 0.5).abs() < 1e-6, "{two:?}");
        assert_eq!(of_one_set(16, 8, Replacement::Lru, 2.0).loads, 0.0);
    }

    /// Under random replacement a line of eight in six ways is evicted with probability `1 - exp(-8 / T)` after 8 ticks, where
    /// `T (1 - exp(-8 / T)) = 6`.
    #[test]
    fn at_random_some_of_words_in_turn_are_there() {
        let found = of_one_set(6, 8, Replacement::Random, 1.0);
        let mut time = 10.0f64;
        for _ in 0..200 {
            time = 6.0 / (1.0 - (-8.0 / time).exp());
        }
        let gone = 1.0 - (-8.0 / time).exp();
        // Between the tabulated powers of two, a few hundredths off.
        assert!(
            (2.0 * found.loads / gone - 1.0).abs() < 0.05,
            "{found:?} {gone}"
        );
        assert!((found.stores - found.loads).abs() < 1e-9);
        let together = 2.0 * found.paired_loads / (gone * gone);
        assert!((together - 1.0).abs() < 0.1, "{found:?}");
    }
}
