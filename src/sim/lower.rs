//! The levels behind the ports of the multiprocessors: L2 and DRAM.
//!
//! What it models: one multiprocessor's share of them, or all of them, which several multiprocessors then ask in the order of their cycles;
//! how much the L2 takes in a cycle.
//! What it leaves out: the way there (`memory`). Units: bytes, cycles.

use super::cache::Cache;
use super::dram::Dram;
use super::port::Port;
use super::spec::SmxSpec;

/// See the module text.
#[derive(Debug, Clone)]
pub struct LowerLevels {
    pub l2: Cache,
    pub dram: Dram,
    /// What the L2 takes, where that is less than may come.
    writes: Option<Port>,
}

/// Of the L2's replacement, beside that of the L1.
const SEED: u32 = 0x5bd1_e995;

impl LowerLevels {
    /// Empty: one multiprocessor's share.
    pub fn share(spec: &SmxSpec, seed: u32) -> Self {
        LowerLevels {
            l2: Cache::new(spec.l2.clone(), seed ^ SEED),
            dram: Dram::new(&spec.dram),
            writes: limit(spec.l2_accepts_bytes_per_cycle),
        }
    }

    /// Empty: all that the multiprocessors share.
    pub fn whole(spec: &SmxSpec, seed: u32) -> Self {
        LowerLevels {
            l2: Cache::new(spec.whole_l2.clone(), seed ^ SEED),
            dram: Dram::new(&spec.whole_dram),
            writes: limit(spec.whole_l2_accepts_bytes_per_cycle),
        }
    }

    /// The cycle at which the L2 takes `bytes` that are there at `earliest`.
    #[inline]
    pub fn take(&mut self, now: u64, earliest: f64, bytes: u32) -> f64 {
        match &mut self.writes {
            Some(port) => port.reserve(now, earliest, bytes),
            None => earliest,
        }
    }

    /// The cycle at which it has taken everything.
    #[inline]
    pub fn has_taken_at(&self) -> f64 {
        self.writes.as_ref().map_or(0.0, Port::free_at)
    }
}

fn limit(bytes_per_cycle: f32) -> Option<Port> {
    bytes_per_cycle
        .is_finite()
        .then(|| Port::new(bytes_per_cycle))
}
