//! A device and an engine kind, with the engines of the problems asked for so far.
//!
//! Leaves out: everything that `engine` does: finding programs and machine code, tracing, caching, predicting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Error, Launch};
use crate::device::Device;
use crate::gp::problem::ProblemId;
use crate::gp::program::Rpn;
use crate::gp::workload::{WorkloadError, parse_program};
use crate::launch::prediction::Prediction;
use crate::predictor::{Engine, Kind, Settings};

type Engines = HashMap<ProblemId, Arc<Engine>>;

/// Predicts launches on a device. Programs and what was traced of them are kept, so that the second prediction of a kernel
/// is quicker than the first; threads may share a predictor.
///
/// Every problem's programs are the corpus that comes with the crate (programs of GP runs, weighted to the stack depths that
/// Chitty's paper reports), unless [`Predictor::with_programs`] gives others.
#[derive(Debug)]
pub struct Predictor {
    device: Device,
    settings: Settings,
    engines: Mutex<Engines>,
}

impl Predictor {
    /// The simulator, cycle by cycle, for a device.
    pub fn new(device: Device) -> Predictor {
        Predictor {
            device,
            settings: Settings::default(),
            engines: Mutex::default(),
        }
    }

    /// The same programs and what was traced of them, with the other engine.
    pub fn with_engine(&self, kind: Kind) -> Predictor {
        let settings = Settings {
            kind,
            ..self.settings.clone()
        };
        self.map(self.device.clone(), settings, |engine| {
            engine.with_kind(kind)
        })
    }

    /// The same programs and what was traced of them, on another device.
    pub fn on(&self, device: Device) -> Predictor {
        self.map(device.clone(), self.settings.clone(), |engine| {
            engine.on(device.clone())
        })
    }

    fn map(
        &self,
        device: Device,
        settings: Settings,
        change: impl Fn(&Engine) -> Engine,
    ) -> Predictor {
        let engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = engines
            .iter()
            .map(|(problem, engine)| (*problem, Arc::new(change(engine))));
        Predictor {
            device,
            settings,
            engines: Mutex::new(changed.collect()),
        }
    }

    /// Runs exactly these programs of a problem, one block each, instead of the corpus. A program is a line in postfix form:
    /// `X1 X1 * 0.5 +`.
    pub fn with_programs<T: AsRef<str>>(
        self,
        problem: ProblemId,
        programs: impl IntoIterator<Item = T>,
    ) -> Result<Predictor, Error> {
        let lines = programs.into_iter().enumerate();
        let programs = lines
            .map(|(index, text)| parse_program(text.as_ref(), "the list", index + 1))
            .collect::<Result<Vec<Rpn>, WorkloadError>>()
            .map_err(crate::predictor::InputError::from)?;
        let engine = Engine::of_programs(
            self.device.clone(),
            problem,
            &programs,
            self.settings.clone(),
        )?;
        self.engines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(problem, Arc::new(engine));
        Ok(self)
    }

    /// The device that predictions are for.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// What a launch will do on the device. The programs of a problem are loaded when it is asked for first.
    pub fn predict(&self, launch: &Launch) -> Result<Prediction, Error> {
        Ok(self.engine(launch.problem())?.predict(launch)?)
    }

    fn engine(&self, problem: ProblemId) -> Result<Arc<Engine>, Error> {
        let mut engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = engines.get(&problem) {
            return Ok(Arc::clone(found));
        }
        let made = Engine::new(
            self.device.clone(),
            &[problem.name()],
            self.settings.clone(),
        )?;
        let made = Arc::new(made);
        engines.insert(problem, Arc::clone(&made));
        Ok(made)
    }
}
