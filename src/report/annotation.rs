//! A kernel's listing with what its launch does there, as a table and as rows.
//!
//! Leaves out: computing. Units: per operation, one node on 32 fitness cases; cycles are those of warps, of which many stand at a time.

use super::table::table;
use crate::launch::cause::{Cause, NOT_SELECTED};
use crate::predictor::annotate::{Annotated, AnnotatedLine};
use serde::Serialize;
use std::collections::BTreeMap;

/// An instruction is hot that has as much of the warps' cycles as so many even ones would.
pub const HOT: f64 = 4.0;
/// Causes that a line of the table names.
const NAMED: usize = 2;

/// One instruction, flat.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row<'a> {
    pub address: String,
    pub instruction: &'a str,
    pub role: &'static str,
    pub issues_per_operation: f64,
    pub cycles_per_operation: f64,
    pub percent_of_cycles: f64,
    pub selected: f64,
    pub not_selected: f64,
    pub wait: f64,
    pub branch_resolving: f64,
    pub long_scoreboard: f64,
    pub short_scoreboard: f64,
    pub math_pipe_throttle: f64,
    pub lg_throttle: f64,
    pub no_instruction: f64,
    pub is_hot: bool,
    pub source_file: Option<&'a str>,
    pub source_line: Option<u32>,
    pub source: Option<&'a str>,
}

/// All lines; states of warps by their names in Nsight Compute, in cycles per operation.
pub fn rows(annotated: &Annotated) -> Vec<Row<'_>> {
    let row = |line| row(line, is_hot(line, annotated));
    annotated.lines.iter().map(row).collect()
}

fn row(line: &AnnotatedLine, is_hot: bool) -> Row<'_> {
    let of = |state: &str| {
        let waits = line
            .waits
            .iter()
            .filter(|wait| wait.cause.nsight_name() == state);
        waits.map(|wait| wait.cycles_per_operation).sum()
    };
    Row {
        address: address(line),
        instruction: &line.text,
        role: line.role.name(),
        issues_per_operation: line.issues_per_operation,
        cycles_per_operation: line.cycles_per_operation,
        percent_of_cycles: line.percent_of_cycles,
        selected: line.issues_per_operation,
        not_selected: line.not_selected_per_operation,
        wait: of(Cause::Wait.nsight_name()),
        branch_resolving: of(Cause::Branch.nsight_name()),
        long_scoreboard: of(Cause::L2.nsight_name()),
        short_scoreboard: of(Cause::Shared.nsight_name()),
        math_pipe_throttle: of(Cause::MathPipe.nsight_name()),
        lg_throttle: of(Cause::LoadStoreUnit.nsight_name()),
        no_instruction: of(Cause::NoInstruction.nsight_name()),
        is_hot,
        source_file: line.source.as_ref().map(|place| place.file.as_str()),
        source_line: line.source.as_ref().map(|place| place.line),
        source: line.source.as_ref().and_then(|place| place.text.as_deref()),
    }
}

pub fn address(line: &AnnotatedLine) -> String {
    format!("{:04x}", line.address)
}

/// Whether it has much more of the cycles than an even share.
pub fn is_hot(line: &AnnotatedLine, annotated: &Annotated) -> bool {
    line.percent_of_cycles * annotated.lines.len() as f64 >= 100.0 * HOT
}

/// For people: hot instructions are marked.
pub fn text(annotated: &Annotated) -> String {
    let cells = annotated.lines.iter().map(|line| {
        vec![
            if is_hot(line, annotated) { ">" } else { "" }.to_owned(),
            address(line),
            line.text.clone(),
            line.source
                .as_ref()
                .map(|place| format!("{}:{}", place.file, place.line))
                .unwrap_or_default(),
            line.role.name().to_owned(),
            waits(line),
            format!("{:.3}", line.issues_per_operation),
            format!("{:.2}", line.cycles_per_operation),
            format!("{:.1}", line.percent_of_cycles),
        ]
    });
    let headers = [
        "",
        "at",
        "instruction",
        "source",
        "for",
        "waits for (cycles)",
        "issues",
        "warp cycles",
        "%",
    ];
    let title = format!(
        "{} ({})\n{:.1} warp cycles per operation; > marks what has {HOT} times an even share of them\n\n",
        annotated.kernel, annotated.code, annotated.cycles_per_operation
    );
    let end = "\nPer operation, one node on 32 fitness cases. Instructions that the sampled programs do not execute are left out.\n";
    title + &table(&headers, cells.collect(), 6) + &by_source(annotated) + end
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
pub fn waits(line: &AnnotatedLine) -> String {
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
