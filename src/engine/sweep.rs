//! Hit rates of every L1 for one launch, from one run of the simulator.
//!
//! Models: simulates the launch with the device's smallest L1, records what that is asked for, and replays it through
//! every other L1. Leaves out: what an L1 of another size would do to the occupancy and to the order of warps.
//! Units: bytes; hit rates 0 to 1. Sources: `sim::l1_stream`; `sim::window` for what is simulated.

use super::Engine;
use crate::launch::spec::{CacheSpec, SmxSpec};
use crate::predict::{Configuration, PredictError};
use crate::sim::l1_stream::{HitRates, L1Recorder, L1Stream};
use crate::sim::simulator::drawn;
use crate::sim::window::simulate_observed;
use rayon::prelude::*;

/// The accesses of a launch.
#[derive(Debug)]
pub struct Sweep {
    stream: L1Stream,
    l1: CacheSpec,
}

impl Engine {
    /// A sweep over the accesses of the warps that are resident together in a configuration, in a window `times` as long
    /// as that of a prediction.
    pub fn sweep(&self, configuration: &Configuration, times: u32) -> Result<Sweep, PredictError> {
        let launch = self.resolve(&self.request(configuration)?)?;
        let sizes = self.device.l1.splits.iter().map(|split| split.l1_bytes);
        let smallest = sizes.filter(|&bytes| bytes > 0).min();
        let l1_bytes = smallest.unwrap_or(launch.l1_bytes);
        let spec = SmxSpec::new(&self.device, l1_bytes).map_err(PredictError::other)?;
        let plan = &self.settings.simulator.plan;
        let window = plan.window.times(times);
        let sample = launch
            .kernel
            .sample(plan.programs, launch.geometry.threads_per_block)?;
        let (window, recorder) = simulate_observed(
            &spec,
            &sample.code,
            sample.code_bytes,
            launch.geometry,
            drawn(&launch, &sample),
            window,
            L1Recorder::default(),
        )
        .map_err(PredictError::other)?;
        Ok(Sweep {
            stream: recorder.stream(&window.counters, plan.window.seed),
            l1: spec.l1,
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

    /// Accesses recorded, those that only fill the caches included.
    pub fn n_accesses(&self) -> usize {
        self.stream.n_accesses()
    }

    /// Hit rates of all `caches`.
    pub fn hit_rates(&self, caches: &[CacheSpec]) -> Vec<HitRates> {
        let caches = caches.par_iter();
        caches.map(|cache| self.stream.hit_rates(cache)).collect()
    }
}
