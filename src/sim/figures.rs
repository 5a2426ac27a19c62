//! Counters of the simulator as figures of a prediction.
//!
//! Units: in field names.

use super::observe::Counters;
use crate::predict::{CpiEntry, MemoryTraffic};

/// The CPI stack of a window in display order, empty causes left out.
pub fn cpi_entries(counters: &Counters) -> Vec<CpiEntry> {
    CpiEntry::stack(|cause| counters.cpi_stack[cause as usize])
}

/// Windows at several numbers of resident blocks.
#[derive(Debug, Default)]
pub struct Levels(Vec<(u32, Counters)>);

impl Levels {
    /// Adds what a window counted with so many blocks resident.
    pub fn add(&mut self, blocks: u32, counters: &Counters) {
        self.0.push((blocks, counters.clone()));
        self.0.sort_unstable_by_key(|level| level.0);
    }

    /// Memory traffic of launches of which `parts` of the tokens, by resident blocks, are evaluated at each level; between two levels
    /// what is counted per token is linear in the blocks.
    pub fn traffic(&self, parts: &[f64]) -> MemoryTraffic {
        let mut weights = vec![0.0; self.0.len()];
        for (residents, part) in parts.iter().enumerate() {
            let above = (self.0).partition_point(|level| (level.0 as usize) < residents);
            let high = above.min(self.0.len() - 1);
            let low = above.saturating_sub(1).min(high);
            let [from, to] = [low, high].map(|level| f64::from(self.0[level].0));
            let of_high = match to > from {
                true => ((residents as f64 - from) / (to - from)).clamp(0.0, 1.0),
                false => 1.0,
            };
            weights[high] += part * of_high;
            weights[low] += part * (1.0 - of_high);
        }
        let levels = self.0.iter().zip(weights);
        let none = Counters::default();
        let of_level = |sum: Counters, ((_, counters), weight): (&(u32, Counters), f64)| {
            sum.with(&counters.times(weight * TOKENS / counters.tokens().max(1.0)))
        };
        traffic(&levels.fold(none, of_level))
    }
}

/// Tokens that the traffic of a launch is told of.
const TOKENS: f64 = 1e9;

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
        l2_read_bytes: counters.l2_read_bytes,
        l2_write_bytes: counters.l2_write_bytes,
        l2_hit_percent: percent(counters.l2_hits, counters.l2_lines),
        dram_read_bytes: counters.dram_read_bytes,
        dram_write_bytes: counters.dram_write_bytes,
    }
}
