//! Hit rates of every L1 for one launch.
//!
//! Models: the simulator runs the launch with the device's smallest L1, records what that is asked for, and replays it through
//! every other L1; the analytical model is solved once for each. Leaves out: what an L1 of another size would do to the
//! occupancy; in the simulator's replay, to the order of warps.
//! Units: bytes; hit rates 0 to 1. Sources: `sim::l1_stream`; `sim::window` for what is simulated.

use super::{Kind, Predictor};
use crate::launch::placement::Placement;
use crate::launch::prediction::{HitRates, PredictError};
use crate::launch::spec::{CacheSpec, MAX_SECTORS, Replacement, SetIndex, SmxSpec};
use crate::launch::uniform::{Uniform, UniformWork};
use crate::model::analytical::Analytical;
use crate::sim::l1_stream::{L1Recorder, L1Stream};
use crate::sim::simulator::drawn;
use crate::sim::window::simulate_observed;
use crate::systems::options::LaunchOptions;
use crate::util::parallel;
use std::sync::Arc;

/// A launch whose hit rates can be told for any L1.
#[derive(Debug)]
pub struct Sweep {
    source: Source,
    l1: CacheSpec,
}

/// Source of hit rates.
#[derive(Debug)]
enum Source {
    Recorded(L1Stream),
    Modelled(Box<Placement>, UniformWork, Arc<Analytical>),
}

impl Predictor {
    /// A sweep over the accesses of the warps that are resident together in a configuration. Simulated: in a window `times` as
    /// long as that of a prediction.
    pub fn sweep(
        &self,
        launch: impl Into<LaunchOptions>,
        times: u32,
    ) -> Result<Sweep, PredictError> {
        let configuration = self.configure(&launch.into())?;
        let launch = self.resolve(&self.request(&configuration)?)?;
        let work = launch.uniform()?.work.clone();
        let mut placement = launch.placement;
        let sizes = self.device.l1.splits.iter().map(|split| split.l1_bytes);
        let smallest = sizes.filter(|&bytes| bytes > 0).min();
        let l1_bytes = smallest.unwrap_or(placement.l1_bytes);
        placement.spec = SmxSpec::new(&self.device, l1_bytes)
            .map_err(PredictError::other)?
            .at_work(&placement.geometry);
        let l1 = placement.spec.l1.clone();
        let source = match self.settings.kind {
            Kind::Simulator => {
                let (placement, work) = (&placement, &work);
                Source::Recorded(self.recorded(Uniform { placement, work }, times)?)
            }
            Kind::Analytical => {
                let model = Arc::clone(&self.analytical);
                Source::Modelled(Box::new(placement), work, model)
            }
        };
        Ok(Sweep { source, l1 })
    }

    fn recorded(&self, launch: Uniform, times: u32) -> Result<L1Stream, PredictError> {
        let plan = &self.settings.simulator.plan;
        let placement = launch.placement;
        let sample = (launch.work.kernel).sample(plan.programs, &placement.geometry)?;
        let mut recorder = L1Recorder::default();
        let window = simulate_observed(
            &placement.spec,
            &sample.code,
            sample.code_bytes,
            placement.geometry,
            drawn(launch, &sample),
            plan.window.times(times),
            &mut recorder,
        )
        .map_err(PredictError::other)?;
        Ok(recorder.stream(&window.counters, plan.window.seed))
    }
}

impl Sweep {
    /// Returns a cache with the policies of the device's L1. A [`SetIndex::Bits`] of the device holds only for its
    /// number of sets and more ways than it reserves; any other cache then spreads lines evenly over its sets and replaces a random
    /// line of a set. Lines have sectors if the device's lines have.
    pub fn cache(&self, line_bytes: u32, sets: u32, ways: u32) -> CacheSpec {
        let is_of_device = sets == self.l1.sets && ways > self.l1.reserved_ways;
        let cache = CacheSpec {
            sets,
            ways,
            line_bytes,
            sector_bytes: match self.l1.sector_bytes < self.l1.line_bytes {
                true => (self.l1.sector_bytes).clamp(line_bytes / MAX_SECTORS, line_bytes),
                false => line_bytes,
            },
            ..self.l1.clone()
        };
        match self.l1.index {
            SetIndex::Bits(_) if !is_of_device => CacheSpec {
                reserved_ways: 0,
                index: SetIndex::Spread,
                replacement: Replacement::Random,
                rows: None,
                ..cache
            },
            _ => cache,
        }
    }

    /// Hit rates of all `caches`.
    pub fn hit_rates(&self, caches: &[CacheSpec]) -> Vec<HitRates> {
        let rates = |cache: &CacheSpec| match &self.source {
            Source::Recorded(stream) => stream.hit_rates(cache),
            Source::Modelled(placement, work, model) => {
                let mut placement = placement.clone();
                placement.spec.l1 = cache.clone();
                let placement = &*placement;
                model.l1_hit_rates(Uniform { placement, work })
            }
        };
        parallel::map(caches, rates)
    }
}
