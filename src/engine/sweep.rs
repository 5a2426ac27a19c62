//! Hit rates of every L1 for one launch, from one pass over its stack accesses.
//!
//! What it leaves out: what an L1 of another size would do to the occupancy and to the order of warps. The order is that of the
//! device's smallest L1: where much misses the order depends on it, where little misses it matters little.
//! Units: bytes; hit rates 0 to 1. Sources: `model::interleave`, `model::reuse`.

use super::{Engine, other};
use crate::launch::spec::{CacheSpec, SmxSpec};
use crate::model::interleave::{Residents, Span, Stream};
use crate::model::reuse::{HitRates, hit_rates};
use crate::predict::{Configuration, PredictError};

/// Iterations of the case loop that a block runs: enough that its first touches of its stack do not count for much.
const ITERATION_CAP: u32 = 16;
/// Iterations of warps that are counted at least: those of a full multiprocessor's 64 warps, 16 times.
const WARP_ITERATIONS: u32 = 1024;
/// What only fills the caches before, as a part of that.
const WARM_UP_PART: f64 = 0.4;

/// The accesses of a launch.
#[derive(Debug)]
pub struct Sweep {
    stream: Stream,
    l1: CacheSpec,
}

impl Engine {
    /// A sweep over the accesses of the warps that are resident together in a configuration: `times` about as much work
    /// as the simulator follows.
    pub fn sweep(&self, configuration: &Configuration, times: u32) -> Result<Sweep, PredictError> {
        let (workload, variant) = self.runnable(configuration)?;
        let summarised = self.kernels.summarise(&variant, workload)?;
        let mut site = self.site(
            configuration,
            workload,
            &summarised.traces.resources,
            &summarised.facts,
        )?;
        let sizes = self.device.l1.splits.iter().map(|split| split.l1_bytes);
        let smallest = sizes.filter(|&bytes| bytes > 0).min();
        site.spec = SmxSpec::new(&self.device, smallest.unwrap_or(site.l1_bytes)).map_err(other)?;
        let steady = site.steady(&summarised);
        let geometry = site.geometry;
        let sample = &workload.population.sample;
        let residents = Residents {
            code: &summarised.code,
            spec: &site.spec,
            memory: steady.memory,
            busy: steady.busy(),
            sample,
            blocks: geometry.resident_blocks,
            warps_per_block: geometry.warps_per_block(),
            iterations: geometry.iterations(0).min(ITERATION_CAP),
            stride_bytes: geometry.local_stride_bytes,
        };
        let nodes = sample
            .iter()
            .map(|&program| f64::from(summarised.code.programs[program as usize].nodes));
        let mean_nodes = nodes.sum::<f64>() / sample.len().max(1) as f64;
        let counted = mean_nodes * f64::from(WARP_ITERATIONS) * f64::from(times);
        let span = Span {
            warm_up: WARM_UP_PART * counted,
            counted,
        };
        Ok(Sweep {
            stream: residents.stream(span),
            l1: site.spec.l1.clone(),
        })
    }
}

impl Sweep {
    /// A cache with the policies of the device's L1.
    pub fn cache(&self, line_bytes: u32, sets: u32, ways: u32) -> CacheSpec {
        CacheSpec {
            sets,
            ways,
            line_bytes,
            ..self.l1.clone()
        }
    }

    /// Hit rates of all `caches`.
    pub fn hit_rates(&self, caches: &[CacheSpec]) -> Vec<HitRates> {
        hit_rates(&self.stream, caches)
    }
}
