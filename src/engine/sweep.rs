//! Hit rates of every L1 for one launch, from one pass over its stack accesses.
//!
//! What it does: makes the visits that the simulator's window makes, as many of them times a factor.
//! What it leaves out: what an L1 of another size would do to the occupancy and to the order of warps. The order is that of the
//! device's smallest L1: where much misses the order depends on it, where little misses it matters little.
//! Units: bytes; hit rates 0 to 1. Sources: `model::interleave`, `model::reuse`; `sim::window` for the visits.

use super::Engine;
use crate::launch::code::ReplayCode;
use crate::launch::spec::{CacheSpec, SmxSpec};
use crate::model::interleave::{Extent, Residents, Stream, Visit};
use crate::model::reuse::{HitRates, hit_rates};
use crate::predict::{Configuration, PredictError};
use crate::sim::dispatch::{BlockQueue, Geometry};
use crate::sim::window::WindowPlan;

/// The accesses of a launch.
#[derive(Debug)]
pub struct Sweep {
    stream: Stream,
    l1: CacheSpec,
}

impl Engine {
    /// A sweep over the accesses of the warps that are resident together in a configuration: `times` as much work
    /// as the simulator's window measures.
    pub fn sweep(&self, configuration: &Configuration, times: u32) -> Result<Sweep, PredictError> {
        let mut launch = self.resolve(&self.request(configuration)?)?;
        let sizes = self.device().l1.splits.iter().map(|split| split.l1_bytes);
        let smallest = sizes.filter(|&bytes| bytes > 0).min();
        let bytes = smallest.unwrap_or(launch.l1_bytes);
        launch.spec = SmxSpec::new(self.device(), bytes).map_err(PredictError::other)?;
        let summary = launch.kernel.summary();
        let steady = self.analytical.steady(&launch);
        let residents = Residents {
            code: &summary.code,
            spec: &launch.spec,
            memory: steady.memory,
            busy: steady.busy(),
            blocks: launch.geometry.resident_blocks,
            warps_per_block: launch.geometry.warps_per_block(),
            stride_bytes: launch.geometry.local_stride_bytes,
        };
        let plan = &self.settings().simulator.plan;
        let sample = &summary.sample;
        let mut order = sample[..plan.programs.min(sample.len())].to_vec();
        // In order of stack depth and size, as windows visit them.
        order.sort_unstable();
        let window = plan.window.times(times);
        let (mut queue, extent) = visits(&window, &summary.code, &order, &launch.geometry);
        let mut next = || {
            let visit = queue.pop().expect("visits do not end");
            Visit {
                program: visit.program,
                iterations: visit.cut.unwrap_or_else(|| launch.geometry.iterations(0)),
                new_block: visit.run_prologue,
            }
        };
        Ok(Sweep {
            stream: residents.stream(extent, &mut next),
            l1: launch.spec.l1.clone(),
        })
    }
}

/// The visits of a window, and how much of them to follow.
fn visits(
    plan: &WindowPlan,
    code: &ReplayCode,
    order: &[u32],
    geometry: &Geometry,
) -> (BlockQueue, Extent) {
    let counted = plan.tokens(code, order, geometry);
    let queue = BlockQueue::visits(code, order, geometry, counted / f64::from(plan.visits));
    let extent = Extent {
        warm_up: counted * f64::from(plan.warm_up_percent) / 100.0,
        counted,
    };
    (queue, extent)
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

    /// Accesses followed, those that only fill the caches included.
    pub fn n_accesses(&self) -> usize {
        self.stream.accesses.len()
    }

    /// Hit rates of all `caches`.
    pub fn hit_rates(&self, caches: &[CacheSpec]) -> Vec<HitRates> {
        hit_rates(&self.stream, caches)
    }
}
