//! `warpstack advise`: the fastest kernel and launch for a device and a problem, and why.
//!
//! Predicts every kernel compiled for the problem at every block size and division of the on-chip memory
//! with the analytical model; explains the best; finds its limit by giving it ten percent more of each resource.
//! Leaves out: kernels that were not compiled. Units: billions of GPop/s.

mod elsewhere;

use super::CliResult;
use super::engine::{EngineArgs, InputArgs};
use super::format::{Format, OutputArgs};
use super::look::ChartArgs;
use super::names;
use super::own_kernel::{self, OwnKernelArgs};
use crate::device::{Device, Preset, Reader};
use crate::launch::prediction::{Configuration, PredictError, Prediction};
use crate::predictor::{Kind, Predictor, architecture};
use crate::report::chart::bars::{Bar, StackedBars};
use crate::report::columns::Columns;
use crate::report::progress::Progress;
use crate::report::provenance::Provenance;
use crate::report::table::WIDTH;
use crate::report::{table, verdict};
use crate::study::{Base, Key};
use crate::systems::chitty::variant::{KernelId, Variant};
use crate::systems::options::LaunchOptions;
use crate::util::parallel;
use crate::validate::interval::{Candidate, Errors, Group, Interval, SpeedInterval};
use crate::validate::known::MeasuredSpeed;
use elsewhere::Elsewhere;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Find the fastest kernel, block size, second dimension and L1 size, and explain the choice.
#[derive(Debug, clap::Args)]
#[command(mut_arg("chart", |arg| arg.help("Chart of the fastest launch of each kernel to draw, .svg or .png")))]
pub struct AdviseArgs {
    /// Problem name (`warpstack list problems` lists them)
    #[arg(long, default_value = "sextic", value_parser = crate::commands::names::problem())]
    pub problem: String,
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670", value_parser = crate::commands::names::device())]
    pub device: String,
    /// Consider only this kernel (`warpstack list kernels` lists them)
    #[arg(long, conflicts_with_all = ["sass", "cuda"], value_parser = names::kernel())]
    pub kernel: Option<String>,
    #[command(flatten)]
    pub own: OwnKernelArgs,
    /// Second dimension of the stack that the custom kernel was compiled for [default: 1]
    #[arg(long, value_name = "N", requires = "encoding", value_parser = clap::value_parser!(u32).range(1..))]
    pub stack_dim: Option<u32>,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Number of the analytical model's best choices to simulate, besides the best of every kernel (with --engine simulator)
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub confirm: u16,
    #[command(flatten)]
    pub chart: ChartArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Fastest launch of each kernel, the bottleneck of the best, and the gains from changing the machine.
#[derive(Debug, Serialize)]
struct Advice {
    problem: String,
    /// Number of launches predicted with the analytical model.
    searched: usize,
    bottleneck: String,
    /// The fastest of each kernel, the fastest of all first.
    launches: Vec<Launch>,
    gains: Vec<Gain>,
    /// Kernels that only another architecture's code has, by the analytical model.
    elsewhere: Vec<Elsewhere>,
}

/// A launch.
#[derive(Debug, Clone, Serialize)]
struct Launch {
    kernel: String,
    stack_dim: u32,
    stack_registers: u32,
    threads: u32,
    case_blocks: u32,
    /// In KiB.
    l1: u32,
    gpops_billion: f64,
    /// 90 % interval of the speed, if such launches were measured.
    #[serde(flatten)]
    interval: SpeedInterval,
    /// Chance to be the fastest of these launches.
    best_percent: Option<f64>,
    /// Measured speed of the same launch, if the paper has one.
    measured: Option<MeasuredSpeed>,
    /// The fastest has 0.
    behind_percent: f64,
    resident_blocks: u32,
    occupancy_limit: Vec<&'static str>,
    #[serde(skip)]
    name: String,
}

/// Gain from a change of the machine.
#[derive(Debug, Serialize)]
struct Gain {
    field: &'static str,
    #[serde(skip)]
    words: &'static str,
    from: f64,
    to: f64,
    percent: f64,
}

/// Block sizes are tried in steps of a warp.
const WARP_THREADS: usize = 32;
/// Fields of the preset whose increase is tried, and what they are in words.
const RESOURCES: [(&str, &str); 9] = [
    ("chip.clock_mhz", "clock"),
    ("limits.registers_per_smx", "registers"),
    ("limits.blocks_per_smx", "block slots"),
    ("load_store.l1_misses_in_flight", "misses in flight"),
    ("l2.port_bytes_per_cycle", "L2 port width"),
    ("l2.bytes", "L2 size"),
    ("dram.bandwidth_gb_per_s", "DRAM bandwidth"),
    ("throughput.fp32_lanes_per_cycle", "arithmetic lanes"),
    ("instruction_cache.l1_bytes", "instruction cache"),
];
/// Latencies whose decrease is tried.
const LATENCIES: [(&str, &str); 4] = [
    ("l1.hit_latency_cycles", "L1 latency"),
    ("shared.latency_cycles", "shared-memory latency"),
    ("l2.hit_latency_cycles", "L2 latency"),
    ("dram.latency_cycles", "DRAM latency"),
];
const CHANGE: f64 = 0.1;
/// Launches of each kernel that the simulator confirms.
const OF_EACH_KERNEL: usize = 3;
/// Gains below this are not shown, in percent.
const LEAST_GAIN: f64 = 0.05;

pub fn run(args: &AdviseArgs) -> CliResult {
    args.output.check()?;
    args.chart.check()?;
    let device = Preset::load(&args.device)?.device;
    let (own, inputs) = own_launch(args, &device)?;
    let chosen = args
        .engine
        .with_inputs(inputs)
        .open(&device, &[&args.problem])?;
    if let Some(own) = &own {
        own_kernel::check(&chosen, &[chosen.configure(own)?], &args.own)?;
    }
    let model = chosen.with_engine(Kind::Analytical);
    let mut all = search((&args.problem, args.kernel.as_deref()), &model)?;
    if let Some(own) = own {
        all.extend(predicted(launches(&own, &device), &model)?);
        sort(&mut all);
    }
    if all.is_empty() {
        let given = args.kernel.as_deref().unwrap_or("any kernel");
        return Err(format!(
            "kernel for {}: given {given}; allowed: one of `warpstack list kernels`",
            args.problem
        )
        .into());
    }
    let n_searched = all.len();
    if args.engine.engine == Kind::Simulator {
        let confirmed = candidates(all, usize::from(args.confirm));
        let progress = Progress::new(confirmed.len() as u64, "launches simulated");
        let predict = |launch: &Prediction| {
            let predicted = chosen.predict(&launch.configuration);
            progress.step();
            predicted
        };
        all = parallel::try_map(&confirmed, predict)?;
        sort(&mut all);
    }
    let explained = chosen.explain(&all[0].configuration)?;
    let known = args.engine.inputs.known(&device)?;
    let measured = |one: &Prediction| known.as_ref()?.of_prediction(one);
    let best = best_of_each_kernel(&all);
    let confidence = Confidence::of(&best, &device, args.engine.engine);
    let advice = Advice {
        problem: args.problem.clone(),
        searched: n_searched,
        bottleneck: verdict::of_one(&explained),
        launches: best
            .iter()
            .zip(confidence)
            .map(|(one, confidence)| Launch {
                measured: measured(one),
                ..Launch::of(one, &all[0], confidence)
            })
            .collect(),
        elsewhere: match args.kernel.is_some() || args.engine.inputs.arch.is_some() {
            true => Vec::new(),
            false => elsewhere::kernels(&args.problem, &model)?,
        },
        gains: gains(&Base::load(&args.device)?, &model, &all[0].configuration)?,
    };
    let provenance = Provenance::of(&chosen);
    let text = || report(&advice, &device.title, &all[0]);
    match args.output.format() {
        Format::Csv => args.output.print(&advice.launches, &provenance, text)?,
        _ => args.output.print_one(&advice, &provenance, text)?,
    }
    args.chart
        .save(|| chart(&all, &device.title, &args.problem))?;
    Ok(())
}

/// The best `n` launches, and the best few of every kernel besides: the two models do not agree to a percent.
fn candidates(all: Vec<Prediction>, n: usize) -> Vec<Prediction> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut chosen = Vec::new();
    for (place, launch) in all.into_iter().enumerate() {
        let of_kernel = seen.entry(launch.configuration.kernel.clone()).or_default();
        *of_kernel += 1;
        if place < n || *of_kernel <= OF_EACH_KERNEL {
            chosen.push(launch);
        }
    }
    chosen
}

