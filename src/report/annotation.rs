//! A kernel's listing with what its launch does there, as a table and as rows.
//!
//! Leaves out: computing. Units: per warp-node, one node on 32 fitness cases; cycles are those of warps, many of which are resident at a time.

use super::columns::Columns;
use super::table::{WIDTH, table, wrapped};
use crate::launch::cause::{Cause, NOT_SELECTED};
use crate::predictor::annotate::{Annotated, AnnotatedLine};
use std::collections::BTreeMap;

/// An instruction is hot if it takes this many times its even share of the warps' cycles.
const HOT: f64 = 4.0;

/// An instruction, and whether it is hot.
pub struct Marked<'a> {
    line: &'a AnnotatedLine,
    is_hot: bool,
}

/// All lines.
pub fn marked(annotated: &Annotated) -> Vec<Marked<'_>> {
    let lines = annotated.lines.iter();
    lines
        .map(|line| Marked {
            line,
            is_hot: is_hot(line, annotated),
        })
        .collect()
}

/// Returns the columns of one row per instruction; states of warps have Nsight Compute's names, in cycles per operation.
pub fn columns<'a>() -> Columns<Marked<'a>> {
    let columns = Columns::<Marked>::new(0)
        .filed("address", |row| format!("{:04x}", row.line.address))
        .filed("instruction", |row| row.line.text.clone())
        .filed("role", |row| row.line.role.name())
        .filed("issues_per_operation", |row| row.line.issues_per_operation)
        .filed("cycles_per_operation", |row| row.line.cycles_per_operation)
        .filed("percent_of_cycles", |row| row.line.percent_of_cycles)
        .filed("selected", |row| row.line.issues_per_operation)
        .filed("not_selected", |row| row.line.not_selected_per_operation);
    let states = [
        Cause::Wait,
        Cause::Branch,
        Cause::L2,
        Cause::Shared,
        Cause::MathPipe,
        Cause::LoadStoreUnit,
        Cause::Barrier,
        Cause::NoInstruction,
    ];
    let states = states.map(Cause::nsight_name).into_iter();
    let columns = states.fold(columns, |columns, state| {
        columns.filed(state, move |row| {
            let waits = row.line.waits.iter();
            let waits = waits.filter(|wait| wait.cause.nsight_name() == state);
            waits.map(|wait| wait.cycles_per_operation).sum::<f64>()
        })
    });
    columns
        .filed("is_hot", |row| row.is_hot)
        .filed("source_file", |row| {
            row.line.source.as_ref().map(|place| place.file.clone())
        })
        .filed("source_line", |row| {
            row.line.source.as_ref().map(|place| place.line)
        })
        .filed("source", |row| {
            let place = row.line.source.as_ref();
            place.and_then(|place| place.text.clone())
        })
}

/// For people: what fits in a line.
fn shown_columns<'a>() -> Columns<Marked<'a>> {
    Columns::<Marked>::new(4)
        .shown("at", |row| {
            let mark = if row.is_hot { '>' } else { ' ' };
            format!("{mark}{:04x}", row.line.address)
        })
        .shown("instruction", |row| {
            shortened(&row.line.text, INSTRUCTION_CHARACTERS)
        })
        .shown("source", |row| {
            let place = row.line.source.as_ref();
            place.map(|place| {
                let file = place.file.split('.').next().unwrap_or_default();
                format!("{file}:{}", place.line)
            })
        })
        .shown("waits for", |row| longest_wait(row.line))
        .shown("issues", |row| row.line.issues_per_operation)
        .digits(3)
        .shown("cycles", |row| row.line.cycles_per_operation)
        .digits(2)
        .shown("%", |row| row.line.percent_of_cycles)
        .digits(1)
}

/// The text, its end cut off where it is longer than `n` characters.
fn shortened(text: &str, n: usize) -> String {
    match text.chars().count() > n {
        true => text.chars().take(n - 2).chain("..".chars()).collect(),
        false => text.to_owned(),
    }
}

/// Whether it has much more of the cycles than an even share.
fn is_hot(line: &AnnotatedLine, annotated: &Annotated) -> bool {
    line.percent_of_cycles * annotated.lines.len() as f64 >= 100.0 * HOT
}

/// Writes the listing for people: hot instructions are marked; `headline` says what gains most.
pub fn text(headline: &str, annotated: &Annotated) -> String {
    let title = format!(
        "{} ({})\n{}\n{:.1} warp cycles per warp-node; > marks instructions with {HOT} times an even share of them\n\n",
        annotated.kernel,
        annotated.code,
        wrapped(headline, 0, WIDTH),
        annotated.cycles_per_operation
    );
    let end = "\nIssues and warp cycles are per warp-node, one node on 32 fitness cases; `waits for` is the longest wait.\n\
               Waits say where warps are, not what removing them gains: other warps issue meanwhile.\n\
               Instructions that the sampled programs do not execute are left out; a CSV has all waits.\n";
    title + &shown_columns().text(&marked(annotated)) + &by_source(annotated) + end
}

/// The source lines that have most of the cycles.
fn by_source(annotated: &Annotated) -> String {
    let mut lines: BTreeMap<(&str, u32), (&str, f64, f64, f64)> = BTreeMap::new();
    for line in &annotated.lines {
        let Some(place) = &line.source else {
            continue;
        };
        let text = place.text.as_deref().unwrap_or("");
        let sums = lines
            .entry((&place.file, place.line))
            .or_insert((text, 0.0, 0.0, 0.0));
        sums.1 += line.issues_per_operation;
        sums.2 += line.cycles_per_operation;
        sums.3 += line.percent_of_cycles;
    }
    if lines.is_empty() {
        return String::new();
    }
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_by(|(_, a), (_, b)| b.3.total_cmp(&a.3));
    let cells = lines
        .iter()
        .take(SOURCE_LINES)
        .map(|((file, number), sums)| {
            let (text, issues, cycles, percent) = sums;
            vec![
                format!("{file}:{number}"),
                shortened(text, SOURCE_CHARACTERS),
                format!("{issues:.3}"),
                format!("{cycles:.2}"),
                format!("{percent:.1}"),
            ]
        });
    let headers = ["source", "line", "issues", "cycles", "%"];
    format!("\nBy source line, the first {SOURCE_LINES}:\n\n")
        + &table(&headers, cells.collect(), 2)
}

/// Source lines that are listed by themselves.
const SOURCE_LINES: usize = 10;
/// Characters of them that are shown.
const SOURCE_CHARACTERS: usize = 50;
/// Characters of an instruction that are shown.
const INSTRUCTION_CHARACTERS: usize = 36;
/// Least part of an instruction's cycles that is shown as a wait.
const LEAST_WAIT: f64 = 0.05;

/// The state that takes most of its warps' cycles, issuing aside; without Nsight Compute's name before it.
fn longest_wait(line: &AnnotatedLine) -> &'static str {
    let waits = line.waits.iter();
    let waits = waits.map(|wait| (wait.cause.in_words(), wait.cycles_per_operation));
    let ready = (NOT_SELECTED[1], line.not_selected_per_operation);
    let longest = waits.chain([ready]).max_by(|a, b| a.1.total_cmp(&b.1));
    match longest {
        Some((name, cycles)) if cycles > LEAST_WAIT * line.cycles_per_operation => {
            name.split_once(": ").map_or(name, |(_, waited)| waited)
        }
        _ => "",
    }
}
