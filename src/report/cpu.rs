//! What the model of a CPU says of an interpreter: rows, a table, the sentences that say why, a chart.
//!
//! Leaves out: computing (`cpu/explain.rs`). Units: cycles for a node of a program on a block of cases; KiB.

use super::chart::lines::{Line, Lines, Scale};
use super::table::{WIDTH, table, wrapped};
use crate::cpu::ecm::Cause;
use crate::cpu::explain::{Explained, Point};
use crate::cpu::preset::{Machine, Preset};
use crate::gp::interpret::Options;
use serde::Serialize;

/// Gains and differences below this are not worth a word.
const NOTABLE: f64 = 0.02;

const KIB: f64 = 1024.0;

/// An interpreter on a block.
#[derive(Debug, Clone, Serialize)]
pub struct CpuExplanation {
    pub cpu: String,
    pub interpreter: &'static str,
    pub simd: &'static str,
    pub block_cases: usize,
    pub row_kib: f64,
    pub reuse_kib: f64,
    pub predicted_gpops_billion: f64,
    /// For a node on a block, by cause and in all.
    pub cycles_per_token: f64,
    pub dispatch: f64,
    pub mispredicted_jumps: f64,
    pub waiting: f64,
    pub arithmetic: f64,
    pub loads_and_stores: f64,
    pub l2: f64,
    pub l3: f64,
    pub memory: f64,
    pub comparison: f64,
}

/// All interpreters on all blocks.
pub fn rows(explained: &[Explained], preset: &Preset, options: Options) -> Vec<CpuExplanation> {
    let row = |one: &Explained, point: &Point| {
        let cycles = |cause: Cause| point.per_token(point.predicted.of(cause));
        CpuExplanation {
            cpu: preset.name.clone(),
            interpreter: one.interpreter,
            simd: options.path.name(),
            block_cases: point.block_cases,
            row_kib: point.row_bytes / KIB,
            reuse_kib: point.predicted.reuse_bytes / KIB,
            predicted_gpops_billion: point.predicted.gpops_billion,
            cycles_per_token: point.per_token(point.predicted.cycles),
            dispatch: cycles(Cause::Dispatch),
            mispredicted_jumps: cycles(Cause::Mispredicted),
            waiting: cycles(Cause::Waiting),
            arithmetic: cycles(Cause::Arithmetic),
            loads_and_stores: cycles(Cause::L1),
            l2: cycles(Cause::L2),
            l3: cycles(Cause::L3),
            memory: cycles(Cause::Memory),
            comparison: cycles(Cause::Score),
        }
    };
    let mut rows = Vec::new();
    for one in explained {
        rows.extend(one.curve.iter().map(|point| row(one, point)));
    }
    rows
}

/// For people.
pub fn text(explained: &[Explained], preset: &Preset, machine: &Machine) -> String {
    let mut text = capital(&preset.about()) + "\n";
    for one in explained {
        text += "\n";
        text += &of_one(one, machine);
    }
    text
}

fn of_one(one: &Explained, machine: &Machine) -> String {
    let mut headers = vec!["block", "row (KiB)", "GPop/s (billion)", "cycles"];
    headers.extend(Cause::ALL.map(Cause::name));
    let cells = |point: &Point| {
        let mut cells = vec![
            point.block_cases.to_string(),
            figure(point.row_bytes / KIB),
            format!("{:.1}", point.predicted.gpops_billion),
            figure(point.per_token(point.predicted.cycles)),
        ];
        let of = |cause: Cause| figure(point.per_token(point.predicted.of(cause)));
        cells.extend(Cause::ALL.map(of));
        cells
    };
    let rows = one.curve.iter().map(cells).collect();
    let title = format!("{}: cycles for a node on a block of cases", one.interpreter);
    let mut text = title + "\n\n" + &table(&headers, rows, 0) + "\n";
    text += &wrapped(&fastest(one), 0, WIDTH);
    if let Some(turn) = turn(one, machine) {
        text += &wrapped(&turn, 0, WIDTH);
    }
    text
}

