//! Some blocks of a configuration's grid, traced so that they can be run once and written for other tools.
//!
//! Models: the first blocks of the sample that the simulator's window draws from, cut to a number of iterations.
//! Leaves out: what the multiprocessors share: the fitness cases are read at their real addresses.
//! Units: in the names.

use super::Predictor;
use crate::device::occupancy::Occupancy;
use crate::isa::Kernel;
use crate::launch::blocks::Blocks;
use crate::launch::code::ReplayCode;
use crate::launch::geometry::Geometry;
use crate::launch::prediction::{Configuration, PredictError};
use crate::launch::spec::SmxSpec;
use crate::launch::timed::TimedCode;
use crate::systems::chitty::words_of_program;
use crate::trace::builder::Positions;
use crate::trace::launch::KernelLaunch;
use crate::trace::{ProgramTrace, SegmentPool, TraceBuilder};

/// Blocks of a configuration, and what tracing them was based on.
#[derive(Debug, Clone)]
pub struct SampleBlocks {
    pub blocks: Blocks,
    pub kernel: Kernel,
    /// The segments of the traces.
    pub pool: SegmentPool,
    pub launch: KernelLaunch,
    /// One per block.
    pub traces: Vec<(ProgramTrace, Positions)>,
    pub occupancy: Occupancy,
    pub l1_bytes: u32,
    pub spec: SmxSpec,
    /// Seed of the caches' replacement.
    pub seed: u32,
    /// Rows of fitness-case inputs.
    pub n_inputs: usize,
}

impl Predictor {
    /// The first `n_blocks` blocks of the sample, each for at most `iterations` iterations of its case loop.
    pub fn sample_blocks(
        &self,
        configuration: &Configuration,
        n_blocks: usize,
        iterations: u32,
    ) -> Result<SampleBlocks, PredictError> {
        let request = self.request(configuration)?;
        let resolved = self.resolve(&request)?;
        let code_bytes = resolved.uniform()?.work.kernel.summary().code_bytes;
        let placement = resolved.placement;
        let (variant, programs) = (&request.kernel, &request.programs);
        let kernel = variant.kernel().map_err(PredictError::other)?;
        let launch = KernelLaunch::block_gp(
            configuration.threads_per_block,
            configuration.stack_dim,
            request.cases.elements,
        );
        let mut builder =
            TraceBuilder::new(&kernel, launch.clone()).map_err(PredictError::other)?;
        let sample = &programs.sample;
        let traces = (0..n_blocks)
            .map(|block| {
                let index = sample[block % sample.len()] as usize;
                let program = &programs.programs[index];
                let words =
                    words_of_program(variant, index, program).map_err(PredictError::other)?;
                builder
                    .trace_with_positions(&words)
                    .map_err(PredictError::other)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let pool = builder.into_pool();
        let timing = TimedCode::literal(&kernel).timing;
        let programs: Vec<ProgramTrace> = traces.iter().map(|(trace, _)| trace.clone()).collect();
        let blocks = Blocks {
            kernel: variant.to_string(),
            code: ReplayCode::new(&timing, &pool, &programs),
            code_bytes,
            geometry: Geometry {
                n_smx: 1,
                ..placement.geometry
            },
            resources: placement.block,
            order: (0..n_blocks as u32).collect(),
            programs_per_warp: 0,
            iterations,
        };
        Ok(SampleBlocks {
            blocks,
            pool,
            launch,
            traces,
            occupancy: placement.occupancy,
            l1_bytes: placement.l1_bytes,
            spec: placement.spec,
            seed: self.settings().simulator.plan.window.seed,
            kernel,
            n_inputs: variant.problem.definition().n_inputs,
        })
    }
}
