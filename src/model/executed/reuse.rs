//! Cache hit probabilities of executed blocks.
//!
//! Models: the blocks resident on a multiprocessor share its L1 and its share of the L2. An access hits a line that its own
//! block accessed a known number of instructions ago, or that another block, at random, accessed since; a line survives until
//! as many others have arrived as the cache holds.
//! Leaves out: sets; that the L2 sees only L1 misses; that warps of a block drift apart.
//! Units: warp instructions of one warp (ticks), lines.
//! Sources: equations (E1) and (E2) of `docs/model.md`; Che et al., IEEE JSAC 20 (2002), for LRU; Martina et al., INFOCOM 2014,
//! for random replacement.

use crate::launch::code::{MemoryRequest, ReplayCode, ReplayOp};
use crate::launch::spec::{CacheSpec, Replacement, SmxSpec};
use crate::model::root::{Bracket, falling_root};
use crate::trace::{AddressKind, LINE_BYTES};
use crate::util::elementary::{exp, exp2, log2};
use rustc_hash::FxHashMap;

/// Maximum number of blocks whose accesses are examined.
const MOST_BLOCKS: usize = 24;
const MOST_ACCESSES: usize = 400_000;
const LONGEST_LOG2: f64 = 40.0;
const TOLERANCE: f64 = 1e-4;

/// Hit probabilities of the caches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hits {
    pub l1: f64,
    /// Hit probability of an L1 miss in the L2.
    pub l2: f64,
}

/// Hit probabilities by static instruction.
#[derive(Debug, Clone, Default)]
pub struct HitTable(FxHashMap<u32, Hits>);

impl HitTable {
    /// Hit probabilities of the instruction at `pc_bytes`.
    pub fn of(&self, pc_bytes: u32) -> Hits {
        let nothing = Hits { l1: 0.0, l2: 0.0 };
        self.0.get(&pc_bytes).copied().unwrap_or(nothing)
    }
}

/// One line or sector accessed by a block.
#[derive(Debug, Clone, Copy)]
struct Touch {
    tick: u32,
    pc_bytes: u32,
    line: u64,
    sector: u64,
    in_l1: bool,
}

impl Touch {
    /// Tells global from local memory, whose lines have higher numbers.
    fn is_global(&self) -> bool {
        self.line < (1u64 << 32) / u64::from(LINE_BYTES)
    }
}

/// Accesses with equal reuse: ticks since their block's last access to the line, and accesses by other blocks per tick.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ReuseClass {
    again: f64,
    others: f64,
}

impl ReuseClass {
    /// Rounds both values to half powers of two.
    fn key(self) -> (i16, i16) {
        let half = |value: f64| (2.0 * log2(value)).round().clamp(-200.0, 200.0) as i16;
        (half(self.again), half(self.others))
    }

    fn of_key((again, others): (i16, i16)) -> ReuseClass {
        let value = |half: i16| match half {
            200 => f64::INFINITY,
            -200 => 0.0,
            _ => exp2(f64::from(half) / 2.0),
        };
        ReuseClass {
            again: value(again),
            others: value(others),
        }
    }

    /// **(E1)** Probability that a line is still cached if lines survive for `time`.
    fn hit(self, replacement: Replacement, time: f64) -> f64 {
        match replacement {
            Replacement::Lru if self.again <= time => 1.0,
            Replacement::Lru => 1.0 - exp(-self.others * time),
            _ => {
                let leaves = self.others + 1.0 / time;
                let lasts = exp(-leaves * self.again);
                lasts + (1.0 - lasts) * self.others / leaves
            }
        }
    }

    /// Expected time that this access keeps the line cached.
    fn stay(self, replacement: Replacement, time: f64) -> f64 {
        let (leaves, until) = match replacement {
            Replacement::Lru => (self.others, self.again.min(time)),
            _ => (self.others + 1.0 / time, self.again),
        };
        match leaves * until < 1e-9 {
            true => until,
            false => (1.0 - exp(-leaves * until)) / leaves,
        }
    }
}

