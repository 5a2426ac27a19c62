//! One multiprocessor's share of the L2: which fills and fitness-case loads go on to DRAM.
//!
//! What it models: stack lines evicted from the L1 and the rows of fitness cases compete for the share; LRU or random
//! replacement, independent requests.
//! What it leaves out: its sets (the hash spreads lines evenly).
//! Units: lines, per token. Sources: equation (15) of `docs/model.md`; Che et al., IEEE JSAC 20 (2002), for LRU;
//! Martina et al., INFOCOM 2014, for random replacement.

use super::l1::{L1Curve, RATE_BINS, RateBin};
use super::locality::Locality;
use super::root::{Bracket, falling_root};
use crate::launch::geometry::Geometry;
use crate::launch::spec::{Replacement, SmxSpec};

/// Survival times are at most this power of two.
const LONGEST_LOG2: f64 = 40.0;
const TOLERANCE: f64 = 1e-8;
const LINE_BYTES: f64 = 128.0;

/// Traffic behind the load/store unit per token.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Traffic {
    pub load_misses: f64,
    pub store_misses: f64,
    pub write_backs: f64,
    /// Probabilities that the L2 has what is asked for.
    pub fill_l2_hit: f64,
    pub write_back_l2_hit: f64,
    pub case_l2_hit: f64,
}

/// The warps that share the caches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharers {
    pub warps: f64,
    pub blocks: f64,
    /// Ticks of a warp per token.
    pub ticks_per_token: f64,
    /// Rows of fitness cases that any program reads.
    pub rows: f64,
}

/// Traffic of the sharers.
pub fn traffic(
    spec: &SmxSpec,
    geometry: &Geometry,
    curve: &L1Curve,
    locality: &Locality,
    sharers: &Sharers,
) -> Traffic {
    let misses = curve.misses(sharers.warps, sharers.blocks);
    let bins = curve.to_l2(sharers.warps);
    let case_lines = sharers.rows * f64::from(geometry.case_window_bytes()) / LINE_BYTES;
    let requests = sharers.warps * locality.first_case_lines;
    let case_rate = if case_lines > 0.0 {
        requests / case_lines
    } else {
        0.0
    };
    let time = survival(spec, &bins, case_lines, case_rate);
    let hit = |rate: f64| presence(spec.l2.replacement, rate * time);
    let (mut fills, mut fill_hits, mut writes, mut write_hits) = (0.0, 0.0, 0.0, 0.0);
    for bin in bins.iter().filter(|bin| bin.lines > 0.0) {
        let hit = hit(rate(bin));
        fills += bin.fills;
        fill_hits += bin.fills * hit;
        writes += bin.write_backs;
        write_hits += bin.write_backs * hit;
    }
    let part = |sum: f64, of: f64| if of > 0.0 { sum / of } else { 1.0 };
    let repeated = locality.case_lines - locality.first_case_lines;
    // A row that an iteration reads several times comes again after this time on average.
    let again = locality.ticks_per_iteration * part(locality.first_case_lines, locality.case_lines);
    let case_hits =
        repeated * hit(1.0 / again.max(1.0)) + locality.first_case_lines * hit(case_rate);
    let per_token = sharers.ticks_per_token;
    Traffic {
        load_misses: misses.loads * per_token,
        store_misses: misses.stores * per_token,
        write_backs: misses.write_backs * per_token,
        fill_l2_hit: part(fill_hits, fills),
        write_back_l2_hit: part(write_hits, writes),
        case_l2_hit: part(case_hits, locality.case_lines),
    }
}

/// Requests of one line of a bin.
fn rate(bin: &RateBin) -> f64 {
    (bin.fills + bin.write_backs) / bin.lines
}

/// Probability that a line is there which is asked for `requests` times in the survival time on average.
fn presence(replacement: Replacement, requests: f64) -> f64 {
    match replacement {
        Replacement::Random => requests / (1.0 + requests),
        Replacement::Lru => -(-requests).exp_m1(),
    }
}

/// **(15)** The survival time at which the expected number of lines in the share equals its size.
fn survival(spec: &SmxSpec, bins: &[RateBin; RATE_BINS], case_lines: f64, case_rate: f64) -> f64 {
    let size = f64::from(spec.l2.sets * spec.l2.ways);
    let mut used = [(case_lines, case_rate); RATE_BINS + 1];
    let mut n_used = 1;
    for bin in bins.iter().filter(|bin| bin.lines > 0.0) {
        used[n_used] = (bin.lines, rate(bin));
        n_used += 1;
    }
    let free = |log2_time: f64| {
        let time = log2_time.exp2();
        let there = |(lines, rate): &(f64, f64)| lines * presence(spec.l2.replacement, rate * time);
        size - used[..n_used].iter().map(there).sum::<f64>()
    };
    let bracket = Bracket {
        low: 0.0,
        at_low: free(0.0),
        high: LONGEST_LOG2,
        at_high: free(LONGEST_LOG2),
    };
    if bracket.at_high >= 0.0 {
        return LONGEST_LOG2.exp2();
    }
    if bracket.at_low <= 0.0 {
        return 1.0;
    }
    falling_root(bracket, TOLERANCE, free).exp2()
}
