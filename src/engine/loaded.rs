//! Kernels that were traced already, kept for further predictions.
//!
//! Models: traces depend on the kernel, the programs and the threads per block, not on the device or its L1: one set
//! of them serves every L1 size. Leaves out: time. Units: none. Sources: none of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::inputs::Workload;
use super::other;
use crate::gpu::variant::Variant;
use crate::launch::Launch;
use crate::launch::code::ReplayCode;
use crate::model::Analysis;
use crate::predict::{Configuration, PredictError};
use crate::trace::mix::{MixEntry, instruction_mix};
use crate::workload::{KernelTraces, Population, shared_bytes};

/// One kernel's traces for one block size, and what was worked out from them.
#[derive(Debug)]
pub(super) struct Loaded {
    pub traces: KernelTraces,
    pub code: ReplayCode,
    /// Shared memory per block of every launch of the population. A launch holds one generation; the programs traced
    /// are of a whole run.
    shared_bytes: Vec<u32>,
    analysis: OnceLock<Analysis>,
    mix: OnceLock<Vec<MixEntry>>,
}

impl Loaded {
    /// The analytical model's view, made at the first call.
    pub fn analysis(&self, launch: &Launch) -> &Analysis {
        self.analysis.get_or_init(|| Analysis::new(launch))
    }

    /// Shared memory per block of the middle launch, in bytes.
    pub fn median_shared_bytes(&self) -> u32 {
        let mut bytes = self.shared_bytes.clone();
        bytes.sort_unstable();
        bytes.get(bytes.len() / 2).copied().unwrap_or(0)
    }

    /// Shared memory per block of every launch, in bytes.
    pub fn shared_bytes(&self) -> &[u32] {
        &self.shared_bytes
    }

    pub fn mix(&self, population: &Population) -> Vec<MixEntry> {
        let traces = &self.traces;
        let mix = || {
            instruction_mix(
                &traces.timing,
                &traces.pool,
                &traces.programs,
                &population.sample,
            )
        };
        self.mix.get_or_init(mix).clone()
    }
}

/// What traces depend on: kernel and threads per block.
type Key = (Variant, u32);

/// See the module text.
#[derive(Debug, Default)]
pub(super) struct Kernels {
    loaded: Mutex<HashMap<Key, Arc<OnceLock<Arc<Loaded>>>>>,
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
        let slot = {
            let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(loaded.entry(key).or_default())
        };
        if let Some(found) = slot.get() {
            return Ok(Arc::clone(found));
        }
        let traces = KernelTraces::new(
            variant,
            &workload.population.programs,
            configuration.threads_per_block,
            workload.elements,
        )
        .map_err(other)?;
        let shared_bytes = shared_bytes(variant, &workload.population.longest).map_err(other)?;
        let code = ReplayCode::new(&traces.timing, &traces.pool, &traces.programs);
        let made = Arc::new(Loaded {
            traces,
            shared_bytes,
            code,
            analysis: OnceLock::new(),
            mix: OnceLock::new(),
        });
        Ok(Arc::clone(slot.get_or_init(|| made)))
    }
}
