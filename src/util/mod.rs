//! TODO util

pub mod band;
pub mod input;
pub mod memo;
pub mod stats;
