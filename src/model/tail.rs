//! The end of the grid: multiprocessors that run partly empty until the last block is done.
//!
//! What it models: blocks start in grid order wherever one ends, so when the last one starts, the others are somewhere in
//! their run: what is left of them is distributed as the residual life of a renewal process. A multiprocessor then empties
//! block by block, at the rates of its fillings, and the one with the longest block left is the last.
//! What it leaves out: the order of a particular grid (the simulator follows it); a test bounds the difference.
//! Units: nodes, cycles. Sources: equation (7) of `docs/model.md`; residual life: Cox, Renewal Theory (1962), chapter 5.

use crate::launch::chip::RateCurve;

/// Quantiles of what is left of a block, at the middle of as many equal parts.
const QUANTILES: usize = 64;

/// The sizes of one launch's programs. Where a program has several blocks, all of them have its size.
#[derive(Debug, Clone, PartialEq)]
struct Launch {
    /// Ascending nodes of all programs.
    sizes: Vec<f64>,
    /// `before[i]`: sum of the `i` smallest.
    before: Vec<f64>,
    residual: [f64; QUANTILES],
}

/// Launches that stand for a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tail {
    launches: Vec<Launch>,
}

/// Blocks of a multiprocessor and how fast they run.
#[derive(Debug, Clone, Copy)]
pub struct Filling<'a> {
    pub n_smx: usize,
    /// Of each launch.
    pub resident_blocks: &'a [u32],
    /// Blocks of each program.
    pub case_blocks: u32,
    /// Tokens of a block per node of its program, on average.
    pub tokens_per_node: f64,
    pub rates: &'a RateCurve,
}

impl Tail {
    /// From the nodes of every program of every launch.
    pub fn new(grids: &[Vec<u32>]) -> Self {
        Tail {
            launches: grids.iter().map(|grid| Launch::new(grid)).collect(),
        }
    }

    /// **(7)** Cycles of all launches together, and the nodes of their programs.
    pub fn cycles_and_nodes(&self, filling: &Filling) -> (f64, f64) {
        let pairs = self.launches.iter().zip(filling.resident_blocks);
        let cycles = pairs.map(|(launch, &blocks)| launch.cycles(filling, blocks as usize));
        let nodes = self.launches.iter().map(Launch::nodes);
        (cycles.sum(), nodes.sum())
    }

    pub fn n_launches(&self) -> usize {
        self.launches.len()
    }
}

impl Launch {
    fn new(grid: &[u32]) -> Self {
        let mut sizes: Vec<f64> = grid.iter().map(|&nodes| f64::from(nodes)).collect();
        sizes.sort_unstable_by(f64::total_cmp);
        let mut before = vec![0.0];
        for size in &sizes {
            before.push(before[before.len() - 1] + size);
        }
        let mut launch = Launch {
            sizes,
            before,
            residual: [0.0; QUANTILES],
        };
        launch.residual =
            std::array::from_fn(|i| launch.residual((i as f64 + 0.5) / QUANTILES as f64));
        launch
    }

    fn nodes(&self) -> f64 {
        self.before[self.sizes.len()]
    }

