//! Microbenchmarks of a card: latencies, capacities, bandwidths.
//!
//! * [`experiments`]: the launches, on a GPU.
//! * [`readings`]: their values, in a file.
//!
//! Leaves out: a preset from the readings.

pub mod experiments;
pub mod readings;
