//! Instruction fetch: two levels of instruction cache in front of the L2.
//!
//! What it models: a warp that crosses into another code line looks it up; a miss delays its next issue
//! and fills the line. What it leaves out: fetch bandwidth, prefetch, the constant data that shares the
//! second level. Units: bytes, cycles. Sources: the device preset (Jia et al. 2018, Table 3.1, figure 3.9).

use super::cache::{Cache, Lookup};
use super::spec::{CacheSpec, Replacement, SetIndex, SmxSpec};

/// See the module text.
#[derive(Debug, Clone)]
pub struct InstructionCache {
    line_shift: u32,
    always_hits: bool,
    l1: Cache,
    l15: Cache,
    l15_latency: u64,
    l2_latency: u64,
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
                replacement: Replacement::Lru,
                index: SetIndex::Linear,
                fills_hold_lines: false,
            };
            Cache::new(spec, 1)
        };
        InstructionCache {
            line_shift: spec.icache_line_bytes.trailing_zeros(),
            always_hits: code_bytes <= spec.icache_l1_bytes,
            l1: level(spec.icache_l1_bytes),
            l15: level(spec.icache_l15_bytes),
            l15_latency: u64::from(spec.icache_l15_latency_cycles),
            l2_latency: u64::from(spec.icache_l2_latency_cycles),
        }
    }

    /// Delay of fetching `pc_bytes` for a warp whose last fetched line is `line`; updates the line.
    #[inline]
    pub fn fetch(&mut self, pc_bytes: u32, line: &mut u32, now: u64) -> u64 {
        let wanted = pc_bytes >> self.line_shift;
        if self.always_hits || wanted == *line {
            return 0;
        }
        *line = wanted;
        match self.l1.access(pc_bytes, false) {
            Lookup::Hit { ready_at } => ready_at.saturating_sub(now),
            Lookup::Miss { way, .. } => {
                let delay = match self.l15.access(pc_bytes, false) {
                    Lookup::Hit { .. } => self.l15_latency,
                    Lookup::Miss { .. } => self.l2_latency,
                };
                self.l1.fill_at(way, now + delay);
                delay
            }
        }
    }
}
