//! Predictions against measurements.

mod bounds;
mod gpu;
