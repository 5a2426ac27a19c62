//! Does every preset value affect exactly the predictions that its ledger lists as readers?
//!
//! Each value is varied alone: numbers are doubled, halved and changed by more, yes becomes no, a name becomes every other name. A
//! change of any prediction among a few small launches proves that the value is read.

use crate::names::names;
use rayon::prelude::*;
use std::sync::Arc;
use warpstack::device::{Device, Entry, Preset, Reader, ledger};
use warpstack::gp::problem::ProblemId;
use warpstack::gp::programs::Population;
use warpstack::gp::workload::measured_programs;
use warpstack::isa::Arch;
use warpstack::launch::CarveOut;
use warpstack::launch::prediction::Configuration;
use warpstack::predictor::{Kind, Predictor, Settings};
use warpstack::systems::chitty::request::{Cases, Request};
use warpstack::systems::chitty::variant::{KernelId, Variant};

type Unseen = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [Reader],
);

/// Values whose effect these launches do not show: why, devices, `section.field` of each, the engines that read it.
const UNSEEN: &[Unseen] = &[
    (SAME_BLOCKS, EITHER, &["limits.register_allocation"], BOTH),
    (ONE_VALUE, EITHER, &["limits.warp_lanes"], BOTH),
    (
        SMALL_ROWS,
        H200,
        &["limits.shared_bytes_per_block", "limits.shared_unit_bytes"],
        BOTH,
    ),
    (
        LANE_BY_LANE,
        EITHER,
        &[
            "load_store.coalescing",
            "load_store.uncoalesced_cycles",
            "l2.mask_bytes",
            "shared.n_banks",
            "shared.lanes_together",
            "constant_cache.lanes_together",
        ],
        SIM,
    ),
    (LANE_BY_LANE, GTX670, &["l1.sector_bytes"], SIM),
    (IN_L2, H200, &["dram.queue_requests"], BOTH),
    (
        IN_L2,
        H200,
        &[
            "dram.latency_cycles",
            "l2.n_ways",
            "dram.bandwidth_gb_per_s",
            "dram.efficiency",
            "dram.activation_interval_ns",
        ],
        MODEL,
    ),
    (NO_PAIRS, H200, &["issue.n_dispatch"], BOTH),
    (NOT_GUARDED, H200, &["latency.alu_cycles"], BOTH),
    (
        FITS,
        EITHER,
        &["instruction_cache.l2_latency_cycles"],
        MODEL,
    ),
    (
        RARE,
        H200,
        &["pipes.bitfield", "throughput.bitfield_lanes_per_cycle"],
        BOTH,
    ),
    (
        LIMITED,
        GTX670,
        &["issue.n_register_banks", "issue.replays_take_issue_slots"],
        MODEL,
    ),
    (
        NO_EMPTY_BLOCKS,
        EITHER,
        &["chip.block_interval_cycles"],
        BOTH,
    ),
    (
        NO_BARRIER,
        GTX670,
        &[
            "latency.barrier_cycles",
            "throughput.barrier_lanes_per_cycle",
        ],
        BOTH,
    ),
    (
        AHEAD,
        H200,
        &[
            "instruction_cache.cycles_per_instruction",
            "instruction_cache.prefetches",
        ],
        SIM,
    ),
    (NEAR_JUMPS, GTX670, &["instruction_cache.l0_bytes"], MODEL),
    (
        NO_RATE,
        GTX670,
        &["instruction_cache.prefetch_lines"],
        MODEL,
    ),
];
const GTX670: &[&str] = &["gtx670"];
const H200: &[&str] = &["h200"];
const EITHER: &[&str] = &["gtx670", "h200"];
const BOTH: &[Reader] = &[Reader::Sim, Reader::Model];
const SIM: &[Reader] = &[Reader::Sim];
const MODEL: &[Reader] = &[Reader::Model];
const SAME_BLOCKS: &str = "as many blocks of these launches fit either way";
const FITS: &str =
    "the second-level instruction cache holds the code; the model counts no first touches";
const NO_EMPTY_BLOCKS: &str = "no launch here has blocks without fitness cases";
const NO_BARRIER: &str = "the paper's kernels have no barrier";
const AHEAD: &str = "where schedulers have caches of their own, the simulator's straight code runs as fast as its lines are requested ahead";
const NO_RATE: &str =
    "the second level's rate, which the lines requested ahead take, has no limit on this device";
const NEAR_JUMPS: &str = "a jump to the first level costs nothing on this device";
const LANE_BY_LANE: &str =
    "it acts on blocks that are executed lane by lane, which are the other papers' (cc1_memory)";
