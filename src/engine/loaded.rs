//! Kernels that were traced already, kept for further predictions.
//!
//! Models: traces depend on the kernel, the programs and the threads per block, not on the device or its L1: one set
//! of them serves every L1 size. Summaries do not even depend on the threads. Leaves out: time. Units: none.
//! Sources: none of its own.

use std::sync::Arc;

use super::inputs::Workload;
use super::{assumed_branches_per_node, other};
use crate::gpu::variant::Variant;
use crate::launch::code::ReplayCode;
use crate::model::memo::Memo;
use crate::model::{Analysis, Inputs};
use crate::predict::{Configuration, PredictError};
use crate::trace::mix::{MixEntry, instruction_mix};
use crate::workload::{KernelSummary, KernelTraces, Population, shared_bytes};

/// One kernel's traces for one block size, laid out for replay.
#[derive(Debug)]
pub(super) struct Loaded {
    pub traces: KernelTraces,
    pub code: ReplayCode,
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
    fn of(
        traces: &KernelTraces,
        variant: &Variant,
        workload: &Workload,
    ) -> Result<Facts, PredictError> {
        let shared_bytes = shared_bytes(variant, &workload.population.longest).map_err(other)?;
        Ok(Facts {
            shared_bytes,
            mix: mix(traces, &workload.population),
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
    /// By kernel and threads per block.
    loaded: Memo<(Variant, u32), Loaded>,
    summarised: Memo<Variant, Summarised>,
}

impl Kernels {
    /// The traces of a configuration's kernel, from memory when it was asked for before.
    pub fn load(
        &self,
        variant: &Variant,
        workload: &Workload,
        configuration: &Configuration,
    ) -> Result<Arc<Loaded>, PredictError> {
        let key = (*variant, configuration.threads_per_block);
        self.loaded.try_get(key, || {
            let traces = KernelTraces::new(
                variant,
                &workload.population.programs,
                configuration.threads_per_block,
                workload.elements,
            )
            .map_err(other)?;
            Ok(Loaded {
                code: ReplayCode::new(&traces.timing, &traces.pool, &traces.programs),
                facts: Facts::of(&traces, variant, workload)?,
                traces,
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
                facts: Facts::of(&traces, variant, workload)?,
                analysis,
                code,
                traces,
            })
        })
    }
}

fn mix(traces: &KernelTraces, population: &Population) -> Vec<MixEntry> {
    instruction_mix(
        &traces.timing,
        &traces.pool,
        &traces.programs,
        &population.sample,
    )
}
