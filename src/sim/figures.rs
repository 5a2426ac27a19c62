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

    /// Memory traffic of so many tokens of launches of which `parts`, by resident blocks, are evaluated at each level; between two levels
    /// what is counted per token is linear in the blocks.
    pub fn traffic(&self, tokens: f64, parts: &[f64]) -> MemoryTraffic {
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
            sum.with(&counters.times(weight * tokens / counters.tokens().max(1.0)))
        };
        traffic(&levels.fold(none, of_level))
    }
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
        l2_read_bytes: counters.l2_read_bytes,
        l2_write_bytes: counters.l2_write_bytes,
        l2_hit_percent: percent(counters.l2_hits, counters.l2_lines),
        dram_read_bytes: counters.dram_read_bytes,
        dram_write_bytes: counters.dram_write_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 1000 tokens, with a line each.
    fn window(hits: u64) -> Counters {
        let counters = Counters {
            l1_load_lines: 1000,
            l1_load_hits: hits,
            ..Counters::default()
        };
        counters.of_tokens(1000.0)
    }

    fn hits(parts: &[f64]) -> f64 {
        let mut levels = Levels::default();
        levels.add(4, &window(500));
        levels.add(1, &window(900));
        levels.add(2, &window(800));
        levels.traffic(1e6, parts).l1_load_hit_percent
    }

    #[test]
    fn a_launch_hits_as_its_levels_do_each_by_its_part() {
        assert_eq!(hits(&[0.0, 0.0, 0.0, 0.0, 1.0]), 50.0);
        assert_eq!(hits(&[0.0, 1.0, 0.0, 0.0, 0.0]), 90.0);
        let half = hits(&[0.0, 0.25, 0.25, 0.0, 0.5]);
        assert!((half - (0.5 * 50.0 + 0.25 * (90.0 + 80.0))).abs() < 1e-4);
    }

    #[test]
    fn between_two_levels_counts_are_linear_in_the_blocks() {
        assert!((hits(&[0.0, 0.0, 0.0, 1.0]) - 65.0).abs() < 1e-4);
    }

    #[test]
    fn beyond_the_levels_counts_are_those_of_the_last() {
        assert_eq!(hits(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]), 50.0);
    }
}
