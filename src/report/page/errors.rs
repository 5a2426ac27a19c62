//! Errors of the predictions, fitted and held-out cells apart.
//!
//! Leaves out: single cells (`tables.rs`). Units: percent of the measured speed.

use super::Content;
use super::html::{command, wide_table};
use crate::report::reproduction::{blocks, summary_row};
use crate::validate::{Compared, Split, Summary, stats};
use maud::{Markup, html};

const HEADERS: [&str; 7] = [
    "cells of",
    "cells",
    "mean |error|, %",
    "median |error|, %",
    "mean error, %",
    "rank correlation",
    "predicted best reaches, %",
];

pub fn section(content: &Content) -> Markup {
    let rows = rows(&content.cells);
    let n_unmeasured = content
        .cells
        .iter()
        .filter(|cell| cell.measured.is_none())
        .count();
    html! {
        p {
            "The error of a cell is predicted over measured, less one. Fitted cells are those that unknown values of the card were "
            "chosen on; every other cell is held out. " em { "Predicted best reaches" }
            " is how fast the configuration that the model would choose really was, against the best measured one."
        }
        @if rows.is_empty() { p { "None of the cells of this page has a measured value." } }
        @else { (wide_table("Errors of the predictions", &HEADERS, &rows)) }
        @if n_unmeasured > 0 {
            p { (n_unmeasured) " predicted cells have no measured value at hand and count nowhere." }
        }
        @if let Some(text) = spread(content) { p { (text) } }
        (command(&format!(
            "warpstack reproduce --table {} --problem {}{}",
            content.tables, content.problems, content.options
        )))
    }
}

fn rows(cells: &[Compared]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (name, block) in blocks(cells) {
        for split in [Split::Fitted, Split::HeldOut] {
            let part: Vec<&Compared> = block.iter().copied().filter(|c| c.split == split).collect();
            let name = format!("{}: {}", capital(&name), split.name());
            rows.extend(Summary::of(part).map(|summary| summary_row(&name, &summary)));
        }
    }
    for split in [Split::Fitted, Split::HeldOut] {
        let part = cells.iter().filter(|cell| cell.split == split);
        let name = format!("All {} cells", split.name());
        rows.extend(Summary::of(part).map(|summary| summary_row(&name, &summary)));
    }
    rows
}

/// How far predictions hang on the draw of programs, if there were draws.
fn spread(content: &Content) -> Option<String> {
    let deviations: Vec<f64> = (0..content.cells.len())
        .filter_map(|cell| deviation(content, cell))
        .map(|(_, percent)| percent)
        .collect();
    let mean = stats::mean(&deviations)?;
    let most = deviations.iter().copied().fold(0.0, f64::max);
    Some(format!(
        "Over {} draws of programs from the corpus a cell's prediction has a standard deviation of {mean:.1} % on average, \
         {most:.1} % at most; upright bars in the scatter plots show it.",
        content.draws.len() + 1
    ))
}

/// Standard deviation of one cell over the draws: absolute, in percent; `None` without further draws.
pub fn deviation(content: &Content, cell: usize) -> Option<(f64, f64)> {
    if content.draws.is_empty() {
        return None;
    }
    let first = content.cells[cell].predicted_gpops_billion;
    let others = content
        .draws
        .iter()
        .map(|draw| draw[cell].predicted_gpops_billion);
    let values: Vec<f64> = [first].into_iter().chain(others).collect();
    let percent = stats::relative_deviation_percent(&values)?;
    Some((percent / 100.0 * stats::mean(&values)?, percent))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|first| first.to_uppercase().chain(letters));
    first.map(|all| all.collect()).unwrap_or_default()
}
