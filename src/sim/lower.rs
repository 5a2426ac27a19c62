//! L2 and DRAM: the levels behind the ports of the multiprocessors.
//!
//! Models: one multiprocessor's share of them, or all of them, serving several multiprocessors in the order of their cycles;
//! the ports to the L2 that multiprocessors share.
//! Leaves out: the port of each multiprocessor (`memory`).
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
    /// Ports through which the multiprocessors send; none if they are unlimited.
    ports: Vec<Port>,
    /// The port of the multiprocessor that sends.
    port: usize,
}

/// Distinguishes the L2's replacement seed from that of the L1.
const SEED: u32 = 0x5bd1_e995;

impl LowerLevels {
    /// An empty share of one multiprocessor.
    pub fn share(spec: &SmxSpec, seed: u32) -> Self {
        LowerLevels {
            l2: Cache::new(spec.l2.clone(), seed ^ SEED),
            dram: Dram::new(&spec.dram),
            ports: limited(1, spec.l2_accepts_bytes_per_cycle),
            port: 0,
        }
    }

    /// Returns empty levels of the whole chip.
    pub fn whole(spec: &SmxSpec, seed: u32) -> Self {
        LowerLevels {
            l2: Cache::new(spec.whole_l2.clone(), seed ^ SEED),
            dram: Dram::new(&spec.whole_dram),
            ports: limited(spec.l2_ports.n_ports(), spec.l2_ports.bytes_per_cycle),
            port: 0,
        }
    }

    /// Lets the multiprocessors of another port send.
    pub fn select(&mut self, port: usize) {
        self.port = port;
    }

    /// The cycle at which the L2 accepts `bytes` that arrive at `earliest`.
    #[inline]
    pub fn take(&mut self, now: u64, earliest: f64, bytes: u32) -> f64 {
        match self.ports.get_mut(self.port) {
            Some(port) => port.reserve(now, earliest, bytes),
            None => earliest,
        }
    }

    /// The cycle at which the L2 has accepted everything sent so far.
    #[inline]
    pub fn has_taken_at(&self) -> f64 {
        self.ports.get(self.port).map_or(0.0, Port::free_at)
    }
}

fn limited(n_ports: usize, bytes_per_cycle: f32) -> Vec<Port> {
    match bytes_per_cycle.is_finite() {
        true => vec![Port::new(bytes_per_cycle); n_ports],
        false => Vec::new(),
    }
}
