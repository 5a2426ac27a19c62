//! Second-level cache: a multiprocessor's share of it, and the ports through which the multiprocessors send to it.
//!
//! Models: the TPCs take the ports in turn, and all multiprocessors of a TPC use the same port. Where the TPCs cannot be divided
//! evenly, some ports have one less, and its multiprocessors get more.
//! Leaves out: that the TPCs of a port do not share it quite evenly.
//! Sources: the device preset (H100, H200: `ports.csv`; a port belongs to the three TPCs of a CPC).

use super::{
    CYCLES, FRACTION, MOST_LINES, OFF_CHIP, RATE, UNLIMITED_BYTES, check_power_of_two, require,
    section,
};
use crate::device::Device;
use crate::device::cache::{CacheSpec, SetIndex};
use crate::device::ideal::Ideal;
use crate::device::ledger::Condition;
use crate::device::policy::Replacement;
use crate::device::table::ANY;
use crate::util::refused::Refused;

section! {
    /// Second-level cache, shared by all SMX.
    l2: L2 {
        /// Presence of an L2. Without it every line comes from device memory, and ports and request sizes refer to the memory.
        is_present: bool, "yes/no", ANY, [Sim, Model];
        bytes: u32, "bytes", OFF_CHIP, [Sim, Model] if PRESENT;
        /// Fraction available to a launch's data.
        usable_fraction: f64, "fraction", FRACTION, [Sim, Model] if PRESENT;
        n_ways: u32, "ways", (1.0, 64.0), [Sim, Model] if PRESENT;
        line_bytes: u32, "bytes", (32.0, 256.0), [Sim, Model] if PRESENT;
        replacement: Replacement, "policy", ANY, [Sim, Model] if PRESENT;
        hit_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Width of an SMX's port to the L2.
        port_bytes_per_cycle: f64, "bytes/cycle/SMX", RATE, [Sim, Model];
        /// Fraction of the port's width that measurements reach.
        port_efficiency: f64, "fraction", FRACTION, [Sim, Model];
        /// Bytes of the write port that a request for a line occupies.
        request_bytes: u32 = 0, "bytes", (0.0, 128.0), [Sim, Model];
        /// Bytes of the write port that a partial store occupies in addition to its 32-byte sectors.
        mask_bytes: u32 = 0, "bytes", (0.0, 128.0), [Sim];
        /// Width of an SMX's write port.
        write_bytes_per_cycle: f64, "bytes/cycle/SMX", RATE, [Sim, Model] if WRITES_WAIT;
        /// Ports through which the SMXs send to the L2; the TPCs take them in turn.
        n_ports: u32 = 1, "ports", (1.0, 1024.0), [Sim, Model] if LIMITED_INGEST;
        /// Bytes per cycle that all ports together pass to the L2; 0: unlimited.
        ingest_bytes_per_cycle: f64 = 0.0, "bytes/cycle", (0.0, 1e6), [Sim, Model];
    }
}

const PRESENT: Condition = Condition {
    decided_by: &["l2.is_present"],
    because: "l2.is_present is not true",
    holds: |device| device.l2.is_present,
};
const WRITES_WAIT: Condition = Condition {
    decided_by: &["l1.write_back", "l2.request_bytes"],
    because: "lines written back wait for nothing (l1.write_back), and requests take no part of the port (l2.request_bytes)",
    holds: |device| !device.l1.write_back || device.l2.request_bytes > 0,
};
const LIMITED_INGEST: Condition = Condition {
    decided_by: &["l2.ingest_bytes_per_cycle"],
    because: "l2.ingest_bytes_per_cycle is 0",
    holds: |device| device.l2.ingest_bytes_per_cycle > 0.0,
};
pub(super) const SEVERAL_PORTS: Condition = Condition {
    decided_by: &["l2.n_ports", "l2.ingest_bytes_per_cycle"],
    because: "no ports to divide (l2.n_ports is 1, or l2.ingest_bytes_per_cycle is 0)",
    holds: |device| device.l2.n_ports > 1 && device.l2.ingest_bytes_per_cycle > 0.0,
};

/// Checks that the L2 has no rows, that the simulated one fits in the host's memory, and that its ingest rate is 0 (unlimited) or
/// large enough for each SMX's share.
pub(super) fn check(device: &Device) -> Result<(), Refused> {
    const LEAST_SHARE: f64 = 0.01;
    let l2 = &device.l2;
    check_power_of_two("l2.line_bytes", l2.line_bytes)?;
    let (replacement, allowed) = (l2.replacement, "lru or random: rows are of the L1");
    require(
        replacement != Replacement::Rows,
        "l2.replacement",
        replacement.name(),
        allowed,
    )?;
    let most = MOST_LINES * u64::from(l2.line_bytes);
    let allowed = format_args!("at most {most} with an l2.line_bytes of {}", l2.line_bytes);
    require(u64::from(l2.bytes) <= most, "l2.bytes", l2.bytes, allowed)?;
    let (all, n_smx) = (l2.ingest_bytes_per_cycle, device.chip.n_smx);
    let least = LEAST_SHARE * f64::from(n_smx);
    let allowed = format_args!("0, or at least {least} with a chip.n_smx of {n_smx}");
    require(
        all <= 0.0 || all >= least,
        "l2.ingest_bytes_per_cycle",
        all,
        allowed,
    )
}

