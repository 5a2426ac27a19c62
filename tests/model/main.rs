//! The analytical model, and the presets that both models read.

mod against_sim;
mod dram;
mod ledger;
mod mechanisms;
mod names;
mod preset_limits;
#[cfg(feature = "report")]
mod properties;
#[cfg(feature = "report")]
mod roofline;