    /// The size that what is left of a block is below with `probability`: `integral of (1 - F) / mean = probability`.
    fn residual(&self, probability: f64) -> f64 {
        let wanted = probability * self.nodes();
        let n = self.sizes.len();
        // With sizes below `sizes[i]` passed: their sum, and `sizes[i]` of every one that is longer.
        let reached = |i: usize| self.before[i] + self.sizes[i] * (n - i) as f64;
        let (mut low, mut high) = (0, n);
        while low < high {
            let middle = (low + high) / 2;
            if reached(middle) < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low >= n {
            return self.sizes.last().copied().unwrap_or(0.0);
        }
        (wanted - self.before[low]) / (n - low) as f64
    }

    fn cycles(&self, filling: &Filling, resident_blocks: usize) -> f64 {
        let slots = filling.n_smx * resident_blocks;
        let rate_full = filling.rates.tokens_per_cycle(resident_blocks);
        let to_tokens = filling.tokens_per_node;
        let copies = filling.case_blocks.max(1);
        if self.sizes.len() * copies as usize <= slots {
            return self.one_wave(filling);
        }
        let mut left: Vec<f64> = (0..resident_blocks)
            .map(|i| self.quantile((i as f64 + 0.5) / resident_blocks as f64))
            .collect();
        let mean_left: f64 = left.iter().sum::<f64>() * filling.n_smx as f64;
        let before = (self.nodes() * f64::from(copies) - mean_left).max(0.0) * to_tokens
            / rate_full
            / filling.n_smx as f64;
        if let Some(longest) = left.last_mut() {
            *longest = self.residual(1.0 - 0.5 / slots as f64).max(*longest);
        }
        before + drain_cycles(&left, filling)
    }

    /// All blocks start at once: every multiprocessor has its part of them.
    fn one_wave(&self, filling: &Filling) -> f64 {
        let n_blocks = self.sizes.len() * filling.case_blocks.max(1) as usize;
        let per_smx = n_blocks.div_ceil(filling.n_smx);
        let step = self.sizes.len() as f64 / per_smx.max(1) as f64;
        let mut blocks: Vec<f64> = (0..per_smx)
            .map(|i| self.sizes[(((i as f64 + 0.5) * step) as usize).min(self.sizes.len() - 1)])
            .collect();
        if let (Some(last), Some(longest)) = (blocks.last_mut(), self.sizes.last()) {
            *last = *longest;
        }
        drain_cycles(&blocks, filling)
    }

    fn quantile(&self, probability: f64) -> f64 {
        let position = (probability * QUANTILES as f64 - 0.5).clamp(0.0, (QUANTILES - 1) as f64);
        let low = (position as usize).min(QUANTILES - 2);
        let part = position - low as f64;
        self.residual[low] + part * (self.residual[low + 1] - self.residual[low])
    }
}

/// Cycles until the last of the blocks of one multiprocessor is done, all running at once; `nodes` ascend.
fn drain_cycles(nodes: &[f64], filling: &Filling) -> f64 {
    let mut cycles = 0.0;
    let mut done = 0.0;
    for (index, &size) in nodes.iter().enumerate() {
        let running = nodes.len() - index;
        let tokens = (size - done).max(0.0) * running as f64 * filling.tokens_per_node;
        cycles += tokens / filling.rates.tokens_per_cycle(running);
        done = done.max(size);
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::chip::makespan_cycles;

    fn rates(full: u32) -> RateCurve {
        let rate = |blocks: u32| (blocks, 1.0 - (-f64::from(blocks) / 4.0).exp());
        RateCurve::new((1..=full).map(rate).collect()).unwrap()
    }

    /// Sizes as they occur: many small programs and a few long ones.
    fn sizes(seed: u32) -> Vec<u32> {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1u32 << 24)
        };
        (0..1000)
            .map(|_| 3 + (-14.0 * (1.0 - next()).ln()) as u32)
            .collect()
    }

    #[test]
    fn the_end_of_the_grid_is_as_long_as_when_every_block_is_followed() {
        for (n_smx, blocks) in [(7, 2), (7, 8), (7, 16), (14, 16), (100, 16)] {
            let rates = rates(blocks as u32);
            let filling = Filling {
                n_smx,
                resident_blocks: &[blocks as u32],
                case_blocks: 1,
                tokens_per_node: 100.0,
                rates: &rates,
            };
            let (mut closed, mut followed) = (0.0, 0.0);
            for seed in 0..40 {
                let grid = sizes(seed);
                closed += Tail::new(std::slice::from_ref(&grid))
                    .cycles_and_nodes(&filling)
                    .0;
                let work: Vec<f64> = grid.iter().map(|&nodes| 100.0 * f64::from(nodes)).collect();
                followed += makespan_cycles(&work, n_smx, blocks, &rates);
            }
            let ratio = closed / followed;
            assert!((0.95..1.05).contains(&ratio), "{n_smx} x {blocks}: {ratio}");
        }
    }

    #[test]
    fn equal_blocks_in_one_wave_end_together() {
        let rates = RateCurve::new(vec![(1, 1.0), (2, 1.0)]).unwrap();
        let filling = Filling {
            n_smx: 2,
            resident_blocks: &[2],
            case_blocks: 1,
            tokens_per_node: 1.0,
            rates: &rates,
        };
        let (cycles, nodes) = Tail::new(&[vec![10; 4]]).cycles_and_nodes(&filling);
        assert_eq!((cycles, nodes), (20.0, 40.0));
    }
}
