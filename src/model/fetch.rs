//! Instruction fetch: how much code of a token the first-level instruction cache does not hold.
//!
//! What it models: code lines compete for an LRU cache by how often they are entered; one that is missing comes from
//! the second level. What it leaves out: the second level's own misses, prefetch.
//! Units: lines per token. Sources: equation (16) of `docs/model.md`; Che, Tung and Wang, Hierarchical Web Caching
//! Systems, IEEE JSAC 20 (2002).

use std::collections::BTreeMap;

const HALVINGS: u32 = 40;

/// Instructions that begin a token's run of code, by their byte address, with executions per token.
#[derive(Debug, Clone, Default)]
pub struct CodeUse {
    /// Runs of consecutive instructions: executions per token and the addresses.
    runs: Vec<(f64, Vec<u32>)>,
}

impl CodeUse {
    pub fn add(&mut self, executions: f64, addresses: Vec<u32>) {
        self.runs.push((executions, addresses));
    }

    /// **(16)** Entered lines per token that a cache of `cache_bytes` with `line_bytes` lines does not hold.
    pub fn missing_lines(&self, cache_bytes: u32, line_bytes: u32) -> f64 {
        let mut entries: BTreeMap<u32, f64> = BTreeMap::new();
        for (executions, addresses) in &self.runs {
            let mut last = u32::MAX;
            for line in addresses.iter().map(|address| address / line_bytes) {
                if line != last {
                    *entries.entry(line).or_default() += executions;
                    last = line;
                }
            }
        }
        let size = f64::from(cache_bytes / line_bytes);
        if entries.len() as f64 <= size {
            return 0.0;
        }
        let (mut low, mut high) = (-20.0f64, 60.0f64);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let there: f64 = entries
                .values()
                .map(|rate| -(-rate * middle.exp2()).exp_m1())
                .sum();
            if there < size {
                low = middle;
            } else {
                high = middle;
            }
        }
        let missing = |rate: &f64| rate * (-rate * low.exp2()).exp();
        entries.values().map(missing).sum()
    }
}
