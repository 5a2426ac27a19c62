//! Instruction fetch: how long warps wait for code that misses in the first-level instruction cache.
//!
//! Models: code lines compete for the sets of two LRU caches by how often they are entered, and for a scheduler's own lines;
//! sequential lines have latencies of their own. A miss requests lines ahead.
//! Leaves out: lines in flight; the rate of the second level (`work`, `token`).
//! Units: cycles per token.
//! Sources: equations (16) and (16a) of `docs/model.md`; Che, Tung and Wang, Hierarchical Web Caching Systems, IEEE JSAC 20 (2002).

use crate::util::elementary::{exp, exp_m1, exp2};
use std::collections::BTreeMap;

use super::shapes::Profile;
use crate::launch::code::ReplayOp;
use crate::launch::spec::{CODE_WAYS, SmxSpec};

const HALVINGS: u32 = 40;

/// Parameters of a multiprocessor that determine the wait for code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FetchRules {
    line_bytes: u32,
    /// Bytes of a scheduler's own instruction cache, 0 if it has none.
    own_bytes: u32,
    /// Bytes of the first and second level.
    bytes: [u32; 2],
    /// Latency of the first level after a jump, if a scheduler has its own lines.
    near_jump_cycles: u32,
    /// Latencies of the second level and of the L2 after a jump.
    jump_cycles: [u32; 2],
    /// Latencies of the second level and of the L2 for the next sequential line.
    next_line_cycles: [u32; 2],
    /// Lines requested ahead of one that the first level lacks.
    lines_ahead: u32,
}

/// A token's instruction fetch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fetch {
    /// **(16)** Cycles that warps wait for code, if the second level is idle.
    pub wait_cycles: f64,
    /// Jumps into lines that the first level lacks.
    pub misses: f64,
    /// Lines requested from the second level.
    pub lines: f64,
}

impl FetchRules {
    pub fn new(spec: &SmxSpec) -> Self {
        let code = &spec.device.instruction_cache;
        FetchRules {
            line_bytes: code.line_bytes,
            own_bytes: code.l0_bytes,
            bytes: [code.l1_bytes, code.l15_bytes],
            near_jump_cycles: spec.near_jump_cycles(),
            jump_cycles: [code.l15_latency_cycles, code.l2_latency_cycles],
            next_line_cycles: spec.code.next_line_cycles,
            lines_ahead: code.prefetch_lines,
        }
    }
}

/// Entries into a line per token: by a jump, by a branch to an address in a register, and from the line before.
#[derive(Debug, Clone, Copy, Default)]
struct Entries {
    jumps: f64,
    indirect: f64,
    follows: f64,
}

impl Entries {
    fn all(&self) -> f64 {
        self.jumps + self.indirect + self.follows
    }
}

/// Returns what a token of this profile waits for and requests.
pub fn fetch(profile: &Profile, rules: &FetchRules) -> Fetch {
    let mut lines: BTreeMap<u32, Entries> = BTreeMap::new();
    for (executions, before, ops) in profile.sequences() {
        let line_of = |op: &ReplayOp| op.pc_bytes / rules.line_bytes;
        let mut last = before.last();
        for op in ops {
            let (line, from) = (line_of(op), last.map_or(u32::MAX, line_of));
            if line != from {
                let entries = lines.entry(line).or_default();
                if line == from.wrapping_add(1) {
                    entries.follows += executions;
                } else if last.is_some_and(|last| last.indirect) {
                    entries.indirect += executions;
                } else {
                    entries.jumps += executions;
                }
            }
            last = Some(op);
        }
    }
    let [first, second] = rules
        .bytes
        .map(|bytes| sets(&lines, bytes / rules.line_bytes));
    // Every cached line comes with the next one, which was prefetched.
    let own = match rules.own_bytes / rules.line_bytes {
        0 => vec![f64::INFINITY],
        own_lines => vec![survival(
            &lines.values().copied().collect::<Vec<_>>(),
            own_lines as usize / 2,
        )],
    };
    let wait = |(line, entries): (&u32, &Entries)| {
        let gone = |sets: &[f64]| exp(-entries.all() * sets[*line as usize % sets.len()]);
        let missing = gone(&first);
        let far = missing.min(gone(&second));
        let not_own = gone(&own).max(missing);
        let near = entries.jumps * (not_own - missing) * f64::from(rules.near_jump_cycles);
        let cycles = |[near, l2]: [u32; 2]| (missing - far) * f64::from(near) + far * f64::from(l2);
        // The latency of an indirect branch includes the first level's.
        let farther = rules
            .jump_cycles
            .map(|cycles| cycles.saturating_sub(rules.near_jump_cycles));
        near + entries.jumps * cycles(rules.jump_cycles)
            + entries.indirect * cycles(farther)
            + entries.follows * cycles(rules.next_line_cycles)
    };
    let missing = |(line, entries): (&u32, &Entries)| {
        let gone = exp(-entries.all() * first[*line as usize % first.len()]);
        let jumps = gone * (entries.jumps + entries.indirect);
        (jumps, jumps + gone * entries.follows)
    };
    let missing = lines.iter().map(missing);
    let (misses, used) = missing.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    Fetch {
        wait_cycles: lines.iter().map(wait).sum(),
        misses,
        lines: used + misses * f64::from(rules.lines_ahead),
    }
}

