//! Predictions against measurements.

mod bounds;
mod cpu;
mod gpu;
