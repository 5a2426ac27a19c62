//! Counters of issue and memory events, as both performance models fill them.
//!
//! Models: every cycle of every scheduler is charged once, so the CPI stack sums to `schedulers x cycles`.
//! A cycle in which no warp can issue is charged in equal parts to what each resident warp waits for.
//! Leaves out: which of several causes a launch would do without.
//! Units: cycles, warp instructions, bytes.

use super::cause::Cause;
use crate::launch::prediction::{CpiEntry, MemoryTraffic};
use serde::Serialize;

/// Fractions of a program node in which warps' progress is counted.
pub const CREDITS_PER_TOKEN: u32 = 1 << 16;

/// Counters of one simulated window.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Counters {
    pub cycles: u64,
    /// Warp instructions issued (replays not counted).
    pub instructions: u64,
    /// Instructions that issued in the second slot of a dual issue.
    pub dual_issued: u64,
    /// Program nodes that warps evaluated, in fractions of `CREDITS_PER_TOKEN`.
    pub token_credits: u64,
    /// Local-memory lines looked up in the L1, and those that hit.
    pub l1_load_lines: u64,
    pub l1_load_hits: u64,
    pub l1_store_lines: u64,
    pub l1_store_hits: u64,
    /// Global lines looked up in the L1, where it holds them, and those that hit.
    pub l1_global_lines: u64,
    pub l1_global_hits: u64,
    /// Bytes of global loads looked up in the L1, in whole sectors.
    pub l1_global_bytes: u64,
    /// L2 look-ups (local fills, write-backs and fitness cases) and hits, in lines.
    pub l2_lines: u64,
    pub l2_hits: u64,
    pub l2_read_bytes: u64,
    pub l2_write_bytes: u64,
    pub dram_read_bytes: u64,
    pub dram_write_bytes: u64,
    pub icache_misses: u64,
    pub blocks_finished: u64,
    /// Scheduler-cycles per cause, indexed by `Cause as usize`.
    pub cpi_stack: [u64; Cause::ALL.len()],
    /// CPI stack with an idle cycle charged to the warp nearest to issuing; the times of a sample are scaled by it.
    #[serde(skip)]
    pub nearest_stack: [u64; Cause::ALL.len()],
}

impl Counters {
    /// Program nodes that warps evaluated.
    pub fn tokens(&self) -> f64 {
        self.token_credits as f64 / f64::from(CREDITS_PER_TOKEN)
    }

    /// Returns the counters with the credits of `tokens` program nodes.
    pub fn of_tokens(self, tokens: f64) -> Counters {
        Counters {
            token_credits: (tokens * f64::from(CREDITS_PER_TOKEN)).round() as u64,
            ..self
        }
    }

    /// Returns the sum of both; cycles add up, too.
    pub fn with(&self, other: &Counters) -> Counters {
        self.combined(other, |a, b| a + b)
    }

    /// Returns all counts multiplied by `factor`.
    pub fn times(&self, factor: f64) -> Counters {
        self.combined(self, |count, _| (count as f64 * factor).round() as u64)
    }

    /// Returns the counts since `start`.
    pub fn since(&self, start: &Counters) -> Counters {
        self.combined(start, |now, then| now - then)
    }

    fn combined(&self, other: &Counters, of: impl Fn(u64, u64) -> u64) -> Counters {
        type Stack = [u64; Cause::ALL.len()];
        let stack = |a: &Stack, b: &Stack| std::array::from_fn(|i| of(a[i], b[i]));
        Counters {
            cycles: of(self.cycles, other.cycles),
            instructions: of(self.instructions, other.instructions),
            dual_issued: of(self.dual_issued, other.dual_issued),
            token_credits: of(self.token_credits, other.token_credits),
            l1_load_lines: of(self.l1_load_lines, other.l1_load_lines),
            l1_load_hits: of(self.l1_load_hits, other.l1_load_hits),
            l1_store_lines: of(self.l1_store_lines, other.l1_store_lines),
            l1_store_hits: of(self.l1_store_hits, other.l1_store_hits),
            l1_global_lines: of(self.l1_global_lines, other.l1_global_lines),
            l1_global_hits: of(self.l1_global_hits, other.l1_global_hits),
            l1_global_bytes: of(self.l1_global_bytes, other.l1_global_bytes),
            l2_lines: of(self.l2_lines, other.l2_lines),
            l2_hits: of(self.l2_hits, other.l2_hits),
            l2_read_bytes: of(self.l2_read_bytes, other.l2_read_bytes),
            l2_write_bytes: of(self.l2_write_bytes, other.l2_write_bytes),
            dram_read_bytes: of(self.dram_read_bytes, other.dram_read_bytes),
            dram_write_bytes: of(self.dram_write_bytes, other.dram_write_bytes),
            icache_misses: of(self.icache_misses, other.icache_misses),
            blocks_finished: of(self.blocks_finished, other.blocks_finished),
            cpi_stack: stack(&self.cpi_stack, &other.cpi_stack),
            nearest_stack: stack(&self.nearest_stack, &other.nearest_stack),
        }
    }
}

/// The CPI stack of a window in display order, empty causes left out.
pub fn cpi_entries(counters: &Counters) -> Vec<CpiEntry> {
    CpiEntry::stack(|cause| counters.cpi_stack[cause as usize])
}

/// Memory traffic of a window.
pub fn traffic(counters: &Counters) -> MemoryTraffic {
    let percent = |part: u64, whole: u64| {
        if whole == 0 {
            0.0
        } else {
            100.0 * part as f64 / whole as f64
        }
    };
    MemoryTraffic {
        warp_nodes: counters.tokens().round() as u64,
        l1_load_lines: counters.l1_load_lines,
        l1_store_lines: counters.l1_store_lines,
        l1_load_hit_percent: percent(counters.l1_load_hits, counters.l1_load_lines),
        l1_store_hit_percent: percent(counters.l1_store_hits, counters.l1_store_lines),
        l1_global_bytes: counters.l1_global_bytes,
        l2_read_bytes: counters.l2_read_bytes,
        l2_write_bytes: counters.l2_write_bytes,
        l2_hit_percent: percent(counters.l2_hits, counters.l2_lines),
        dram_read_bytes: counters.dram_read_bytes,
        dram_write_bytes: counters.dram_write_bytes,
    }
}
