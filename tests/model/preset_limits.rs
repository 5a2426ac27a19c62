//! Does every allowed preset value give a prediction, or a refusal that names it, in little time?
//!
//! Each number is set to the limits of its range and to values between them, each name to every other, alone; a small launch is then
//! predicted by both performance models.

use crate::names::names;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};
use toml::Value;
use warpstack::device::{Device, Entry, Preset};
use warpstack::gp::problem::ProblemId;
use warpstack::gp::programs::Population;
use warpstack::gp::workload::measured_programs;
use warpstack::isa::Arch;
use warpstack::launch::CarveOut;
use warpstack::launch::prediction::{PredictError, Prediction};
use warpstack::predictor::{CodeChoice, Kind, Predictor, Settings, architecture};
use warpstack::sim::smx::Deadlock;
use warpstack::systems::chitty::request::{Cases, Request};
use warpstack::systems::chitty::variant::{KernelId, Variant};
use warpstack::systems::options::LaunchOptions;

/// Time limit of one prediction: a hundred times the usual time.
const LONGEST: Duration = Duration::from_secs(20);

/// Returns a range's limits, their neighbours, a middle value and values near the given one, in the field's type.
fn numbers(like: &Value, (low, high): (f64, f64)) -> Vec<Value> {
    let middle = (low.max(1e-3) * high).sqrt();
    match like {
        Value::Integer(given) => {
            let high = high.min(f64::from(u32::MAX)) as i64;
            let low = low.ceil() as i64;
            let mut values = vec![low, low + 1, middle as i64 | 1, high - 1, high];
            values.extend([given - 1, given + 1, 2 * given, 31, 33]);
            values.retain(|value| (low..=high).contains(value));
            values.sort_unstable();
            values.dedup();
            values.into_iter().map(Value::Integer).collect()
        }
        Value::Float(given) => {
            let mut values = vec![low, low + 1e-9, middle, high];
            values.extend([0.999 * given, 1.0, 31.0, 31.999, 33.0]);
            values.retain(|value| (low..=high).contains(value));
            values.into_iter().map(Value::Float).collect()
        }
        _ => Vec::new(),
    }
}

/// Other values of a field.
fn others(value: &Value, entry: &Entry) -> Vec<Value> {
    match value {
        Value::Integer(_) | Value::Float(_) => numbers(value, entry.allowed),
        Value::Boolean(given) => vec![Value::Boolean(!given)],
        Value::String(_) => names().into_iter().map(Value::from).collect(),
        Value::Array(items) => lists(items, entry),
        _ => Vec::new(),
    }
}

/// No items, very many, and every item with each of its numbers replaced.
fn lists(items: &[Value], entry: &Entry) -> Vec<Value> {
    let mut lists = vec![Vec::new(), [items, items].concat()];
    let number = |table: &toml::Table, name: &str| {
        let name = name.to_owned();
        let other = numbers(&table[&name], entry.allowed);
        other
            .into_iter()
            .map(move |value| {
                let mut changed = table.clone();
                changed[&name] = value;
                Value::Table(changed)
            })
            .collect::<Vec<_>>()
    };
    for (at, item) in items.iter().enumerate() {
        let changed = match item {
            Value::Table(table) => {
                let names: Vec<&String> = table.keys().collect();
                names.iter().flat_map(|name| number(table, name)).collect()
            }
            item => numbers(item, entry.allowed),
        };
        for value in changed {
            let mut list = items.to_vec();
            list[at] = value;
            lists.push(list);
        }
    }
    let item = if entry.field.ends_with("bits") {
        vec![Value::Integer(1)]
    } else {
        items.to_vec()
    };
    lists.push(
        item.iter()
            .cycle()
            .take(item.len().max(1) * 40)
            .cloned()
            .collect(),
    );
    lists.into_iter().map(Value::Array).collect()
}

/// Predictions under way, each with its start.
static RUNNING: Mutex<Vec<(String, Instant)>> = Mutex::new(Vec::new());

/// A prediction under way; ends the tests with a message if it never finishes.
struct Watched(String);

impl Watched {
    fn begin(what: &str) -> Watched {
        static WATCH: Once = Once::new();
        WATCH.call_once(|| {
            std::thread::spawn(|| {
                loop {
                    std::thread::sleep(Duration::from_secs(1));
                    let running = RUNNING.lock().unwrap();
                    if let Some((what, _)) =
                        running.iter().find(|(_, since)| since.elapsed() > LONGEST)
                    {
                        eprintln!("{what}: has no end");
                        std::process::exit(1);
                    }
                }
            });
        });
        RUNNING
            .lock()
            .unwrap()
            .push((what.to_owned(), Instant::now()));
        Watched(what.to_owned())
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        RUNNING.lock().unwrap().retain(|(what, _)| *what != self.0);
    }
}

/// Launches that either performance model predicts in milliseconds.
struct Small {
    engines: [Predictor; 2],
    launches: Vec<Launch>,
}

