//! One multiprocessor's share of the L2: fills and fitness-case loads that miss and go to DRAM.
//!
//! Models: stack lines evicted from the L1 compete with the rows of fitness cases for the share, under LRU or random
//! replacement. A stack line is requested again soon after its write-back, or written back again much later: both times are
//! exponential, each with its own mean.
//! Leaves out: sets (the hash spreads lines evenly).
//! Units: lines, per token.
//! Sources: equation (15) of `docs/model.md`; Che et al., IEEE JSAC 20 (2002), for LRU; Martina et al., INFOCOM 2014, for
//! random replacement.

use super::LINE_BYTES;
use super::demand::Demand;
use super::l1::{L1Curve, RateBin};
use super::locality::{Locality, presence};
use super::root::{Bracket, falling_root};
use crate::device::ideal::Ideal;
use crate::launch::geometry::Geometry;
use crate::launch::spec::{Replacement, SmxSpec};
use crate::util::elementary::{exp2, log2};

/// Upper bound on survival times, as a power of two.
const LONGEST_LOG2: f64 = 40.0;
const TOLERANCE: f64 = 1e-6;

/// Traffic behind the load/store unit per token.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Traffic {
    pub load_misses: f64,
    pub store_misses: f64,
    pub write_backs: f64,
    /// Line loads of levels of which at least one line misses.
    pub waiting_loads: f64,
    /// Load misses shared by a neighbour of the level.
    pub paired_loads: f64,
    /// Hit probability in the L2 of a fill; `write_back_l2_hit` and `case_l2_hit` likewise.
    pub fill_l2_hit: f64,
    pub write_back_l2_hit: f64,
    pub case_l2_hit: f64,
    /// L1 hit rate of fitness-case lines.
    pub case_l1_hit: f64,
    /// Probability that a line misses in the L2 if its neighbour does.
    pub paired_l2_miss: f64,
    /// Warps that share the caches.
    pub warps: f64,
    /// Stack lines of each warp that leave the L1.
    pub lines_per_warp: f64,
    /// Logarithm of a line's survival time in the L2, in warp instructions.
    pub survival_log2: f64,
}

/// Warps that share the caches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharers {
    pub warps: f64,
    pub blocks: f64,
    /// Ticks of a warp per token.
    pub instructions_per_token: f64,
    /// Rows of fitness cases that any program reads.
    pub rows: f64,
    /// Initial guess of `survival_log2`; 0 if unknown.
    pub guess_log2: f64,
}

/// Computes the traffic of the warps that share the caches.
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
    let used: Vec<Asked> = bins.iter().filter_map(Asked::new).collect();
    let log2_time = survival_log2(spec, &used, case_lines, case_rate, sharers.guess_log2);
    let time = exp2(log2_time);
    let hit = |rate: f64| presence(spec.l2.replacement, rate * time);
    let (mut fills, mut fill_hits, mut writes, mut write_hits, mut pairs) =
        (0.0, 0.0, 0.0, 0.0, 0.0);
    for asked in &used {
        fills += asked.fills;
        fill_hits += asked.fills * hit(asked.fill_rate);
        writes += asked.write_backs;
        write_hits += asked.write_backs * hit(asked.write_rate);
        pairs += asked.fills * both_missing(asked.fill_rate * time);
    }
    let part = |sum: f64, of: f64| if of > 0.0 { sum / of } else { 1.0 };
    let repeated = locality.case_lines - locality.first_case_lines;
    // Mean time until an iteration reads the row again.
    let again =
        locality.instructions_per_iteration * part(locality.first_case_lines, locality.case_lines);
    let case_hits =
        repeated * hit(1.0 / again.max(1.0)) + locality.first_case_lines * hit(case_rate);
    let per_token = sharers.instructions_per_token;
    Traffic {
        load_misses: misses.loads * per_token,
        store_misses: misses.stores * per_token,
        write_backs: if spec.device.l1.write_back {
            misses.write_backs * per_token
        } else {
            0.0
        },
        waiting_loads: misses.waiting_loads * per_token,
        paired_loads: misses.paired_loads * per_token,
        fill_l2_hit: part(fill_hits, fills),
        write_back_l2_hit: part(write_hits, writes),
        case_l2_hit: part(case_hits, locality.case_lines),
        case_l1_hit: misses
            .case_hit
            .max(shared_case_hit(spec, geometry, sharers.rows)),
        paired_l2_miss: part(pairs, fills - fill_hits),
        survival_log2: log2_time,
        warps: sharers.warps,
        lines_per_warp: used.iter().map(|asked| asked.lines).sum::<f64>() / sharers.warps,
    }
}

impl Traffic {
    /// Corrects the traffic for caches that are absent or never miss.
    pub fn past_missing_caches(mut self, spec: &SmxSpec, demand: &Demand) -> Traffic {
        if spec.device.ideals.has(Ideal::L1Misses) && spec.device.l1.caches_local {
            return self.without_l1_misses(spec);
        }
        if !spec.device.l2.is_present {
            (self.fill_l2_hit, self.write_back_l2_hit, self.case_l2_hit) = (0.0, 0.0, 0.0);
            self.paired_l2_miss = 1.0;
        }
        if !spec.device.l1.caches_local {
            // Every line is fetched, and every stored line is passed on.
            self.load_misses = demand.local_load_lines;
            self.waiting_loads = demand.local_load_lines;
            self.paired_loads = demand.local_load_lines;
            self.store_misses = demand.local_store_lines;
            self.write_backs = demand.local_store_lines;
        }
        self
    }

