//! Errors of the predictions, fitted and held-out cells apart.
//!
//! Leaves out: single cells (`tables.rs`). Units: percent of the measured speed.

use super::Content;
use super::html::{command, wide_table};
use crate::report::reproduction::{SUMMARY, spread, summary_rows};
use crate::validate::Compared;
use maud::{Markup, html};

pub fn section(content: &Content) -> Markup {
    let rows = summary_rows(&content.cells);
    let unmeasured = content.cells.iter().filter(|cell| cell.measured.is_none());
    let n_unmeasured = unmeasured.count();
    let draws: Vec<&[Compared]> = [&content.cells]
        .into_iter()
        .chain(&content.draws)
        .map(Vec::as_slice)
        .collect();
    html! {
        p {
            "The error of a cell is predicted over measured, less one. Fitted cells are those that unknown values of the card were "
            "chosen on; every other cell is held out. " em { "Predicted best reaches" }
            " is how fast the configuration that the model would choose really was, against the best measured one."
        }
        @if rows.is_empty() { p { "None of the cells of this report has a measured value." } }
        @else { (wide_table("Errors of the predictions", &SUMMARY, &rows)) }
        @if n_unmeasured > 0 {
            p { (n_unmeasured) " predicted cells have no measured value at hand and count nowhere." }
        }
        @if draws.len() > 1 { p { (spread(&draws)) } }
        (command(&format!(
            "warpstack reproduce --table {} --problem {}{}",
            content.tables, content.problems, content.options
        )))
    }
}
