//! The options that make a performance model, and the model they make.
//!
//! Leaves out: the configuration (`configuration.rs`).

use crate::device::{Device, Preset, Validated};
use crate::gp::programs::{Inferred, inferred};
use crate::isa::Arch;
use crate::launch::prediction::Configuration;
use crate::predictor;
pub use crate::predictor::Kind;
use crate::predictor::{CodeChoice, Predictor, ProgramList};
use crate::predictor::{Settings, Weighting};
use crate::report::progress;
pub use crate::sim::simulator::Scope;
use crate::sim::simulator::Simulator;
use crate::sim::tolerance::Tolerance;
use crate::systems::chitty::code::OwnCode;
use crate::systems::chitty::variant::{Dispatch, Math, Shape};
use crate::systems::options::LaunchOptions;
use crate::systems::registry;
use crate::systems::settings::PAPERS_POPULATION;
use crate::util::input;
use crate::validate::known::{self, Known};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Which model, which programs, which code.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Model")]
pub struct EngineArgs {
    /// Performance model
    #[arg(long, value_enum, default_value = "simulator")]
    pub engine: Kind,
    #[command(flatten)]
    pub extent: ExtentArgs,
    #[command(flatten)]
    pub inputs: InputArgs,
}

/// How much of a launch the simulator simulates.
#[derive(Debug, Clone, Copy, PartialEq, Default, clap::Args)]
pub struct ExtentArgs {
    /// How much of the launch to simulate
    #[arg(long, value_enum, default_value = "window")]
    pub scope: Scope,
    /// Greatest error of the sample, 90 % bound: simulate more until it is kept, below 3 % the whole run [default: windows of fixed length]
    #[arg(long, value_name = "PERCENT", conflicts_with = "scope")]
    pub tolerance: Option<Tolerance>,
}

impl ExtentArgs {
    /// Settings of an engine that simulates as much; the analytical model has no sample.
    pub fn simulator(self, engine: Kind) -> Result<Simulator, String> {
        match (engine, self.tolerance) {
            (Kind::Analytical, Some(tolerance)) => Err(format!(
                "--tolerance: given {tolerance} with --engine analytical; allowed: with --engine simulator, which samples"
            )),
            (_, tolerance) => Ok(Simulator {
                scope: self.scope,
                tolerance,
                ..Simulator::default()
            }),
        }
    }

    /// The options that differ from the defaults, each with a space before it.
    pub fn changed_options(self) -> String {
        match (self.scope, self.tolerance) {
            (Scope::Window, None) => String::new(),
            (_, Some(tolerance)) => format!(" --tolerance {tolerance}"),
            (scope, None) => format!(" --scope {scope}"),
        }
    }
}

/// Which programs, which code: what every performance model starts from.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Programs and code")]
pub struct InputArgs {
    /// Corpus file to draw programs from [default: the built-in corpus of the problem]
    #[arg(long, value_name = "FILE")]
    pub corpus: Option<PathBuf>,
    /// File of programs to run instead of a corpus: one per line in postfix order or as GP libraries print it, one block each
    #[arg(long, value_name = "FILE", conflicts_with = "corpus")]
    pub programs: Option<PathBuf>,
    /// Number of programs in a launch, one block each: so many drawn from the corpus [default: 1000], or the list of --programs, repeated
    /// [default: its length]. With a kernel of another paper, number of programs in a generation [default: 10000 for gpocl-*, 2500 for blockgp, blockgp-shared, threadgp, 262144
    /// for submachine]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub population: Option<u32>,
    /// Weights of the corpus: match the stack depths of the paper's Tables 5 and 6, or none
    #[arg(long, value_enum, default_value = "paper")]
    pub weights: Weighting,
    /// Correct the corpus by factors inferred from the paper's Table 3 and 32-thread rows of Table 4: on the mean size, the longest
    /// program and the slow paths. FILE is a CSV as `fixtures/inferred.csv` [default: no correction; without FILE: the built-in factors]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = read_inferred, conflicts_with = "programs")]
    pub inferred: Option<InferredFile>,
    /// Seed that selects the programs drawn from the corpus
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub program_seed: u64,
    /// Architecture of the machine code: sm_35, sm_75, sm_80, sm_86, sm_89, sm_90 [default: the device's own]
    #[arg(long, value_name = "ARCH")]
    pub arch: Option<Arch>,
    /// Code shape of the kernel: unrolled, rolled, rolled-input [default: unrolled]
    #[arg(long, value_name = "SHAPE")]
    pub shape: Option<Shape>,
    /// Math functions of the kernel: accurate, fast (the GPU's approximate instructions) [default: accurate]
    #[arg(long, value_name = "MATH")]
    pub math: Option<Math>,
    /// Type of the program's tokens in memory: float, int [default: int for accumulator, float for other kernels]
    #[arg(long, value_name = "TYPE")]
    pub token_type: Option<Dispatch>,
    /// A custom kernel, where a command takes one.
    #[arg(skip)]
    pub own: Option<Arc<OwnCode>>,
}

