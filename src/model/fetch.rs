//! Instruction fetch: how long a token waits for code that the first-level instruction cache does not hold.
//!
//! What it models: code lines compete for an LRU cache by how often they are entered; one that is missing comes from
//! the second level. What it leaves out: the second level's own misses, prefetch.
//! Units: cycles per token. Sources: equation (15) of `docs/model.md`; Che, Tung and Wang, Hierarchical Web Caching
//! Systems, IEEE JSAC 20 (2002).

use std::collections::BTreeMap;

use super::shapes::Shapes;
use crate::launch::Launch;

const HALVINGS: u32 = 50;

/// **(15)** Expected wait per token: entries of code lines times the probability that the line is not there.
pub fn wait_cycles(launch: &Launch, shapes: &Shapes) -> f64 {
    let spec = launch.spec;
    if launch.code_bytes <= spec.icache_l1_bytes {
        return 0.0;
    }
    let mut entries: BTreeMap<u32, f64> = BTreeMap::new();
    for shape in &shapes.shapes {
        for &line in &shape.code_lines {
            *entries.entry(line).or_default() += shape.per_token;
        }
    }
    let size = f64::from(spec.icache_l1_bytes / spec.icache_line_bytes);
    if entries.len() as f64 <= size {
        return 0.0;
    }
    let (mut low, mut high) = (-20.0f64, 60.0f64);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let there: f64 = entries
            .values()
            .map(|rate| 1.0 - (-rate * middle.exp2()).exp())
            .sum();
        if there < size {
            low = middle;
        } else {
            high = middle;
        }
    }
    let misses: f64 = entries
        .values()
        .map(|rate| rate * (-rate * low.exp2()).exp())
        .sum();
    misses * f64::from(spec.icache_l15_latency_cycles)
}