    fn without_l1_misses(self, spec: &SmxSpec) -> Traffic {
        let case_l1_hit = match spec.device.l1.caches_global_loads {
            true => 1.0,
            false => self.case_l1_hit,
        };
        Traffic {
            load_misses: 0.0,
            store_misses: 0.0,
            write_backs: 0.0,
            waiting_loads: 0.0,
            paired_loads: 0.0,
            case_l1_hit,
            ..self
        }
    }
}

/// **(15c)** L1 hit rate of fitness-case loads when blocks of several programs run on the same cases together: the first load
/// on a multiprocessor fetches the lines, as far as the L1 holds those of one pass.
fn shared_case_hit(spec: &SmxSpec, geometry: &Geometry, rows: f64) -> f64 {
    if !spec.device.l1.caches_global_loads || geometry.case_blocks < 2 {
        return 0.0;
    }
    let bytes_of_pass = rows * 4.0 * f64::from(geometry.cases_per_iteration());
    let held = (f64::from(spec.l1.bytes()) / bytes_of_pass).min(1.0);
    let programs_per_smx = f64::from(geometry.programs) / f64::from(geometry.n_smx);
    held * (1.0 - 1.0 / programs_per_smx).max(0.0)
}

/// Lines of a bin as the L2 sees them.
struct Asked {
    lines: f64,
    fills: f64,
    write_backs: f64,
    /// Fraction of the time spent between a line's last request and its fill; the rest precedes a write-back.
    away: f64,
    /// Inverse means of the times before a fill and before a write-back.
    fill_rate: f64,
    write_rate: f64,
}

impl Asked {
    fn new(bin: &RateBin) -> Option<Asked> {
        if bin.lines <= 0.0 {
            return None;
        }
        // Lines that are never written back are, as the L2 sees them, away from fill to fill.
        let away = match (bin.fills > 0.0, bin.write_backs > 0.0) {
            (true, true) => bin.away / bin.lines,
            (true, false) => 1.0,
            _ => 0.0,
        };
        let rate = |requests: f64, part: f64| {
            if part > 0.0 {
                requests / bin.lines / part
            } else {
                0.0
            }
        };
        Some(Asked {
            lines: bin.lines,
            fills: bin.fills,
            write_backs: bin.write_backs,
            away,
            fill_rate: rate(bin.fills, away),
            write_rate: rate(bin.write_backs, 1.0 - away),
        })
    }

    /// Expected number of its lines in the share.
    fn there(&self, replacement: Replacement, time: f64) -> f64 {
        let before_fills = self.away * presence(replacement, self.fill_rate * time);
        let before_writes = (1.0 - self.away) * presence(replacement, self.write_rate * time);
        self.lines * (before_fills + before_writes)
    }
}

/// Probability that two lines that were evicted equally long ago both miss, for `requests` as in [`presence`].
fn both_missing(requests: f64) -> f64 {
    let times = 1.0 / requests.max(f64::MIN_POSITIVE);
    1.0 - 2.0 / (1.0 + times) + 1.0 / (1.0 + 2.0 * times)
}

/// **(15)** Logarithm of the survival time at which the expected number of lines in the share equals its size.
fn survival_log2(
    spec: &SmxSpec,
    used: &[Asked],
    case_lines: f64,
    case_rate: f64,
    guess_log2: f64,
) -> f64 {
    let size = f64::from(spec.l2.sets * spec.l2.ways);
    let replacement = spec.l2.replacement;
    // Logarithms, because the number of lines grows in proportion to the time until the share fills.
    let free = |log2_time: f64| {
        let time = exp2(log2_time);
        let stacks: f64 = used
            .iter()
            .map(|asked| asked.there(replacement, time))
            .sum();
        let cases = case_lines * presence(replacement, case_rate * time);
        log2(size / (stacks + cases))
    };
    let all = used.iter().map(|asked| asked.lines).sum::<f64>() + case_lines;
    let bracket = Bracket {
        low: 0.0,
        at_low: f64::INFINITY,
        high: LONGEST_LOG2,
        at_high: log2(size / all),
    };
    if bracket.at_high >= 0.0 {
        return LONGEST_LOG2;
    }
    falling_root(bracket.near(guess_log2, free), TOLERANCE, free)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(fills: f64, write_backs: f64, away: f64) -> Asked {
        let bin = RateBin {
            lines: 1.0,
            fills,
            write_backs,
            away,
        };
        Asked::new(&bin).unwrap()
    }

    #[test]
    fn equal_times_before_fills_and_write_backs_are_one_stream() {
        let both = asked(0.01, 0.01, 0.5);
        for policy in [Replacement::Random, Replacement::Lru] {
            let one = presence(policy, 0.02 * 70.0);
            assert!((both.there(policy, 70.0) - one).abs() < 1e-12);
        }
    }

    #[test]
    fn a_line_asked_for_soon_after_its_write_back_is_there() {
        let soon = asked(0.01, 0.01, 0.1);
        let hit = |rate: f64| presence(Replacement::Random, 20.0 * rate);
        assert!(hit(soon.fill_rate) > 0.6 && hit(soon.write_rate) < 0.2);
    }

    #[test]
    fn neighbours_are_missing_together() {
        // Alone with 1/2: together more often than 1/4.
        assert!((both_missing(1.0) - 1.0 / 3.0).abs() < 1e-12);
        assert!(both_missing(1e9) < 1e-6 && both_missing(1e-9) > 1.0 - 1e-6);
    }

    #[test]
    fn what_is_only_fetched_or_only_written_has_no_time_before_the_other() {
        let fetched = asked(0.01, 0.0, 0.3);
        assert_eq!(
            (fetched.away, fetched.fill_rate, fetched.write_rate),
            (1.0, 0.01, 0.0)
        );
        let written = asked(0.0, 0.01, 0.3);
        assert_eq!(
            (written.away, written.fill_rate, written.write_rate),
            (0.0, 0.0, 0.01)
        );
    }
}
