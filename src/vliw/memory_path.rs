//! Timing of one SIMD's memory: fetch unit, L1, its share of L2 and of DRAM.
//!
//! Models: latency of the farthest line of an access, and bandwidth of each stage, one line after the other; scratch memory
//! bypasses the caches.
//! Leaves out: banks and channels (bandwidth is their total, shared equally by the SIMDs).
//! Units: cycles, lines of 64 bytes.

use super::cache::Cache;
use super::memory::Region;
use super::steps::LINE_BYTES;
use crate::vliw::preset::Machine;

/// Bytes of a wavefront's fetch, four per lane.
const WAVEFRONT_BYTES: f64 = 256.0;

#[derive(Debug, Clone)]
pub struct MemoryPath {
    machine: Machine,
    l1: Cache,
    l2: Cache,
    /// Time when the fetch unit is free; the other stages likewise.
    fetch_free: f64,
    l2_free: f64,
    dram_free: f64,
    l2_bytes_per_cycle: f64,
    dram_bytes_per_cycle: f64,
}

impl MemoryPath {
    /// Builds the path; `l2_share` is the fraction of the L2 available to this SIMD's data.
    pub fn new(machine: Machine, l2_share: f64) -> Self {
        let lines = |bytes: f64| (bytes / f64::from(LINE_BYTES)).max(1.0) as usize;
        MemoryPath {
            l1: Cache::new(lines(machine.l1_bytes)),
            l2: Cache::new(lines(machine.l2_bytes * l2_share)),
            fetch_free: 0.0,
            l2_free: 0.0,
            dram_free: 0.0,
            l2_bytes_per_cycle: machine.l2_bytes_per_cycle / machine.n_simds,
            dram_bytes_per_cycle: machine.dram_gb_per_second * 1e3
                / machine.clock_mhz
                / machine.n_simds,
            machine,
        }
    }

    /// Time when a fetch that begins at `now` has all its words.
    pub fn fetch(
        &mut self,
        now: f64,
        region: Region,
        lines: impl ExactSizeIterator<Item = u64>,
    ) -> f64 {
        let machine = self.machine;
        let bytes = WAVEFRONT_BYTES / machine.fetch_bytes_per_cycle;
        let different = lines.len() as f64 / machine.fetch_lines_per_cycle;
        let begin = now.max(self.fetch_free);
        self.fetch_free = begin + bytes.max(different);
        let mut done = self.fetch_free + machine.l1_cycles;
        for line in lines {
            done = done.max(self.line(begin, region, line));
        }
        done
    }

    /// Time when one line has arrived.
    fn line(&mut self, begin: f64, region: Region, line: u64) -> f64 {
        let machine = self.machine;
        if region == Region::Scratch {
            return self.dram(begin) + machine.dram_cycles;
        }
        if self.l1.read(line) {
            return begin + machine.l1_cycles;
        }
        self.l2_free = begin.max(self.l2_free) + f64::from(LINE_BYTES) / self.l2_bytes_per_cycle;
        if self.l2.read(line) {
            return self.l2_free + machine.l2_cycles;
        }
        self.dram(begin) + machine.dram_cycles
    }

    fn dram(&mut self, begin: f64) -> f64 {
        self.dram_free =
            begin.max(self.dram_free) + f64::from(LINE_BYTES) / self.dram_bytes_per_cycle;
        self.dram_free
    }

    /// Charges bandwidth for a store, and returns the time of its acknowledgement.
    pub fn store(&mut self, now: f64, n_lines: usize) -> f64 {
        for _ in 0..n_lines {
            self.dram(now);
        }
        now.max(self.dram_free) + self.machine.store_cycles
    }
}