const ONE_VALUE: &str = "only one value is allowed";
const SMALL_ROWS: &str = "no program of these is near the limit of a block";
const NO_PAIRS: &str = "code for one dispatch marks no pairs";
const NOT_GUARDED: &str = "the compiler guards no such result with a barrier in these kernels";
const RARE: &str = "hardly executed in these kernels, and never waited for";
const LIMITED: &str =
    "the limit of the multiprocessor's issue exceeds the slots that its schedulers lose";
const IN_L2: &str = "the data of these launches stay in the L2";

/// Returns values to try in place of one.
fn others(field: &str, value: &toml::Value) -> Vec<toml::Value> {
    use toml::Value;
    if field.ends_with("_lanes_per_cycle") {
        // A warp a cycle is the least that shared cores may have; a scheduler's own pipe may have less.
        let lanes = [2.0, 0.5, 0.0625].map(|factor| times(value, factor));
        return [&lanes[..], &[Value::Float(32.0)]].concat();
    }
    let each = |change: &dyn Fn(&Value) -> Value| match value {
        Value::Array(items) => Value::Array(items.iter().map(change).collect()),
        single => change(single),
    };
    match (field, value) {
        ("geometry", Value::Array(items)) => {
            vec![Value::Array(items.iter().map(twice_the_ways).collect())]
        }
        ("splits", Value::Array(items)) => {
            vec![Value::Array(items.iter().map(half_the_shared).collect())]
        }
        (_, Value::Boolean(truth)) => vec![Value::Boolean(!truth)],
        (_, Value::String(now)) => {
            let names = names().into_iter().filter(|name| name != now);
            names.map(|name| Value::String(name.into())).collect()
        }
        // What binds nowhere binds when it is far smaller or larger.
        _ => {
            let scaled = [2.0, 0.5, 16.0, 0.0625].map(|factor| each(&|item| times(item, factor)));
            [&scaled[..], &[each(&one_more)]].concat()
        }
    }
}

/// Multiplies a number; 0 becomes 512 when the factor is 16.
fn times(value: &toml::Value, factor: f64) -> toml::Value {
    match value {
        toml::Value::Integer(0) if factor == 16.0 => toml::Value::Integer(512),
        toml::Value::Integer(n) => toml::Value::Integer((*n as f64 * factor) as i64),
        toml::Value::Float(0.0) if factor == 16.0 => toml::Value::Float(512.0),
        toml::Value::Float(x) => toml::Value::Float(x * factor),
        other => other.clone(),
    }
}

fn one_more(value: &toml::Value) -> toml::Value {
    match value {
        toml::Value::Integer(n) => toml::Value::Integer(n + 1),
        toml::Value::Float(x) => toml::Value::Float(x + 1.0),
        other => other.clone(),
    }
}

fn change(item: &toml::Value, field: &str, change: fn(i64) -> i64) -> toml::Value {
    let mut table = item.as_table().unwrap().clone();
    let now = table[field].as_integer().unwrap();
    table.insert(field.into(), toml::Value::Integer(change(now)));
    toml::Value::Table(table)
}

fn twice_the_ways(item: &toml::Value) -> toml::Value {
    change(&change(item, "n_sets", |n| n / 2), "n_ways", |n| 2 * n)
}

fn half_the_shared(item: &toml::Value) -> toml::Value {
    change(item, "shared_bytes", |n| n / 2)
}

/// Changes the line size, and the ways so that the capacity stays.
fn fit_geometry(table: &mut toml::Table, line_bytes: &toml::Value) -> Option<()> {
    let (new, old) = (line_bytes, &table["l1"]["line_bytes"]["value"]);
    let (new, old) = (new.as_integer()?, old.as_integer()?);
    for geometry in table["l1"]["geometry"]["value"].as_array_mut()? {
        let ways = geometry["n_ways"].as_integer()?;
        geometry["n_ways"] = toml::Value::Integer(ways * old / new);
    }
    Some(())
}

/// Returns the devices that differ in this value alone.
fn variants_of(table: &toml::Table, entry: &Entry) -> Vec<Device> {
    let place = |table: &toml::Table| table[&entry.section][&entry.field]["value"].clone();
    let of_value = |value: toml::Value| {
        let mut changed = table.clone();
        if entry.key() == "l1.line_bytes" {
            fit_geometry(&mut changed, &value)?;
        }
        changed[&entry.section][&entry.field]["value"] = value;
        Preset::from_table(changed, "changed").ok()
    };
    let values = others(&entry.field, &place(table));
    let devices = values.into_iter().filter_map(of_value);
    devices.map(|preset| preset.device).collect()
}

