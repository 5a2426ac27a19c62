//! Helpers independent of GP and machines: values computed once per key, statistics, users' files.

pub mod band;
pub mod elementary;
pub mod input;
pub mod linear;
pub mod memo;
pub mod names;
pub mod parallel;
pub mod refused;
pub mod rows;
pub mod seven_bits;
pub mod stats;
pub mod stopwatch;
