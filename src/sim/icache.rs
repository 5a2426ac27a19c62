//! Instruction fetch: the schedulers' own caches and two further levels of instruction cache, in front of the L2.
//!
//! Models: a warp that crosses into another code line looks it up; a miss delays its next issue
//! and fills the line; the line that follows the last one arrives sooner, where it is prefetched.
//! Leaves out: fetch bandwidth, the constant data that shares the second level.
//! Units: bytes, cycles. Sources: the device preset (Kepler: Jia et al. 2018, Table 3.1, figure 3.9; H200: measured).

use super::cache::{Cache, Lookup};
use super::spec::{CODE_WAYS, CacheSpec, Replacement, SetIndex, SmxSpec};

/// Cost of a fetch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fetch {
    pub delay: u64,
    /// Lines transferred to the scheduler's own cache.
    pub lines: u8,
}

/// Instruction caches of a multiprocessor, or of some of its schedulers.
#[derive(Debug, Clone)]
pub struct InstructionCache {
    /// Line size as a shift; if the whole kernel fits, it counts as one line.
    line_shift: u32,
    always_hits: bool,
    /// L0 caches by scheduler.
    l0: Vec<Cache>,
    l1: Cache,
    l15: Cache,
    /// Port of the second level: cycles per line, and the cycle at which it is free.
    line_cycles: u64,
    free_at: u64,
    /// Delays from the first level, the second level and the L2, after a jump.
    jump: [u64; 3],
    /// Delays for the line that follows the last one; `ahead`: when it is requested as the last one begins to run.
    next_line: [u64; 3],
    ahead: [u64; 3],
}

impl InstructionCache {
    /// Returns empty caches for a kernel of `code_bytes`.
    pub fn new(spec: &SmxSpec, code_bytes: u32) -> Self {
        let line_bytes = spec.icache_line_bytes;
        let level = |bytes: u32, ways: u32| {
            let spec = CacheSpec {
                sets: bytes / (line_bytes * ways),
                ways,
                reserved_ways: 0,
                line_bytes,
                sector_bytes: line_bytes,
                replacement: Replacement::Lru,
                index: SetIndex::Linear,
                fills_hold_lines: false,
                rows: None,
            };
            Cache::new(spec, 1)
        };
        let own_lines = spec.icache_l0_bytes / line_bytes;
        let l0 = match own_lines {
            0 => Vec::new(),
            lines => vec![level(spec.icache_l0_bytes, lines); spec.n_schedulers],
        };
        let nearest = match own_lines {
            0 => spec.icache_l1_bytes,
            _ => spec.icache_l0_bytes,
        };
        let always_hits = code_bytes <= nearest;
        // An instruction a cycle.
        let run = u64::from(line_bytes / spec.code_layout.instruction_bytes);
        let [next_l15, next_l2] = spec.icache_next_line_cycles.map(u64::from);
        InstructionCache {
            line_shift: match always_hits {
                true => u32::BITS,
                false => line_bytes.trailing_zeros(),
            },
            always_hits,
            l0,
            l1: level(spec.icache_l1_bytes, CODE_WAYS),
            l15: level(spec.icache_l15_bytes, CODE_WAYS),
            line_cycles: u64::from(spec.icache_l15_cycles_per_line),
            free_at: 0,
            jump: [
                match own_lines {
                    0 => 0,
                    _ => spec.icache_l1_latency_cycles,
                },
                spec.icache_l15_latency_cycles,
                spec.icache_l2_latency_cycles,
            ]
            .map(u64::from),
            next_line: [0, next_l15, next_l2],
            ahead: [0, run + next_l15, run + next_l2],
        }
    }

    /// Fetches `pc_bytes` for a warp of a scheduler whose last fetched line is `line`; updates the line.
    #[inline]
    pub fn fetch(&mut self, scheduler: usize, pc_bytes: u32, line: &mut u32, now: u64) -> Fetch {
        if self.line_of(pc_bytes) == *line {
            return Fetch::default();
        }
        self.look_up(scheduler, pc_bytes, line, now)
    }

    #[inline]
    fn line_of(&self, pc_bytes: u32) -> u32 {
        (u64::from(pc_bytes) >> self.line_shift) as u32
    }

    fn look_up(&mut self, scheduler: usize, pc_bytes: u32, line: &mut u32, now: u64) -> Fetch {
        let wanted = self.line_of(pc_bytes);
        let follows = wanted == line.wrapping_add(1);
        *line = wanted;
        if self.always_hits {
            return Fetch::default();
        }
        if self.l0.is_empty() {
            let delays = if follows { self.next_line } else { self.jump };
            let delay = self.behind(pc_bytes, now, delays);
            return Fetch { delay, lines: 0 };
        }
        let mut lines = 0;
        let delay = match self.l0[scheduler].access(pc_bytes, false) {
            Lookup::Hit { ready_at } => ready_at.saturating_sub(now),
            Lookup::Miss { way, .. } => {
                let delay = self.behind(pc_bytes, now, self.jump);
                self.l0[scheduler].fill_at(way, now + delay);
                lines += 1;
                delay
            }
        };
        // The next line is fetched ahead, while this one runs.
        let next = (wanted + 1) << self.line_shift;
        if let Lookup::Miss { way, .. } = self.l0[scheduler].access(next, false) {
            let ahead = self.behind(next, now, self.ahead);
            self.l0[scheduler].fill_at(way, now + delay + ahead);
            lines += 1;
        }
        Fetch { delay, lines }
    }

