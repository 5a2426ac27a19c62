//! The traces of a kernel for blocks of any size, and the work of every program.
//!
//! Leaves out: time (`window`). Units: warp instructions. Sources: none of its own.

use super::super::other;
use super::GivenLaunch;
use crate::gp::program::Rpn;
use crate::gpu::variant::Resources;
use crate::launch::code::ReplayCode;
use crate::launch::geometry::Geometry;
use crate::predict::PredictError;
use crate::trace::{ProgramTrace, SegmentId, SegmentPool};
use crate::workload::KernelTraces;
use crate::workload::traces::trace_threads;

/// See the module text.
#[derive(Debug)]
pub(super) struct Traced {
    pub code: ReplayCode,
    pub code_bytes: u32,
    pub resources: Resources,
    pub shared_bytes_per_block: u32,
    programs: Vec<Work>,
}

/// What a warp executes of a program.
#[derive(Debug, Clone, Copy)]
struct Work {
    prologue: u64,
    only: u64,
    first: u64,
    steady: u64,
    last: u64,
    /// Of the last iteration, for the first warp alone.
    first_warps: u64,
    /// What data adds to an iteration.
    detours: f64,
}

impl Work {
    fn of(pool: &SegmentPool, program: &ProgramTrace, detours: f64) -> Work {
        let length =
            |ids: &[SegmentId]| -> u64 { ids.iter().map(|id| u64::from(pool.length(*id))).sum() };
        Work {
            prologue: length(&program.prologue),
            only: length(&program.only),
            first_warps: pool.of_first_warp(program),
            first: length(&program.first),
            steady: length(&program.steady),
            last: length(&program.last),
            detours: detours.max(0.0),
        }
    }

    /// Warp instructions of a block of `warps` with so many `iterations` each.
    fn instructions(&self, iterations: u32, warps: u64) -> u64 {
        let steady = u64::from(iterations.saturating_sub(2)) * self.steady;
        // A block without cases ends soon after its prologue.
        let traced = match iterations {
            0 => self.first_warps,
            1 => self.only,
            _ => self.first + steady + self.last,
        };
        let added = self.detours * f64::from(iterations);
        warps * (self.prologue + traced + added as u64) - (warps - 1) * self.first_warps
    }
}

impl Traced {
    /// For launches that differ from `launch` in block size, padding, carve-out and population only; `detours`: what data adds
    /// to an iteration of each program.
    pub fn new(
        programs: &[Rpn],
        launch: &GivenLaunch,
        detours: &[f64],
    ) -> Result<Traced, PredictError> {
        let variant = &launch.variant;
        let threads = trace_threads(variant, launch.threads_per_block);
        let traces =
            KernelTraces::new(variant, programs, threads, launch.elements).map_err(other)?;
        let pairs = traces.programs.iter().zip(detours);
        Ok(Traced {
            programs: pairs
                .map(|(program, detours)| Work::of(&traces.pool, program, *detours))
                .collect(),
            code: ReplayCode::new(&traces.timing, &traces.pool, &traces.programs)
                .of_any_block(threads, launch.elements),
            code_bytes: traces.code_bytes,
            shared_bytes_per_block: traces.shared_bytes_per_block,
            resources: traces.resources,
        })
    }

    /// Warp instructions of every program in its block `case_block`.
    pub fn instructions(&self, geometry: &Geometry, case_block: u32) -> Vec<u64> {
        let iterations = geometry.iterations_of(case_block, 0);
        let warps = u64::from(geometry.warps_per_block());
        let programs = self.programs.iter();
        programs
            .map(|program| program.instructions(iterations, warps))
            .collect()
    }
}
