//! The fastest and the slowest predicted configuration of a table side by side: where their cycles go.
//!
//! Leaves out: explaining (`report/explain.rs`). Units: scheduler cycles per warp-node.

use super::Content;
use super::html::{command, picture};
use crate::report::chart::bars::StackedBars;
use crate::report::explain::{Explanation, bar};
use maud::{Markup, html};
use std::error::Error;

/// Two configurations of one table and problem.
#[derive(Debug, Clone)]
pub struct BestAndWorst {
    pub name: String,
    /// Commands that explain both, and that list the best one's machine code.
    pub commands: [String; 2],
    pub best: Explanation,
    pub worst: Explanation,
}

pub fn section(content: &Content) -> Result<Markup, Box<dyn Error>> {
    let pairs = content.best_and_worst.iter().map(one);
    let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
    Ok(html! {
        p {
            "The fastest and the slowest configuration by prediction. A warp-node is one node on 32 fitness cases, one for each lane of a "
            "warp; every cycle of every scheduler has exactly one cause."
        }
        @if pairs.is_empty() { p { "No table of this report has a first problem to explain." } }
        @for pair in &pairs { (pair) }
    })
}

fn one(pair: &BestAndWorst) -> Result<Markup, Box<dyn Error>> {
    let bars = vec![bar("best", &pair.best), bar("worst", &pair.worst)];
    let unit = "scheduler cycles per warp-node";
    let chart = StackedBars::new(String::new(), unit.into(), bars).narrow();
    let title = format!("{}: where the cycles go", pair.name);
    let drawing = picture(&title, "The shorter, the faster.", &chart)?;
    Ok(html! {
        h3 { (pair.name) }
        ul {
            @for (name, one) in [("Best", &pair.best), ("Worst", &pair.worst)] {
                li {
                    strong { (name) ", " (format!("{:.1}", one.gpops_billion)) " billion GPop/s: " }
                    (one.label) ". " (one.bottleneck)
                }
            }
        }
        (drawing)
        @for text in &pair.commands { (command(text)) }
    })
}