/// Computes hit probabilities for blocks that start with the warps in `order`, `warps_per_block` each, `resident` of them at a
/// time.
pub fn hits(
    code: &ReplayCode,
    spec: &SmxSpec,
    order: &[u32],
    warps_per_block: u32,
    resident: f64,
) -> HitTable {
    let cached = spec.l1_caches_local || spec.l1_caches_global_loads || spec.has_l2;
    if !cached {
        return HitTable::default();
    }
    let blocks = touches(code, spec, order, warps_per_block);
    let lines = alike(&blocks, resident, |touch| touch.line);
    let sectors = alike(&blocks, resident, |touch| touch.sector);
    let (mut of_l1, mut of_l2) = (LineLifetime::default(), LineLifetime::default());
    for ((touches, ticks), lines) in blocks.iter().zip(&lines) {
        for (touch, &line) in touches.iter().zip(lines) {
            let weight = resident / blocks.len() as f64 / f64::from(*ticks);
            of_l2.add(line, weight);
            if touch.in_l1 {
                of_l1.add(line, weight);
            }
        }
    }
    let l1_time = of_l1.time(&spec.l1);
    let l2_time = of_l2.time(&spec.l2);
    let mut sums: FxHashMap<u32, [f64; 3]> = FxHashMap::default();
    for (((touches, _), sectors), lines) in blocks.iter().zip(&sectors).zip(&lines) {
        for ((touch, sector), line) in touches.iter().zip(sectors).zip(lines) {
            let l1 = match touch.in_l1 {
                true => sector.hit(spec.l1.replacement, l1_time),
                false => 0.0,
            };
            let l2 = match spec.has_l2 {
                true if spec.l2_holds_data && touch.is_global() => 1.0,
                true => line.hit(spec.l2.replacement, l2_time).max(l1),
                false => l1,
            };
            let sum = sums.entry(touch.pc_bytes).or_default();
            for (sum, add) in sum.iter_mut().zip([1.0, l1, l2]) {
                *sum += add;
            }
        }
    }
    let hits = |(pc, [all, l1, l2]): (u32, [f64; 3])| {
        let lacking = (all - l1).max(f64::MIN_POSITIVE);
        let hits = Hits {
            l1: l1 / all,
            l2: ((l2 - l1) / lacking).clamp(0.0, 1.0),
        };
        (pc, hits)
    };
    HitTable(sums.into_iter().map(hits).collect())
}

/// Accesses of a sample of blocks, in the order of ticks, and the ticks of each block.
fn touches(
    code: &ReplayCode,
    spec: &SmxSpec,
    order: &[u32],
    warps_per_block: u32,
) -> Vec<(Vec<Touch>, u32)> {
    let step = order.len().div_ceil(MOST_BLOCKS).max(1);
    let mut blocks = Vec::new();
    let mut accesses = 0;
    for &first in order.iter().step_by(step) {
        if accesses > MOST_ACCESSES {
            break;
        }
        let (mut touched, mut ticks) = (Vec::new(), 1);
        for warp in first..first + warps_per_block {
            let ops = super::warp_ops(code, warp);
            ticks = ticks.max(ops.len() as u32);
            for (op, tick) in ops.iter().zip(0..) {
                touch(code, spec, op, (warp, tick), &mut touched);
            }
        }
        touched.sort_by_key(|touch| touch.tick);
        accesses += touched.len();
        blocks.push((touched, ticks));
    }
    blocks
}

fn touch(
    code: &ReplayCode,
    spec: &SmxSpec,
    op: &ReplayOp,
    (warp, tick): (u32, u32),
    touched: &mut Vec<Touch>,
) {
    let (is_local, in_l1) = match op.request {
        MemoryRequest::LocalLoad | MemoryRequest::LocalStore => (true, spec.l1_caches_local),
        MemoryRequest::GlobalLoad => (false, spec.l1_caches_global_loads),
        _ => return,
    };
    let mut one = |part: &ReplayOp| {
        for line in 0..u32::from(part.lines.max(1)) {
            // Each warp has its own local memory.
            let address = match is_local {
                true => u64::from(warp + 1) << 32 | u64::from(part.local_address()),
                false => part.address.into(),
            } + u64::from(line * LINE_BYTES);
            let number = address / u64::from(LINE_BYTES);
            let sector_bytes = u64::from(spec.l1.sector_bytes);
            let whole =
                part.address_kind != AddressKind::Uniform && sector_bytes < u64::from(LINE_BYTES);
            touched.push(Touch {
                tick,
                pc_bytes: op.pc_bytes,
                line: number,
                // A whole line is numbered apart from its sectors.
                sector: match whole {
                    true => u64::MAX - number,
                    false => address / sector_bytes,
                },
                in_l1,
            });
        }
    };
    match op.address_kind {
        AddressKind::Scattered => code.parts(op).for_each(|part| one(&part)),
        _ => one(op),
    }
}

