//! A table of the paper as three heat maps: measured, predicted, error.
//!
//! Leaves out: charts. Units: billions of GPop/s; percent for the error.
//! Every cell has its figure, so that no colour has to be told apart. The style mixes the colours, in both themes.

use crate::report::grouped;
use crate::validate::{CellSplit, Compared};
use maud::{Markup, html};

/// Errors beyond this have the strongest colour.
const STRONGEST_ERROR_PERCENT: f64 = 50.0;

/// The figure of a cell that a heat map shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Measured,
    Predicted,
    Error,
}

impl Shown {
    fn title(self) -> &'static str {
        match self {
            Shown::Measured => "measured, billion GPop/s",
            Shown::Predicted => "predicted, billion GPop/s",
            Shown::Error => "error of the prediction, %",
        }
    }

    fn value(self, cell: &Compared) -> Option<f64> {
        match self {
            Shown::Measured => cell.measured.map(|value| value.gpops_billion),
            Shown::Predicted => Some(cell.predicted_gpops_billion),
            Shown::Error => cell.error_percent(),
        }
    }
}

/// The heat maps of one problem in one table; only the predicted one if nothing was measured.
pub fn heat_maps(name: &str, cells: &[&Compared]) -> Markup {
    let measured = cells.iter().any(|cell| cell.measured.is_some());
    let shown: &[Shown] = match measured {
        true => &[Shown::Measured, Shown::Predicted, Shown::Error],
        false => &[Shown::Predicted],
    };
    html! {
        div class="heats" {
            @for shown in shown {
                div { (heat_map(name, cells, *shown)) }
            }
        }
    }
}

fn heat_map(name: &str, cells: &[&Compared], shown: Shown) -> Markup {
    let axis = grouped(cells, |cell| cell.cell.axis.value());
    let threads = grouped(cells, |cell| cell.cell.threads_per_block);
    let values = || cells.iter().filter_map(|cell| shown.value(cell));
    let low = values().fold(f64::MAX, f64::min);
    let high = values().fold(f64::MIN, f64::max);
    let axis_title = cells
        .first()
        .map_or("", |cell| cell.cell.table.axis_title());
    let find = |threads: u32, value: &str| {
        cells.iter().find(|compared| {
            compared.cell.threads_per_block == threads && compared.cell.axis.value() == value
        })
    };
    html! {
        table class="heat" {
            caption { (name) ": " (shown.title()) ". Across: " (axis_title) ". Down: threads per block." }
            thead { tr {
                th scope="col" { "threads" }
                @for (value, _) in &axis { th scope="col" { (value) } }
            } }
            tbody { @for (threads, _) in &threads { tr {
                th scope="row" { (threads) }
                @for (value, _) in &axis {
                    @match find(*threads, value) {
                        Some(cell) => (cell_markup(cell, shown, low, high)),
                        None => { td {} }
                    }
                }
            } } }
        }
    }
}

fn cell_markup(cell: &Compared, shown: Shown, low: f64, high: f64) -> Markup {
    let Some(value) = shown.value(cell) else {
        return html! { td { "–" } };
    };
    let is_error = shown == Shown::Error;
    let part = match is_error {
        true => (value.abs() / STRONGEST_ERROR_PERCENT).min(1.0),
        false => (value - low) / (high - low).max(f64::MIN_POSITIVE),
    };
    let class = match (is_error, value < 0.0) {
        (false, _) => None,
        (true, true) => Some("slow"),
        (true, false) => Some("fast"),
    };
    html! {
        td class=[class] style=(format!("--p:{:.0}%", 100.0 * part)) {
            @if !is_error && value == high { b { (figure(value, shown)) } span class="hidden" { " best" } }
            @else { (figure(value, shown)) }
            @if is_error && cell.split == CellSplit::Fitted { "†" span class="hidden" { " fitted" } }
        }
    }
}

fn figure(value: f64, shown: Shown) -> String {
    match shown {
        Shown::Error => format!("{value:+.0}"),
        _ if value >= 100.0 => format!("{value:.0}"),
        _ => format!("{value:.1}"),
    }
}