pub(super) fn idealize(device: &mut Device) {
    let l2 = &mut device.l2;
    if device.ideals.has(Ideal::MemoryLatency) {
        l2.hit_latency_cycles = l2.hit_latency_cycles.min(device.l1.hit_latency_cycles);
    }
    if device.ideals.has(Ideal::MemoryBandwidth) {
        (l2.port_bytes_per_cycle, l2.port_efficiency) = (UNLIMITED_BYTES, 1.0);
        l2.write_bytes_per_cycle = UNLIMITED_BYTES;
        l2.ingest_bytes_per_cycle = 0.0;
        l2.request_bytes = 0;
    }
}

impl Device {
    /// Bytes per cycle that one SMX receives from the L2.
    pub fn l2_port_bytes_per_cycle(&self) -> f64 {
        self.l2.port_bytes_per_cycle * self.l2.port_efficiency
    }
}

/// The share of one of `n_smx` multiprocessors of the L2, with whole sets.
pub fn share(device: &Device, n_smx: u32) -> CacheSpec {
    let l2 = &device.l2;
    let share_bytes = (f64::from(l2.bytes) * l2.usable_fraction) as u32 / n_smx;
    let sets = (share_bytes / (l2.line_bytes * l2.n_ways)).max(1);
    CacheSpec {
        replacement: l2.replacement,
        index: SetIndex::Spread,
        ..CacheSpec::new(sets, l2.n_ways, l2.line_bytes)
    }
}

/// Ports of a chip and the multiprocessors behind each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ports {
    n_ports: u32,
    n_tpcs: u32,
    n_smx: u32,
    /// Bytes per cycle that a port passes; infinite if unlimited.
    pub bytes_per_cycle: f32,
}

impl Ports {
    /// Returns the ports through which the L2 ingests the bytes of all multiprocessors.
    pub fn of_l2(device: &Device) -> Self {
        let (l2, chip) = (&device.l2, &device.chip);
        let all = match l2.ingest_bytes_per_cycle {
            0.0 => f32::INFINITY,
            rate => rate as f32,
        };
        Ports::new(l2.n_ports, chip.n_smx, chip.smx_per_tpc, all)
    }

    /// Returns `n_ports` ports that together pass `bytes_per_cycle`.
    pub fn new(n_ports: u32, n_smx: u32, smx_per_tpc: u32, bytes_per_cycle: f32) -> Self {
        let n_ports = n_ports.max(1);
        Ports {
            n_ports,
            n_tpcs: n_smx.div_ceil(smx_per_tpc.max(1)).max(1),
            n_smx,
            bytes_per_cycle: bytes_per_cycle / n_ports as f32,
        }
    }

    /// Number of ports.
    pub fn n_ports(&self) -> usize {
        self.n_ports as usize
    }

    /// Returns the port of a multiprocessor, by the order in which they receive their first block: one of each TPC, then the next.
    pub fn of(&self, smx: usize) -> usize {
        smx % self.n_tpcs as usize % self.n_ports as usize
    }

    /// Returns the ports' multiprocessors at work, if the first `at_work` are.
    pub fn sizes(&self, at_work: u32) -> Vec<u32> {
        let mut sizes = vec![0; self.n_ports as usize];
        (0..at_work.min(self.n_smx)).for_each(|smx| sizes[self.of(smx as usize)] += 1);
        sizes
    }

    /// Returns the share of a multiprocessor of the fullest port, if the first `at_work` are at work.
    pub fn least_share(&self, at_work: u32) -> f32 {
        let fullest = self.sizes(at_work).into_iter().max();
        self.bytes_per_cycle / fullest.unwrap_or(1).max(1) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    /// Four multiprocessors share 1 MiB of L2, of which half is used.
    #[test]
    fn a_multiprocessor_has_its_part_of_the_sets() {
        let mut device = Preset::load("gtx670").unwrap().device;
        (device.l2.bytes, device.l2.usable_fraction) = (1 << 20, 0.5);
        (device.l2.n_ways, device.l2.line_bytes) = (16, 128);
        let l2 = share(&device, 4);
        assert_eq!((l2.sets, l2.ways, l2.reserved_ways), (64, 16, 0));
        assert_eq!(share(&device, 1).sets, 256);
    }

    /// Measured on H100 and H200: 18 ports of three TPCs, six of two.
    #[test]
    fn hoppers_66_tpcs_share_24_ports() {
        let ports = Ports::new(24, 132, 2, 2400.0);
        let of_size = |n| ports.sizes(132).iter().filter(|&&size| size == n).count();
        assert_eq!((of_size(6), of_size(4)), (18, 6));
        // One multiprocessor of every TPC: at most three share a port.
        let shares = [0, 1, 24, 25, 66, 67, 132].map(|n| ports.least_share(n));
        assert_eq!(
            shares,
            [100.0, 100.0, 100.0, 50.0, 100.0 / 3.0, 25.0, 100.0 / 6.0]
        );
    }

    #[test]
    fn one_port_is_shared_by_those_at_work() {
        let ports = Ports::new(1, 4, 1, 120.0);
        let shares = [0, 1, 3, 100].map(|n| ports.least_share(n));
        assert_eq!(shares, [120.0, 120.0, 40.0, 30.0]);
    }
}