/// All launches that can run, the fastest first.
fn search(
    (problem, kernel): (&str, Option<&str>),
    model: &Predictor,
) -> Result<Vec<Prediction>, Box<dyn std::error::Error>> {
    let device = model.device();
    let arch = architecture(device, &model.settings().code)?;
    let kernels: BTreeSet<(String, u32, u32)> = Variant::all()?
        .into_iter()
        .filter(|variant| variant.problem.name() == problem && variant.arch == arch)
        .map(|variant| {
            (
                variant.kernel.to_string(),
                variant.stack_dim,
                variant.stack_registers,
            )
        })
        .filter(|(name, _, _)| kernel.is_none_or(|only| only == name))
        .collect();
    let of_kernel = |(kernel, stack_dim, stack_registers): (String, u32, u32)| {
        let kernel = LaunchOptions {
            problem: Some(problem.to_owned()),
            stack_dim: Some(stack_dim),
            stack_registers: Some(stack_registers),
            ..LaunchOptions::of(&kernel)
        };
        launches(&kernel, device)
    };
    predicted(kernels.into_iter().flat_map(of_kernel).collect(), model)
}

/// The custom kernel of the options, if there is one, and the inputs that have it.
fn own_launch(
    args: &AdviseArgs,
    device: &Device,
) -> Result<(Option<LaunchOptions>, InputArgs), Box<dyn std::error::Error>> {
    let asked = LaunchOptions {
        problem: Some(args.problem.clone()),
        stack_dim: args.stack_dim,
        ..LaunchOptions::default()
    };
    let (launch, inputs) = own_kernel::launched(asked, &args.own, &args.engine.inputs, device)?;
    Ok((inputs.own.is_some().then_some(launch), inputs))
}

