//! L2 and DRAM: the levels behind the ports of the multiprocessors.
//!
//! Models: one multiprocessor's share of them, and of the port to the L2 that multiprocessors share.
//! Leaves out: the port of each multiprocessor (`memory`).
//! Units: bytes, cycles.

use super::cache::Cache;
use super::dram::Dram;
use super::port::Port;
use super::spec::SmxSpec;

/// State of one multiprocessor's share of L2 and DRAM.
#[derive(Debug, Clone)]
pub struct LowerLevels {
    pub l2: Cache,
    pub dram: Dram,
    /// Share of the port through which multiprocessors send; `None` if unlimited.
    port: Option<Port>,
}

/// Distinguishes the L2's replacement seed from that of the L1.
const SEED: u32 = 0x5bd1_e995;

impl LowerLevels {
    /// An empty share of one multiprocessor.
    pub fn share(spec: &SmxSpec, seed: u32) -> Self {
        LowerLevels {
            l2: Cache::new(spec.l2.clone(), seed ^ SEED),
            dram: Dram::new(&spec.dram),
            port: (spec.l2_accepts_bytes_per_cycle.is_finite())
                .then(|| Port::new(spec.l2_accepts_bytes_per_cycle)),
        }
    }

    /// The cycle at which the L2 accepts `bytes` that arrive at `earliest`.
    #[inline]
    pub fn take(&mut self, now: u64, earliest: f64, bytes: u32) -> f64 {
        match &mut self.port {
            Some(port) => port.reserve(now, earliest, bytes),
            None => earliest,
        }
    }

    /// The cycle at which the L2 has accepted everything sent so far.
    #[inline]
    pub fn has_taken_at(&self) -> f64 {
        self.port.as_ref().map_or(0.0, Port::free_at)
    }
}
