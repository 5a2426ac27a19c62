//! Questions of a page, and their answers with the digits of the command line.
//!
//! Answers as `whatif` does: a device with changed values, an L1 of any size. Keeps the programs that were asked for last, with what was
//! traced of them. Leaves out: compiling. Units: those of the preset's fields and of the launch's options.

mod device;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use warpstack::device::Preset;
use warpstack::launch::prediction::Prediction;
use warpstack::predictor::{Explained, Gain, Kind, Predictor, Settings};
use warpstack::study::l1::with_l1;
use warpstack::study::{Base, Key};
use warpstack::systems::chitty::code::OwnCode;
use warpstack::systems::options::LaunchOptions;
use warpstack::systems::registry;
use warpstack::validate::interval::{Group, Interval, SpeedInterval};

type Answered<T> = Result<T, Box<dyn Error>>;

/// A question.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Question {
    /// The presets, and what each problem's programs may contain.
    Catalogue {},
    /// A device, the values of some of its fields, and the kernels that it runs.
    Device {
        #[serde(flatten)]
        machine: Machine,
        fields: Vec<String>,
    },
    /// The prediction of a launch.
    Predict(Asked),
    /// The prediction of a launch and what each part of the machine costs it.
    Explain(Asked),
    /// The work of one multiprocessor from one cycle to another.
    Watch {
        #[serde(flatten)]
        asked: Asked,
        from: u64,
        until: u64,
    },
}

/// A preset, by its name or by its file.
#[derive(Debug, Deserialize)]
struct Machine {
    device: String,
    preset: Option<PresetFile>,
}

/// A preset that is none of the program's.
#[derive(Debug, Deserialize)]
struct PresetFile {
    file: String,
    text: String,
}

impl Machine {
    fn base(&self) -> Answered<Base> {
        match &self.preset {
            Some(PresetFile { file, text }) => Ok(Base::of(Preset::from_toml(text, file)?, file)),
            None => Ok(Base::load(&self.device)?),
        }
    }
}

/// A launch on a device.
#[derive(Debug, Deserialize)]
struct Asked {
    #[serde(flatten)]
    machine: Machine,
    /// Keys of the device and their values, as `whatif --vary` takes them.
    #[serde(default)]
    changes: Vec<(String, String)>,
    engine: String,
    launch: LaunchOptions,
    #[serde(default)]
    programs: Programs,
    /// A kernel in place of the launch's.
    own: Option<Own>,
}

/// A kernel of one's own: a listing that `nvdisasm -hex -g` printed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Own {
    file: String,
    listing: String,
    encoding: String,
}

/// The programs of a launch, if not those of the problem's corpus.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Programs {
    /// Programs of the launch's problem, one block each.
    list: Vec<String>,
    /// Number of programs to draw from the corpus.
    population: Option<usize>,
}

/// Programs with what was traced of them.
struct Kept {
    programs: Programs,
    own: Option<Own>,
    /// Problem of the list, if there is one.
    problem: Option<String>,
    predictor: Arc<Predictor>,
}

/// A prediction with its interval, as `predict --format json` has them.
#[derive(Debug, Serialize)]
struct Predicted {
    #[serde(flatten)]
    prediction: Prediction,
    #[serde(flatten)]
    interval: SpeedInterval,
}

/// An explained prediction.
#[derive(Debug, Serialize)]
struct Explanation {
    #[serde(flatten)]
    predicted: Predicted,
    gains: Vec<Gain>,
}

/// Returns `{"answer": ...}`, or `{"refused": MESSAGE}` for a question that has none.
pub fn answer(question: &str) -> String {
    let answered = serde_json::from_str(question).map_err(Box::<dyn Error>::from);
    match answered.and_then(|question| answered_by(&question)) {
        Ok(answer) => json!({ "answer": answer }).to_string(),
        Err(refused) => json!({ "refused": refused.to_string() }).to_string(),
    }
}

