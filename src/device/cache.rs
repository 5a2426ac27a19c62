//! Sizes of the on-chip memory and its L1: splits, sets, ways.
//!
//! Leaves out: behaviour, which the models implement.
//! Units: bytes.
//! Sources: given for each value in the device files.

use super::table::{FieldValue, record};
use serde::Serialize;

/// Division of an SMX's on-chip memory into shared memory and L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OnChipSplit {
    pub shared_bytes: u32,
    pub l1_bytes: u32,
}

/// Sets and ways of a cache of `bytes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CacheGeometry {
    pub bytes: u32,
    pub n_sets: u32,
    pub n_ways: u32,
}

impl FieldValue for OnChipSplit {
    fn form() -> String {
        "{ shared_bytes, l1_bytes }".into()
    }
    fn of(value: &toml::Value) -> Option<Self> {
        let [shared_bytes, l1_bytes] = record(value, ["shared_bytes", "l1_bytes"])?;
        Some(OnChipSplit {
            shared_bytes,
            l1_bytes,
        })
    }
}

impl FieldValue for CacheGeometry {
    fn form() -> String {
        "{ bytes, n_sets, n_ways }".into()
    }
    fn of(value: &toml::Value) -> Option<Self> {
        let [bytes, n_sets, n_ways] = record(value, ["bytes", "n_sets", "n_ways"])?;
        Some(CacheGeometry {
            bytes,
            n_sets,
            n_ways,
        })
    }
}
