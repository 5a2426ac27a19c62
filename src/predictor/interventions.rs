//! Cost of each part of a machine for a launch: the launch predicted again with that part idealized, alone and with another one.
//!
//! Finds the parts a launch can gain from, and predicts it without each of them, by the model of the engine. The pairs that gain
//! most in the analytical model are simulated, and those of the parts that most often mask each other. Leaves out: how a part is
//! idealized (`device::ideal`), the words.
//! Units: speeds as ratios to the launch as it is.

use super::{Kind, Predictor};
use crate::device::ideal::{Ideal, Ideals};
use crate::launch::prediction::{Configuration, PredictError, Prediction};
use crate::systems::options::LaunchOptions;
use crate::systems::registry;
use crate::util::parallel;
use serde::Serialize;

/// Pairs that are kept.
const PAIRS: usize = 3;
/// Parts that most often mask others: their pairs are simulated, whatever the analytical model predicts for them.
const OFTEN_TOGETHER: [Ideal; 5] = [
    Ideal::L1Misses,
    Ideal::MemoryBandwidth,
    Ideal::FixedLatency,
    Ideal::LoadStoreUnit,
    Ideal::IssueSlots,
];

/// A prediction, and what it would gain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// Prediction of the launch as it is.
    pub prediction: Prediction,
    /// Gains without one part each, in the order of [`Ideal::ALL`].
    pub alone: Vec<Gain>,
    /// Gains without two parts, the largest first.
    pub pairs: Vec<Gain>,
    /// Gains in the analytical model, as in `alone`; empty if it predicted the launch or does not cover it.
    pub analytical: Vec<Gain>,
}

/// Speedup of a launch with some parts idealized.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// Idealized parts.
    pub free: Vec<Ideal>,
    /// Speed over that of the launch as it is.
    pub speedup: f64,
}

/// Gains and differences below this are not worth a word.
pub const NOTABLE: f64 = 0.02;

fn largest(gains: &[Gain]) -> Option<&Gain> {
    gains.iter().max_by(|a, b| a.speedup.total_cmp(&b.speedup))
}

impl Gain {
    /// Tells whether the gain is worth a word.
    pub fn is_notable(&self) -> bool {
        self.speedup >= 1.0 + NOTABLE
    }
}

impl Explained {
    /// Returns the largest gain from idealizing one part.
    pub fn first(&self) -> Option<&Gain> {
        largest(&self.alone)
    }

    /// Returns the largest gain in the analytical model, if it is that of a part which gains notably less here than [`Explained::first`].
    pub fn other_first(&self) -> Option<&Gain> {
        let other = largest(&self.analytical)?;
        let here = self.without(other.free[0]);
        (here < self.first()?.speedup * (1.0 - NOTABLE)).then_some(other)
    }

    /// Returns the speedup without one part.
    pub fn without(&self, ideal: Ideal) -> f64 {
        let found = self.alone.iter().find(|gain| gain.free == [ideal]);
        found.map_or(1.0, |gain| gain.speedup)
    }
}

impl Predictor {
    /// Predicts a configuration, and what each part of the machine costs it, alone and in pairs.
    pub fn explain(&self, launch: impl Into<LaunchOptions>) -> Result<Explained, PredictError> {
        let executing = self.executing();
        let mut explained = executing.explain_alone(launch)?;
        let configuration = explained.prediction.configuration.clone();
        if !registry::is_uniform(&configuration.kernel) {
            return Ok(explained);
        }
        let (prediction, alone) = (&explained.prediction, &explained.alone);
        explained.pairs = executing.pairs(&configuration, prediction, alone)?;
        if self.settings.kind == Kind::Simulator {
            let quick = executing.with_engine(Kind::Analytical);
            explained.analytical = quick.explain_alone(&configuration)?.alone;
        }
        Ok(explained)
    }

    /// Predicts a configuration, and what each part of the machine costs it alone.
    pub fn explain_alone(
        &self,
        launch: impl Into<LaunchOptions>,
    ) -> Result<Explained, PredictError> {
        let executing = self.executing();
        let configuration = &executing.configure(&launch.into())?;
        let prediction = executing.predict(configuration)?;
        let parts = parts_that_cost(&prediction);
        let sets: Vec<Vec<Ideal>> = parts.iter().map(|&part| vec![part]).collect();
        let alone = executing.gains(configuration, &prediction, sets)?;
        Ok(Explained {
            prediction,
            alone,
            pairs: Vec::new(),
            analytical: Vec::new(),
        })
    }

    /// A predictor that keeps what it executes.
    fn executing(&self) -> Predictor {
        Predictor {
            caches: self.caches.with_executions(),
            ..self.on(self.device.clone())
        }
    }

    /// The pairs that gain most beyond the better one of the two.
    fn pairs(
        &self,
        configuration: &Configuration,
        prediction: &Prediction,
        alone: &[Gain],
    ) -> Result<Vec<Gain>, PredictError> {
        let mut sets = Vec::new();
        for (nth, first) in alone.iter().enumerate() {
            for second in &alone[nth + 1..] {
                sets.push([&first.free[..], &second.free].concat());
            }
        }
        let quick = self.with_engine(Kind::Analytical);
        let mut told = match self.settings.kind {
            Kind::Analytical => quick.gains(configuration, prediction, sets)?,
            Kind::Simulator => quick.gains(configuration, &quick.predict(configuration)?, sets)?,
        };
        told.sort_by(|a, b| b.speedup.total_cmp(&a.speedup));
        told.truncate(PAIRS);
        if self.settings.kind == Kind::Analytical {
            return Ok(told);
        }
        let mut sets: Vec<Vec<Ideal>> = told.into_iter().map(|gain| gain.free).collect();
        for (nth, first) in OFTEN_TOGETHER.iter().enumerate() {
            let others = OFTEN_TOGETHER[nth + 1..].iter();
            sets.extend(others.map(|second| vec![*first, *second]));
        }
        sets.sort_unstable();
        sets.dedup();
        let mut pairs = self.gains(configuration, prediction, sets)?;
        pairs.sort_by(|a, b| b.speedup.total_cmp(&a.speedup));
        pairs.truncate(PAIRS);
        Ok(pairs)
    }

    fn gains(
        &self,
        configuration: &Configuration,
        as_it_is: &Prediction,
        sets: Vec<Vec<Ideal>>,
    ) -> Result<Vec<Gain>, PredictError> {
        let gain = |free: &Vec<Ideal>| {
            let device = self.device.without(Ideals::of(free));
            let found = self.on(device).predict(configuration)?;
            Ok(Gain {
                free: free.clone(),
                speedup: found.gpops_billion / as_it_is.gpops_billion,
            })
        };
        parallel::try_map(&sets, gain)
    }
}

/// Returns the parts that may cost this launch time.
fn parts_that_cost(prediction: &Prediction) -> Vec<Ideal> {
    let costs = |ideal: &Ideal| match ideal {
        Ideal::Host => prediction.host_milliseconds > 0.0,
        Ideal::Divergence => prediction.divergence_overhead_percent > 0.0,
        Ideal::Occupancy => prediction.occupancy.fraction < 1.0,
        _ => true,
    };
    Ideal::ALL.iter().copied().filter(costs).collect()
}
