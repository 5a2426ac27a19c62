//! A kernel's listing with what its launch does there, as a table and as rows.
//!
//! Leaves out: computing. Units: per operation, one node on 32 fitness cases; cycles are those of warps, many of which are resident at a time.

use super::columns::Columns;
use super::table::table;
use crate::launch::cause::{Cause, NOT_SELECTED};
use crate::predictor::annotate::{Annotated, AnnotatedLine};
use std::collections::BTreeMap;

/// An instruction is hot if it takes this many times its even share of the warps' cycles.
const HOT: f64 = 4.0;
/// Causes that a line of the table names.
const NAMED: usize = 2;

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
    let columns = Columns::<Marked>::new(6)
        .shown("", |row| if row.is_hot { ">" } else { "" })
        .column("at", "address", |row| format!("{:04x}", row.line.address))
        .column("instruction", "instruction", |row| row.line.text.clone())
        .shown("source", |row| {
            let place = row.line.source.as_ref();
            place.map(|place| format!("{}:{}", place.file, place.line))
        })
        .column("for", "role", |row| row.line.role.name())
        .shown("waits for (cycles)", |row| waits(row.line))
        .column("issues", "issues_per_operation", |row| {
            row.line.issues_per_operation
        })
        .digits(3)
        .column("warp cycles", "cycles_per_operation", |row| {
            row.line.cycles_per_operation
        })
        .digits(2)
        .column("%", "percent_of_cycles", |row| row.line.percent_of_cycles)
        .digits(1)
        .filed("selected", |row| row.line.issues_per_operation)
        .filed("not_selected", |row| row.line.not_selected_per_operation);
    let states = [
        Cause::Wait,
        Cause::Branch,
        Cause::L2,
        Cause::Shared,
        Cause::MathPipe,
        Cause::LoadStoreUnit,
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

/// Whether it has much more of the cycles than an even share.
fn is_hot(line: &AnnotatedLine, annotated: &Annotated) -> bool {
    line.percent_of_cycles * annotated.lines.len() as f64 >= 100.0 * HOT
}

/// Writes the listing for people: hot instructions are marked.
pub fn text(annotated: &Annotated) -> String {
    let title = format!(
        "{} ({})\n{:.1} warp cycles per operation; > marks what has {HOT} times an even share of them\n\n",
        annotated.kernel, annotated.code, annotated.cycles_per_operation
    );
    let end = "\nPer operation, one node on 32 fitness cases. Instructions that the sampled programs do not execute are left out.\n";
    title + &columns().text(&marked(annotated)) + &by_source(annotated) + end
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
                text.chars().take(SOURCE_CHARACTERS).collect(),
                format!("{issues:.3}"),
                format!("{cycles:.2}"),
                format!("{percent:.1}"),
            ]
        });
    let headers = ["source", "line", "issues", "warp cycles", "%"];
    format!("\nBy source line, the first {SOURCE_LINES}:\n\n")
        + &table(&headers, cells.collect(), 2)
}

/// Source lines that are listed by themselves.
const SOURCE_LINES: usize = 10;
/// Characters of them that are shown.
const SOURCE_CHARACTERS: usize = 60;

/// The states of its warps that take most, and being ready while another warp is chosen.
fn waits(line: &AnnotatedLine) -> String {
    let mut states: Vec<(&str, f64)> = line
        .waits
        .iter()
        .map(|wait| (wait.cause.in_words(), wait.cycles_per_operation))
        .collect();
    states.push((NOT_SELECTED[1], line.not_selected_per_operation));
    states.sort_by(|a, b| b.1.total_cmp(&a.1));
    let notable = |state: &&(&str, f64)| state.1 >= 0.05 * line.cycles_per_operation;
    let named = states.iter().filter(notable).take(NAMED);
    let texts: Vec<String> = named
        .map(|(name, cycles)| format!("{name} {cycles:.2}"))
        .collect();
    texts.join(", ")
}
