//! An explanation of a prediction that a student can read: what the kernel executes, where its cycles
//! go, what of its stack fits into the L1, and the first bottleneck in one sentence.
//!
//! Leaves out: new computing; everything follows from the predictions.
//! Units: warp instructions and scheduler cycles per warp-node, that is, per node and
//! 32 fitness cases, so that configurations with different second dimensions can be compared.

use super::chart::bars::{Bar, StackedBars};
use super::chart::figure;
use super::columns::Columns;
use super::prediction::{EXTRA, shorter_paths};
use super::table::{WIDTH, table, wrapped};
use super::verdict::{self, stack_bytes};
use crate::device::ideal::Ideal;
use crate::launch::prediction::{Cause, Prediction};
use crate::predictor::{Explained, Gain};
use crate::validate::interval::SpeedInterval;
use crate::validate::known::MeasuredSpeed;
use serde::Serialize;

/// One configuration, explained.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    pub label: String,
    pub kernel: String,
    pub problem: String,
    pub stack_dim: u32,
    pub stack_registers: u32,
    pub threads: u32,
    pub gpops_billion: f64,
    /// Interval of the speed, where it was asked for.
    #[serde(flatten)]
    pub interval: Option<SpeedInterval>,
    /// Measured speed of the same launch, if the paper has one.
    pub measured: Option<MeasuredSpeed>,
    /// Part of a generation's time in which the host works and the card waits.
    pub host_percent: f64,
    /// Warp instructions that slow paths and diverging lanes add.
    pub divergence_overhead_percent: f64,
    pub occupancy_percent: f64,
    pub occupancy_limited_by: Vec<&'static str>,
    pub registers_per_thread: u32,
    /// Warp instructions per warp-node by role, and in all.
    pub instructions: Vec<Share>,
    pub instructions_per_operation: f64,
    /// Scheduler cycles per warp-node by cause, and in all.
    pub cycles: Vec<Share>,
    pub cycles_per_operation: f64,
    /// Mean size of the resident warps' touched stacks, to compare with `l1_bytes`.
    pub stack_bytes: f64,
    #[serde(rename = "l1", serialize_with = "crate::launch::prediction::kib")]
    pub l1_bytes: u32,
    pub l1_load_hit_percent: f64,
    pub l2_hit_percent: f64,
    /// Speed without a part of the machine, over that of the launch as it is: one part each, then the best pairs.
    pub gains: Vec<Gain>,
    pub bottleneck: String,
    /// Assumed values of the device that the speed rests on most.
    pub assumed: Vec<Assumed>,
    /// Beside a first launch: why the faster of the two is faster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<String>,
}

/// A value of the device that was assumed, and its effect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Assumed {
    /// `section.field` of the preset.
    pub field: String,
    pub value: f64,
    /// Change of the speed for 10 % of the value.
    pub percent: f64,
}

/// A sentence about the assumed values; empty without any.
fn in_words(assumed: &[Assumed]) -> String {
    let one = |one: &Assumed| {
        let Assumed {
            field,
            value,
            percent,
        } = one;
        format!("10 % of {field} ({value}) changes the speed by {percent:.0} %")
    };
    let all: Vec<String> = assumed.iter().map(one).collect();
    match all.is_empty() {
        true => String::new(),
        false => format!("It rests on assumed values: {}.", all.join(", ")),
    }
}

/// A named part of a whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    pub name: String,
    pub per_operation: f64,
    pub percent: f64,
    /// The part whose idealization can end these cycles and gains most, if this is a share of cycles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<Gain>,
}

/// Scheduler cycles per warp-node by cause, and in all.
pub fn cycles(prediction: &Prediction) -> (Vec<Share>, f64) {
    let operations = operations(prediction);
    let cycles = prediction.cpi_stack.iter().map(|entry| {
        let cycles = entry.cycles as f64 / operations;
        (entry.cause.in_words().to_owned(), cycles)
    });
    shares(cycles.collect())
}