/// A prediction as one comparable number; `None` where the launch is refused.
type Seen = Option<u64>;

/// Some launches, each predicted by either engine on many devices at once.
struct Bench {
    simulator: Predictor,
    model: Predictor,
    launches: Vec<Request>,
}

type KeplerLaunch = (&'static str, &'static str, u32, u32, u32, Option<u32>);
type HopperLaunch = (ProblemId, KernelId, u32, u32, u32, Option<u32>);

/// Launches of the papers: problem, kernel, second dimension, stack levels in registers, threads, L1 in KiB.
const KEPLER: [KeplerLaunch; 8] = [
    ("sextic", "rpn", 1, 0, 256, Some(48)),
    ("sextic", "rpn", 6, 0, 32, Some(48)),
    ("sextic", "rpn", 4, 0, 1024, Some(16)),
    ("kddcup", "lgp", 6, 0, 256, Some(16)),
    ("kddcup", "rpn", 2, 0, 96, Some(16)),
    ("mux20", "rpn", 3, 0, 640, Some(48)),
    ("mux20", "rpn", 1, 0, 32, None),
    ("sextic", "lgp-registers", 4, 3, 256, Some(48)),
];

/// Launches on the H200: problem, kernel, second dimension, threads, cases, shared memory in KiB.
const HOPPER: [HopperLaunch; 6] = [
    (ProblemId::Sextic, KernelId::Rpn, 1, 256, 4_096, None),
    (ProblemId::Sextic, KernelId::Rpn, 6, 32, 3_072, Some(200)),
    (ProblemId::Sextic, KernelId::Rpn, 4, 1024, 8_192, Some(228)),
    (ProblemId::Kddcup, KernelId::Lgp, 6, 256, 3_072, Some(228)),
    (ProblemId::Kddcup, KernelId::Rpn, 2, 96, 3_072, None),
    (
        ProblemId::Sextic,
        KernelId::Accumulator,
        8,
        128,
        4_096,
        None,
    ),
];

impl Bench {
    fn new(device: &Device, launches: impl Fn(&Predictor) -> Vec<Request>) -> Bench {
        let mut settings = Settings::default();
        // Which values are read shows in short windows, too.
        settings.simulator.plan.window.instructions = (300_000, 1_000_000);
        let simulator = Predictor::with_settings(device.clone(), settings);
        let model = simulator.with_engine(Kind::Analytical);
        Bench {
            launches: launches(&simulator),
            simulator,
            model,
        }
    }

    fn kepler(device: &Device) -> Bench {
        let request = |engine: &Predictor, at: usize| {
            let (problem, kernel, stack_dim, stack_registers, threads_per_block, l1_kib) =
                KEPLER[at];
            let configuration = Configuration {
                problem: problem.into(),
                kernel: kernel.into(),
                stack_dim,
                stack_registers,
                threads_per_block,
                case_blocks: 1,
                l1_bytes: l1_kib.map(|kib| 1024 * kib),
                population: None,
                cases: None,
                threads_per_program: None,
            };
            engine.request(&configuration).unwrap()
        };
        let all = |engine: &Predictor| (0..KEPLER.len()).map(|at| request(engine, at)).collect();
        Bench::new(device, all)
    }

    fn hopper(device: &Device) -> Bench {
        let programs = [ProblemId::Sextic, ProblemId::Kddcup].map(|set| {
            let mut programs = measured_programs(set).unwrap();
            programs.truncate(16);
            (set, Arc::new(Population::of_list(&programs, 2000).unwrap()))
        });
        let request = |launch: &HopperLaunch| {
            let &(set, kernel, stack_dim, threads_per_block, cases, shared_kib) = launch;
            let (_, programs) = programs.iter().find(|(of, _)| *of == set).unwrap();
            Request {
                kernel: Variant {
                    stack_registers: match kernel {
                        KernelId::Accumulator => 2,
                        _ => 0,
                    },
                    ..Variant::new(kernel, set, stack_dim, Arch::Sm90)
                }
                .into(),
                programs: Arc::clone(programs),
                cases: Cases::of(set, cases.into()),
                threads_per_block,
                case_blocks: 1,
                carve_out: match shared_kib {
                    Some(kib) => CarveOut::SharedBytes(1024 * kib),
                    None => CarveOut::Default,
                },
            }
        };
        Bench::new(device, |_| HOPPER.iter().map(request).collect())
    }

    fn len(&self) -> usize {
        self.launches.len()
    }

