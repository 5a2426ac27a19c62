//! The options that make a performance model, and the model they make.
//!
//! Leaves out: the configuration (`configuration.rs`). Units: none of its own.

use crate::device::{Device, Reader};
use crate::engine::{self, InputError, Kind, Settings, Weighting};
use crate::gpu::variant::{Dispatch, Math, Shape};
use std::path::PathBuf;

/// Which model, which programs, which code.
#[derive(Debug, Clone, clap::Args)]
pub struct EngineArgs {
    /// The performance model
    #[arg(long, value_enum, default_value = "sim")]
    pub engine: Engine,
    /// Corpus file [default: the problem's corpus in the program]
    #[arg(long, value_name = "FILE")]
    pub corpus: Option<PathBuf>,
    /// Weights of the corpus: stack depths as in the paper's Tables 5 and 6, or programs as evolved
    #[arg(long, value_enum, default_value = "paper")]
    pub weights: WeightsArg,
    /// Chooses the programs drawn from the corpus
    #[arg(long, default_value_t = 1)]
    pub population_seed: u64,
    /// Code shape of the kernel: unrolled, rolled, rolled-input [default: unrolled]
    #[arg(long, value_name = "SHAPE")]
    pub shape: Option<Shape>,
    /// Math of the kernel: accurate, fast
    #[arg(long, value_name = "MATH")]
    pub math: Option<Math>,
    /// Program words of the kernel: float, int
    #[arg(long, value_name = "WORDS")]
    pub dispatch: Option<Dispatch>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// The cycle-approximate simulator
    Sim,
    /// The analytical model: the same inputs in closed form
    Model,
}

impl Engine {
    /// As the ledger of the preset's values names it.
    pub fn reader(self) -> Reader {
        match self {
            Engine::Sim => Reader::Sim,
            Engine::Model => Reader::Model,
        }
    }

    pub fn kind(self) -> Kind {
        match self {
            Engine::Sim => Kind::Simulator,
            Engine::Model => Kind::Analytical,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum WeightsArg {
    Paper,
    None,
}

impl EngineArgs {
    /// The options that differ from the defaults, as they are typed, each with a space before it.
    pub fn changed_options(&self) -> String {
        let mut text = String::new();
        let mut add = |name: &str, value: Option<String>| {
            text.extend(value.map(|value| format!(" --{name} {value}")));
        };
        add(
            "engine",
            (self.engine == Engine::Model).then(|| "model".into()),
        );
        add(
            "corpus",
            self.corpus.as_ref().map(|path| path.display().to_string()),
        );
        add(
            "weights",
            (self.weights == WeightsArg::None).then(|| "none".into()),
        );
        let seed = self.population_seed;
        add("population-seed", (seed != 1).then(|| seed.to_string()));
        add("shape", self.shape.map(|shape| shape.to_string()));
        add("math", self.math.map(|math| math.to_string()));
        add(
            "dispatch",
            self.dispatch.map(|dispatch| dispatch.to_string()),
        );
        text
    }

    /// The model for a device and the problems named.
    pub fn open(&self, device: &Device, problems: &[&str]) -> Result<engine::Engine, InputError> {
        let defaults = Settings::default();
        let settings = Settings {
            kind: self.engine.kind(),
            corpus: self.corpus.clone(),
            weighting: match self.weights {
                WeightsArg::Paper => Weighting::Paper,
                WeightsArg::None => Weighting::AsEvolved,
            },
            population_seed: self.population_seed,
            shape: self.shape,
            math: self.math.unwrap_or(defaults.math),
            dispatch: self.dispatch.unwrap_or(defaults.dispatch),
            ..defaults
        };
        engine::Engine::new(device.clone(), problems, settings)
    }
}

/// Says on standard error how the programs of each problem were weighted.
pub fn note_weights(model: &engine::Engine) {
    for sentence in model.weighting() {
        eprintln!("{sentence}");
    }
}
