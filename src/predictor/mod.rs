//! The one path from launch options to a prediction, for every kernel.
//!
//! `LaunchOptions` become a complete `Configuration` (`systems::registry`), the configuration a `Launch` on a device (its system), the
//! launch a `Timing` (a model), and launch and timing a [`Prediction`]. The predictor owns the caches between predictions and answers
//! questions about a launch other than its time. It never reads a measured speed.

#[doc(hidden)]
pub mod annotate;
pub(crate) mod api;
#[doc(hidden)]
mod blocks;
mod interventions;
#[doc(hidden)]
#[doc(hidden)]
pub mod watch;

pub use crate::systems::chitty::find::{architecture, compiled, executed_architecture};
pub use crate::systems::chitty::inputs::{InputError, inferred, problems};
pub use crate::systems::settings::{CodeChoice, Kind, ProgramList, Settings, Weighting};
pub use blocks::SampleBlocks;
pub use interventions::{Explained, Gain, NOTABLE};

use crate::device::Device;
use crate::gp::problem::ProblemId;
use crate::gp::program_file;
use crate::gp::programs::Population;
use crate::gp::workload::WorkloadError;
use crate::isa::Arch;
use crate::launch::Launch;
use crate::launch::prediction::{Configuration, PredictError, Prediction};
use crate::launch::work::Work;
use crate::model::analytical::Analytical;
use crate::systems::caches::{Caches, Context};
use crate::systems::chitty;
use crate::systems::chitty::conformance::{self, Conformance};
use crate::systems::chitty::inputs::ProblemInputs;
use crate::systems::chitty::request::Request;
use crate::systems::machine::Machine;
use crate::systems::options::LaunchOptions;
use crate::systems::registry;
use std::sync::Arc;

/// Predicts launches on a device. Programs and what was traced of them are kept, so that the second prediction of a kernel
/// is quicker than the first; threads may share a predictor.
///
/// Every problem's programs are the corpus that comes with the crate (programs of GP runs, weighted to the stack depths that
/// Chitty's paper reports), unless [`Predictor::with_programs`] gives others.
#[derive(Debug)]
pub struct Predictor {
    device: Device,
    settings: Settings,
    analytical: Arc<Analytical>,
    caches: Caches,
}

impl Predictor {
    /// The simulator, cycle by cycle, for a device.
    pub fn new(device: Device) -> Predictor {
        Predictor::with_settings(device, Settings::default())
    }

    /// Returns a predictor for a device with these settings.
    #[doc(hidden)]
    pub fn with_settings(device: Device, settings: Settings) -> Predictor {
        Predictor {
            device,
            settings,
            analytical: Arc::default(),
            caches: Caches::default(),
        }
    }

    /// Returns a predictor for another device that shares the programs and their traces.
    pub fn on(&self, device: Device) -> Predictor {
        Predictor {
            device,
            settings: self.settings.clone(),
            analytical: Arc::clone(&self.analytical),
            caches: self.caches.clone(),
        }
    }

    /// Returns a predictor with this engine that shares the programs and their traces.
    pub fn with_engine(&self, kind: Kind) -> Predictor {
        let mut predictor = self.on(self.device.clone());
        predictor.settings.kind = kind;
        predictor
    }

    /// Returns a predictor that runs the machine code of this architecture; it shares the programs and their traces.
    #[doc(hidden)]
    pub fn with_arch(&self, arch: Arch) -> Predictor {
        let mut predictor = self.on(self.device.clone());
        predictor.settings.code.arch = Some(arch);
        predictor
    }

    /// Runs exactly these programs of a problem, one block each, instead of the corpus. A program is a line in postfix form,
    /// `X1 X1 * 0.5 +`, or as GP libraries print it, `add(mul(X1, X1), 0.5)`.
    pub fn with_programs<T: AsRef<str>>(
        self,
        problem: ProblemId,
        programs: impl IntoIterator<Item = T>,
    ) -> Result<Predictor, InputError> {
        let texts: Vec<T> = programs.into_iter().collect();
        let lines = texts.iter().map(T::as_ref).zip(1..);
        let programs =
            program_file::parse_lines(lines, "the list", None).map_err(WorkloadError::from)?;
        let inputs = ProblemInputs::of_list(problem, &programs)?;
        Ok(Predictor {
            caches: self.caches.with(inputs),
            ..self
        })
    }

