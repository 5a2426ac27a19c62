//! Critical paths: the time of one warp alone.
//!
//! Models: instructions and their dependences as a graph per segment (`graph`), reduced to the instructions that wait for
//! memory (`stall_points`), all segments combined into one tree (`tree`), whose length is computed for any latencies
//! (`evaluate`).
//! Units: cycles.
//! Sources: equations (10) and (11) of `docs/model.md`.

mod evaluate;
mod graph;
mod rules;
mod stall_points;
mod tree;

pub use evaluate::Linear;
pub use graph::Path;
pub use rules::PathRules;
pub use tree::{Builder, Paths};

/// Memory latencies, including queueing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Latencies {
    pub shared_cycles: f64,
    pub local_hit_cycles: f64,
    pub local_miss_cycles: f64,
    pub local_miss_probability: f64,
    pub global_cycles: f64,
    /// Cycles until the load/store unit reads the operands.
    pub operands_cycles: f64,
}

impl Latencies {
    /// Returns the values in the order of [`evaluate::Gradient`].
    #[inline]
    pub fn list(&self) -> [f64; 6] {
        [
            self.shared_cycles,
            self.local_hit_cycles,
            self.local_miss_cycles,
            self.global_cycles,
            self.operands_cycles,
            self.local_miss_probability,
        ]
    }
}