/// A kernel at every block size, number of blocks that share the cases, and division of the on-chip memory.
fn launches(kernel: &LaunchOptions, device: &Device) -> Vec<LaunchOptions> {
    let mut launches = Vec::new();
    for threads in (WARP_THREADS..=device.limits.threads_per_block as usize).step_by(WARP_THREADS) {
        for &case_blocks in case_blocks(&kernel.kernel) {
            launches.extend(device.l1.splits.iter().map(|split| LaunchOptions {
                threads_per_block: Some(threads as u32),
                case_blocks: Some(case_blocks),
                l1_kib: Some(split.l1_bytes / 1024),
                ..kernel.clone()
            }));
        }
    }
    launches
}

/// Predicts the launches that can run, the fastest first.
fn predicted(
    launches: Vec<LaunchOptions>,
    model: &Predictor,
) -> Result<Vec<Prediction>, Box<dyn std::error::Error>> {
    let progress = Progress::new(launches.len() as u64, "launches");
    let found = parallel::try_map(&launches, |launch| {
        progress.step();
        match model.predict(launch) {
            Ok(prediction) => Ok(Some(prediction)),
            // Not compiled with these settings, or too large a block.
            Err(PredictError::Occupancy { .. } | PredictError::Refused(_)) => Ok(None),
            Err(error) => Err(error),
        }
    })?;
    let mut found: Vec<Prediction> = found.into_iter().flatten().collect();
    sort(&mut found);
    Ok(found)
}

/// Numbers of blocks that share a program's cases, as many as are tried.
fn case_blocks(kernel: &str) -> &'static [u32] {
    kernel
        .parse::<KernelId>()
        .map_or(&[1], |id| id.sharing().case_blocks_to_try())
}

fn sort(predictions: &mut [Prediction]) {
    predictions.sort_by(|a, b| b.gpops_billion.total_cmp(&a.gpops_billion));
}

