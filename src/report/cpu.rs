//! Explanations of an interpreter's speed by the CPU model: rows, a table, sentences, a chart.
//!
//! Leaves out: computing (`cpu/explain.rs`). Units: cycles for a node of a program on a block of cases; KiB.

use super::chart::lines::{Line, Lines, Scale};
use super::columns::Columns;
use super::table::{WIDTH, wrapped};
use crate::cpu::ecm::Cause;
use crate::cpu::explain::{Explained, Point};
use crate::cpu::preset::{Machine, Preset};
use crate::gp::interpret::Options;

/// Gains and differences below this are not worth a word.
const NOTABLE: f64 = 0.02;

const KIB: f64 = 1024.0;

/// An interpreter on a block of cases.
pub struct InterpreterRow<'a> {
    cpu: &'a str,
    simd: &'static str,
    interpreter: &'static str,
    point: &'a Point,
}

/// All interpreters on all blocks.
pub fn rows<'a>(
    explained: &'a [Explained],
    preset: &'a Preset,
    options: Options,
) -> Vec<InterpreterRow<'a>> {
    let of_one = |one: &'a Explained| {
        one.curve.iter().map(move |point| InterpreterRow {
            cpu: &preset.name,
            simd: options.path.name(),
            interpreter: one.interpreter,
            point,
        })
    };
    explained.iter().flat_map(of_one).collect()
}

/// Columns of a row: cycles are for a node on a block, in all and by cause.
pub fn columns<'a>() -> Columns<InterpreterRow<'a>> {
    let columns = Columns::<InterpreterRow>::new(0)
        .filed("cpu", |row| row.cpu.to_owned())
        .filed("interpreter", |row| row.interpreter)
        .filed("simd", |row| row.simd)
        .column("block", "block_cases", |row| row.point.block_cases)
        .column("row (KiB)", "row_kib", |row| row.point.row_bytes / KIB)
        .three_digits()
        .filed("reuse_kib", |row| row.point.predicted.reuse_bytes / KIB)
        .column("GPop/s (billion)", "predicted_gpops_billion", |row| {
            row.point.predicted.gpops_billion
        })
        .digits(1)
        .column("cycles", "cycles_per_token", |row| {
            row.point.per_token(row.point.predicted.cycles)
        })
        .three_digits();
    Cause::ALL.into_iter().fold(columns, |columns, cause| {
        let name = match cause {
            Cause::Mispredicted => "mispredicted_jumps".to_owned(),
            _ => cause.name().to_lowercase().replace(' ', "_"),
        };
        let cycles = move |row: &InterpreterRow| row.point.per_token(row.point.predicted.of(cause));
        columns.column(cause.name(), name, cycles).three_digits()
    })
}

/// Writes a table for each interpreter, and the causes of its curve, for people.
pub fn text(
    explained: &[Explained],
    rows: &[InterpreterRow],
    preset: &Preset,
    machine: &Machine,
) -> String {
    let mut text = capital(&preset.about()) + "\n";
    for one in explained {
        let own = rows.iter().filter(|row| row.interpreter == one.interpreter);
        text += &format!(
            "\n{}: cycles for a node on a block of cases\n\n{}\n",
            one.interpreter,
            columns().text(own)
        );
        text += &wrapped(&fastest(one), 0, WIDTH);
        if let Some(turn) = turn(one, machine) {
            text += &wrapped(&turn, 0, WIDTH);
        }
    }
    text
}

/// Describes the fastest point, and the cost whose removal gains most there.
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
        _ => text += " No bottleneck alone: removing any one limit gains less than 2 %.",
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

/// Explains the rise and the fall of the curve.
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
    let name = |one: &Explained| one.interpreter.to_owned();
    let line = |one: &Explained| {
        let points = one.curve.iter();
        let points = points.map(|p| (p.block_cases as f64, p.predicted.gpops_billion));
        Line::new(name(one), points.collect())
    };
    let level = |one: &Explained| (one.best().predicted.gpops_billion, name(one));
    let with_choice = explained.iter().filter(|one| one.curve.len() > 1);
    let own = explained.iter().filter(|one| one.curve.len() == 1);
    Lines {
        x_label: "fitness cases of a block".to_owned(),
        y_label: "billion GPop/s".to_owned(),
        scale: Scale::Doubling,
        lines: with_choice.map(line).collect(),
        levels: own.map(level).collect(),
        ..Lines::default()
    }
}
