//! The shape of the on-chip memory and its L1: splits, sets, ways.
//!
//! Leaves out: behaviour, which the models implement. Units: bytes.
//! Sources: named value by value in the device files.

use super::quantity::FieldValue;
use serde::{Deserialize, Serialize};

/// One way of dividing the on-chip memory of an SMX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnChipSplit {
    pub shared_bytes: u32,
    pub l1_bytes: u32,
}

/// Sets and ways of a cache of `bytes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheGeometry {
    pub bytes: u32,
    pub n_sets: u32,
    pub n_ways: u32,
}

impl FieldValue for OnChipSplit {
    fn numbers(&self) -> Vec<f64> {
        vec![f64::from(self.shared_bytes), f64::from(self.l1_bytes)]
    }
    fn show(&self) -> String {
        format!("{}+{}", self.shared_bytes, self.l1_bytes)
    }
}

impl FieldValue for CacheGeometry {
    fn numbers(&self) -> Vec<f64> {
        vec![self.bytes, self.n_sets, self.n_ways]
            .into_iter()
            .map(f64::from)
            .collect()
    }
    fn show(&self) -> String {
        format!("{}: {} x {}", self.bytes, self.n_sets, self.n_ways)
    }
}
