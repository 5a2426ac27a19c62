//! The levels behind the ports of the multiprocessors: L2 and DRAM.
//!
//! What it models: one multiprocessor's share of them, or all of them, which several multiprocessors then ask in the order of their cycles.
//! What it leaves out: the way there (`memory`). Units: bytes, cycles.

use super::cache::Cache;
use super::dram::Dram;
use super::spec::{CacheSpec, DramSpec};

/// See the module text.
#[derive(Debug, Clone)]
pub struct LowerLevels {
    pub l2: Cache,
    pub dram: Dram,
}

/// Of the L2's replacement, beside that of the L1.
const SEED: u32 = 0x5bd1_e995;

impl LowerLevels {
    /// Empty: one multiprocessor's share, or all that they share.
    pub fn new(l2: &CacheSpec, dram: &DramSpec, seed: u32) -> Self {
        LowerLevels {
            l2: Cache::new(l2.clone(), seed ^ SEED),
            dram: Dram::new(dram),
        }
    }
}
