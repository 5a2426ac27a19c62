//! One multiprocessor's share of the DRAM.
//!
//! Models: bandwidth, and the pages of the banks: addresses are interleaved over the partitions, a transfer to a page
//! that is not open activates it, and a partition activates pages no faster than its devices allow. An in-order controller
//! waits for every activation: scattered lines get about half of the bandwidth that streams get. A controller that prefers open
//! pages (first ready, first come, first served) serves the requests of a page together, and transfers while it opens others.
//! The queue of such a controller is represented by this multiprocessor's last requests.
//! Leaves out: read/write turnaround, refresh, single banks (the least recently opened page of the share closes), other
//! multiprocessors' pages.
//! Units: cycles, bytes. Sources: in the device preset, `[dram]`; Rixner et al., Memory access scheduling, ISCA 2000.

use super::port::Port;
use super::spec::DramSpec;
use std::collections::VecDeque;

/// Open pages, queue and data bus of one share of the DRAM.
#[derive(Debug, Clone)]
pub struct Dram {
    spec: DramSpec,
    port: Port,
    activation_cycles: f64,
    open_pages: Vec<u32>,
    oldest: usize,
    /// The last requests of a controller that prefers open pages: the page and when the transfer starts.
    queue: VecDeque<(u32, f64)>,
    next_activation: f64,
}

/// Marks a closed page; no address has this page number.
const CLOSED: u32 = u32::MAX;

impl Dram {
    /// An idle DRAM with all pages closed.
    pub fn new(spec: &DramSpec) -> Self {
        Dram {
            spec: spec.clone(),
            port: Port::new(spec.bytes_per_cycle),
            activation_cycles: f64::from(spec.activation_cycles),
            open_pages: vec![CLOSED; spec.open_pages.max(1) as usize],
            oldest: 0,
            queue: VecDeque::with_capacity(spec.queue_requests as usize),
            next_activation: 0.0,
        }
    }

    /// Transfers `bytes`, requested at `now` and possible from `earliest` on; returns the cycle at which the transfer starts.
    pub fn transfer(&mut self, address: u32, bytes: u32, now: u64, earliest: f64) -> f64 {
        if self.activation_cycles == 0.0 {
            return self.port.reserve(now, earliest, bytes);
        }
        let page = self.spec.page_of(address);
        if self.spec.queue_requests > 0 {
            return self.first_ready(page, bytes, now, earliest);
        }
        if self.open_pages.contains(&page) {
            return self.port.reserve(now, earliest, bytes);
        }
        self.open(page);
        self.port
            .reserve_at_least(now, earliest, bytes, self.activation_cycles)
    }

    #[cold]
    fn first_ready(&mut self, page: u32, bytes: u32, now: u64, earliest: f64) -> f64 {
        let start = self.port.reserve(now, earliest, bytes);
        let of_page = self.queue.iter().rev().find(|request| request.0 == page);
        let start = match of_page {
            Some((_, opened)) if *opened > earliest => start.max(*opened),
            _ if self.open_pages.contains(&page) => start,
            _ => {
                self.open(page);
                let opens = self.next_activation.max(earliest);
                self.next_activation = opens + self.activation_cycles;
                start.max(opens)
            }
        };
        if self.queue.len() >= self.spec.queue_requests as usize {
            self.queue.pop_front();
        }
        self.queue.push_back((page, start));
        start
    }

    /// Opens a page in place of the one that was opened first.
    fn open(&mut self, page: u32) {
        self.open_pages[self.oldest] = page;
        self.oldest = (self.oldest + 1) % self.open_pages.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dram(queue_requests: u32) -> Dram {
        Dram::new(&DramSpec {
            bytes_per_cycle: 32.0,
            activation_cycles: 10.0,
            interleave_bytes: 256,
            n_partitions: 4,
            page_bytes: 2048,
            open_pages: 2,
            queue_requests,
        })
    }

    #[test]
    fn scattered_lines_are_paced_by_activations() {
        let mut dram = dram(0);
        let starts: Vec<f64> = (0..3)
            .map(|i| dram.transfer(i * 8192, 128, 0, 0.0))
            .collect();
        assert_eq!(starts, [0.0, 10.0, 20.0]);
    }

    #[test]
    fn lines_of_an_open_page_follow_at_the_bandwidth() {
        let mut dram = dram(0);
        dram.transfer(0, 128, 0, 0.0);
        assert_eq!(dram.transfer(128, 128, 0, 0.0), 10.0);
        // The page goes on after the other three partitions' turns.
        assert_eq!(dram.transfer(1024, 128, 0, 0.0), 14.0);
        assert_eq!(dram.transfer(1024 + 896, 128, 0, 0.0), 18.0);
    }

    #[test]
    fn the_next_partition_has_a_page_of_its_own() {
        let mut dram = dram(0);
        dram.transfer(0, 128, 0, 0.0);
        assert_eq!(dram.transfer(256, 128, 0, 0.0), 10.0);
        assert_eq!(dram.transfer(512, 128, 0, 0.0), 20.0, "an activation");
    }

    #[test]
    fn a_controller_that_prefers_open_pages_opens_each_once_and_transfers_meanwhile() {
        let mut dram = dram(16);
        let mut lines =
            |addresses: [u32; 6]| addresses.map(|address| dram.transfer(address, 128, 0, 0.0));
        // Pages A, B, A, C, A, A: opened at 0, 10 and 20, transfers of 4 cycles.
        let starts = lines([0, 8192, 128, 2 * 8192, 1024, 1152]);
        assert_eq!(starts, [0.0, 10.0, 8.0, 20.0, 16.0, 20.0]);
        // Nobody waits any more, and the page has been closed for two others.
        assert_eq!(dram.transfer(0, 128, 100, 100.0), 100.0);
        assert_eq!(dram.transfer(3 * 8192, 128, 100, 100.0), 110.0);
    }
}
