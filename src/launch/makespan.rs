//! The whole grid: blocks over all multiprocessors, to the last one.
//!
//! What it models: the dispatcher hands blocks in grid order to whichever multiprocessor has a free block
//! slot; blocks that share a multiprocessor share its throughput, which depends on how many there are;
//! at the end of the grid multiprocessors run partly empty. What it leaves out: which programs share a
//! multiprocessor (throughput per token is taken as the mix's).
//! Units: tokens, cycles. Sources: dynamic block assignment, CUDA C Programming Guide 5.5, section 2.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Throughput of one multiprocessor against its number of resident blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct RateCurve {
    /// `(resident blocks, tokens per cycle)`, ascending, at least one point.
    points: Vec<(f64, f64)>,
}

impl RateCurve {
    /// A curve through the points; `None` when there is none.
    pub fn new(mut points: Vec<(u32, f64)>) -> Option<Self> {
        points.sort_unstable_by_key(|point| point.0);
        points.dedup_by_key(|point| point.0);
        let points: Vec<_> = points
            .into_iter()
            .map(|(n, rate)| (f64::from(n), rate))
            .collect();
        (!points.is_empty()).then_some(RateCurve { points })
    }

    /// The same curve, all rates multiplied.
    pub fn times(&self, factor: f64) -> Self {
        let points = self.points.iter().map(|&(n, rate)| (n, rate * factor));
        RateCurve {
            points: points.collect(),
        }
    }

    /// Tokens per cycle with `blocks` resident: linear between points, proportional below the first.
    pub fn tokens_per_cycle(&self, blocks: usize) -> f64 {
        let n = blocks as f64;
        let first = self.points[0];
        if n <= first.0 {
            return first.1 * n / first.0;
        }
        for pair in self.points.windows(2) {
            let ((n0, r0), (n1, r1)) = (pair[0], pair[1]);
            if n <= n1 {
                return r0 + (r1 - r0) * (n - n0) / (n1 - n0);
            }
        }
        self.points[self.points.len() - 1].1
    }
}

/// Cycles from launch to the end of the last block, for blocks of the given work in grid order.
pub fn makespan_cycles(
    work_tokens: &[f64],
    n_smx: usize,
    resident_blocks: usize,
    rates: &RateCurve,
) -> f64 {
    // Cycles per token of each block, by the blocks that share a multiprocessor.
    let pace: Vec<f64> = (0..=resident_blocks.min(work_tokens.len()))
        .map(|blocks| blocks as f64 / rates.tokens_per_cycle(blocks))
        .collect();
    let mut queue = work_tokens.iter().copied();
    let mut smxs = vec![Sharing::default(); n_smx];
    // The first wave goes round robin over the multiprocessors.
    for _ in 0..resident_blocks {
        for smx in &mut smxs {
            if let Some(work) = queue.next() {
                smx.admit(work);
            }
        }
    }
    for smx in &mut smxs {
        smx.plan(&pace);
    }
    // Times are not negative: their bits are in their order.
    let event = |smx: usize, at: f64| Reverse((at.to_bits(), smx));
    let ends = smxs.iter().enumerate();
    let mut events: BinaryHeap<_> = ends
        .map(|(smx, other)| event(smx, other.next_end))
        .collect();
    while let Some(mut first) = events.peek_mut() {
        let Reverse((clock, smx)) = *first;
        let clock = f64::from_bits(clock);
        if clock == f64::INFINITY {
            break;
        }
        smxs[smx].end_block(clock);
        if let Some(work) = queue.next() {
            smxs[smx].admit(work);
        }
        smxs[smx].plan(&pace);
        *first = event(smx, smxs[smx].next_end);
    }
    smxs.iter().map(|smx| smx.clock).fold(0.0, f64::max)
}

/// A multiprocessor whose resident blocks share its throughput equally.
#[derive(Debug, Clone)]
struct Sharing {
    /// Last cycle at which a block ended.
    clock: f64,
    /// Tokens that a block resident from the start would have been given by then.
    given: f64,
    /// What `given` will be when a block ends, for every resident block, the greatest first.
    ends: Vec<f64>,
    /// When the next block ends: infinite without one.
    next_end: f64,
}

