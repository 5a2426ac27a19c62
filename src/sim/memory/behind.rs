//! Traffic between the load/store unit and the L2 and DRAM.
//!
//! Models: the read and write ports between SMX and L2; the L2 with write-back to DRAM; requests for lines, where they take
//! bandwidth of the write port; bandwidth of every port by reservation.
//! Leaves out: the L1 and the unit itself (`memory`), the pages of the DRAM (`dram`).
//! Units: cycles, bytes. Sources: the values are in `SmxSpec`, their sources in the device preset.

use super::{LOCAL_BASE, Memory, Served};
use crate::sim::cache::Lookup;
use crate::sim::observe::{Cause, Counters};
use crate::trace::{LINE_BYTES, SECTOR_BYTES};

impl Memory<'_> {
    /// Reads through the L2 port.
    #[inline]
    pub(super) fn read(
        &mut self,
        address: u32,
        bytes: u32,
        cycle: u64,
        counters: &mut Counters,
    ) -> Served {
        let now = self.lsu_free_at;
        let mut asked = cycle as f64;
        if self.spec.device.l2.request_bytes > 0 {
            asked = self.send(now, asked, self.spec.device.l2.request_bytes);
        }
        let start = self.read_port.reserve(now, asked, bytes);
        counters.l2_read_bytes += u64::from(bytes);
        counters.l2_lines += 1;
        if !self.spec.device.l2.is_present {
            return self.read_dram(address, bytes, start, counters);
        }
        let arrival = start as u64 + u64::from(self.spec.device.l2.hit_latency_cycles);
        match self.lower.l2.access(address, false) {
            Lookup::Hit { ready_at } => {
                counters.l2_hits += 1;
                let cause = if ready_at > arrival {
                    Cause::Dram
                } else {
                    Cause::L2
                };
                Served::new(arrival.max(ready_at), cause)
            }
            Lookup::Miss { .. } if self.spec.l2_holds_data && address < LOCAL_BASE => {
                counters.l2_hits += 1;
                Served::new(arrival, Cause::L2)
            }
            Lookup::Miss {
                way, evicted_dirty, ..
            } => {
                self.evict_to_dram(evicted_dirty, start, counters);
                let served = self.read_dram(address, bytes, start, counters);
                self.lower.l2.fill_at(way, served.ready_at);
                served
            }
        }
    }

    #[inline]
    fn read_dram(
        &mut self,
        address: u32,
        bytes: u32,
        start: f64,
        counters: &mut Counters,
    ) -> Served {
        let fetched = bytes.max(SECTOR_BYTES);
        let dram = &mut self.lower.dram;
        let dram_start = dram.transfer(address, fetched, self.issued_at, start);
        counters.dram_read_bytes += u64::from(fetched);
        let latency = self.spec.device.l2.hit_latency_cycles + self.spec.dram_extra_cycles();
        Served::new(dram_start as u64 + u64::from(latency), Cause::Dram)
    }

    /// The cycle at which the L2 takes `bytes` that leave the multiprocessor at `earliest`.
    #[inline]
    pub(super) fn send(&mut self, now: u64, earliest: f64, bytes: u32) -> f64 {
        let start = self.write_port.reserve(now, earliest, bytes);
        self.lower.take(now, start, bytes)
    }

    #[inline]
    pub(super) fn write_l2(&mut self, address: u32, bytes: u32, counters: &mut Counters) {
        let now = self.lsu_free_at;
        let start = self.send(now, now as f64, bytes);
        counters.l2_write_bytes += u64::from(bytes);
        counters.l2_lines += 1;
        if !self.spec.device.l2.is_present {
            return self.write_dram(address, bytes, start, counters);
        }
        match self.lower.l2.access(address, true) {
            Lookup::Hit { .. } => counters.l2_hits += 1,
            Lookup::Miss { evicted_dirty, .. } => {
                self.evict_to_dram(evicted_dirty, start, counters)
            }
        }
    }

    #[inline]
    fn evict_to_dram(&mut self, victim: Option<u32>, start: f64, counters: &mut Counters) {
        if let Some(address) = victim {
            self.write_dram(address, LINE_BYTES, start, counters);
        }
    }

    #[inline]
    pub(super) fn write_dram(
        &mut self,
        address: u32,
        bytes: u32,
        start: f64,
        counters: &mut Counters,
    ) {
        let dram = &mut self.lower.dram;
        dram.transfer(address, bytes, self.issued_at, start);
        counters.dram_write_bytes += u64::from(bytes);
    }
}
