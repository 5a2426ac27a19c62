//! The fastest and the slowest predicted configuration of a table side by side: where their cycles go.
//!
//! Leaves out: explaining (`report/explain.rs`). Units: scheduler cycles per operation of a warp.

use super::html::command;
use super::{Content, listing};
use crate::predictor::annotate::Annotated;
use crate::report::explain::{Explanation, Share};
use maud::{Markup, html};

/// Two configurations of one table and problem.
#[derive(Debug, Clone)]
pub struct BestAndWorst {
    pub name: String,
    pub command: String,
    pub best: Explanation,
    pub worst: Explanation,
    /// The best one's machine code with what happens there, and the command that prints it.
    pub listing: Annotated,
    pub listing_command: String,
}

pub fn section(content: &Content) -> Markup {
    html! {
        p {
            "The fastest and the slowest configuration by prediction. An operation is one node on 32 fitness cases, one for each lane of a "
            "warp; every cycle of every scheduler has exactly one cause."
        }
        @if content.best_and_worst.is_empty() { p { "No table of this page has a first problem to explain." } }
        @for pair in &content.best_and_worst { (one(pair)) }
    }
}

fn one(pair: &BestAndWorst) -> Markup {
    html! {
        h3 { (pair.name) }
        ul {
            li { strong { "Best, " (speed(&pair.best)) ": " } (pair.best.label) ". " (pair.best.bottleneck) }
            li { strong { "Worst, " (speed(&pair.worst)) ": " } (pair.worst.label) ". " (pair.worst.bottleneck) }
        }
        div class="beside" { (figures(pair)) (bars(pair)) }
        (command(&pair.command))
        (listing::listing(&pair.name, &pair.listing, &pair.listing_command))
    }
}

fn speed(explanation: &Explanation) -> String {
    format!("{:.1} billion GPop/s", explanation.gpops_billion)
}

/// A figure's name and its text.
type Figure = (&'static str, fn(&Explanation) -> String);

fn figures(pair: &BestAndWorst) -> Markup {
    let rows: [Figure; 6] = [
        ("occupancy, %", |e| format!("{:.0}", e.occupancy_percent)),
        ("limited by", |e| e.occupancy_limited_by.join(", ")),
        ("registers per thread", |e| {
            e.registers_per_thread.to_string()
        }),
        ("stacks touch, KiB", |e| {
            format!("{:.0}", e.stack_bytes / 1024.0)
        }),
        ("L1 holds, KiB", |e| (e.l1_bytes / 1024).to_string()),
        ("L1 load hits, %", |e| {
            format!("{:.0}", e.l1_load_hit_percent)
        }),
    ];
    html! {
        table {
            caption { (pair.name) ": the two configurations" }
            thead { tr { th scope="col" class="text" { "figure" } th scope="col" { "best" } th scope="col" { "worst" } } }
            tbody { @for (name, value) in rows { tr {
                th scope="row" { (name) }
                td { (value(&pair.best)) }
                td { (value(&pair.worst)) }
            } } }
        }
    }
}

/// Cycles by cause, a bar for each side on one scale.
fn bars(pair: &BestAndWorst) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    for share in pair.best.cycles.iter().chain(&pair.worst.cycles) {
        if !names.contains(&share.name.as_str()) {
            names.push(&share.name);
        }
    }
    let of = |shares: &[Share], name: &str| {
        let found = shares.iter().find(|share| share.name == name);
        found.map_or(0.0, |share| share.per_operation)
    };
    let longest = names
        .iter()
        .flat_map(|name| [of(&pair.best.cycles, name), of(&pair.worst.cycles, name)])
        .fold(f64::MIN_POSITIVE, f64::max);
    let side = |value: f64| {
        html! {
            td {
                (format!("{value:.2}"))
                span class="bar" style=(format!("width:{:.1}%", 100.0 * value / longest)) {}
            }
        }
    };
    html! {
            table class="bars" {
                caption { (pair.name) ": scheduler cycles per operation, by what they were spent on" }
                thead { tr {
                    th scope="col" class="text" { "cycles" }
                    th scope="col" class="text" { "best" }
                    th scope="col" class="text" { "worst" }
                } }
                tbody {
                    @for name in &names { tr {
                        th scope="row" { (name) }
                        (side(of(&pair.best.cycles, name)))
                        (side(of(&pair.worst.cycles, name)))
                    } }
                    tr {
                        th scope="row" { "total" }
                        td { (format!("{:.2}", pair.best.cycles_per_operation)) }
                        td { (format!("{:.2}", pair.worst.cycles_per_operation)) }
                    }
                }
            }
    }
}
