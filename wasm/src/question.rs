//! Questions of a page, and their answers with the digits of the command line.
//!
//! Answers as `whatif` does: a device with changed values, an L1 of any size. Keeps the programs that were asked for last, with what was
//! traced of them. Leaves out: kernels of one's own. Units: those of the preset's fields and of the launch's options.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use warpstack::launch::prediction::Prediction;
use warpstack::predictor::{Explained, Gain, Kind, Predictor, Settings};
use warpstack::study::l1::with_l1;
use warpstack::study::{Base, Key};
use warpstack::systems::options::LaunchOptions;
use warpstack::validate::interval::{Group, Interval, SpeedInterval};

type Answered<T> = Result<T, Box<dyn Error>>;

/// A question.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Question {
    /// The title of a device and the values of some of its fields.
    Device { device: String, fields: Vec<String> },
    /// The prediction of a launch.
    Predict(Asked),
    /// The prediction of a launch and what each part of the machine costs it.
    Explain(Asked),
}

/// A launch on a device.
#[derive(Debug, Deserialize)]
struct Asked {
    device: String,
    /// Keys of the device and their values, as `whatif --vary` takes them.
    #[serde(default)]
    changes: Vec<(String, String)>,
    engine: String,
    launch: LaunchOptions,
    #[serde(default)]
    programs: Programs,
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
        Question::Device { device, fields } => described(device, fields),
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
    }
}

fn described(device: &str, fields: &[String]) -> Answered<Value> {
    let base = Base::load(device)?;
    let values: Answered<Vec<Option<f64>>> = fields.iter().map(|name| value(&base, name)).collect();
    let sizes = base.device.l1.splits.iter();
    let sizes: BTreeSet<u32> = sizes.map(|split| split.l1_bytes / 1024).collect();
    Ok(json!({
        "title": base.device.title,
        "values": values?,
        "l1": sizes,
        "warps": base.device.limits.warps_per_smx,
        "blocks": base.device.limits.blocks_per_smx,
    }))
}

fn value(base: &Base, name: &str) -> Answered<Option<f64>> {
    match base.key(name)?.0 {
        Key::Field(section, field) => Ok(base.value(&section, &field)),
        _ => Err(format!("field: given {name}; allowed: a value of the device").into()),
    }
}

impl Asked {
    /// The predictor of the changed device, and the launch.
    fn site(&self) -> Answered<(Predictor, LaunchOptions)> {
        let base = Base::load(&self.device)?;
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
        Ok((kept.on(device).with_engine(kind), self.launch.clone()))
    }

    /// The predictor with these programs: the last one, if it has them.
    fn kept(&self) -> Answered<Arc<Predictor>> {
        static LAST: Mutex<Option<Kept>> = Mutex::new(None);
        let problem = &self.launch.problem;
        let problem = problem.clone().filter(|_| !self.programs.list.is_empty());
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |kept: &&Kept| (&kept.programs, &kept.problem) == (&self.programs, &problem);
        if let Some(kept) = last.as_ref().filter(same) {
            return Ok(Arc::clone(&kept.predictor));
        }
        let mut settings = Settings::default();
        settings.n_blocks = self.programs.population.unwrap_or(settings.n_blocks);
        let mut predictor = Predictor::with_settings(Base::load(&self.device)?.device, settings);
        if let Some(problem) = &problem {
            predictor = predictor.with_programs(problem.parse()?, &self.programs.list)?;
        }
        let predictor = Arc::new(predictor);
        *last = Some(Kept {
            programs: self.programs.clone(),
            problem,
            predictor: Arc::clone(&predictor),
        });
        Ok(predictor)
    }

    fn predicted(&self, on: &Predictor, prediction: Prediction) -> Predicted {
        let group = Group::of(&prediction, &self.device, &self.engine);
        let interval = Interval::of(on.device(), &group, Some(prediction.l1_bytes));
        Predicted {
            interval: interval.of_speed(prediction.gpops_billion),
            prediction,
        }
    }
}
