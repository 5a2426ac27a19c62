//! Device memory: a multiprocessor's share of it, and the page of an address.
//!
//! Leaves out: time (`sim::dram`, `model::dram`).

use super::{CYCLES, FRACTION, RATE, UNLIMITED_BYTES, section};
use crate::device::Device;
use crate::device::ideal::Ideal;
use crate::device::ledger::Condition;

section! {
    /// Device memory.
    dram: Dram {
        bandwidth_gb_per_s: f64, "GB/s", RATE, [Sim, Model];
        /// Fraction of the bandwidth that measurements reach.
        efficiency: f64, "fraction", FRACTION, [Sim, Model];
        latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Memory controllers, each with its own banks.
        n_partitions: u32, "partitions", (1.0, 1024.0), [Sim, Model] if ACTIVATIONS;
        /// Banks of a partition: each holds one row open.
        n_banks: u32, "banks", (1.0, 1024.0), [Sim, Model] if ACTIVATIONS;
        /// Consecutive bytes in one partition.
        interleave_bytes: u32, "bytes", (32.0, 65_536.0), [Sim, Model] if ACTIVATIONS;
        /// Bytes of one partition that are open together: a page of a bank.
        page_bytes: u32, "bytes", (32.0, 65_536.0), [Sim, Model] if ACTIVATIONS;
        /// Minimum time between two row activations in one partition.
        activation_interval_ns: f64, "ns", (0.0, 1000.0), [Sim, Model];
        /// Requests in a partition's queue, from which the controller serves open pages first (FR-FCFS); 0: first come, first
        /// served.
        queue_requests: u32, "requests", (0.0, 1024.0), [Sim, Model];
    }
}

const ACTIVATIONS: Condition = Condition {
    decided_by: &["dram.activation_interval_ns"],
    because: "dram.activation_interval_ns is 0",
    holds: |device| device.dram.activation_interval_ns > 0.0,
};

pub(super) fn idealize(device: &mut Device) {
    let dram = &mut device.dram;
    if device.ideals.has(Ideal::MemoryLatency) {
        dram.latency_cycles = device.l2.hit_latency_cycles;
    }
    if device.ideals.has(Ideal::MemoryBandwidth) {
        let chip_bytes_per_cycle = UNLIMITED_BYTES * f64::from(device.chip.n_smx);
        dram.bandwidth_gb_per_s = chip_bytes_per_cycle * device.chip.clock_mhz / 1e3;
        dram.efficiency = 1.0;
        dram.activation_interval_ns = 0.0;
        dram.queue_requests = 0;
    }
}

impl Device {
    /// Bytes per cycle that the whole chip receives from device memory.
    pub fn dram_bytes_per_cycle(&self) -> f64 {
        self.dram.bandwidth_gb_per_s * 1e3 / self.chip.clock_mhz * self.dram.efficiency
    }
}

/// Bandwidth and rows of DRAM.
#[derive(Debug, Clone, PartialEq)]
pub struct DramSpec {
    pub bytes_per_cycle: f32,
    /// A transfer that opens a row occupies the DRAM at least this long.
    pub activation_cycles: f32,
    /// Neighbouring bytes that lie in one partition.
    pub interleave_bytes: u32,
    pub n_partitions: u32,
    /// Bytes of one partition that one activation opens.
    pub page_bytes: u32,
    /// Pages open at a time.
    pub open_pages: u32,
    /// Length of the queue: requests in it for one page are served together, and others proceed while a page is opened; without a queue
    /// each request waits for the one before it.
    pub queue_requests: u32,
}

impl DramSpec {
    /// The share of one of `n_smx` multiprocessors of the DRAM: its part of the bandwidth, of the activations, of the open rows and of the
    /// controllers' queues.
    pub fn share(device: &Device, n_smx: u32) -> Self {
        let dram = &device.dram;
        let activations_per_cycle = f64::from(dram.n_partitions)
            / (dram.activation_interval_ns * device.chip.clock_mhz / 1e3);
        DramSpec {
            bytes_per_cycle: (device.dram_bytes_per_cycle() / f64::from(n_smx)) as f32,
            activation_cycles: (f64::from(n_smx) / activations_per_cycle) as f32,
            interleave_bytes: dram.interleave_bytes,
            n_partitions: dram.n_partitions,
            page_bytes: dram.page_bytes,
            open_pages: dram.n_partitions * dram.n_banks / n_smx,
            queue_requests: (dram.n_partitions * dram.queue_requests).div_ceil(n_smx),
        }
    }

    /// Returns the page of an address; the partition is the lowest digit of its number.
    #[inline]
    pub fn page_of(&self, address: u32) -> u32 {
        let piece = quotient(address, self.interleave_bytes);
        let partition = piece - quotient(piece, self.n_partitions) * self.n_partitions;
        let turn = self.page_bytes * self.n_partitions;
        quotient(address, turn) * self.n_partitions + partition
    }
}

/// Quotient; a shift for the usual divisor, a power of two.
#[inline]
fn quotient(number: u32, divisor: u32) -> u32 {
    if divisor.is_power_of_two() {
        number >> divisor.trailing_zeros()
    } else {
        number / divisor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    /// Four multiprocessors share 64 GB a second at 1 GHz.
    #[test]
    fn a_multiprocessor_has_its_part_of_what_all_share() {
        let mut device = Preset::load("gtx670").unwrap().device;
        device.chip.clock_mhz = 1000.0;
        let dram = &mut device.dram;
        (dram.bandwidth_gb_per_s, dram.efficiency) = (64.0, 0.5);
        (dram.n_partitions, dram.n_banks) = (4, 8);
        (dram.queue_requests, dram.activation_interval_ns) = (6, 5.0);
        let dram = DramSpec::share(&device, 4);
        assert_eq!(dram.bytes_per_cycle, 8.0);
        // Each of the partitions opens a page every five cycles; a quarter of them is this multiprocessor's.
        assert_eq!(dram.activation_cycles, 5.0);
        assert_eq!((dram.open_pages, dram.queue_requests), (8, 6));
        let whole = DramSpec::share(&device, 1);
        assert_eq!(
            (whole.bytes_per_cycle, whole.activation_cycles),
            (32.0, 1.25)
        );
        assert_eq!((whole.open_pages, whole.queue_requests), (32, 24));
    }
}