fn answered_by(question: &Question) -> Answered<Value> {
    match question {
        Question::Catalogue {} => Ok(device::catalogue()?),
        Question::Device { machine, fields } => device::described(&machine.base()?, fields),
        Question::Predict(asked) => {
            let (on, launch) = asked.site()?;
            let prediction = on.predict(&launch)?;
            Ok(serde_json::to_value(asked.predicted(&on, prediction))?)
        }
        Question::Explain(asked) => {
            let (on, launch) = asked.site()?;
            let Explained {
                prediction, alone, ..
            } = on.explain_alone(&launch)?;
            Ok(serde_json::to_value(Explanation {
                predicted: asked.predicted(&on, prediction),
                gains: alone,
            })?)
        }
        Question::Watch { asked, from, until } => {
            if !(*from < *until && until - from <= LONGEST) {
                return Err(format!(
                    "cycles to watch: given {from} to {until}; allowed: at most {LONGEST} of them"
                )
                .into());
            }
            let (on, launch) = asked.site()?;
            Ok(serde_json::to_value(on.watch(&launch, *from..*until)?)?)
        }
    }
}

/// Largest number of cycles whose events are answered.
const LONGEST: u64 = 20_000;

impl Asked {
    /// The predictor of the changed device, and the launch.
    fn site(&self) -> Answered<(Predictor, LaunchOptions)> {
        let base = self.machine.base()?;
        let keys: Answered<Vec<Key>> = (self.changes.iter())
            .map(|(name, _)| Ok(base.key(name)?.0))
            .collect();
        let keys = keys?;
        let values = self.changes.iter().map(|(_, value)| value.as_str());
        let changes: Vec<(&Key, &str)> = keys.iter().zip(values).collect();
        let device = base.device(&changes)?;
        let device = match self.launch.l1_kib {
            Some(kib) => with_l1(&device, kib.saturating_mul(1024))?,
            None => device,
        };
        let kind: Kind = self.engine.parse()?;
        let kept = self.kept()?;
        let mut launch = self.launch.clone();
        if let Some(own) = &self.own {
            launch.kernel.clone_from(&own.file);
        }
        Ok((kept.on(device).with_engine(kind), launch))
    }

    /// The predictor with these programs: the last one, if it has them.
    fn kept(&self) -> Answered<Arc<Predictor>> {
        static LAST: Mutex<Option<Kept>> = Mutex::new(None);
        let problem = &self.launch.problem;
        let problem = problem.clone().filter(|_| !self.programs.list.is_empty());
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |kept: &&Kept| {
            let asked = (&self.programs, &self.own, &problem);
            (&kept.programs, &kept.own, &kept.problem) == asked
        };
        if let Some(kept) = last.as_ref().filter(same) {
            return Ok(Arc::clone(&kept.predictor));
        }
        let mut settings = Settings::default();
        settings.n_blocks = self.programs.population.unwrap_or(settings.n_blocks);
        settings.code.own = self.own.as_ref().map(Own::code).transpose()?;
        let mut predictor = Predictor::with_settings(self.machine.base()?.device, settings);
        if let Some(problem) = &problem {
            predictor = predictor.with_programs(problem.parse()?, &self.programs.list)?;
        }
        if self.own.is_some() {
            self.check_own(&predictor)?;
        }
        let predictor = Arc::new(predictor);
        *last = Some(Kept {
            programs: self.programs.clone(),
            own: self.own.clone(),
            problem,
            predictor: Arc::clone(&predictor),
        });
        Ok(predictor)
    }

    /// Refuses a kernel whose results differ from those of the reference interpreter.
    fn check_own(&self, predictor: &Predictor) -> Answered<()> {
        let mut launch = self.launch.clone();
        if let Some(own) = &self.own {
            launch.kernel.clone_from(&own.file);
        }
        launch.l1_kib = None;
        let compared = predictor.conformance(&predictor.configure(&launch)?)?;
        match compared.and_then(|compared| compared.differs) {
            Some(differs) => Err(format!("{}: {differs}", launch.kernel).into()),
            None => Ok(()),
        }
    }

    fn predicted(&self, on: &Predictor, prediction: Prediction) -> Predicted {
        let engine = registry::engine(&prediction.configuration.kernel, on.settings().kind);
        let group = Group::of(&prediction, &on.device().name, engine.name());
        let interval = match self.own {
            Some(_) => Interval::NONE,
            None => Interval::of(on.device(), &group, Some(prediction.l1_bytes)),
        };
        Predicted {
            interval: interval.of_speed(prediction.gpops_billion),
            prediction,
        }
    }
}

impl Own {
    fn code(&self) -> Answered<Arc<OwnCode>> {
        let code = OwnCode::new(self.listing.clone(), &self.file, self.encoding.parse()?)?;
        code.check_encodings()?;
        Ok(Arc::new(code))
    }
}
