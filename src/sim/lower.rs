//! L2 and DRAM: the levels behind the ports of the multiprocessors.
//!
//! Models: one multiprocessor's share of them, or all of them, serving several multiprocessors in the order of their cycles;
//! the rate at which the L2 accepts bytes.
//! Leaves out: the ports to them (`memory`).
//! Units: bytes, cycles.

use super::cache::Cache;
use super::dram::Dram;
use super::port::Port;
use super::spec::SmxSpec;

/// State of L2 and DRAM, of one share or the whole.
#[derive(Debug, Clone)]
pub struct LowerLevels {
    pub l2: Cache,
    pub dram: Dram,
    /// Limit on the bytes that the L2 accepts per cycle; `None` if unlimited.
    writes: Option<Port>,
}

/// Distinguishes the L2's replacement seed from that of the L1.
const SEED: u32 = 0x5bd1_e995;

impl LowerLevels {
    /// An empty share of one multiprocessor.
    pub fn share(spec: &SmxSpec, seed: u32) -> Self {
        LowerLevels {
            l2: Cache::new(spec.l2.clone(), seed ^ SEED),
            dram: Dram::new(&spec.dram),
            writes: limit(spec.l2_accepts_bytes_per_cycle),
        }
    }

    /// Returns empty levels of the whole chip.
    pub fn whole(spec: &SmxSpec, seed: u32) -> Self {
        LowerLevels {
            l2: Cache::new(spec.whole_l2.clone(), seed ^ SEED),
            dram: Dram::new(&spec.whole_dram),
            writes: limit(spec.whole_l2_accepts_bytes_per_cycle),
        }
    }

    /// The cycle at which the L2 accepts `bytes` that arrive at `earliest`.
    #[inline]
    pub fn take(&mut self, now: u64, earliest: f64, bytes: u32) -> f64 {
        match &mut self.writes {
            Some(port) => port.reserve(now, earliest, bytes),
            None => earliest,
        }
    }

    /// The cycle at which the L2 has accepted everything sent so far.
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
