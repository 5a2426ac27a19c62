//! The traces of a kernel for one block size and one number of cases, and the work of every program.
//!
//! Leaves out: time (`window`). Units: warp instructions. Sources: none of its own.

use super::super::{local_stride_bytes, other};
use super::GivenLaunch;
use crate::device::occupancy::BlockResources;
use crate::gp::program::Rpn;
use crate::launch::code::ReplayCode;
use crate::predict::PredictError;
use crate::trace::{ProgramTrace, SegmentId, SegmentPool};
use crate::workload::KernelTraces;

/// See the module text.
#[derive(Debug)]
pub(super) struct Traced {
    pub code: ReplayCode,
    pub code_bytes: u32,
    pub block: BlockResources,
    pub local_stride_bytes: u32,
    /// Warp instructions of one warp per program.
    pub instructions: Vec<u64>,
}

impl Traced {
    /// `detours`: what data adds to an iteration of each program.
    pub fn new(
        programs: &[Rpn],
        launch: &GivenLaunch,
        detours: &[f64],
    ) -> Result<Traced, PredictError> {
        let traces = KernelTraces::new(
            &launch.variant,
            programs,
            launch.threads_per_block,
            launch.elements,
        )
        .map_err(other)?;
        let iterations = launch.elements / (launch.threads_per_block * launch.variant.stack_dim);
        let instructions = traces
            .programs
            .iter()
            .zip(detours)
            .map(|(program, detour)| {
                let added = (detour * f64::from(iterations)).max(0.0) as u64;
                executed(&traces.pool, program, iterations) + added
            });
        Ok(Traced {
            instructions: instructions.collect(),
            code: ReplayCode::new(&traces.timing, &traces.pool, &traces.programs),
            code_bytes: traces.code_bytes,
            block: BlockResources {
                threads_per_block: launch.threads_per_block,
                registers_per_thread: traces.resources.registers,
                shared_bytes_per_block: traces.shared_bytes_per_block,
            },
            local_stride_bytes: local_stride_bytes(traces.resources.frame_bytes),
        })
    }

    /// Warp instructions of every block in grid order.
    pub fn work(&self, launch: &GivenLaunch) -> impl Iterator<Item = f64> + use<'_> {
        let warps = u64::from(launch.threads_per_block.div_ceil(32));
        let blocks = self.instructions.iter().cycle();
        blocks
            .take(launch.population as usize)
            .map(move |&instructions| (instructions * warps) as f64)
    }
}

/// What a warp executes of a program's trace.
fn executed(pool: &SegmentPool, program: &ProgramTrace, iterations: u32) -> u64 {
    let length =
        |ids: &[SegmentId]| -> u64 { ids.iter().map(|id| u64::from(pool.length(*id))).sum() };
    let cases = match iterations {
        0 | 1 => length(&program.only),
        n => {
            length(&program.first)
                + u64::from(n - 2) * length(&program.steady)
                + length(&program.last)
        }
    };
    length(&program.prologue) + cases
}
