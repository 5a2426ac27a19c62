//! Instruction fetch: two levels of instruction cache in front of the L2.
//!
//! What it models: a warp that crosses into another code line looks it up; a miss delays its next issue
//! and fills the line; the line that follows the last one comes sooner, where it is fetched ahead.
//! What it leaves out: fetch bandwidth, the constant data that shares the
//! second level. Units: bytes, cycles. Sources: the device preset (Jia et al. 2018, Table 3.1, figure 3.9).

use super::cache::{Cache, Lookup};
use super::spec::{CacheSpec, Replacement, SetIndex, SmxSpec};

/// See the module text.
#[derive(Debug, Clone)]
pub struct InstructionCache {
    /// Where the whole kernel fits, everything counts as one line.
    line_shift: u32,
    always_hits: bool,
    l1: Cache,
    l15: Cache,
    /// From the second level and from the L2, after a jump.
    jump: [u64; 2],
    /// The same for the line that follows the last one.
    next_line: [u64; 2],
}

impl InstructionCache {
    /// Empty caches for a kernel of `code_bytes`.
    pub fn new(spec: &SmxSpec, code_bytes: u32) -> Self {
        let level = |bytes: u32| {
            let ways = 4;
            let sets = bytes / (spec.icache_line_bytes * ways);
            let spec = CacheSpec {
                sets,
                ways,
                line_bytes: spec.icache_line_bytes,
                sector_bytes: spec.icache_line_bytes,
                replacement: Replacement::Lru,
                index: SetIndex::Linear,
                fills_hold_lines: false,
                rows: None,
            };
            Cache::new(spec, 1)
        };
        let always_hits = code_bytes <= spec.icache_l1_bytes;
        InstructionCache {
            line_shift: match always_hits {
                true => u32::BITS,
                false => spec.icache_line_bytes.trailing_zeros(),
            },
            always_hits,
            l1: level(spec.icache_l1_bytes),
            l15: level(spec.icache_l15_bytes),
            jump: [
                u64::from(spec.icache_l15_latency_cycles),
                u64::from(spec.icache_l2_latency_cycles),
            ],
            next_line: spec.icache_next_line_cycles.map(u64::from),
        }
    }

    /// Delay of fetching `pc_bytes` for a warp whose last fetched line is `line`; updates the line.
    #[inline]
    pub fn fetch(&mut self, pc_bytes: u32, line: &mut u32, now: u64) -> u64 {
        if self.line_of(pc_bytes) == *line {
            return 0;
        }
        self.look_up(pc_bytes, line, now)
    }

    #[inline]
    fn line_of(&self, pc_bytes: u32) -> u32 {
        (u64::from(pc_bytes) >> self.line_shift) as u32
    }

    fn look_up(&mut self, pc_bytes: u32, line: &mut u32, now: u64) -> u64 {
        let wanted = self.line_of(pc_bytes);
        if self.always_hits {
            *line = wanted;
            return 0;
        }
        let follows = wanted == line.wrapping_add(1);
        *line = wanted;
        match self.l1.access(pc_bytes, false) {
            Lookup::Hit { ready_at } => ready_at.saturating_sub(now),
            Lookup::Miss { way, .. } => {
                let level = match self.l15.access(pc_bytes, false) {
                    Lookup::Hit { .. } => 0,
                    Lookup::Miss { .. } => 1,
                };
                let delay = if follows {
                    self.next_line[level]
                } else {
                    self.jump[level]
                };
                self.l1.fill_at(way, now + delay);
                delay
            }
        }
    }
}
