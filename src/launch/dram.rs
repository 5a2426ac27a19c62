//! A multiprocessor's share of the DRAM, and the page of an address.
//!
//! Leaves out: time (`sim::dram`, `model::dram`). Units: core clock cycles and bytes, in the names. Sources: the device preset, `[dram]`.

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