/// Factors inferred for the programs of each problem, and the file that they were read from.
#[derive(Debug, Clone)]
pub struct InferredFile {
    /// Empty for what is part of the program.
    path: String,
    factors: BTreeMap<String, Inferred>,
}

impl InferredFile {
    /// Factors that are part of the program.
    pub fn own() -> Self {
        InferredFile {
            path: String::new(),
            factors: predictor::inferred(),
        }
    }
}

fn read_inferred(path: &str) -> Result<InferredFile, String> {
    if path.is_empty() {
        return Ok(InferredFile::own());
    }
    let text = input::text(Path::new(path)).map_err(|error| error.to_string())?;
    let factors = inferred::parse(&text, path).map_err(|error| error.to_string())?;
    Ok(InferredFile {
        path: path.to_owned(),
        factors,
    })
}

impl EngineArgs {
    /// The options that differ from the defaults, as they are typed, each with a space before it.
    pub fn changed_options(&self) -> String {
        let mut text = self.changed_engine().to_owned();
        text += &self.extent.changed_options();
        text + &self.inputs.changed_options()
    }

    /// The option of the engine, if it differs from the default.
    pub fn changed_engine(&self) -> &'static str {
        match self.engine {
            Kind::Simulator => "",
            Kind::Analytical => " --engine analytical",
        }
    }

    /// Returns a copy of these arguments with other programs and code.
    pub fn with_inputs(&self, inputs: InputArgs) -> EngineArgs {
        EngineArgs {
            inputs,
            ..self.clone()
        }
    }

    /// Returns a copy of these arguments with the engine that predicts all of these kernels.
    pub fn for_kernels<'a>(&self, kernels: impl IntoIterator<Item = &'a str>) -> EngineArgs {
        EngineArgs {
            engine: engine_for(self.engine, kernels),
            ..self.clone()
        }
    }

    /// The model for a device, with the programs of these problems.
    pub fn open(&self, device: &Device, problems: &[&str]) -> Result<Predictor, Box<dyn Error>> {
        note_validated(device);
        let settings = self.settings()?;
        let predictor = Predictor::with_settings(device.clone(), settings);
        for problem in problems {
            predictor.population(problem)?;
        }
        Ok(predictor)
    }

    /// Everything of it that decides results: the options, the content of the files of programs that they name, the factors of the
    /// file of what is inferred.
    pub fn described(&self) -> Result<String, String> {
        let mut named = self.clone();
        if let Some(inferred) = &mut named.inputs.inferred {
            inferred.path.clear();
        }
        let mut text = format!("{named:?}");
        let files = [&self.inputs.corpus, &self.inputs.programs];
        for path in files.into_iter().flatten() {
            let content = input::data(path)
                .map_err(|error| format!("programs {}: {error}", path.display()))?;
            text += &format!("{:?}", Sha256::digest(content));
        }
        Ok(text)
    }

    pub fn settings(&self) -> Result<Settings, String> {
        Ok(Settings {
            kind: self.engine,
            simulator: self.extent.simulator(self.engine)?,
            ..self.inputs.settings()
        })
    }
}

/// The inputs of a command without these options.
impl Default for InputArgs {
    fn default() -> Self {
        let settings = Settings::default();
        InputArgs {
            corpus: None,
            programs: None,
            population: None,
            weights: settings.weighting,
            inferred: None,
            program_seed: settings.program_seed,
            arch: None,
            shape: None,
            math: None,
            token_type: None,
            own: None,
        }
    }
}

impl InputArgs {
    /// Refuses another population than that of the paper's tables, unless it is a list's.
    pub fn check_population(&self) -> Result<(), String> {
        match (self.population, &self.programs) {
            (Some(given), None) => Err(format!(
                "--population: given {given}; allowed: with --programs FILE, or in predict, explain, whatif, advise, explore"
            )),
            _ => Ok(()),
        }
    }

    /// Measured speeds of launches with these programs and code: the paper's, on its own device.
    pub fn known(&self, device: &Device) -> Result<Option<Known>, Box<dyn Error>> {
        let papers = InputArgs {
            program_seed: 1,
            inferred: None,
            ..self.clone()
        };
        let is_papers = papers.own.is_none() && papers.changed_options().is_empty();
        // A changed copy may have the name of the preset.
        if !is_papers || *device != Preset::load(known::DEVICE)?.device {
            return Ok(None);
        }
        Ok(Some(Known::of_paper()?))
    }

