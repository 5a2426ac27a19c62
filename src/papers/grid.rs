//! How long a grid of executed blocks takes on a device.
//!
//! Models: of a grid of many waves of blocks, a sample spread over it, replayed on one multiprocessor that is kept full; of a grid
//! of a few waves, all blocks of some multiprocessors, each from its first block to the end of its last. What a block does over and
//! over may be cut short in what is executed: its time is linear in the number of repetitions ([`extrapolated`]).
//! Leaves out: launch overhead; of many waves, that the multiprocessors do not end together.
//! Units: cycles of a multiprocessor. Sources: blocks in turn over the multiprocessors, CUDA C Programming Guide, section 2.2;
//! expected maximum of n normal deviates, Cramér, Mathematical Methods of Statistics, section 28.6.

use crate::device::Device;
use crate::device::occupancy::BlockResources;
use crate::isa::Kernel;
use crate::launch::CarveOut;
use crate::launch::geometry::{Geometry, local_stride_bytes};
use crate::launch::residency::reside;
use crate::launch::spec::SmxSpec;
use crate::predict::PredictError;
use crate::sim::blocks::run_queue;
use crate::sim::dispatch::BlockQueue;
use crate::sim::sample::{Drawn, per_token_of};
use crate::sim::simulator::SamplingPlan;
use crate::sim::smx::Setup;
use crate::sim::window::{self, WindowPlan};
use crate::workload::executed::ExecutedCode;
use rayon::prelude::*;

/// How often the blocks of a full multiprocessor are replaced while it is measured, at least: all of them start together, and the
/// short ones would be measured too often.
const ROUNDS: u64 = 6;
/// Grids of fewer waves of blocks are run to their end.
const FEW_WAVES: f64 = 8.0;
const EULER_GAMMA: f64 = 0.577_215_664_901_532_9;

/// What is launched.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// For messages.
    pub name: &'a str,
    pub kernel: &'a Kernel,
    pub threads_per_block: u32,
    pub shared_bytes: u32,
    pub blocks: u32,
}

/// A launch on a device.
#[derive(Debug)]
pub struct Grid {
    spec: SmxSpec,
    geometry: Geometry,
    megahertz: f64,
    to_its_end: bool,
}

/// Blocks of a grid that are to be executed, by their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sample {
    /// Spread evenly over the grid.
    Spread(Vec<u32>),
    /// All blocks of some multiprocessors.
    Whole(Vec<Vec<u32>>),
}

impl Sample {
    /// In the order in which they are to be laid out.
    pub fn blocks(&self) -> Vec<u32> {
        match self {
            Sample::Spread(blocks) => blocks.clone(),
            Sample::Whole(of_smx) => of_smx.concat(),
        }
    }
}

impl Grid {
    pub fn place(device: &Device, launch: Launch) -> Result<Self, PredictError> {
        let block = BlockResources {
            threads_per_block: launch.threads_per_block,
            registers_per_thread: launch.kernel.registers,
            shared_bytes_per_block: launch.shared_bytes,
        };
        let (occupancy, l1_bytes) = reside(device, launch.name, CarveOut::Default, block)?;
        let spec = SmxSpec::new(device, l1_bytes).map_err(PredictError::other)?;
        let geometry = Geometry {
            threads_per_block: launch.threads_per_block,
            stack_dim: 1,
            // A warp's whole path counts as one iteration.
            fitness_cases: launch.threads_per_block,
            programs: launch.blocks,
            case_blocks: 1,
            resident_blocks: occupancy.blocks,
            n_smx: device.chip.n_smx,
            local_stride_bytes: local_stride_bytes(launch.kernel.frame_bytes),
        };
        Ok(Grid {
            spec,
            geometry,
            megahertz: device.chip.clock_mhz,
            to_its_end: false,
        })
    }

    /// However many waves it has, their end is not left out.
    pub fn to_its_end(self) -> Self {
        Grid {
            to_its_end: true,
            ..self
        }
    }

    pub fn resident_blocks(&self) -> u32 {
        self.geometry.resident_blocks
    }

    /// Of a launch whose blocks take so many cycles.
    pub fn milliseconds(&self, cycles: f64) -> f64 {
        (cycles + f64::from(self.spec.grid_cycles)) / self.megahertz / 1e3
    }

    /// How often all places of all multiprocessors are filled.
    fn waves(&self) -> f64 {
        let Geometry {
            programs: blocks,
            resident_blocks,
            n_smx,
            ..
        } = self.geometry;
        f64::from(blocks) / f64::from(n_smx * resident_blocks)
    }

    /// Whether it is as if it went on for ever.
    pub fn has_many_waves(&self) -> bool {
        !self.to_its_end && self.waves() >= FEW_WAVES
    }

