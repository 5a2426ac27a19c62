//! Hit rates of every L1 for one launch, from one pass over its trace.
//!
//! What it leaves out: what an L1 of another size would do to the occupancy. Units: bytes; hit rates 0 to 1.
//! Sources: `model::reuse`.

use super::{Engine, other};
use crate::device::occupancy::BlockResources;
use crate::launch::spec::{CacheSpec, SmxSpec};
use crate::model::reuse::{Access, HitRates, OnePass, Residents};
use crate::predict::{Configuration, PredictError};

/// Accesses that only fill the caches, in parts of all.
const WARM_UP_PART: usize = 4;

/// The accesses of a launch's resident warps, ready to be counted.
#[derive(Debug, Clone)]
pub struct Sweep {
    accesses: Vec<Access>,
    spec: SmxSpec,
    pub resident_blocks: u32,
}

impl Engine {
    /// Interleaves at least `n` accesses of the warps that are resident together in a configuration.
    pub fn sweep(&self, configuration: &Configuration, n: usize) -> Result<Sweep, PredictError> {
        let workload = self.workload(&configuration.problem)?;
        let variant = self.variant(configuration, workload)?;
        let summarised = self.kernels.summarise(&variant, workload)?;
        let block = BlockResources {
            threads_per_block: configuration.threads_per_block,
            registers_per_thread: variant.resources().map_err(other)?.registers,
            shared_bytes_per_block: summarised.traces.shared_bytes_per_block,
        };
        let site = self.site(configuration, workload, block, &summarised.traces)?;
        let residents = Residents {
            code: &summarised.code,
            sample: &workload.population.sample,
            blocks: site.geometry.resident_blocks,
            warps_per_block: site.geometry.warps_per_block(),
            iterations: site.geometry.iterations(0).min(self.settings.iteration_cap),
            stride_bytes: site.geometry.local_stride_bytes,
        };
        Ok(Sweep {
            accesses: residents.accesses(n),
            spec: site.spec,
            resident_blocks: site.geometry.resident_blocks,
        })
    }
}

impl Sweep {
    /// One pass for one size of line.
    pub fn pass(&self, line_bytes: u32) -> OnePass {
        let warm_up = self.accesses.len() / WARM_UP_PART;
        OnePass::new(&self.accesses, line_bytes, self.spec.l1.index, warm_up)
    }

    /// Hit rates in a cache with the launch's policies.
    pub fn hit_rates(
        &self,
        pass: &OnePass,
        line_bytes: u32,
        sets: u32,
        ways: u32,
    ) -> Option<HitRates> {
        pass.hit_rates(&CacheSpec {
            sets,
            ways,
            line_bytes,
            ..self.spec.l1.clone()
        })
    }
}
