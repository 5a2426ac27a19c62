//! The whole grid: blocks over all multiprocessors, to the last one.
//!
//! What it models: the dispatcher hands blocks in grid order to whichever multiprocessor has a free block
//! slot; blocks that share a multiprocessor share its throughput, which depends on how many there are;
//! at the end of the grid multiprocessors run partly empty. What it leaves out: which programs share a
//! multiprocessor (throughput per token is taken as the mix's).
//! Units: tokens, cycles. Sources: dynamic block assignment, CUDA C Programming Guide 5.5, section 2.

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
    let mut queue = work_tokens.iter().copied();
    let mut smxs: Vec<Vec<f64>> = vec![Vec::with_capacity(resident_blocks); n_smx];
    // The first wave goes round robin over the multiprocessors.
    for _ in 0..resident_blocks {
        for smx in &mut smxs {
            smx.extend(queue.next());
        }
    }
    let mut clock = 0.0;
    loop {
        let Some(step) = smxs
            .iter()
            .filter_map(|smx| time_to_next_end(smx, rates))
            .min_by(f64::total_cmp)
        else {
            return clock;
        };
        clock += step;
        for smx in &mut smxs {
            if smx.is_empty() {
                continue;
            }
            let done = step * rates.tokens_per_cycle(smx.len()) / smx.len() as f64;
            for left in smx.iter_mut() {
                *left -= done;
                if *left <= 1e-6 {
                    // NaN-free: an empty queue leaves the block finished.
                    *left = queue.next().unwrap_or(0.0);
                }
            }
            smx.retain(|&left| left > 0.0);
        }
    }
}

fn time_to_next_end(smx: &[f64], rates: &RateCurve) -> Option<f64> {
    let shortest = smx.iter().copied().min_by(f64::total_cmp)?;
    Some(shortest * smx.len() as f64 / rates.tokens_per_cycle(smx.len()))
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
}