/// Scheduler cycles per warp-node by cause, each with the largest gain from a part that can end them.
fn cycles_and_gains(explained: &Explained) -> (Vec<Share>, f64) {
    let (mut shares, all) = cycles(&explained.prediction);
    for share in &mut shares {
        let cause = Cause::ALL
            .iter()
            .find(|cause| cause.in_words() == share.name);
        let parts = cause.map_or(&[][..], |cause| cause.parts());
        let gains = explained
            .alone
            .iter()
            .filter(|gain| parts.contains(&gain.free[0]));
        share.without = gains
            .max_by(|a, b| a.speedup.total_cmp(&b.speedup))
            .cloned();
    }
    (shares, all)
}

fn operations(prediction: &Prediction) -> f64 {
    prediction.memory.warp_nodes.max(1) as f64 * f64::from(prediction.configuration.stack_dim)
}

/// Launches side by side, with what was measured of them; each after the first is compared with the first.
pub fn explanations(
    explained: &[Explained],
    measured: impl Fn(&Prediction) -> Option<MeasuredSpeed>,
    interval: impl Fn(&Prediction) -> SpeedInterval,
    assumed: impl Fn(&Prediction) -> Vec<Assumed>,
) -> Vec<Explanation> {
    let one = |explained: &Explained| Explanation {
        assumed: assumed(&explained.prediction),
        measured: measured(&explained.prediction),
        interval: Some(interval(&explained.prediction)),
        ..Explanation::of(explained)
    };
    let mut explanations: Vec<Explanation> = explained.iter().map(one).collect();
    let first = explanations
        .first()
        .map(|one| (one.measured, one.gpops_billion));
    let others = explained.iter().zip(&mut explanations).enumerate().skip(1);
    for (place, (other, explanation)) in others {
        let mut comparison = verdict::of_two([&explained[0], other], place + 1);
        if let (Some((Some(first), speed)), Some(second)) = (first, explanation.measured) {
            let measured = [first, second].map(|one| one.gpops_billion);
            let predicted = [speed, explanation.gpops_billion];
            comparison = comparison + "\n" + &verdict::beside_measured(measured, predicted);
        }
        explanation.comparison = Some(comparison);
    }
    explanations
}

impl Explanation {
    pub fn of(explained: &Explained) -> Explanation {
        let prediction = &explained.prediction;
        let configuration = &prediction.configuration;
        let instructions = prediction.instruction_mix.iter().map(|entry| {
            let per_operation =
                entry.warp_instructions_per_node / f64::from(configuration.stack_dim);
            (entry.role.name().to_string(), per_operation)
        });
        let (instructions, instructions_per_operation) = shares(instructions.collect());
        let (cycles, cycles_per_operation) = cycles_and_gains(explained);
        Explanation {
            label: label(prediction),
            kernel: configuration.kernel.clone(),
            problem: configuration.problem.clone(),
            stack_dim: configuration.stack_dim,
            stack_registers: configuration.stack_registers,
            threads: configuration.threads_per_block,
            gpops_billion: prediction.gpops_billion,
            measured: None,
            interval: None,
            host_percent: prediction.host_percent(),
            divergence_overhead_percent: prediction.divergence_overhead_percent,
            occupancy_percent: 100.0 * prediction.occupancy.fraction,
            occupancy_limited_by: prediction
                .occupancy
                .limiters
                .iter()
                .map(|limiter| limiter.name())
                .collect(),
            registers_per_thread: prediction.block.registers_per_thread,
            instructions,
            instructions_per_operation,
            cycles,
            cycles_per_operation,
            stack_bytes: stack_bytes(prediction),
            l1_bytes: prediction.l1_bytes,
            l1_load_hit_percent: prediction.memory.l1_load_hit_percent,
            l2_hit_percent: prediction.memory.l2_hit_percent,
            gains: [&explained.alone[..], &explained.pairs].concat(),
            bottleneck: verdict::of_one(explained),
            assumed: Vec::new(),
            comparison: None,
        }
    }
}

fn label(prediction: &Prediction) -> String {
    let configuration = &prediction.configuration;
    let registers = match configuration.stack_registers {
        0 => String::new(),
        1 => ", 1 level in registers".into(),
        levels => format!(", {levels} levels in registers"),
    };
    format!(
        "{} on {}, {}{registers}, {} threads per block, L1 {} KiB",
        configuration.kernel,
        configuration.problem,
        configuration.sizes_in_words(),
        configuration.threads_per_block,
        prediction.l1_bytes / 1024
    )
}

