//! The way from a multiprocessor's instruction cache to the second level, which other multiprocessors share.
//!
//! Models: a limit on lines in flight, and a rate that all multiprocessors demand alike. A multiprocessor that demanded little
//! before may exceed its share for a while, as the others do at other times.
//! Leaves out: what the others demand at a given moment.
//! Units: cycles. Sources: the device preset (`fixtures/measured/h100/fetch_shared.csv`).

use std::collections::VecDeque;

use super::spec::SmxSpec;

/// Requests for lines of code.
#[derive(Debug, Clone)]
pub struct FetchPort {
    /// Cycles between lines while every multiprocessor demands as much; 0 without a limit.
    line_cycles: u64,
    /// Cycles by which the multiprocessor may run ahead of its share.
    burst_cycles: u64,
    /// Cycle at which all lines so far would be there at the multiprocessor's share.
    due: u64,
    /// Lines in flight, oldest first, and the most there may be.
    arrivals: VecDeque<u64>,
    most: usize,
}

impl FetchPort {
    pub fn new(spec: &SmxSpec) -> Self {
        FetchPort {
            line_cycles: u64::from(spec.code.l15_cycles_per_line),
            burst_cycles: u64::from(spec.code.burst_cycles),
            due: 0,
            arrivals: VecDeque::new(),
            most: match spec.device.instruction_cache.lines_in_flight {
                0 => usize::MAX,
                most => most as usize,
            },
        }
    }

    /// Tells whether another line can be requested at once.
    pub fn has_room(&mut self, now: u64) -> bool {
        while self.arrivals.front().is_some_and(|at| *at <= now) {
            self.arrivals.pop_front();
        }
        self.arrivals.len() < self.most
    }

    /// Requests a line that needs `latency` cycles on its way; returns when it arrives.
    pub fn request(&mut self, now: u64, latency: u64) -> u64 {
        let mut start = now;
        while !self.has_room(start) {
            start = self.arrivals[0];
        }
        start = start.max(self.due.saturating_sub(self.burst_cycles));
        self.due = self.due.max(now) + self.line_cycles;
        let arrival = start + latency;
        self.arrivals.push_back(arrival);
        arrival
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::testing::spec;

    fn port(line_cycles: u32, burst_cycles: u32, most: u32) -> FetchPort {
        let mut spec = spec();
        spec.code.l15_cycles_per_line = line_cycles;
        spec.code.burst_cycles = burst_cycles;
        spec.device.instruction_cache.lines_in_flight = most;
        FetchPort::new(&spec)
    }

    #[test]
    fn a_line_waits_for_the_oldest_when_as_many_as_may_be_are_in_flight() {
        let mut port = port(0, 0, 2);
        let arrivals = [0, 10, 10, 10].map(|now| port.request(now, 100));
        assert_eq!(arrivals, [100, 110, 200, 210]);
        assert!(!port.has_room(199));
        assert!(port.has_room(200));
    }

    #[test]
    fn a_multiprocessor_exceeds_its_share_for_a_burst_and_keeps_to_it_in_the_long_run() {
        let mut port = port(33, 99, 0);
        let burst = [0; 5].map(|now| port.request(now, 92));
        assert_eq!(burst, [92, 92, 92, 92, 92 + 33]);
        let last = (0..100).map(|_| port.request(200, 92)).last();
        assert_eq!(last, Some(200 + 99 * 33 - 99 + 92));
    }
}