/// Reuse class of each access.
fn alike(
    blocks: &[(Vec<Touch>, u32)],
    resident: f64,
    key: impl Fn(&Touch) -> u64,
) -> Vec<Vec<ReuseClass>> {
    let mut rates: FxHashMap<u64, f64> = FxHashMap::default();
    for (touches, ticks) in blocks {
        for touch in touches {
            *rates.entry(key(touch)).or_default() += 1.0 / f64::from(*ticks);
        }
    }
    let others = (resident - 1.0).max(0.0) / (blocks.len() as f64 - 1.0).max(1.0);
    let of_block = |(touches, ticks): &(Vec<Touch>, u32)| {
        let mut own: FxHashMap<u64, (f64, u32)> = FxHashMap::default();
        for touch in touches {
            own.entry(key(touch)).or_insert((0.0, u32::MAX)).0 += 1.0 / f64::from(*ticks);
        }
        let one = |touch: &Touch| {
            let key = key(touch);
            let (own_rate, last) = own.get_mut(&key).copied().unwrap_or((0.0, u32::MAX));
            let again = match last {
                u32::MAX => f64::INFINITY,
                // Neighbours in a warp's access, and warps of a block, follow each other immediately.
                last => f64::from((touch.tick - last).max(1)),
            };
            own.insert(key, (own_rate, touch.tick));
            ReuseClass {
                again,
                others: others * (rates[&key] - own_rate).max(0.0),
            }
        };
        touches.iter().map(one).collect()
    };
    blocks.iter().map(of_block).collect()
}

/// Accesses per tick, by reuse class.
#[derive(Debug, Default)]
struct LineLifetime(FxHashMap<(i16, i16), f64>);

impl LineLifetime {
    fn add(&mut self, alike: ReuseClass, weight: f64) {
        *self.0.entry(alike.key()).or_default() += weight;
    }