impl Default for Sharing {
    fn default() -> Self {
        Sharing {
            clock: 0.0,
            given: 0.0,
            ends: Vec::new(),
            next_end: f64::INFINITY,
        }
    }
}

impl Sharing {
    fn admit(&mut self, work_tokens: f64) {
        let end = self.given + work_tokens;
        let place = self.ends.partition_point(|&other| other > end);
        self.ends.insert(place, end);
    }

    fn end_block(&mut self, clock: f64) {
        self.clock = clock;
        self.given = self.ends.pop().unwrap_or(self.given);
    }

    fn plan(&mut self, pace: &[f64]) {
        let n = self.ends.len();
        self.next_end = match self.ends.last() {
            Some(end) => {
                let left = (end - self.given).max(0.0);
                self.clock + left * pace[n]
            }
            None => f64::INFINITY,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_blocks_take_whole_waves() {
        let rates = RateCurve::new(vec![(1, 1.0), (2, 1.0)]).unwrap();
        let cycles = makespan_cycles(&[10.0; 8], 2, 2, &rates);
        assert!((cycles - 40.0).abs() < 1e-6, "{cycles}");
    }

    #[test]
    fn a_lone_block_runs_at_the_lone_rate() {
        let rates = RateCurve::new(vec![(1, 0.5), (4, 1.0)]).unwrap();
        assert!((makespan_cycles(&[10.0], 7, 4, &rates) - 20.0).abs() < 1e-9);
    }

    #[test]
    fn the_curve_interpolates() {
        let rates = RateCurve::new(vec![(2, 1.0), (4, 3.0)]).unwrap();
        assert_eq!(rates.tokens_per_cycle(1), 0.5);
        assert_eq!(rates.tokens_per_cycle(3), 2.0);
        assert_eq!(rates.tokens_per_cycle(9), 3.0);
    }

    proptest::proptest! {
        /// Graham's bounds (SIAM Journal on Applied Mathematics 17, 1969): the grid takes at least its work at the full rate,
        /// and at most that and the longest block, which waits for nobody once it is handed out.
        #[test]
        fn the_end_is_within_the_bounds_of_list_scheduling(
            work in proptest::collection::vec(1.0f64..1000.0, 1..80),
            n_smx in 1usize..8,
            resident in 1usize..9,
            lone in 0.1f64..1.0,
        ) {
            // From the rate of a lone block up to one that `resident` blocks share.
            let full = lone * (1.0 + 0.5 * (resident as f64 - 1.0));
            let rates = RateCurve::new(vec![(1, lone), (resident as u32, full)]).unwrap();
            let cycles = makespan_cycles(&work, n_smx, resident, &rates);
            let pace = resident as f64 / rates.tokens_per_cycle(resident);
            let total: f64 = work.iter().sum();
            let longest = work.iter().copied().fold(0.0, f64::max);
            proptest::prop_assert!(cycles >= total / (n_smx as f64 * full) * (1.0 - 1e-9));
            proptest::prop_assert!(cycles >= longest / lone * (1.0 - 1e-9));
            let slots = (n_smx * resident) as f64;
            proptest::prop_assert!(cycles <= pace * (total / slots + longest) * (1.0 + 1e-9));
        }

        /// Everything twice as fast ends in half the time.
        #[test]
        fn time_scales_with_the_rates(
            work in proptest::collection::vec(1.0f64..1000.0, 1..80),
            factor in 1.0f64..4.0,
        ) {
            let rates = RateCurve::new(vec![(1, 0.3), (2, 0.5), (4, 0.7)]).unwrap();
            let slow = makespan_cycles(&work, 3, 4, &rates);
            let fast = makespan_cycles(&work, 3, 4, &rates.times(factor));
            proptest::prop_assert!((fast * factor / slow - 1.0).abs() < 1e-9);
        }
    }
}
