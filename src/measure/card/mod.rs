//! Microbenchmarks of a card: latencies, capacities, bandwidths.
//!
//! Leaves out: a preset from the readings (`device::characterize`).

mod experiments;

pub use experiments::{EXPERIMENTS, Experiment, Session};