    /// **(E2)** Line lifetime at which the expected number of lines equals the capacity.
    fn time(&self, cache: &CacheSpec) -> f64 {
        let capacity = f64::from(cache.sets * cache.usable_ways());
        let mut bins: Vec<((i16, i16), f64)> = self.0.iter().map(|(&k, &w)| (k, w)).collect();
        bins.sort_unstable_by_key(|bin| bin.0);
        let free = |log2_time: f64| {
            let time = exp2(log2_time);
            let stays = bins.iter().map(|&(key, weight)| {
                weight * ReuseClass::of_key(key).stay(cache.replacement, time)
            });
            capacity - stays.sum::<f64>()
        };
        let at_high = free(LONGEST_LOG2);
        if at_high >= 0.0 {
            return exp2(LONGEST_LOG2);
        }
        let bracket = Bracket {
            low: 0.0,
            at_low: free(0.0).max(0.0),
            high: LONGEST_LOG2,
            at_high,
        };
        exp2(falling_root(bracket, TOLERANCE, free))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Space;
    use crate::launch::testing::{load, looped, placed, spec};

    #[test]
    fn a_line_that_comes_soon_enough_is_there_and_one_that_others_want_may_be() {
        let own = |again| ReuseClass { again, others: 0.0 };
        assert_eq!(own(10.0).hit(Replacement::Lru, 20.0), 1.0);
        assert_eq!(own(30.0).hit(Replacement::Lru, 20.0), 0.0);
        let random = own(20.0).hit(Replacement::Random, 20.0);
        assert!((random - (-1.0f64).exp()).abs() < 1e-9);
        let wanted = ReuseClass {
            again: f64::INFINITY,
            others: 0.1,
        };
        let lru = wanted.hit(Replacement::Lru, 20.0);
        assert!((lru - (1.0 - (-2.0f64).exp())).abs() < 1e-9);
        assert!((wanted.hit(Replacement::Random, 10.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn lines_stay_until_as_many_came_as_the_cache_has() {
        let cache = CacheSpec {
            sets: 10,
            ways: 10,
            reserved_ways: 0,
            line_bytes: 128,
            sector_bytes: 128,
            replacement: Replacement::Lru,
            index: crate::launch::spec::SetIndex::Spread,
            fills_hold_lines: false,
            rows: None,
        };
        let mut stays = LineLifetime::default();
        // One new line in every tick.
        let once = ReuseClass {
            again: f64::INFINITY,
            others: 0.0,
        };
        stays.add(once, 1.0);
        assert!((stays.time(&cache) - 100.0).abs() < 0.1);
    }

    fn at(tick: u32, line: u64) -> Touch {
        Touch {
            tick,
            pc_bytes: 0,
            line,
            sector: line,
            in_l1: true,
        }
    }

    /// Three blocks of 10, 20 and 40 ticks: with five resident, each runs beside two of each of the other two.
    #[test]
    fn others_come_as_often_as_the_other_blocks_do_it() {
        let blocks = [
            (vec![at(0, 5), at(4, 5), at(9, 7)], 10),
            (vec![at(2, 7)], 20),
            (vec![at(3, 7), at(3, 7)], 40),
        ];
        let found = alike(&blocks, 5.0, |touch| touch.line);
        let only_own = |again| ReuseClass { again, others: 0.0 };
        assert_eq!(found[0][..2], [only_own(f64::INFINITY), only_own(4.0)]);
        assert_eq!(found[0][2].again, f64::INFINITY);
        let others = [found[0][2].others, found[1][0].others, found[2][0].others];
        for (others, expected) in others.into_iter().zip([0.2, 0.3, 0.3]) {
            assert!((others - expected).abs() < 1e-12, "{others} {expected}");
        }
        assert_eq!(
            found[2][1].again, 1.0,
            "neighbours come one after the other"
        );
        let two = alike(&blocks[..2], 5.0, |touch| touch.line);
        assert!((two[0][2].others - 4.0 * 0.05).abs() < 1e-12, "{two:?}");
        let alone = alike(&blocks, 1.0, |touch| touch.line);
        assert_eq!(alone[1][0].others, 0.0);
    }

    #[test]
    fn a_line_that_others_renew_is_there_because_of_one_access_a_shorter_time() {
        let wanted = ReuseClass {
            again: 10.0,
            others: 0.05,
        };
        let expected = (1.0 - (-0.5f64).exp()) / 0.05;
        assert!((wanted.stay(Replacement::Lru, 20.0) - expected).abs() < 1e-9);
        let rare = ReuseClass {
            others: 1e-12,
            ..wanted
        };
        assert_eq!(rare.stay(Replacement::Lru, 20.0), 10.0);
        assert_eq!(rare.stay(Replacement::Lru, 4.0), 4.0);
        let random = (1.0 - (-1.0f64).exp()) / 0.1;
        assert!((wanted.stay(Replacement::Random, 20.0) - random).abs() < 1e-9);
    }

    #[test]
    fn every_warp_has_a_local_memory_of_its_own() {
        let spec = spec();
        let mut code = looped(&[load(Space::Local, 8)]);
        code.ops[0].address = 12;
        let touched = |warp: u32, lines: u8| {
            let mut touched = Vec::new();
            let op = ReplayOp {
                lines,
                ..code.ops[0]
            };
            touch(&code, &spec, &op, (warp, 7), &mut touched);
            touched
        };
        let first = (2u64 << 32) / 128 + 3;
        let lines: Vec<u64> = touched(1, 2).iter().map(|touch| touch.line).collect();
        assert_eq!(lines, [first, first + 1]);
        assert_eq!(touched(1, 0).len(), 1);
        assert_eq!(touched(0, 1)[0].line, (1u64 << 32) / 128 + 3);
        assert!(
            touched(0, 1)
                .iter()
                .all(|touch| !touch.is_global() && touch.in_l1 && touch.tick == 7)
        );
    }

    /// A warp of each of two resident blocks loads a line in every tick: the 128 lines of the L1 are those of the last 64
    /// ticks.
    #[test]
    fn a_line_is_there_again_within_the_ticks_that_the_cache_has_lines_for() {
        // Each instruction loads the word after the previous one.
        let mut code = placed(&vec![load(Space::Local, 4); 2000]);
        code.ops[1000].address = 4 * (1000 - 55);
        code.ops[1100].address = 4 * (1100 - 75);
        let hits = hits(&code, &spec(), &[0], 1, 2.0);
        assert_eq!(hits.of(16 * 1000).l1, 1.0);
        let far = hits.of(16 * 1100);
        // The L2 holds 1024.
        assert_eq!((far.l1, far.l2), (0.0, 1.0));
        assert_eq!(hits.of(16 * 1200), Hits { l1: 0.0, l2: 0.0 });
    }
}
