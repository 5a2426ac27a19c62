//! Memory traffic of a launch from windows at several numbers of resident blocks.
//!
//! Units: in field names.

use crate::launch::counters::{Counters, traffic};
use crate::launch::prediction::MemoryTraffic;

/// Windows at several numbers of resident blocks.
#[derive(Debug, Default)]
pub struct Levels(Vec<(u32, Counters)>);

impl Levels {
    /// Adds the counters of a window with `blocks` blocks resident.
    pub fn add(&mut self, blocks: u32, counters: &Counters) {
        self.0.push((blocks, counters.clone()));
        self.0.sort_unstable_by_key(|level| level.0);
    }

    /// Memory traffic of `tokens` tokens of launches. `parts`, by resident blocks, is the share of tokens evaluated at each level;
    /// counts per token are interpolated linearly between two levels.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Counters of 1000 tokens with one line each.
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