/// Survival time of a line in each set of a cache of `size` lines, in tokens.
fn sets(lines: &BTreeMap<u32, Entries>, size: u32) -> Vec<f64> {
    let n_sets = (size / CODE_WAYS).max(1);
    let of_set = |set: u32| lines.iter().filter(move |(line, _)| **line % n_sets == set);
    (0..n_sets)
        .map(|set| {
            survival(
                &of_set(set).map(|line| *line.1).collect::<Vec<_>>(),
                CODE_WAYS as usize,
            )
        })
        .collect()
}

/// Survival time of a line in a set of `ways` ways, in tokens: infinite if all lines fit.
fn survival(lines: &[Entries], ways: usize) -> f64 {
    if lines.len() <= ways {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (-20.0f64, 60.0f64);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let there = |entries: &Entries| -exp_m1(-entries.all() * exp2(middle));
        if lines.iter().map(there).sum::<f64>() < ways as f64 {
            low = middle;
        } else {
            high = middle;
        }
    }
    exp2(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::OpClass;
    use crate::launch::testing::{alu, placed, spec};
    use crate::model::shapes::Shapes;
    use crate::model::tests::inputs;

    /// Cycles that a loop over `lines` lines of 64 bytes waits for code.
    fn waits(lines: u32, change: impl Fn(&mut SmxSpec)) -> f64 {
        fetched(lines, change).wait_cycles
    }

    fn fetched(lines: u32, change: impl Fn(&mut SmxSpec)) -> Fetch {
        let code = placed(&vec![alu(OpClass::Fp32, 1); 4 * lines as usize]);
        let shapes = Shapes::new(&inputs(&code));
        let mut spec = spec();
        spec.code.next_line_cycles = [8, 30];
        change(&mut spec);
        fetch(&shapes.token, &FetchRules::new(&spec))
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
    }

    #[test]
    fn code_that_fits_is_never_waited_for() {
        assert_eq!(waits(9, |_| {}), 0.0);
    }

    /// Lines 0, 2, 4, 6 and 8 share four ways: each entry misses with probability one fifth.
    #[test]
    fn lines_of_a_full_set_come_from_the_next_level() {
        near(
            waits(9, |spec| spec.device.instruction_cache.l1_bytes = 512),
            0.2 * (20.0 + 4.0 * 8.0),
        );
        let both = |spec: &mut SmxSpec| {
            spec.device.instruction_cache.l1_bytes = 512;
            spec.device.instruction_cache.l15_bytes = 512;
        };
        near(waits(9, both), 0.2 * (50.0 + 4.0 * 30.0));
    }

    /// One line in five of the set is missing; one of the five is entered by a jump, which requests four more.
    #[test]
    fn a_jump_that_misses_requests_lines_ahead() {
        let fetched = fetched(9, |spec| {
            spec.device.instruction_cache.l1_bytes = 512;
            spec.device.instruction_cache.prefetch_lines = 4;
        });
        near(fetched.misses, 0.2);
        near(fetched.lines, 5.0 * 0.2 + 4.0 * 0.2);
    }

    /// A scheduler holds four of eight lines, each with its neighbour: the jump to the first line hits with probability one
    /// half.
    #[test]
    fn a_jump_past_what_a_scheduler_has_itself_waits_for_the_first_level() {
        let own = |spec: &mut SmxSpec| {
            spec.device.instruction_cache.l0_bytes = 512;
            spec.device.instruction_cache.l1_latency_cycles = 10;
        };
        near(waits(8, own), 5.0);
    }
}
