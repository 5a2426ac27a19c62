//! Time of a grid of executed blocks, replayed by the simulator.
//!
//! Models: a sample spread over a grid of many waves of blocks, replayed on one multiprocessor that is kept full; of a grid of a few
//! waves, each sampled multiprocessor from its first block to the end of its last.
//! Leaves out: launch overhead; of many waves, that the multiprocessors do not end together.
//! Units: cycles of a multiprocessor.

use crate::launch::counters::Counters;
use crate::launch::demand::per_token_of;
use crate::launch::divergent::{BlocksTiming, DivergentWork, Timed};
use crate::launch::ends::{last_to_end, mean, standard_error};
use crate::launch::executed::ExecutedCode;
use crate::launch::grid::Sample;
use crate::launch::placement::Placement;
use crate::launch::prediction::{PredictError, Timing};
use crate::sim::blocks::run_queue;
use crate::sim::dispatch::BlockQueue;
use crate::sim::sample::Drawn;
use crate::sim::simulator::SamplingPlan;
use crate::sim::smx::Setup;
use crate::sim::tolerance::batches_bound;
use crate::sim::window::{self, WindowPlan};
use crate::util::elementary::hypot;
use crate::util::parallel;
use crate::util::stopwatch::Stopwatch;

/// Smallest number of times that the blocks of a full multiprocessor are replaced during a measurement: all of them start
/// together, so a shorter measurement would count short blocks too often.
const ROUNDS: u64 = 6;

impl DivergentWork {
    /// Times the executed blocks.
    pub fn timed(&self, placement: &Placement) -> Result<Timed, PredictError> {
        let start = Stopwatch::start();
        let n = self.sampled.len() as f64;
        let mut all = Timed::default();
        for one in &self.sampled {
            let mut cycles = [0.0; 2];
            let mut worst = 0.0f64;
            let mut last = Counters::default();
            for (at, (_, executed)) in one.executed.iter().enumerate() {
                let timed = placement.replayed(&one.sample, &executed.code)?;
                let of_paths = executed.of_paths(placement.ideals);
                cycles[at..].fill(of_paths * executed.of_time * timed.cycles);
                // The same blocks were executed twice, so their errors are correlated.
                worst = worst.max(timed.error_percent);
                all.simulated_instructions += timed.simulated_instructions;
                last = timed.counters;
            }
            all.cycles.push(cycles);
            all.counters = all.counters.with(&last);
            // Of a mean of independent values.
            all.error_percent = hypot(all.error_percent, worst / n);
        }
        all.wall_seconds = start.seconds();
        Ok(all)
    }

    /// Times the launch.
    pub fn timing(&self, placement: &Placement) -> Result<Timing, PredictError> {
        Ok(self.continued_timing(placement, &self.timed(placement)?))
    }
}

impl Placement {
    /// Time of the whole grid, represented by the blocks of the `sample`, which `executed` holds.
    pub fn replayed(
        &self,
        sample: &Sample,
        executed: &ExecutedCode,
    ) -> Result<BlocksTiming, PredictError> {
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
    ) -> Result<BlocksTiming, PredictError> {
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
        Ok(BlocksTiming {
            cycles: tokens / sampled as f64 * blocks_per_smx / window.tokens_per_cycle,
            error_percent: batches_bound(window.standard_error_percent),
            simulated_instructions: window.simulated_instructions,
            counters: window.counters,
        })
    }

    fn of_few_waves(
        &self,
        sample: &Sample,
        of_smx: &[Vec<u32>],
        executed: &ExecutedCode,
    ) -> Result<BlocksTiming, PredictError> {
        let mut orders = Vec::with_capacity(of_smx.len());
        let mut rest = &executed.order[..];
        for blocks in of_smx {
            let (own, others) = rest.split_at(blocks.len());
            orders.push(own);
            rest = others;
        }
        let runs = parallel::try_map(&orders, |order| self.run_once(order, executed))?;
        let cycles: Vec<f64> = runs.iter().map(|run| run.cycles as f64).collect();
        let all = self.longest_multiprocessors();
        let counters = runs
            .iter()
            .fold(Counters::default(), |sum, run| sum.with(run));
        Ok(BlocksTiming {
            cycles: last_to_end(self, sample, &cycles),
            error_percent: match sample {
                Sample::Longest(..) => 0.0,
                _ => batches_bound(100.0 * standard_error(&cycles, all) / mean(&cycles)),
            },
            simulated_instructions: counters.instructions,
            counters,
        })
    }

    /// Runs these blocks on one multiprocessor.
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
