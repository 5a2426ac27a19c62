//! A launch simulated: windows of one multiprocessor at several fillings, then the grid to its last block.
//!
//! Models: throughput by filling, from windows that replay programs of all lengths; every block with its own number of instructions.
//! Leaves out: which programs share a multiprocessor. Units: warp instructions, cycles. Sources: those of `sim`.

use super::super::other;
use super::traced::Traced;
use super::{GivenLaunch, GivenPrediction, Site};
use crate::device::Device;
use crate::device::occupancy::BlockResources;
use crate::launch::chip::{RateCurve, makespan_cycles};
use crate::launch::geometry::{Geometry, local_stride_bytes};
use crate::predict::PredictError;
use crate::sim::observe::Counters;
use crate::sim::window::{WindowPlan, simulate};

/// Iterations of the case loop that a simulated block runs at most.
const ITERATION_CAP: u32 = 3;

/// How much of a window is measured.
#[derive(Debug, Clone, Copy)]
struct Effort {
    /// Blocks at least, so that their programs stand for all.
    blocks: u32,
    warp_iterations: u32,
}

const FULL: Effort = Effort {
    blocks: 16,
    warp_iterations: 900,
};
/// Of a partly filled multiprocessor: the end of the grid, where a difference of a few percent is one of the whole in a thousand.
const PARTIAL: Effort = Effort {
    blocks: 8,
    warp_iterations: 300,
};

impl Traced {
    pub fn predict(
        &self,
        device: &Device,
        launch: &GivenLaunch,
    ) -> Result<GivenPrediction, PredictError> {
        let block = BlockResources {
            threads_per_block: launch.threads_per_block,
            registers_per_thread: self.resources.registers,
            shared_bytes_per_block: self.shared_bytes_per_block,
        };
        let stride = local_stride_bytes(self.resources.frame_bytes);
        let site = Site::new(device, launch, block, stride)?;
        let instructions = self.instructions(launch);
        let (rates, counters) = self.rates(&site, &mixed_order(&instructions))?;
        let curve = RateCurve::new(rates).ok_or_else(|| PredictError::Input {
            what: "resident blocks",
            given: "0".into(),
            allowed: "1 or more".into(),
        })?;
        let warps = u64::from(site.geometry.warps_per_block());
        let blocks = instructions.iter().cycle().take(launch.population as usize);
        let work: Vec<f64> = blocks.map(|&block| (block * warps) as f64).collect();
        let n_smx = device.chip.n_smx as usize;
        let cycles = makespan_cycles(&work, n_smx, site.resident_blocks as usize, &curve);
        let loads = counters.l1_load_lines;
        Ok(GivenPrediction {
            milliseconds: cycles / (device.chip.clock_mhz * 1e3),
            warp_instructions: work.iter().sum::<f64>() as u64,
            resident_blocks: site.resident_blocks,
            l1_bytes: site.l1_bytes,
            l1_hit_percent: (loads > 0)
                .then(|| 100.0 * counters.l1_load_hits as f64 / loads as f64),
        })
    }

    /// Warp instructions per cycle of one multiprocessor at several fillings, and the counters of the fullest.
    fn rates(
        &self,
        site: &Site,
        order: &[u32],
    ) -> Result<(Vec<(u32, f64)>, Counters), PredictError> {
        let full = site.geometry.resident_blocks;
        let mut rates = Vec::new();
        let mut fullest = Counters::default();
        for blocks in fillings(full) {
            let effort = if blocks == full { FULL } else { PARTIAL };
            let counters = self.window(site, blocks, effort, order)?;
            rates.push((
                blocks,
                counters.instructions as f64 / counters.cycles as f64,
            ));
            if blocks == full {
                fullest = counters;
            }
        }
        Ok((rates, fullest))
    }

    fn window(
        &self,
        site: &Site,
        blocks: u32,
        effort: Effort,
        order: &[u32],
    ) -> Result<Counters, PredictError> {
        let geometry = Geometry {
            resident_blocks: blocks,
            ..site.geometry
        };
        let warp_iterations = geometry.warps_per_block() * ITERATION_CAP;
        let plan = WindowPlan {
            iteration_cap: ITERATION_CAP,
            warm_up_percent: 40,
            blocks: (effort.warp_iterations / warp_iterations)
                .max(2 * blocks)
                .max(effort.blocks),
            batches: 2,
            seed: 7,
        };
        let (code, bytes) = (&self.code, self.code_bytes);
        let window = simulate(&site.spec, code, bytes, geometry, order, plan).map_err(other)?;
        Ok(window.counters)
    }
}

/// Fillings at which throughput is sampled: powers of two, and the full one.
fn fillings(full: u32) -> Vec<u32> {
    let mut levels = vec![full];
    let mut level = 1;
    while level < full {
        levels.push(level);
        level *= 2;
    }
    levels
}

/// Program indices such that every stretch has short and long programs: sorted by length, in bit-reversed order.
fn mixed_order(instructions: &[u64]) -> Vec<u32> {
    let mut sorted: Vec<u32> = (0..instructions.len() as u32).collect();
    sorted.sort_by_key(|&program| instructions[program as usize]);
    let bits = sorted.len().next_power_of_two().trailing_zeros();
    (0..1usize << bits)
        .map(|i| i.reverse_bits() >> (usize::BITS - bits).min(usize::BITS - 1))
        .filter(|&position| position < sorted.len())
        .map(|position| sorted[position])
        .collect()
}
