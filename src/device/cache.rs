//! The shape of the on-chip memory and its L1: splits, sets, ways, replacement, index hash.
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

/// How the on-chip memory is divided when a launch does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DefaultSplit {
    /// As much L1 as there is.
    LargestL1,
    /// The smallest shared memory that limits no block.
    LeastShared,
}

/// Sets and ways of a cache of `bytes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheGeometry {
    pub bytes: u32,
    pub n_sets: u32,
    pub n_ways: u32,
}

/// Which line of a set leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replacement {
    /// The least recently used line.
    Lru,
    /// Any line, with equal probability.
    Random,
    /// The line filled first.
    Fifo,
    /// Tree pseudo-LRU.
    TreeLru,
}

/// How an address becomes a set number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexHash {
    /// The low bits of the line number.
    Linear,
    /// The low bits, each XORed with one bit of `index_hash_bits` (lowest first).
    Xor,
    /// Evenly spread, whatever the stride.
    Spread,
}

impl FieldValue for OnChipSplit {
    fn numbers(&self) -> Vec<f64> {
        vec![f64::from(self.shared_bytes), f64::from(self.l1_bytes)]
    }
    fn show(&self) -> String {
        format!("{}+{}", self.shared_bytes, self.l1_bytes)
    }
}

impl FieldValue for DefaultSplit {
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
    fn show(&self) -> String {
        match self {
            DefaultSplit::LargestL1 => "largest_l1",
            DefaultSplit::LeastShared => "least_shared",
        }
        .into()
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

impl FieldValue for Replacement {
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
    fn show(&self) -> String {
        match self {
            Replacement::Lru => "lru",
            Replacement::Random => "random",
            Replacement::Fifo => "fifo",
            Replacement::TreeLru => "tree_lru",
        }
        .into()
    }
}

impl FieldValue for IndexHash {
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
    fn show(&self) -> String {
        match self {
            IndexHash::Linear => "linear",
            IndexHash::Xor => "xor",
            IndexHash::Spread => "spread",
        }
        .into()
    }
}