fn figure(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// Where it is fastest, and what removed would gain most there.
fn fastest(one: &Explained) -> String {
    let best = one.best();
    let speed = best.predicted.gpops_billion;
    let cases = best.block_cases;
    let mut text = match one.curve.len() {
        1 => format!("{speed:.1} billion GPop/s with {cases} cases at a time."),
        _ => format!("Fastest with blocks of {cases} cases: {speed:.1} billion GPop/s."),
    };
    match one.gains.first() {
        Some((cause, gain)) if *gain >= 1.0 + NOTABLE => {
            let share = 100.0 * best.predicted.of(*cause) / best.predicted.cycles;
            text += &format!(
                " There {} first: if {}, it would be {}; {share:.0} % of the cycles are its own.",
                limits(*cause),
                condition(*cause),
                times(*gain)
            );
        }
        _ => text += " No part alone limits it: without any one it would be less than 2 % faster.",
    }
    text
}

fn limits(cause: Cause) -> &'static str {
    match cause {
        Cause::Dispatch => "the interpreter's own instructions limit it",
        Cause::Mispredicted => "mispredicted jumps limit it",
        Cause::Waiting => "waiting for the step before limits it",
        Cause::Arithmetic => "arithmetic limits it",
        Cause::L1 => "loads and stores limit it",
        Cause::L2 => "the way to the L2 limits it",
        Cause::L3 => "the way to the L3 limits it",
        Cause::Memory => "the way to the memory limits it",
        Cause::Score => "comparing with what was expected limits it",
    }
}

fn condition(cause: Cause) -> &'static str {
    match cause {
        Cause::Dispatch => "choosing a function and finding its operands took no time",
        Cause::Mispredicted => "every jump were predicted",
        Cause::Waiting => "every result were there at once",
        Cause::Arithmetic => "instructions on registers took no time",
        Cause::L1 => "loads and stores took no time",
        Cause::L2 => "the L1 held everything",
        Cause::L3 => "the L2 held everything",
        Cause::Memory => "the L3 held everything",
        Cause::Score => "values were not compared",
    }
}

/// Why the curve rises and falls.
fn turn(one: &Explained, machine: &Machine) -> Option<String> {
    let (first, best) = (one.curve.first()?, one.best());
    let mut text = String::new();
    let own = |point: &Point| {
        let cycles = point.predicted.of(Cause::Dispatch) + point.predicted.of(Cause::Mispredicted);
        100.0 * cycles / point.predicted.cycles
    };
    if one.best > 0 {
        text += &format!(
            "It rises because choosing a function costs a long block no more than a short one: {:.0} % of the cycles with {} cases, {:.0} % with {}. ",
            own(first),
            first.block_cases,
            own(best),
            best.block_cases
        );
    }
    let moved = |point: &Point| {
        let levels = [Cause::L2, Cause::L3, Cause::Memory];
        let cycles: f64 = levels.iter().map(|&cause| point.predicted.of(cause)).sum();
        100.0 * cycles / point.predicted.cycles
    };
    let longer = one.curve[one.best + 1..].iter();
    let falls = longer
        .clone()
        .find(|point| moved(point) > moved(best) + 100.0 * NOTABLE);
    match falls {
        Some(point) => {
            text += &format!(
                "It turns because between two uses of a row of its memory a program touches {:.0} KiB with {} cases, on average, and {:.0} KiB with {}; the L1 has {:.0} KiB. Lines that come from beyond it take {:.0} % of the cycles then.",
                best.predicted.reuse_bytes / KIB,
                best.block_cases,
                point.predicted.reuse_bytes / KIB,
                point.block_cases,
                machine.caches[0].bytes / KIB,
                moved(point)
            );
        }
        None if longer.len() > 0 => text += "Longer blocks lose nothing to the caches.",
        None => {}
    }
    (!text.is_empty()).then_some(text)
}

fn times(ratio: f64) -> String {
    match ratio < 2.0 {
        true => format!("{:.0} % faster", 100.0 * (ratio - 1.0)),
        false => format!("{ratio:.1} times as fast"),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// The predicted speed over the block.
pub fn chart(explained: &[Explained]) -> Lines {
    let line = |one: &Explained| {
        let points = one.curve.iter();
        let points = points.map(|p| (p.block_cases as f64, p.predicted.gpops_billion));
        Line {
            name: one.interpreter.to_owned(),
            points: points.collect(),
        }
    };
    let with_choice = explained.iter().filter(|one| one.curve.len() > 1);
    let own = explained.iter().filter(|one| one.curve.len() == 1);
    let level = |one: &Explained| {
        (
            one.best().predicted.gpops_billion,
            one.interpreter.to_owned(),
        )
    };
    Lines {
        x_label: "fitness cases of a block".to_owned(),
        y_label: "billion GPop/s".to_owned(),
        scale: Scale::Doubling,
        lines: with_choice.map(line).collect(),
        mark: None,
        levels: own.map(level).collect(),
        steps: false,
    }
}