    /// Delay of fetching a line from the first level that has it: first, second, L2.
    fn behind(&mut self, pc_bytes: u32, now: u64, delays: [u64; 3]) -> u64 {
        match self.l1.access(pc_bytes, false) {
            Lookup::Hit { ready_at } => ready_at.saturating_sub(now).max(delays[0]),
            Lookup::Miss { way, .. } => {
                let start = self.free_at.max(now);
                self.free_at = start + self.line_cycles;
                let delay = start - now
                    + match self.l15.access(pc_bytes, false) {
                        Lookup::Hit { .. } => delays[1],
                        Lookup::Miss { .. } => delays[2],
                    };
                self.l1.fill_at(way, now + delay);
                delay
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::testing::spec;

    const LINE: u32 = 128;
    const KIB: u32 = 1024;

    /// Returns the H200's hierarchy: 16 lines per scheduler, 32 KiB, 128 KiB.
    fn hopper() -> SmxSpec {
        SmxSpec {
            icache_line_bytes: LINE,
            icache_l0_bytes: 16 * LINE,
            icache_l1_bytes: 32 * KIB,
            icache_l15_bytes: 128 * KIB,
            icache_l1_latency_cycles: 25,
            icache_l15_latency_cycles: 92,
            icache_l2_latency_cycles: 355,
            icache_next_line_cycles: [10, 37],
            icache_l15_cycles_per_line: 4,
            ..spec()
        }
    }

    /// One warp of the first scheduler, which takes eight cycles for a line.
    struct Walk {
        cache: InstructionCache,
        line: u32,
        now: u64,
    }

    impl Walk {
        fn new(spec: &SmxSpec) -> Walk {
            Walk {
                cache: InstructionCache::new(spec, 1 << 20),
                line: u32::MAX,
                now: 0,
            }
        }

        /// Waits for code on the way over these lines.
        fn over(&mut self, lines: impl IntoIterator<Item = u32>) -> u64 {
            let mut waits = 0;
            for line in lines {
                let fetch = self.cache.fetch(0, line * LINE, &mut self.line, self.now);
                let wait = fetch.delay;
                waits += wait;
                self.now += wait + 8;
            }
            waits
        }
    }

    /// Mean wait of a visit to one of `n` handlers of `length` lines in turn. Between two of them lie lines that nobody visits.
    fn handlers(n: u32, length: u32) -> f64 {
        let mut walk = Walk::new(&hopper());
        let visits = |walk: &mut Walk| -> u64 {
            let firsts = (0..n).map(|k| 8 + k * (length + 4));
            firsts.map(|first| walk.over(first..first + length)).sum()
        };
        visits(&mut walk);
        visits(&mut walk);
        visits(&mut walk) as f64 / f64::from(n)
    }

    #[test]
    fn straight_code_costs_what_its_level_does() {
        for (lines, cycles_per_line) in [(200, 0.0), (900, 10.0), (3000, 37.0)] {
            let mut walk = Walk::new(&hopper());
            walk.over((0..lines).chain(0..lines));
            let waits = walk.over(0..lines) as f64 / f64::from(lines);
            assert!((waits - cycles_per_line).abs() < 1.0, "{lines}: {waits}");
        }
    }

    #[test]
    fn a_jump_costs_nothing_within_what_a_scheduler_has_and_the_first_level_beyond() {
        // Each line takes the next one along.
        assert_eq!(handlers(8, 1), 0.0);
        assert_eq!(handlers(4, 3), 0.0);
        for (n, length) in [(20, 1), (20, 3), (6, 15)] {
            assert_eq!(handlers(n, length), 25.0, "{n} of {length}");
        }
    }

    #[test]
    fn a_jump_beyond_the_first_level_waits_for_the_second_and_its_lines_follow_ahead() {
        for length in [3, 7] {
            let waits = handlers(500 / length, length);
            let expected = 92.0 + 10.0 * (f64::from(length) - 1.0);
            assert!((waits - expected).abs() < 6.0, "{length}: {waits}");
        }
    }

    #[test]
    fn lines_from_the_second_level_wait_for_one_another() {
        let jump_from = || u32::MAX - 1;
        let waits = |line_cycles: u32| {
            let spec = SmxSpec {
                icache_l15_cycles_per_line: line_cycles,
                ..hopper()
            };
            let mut cache = InstructionCache::new(&spec, 1 << 20);
            let far = [0, 1, 2, 3].map(|k| (900 + 10 * k) * LINE);
            let mut now = 0;
            // All levels have them, then as many others push them out of the first.
            for at in far.into_iter().chain((0..700).map(|k| k * LINE)) {
                now += 1000;
                cache.fetch(0, at, &mut jump_from(), now);
            }
            now += 1000;
            let scheduler = |(s, at): (usize, u32)| cache.fetch(s, at, &mut jump_from(), now).delay;
            far.into_iter().enumerate().map(scheduler).sum::<u64>()
        };
        // A line of each, and the next of each: the last of them waits for seven.
        assert_eq!(waits(0), 4 * 92);
        assert_eq!(waits(4), 4 * 92 + (2 + 4 + 6) * 4);
    }
}
