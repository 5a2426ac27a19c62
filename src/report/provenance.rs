//! Provenance of figures: the fields that every CSV and every JSON adds.
//!
//! Fields that do not apply to a command are omitted: a list of problems has a version only.
//! Leaves out: files of programs and of corpora, which the command line names. Units: none.

use crate::device::Device;
use crate::predictor::{Kind, Predictor, Settings, Weighting};
use crate::systems::chitty::variant::Math;

use serde::Serialize;

/// Provenance fields: the object `provenance` of a JSON, the last columns of every row of a CSV.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// Name of the preset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Whether predictions for the device were ever compared with measurements here: `here` or `never`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validated: Option<&'static str>,
    /// Architecture of the machine code, such as `sm_35`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub architecture: Option<String>,
    /// Engine, as in `--engine`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<&'static str>,
    /// Scope of the simulator, as in `--scope`, or the tolerance of its sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Selects the programs; of runs the first one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program_seed: Option<u64>,
    /// Selects what of a launch is simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling_seed: Option<u64>,
    /// Compilation of division and of the functions, where a kernel has a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub math: Option<String>,
    /// Weighting that turned the corpus into a population: `paper`, `none`, or `listed`, a program for every block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weighting: Option<&'static str>,
    /// Version of warpstack.
    pub version: &'static str,
}

impl Provenance {
    /// Returns the provenance of results that depend on the program alone.
    pub fn of_program() -> Provenance {
        Provenance {
            device: None,
            validated: None,
            architecture: None,
            engine: None,
            scope: None,
            program_seed: None,
            sampling_seed: None,
            math: None,
            weighting: None,
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// Returns the provenance of results that depend on a device alone.
    pub fn of_device(name: &str) -> Provenance {
        Provenance {
            device: Some(name.to_owned()),
            ..Provenance::of_program()
        }
    }

    /// Returns the provenance of an engine's predictions.
    pub fn of(engine: &Predictor) -> Provenance {
        Provenance::of_settings(engine.device(), engine.settings())
    }

    /// Returns the provenance of predictions with these settings, where there is no engine yet.
    pub fn of_settings(device: &Device, settings: &Settings) -> Provenance {
        let code = &settings.code;
        let simulated = settings.kind == Kind::Simulator;
        let simulator = &settings.simulator;
        let scope = match simulator.tolerance {
            Some(tolerance) => format!("tolerance {tolerance}"),
            None => simulator.scope.to_string(),
        };
        let arch = code.own.as_ref().map(|own| own.arch).or(code.arch);
        let architecture = arch.map(|arch| arch.to_string());
        // How a custom kernel was compiled is unknown.
        let math = match &code.own {
            Some(_) => None,
            None => Some(code.math.unwrap_or(Math::Accurate).to_string()),
        };
        Provenance {
            validated: Some(device.validated.name()),
            architecture: Some(architecture.unwrap_or_else(|| device.code.clone())),
            engine: Some(settings.kind.name()),
            scope: simulated.then_some(scope),
            program_seed: Some(settings.program_seed),
            sampling_seed: simulated.then_some(simulator.plan.window.seed.into()),
            math,
            weighting: Some(match (&settings.list, settings.weighting) {
                (Some(_), _) => "listed",
                (None, Weighting::Paper) if !settings.inferred.is_empty() => "paper+inferred",
                (None, Weighting::AsEvolved) if !settings.inferred.is_empty() => "inferred",
                (None, Weighting::Paper) => "paper",
                (None, Weighting::AsEvolved) => "none",
            }),
            ..Provenance::of_device(&device.name)
        }
    }
}