/// Parts without any value are left out.
fn shares(parts: Vec<(String, f64)>) -> (Vec<Share>, f64) {
    let total: f64 = parts.iter().map(|(_, value)| value).sum();
    let shares = parts
        .into_iter()
        .filter(|(_, value)| *value > 0.0)
        .map(|(name, per_operation)| Share {
            name,
            per_operation,
            percent: 100.0 * per_operation / total,
            without: None,
        })
        .collect();
    (shares, total)
}

/// The reason why cycles and gains differ.
const CYCLES_AND_GAINS: &str = "A warp-node is one node on 32 fitness cases (one lane each). The last column says how many times as fast the \
    launch would be without the part that the cycles are charged to. Judge by it: a cycle is charged to one cause, but without that cause \
    the scheduler often waits for the next one, or other warps take the slots that it would need; and what several causes share, none \
    of them gains alone.";

/// Cell of a table that has no value.
const NONE: &str = "-";

/// Explanations side by side.
pub fn text(explanations: &[Explanation]) -> String {
    let mut out = String::new();
    for (number, explanation) in explanations.iter().enumerate() {
        out += &format!("[{}] {}\n", number + 1, explanation.label);
        out += &wrapped(&explanation.bottleneck, 4, WIDTH);
        out += &wrapped(&in_words(&explanation.assumed), 4, WIDTH);
    }
    let comparisons = explanations
        .iter()
        .filter_map(|one| one.comparison.as_ref());
    for line in comparisons.flat_map(|comparison| comparison.lines()) {
        out += &wrapped(line, 0, WIDTH);
    }
    out += "\n";
    out += &figures(explanations);
    out += "\n";
    out += &gain_table(explanations);
    out += "\n";
    let by_role = |explanation: &Explanation| explanation.instructions.clone();
    out += &share_table("warp instructions per warp-node", explanations, by_role);
    out += "\n";
    let by_cause = |explanation: &Explanation| explanation.cycles.clone();
    out += &share_table("scheduler cycles per warp-node", explanations, by_cause);
    out += "\n";
    out += &wrapped(CYCLES_AND_GAINS, 0, WIDTH);
    out
}

fn figures(explanations: &[Explanation]) -> String {
    let mut columns = Columns::<Explanation>::new(1)
        .shown("billion GPop/s", |one| one.gpops_billion)
        .digits(3)
        .shown("90 % interval", |one| {
            let bounds = one.interval?.bounds();
            let text = |(low, high)| format!("{} to {}", figure(low), figure(high));
            Some(bounds.map_or("none".to_owned(), text))
        })
        .shown("measured launches like it", |one| {
            Some(one.interval?.support.name())
        });
    if explanations.iter().any(|one| one.measured.is_some()) {
        columns = columns
            .shown("measured (billion GPop/s)", |one| {
                one.measured.map(|measured| measured.gpops_billion)
            })
            .digits(3);
    }
    let columns = columns
        .shown("time on the host (%)", |one| one.host_percent)
        .digits(1)
        .shown(EXTRA, |one| one.divergence_overhead_percent)
        .digits(1)
        .shown("occupancy (%)", |one| one.occupancy_percent)
        .digits(1)
        .shown("limited by", |one| one.occupancy_limited_by.clone())
        .shown("registers per thread", |one| one.registers_per_thread)
        .shown("stacks touch (KiB)", |one| one.stack_bytes / 1024.0)
        .digits(1)
        .shown("L1 holds (KiB)", |one| one.l1_bytes / 1024)
        .shown("L1 load hits (%)", |one| one.l1_load_hit_percent)
        .digits(1)
        .shown("L2 hits (%)", |one| one.l2_hit_percent)
        .digits(1);
    let rows: Vec<&Explanation> = explanations.iter().collect();
    let numbers = (1..=rows.len()).map(|number| format!("[{number}]"));
    let headers: Vec<String> = std::iter::once("figure".to_owned())
        .chain(numbers)
        .collect();
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let of_data = rows.iter().map(|one| one.divergence_overhead_percent);
    columns.turned(&headers, &rows) + shorter_paths(of_data)
}

