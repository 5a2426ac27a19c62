//! Kernels that were traced already, kept for further predictions.
//!
//! Models: traces depend on the kernel and the programs, not on the block size, the device or its L1: one set of them
//! serves them all. Windows run the programs at the head of the sample, and only those are traced for them; summaries
//! are of all programs. Leaves out: time. Units: none.
//! Sources: none of its own.

use std::sync::Arc;

use super::inputs::Workload;
use super::{assumed_branches_per_node, other};
use crate::gpu::variant::{Resources, Variant};
use crate::launch::code::ReplayCode;
use crate::model::memo::Memo;
use crate::model::{Analysis, Inputs};
use crate::predict::PredictError;
use crate::trace::mix::{MixEntry, instruction_mix};
use crate::workload::traces::MAX_THREADS_PER_BLOCK;
use crate::workload::{KernelSummary, KernelTraces, shared_bytes};

/// The programs that windows run, laid out for replay by blocks of any size.
#[derive(Debug)]
pub(super) struct Loaded {
    pub resources: Resources,
    pub code: ReplayCode,
    pub code_bytes: u32,
    /// Programs of the blocks that windows stand for, indices into the code's, neighbours alike.
    pub order: Vec<u32>,
    pub facts: Facts,
}

/// One kernel's summary for all block sizes, analysed.
#[derive(Debug)]
pub(super) struct Summarised {
    pub traces: KernelTraces,
    pub code: ReplayCode,
    pub analysis: Analysis,
    pub facts: Facts,
}

/// What every prediction says of its kernel and programs.
#[derive(Debug)]
pub(super) struct Facts {
    pub mix: Vec<MixEntry>,
    pub assumed_branches_per_node: f64,
    pub mean_stack_levels: f64,
    /// Shared memory per block of every launch of the population. A launch holds one generation; the programs traced
    /// are of a whole run.
    pub shared_bytes: Vec<u32>,
}

impl Facts {
    /// `order` holds the program of every block, an index into the programs traced.
    fn of(
        traces: &KernelTraces,
        order: &[u32],
        variant: &Variant,
        workload: &Workload,
    ) -> Result<Facts, PredictError> {
        let population = &workload.population;
        let shared_bytes =
            shared_bytes(variant, &population.programs, &population.longest).map_err(other)?;
        Ok(Facts {
            shared_bytes,
            mix: instruction_mix(&traces.timing, &traces.pool, &traces.programs, order),
            assumed_branches_per_node: assumed_branches_per_node(&traces.programs),
            mean_stack_levels: workload.mean_stack_levels(variant.kernel),
        })
    }

    /// Shared memory per block of the middle launch, in bytes.
    pub fn median_shared_bytes(&self) -> u32 {
        let mut bytes = self.shared_bytes.clone();
        bytes.sort_unstable();
        bytes.get(bytes.len() / 2).copied().unwrap_or(0)
    }
}

/// See the module text.
#[derive(Debug, Default)]
pub(super) struct Kernels {
    loaded: Memo<Variant, Loaded>,
    summarised: Memo<Variant, Summarised>,
}

impl Kernels {
    /// The traces of a kernel, from memory when it was asked for before.
    pub fn load(
        &self,
        variant: &Variant,
        workload: &Workload,
        window_programs: usize,
    ) -> Result<Arc<Loaded>, PredictError> {
        self.loaded.try_get(*variant, || {
            let (programs, order) = workload.population.head(window_programs);
            let traces =
                KernelTraces::of_any_block(variant, &programs, workload.elements).map_err(other)?;
            Ok(Loaded {
                code: ReplayCode::new(&traces.timing, &traces.pool, &traces.programs)
                    .of_any_block(MAX_THREADS_PER_BLOCK, workload.elements),
                facts: Facts::of(&traces, &order, variant, workload)?,
                resources: traces.resources,
                code_bytes: traces.code_bytes,
                order,
            })
        })
    }

    /// The summary of a kernel, from memory when it was asked for before.
    pub fn summarise(
        &self,
        variant: &Variant,
        workload: &Workload,
    ) -> Result<Arc<Summarised>, PredictError> {
        self.summarised.try_get(*variant, || {
            let population = &workload.population;
            let summary = KernelSummary::new(
                variant,
                &population.programs,
                &population.sample,
                workload.elements,
            )
            .map_err(other)?;
            let traces = summary.traces;
            let code = ReplayCode::new(&traces.timing, &traces.pool, &traces.programs);
            let analysis = Analysis::new(&Inputs {
                code: &code,
                prologues: &summary.prologues,
                sample: &population.sample,
                grids: &population.grids,
                rows_per_program: &summary.rows_per_program,
                rows: summary.rows,
                stack_dim: variant.stack_dim,
            });
            Ok(Summarised {
                facts: Facts::of(&traces, &population.sample, variant, workload)?,
                analysis,
                code,
                traces,
            })
        })
    }
}