    fn predict(&self, at: usize, devices: &[&Device], engine: Reader) -> Vec<Seen> {
        let engine = match engine {
            Reader::Model => &self.model,
            _ => &self.simulator,
        };
        let on = |device: &&Device| {
            let mut request = self.launches[at].clone();
            request.carve_out = on_this(request.carve_out, device);
            let predicted = engine.on((*device).clone()).predict_request(&request);
            Some(predicted.ok()?.gpops_billion.to_bits())
        };
        devices.par_iter().map(on).collect()
    }
}

/// Returns the nearest size of shared memory that the device has; these sizes are varied too.
fn on_this(carve_out: CarveOut, device: &Device) -> CarveOut {
    let CarveOut::SharedBytes(wanted) = carve_out else {
        return carve_out;
    };
    let sizes = device.l1.splits.iter().map(|split| split.shared_bytes);
    let nearest = sizes.min_by_key(|bytes| bytes.abs_diff(wanted));
    CarveOut::SharedBytes(nearest.unwrap_or(wanted))
}

/// A value and the devices that differ in it alone.
struct Varied<'a> {
    entry: &'a Entry,
    devices: Vec<Device>,
    /// Whether a prediction changed.
    acts: bool,
}

/// Finds the values that act. One changed device of each value is tried first; values that show then are not tried again.
fn vary(bench: &Bench, device: &Device, engine: Reader, varied: &mut [Varied]) {
    for at in 0..bench.len() {
        let known = bench.predict(at, &[device], engine)[0];
        assert!(known.is_some(), "launch {at} is refused");
        for tried in [0..1, 1..usize::MAX] {
            let untold = varied.iter().enumerate().filter(|(_, value)| !value.acts);
            let (owners, devices): (Vec<usize>, Vec<&Device>) = untold
                .flat_map(|(owner, value)| {
                    let devices = value.devices.iter().skip(tried.start);
                    devices.take(tried.len()).map(move |device| (owner, device))
                })
                .unzip();
            let seen = bench.predict(at, &devices, engine);
            for (owner, seen) in owners.into_iter().zip(seen) {
                varied[owner].acts |= seen != known;
            }
        }
    }
}

fn check(name: &str, bench: &Bench) {
    let preset = Preset::load(name).unwrap();
    let table: toml::Table = Preset::text(name).unwrap().parse().unwrap();
    let mut wrong = Vec::new();
    for engine in [Reader::Sim, Reader::Model] {
        let read = preset
            .entries
            .iter()
            .filter(|entry| !entry.readers.is_empty());
        let mut varied: Vec<Varied> = read
            .map(|entry| Varied {
                entry,
                devices: variants_of(&table, entry),
                acts: false,
            })
            .collect();
        vary(bench, &preset.device, engine, &mut varied);
        for Varied {
            entry,
            devices,
            acts,
        } in varied
        {
            let key = entry.key();
            let is_read = entry.readers.iter().any(|reader| reader.serves(engine));
            let is_idle = ledger::idle(&preset.device, &key).is_some();
            let is_unseen = UNSEEN.iter().any(|(_, devices, fields, engines)| {
                devices.contains(&name)
                    && fields.contains(&key.as_str())
                    && engines.contains(&engine)
            });
            if acts != (is_read && !is_idle && !is_unseen) {
                wrong.push(format!(
                    "{name}, {key}, {}: changes a prediction: {acts}; read: {is_read}, idle: {is_idle}, listed as unseen: {is_unseen}; {} devices tried",
                    engine.name(),
                    devices.len(),
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn the_ledger_of_the_gtx670_is_true() {
    let device = Preset::load("gtx670").unwrap().device;
    check("gtx670", &Bench::kepler(&device));
}

#[test]
fn the_ledger_of_the_h200_is_true() {
    let device = Preset::load("h200").unwrap().device;
    check("h200", &Bench::hopper(&device));
}

#[test]
fn a_reference_changes_no_device() {
    for name in warpstack::device::builtin_names() {
        let preset = Preset::load(name).unwrap();
        let mut table: toml::Table = Preset::text(name).unwrap().parse().unwrap();
        let kept = table.remove("reference").unwrap();
        // Of the older chips little is known that nothing reads.
        let least = if ["gtx670", "h200"].contains(&name) {
            6
        } else {
            1
        };
        assert!(kept.as_table().unwrap().len() >= least);
        assert_eq!(
            Preset::from_table(table, name).unwrap().device,
            preset.device
        );
    }
}

#[test]
fn every_value_is_read_or_kept_as_a_reference() {
    for name in warpstack::device::builtin_names() {
        for entry in Preset::load(name).unwrap().entries {
            let is_reference = entry.section.starts_with("reference.");
            assert_eq!(is_reference, entry.readers.is_empty(), "{}", entry.key());
        }
    }
}
