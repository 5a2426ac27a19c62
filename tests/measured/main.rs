//! Predictions against measurements.

#[cfg(feature = "report")]
mod accumulator;
mod bounds;
mod cpu;
mod gpu;
