//! The other papers' kernels, predicted like any other.
//!
//! Leaves out: what is executed and how it is timed (`papers`). What an engine can be told besides a kernel of the main paper's, and
//! these kernels do not have, is refused.

use super::{Engine, Kind, Settings, Weighting, executed_architecture};
use crate::launch::CarveOut;
use crate::launch::divergent::{On, Timing};
use crate::launch::prediction::{Configuration, PredictError, Prediction};
use crate::sim::simulator::Effort;
use crate::systems::kernels;
use crate::systems::kernels::PaperKernel;

impl Engine {
    pub(super) fn predict_paper(
        &self,
        kernel: PaperKernel,
        configuration: &Configuration,
    ) -> Result<Prediction, PredictError> {
        check(kernel, &self.settings)?;
        let on = On {
            device: &self.device,
            arch: executed_architecture(&self.device, &self.settings.code)?,
            carve_out: (configuration.l1_bytes).map_or(CarveOut::Default, CarveOut::L1Bytes),
            timing: timing(self.settings.kind),
        };
        let seed = self.settings.population_seed;
        kernels::predict(kernel, configuration, on, seed, &self.evolved)
    }
}

/// What executed blocks are timed by, with this model.
pub fn timing(kind: Kind) -> Timing {
    match kind {
        Kind::Simulator => Timing::Simulated,
        Kind::Analytical => Timing::ClosedForm,
    }
}

fn check(kernel: PaperKernel, settings: &Settings) -> Result<(), PredictError> {
    let code = &settings.code;
    let told = [
        ("code shape", code.shape.map(|shape| shape.to_string())),
        ("math", code.math.map(|math| math.to_string())),
        (
            "program words",
            code.dispatch.map(|words| words.to_string()),
        ),
        (
            "corpus",
            (settings.corpus.as_ref()).map(|path| path.display().to_string()),
        ),
        (
            "programs",
            (settings.list.as_ref()).map(|list| list.path.display().to_string()),
        ),
        (
            "weights",
            (settings.weighting != Weighting::Paper).then(|| "none".to_owned()),
        ),
        (
            "inferred",
            (!settings.inferred.is_empty()).then(|| "what is inferred of programs".to_owned()),
        ),
        (
            "effort",
            Some(settings.simulator.effort)
                .filter(|effort| *effort != Effort::Sampled)
                .map(|effort| effort.name().to_owned()),
        ),
    ];
    let first = told
        .into_iter()
        .find_map(|(what, given)| Some((what, given?)));
    first.map_or(Ok(()), |(what, given)| {
        Err(PredictError::Input {
            what,
            given,
            allowed: format!(
                "what the paper has (kernel {}, which makes its own programs)",
                kernel.name()
            ),
        })
    })
}
