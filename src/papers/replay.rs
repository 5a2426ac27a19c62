//! How long a grid of executed blocks takes, replayed by the simulator.
//!
//! Models: a sample spread over a grid of many waves of blocks, replayed on one multiprocessor that is kept full; of a grid of a few
//! waves, each sampled multiprocessor from its first block to the end of its last.
//! Leaves out: launch overhead; of many waves, that the multiprocessors do not end together.
//! Units: cycles of a multiprocessor. Sources: expected maximum of n normal deviates, Cramér, Mathematical Methods of Statistics,
//! section 28.6; standard error of a mean of some of a finite number, Cochran, Sampling Techniques, section 2.6.

use super::grid::{Grid, Sample};
use super::launch::Timed;
use crate::launch::demand::per_token_of;
use crate::predict::PredictError;
use crate::sim::blocks::run_queue;
use crate::sim::dispatch::BlockQueue;
use crate::sim::observe::Counters;
use crate::sim::sample::Drawn;
use crate::sim::simulator::SamplingPlan;
use crate::sim::smx::Setup;
use crate::sim::window::{self, WindowPlan};
use crate::workload::executed::ExecutedCode;
use rayon::prelude::*;

/// How often the blocks of a full multiprocessor are replaced while it is measured, at least: all of them start together, and the
/// short ones would be measured too often.
const ROUNDS: u64 = 6;
const EULER_GAMMA: f64 = 0.577_215_664_901_532_9;

impl Grid {
    /// The whole grid, if all its blocks are as those of the `sample`, which `executed` holds.
    pub(super) fn replayed(
        &self,
        sample: &Sample,
        executed: &ExecutedCode,
    ) -> Result<Timed, PredictError> {
        match sample {
            Sample::Spread(blocks) => self.of_many_waves(blocks.len(), executed),
            Sample::Whole(of_smx) | Sample::Longest(of_smx, _) => {
                self.of_few_waves(sample, of_smx, executed)
            }
        }
    }

    fn of_many_waves(
        &self,
        sampled: usize,
        executed: &ExecutedCode,
    ) -> Result<Timed, PredictError> {
        let (code, geometry) = (&executed.code, self.geometry);
        let warps: Vec<u32> = (0..code.programs.len() as u32).collect();
        let drawn = Drawn {
            order: &executed.order,
            whole: Some(per_token_of(code, &warps)),
            programs_per_warp: 1,
        };
        let plan = SamplingPlan::default().window;
        let resident = u64::from(geometry.resident_blocks * geometry.warps_per_block());
        let round = resident * code.ops.len() as u64 / warps.len().max(1) as u64;
        let (least, most) = plan.instructions;
        let plan = WindowPlan {
            instructions: (least.max(ROUNDS * round), most.max(ROUNDS * round)),
            ..plan
        };
        let window = window::simulate(&self.spec, code, executed.code_bytes, geometry, drawn, plan);
        let window = window.map_err(PredictError::other)?;
        let tokens: f64 = code.programs.iter().map(|warp| f64::from(warp.nodes)).sum();
        let blocks_per_smx = f64::from(geometry.programs) / f64::from(geometry.n_smx);
        Ok(Timed {
            cycles: tokens / sampled as f64 * blocks_per_smx / window.tokens_per_cycle,
            error_percent: window.error_percent,
            simulated_instructions: window.simulated_instructions,
            counters: window.counters,
        })
    }

    fn of_few_waves(
        &self,
        sample: &Sample,
        of_smx: &[Vec<u32>],
        executed: &ExecutedCode,
    ) -> Result<Timed, PredictError> {
        let mut orders = Vec::with_capacity(of_smx.len());
        let mut rest = &executed.order[..];
        for blocks in of_smx {
            let (own, others) = rest.split_at(blocks.len());
            orders.push(own);
            rest = others;
        }
        let runs = orders
            .into_par_iter()
            .map(|order| self.run_once(order, executed));
        let runs = runs.collect::<Result<Vec<Counters>, _>>()?;
        let cycles: Vec<f64> = runs.iter().map(|run| run.cycles as f64).collect();
        let all = self.longest_multiprocessors();
        let counters = runs
            .iter()
            .fold(Counters::default(), |sum, run| sum.with(run));
        Ok(Timed {
            cycles: last_to_end(self, sample, &cycles),
            error_percent: match sample {
                Sample::Longest(..) => 0.0,
                _ => 100.0 * standard_error(&cycles, all) / mean(&cycles),
            },
            simulated_instructions: counters.instructions,
            counters,
        })
    }

