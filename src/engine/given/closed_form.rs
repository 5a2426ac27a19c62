//! A launch in closed form: the analytical model on given programs.
//!
//! Models: the kernel's summary of these programs, one for all launches; the grid to its last block. What data adds is
//! work like any other. Leaves out: first and last iterations; that prologues differ. Units: in field names. Sources: those
//! of `model`.

use super::super::other;
use super::{GivenLaunch, GivenPrediction, Site};
use crate::device::Device;
use crate::gp::program::Rpn;
use crate::launch::chip::makespan_cycles;
use crate::launch::code::ReplayCode;
use crate::launch::geometry::local_stride_bytes;
use crate::model::{Analysis, Inputs, Point, predict_launch};
use crate::predict::PredictError;
use crate::trace::SegmentId;
use crate::workload::KernelSummary;

/// Of so many programs one is executed on data; the others get as much more as these do on average.
pub(super) const DETOURS_STRIDE: usize = 5;

/// One kernel and one population, analysed.
#[derive(Debug)]
pub(super) struct ClosedForm {
    analysis: Analysis,
    registers: u32,
    shared_bytes_per_block: u32,
    local_stride_bytes: u32,
    /// Warp instructions of one warp: of a prologue, and of an iteration of each program with what data adds.
    prologue: f64,
    iteration: Vec<f64>,
}

impl ClosedForm {
    /// For launches that differ from `launch` in block size, cases, carve-out and population only; `detours`: what data adds to
    /// an iteration of every [`DETOURS_STRIDE`]th program.
    pub fn new(
        programs: &[Rpn],
        launch: &GivenLaunch,
        detours: &[f64],
    ) -> Result<ClosedForm, PredictError> {
        let sample: Vec<u32> = (0..programs.len() as u32).collect();
        let summary = KernelSummary::new(&launch.variant, programs, &sample, launch.elements)
            .map_err(other)?;
        let traces = &summary.traces;
        let length = |ids: &[SegmentId]| -> f64 {
            ids.iter()
                .map(|id| f64::from(traces.pool.length(*id)))
                .sum()
        };
        let plain = |index: usize| length(&traces.programs[index].steady);
        let sampled = (0..programs.len()).step_by(DETOURS_STRIDE);
        let added: f64 = detours.iter().map(|more| more.max(0.0)).sum();
        let more = 1.0 + added / sampled.map(plain).sum::<f64>().max(1.0);
        let iteration = (0..programs.len()).map(|index| more * plain(index));
        let iteration = iteration.collect();
        let code = ReplayCode::new(&traces.timing, &traces.pool, &traces.programs);
        let prologues = summary.prologues.iter();
        Ok(ClosedForm {
            analysis: Analysis::new(&Inputs {
                code: &code,
                prologues: &summary.prologues,
                sample: &sample,
                grids: &[],
                rows_per_program: &summary.rows_per_program,
                rows: summary.rows,
                stack_dim: launch.variant.stack_dim,
            }),
            registers: traces.resources.registers,
            shared_bytes_per_block: traces.shared_bytes_per_block,
            local_stride_bytes: local_stride_bytes(traces.resources.frame_bytes),
            prologue: prologues
                .map(|&(at, times)| times * length(&traces.programs[at as usize].prologue))
                .sum(),
            iteration,
        })
    }

    pub fn predict(
        &self,
        device: &Device,
        launch: &GivenLaunch,
    ) -> Result<GivenPrediction, PredictError> {
        let block = launch.block(self.registers, self.shared_bytes_per_block);
        let site = Site::new(device, launch, block, self.local_stride_bytes)?;
        let clock_hz = device.chip.clock_mhz * 1e6;
        let point = Point {
            spec: &site.spec,
            geometry: site.geometry,
            n_smx: device.chip.n_smx as usize,
            clock_hz,
            grid_blocks: &[],
            host_seconds: 0.0,
        };
        let modelled = predict_launch(&point, &self.analysis);
        let iterations = f64::from(site.geometry.iterations(0));
        let warps = f64::from(site.geometry.warps_per_block());
        let per_token = self.analysis.shapes.per_token(iterations);
        let blocks = self
            .iteration
            .iter()
            .cycle()
            .take(launch.population as usize);
        let blocks = blocks.map(|iteration| warps * (self.prologue + iterations * iteration));
        let instructions: Vec<f64> = blocks.collect();
        let tokens: Vec<f64> = instructions
            .iter()
            .map(|block| block / per_token.instructions)
            .collect();
        let (n_smx, resident) = (point.n_smx, site.resident_blocks as usize);
        let cycles = makespan_cycles(&tokens, n_smx, resident, &modelled.rates);
        let lines = per_token.local_load_lines;
        Ok(GivenPrediction {
            milliseconds: 1e3 * cycles / clock_hz,
            warp_instructions: instructions.iter().sum::<f64>() as u64,
            resident_blocks: site.resident_blocks,
            l1_bytes: site.l1_bytes,
            l1_hit_percent: (lines > 0.0)
                .then(|| 100.0 * (1.0 - modelled.full.traffic.load_misses / lines)),
        })
    }
}