/// Predicts one launch on a device.
type Launch = Box<dyn Fn(&Predictor) -> Result<Prediction, PredictError> + Sync>;

impl Small {
    fn new(device: &Device) -> Small {
        let mut settings = Settings::default();
        let plan = &mut settings.simulator.plan;
        plan.window.instructions = (20_000, 40_000);
        plan.partial_instructions = 10_000;
        plan.least_partial_instructions = 5_000;
        let simulator = Predictor::with_settings(device.clone(), settings);
        Small {
            engines: [simulator.with_engine(Kind::Analytical), simulator],
            launches: match architecture(device, &CodeChoice::default()) {
                Ok(arch) => vec![listed(arch, 64), listed(arch, 512)],
                // What runs on it was executed lane by lane.
                Err(_) => vec![executed()],
            },
        }
    }

    /// Tries all launches on a device: whether any is predicted, and the faults found.
    fn tried(&self, device: &Device, what: &str) -> (bool, Vec<String>) {
        let (mut predicts, mut complaints) = (false, Vec::new());
        for (engine, name) in self.engines.iter().zip(["model", "sim"]) {
            for launch in &self.launches {
                let start = Instant::now();
                let predict = || launch(&engine.on(device.clone()));
                let said = match catch_unwind(AssertUnwindSafe(predict)) {
                    Err(_) => Some("panicked".to_owned()),
                    Ok(Ok(found)) => {
                        predicts = true;
                        let speed = found.gpops_billion;
                        let is_speed = speed.is_finite() && speed > 0.0;
                        (!is_speed).then(|| format!("predicts {speed} GPop/s"))
                    }
                    Ok(Err(PredictError::Other(why))) if why.is::<Deadlock>() => {
                        Some(why.to_string())
                    }
                    Ok(Err(_)) => None,
                };
                let slow = (start.elapsed() > LONGEST).then(|| format!("{:?}", start.elapsed()));
                let said = said.into_iter().chain(slow);
                complaints.extend(said.map(|said| format!("{what}, {name}: {said}")));
            }
        }
        (predicts, complaints)
    }
}

fn listed(arch: Arch, threads_per_block: u32) -> Launch {
    let mut programs = measured_programs(ProblemId::Sextic).unwrap();
    programs.truncate(4);
    let request = Request {
        kernel: Variant::new(KernelId::Rpn, ProblemId::Sextic, 2, arch).into(),
        programs: Arc::new(Population::of_list(&programs, 60).unwrap()),
        cases: Cases::of(ProblemId::Sextic, 1024),
        threads_per_block,
        case_blocks: 1,
        carve_out: CarveOut::Default,
    };
    Box::new(move |engine| engine.predict_request(&request))
}

fn executed() -> Launch {
    let launch = LaunchOptions {
        problem: Some("mux6".into()),
        threads_per_block: Some(32),
        population: Some(8),
        ..LaunchOptions::of("blockgp")
    };
    Box::new(move |engine| engine.predict(&launch))
}

fn check(name: &str) {
    let preset = Preset::load(name).unwrap();
    let table: toml::Table = Preset::text(name).unwrap().parse().unwrap();
    let small = Small::new(&preset.device);
    assert_eq!(small.tried(&preset.device, name), (true, Vec::new()));
    let read = preset
        .entries
        .iter()
        .filter(|entry| !entry.readers.is_empty());
    let changed: Vec<(&Entry, Value)> = read
        .flat_map(|entry| {
            let value = &table[&entry.section][&entry.field]["value"];
            others(value, entry)
                .into_iter()
                .map(move |value| (entry, value))
        })
        .collect();
    let tried: Vec<(bool, Vec<String>)> = changed
        .par_iter()
        .map(|(entry, value)| {
            let what = format!("{name}, {} = {value}", entry.key());
            let _watched = Watched::begin(&what);
            let mut table = table.clone();
            table[&entry.section][&entry.field]["value"] = value.clone();
            match catch_unwind(|| Preset::from_table(table, "changed")) {
                Err(_) => (false, vec![format!("{what}: loading panicked")]),
                Ok(Err(_)) => (false, Vec::new()),
                Ok(Ok(preset)) => small.tried(&preset.device, &what),
            }
        })
        .collect();
    let complaints: Vec<&String> = tried.iter().flat_map(|(_, said)| said).collect();
    assert!(complaints.is_empty(), "\n{complaints:#?}\n");
    let predicted = tried.iter().filter(|(predicts, _)| *predicts).count();
    assert!(
        2 * predicted > tried.len(),
        "{predicted} of {} predicted",
        tried.len()
    );
}

#[test]
fn every_value_of_a_kepler_preset_predicts_or_is_refused() {
    check("gtx670");
}

#[test]
fn every_value_of_a_hopper_preset_predicts_or_is_refused() {
    check("h200");
}

#[test]
fn every_value_of_a_tesla_preset_predicts_or_is_refused() {
    check("g80");
}
