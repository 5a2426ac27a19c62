//! Hit rates of every L1 for one launch, from one run of the simulator.
//!
//! What it does: simulates the launch with the device's smallest L1, records what that is asked for, and replays it through
//! every other L1. What it leaves out: what an L1 of another size would do to the occupancy and to the order of warps.
//! Units: bytes; hit rates 0 to 1. Sources: `sim::l1_stream`; `sim::window` for what is simulated.

use super::{Engine, other};
use crate::launch::spec::{CacheSpec, SmxSpec};
use crate::predict::{Configuration, PredictError};
use crate::sim::l1_stream::{HitRates, L1Recorder, L1Stream};
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
        let resolved = self.resolve(configuration)?;
        let (site, loaded) = (resolved.site, resolved.loaded);
        let sizes = self.device.l1.splits.iter().map(|split| split.l1_bytes);
        let smallest = sizes.filter(|&bytes| bytes > 0).min();
        let spec = SmxSpec::new(&self.device, smallest.unwrap_or(site.l1_bytes)).map_err(other)?;
        let plan = self.settings.effort().plan.times(times);
        let (window, recorder) = simulate_observed(
            &spec,
            &loaded.code,
            loaded.code_bytes,
            site.geometry,
            &loaded.order,
            plan,
            L1Recorder::default(),
        )
        .map_err(other)?;
        Ok(Sweep {
            stream: recorder.stream(&window.counters, plan.seed),
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
