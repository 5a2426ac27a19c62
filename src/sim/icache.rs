//! Instruction fetch: the schedulers' own caches and two further levels of instruction cache, in front of the L2.
//!
//! Models: a warp that crosses into another code line looks it up; a miss delays its next issue and fills the line. A scheduler
//! takes the next line along. The first level requests some lines ahead of one that it lacks, if they can be requested at once,
//! and one more whenever such a line is used. Without caches of the schedulers, the line that follows the last one arrives sooner.
//! Leaves out: the constant data that shares the second level, the code of other kernels.
//! Units: bytes, cycles. Sources: the device preset (Kepler: Jia et al. 2018, Table 3.1, figure 3.9; H100, H200: measured).

use super::cache::{Cache, Lookup};
use super::fetch_port::FetchPort;
use super::spec::{CODE_WAYS, CacheSpec, SmxSpec};

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
    /// Lines of the first level that were requested ahead and not used yet, by number.
    unused: Vec<bool>,
    prefetch_lines: u32,
    port: FetchPort,
    /// Delays from the first level, the second level and the L2, after a jump.
    jump: [u64; 3],
    /// Delays for the line that follows the last one.
    next_line: [u64; 3],
}

impl InstructionCache {
    /// Returns empty caches for a kernel of `code_bytes`.
    pub fn new(spec: &SmxSpec, code_bytes: u32) -> Self {
        let code = &spec.device.instruction_cache;
        let line_bytes = code.line_bytes;
        let level = |bytes: u32, ways: u32| {
            let sets = bytes / (line_bytes * ways);
            Cache::new(CacheSpec::new(sets, ways, line_bytes), 1)
        };
        let own_lines = code.l0_bytes / line_bytes;
        let l0 = match own_lines {
            0 => Vec::new(),
            lines => {
                vec![level(code.l0_bytes, lines); spec.n_schedulers()]
            }
        };
        let nearest = match own_lines {
            0 => code.l1_bytes,
            _ => code.l0_bytes,
        };
        let always_hits = code_bytes <= nearest;
        let [next_l15, next_l2] = spec.code.next_line_cycles.map(u64::from);
        let n_lines = code_bytes.div_ceil(line_bytes) as usize;
        InstructionCache {
            line_shift: match always_hits {
                true => u32::BITS,
                false => line_bytes.trailing_zeros(),
            },
            always_hits,
            l0,
            l1: level(code.l1_bytes, CODE_WAYS),
            l15: level(code.l15_bytes, CODE_WAYS),
            unused: vec![false; n_lines],
            prefetch_lines: code.prefetch_lines,
            port: FetchPort::new(spec),
            jump: [
                spec.near_jump_cycles(),
                code.l15_latency_cycles,
                code.l2_latency_cycles,
            ]
            .map(u64::from),
            next_line: [0, next_l15, next_l2],
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
            let delay = self.first_level(wanted, now, delays) - now;
            return Fetch { delay, lines: 0 };
        }
        let mut lines = 0;
        let ready_at = match self.l0[scheduler].access(pc_bytes, false) {
            Lookup::Hit { ready_at } => ready_at.max(now),
            Lookup::Miss { way, .. } => {
                let ready_at = self.first_level(wanted, now, self.jump);
                self.l0[scheduler].fill_at(way, ready_at);
                lines += 1;
                ready_at
            }
        };
        // The next line is taken along. One that the first level has comes while this one runs.
        let next = wanted + 1;
        if let Lookup::Miss { way, .. } = self.l0[scheduler].access(next << self.line_shift, false)
        {
            let [_, second, l2] = self.jump;
            let next_ready_at = self.first_level(next, now, [0, second, l2]);
            self.l0[scheduler].fill_at(way, next_ready_at.max(ready_at));
            lines += 1;
        }
        let delay = ready_at - now;
        Fetch { delay, lines }
    }

