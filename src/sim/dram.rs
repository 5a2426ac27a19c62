//! One multiprocessor's share of the DRAM.
//!
//! What it models: bandwidth, and the pages of the banks: addresses go over the partitions in turn, a transfer to a page
//! that is not open activates it, and a partition activates pages no faster than its devices allow. Scattered lines
//! therefore get about half of the bandwidth that streams get.
//! What it leaves out: turning between reads and writes, refresh, banks one by one (the least recently opened
//! page of the share closes), other multiprocessors' pages.
//! Units: cycles, bytes. Sources: in the device preset, `[dram]`.

use super::port::Port;
use super::spec::DramSpec;

/// See the module text.
#[derive(Debug, Clone)]
pub struct Dram {
    port: Port,
    activation_cycles: f64,
    interleave_bytes: u32,
    n_partitions: u32,
    pages_bytes: u32,
    open_pages: Vec<u32>,
    oldest: usize,
}

/// No page: addresses are below it.
const CLOSED: u32 = u32::MAX;

impl Dram {
    /// Idle, all pages closed.
    pub fn new(spec: &DramSpec) -> Self {
        Dram {
            port: Port::new(spec.bytes_per_cycle),
            activation_cycles: f64::from(spec.activation_cycles),
            interleave_bytes: spec.interleave_bytes,
            n_partitions: spec.n_partitions,
            pages_bytes: spec.page_bytes * spec.n_partitions,
            open_pages: vec![CLOSED; spec.open_pages.max(1) as usize],
            oldest: 0,
        }
    }

    /// Transfers `bytes`, asked for at `now` and possible from `earliest` on; the cycle at which it starts.
    pub fn transfer(&mut self, address: u32, bytes: u32, now: u64, earliest: f64) -> f64 {
        if self.activation_cycles == 0.0 {
            return self.port.reserve(now, earliest, bytes);
        }
        let page = self.page_of(address);
        if self.open_pages.contains(&page) {
            return self.port.reserve(now, earliest, bytes);
        }
        self.open_pages[self.oldest] = page;
        self.oldest += 1;
        if self.oldest == self.open_pages.len() {
            self.oldest = 0;
        }
        self.port
            .reserve_at_least(now, earliest, bytes, self.activation_cycles)
    }

    /// Pages are numbered with the partition as the lowest digit.
    fn page_of(&self, address: u32) -> u32 {
        let piece = quotient(address, self.interleave_bytes);
        let partition = piece - quotient(piece, self.n_partitions) * self.n_partitions;
        quotient(address, self.pages_bytes) * self.n_partitions + partition
    }
}

/// The quotient; by the usual divisor, a power of two, without a division.
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

    fn dram() -> Dram {
        Dram::new(&DramSpec {
            bytes_per_cycle: 32.0,
            activation_cycles: 10.0,
            interleave_bytes: 256,
            n_partitions: 4,
            page_bytes: 2048,
            open_pages: 2,
        })
    }

    #[test]
    fn scattered_lines_are_paced_by_activations() {
        let mut dram = dram();
        let starts: Vec<f64> = (0..3)
            .map(|i| dram.transfer(i * 8192, 128, 0, 0.0))
            .collect();
        assert_eq!(starts, [0.0, 10.0, 20.0]);
    }

    #[test]
    fn lines_of_an_open_page_follow_at_the_bandwidth() {
        let mut dram = dram();
        dram.transfer(0, 128, 0, 0.0);
        assert_eq!(dram.transfer(128, 128, 0, 0.0), 10.0);
        // The page goes on after the other three partitions' turns.
        assert_eq!(dram.transfer(1024, 128, 0, 0.0), 14.0);
        assert_eq!(dram.transfer(1024 + 896, 128, 0, 0.0), 18.0);
    }

    #[test]
    fn the_next_partition_has_a_page_of_its_own() {
        let mut dram = dram();
        dram.transfer(0, 128, 0, 0.0);
        assert_eq!(dram.transfer(256, 128, 0, 0.0), 10.0);
        assert_eq!(dram.transfer(512, 128, 0, 0.0), 20.0, "an activation");
    }
}