    /// The device that predictions are for.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Predicts a launch on the device. A problem's programs are loaded on first use.
    pub fn predict(&self, launch: impl Into<LaunchOptions>) -> Result<Prediction, PredictError> {
        let configuration = self.configure(&launch.into())?;
        self.timed(&self.launch(&configuration)?)
    }
}

#[doc(hidden)]
impl Predictor {
    /// The settings of the predictor.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Completes launch options for the device, or refuses them.
    pub fn configure(&self, options: &LaunchOptions) -> Result<Configuration, PredictError> {
        registry::configure(options, &self.device, &self.settings)
    }

    /// Sets up the launch of a complete configuration.
    pub fn launch(&self, configuration: &Configuration) -> Result<Launch, PredictError> {
        let (system, _) = registry::find(&configuration.kernel, &self.settings.code)?;
        system.launch(configuration, self.context())
    }

    fn context(&self) -> Context<'_> {
        Context {
            device: &self.device,
            settings: &self.settings,
            caches: &self.caches,
        }
    }

    /// Returns a predictor whose programs are drawn with another seed.
    pub fn with_seed(&self, seed: u64) -> Predictor {
        let mut predictor = self.on(self.device.clone());
        predictor.settings.program_seed = seed;
        predictor
    }

    /// Times a launch. Kernels that are executed lane by lane are simulated by either engine ([`registry::engine`]).
    fn timed(&self, launch: &Launch) -> Result<Prediction, PredictError> {
        let timing = match (&launch.work, self.settings.kind) {
            (Work::Divergent(work), _) => work.timing(&launch.placement)?,
            (Work::Uniform(_), Kind::Simulator) => {
                self.settings.simulator.time_uniform(launch.uniform()?)?
            }
            (Work::Uniform(_), Kind::Analytical) => self.analytical.time_uniform(launch.uniform()?),
        };
        Ok(Prediction::new(launch, timing))
    }

    /// The device and machine code for which a paper's figures are predicted.
    pub fn machine(&self) -> Result<Machine<'_>, PredictError> {
        let arch = executed_architecture(&self.device, &self.settings.code)?;
        Ok(Machine::new(&self.device, arch))
    }

    /// The programs, code and cases that a complete configuration of a kernel of Chitty's names.
    pub fn request(&self, configuration: &Configuration) -> Result<Request, PredictError> {
        registry::check_uniform(configuration)?;
        chitty::launch::request(configuration, self.context())
    }

    /// Sets up the launch of these programs, code and cases.
    pub fn resolve(&self, request: &Request) -> Result<Launch, PredictError> {
        chitty::launch::launch(request, &self.device, &self.caches)
    }

    /// Predicts a launch of these programs, code and cases.
    pub fn predict_request(&self, request: &Request) -> Result<Prediction, PredictError> {
        self.timed(&self.resolve(request)?)
    }

    /// The programs that predictions of a problem are made for.
    pub fn population(&self, problem: &str) -> Result<Arc<Population>, InputError> {
        let inputs = self.caches.inputs(problem, &self.settings)?;
        Ok(Arc::clone(&inputs.population))
    }

    /// Returns the weighting of every corpus used so far, one sentence each: part of the meaning of a result.
    pub fn weighting(&self) -> Vec<String> {
        let sentence =
            |w: &Arc<ProblemInputs>| format!("{}: {}", w.problem, w.population.weighting);
        self.caches.loaded().iter().map(sentence).collect()
    }

    /// Whether the own kernel that a configuration names computes what the reference interpreter does; `None` for those in the program.
    pub fn conformance(
        &self,
        configuration: &Configuration,
    ) -> Result<Option<Conformance>, PredictError> {
        let choice = &self.settings.code;
        if choice.own_named(&configuration.kernel).is_none() {
            return Ok(None);
        }
        let request = self.request(configuration)?;
        let compared = conformance::compare(&request.kernel, &request.programs.programs);
        compared.map(Some).map_err(PredictError::other)
    }
}

#[cfg(test)]
mod new_problem_tests;