fn report(advice: &Advice, device: &str, best: &Prediction) -> String {
    let Advice {
        problem,
        searched,
        bottleneck,
        launches,
        gains,
        elsewhere,
    } = advice;
    let first = &launches[0];
    let headline = format!("{problem} on {device}: {}", first.name);
    let mut text = table::wrapped(&headline, 0, WIDTH);
    let mut add = |line: String| text += &table::wrapped(&line, 2, WIDTH);
    add(format!(
        "{} billion GPop/s predicted, the best of {searched} launches. {} blocks ({} warps) per SMX, limited by {}.",
        significant(first.gpops_billion),
        first.resident_blocks,
        best.occupancy.warps,
        first.occupancy_limit.join(" and "),
    ));
    let interval = first.interval;
    match interval.gpops_billion_low.zip(interval.gpops_billion_high) {
        Some((low, high)) => add(format!(
            "90 % interval: {} to {} ({}).{}",
            significant(low),
            significant(high),
            interval.support.name(),
            ties(launches),
        )),
        None => add("No interval: nothing like it was measured on this device.".into()),
    }
    if let Some(measured) = first.measured {
        add(format!(
            "Measured: {} billion GPop/s (Table {} of the paper).",
            significant(measured.gpops_billion),
            measured.table
        ));
    }
    add(format!("First bottleneck: {bottleneck}"));
    if launches.len() > 1 {
        text += "\nThe best launch of each other kernel, speeds in billion GPop/s:\n";
        text += &runners_up(&launches[1..]);
    }
    if !elsewhere.is_empty() {
        text += "\n";
        text += &elsewhere::text(elsewhere);
    }
    text += "\nWhat limits it: the gain from 10 % more of one resource, or 10 % less of one\nlatency, all others unchanged.\n";
    text + &gain_table(gains)
}

/// Confidence in one of several launches.
struct Confidence {
    interval: Interval,
    best_percent: Option<f64>,
}

impl Confidence {
    fn of(launches: &[&Prediction], device: &Device, engine: Kind) -> Vec<Confidence> {
        let errors = Errors::of(device);
        let candidate = |one: &&Prediction| Candidate {
            group: Group::of(one, &device.name, engine.name()),
            speed: one.gpops_billion,
        };
        let candidates: Vec<Candidate> = launches.iter().map(candidate).collect();
        let chances = errors.chances(&candidates);
        let of = |(at, candidate): (usize, &Candidate)| Confidence {
            interval: errors.interval(&candidate.group),
            best_percent: chances.as_ref().map(|chances| 100.0 * chances[at]),
        };
        candidates.iter().enumerate().map(of).collect()
    }
}

impl Launch {
    fn of(prediction: &Prediction, best: &Prediction, confidence: Confidence) -> Launch {
        let configuration = &prediction.configuration;
        let limiters = prediction.occupancy.limiters.iter();
        Launch {
            kernel: configuration.kernel.clone(),
            stack_dim: configuration.stack_dim,
            stack_registers: configuration.stack_registers,
            threads: configuration.threads_per_block,
            case_blocks: configuration.case_blocks,
            l1: prediction.l1_bytes / 1024,
            gpops_billion: prediction.gpops_billion,
            interval: confidence.interval.of_speed(prediction.gpops_billion),
            best_percent: confidence.best_percent,
            measured: None,
            behind_percent: 100.0 * (1.0 - prediction.gpops_billion / best.gpops_billion),
            resident_blocks: prediction.occupancy.blocks,
            occupancy_limit: limiters.map(|limit| limit.name()).collect(),
            name: name(prediction),
        }
    }
}

/// Launches that may well be the fastest instead of the first, in words.
fn ties(launches: &[Launch]) -> String {
    let Some(first) = launches[0].best_percent else {
        return String::new();
    };
    let tied = launches.iter().skip(1);
    let tied = tied.filter(|one| {
        one.best_percent
            .is_some_and(|percent| percent >= TIE_PERCENT)
    });
    let kernels: Vec<&str> = tied.map(|one| one.kernel.as_str()).collect();
    let tie = match kernels.is_empty() {
        true => String::new(),
        false => format!(
            " As good as tied with the best launch of {}.",
            kernels.join(", ")
        ),
    };
    format!(" The fastest of these with a chance of {first:.0} %.{tie}")
}

/// Chance to be the fastest from which a launch counts as tied with the first.
const TIE_PERCENT: f64 = 20.0;

