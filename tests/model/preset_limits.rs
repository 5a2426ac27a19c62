//! Does every allowed preset value give a prediction and an explanation, or a refusal that names it?
//!
//! Each number is set to the limits of its range and to values between them, each name to every other, alone; a small launch is then
//! predicted by both performance models. At the limits both also explain it, and every command that reads a preset runs.

use crate::names::names;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
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
        let programs = ["X1 X1 *", "X1 X1 X1 * +"];
        let simulator = simulator
            .with_programs(ProblemId::Sextic, programs)
            .unwrap();
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

fn small_executed() -> LaunchOptions {
    LaunchOptions {
        problem: Some("mux6".into()),
        threads_per_block: Some(32),
        population: Some(8),
        ..LaunchOptions::of("blockgp")
    }
}

fn executed() -> Launch {
    Box::new(|engine| engine.predict(small_executed()))
}

/// A preset with one value changed, and what was changed.
struct Changed {
    what: String,
    table: toml::Table,
}

/// Presets with one value that is read changed to each of `values`.
fn changed(name: &str, values: fn(&Value, &Entry) -> Vec<Value>) -> Vec<Changed> {
    let preset = Preset::load(name).unwrap();
    let table: toml::Table = Preset::text(name).unwrap().parse().unwrap();
    let read = preset.entries.iter();
    let read = read.filter(|entry| !entry.readers.is_empty());
    read.flat_map(|entry| {
        let value = &table[&entry.section][&entry.field]["value"];
        let with = |value: Value| {
            let what = format!("{name}, {} = {value}", entry.key());
            let mut table = table.clone();
            table[&entry.section][&entry.field]["value"] = value;
            Changed { what, table }
        };
        values(value, entry).into_iter().map(with)
    })
    .collect()
}

fn check(name: &str) {
    let device = Preset::load(name).unwrap().device;
    let small = Small::new(&device);
    assert_eq!(small.tried(&device, name), (true, Vec::new()));
    let changed = changed(name, others);
    let tried: Vec<(bool, Vec<String>)> = changed
        .into_par_iter()
        .map(|Changed { what, table }| {
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

/// The smallest and the largest number, every other name, no items and twice the items.
fn extremes(value: &Value, entry: &Entry) -> Vec<Value> {
    let number = |value: &Value| value.as_float().or(value.as_integer().map(|n| n as f64));
    let mut values = others(value, entry);
    match value {
        Value::Integer(_) | Value::Float(_) => {
            values.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap());
            let last = values.split_off(values.len().saturating_sub(1).max(1));
            values.truncate(1);
            values.extend(last);
        }
        Value::Array(_) => values.truncate(2),
        _ => {}
    }
    values
}

/// Explains a small launch by both performance models: the panics.
fn explain(small: &Small, preset: &Preset, what: &str) -> Vec<String> {
    let launch = match architecture(&preset.device, &CodeChoice::default()) {
        Ok(_) => LaunchOptions::of("rpn"),
        Err(_) => small_executed(),
    };
    let panics = small.engines.iter().filter(|engine| {
        let explain = || {
            engine
                .on(preset.device.clone())
                .explain_alone(launch.clone())
        };
        catch_unwind(AssertUnwindSafe(explain)).is_err()
    });
    panics
        .map(|_| format!("{what}: explain panicked"))
        .collect()
}

/// Commands that read a preset.
const COMMANDS: [&str; 8] = [
    "predict --engine analytical --programs programs.txt --device device.toml",
    "explain --engine analytical --programs programs.txt --device device.toml",
    "whatif --engine analytical --programs programs.txt --vary threads=64,1024 --device device.toml",
    "advise --engine analytical --kernel rpn --programs programs.txt --device device.toml",
    "occupancy --registers 20,63 --device device.toml",
    "reproduce --engine analytical --table 9 --problem kddcup --limit 1 --device device.toml",
    "explore --device device.toml --out page.html",
    "list devices device.toml",
];

/// Runs every command that reads a preset: exit codes other than success and a refusal of one line.
fn command(table: &toml::Table, what: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("device.toml"), table.to_string()).unwrap();
    std::fs::write(
        folder.path().join("programs.txt"),
        "X1 X1 *\nX1 X1 X1 * +\n",
    )
    .unwrap();
    let complaint = |command: &&str| {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_warpstack"));
        let program = program.args(command.split(' ')).current_dir(folder.path());
        let output = program.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let is_refusal = output.status.code() == Some(2) && said.trim().lines().count() == 1;
        let is_fault = !output.status.success() && !is_refusal;
        is_fault.then(|| format!("{what}: {command}: {said}"))
    };
    COMMANDS.iter().filter_map(complaint).collect()
}

/// Changes every value that is read to its extremes: each is refused, or explained, and answered by every command.
fn check_extremes(name: &str) {
    let small = Small::new(&Preset::load(name).unwrap().device);
    let complaints = |Changed { what, table }: Changed| -> Vec<String> {
        let Ok(preset) = Preset::from_table(table.clone(), "changed") else {
            return Vec::new();
        };
        let mut complaints = explain(&small, &preset, &what);
        complaints.extend(command(&table, &what));
        complaints
    };
    let changed = changed(name, extremes).into_par_iter();
    let complaints: Vec<String> = changed.flat_map_iter(complaints).collect();
    assert!(complaints.is_empty(), "\n{complaints:#?}\n");
}

#[test]
fn every_command_answers_or_refuses_the_extremes_of_a_kepler_preset() {
    check_extremes("gtx670");
}

#[test]
#[ignore = "takes minutes: cargo test --test model -- --ignored"]
fn every_command_answers_or_refuses_the_extremes_of_other_presets() {
    for name in ["h200", "g80"] {
        check_extremes(name);
    }
}
