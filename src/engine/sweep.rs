//! Hit rates of every L1 for one launch, from one pass over its trace.
//!
//! What it leaves out: what an L1 of another size would do to the occupancy. Units: bytes; hit rates 0 to 1.
//! Sources: `model::reuse`.

use std::sync::Arc;

use super::loaded::Summarised;
use super::{Engine, other};
use crate::device::occupancy::BlockResources;
use crate::launch::geometry::Geometry;
use crate::launch::spec::{CacheSpec, SmxSpec};
use crate::model::memo::Memo;
use crate::model::reuse::{HitRates, OnePass, Residents};
use crate::predict::{Configuration, PredictError};

/// Accesses that only fill the caches, in parts of all.
const WARM_UP_PART: usize = 4;

/// Iterations of the case loop that a block runs at most.
const ITERATION_CAP: u32 = 16;

/// A launch whose accesses are counted.
#[derive(Debug)]
pub struct Sweep<'a> {
    summarised: Arc<Summarised>,
    sample: &'a [u32],
    geometry: Geometry,
    iterations: u32,
    spec: SmxSpec,
    n_accesses: usize,
    /// By bytes of a line.
    passes: Memo<u32, OnePass>,
}

impl Engine {
    /// A sweep over at least `n_accesses` accesses of the warps that are resident together in a configuration.
    pub fn sweep(
        &self,
        configuration: &Configuration,
        n_accesses: usize,
    ) -> Result<Sweep<'_>, PredictError> {
        let workload = self.workload(&configuration.problem)?;
        let variant = self.variant(configuration, workload)?;
        let summarised = self.kernels.summarise(&variant, workload)?;
        let block = BlockResources {
            threads_per_block: configuration.threads_per_block,
            registers_per_thread: variant.resources().map_err(other)?.registers,
            shared_bytes_per_block: summarised.facts.median_shared_bytes(),
        };
        let site = self.site(
            configuration,
            workload,
            block,
            &summarised.traces.resources,
            &summarised.facts,
        )?;
        Ok(Sweep {
            sample: &workload.population.sample,
            iterations: site.geometry.iterations(0).min(ITERATION_CAP),
            geometry: site.geometry,
            spec: site.spec,
            summarised,
            n_accesses,
            passes: Memo::default(),
        })
    }
}

impl Sweep<'_> {
    /// Hit rates of an L1 with the device's policies; `None` if the sets are no power of two.
    pub fn hit_rates(&self, line_bytes: u32, sets: u32, ways: u32) -> Option<HitRates> {
        let cache = CacheSpec {
            sets,
            ways,
            line_bytes,
            ..self.spec.l1.clone()
        };
        let pass = self.passes.get(line_bytes, || self.pass(line_bytes));
        pass.hit_rates(&cache)
    }

    fn pass(&self, line_bytes: u32) -> OnePass {
        let residents = Residents {
            code: &self.summarised.code,
            sample: self.sample,
            blocks: self.geometry.resident_blocks,
            warps_per_block: self.geometry.warps_per_block(),
            iterations: self.iterations,
            stride_bytes: self.geometry.local_stride_bytes,
        };
        let accesses = residents.accesses(self.n_accesses);
        OnePass::new(
            &accesses,
            line_bytes,
            self.spec.l1.index,
            accesses.len() / WARM_UP_PART,
        )
    }
}
