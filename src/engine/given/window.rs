//! A launch simulated: windows of one multiprocessor at several fillings, then the grid to its last block.
//!
//! Models: throughput by filling, from windows that replay programs of all lengths; every block with its own number of instructions.
//! Leaves out: which programs share a multiprocessor. Units: warp instructions, cycles. Sources: those of `sim`.

use super::super::other;
use super::traced::Traced;
use super::{GivenLaunch, GivenPrediction, Site};
use crate::device::Device;
use crate::launch::chip::{RateCurve, makespan_cycles};
use crate::launch::geometry::{Geometry, local_stride_bytes};
use crate::predict::PredictError;
use crate::sim::observe::Counters;
use crate::sim::window::{WindowPlan, simulate};

/// Warp instructions that a window of the multiprocessor as full as the launch keeps it measures.
const FULL_INSTRUCTIONS: u64 = 1_000_000;
/// The same of a partly filled one: the end of the grid, where a difference of some percent is one of the whole in a thousand.
const PARTIAL_INSTRUCTIONS: u64 = 300_000;
/// Visits to programs that a window is divided among.
const VISITS: u32 = 128;

impl Traced {
    pub fn predict(
        &self,
        device: &Device,
        launch: &GivenLaunch,
    ) -> Result<GivenPrediction, PredictError> {
        let block = launch.block(self.resources.registers, self.shared_bytes_per_block);
        let stride = local_stride_bytes(self.resources.frame_bytes);
        let site = Site::new(device, launch, block, stride)?;
        let geometry = &site.geometry;
        let order = by_length(&self.instructions(geometry, 0));
        let (rates, counters) = self.rates(&site, &order)?;
        let curve = RateCurve::new(rates).ok_or_else(|| PredictError::Input {
            what: "resident blocks",
            given: "0".into(),
            allowed: "1 or more".into(),
        })?;
        let of_row = |case_block: u32| {
            let programs = self.instructions(geometry, case_block);
            let blocks = 0..launch.population as usize;
            blocks.map(move |block| programs[block % programs.len()] as f64)
        };
        let work: Vec<f64> = (0..launch.case_blocks).flat_map(of_row).collect();
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
            let instructions = if blocks == full {
                FULL_INSTRUCTIONS
            } else {
                PARTIAL_INSTRUCTIONS
            };
            let counters = self.window(site, blocks, instructions, order)?;
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
        instructions: u64,
        order: &[u32],
    ) -> Result<Counters, PredictError> {
        let geometry = Geometry {
            resident_blocks: blocks,
            ..site.geometry
        };
        let plan = WindowPlan {
            instructions: (instructions, instructions),
            least_visits: 0,
            visits: VISITS,
            warm_up_percent: 40,
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

/// Program indices in order of length.
fn by_length(instructions: &[u64]) -> Vec<u32> {
    let mut sorted: Vec<u32> = (0..instructions.len() as u32).collect();
    sorted.sort_by_key(|&program| instructions[program as usize]);
    sorted
}
