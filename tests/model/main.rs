//! The analytical model, and the presets that both models read.

#![cfg(feature = "cli")]

mod against_sim;
mod dram;
mod ledger;
mod mechanisms;
mod names;
mod preset_limits;
mod properties;
mod roofline;