/// Formats the speedups without each part or pair: single parts first, each group by its largest speedup.
fn gain_table(explanations: &[Explanation]) -> String {
    let mut sets: Vec<&[Ideal]> = Vec::new();
    for gain in explanations.iter().flat_map(|one| &one.gains) {
        if !sets.contains(&&gain.free[..]) {
            sets.push(&gain.free);
        }
    }
    let of = |explanation: &Explanation, free: &[Ideal]| {
        let mut gains = explanation.gains.iter();
        let found = gains.find(|gain| gain.free == free);
        found.map(|gain| gain.speedup)
    };
    let most = |free: &[Ideal]| {
        let gains = explanations.iter().filter_map(|one| of(one, free));
        gains.fold(0.0, f64::max)
    };
    sets.sort_by(|a, b| {
        let by_gain = most(b).total_cmp(&most(a));
        a.len().cmp(&b.len()).then(by_gain)
    });
    let row = |free: &&[Ideal]| {
        let names: Vec<&str> = free.iter().map(|part| part.name()).collect();
        let gains = explanations.iter().map(|one| {
            let gain = of(one, free);
            gain.map_or(NONE.to_owned(), |gain| format!("{gain:.2}"))
        });
        [names.join(" and ")].into_iter().chain(gains).collect()
    };
    let rows: Vec<Vec<String>> = sets.iter().map(row).collect();
    let note = match rows.iter().flatten().any(|cell| cell == NONE) {
        true => "-: not a part that this launch has, or not one of its best pairs.\n",
        false => "",
    };
    numbered_table("times as fast without", explanations.len(), rows, 1) + note
}

fn share_table(
    title: &str,
    explanations: &[Explanation],
    part: impl Fn(&Explanation) -> Vec<Share>,
) -> String {
    let parts: Vec<Vec<Share>> = explanations.iter().map(part).collect();
    let mut names: Vec<String> = Vec::new();
    for share in parts.iter().flatten() {
        if !names.contains(&share.name) {
            names.push(share.name.clone());
        }
    }
    let width = match parts.iter().flatten().any(|share| share.without.is_some()) {
        true => 3,
        false => 2,
    };
    let cells = |name: &str, shares: &[Share]| -> Vec<String> {
        let found = shares.iter().find(|share| share.name == name);
        let value = |value: &dyn Fn(&Share) -> Option<String>| {
            found.and_then(value).unwrap_or_else(|| NONE.into())
        };
        let mut cells = vec![
            value(&|share| Some(format!("{:.2}", share.per_operation))),
            value(&|share| Some(format!("{:.1} %", share.percent))),
            value(&|share| Some(format!("{:.2}", share.without.as_ref()?.speedup))),
        ];
        cells.truncate(width);
        cells
    };
    let mut rows: Vec<Vec<String>> = names
        .iter()
        .map(|name| {
            let values = parts.iter().flat_map(|shares| cells(name, shares));
            [name.clone()].into_iter().chain(values).collect()
        })
        .collect();
    let mut total = vec!["total".to_string()];
    for shares in &parts {
        let sum: f64 = shares.iter().map(|share| share.per_operation).sum();
        total.extend([format!("{sum:.2}"), "100.0 %".into()]);
        total.extend((2..width).map(|_| String::new()));
    }
    rows.push(total);
    numbered_table(title, explanations.len(), rows, width)
}

/// A table whose columns after the first belong to `[1]`, `[2]`, `width` columns each.
fn numbered_table(title: &str, n: usize, rows: Vec<Vec<String>>, width: usize) -> String {
    let mut headers = vec![title.to_string()];
    for number in 1..=n {
        headers.push(format!("[{number}]"));
        headers.extend((1..width).map(|_| String::new()));
    }
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    table(&headers, rows, 1)
}

/// Returns the cycles of a launch as the layers of a bar.
fn bar(explanation: &Explanation) -> Bar {
    let cycles = explanation.cycles.iter();
    Bar {
        label: format!(
            "{}: {:.1} billion GPop/s",
            explanation.label, explanation.gpops_billion
        ),
        layers: cycles
            .map(|share| (share.name.clone(), share.per_operation))
            .collect(),
    }
}

/// Stacked bars of the cycles per warp-node, one per configuration.
pub fn chart<'a>(explanations: impl IntoIterator<Item = &'a Explanation>) -> StackedBars {
    StackedBars::new(
        "Where the cycles go".into(),
        "scheduler cycles per warp-node (one node on 32 fitness cases); shorter is faster".into(),
        explanations.into_iter().map(bar).collect(),
    )
}