    /// The blocks to execute: `spread` of them where the grid has many waves, otherwise those of `multiprocessors`.
    pub fn sample(&self, spread: u32, multiprocessors: u32) -> Sample {
        let (blocks, n_smx) = (self.geometry.programs, self.geometry.n_smx);
        if self.has_many_waves() {
            let place =
                |sampled| (u64::from(sampled) * u64::from(blocks) / u64::from(spread)) as u32;
            return Sample::Spread((0..spread).map(place).collect());
        }
        let longest = self.longest_multiprocessors();
        let sampled = longest.min(multiprocessors);
        let of_smx = |nth: u32| {
            let first = nth * longest / sampled;
            (first..blocks).step_by(n_smx as usize).collect()
        };
        Sample::Whole((0..sampled).map(of_smx).collect())
    }

    /// Multiprocessors that get most blocks: the grid ends with one of them.
    fn longest_multiprocessors(&self) -> u32 {
        match self.geometry.programs % self.geometry.n_smx {
            0 => self.geometry.n_smx,
            rest => rest,
        }
    }

    /// Cycles of the whole grid, if all its blocks are as those of the `sample`, which `executed` holds.
    pub fn cycles(&self, sample: &Sample, executed: &ExecutedCode) -> Result<f64, PredictError> {
        match sample {
            Sample::Spread(blocks) => self.of_many_waves(blocks.len(), executed),
            Sample::Whole(of_smx) => self.of_few_waves(of_smx, executed),
        }
    }

    fn of_many_waves(&self, sampled: usize, executed: &ExecutedCode) -> Result<f64, PredictError> {
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
        let rate = window.map_err(PredictError::other)?.tokens_per_cycle;
        let tokens: f64 = code.programs.iter().map(|warp| f64::from(warp.nodes)).sum();
        let blocks_per_smx = f64::from(geometry.programs) / f64::from(geometry.n_smx);
        Ok(tokens / sampled as f64 * blocks_per_smx / rate)
    }

    fn of_few_waves(
        &self,
        of_smx: &[Vec<u32>],
        executed: &ExecutedCode,
    ) -> Result<f64, PredictError> {
        let mut orders = Vec::with_capacity(of_smx.len());
        let mut rest = &executed.order[..];
        for blocks in of_smx {
            let (own, others) = rest.split_at(blocks.len());
            orders.push(own);
            rest = others;
        }
        let cycles = orders
            .into_par_iter()
            .map(|order| self.run_once(order, executed));
        let cycles = cycles.collect::<Result<Vec<f64>, _>>()?;
        // With one block at a time in every place nothing is evened out: the last multiprocessor to end is waited for.
        Ok(match self.waves() <= 1.0 {
            true => expected_maximum(&cycles, self.longest_multiprocessors()),
            false => mean(&cycles),
        })
    }

    /// Of one multiprocessor that runs these blocks.
    fn run_once(&self, order: &[u32], executed: &ExecutedCode) -> Result<f64, PredictError> {
        let setup = Setup {
            spec: &self.spec,
            code: &executed.code,
            code_bytes: executed.code_bytes,
            geometry: self.geometry,
            queue: BlockQueue::once(order.to_vec(), &self.geometry, u32::MAX, 1),
            seed: SamplingPlan::default().window.seed,
        };
        let run = run_queue(setup, u64::MAX, ()).map_err(PredictError::other)?;
        Ok(run.counters.cycles as f64)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Of `n` values, of which some were drawn: as if they were distributed normally.
fn expected_maximum(drawn: &[f64], n: u32) -> f64 {
    let largest = drawn.iter().copied().fold(0.0, f64::max);
    if n as usize <= drawn.len() || drawn.len() < 2 {
        return largest;
    }
    let mean = mean(drawn);
    let squares: f64 = drawn.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (drawn.len() - 1) as f64).sqrt();
    let ln = f64::from(n).ln();
    let root = (2.0 * ln).sqrt();
    let far = (ln.ln() + (4.0 * std::f64::consts::PI).ln()) / 2.0;
    largest.max(mean + deviation * (root - (far - EULER_GAMMA) / root))
}

/// What takes `cycles[0]` with `repetitions[0]` and `cycles[1]` with `repetitions[1]`, with `n`.
pub fn extrapolated(n: f64, repetitions: [u32; 2], cycles: [f64; 2]) -> f64 {
    let [few, more] = repetitions.map(f64::from);
    if few == more {
        return cycles[0] * n / few;
    }
    cycles[0] + (n - few) * (cycles[1] - cycles[0]) / (more - few)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_is_continued() {
        assert_eq!(extrapolated(10.0, [2, 4], [9.0, 13.0]), 25.0);
    }

    /// The mean of the largest of 100 normal deviates is 2.51 (Tippett's tables).
    #[test]
    fn the_largest_of_many_lies_as_far_out_as_tables_say() {
        let drawn = [-1.0, 1.0, -1.0, 1.0].map(|step| 100.0 + step * 0.75f64.sqrt());
        let largest = expected_maximum(&drawn, 100) - 100.0;
        assert!((largest - 2.51).abs() < 0.08, "{largest}");
        assert_eq!(expected_maximum(&drawn, 4), drawn[1]);
    }
}