    fn changed_options(&self) -> String {
        let mut text = String::new();
        let mut add = |name: &str, value: Option<String>| {
            text.extend(value.map(|value| format!(" --{name} {value}")));
        };
        add(
            "corpus",
            self.corpus.as_ref().map(|path| path.display().to_string()),
        );
        let programs = self.programs.as_ref();
        add("programs", programs.map(|path| path.display().to_string()));
        add("population", self.population.map(|n| n.to_string()));
        add("arch", self.arch.map(|arch| arch.to_string()));
        add(
            "weights",
            (self.weights == Weighting::AsEvolved).then(|| "none".into()),
        );
        let seed = self.program_seed;
        let inferred = self.inferred.as_ref();
        let file = inferred.map(|file| match file.path.is_empty() {
            true => String::new(),
            false => format!("={}", file.path),
        });
        add("program-seed", (seed != 1).then(|| seed.to_string()));
        add("shape", self.shape.map(|shape| shape.to_string()));
        add("math", self.math.map(|math| math.to_string()));
        add(
            "token-type",
            self.token_type.map(|tokens| tokens.to_string()),
        );
        text.extend(file.map(|file| format!(" --inferred{file}")));
        text
    }

    pub fn code_choice(&self) -> CodeChoice {
        CodeChoice {
            arch: self.arch,
            shape: self.shape,
            math: self.math,
            dispatch: self.token_type,
            own: self.own.clone(),
        }
    }

    /// For the simulator, as much as is usual.
    pub fn settings(&self) -> Settings {
        Settings {
            code: self.code_choice(),
            corpus: self.corpus.clone(),
            list: self.programs.as_ref().map(|path| ProgramList {
                path: path.clone(),
                n_blocks: self.population.map(|n| n as usize),
            }),
            weighting: self.weights,
            inferred: (self.inferred.as_ref())
                .map(|file| file.factors.clone())
                .unwrap_or_default(),
            program_seed: self.program_seed,
            n_blocks: (self.population).map_or(PAPERS_POPULATION, |n| n as usize),
            ..Settings::default()
        }
    }
}

/// Returns the engine that predicts all of these kernels; [`say_notes`] says so if it is not the one asked for.
pub fn engine_for<'a>(asked: Kind, kernels: impl IntoIterator<Item = &'a str>) -> Kind {
    let mut kernels = kernels.into_iter();
    let simulated = kernels.find(|kernel| registry::engine(kernel, asked) != asked);
    let Some(kernel) = simulated else {
        return asked;
    };
    SIMULATED.get_or_init(|| kernel.to_owned());
    Kind::Simulator
}

/// The model for a device and these launches, complete.
pub fn open_for(
    device: &Device,
    settings: Settings,
    launches: &[LaunchOptions],
) -> Result<(Predictor, Vec<Configuration>), Box<dyn Error>> {
    note_validated(device);
    let engine = Predictor::with_settings(device.clone(), settings);
    let configurations = launches.iter().map(|options| engine.configure(options));
    let configurations = configurations.collect::<Result<Vec<_>, _>>()?;
    Ok((engine, configurations))
}

/// Prints to standard error how the programs of each problem were weighted.
pub fn note_weights(model: &Predictor) {
    for sentence in model.weighting() {
        progress::say(&sentence);
    }
}

/// The first device that was predicted for and never validated.
static NEVER: OnceLock<String> = OnceLock::new();
/// The first kernel that was simulated where the analytical model was asked for.
static SIMULATED: OnceLock<String> = OnceLock::new();

/// Remembers that a device is predicted for.
pub fn note_validated(device: &Device) {
    if device.validated == Validated::Never {
        NEVER.get_or_init(|| device.name.clone());
    }
}

/// Prints to standard error, once and after all results, which kernel was simulated instead and that predictions for a device were
/// never compared with measurements.
pub fn say_notes() {
    if let Some(kernel) = SIMULATED.get() {
        progress::say(&format!(
            "{kernel}: simulated, because its lanes diverge and the analytical model covers only kernels whose blocks take one path"
        ));
    }
    if let Some(name) = NEVER.get() {
        progress::say(&format!("{name}: {NEVER_VALIDATED}"));
    }
}

/// Note printed for a device that was never validated.
pub const NEVER_VALIDATED: &str = "never validated: no prediction was compared with a measurement; values come from documents, published measurements and assumptions";
