//! Critical paths: the time that one warp alone takes for its instructions.
//!
//! Models: instructions and their dependences as a graph per segment (`graph`), reduced to the
//! instructions that wait for memory (`stall_points`), all segments together as one tree (`tree`), whose length is found
//! for any latencies (`evaluate`).
//! Units: cycles. Sources: equations (10) and (11) of `docs/model.md`.

mod evaluate;
mod graph;
mod rules;
mod stall_points;
mod tree;

pub use evaluate::Linear;
pub use graph::Path;
pub use rules::PathRules;
pub use tree::{Builder, Paths};

/// Latencies of the memories, waiting in queues included.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Latencies {
    pub shared_cycles: f64,
    pub local_hit_cycles: f64,
    pub local_miss_cycles: f64,
    pub local_miss_probability: f64,
    pub global_cycles: f64,
    /// Until the load/store unit reads the operands.
    pub operands_cycles: f64,
}

impl Latencies {
    /// In the order of [`evaluate::Gradient`].
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