    /// One multiprocessor that runs these blocks.
    fn run_once(&self, order: &[u32], executed: &ExecutedCode) -> Result<Counters, PredictError> {
        let setup = Setup {
            spec: &self.spec,
            code: &executed.code,
            code_bytes: executed.code_bytes,
            geometry: self.geometry,
            queue: BlockQueue::once(order.to_vec(), &self.geometry, u32::MAX, 1),
            seed: SamplingPlan::default().window.seed,
        };
        let run = run_queue(setup, u64::MAX, ()).map_err(PredictError::other)?;
        Ok(run.counters)
    }
}

/// When a grid ends some of whose multiprocessors take these `cycles`. With one block at a time in every place nothing is evened out:
/// the last multiprocessor to end is waited for. Where blocks are handed out as places get free, all go at about the same pace.
pub(super) fn last_to_end(grid: &Grid, sample: &Sample, cycles: &[f64]) -> f64 {
    match sample {
        Sample::Longest(_, ends) if grid.waves() > 1.0 => {
            ends.last * cycles.iter().sum::<f64>() / ends.sampled.iter().sum::<f64>()
        }
        Sample::Longest(..) => cycles.iter().copied().fold(0.0, f64::max),
        _ if grid.waves() <= 1.0 => expected_maximum(cycles, grid.longest_multiprocessors()),
        _ => mean(cycles),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Of values around their mean.
fn deviation(drawn: &[f64]) -> f64 {
    let mean = mean(drawn);
    let squares: f64 = drawn.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (drawn.len() - 1) as f64).sqrt()
}

/// Of the mean of some of `n` values; 0 if all were drawn, or one alone.
fn standard_error(drawn: &[f64], n: u32) -> f64 {
    let sampled = drawn.len() as f64;
    match drawn.len() < 2 {
        true => 0.0,
        false => deviation(drawn) * ((1.0 - sampled / f64::from(n)).max(0.0) / sampled).sqrt(),
    }
}

/// Of `n` values, of which some were drawn: as if they were distributed normally.
fn expected_maximum(drawn: &[f64], n: u32) -> f64 {
    let largest = drawn.iter().copied().fold(0.0, f64::max);
    if n as usize <= drawn.len() || drawn.len() < 2 {
        return largest;
    }
    let ln = f64::from(n).ln();
    let root = (2.0 * ln).sqrt();
    let far = (ln.ln() + (4.0 * std::f64::consts::PI).ln()) / 2.0;
    largest.max(mean(drawn) + deviation(drawn) * (root - (far - EULER_GAMMA) / root))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of the largest of 100 normal deviates is 2.51 (Tippett's tables).
    #[test]
    fn the_largest_of_many_lies_as_far_out_as_tables_say() {
        let drawn = [-1.0, 1.0, -1.0, 1.0].map(|step| 100.0 + step * 0.75f64.sqrt());
        let largest = expected_maximum(&drawn, 100) - 100.0;
        assert!((largest - 2.51).abs() < 0.08, "{largest}");
        assert_eq!(expected_maximum(&drawn, 4), drawn[1]);
    }

    #[test]
    fn the_mean_of_all_is_certain_and_that_of_some_is_not() {
        let drawn = [9.0, 11.0, 9.0, 11.0];
        assert_eq!(standard_error(&drawn, 4), 0.0);
        let of_many = standard_error(&drawn, 1_000_000);
        assert!(
            (of_many - (4.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-3,
            "{of_many}"
        );
        assert_eq!(standard_error(&drawn[..1], 9), 0.0);
    }
}