/// A number with as many digits as it needs, at most four after the point.
fn rounded(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn name(prediction: &Prediction) -> String {
    let configuration = &prediction.configuration;
    let registers = match configuration.stack_registers {
        0 => String::new(),
        1 => ", 1 level in registers".into(),
        levels => format!(", {levels} levels in registers"),
    };
    let case_blocks = match configuration.case_blocks {
        1 => String::new(),
        blocks => format!(", {blocks} blocks a program"),
    };
    format!(
        "kernel {}, second dimension {}{registers}, {} threads{case_blocks}, {} KiB L1",
        configuration.kernel,
        configuration.stack_dim,
        configuration.threads_per_block,
        prediction.l1_bytes / 1024
    )
}

fn runners_up(launches: &[Launch]) -> String {
    let mut columns = Columns::<Launch>::new(1)
        .shown("kernel", |one| one.kernel.clone())
        .shown("dim", |one| one.stack_dim);
    let mut legend = "dim: second dimension".to_owned();
    if launches.iter().any(|one| one.stack_registers > 0) {
        columns = columns.shown("levels", |one| one.stack_registers);
        legend += "; levels: of the stack, in registers";
    }
    columns = columns.shown("threads", |one| one.threads);
    if launches.iter().any(|one| one.case_blocks > 1) {
        columns = columns.shown("blocks", |one| one.case_blocks);
        legend += "; blocks: per program";
    }
    columns = columns
        .shown("L1", |one| one.l1)
        .shown("speed", |one| significant(one.gpops_billion));
    if launches.iter().any(|one| one.measured.is_some()) {
        let measured = |one: &Launch| one.measured.map(|speed| significant(speed.gpops_billion));
        columns = columns.shown("measured", measured).or("-");
    }
    let columns = columns
        .shown("gain (%)", |one| -one.behind_percent)
        .digits(1);
    columns.text(launches)
        + &table::wrapped(
            &(legend + "; L1: in KiB; gain: in speed over the best."),
            0,
            WIDTH,
        )
}

/// The fastest launch of each kernel, the fastest of all first.
fn best_of_each_kernel(all: &[Prediction]) -> Vec<&Prediction> {
    let mut seen = BTreeSet::new();
    let is_first = |p: &&Prediction| seen.insert(p.configuration.kernel.clone());
    all.iter().filter(is_first).collect()
}

fn chart(all: &[Prediction], device: &str, problem: &str) -> StackedBars {
    let bar = |p: &Prediction| Bar {
        label: name(p),
        layers: vec![("speed".to_owned(), p.gpops_billion)],
    };
    StackedBars::new(
        format!("The fastest launch of each kernel: {problem} on {device}"),
        "billion GPop/s, predicted".into(),
        best_of_each_kernel(all).into_iter().map(bar).collect(),
    )
}

/// With four digits that count.
fn significant(value: f64) -> String {
    let digits = 3 - value.abs().max(1e-9).log10().floor() as i32;
    format!("{value:.*}", digits.max(0) as usize)
}

/// Gains of the best launch, the largest first.
fn gains(
    base: &Base,
    model: &Predictor,
    best: &Configuration,
) -> Result<Vec<Gain>, Box<dyn std::error::Error>> {
    let now = model.predict(best)?.gpops_billion;
    let more = RESOURCES
        .iter()
        .map(|&(field, words)| (field, words, 1.0 + CHANGE));
    let less = LATENCIES
        .iter()
        .map(|&(field, words)| (field, words, 1.0 - CHANGE));
    let mut gains = Vec::new();
    for (field, words, factor) in more.chain(less) {
        let (key, ty) = base.key(field)?;
        if base.check_read(&key, Reader::Model, &[]).is_err() {
            continue;
        }
        let Key::Field(section, entry) = &key else {
            continue;
        };
        let Some(value) = base.value(section, entry) else {
            continue;
        };
        let changed = match ty {
            crate::study::setting::Type::Whole if factor > 1.0 => {
                (value * factor).ceil().to_string()
            }
            crate::study::setting::Type::Whole => (value * factor).floor().to_string(),
            _ => (value * factor).to_string(),
        };
        // A resource whose other values must fit may not be changeable alone.
        let Ok(device) = base.device(&[(&key, &changed)]) else {
            continue;
        };
        let Ok(then) = model.on(device).predict(best) else {
            continue;
        };
        let Ok(to) = changed.parse() else {
            continue;
        };
        gains.push(Gain {
            field,
            words,
            from: value,
            to,
            percent: 100.0 * (then.gpops_billion / now - 1.0),
        });
    }
    gains.retain(|gain| gain.percent.abs() >= LEAST_GAIN);
    gains.sort_by(|a, b| b.percent.total_cmp(&a.percent));
    Ok(gains)
}

fn gain_table(gains: &[Gain]) -> String {
    let rows = gains.iter().map(|gain| {
        vec![
            gain.words.to_owned(),
            format!("{} to {}", rounded(gain.from), rounded(gain.to)),
            format!("{:+.1}", gain.percent),
        ]
    });
    table::table(&["what", "change", "gain (%)"], rows.collect(), 2)
}
