//! A launch in closed form: the analytical model on given programs.
//!
//! Models: the kernel's summary of these programs, one for all block sizes and carve-outs; the grid of the launch. What data adds is
//! work like any other. Leaves out: first and last iterations. Units: in field names. Sources: those of `model`.

use super::super::other;
use super::{GivenLaunch, GivenPrediction, Site};
use crate::device::Device;
use crate::gp::program::Rpn;
use crate::launch::code::ReplayCode;
use crate::launch::geometry::local_stride_bytes;
use crate::model::{Analysis, Inputs, Point, predict_launch};
use crate::predict::PredictError;
use crate::trace::SegmentId;
use crate::workload::KernelSummary;

/// One kernel and one population, analysed.
#[derive(Debug)]
pub(super) struct ClosedForm {
    analysis: Analysis,
    registers: u32,
    shared_bytes_per_block: u32,
    local_stride_bytes: u32,
    /// Sums over the blocks of a launch, for one warp of each: of the prologue, and of one iteration without and with what data adds.
    prologue: f64,
    steady: f64,
    with_detours: f64,
}

impl ClosedForm {
    /// For launches that differ from `launch` in block size, cases and carve-out only.
    pub fn new(
        programs: &[Rpn],
        launch: &GivenLaunch,
        detours: &[f64],
    ) -> Result<ClosedForm, PredictError> {
        let n_blocks = launch.population as usize;
        let blocks: Vec<u32> = (0..programs.len() as u32).cycle().take(n_blocks).collect();
        let sample: Vec<u32> = (0..programs.len() as u32).collect();
        let summary = KernelSummary::new(&launch.variant, programs, &sample, launch.elements)
            .map_err(other)?;
        let traces = &summary.traces;
        let length = |ids: &[SegmentId]| -> f64 {
            ids.iter()
                .map(|id| f64::from(traces.pool.length(*id)))
                .sum()
        };
        let per_block = |of: &dyn Fn(usize) -> f64| -> f64 {
            blocks.iter().map(|&block| of(block as usize)).sum()
        };
        let steady = per_block(&|block| length(&traces.programs[block].steady));
        let code = ReplayCode::new(&traces.timing, &traces.pool, &traces.programs);
        let nodes = |block: &u32| programs[*block as usize].0.len() as u32;
        let grids = [blocks.iter().map(nodes).collect()];
        let prologues = summary.prologues.iter();
        Ok(ClosedForm {
            analysis: Analysis::new(&Inputs {
                code: &code,
                prologues: &summary.prologues,
                sample: &sample,
                grids: &grids,
                rows_per_program: &summary.rows_per_program,
                rows: summary.rows,
                stack_dim: launch.variant.stack_dim,
            }),
            registers: traces.resources.registers,
            shared_bytes_per_block: traces.shared_bytes_per_block,
            local_stride_bytes: local_stride_bytes(traces.resources.frame_bytes),
            prologue: n_blocks as f64
                * prologues
                    .map(|&(at, times)| times * length(&traces.programs[at as usize].prologue))
                    .sum::<f64>(),
            with_detours: steady + per_block(&|block| detours[block].max(0.0)),
            steady,
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
        let modelled = predict_launch(
            &Point {
                spec: &site.spec,
                geometry: site.geometry,
                n_smx: device.chip.n_smx as usize,
                clock_hz,
                grid_blocks: &[site.resident_blocks],
                host_seconds: 0.0,
            },
            &self.analysis,
        );
        let iterations = site.geometry.mean_iterations(0);
        let warps = f64::from(site.geometry.warps_per_block() * launch.case_blocks);
        let instructions = |iteration: f64| warps * (self.prologue + iterations * iteration);
        let lines = self.analysis.shapes.per_token(iterations).local_load_lines;
        let more = instructions(self.with_detours) / instructions(self.steady);
        Ok(GivenPrediction {
            milliseconds: 1e3 * modelled.grid_cycles * more / clock_hz,
            warp_instructions: instructions(self.with_detours) as u64,
            resident_blocks: site.resident_blocks,
            l1_bytes: site.l1_bytes,
            l1_hit_percent: (lines > 0.0)
                .then(|| 100.0 * (1.0 - modelled.full.traffic.load_misses / lines)),
        })
    }
}