    /// Looks a line up in the first level, and requests it and those ahead if it is absent. Returns when it is there; `delays` are
    /// those of the first level, the second level and the L2.
    fn first_level(&mut self, line: u32, now: u64, delays: [u64; 3]) -> u64 {
        match self.l1.access(line << self.line_shift, false) {
            Lookup::Hit { ready_at } => {
                if self
                    .unused
                    .get_mut(line as usize)
                    .is_some_and(std::mem::take)
                {
                    self.prefetch(line + self.prefetch_lines, now);
                }
                ready_at.max(now + delays[0])
            }
            Lookup::Miss { way, .. } => {
                let arrival = self.request(line, now, delays);
                self.l1.fill_at(way, arrival);
                for ahead in 1..=self.prefetch_lines {
                    self.prefetch(line + ahead, now);
                }
                arrival
            }
        }
    }

    /// Requests a line that nothing waits for, unless the first level has it or there are too many in flight.
    fn prefetch(&mut self, line: u32, now: u64) {
        let Some(unused) = self.unused.get_mut(line as usize) else {
            return;
        };
        if !self.port.has_room(now) {
            return;
        }
        if let Lookup::Miss { way, .. } = self.l1.access(line << self.line_shift, false) {
            *unused = true;
            let arrival = self.request(line, now, self.jump);
            self.l1.fill_at(way, arrival);
        }
    }

    /// Requests a line from the second level. Returns when it arrives.
    fn request(&mut self, line: u32, now: u64, delays: [u64; 3]) -> u64 {
        let latency = match self.l15.access(line << self.line_shift, false) {
            Lookup::Hit { .. } => delays[1],
            Lookup::Miss { .. } => delays[2],
        };
        self.port.request(now, latency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::testing::spec;

    const LINE: u32 = 128;
    const KIB: u32 = 1024;

    /// Returns the H100's hierarchy: 16 lines per scheduler, 32 KiB, 128 KiB.
    fn hopper() -> SmxSpec {
        let mut spec = spec();
        spec.code.next_line_cycles = [10, 37];
        let code = &mut spec.device.instruction_cache;
        (code.line_bytes, code.l0_bytes) = (LINE, 16 * LINE);
        (code.l1_bytes, code.l15_bytes) = (32 * KIB, 128 * KIB);
        (code.l1_latency_cycles, code.l15_latency_cycles) = (25, 92);
        code.l2_latency_cycles = 355;
        (code.prefetch_lines, code.lines_in_flight) = (4, 24);
        spec
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

    /// Mean wait of a visit to one of `n` handlers of `length` lines in turn, with `gap` lines between that nobody visits.
    fn handlers(n: u32, length: u32, gap: u32) -> f64 {
        let mut walk = Walk::new(&hopper());
        let visits = |walk: &mut Walk| -> u64 {
            let firsts = (0..n).map(|k| 8 + k * (length + gap));
            firsts.map(|first| walk.over(first..first + length)).sum()
        };
        visits(&mut walk);
        visits(&mut walk);
        visits(&mut walk) as f64 / f64::from(n)
    }

    /// Measured: 1.0 cycles an instruction from the first level, 2.2 from the second, eight instructions a line
    /// (`fixtures/measured/h200/fetch.csv`).
    #[test]
    fn straight_code_runs_at_the_pace_of_its_level() {
        for (lines, measured) in [(200, 8.0), (900, 17.6)] {
            let mut walk = Walk::new(&hopper());
            walk.over((0..lines).chain(0..lines));
            let cycles = 8.0 + walk.over(0..lines) as f64 / f64::from(lines);
            assert!((cycles - measured).abs() < 1.0, "{lines}: {cycles}");
        }
    }

    #[test]
    fn a_jump_costs_nothing_within_what_a_scheduler_has_and_the_first_level_beyond() {
        // Each line takes the next one along.
        assert_eq!(handlers(8, 1, 4), 0.0);
        assert_eq!(handlers(4, 3, 4), 0.0);
        for (n, length) in [(20, 1), (20, 3), (6, 15)] {
            assert_eq!(handlers(n, length, 4), 25.0, "{n} of {length}");
        }
    }

    #[test]
    fn a_jump_beyond_the_first_level_waits_once_for_six_lines() {
        for (length, expected) in [(1, 92.0), (3, 92.0), (6, 92.0), (7, 92.0 + 52.0)] {
            let waits = handlers(900 / (length + 8), length, 8);
            assert!((waits - expected).abs() < 1.0, "{length}: {waits}");
        }
    }
}
