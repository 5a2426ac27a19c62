//! The explorer: one page of HTML with the predictions of a whole grid, which its controls step through.
//!
//! Puts the grid, the controls and the three parts of the page (`page.html`, `page.css`, the scripts) into one file that
//! needs nothing from outside. Leaves out: predicting; [`Content`] comes in whole. Units: beside every figure.
//! Sources: Web Content Accessibility Guidelines 2.2 for names, contrast and keyboard use.

mod controls;
pub mod grid;
mod pack;

use crate::launch::prediction::Cause;
use crate::report::web;
use grid::{Axis, LIMITERS, Record, columns};
use serde::Serialize;
use serde_json::json;
use std::error::Error;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPTS: [&str; 4] = [
    web::COPY,
    include_str!("data.js"),
    include_str!("charts.js"),
    include_str!("page.js"),
];

/// Contents of the explorer.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// The device's full name.
    pub device: String,
    /// Warp slots of a multiprocessor.
    pub n_warps: u32,
    /// Resident blocks of a multiprocessor at most.
    pub n_blocks: u32,
    /// The options of every command on the page, with a leading space.
    pub options: String,
    /// The command that makes the page.
    pub command: String,
    /// Weighting of each corpus.
    pub weighting: Vec<String>,
    pub axes: Vec<Axis>,
    /// Records for every combination of the axes' values, the last axis moving fastest.
    pub records: Vec<Record>,
    /// Reasons why points cannot run.
    pub reasons: Vec<String>,
    /// Measured speeds of the unchanged machine.
    pub measured: Vec<MeasuredPoint>,
    /// Intervals of the unchanged machine.
    pub intervals: Vec<Interval>,
}

/// The 90 % interval of a problem and kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interval {
    pub problem: String,
    pub kernel: String,
    /// The bounds are the speed divided and multiplied by this.
    pub factor: f64,
    /// The measured launches that it rests on, in words.
    pub basis: String,
}

/// A measured speed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasuredPoint {
    /// Places on the axes of the launch, in their order.
    pub places: Vec<usize>,
    pub gpops_billion: f64,
    /// Half-width of the confidence interval.
    pub ci_billion: f64,
    /// The paper's table.
    pub table: u32,
    /// Values of the device were fitted on it.
    pub fitted: bool,
}

/// The page.
pub fn page(content: &Content) -> Result<String, Box<dyn Error>> {
    let grid = pack::pack(&columns(), &content.records)?;
    let scripts = SCRIPTS.join("\n");
    let (launch, machine): (Vec<&Axis>, Vec<&Axis>) =
        content.axes.iter().partition(|axis| !axis.is_of_machine());
    let parts = [
        ("policy", web::POLICY.to_owned()),
        ("style", web::colours() + STYLE),
        ("device", controls::escaped(&content.device)),
        ("launch", controls::controls(&launch)),
        ("machine", controls::controls(&machine)),
        ("about", controls::about(content)),
        ("content", described(content)),
        ("grid", grid),
        ("scripts", scripts),
    ];
    Ok(filled(PAGE, &parts))
}

/// `template` with every `{{name}}` replaced, in one pass: what comes in is not searched again.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else {
            break;
        };
        let part = parts.iter().find(|(known, _)| *known == name);
        text += before;
        text += part.map_or("", |(_, part)| part);
        rest = after;
    }
    text + rest
}

/// Returns the script's data as JSON that cannot be read as HTML.
fn described(content: &Content) -> String {
    let names = Cause::ALL.map(Cause::in_words);
    let value = json!({
        "device": content.device,
        "n_warps": content.n_warps,
        "n_blocks": content.n_blocks,
        "options": content.options,
        "axes": content.axes,
        "columns": columns(),
        "causes": names,
        "limiters": LIMITERS.map(|limiter| limiter.name()),
        "reasons": content.reasons,
        "measured": content.measured,
        "intervals": content.intervals,
    });
    value.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_place_and_nothing_is_replaced_twice() {
        let parts = [("a", "{{b}}".to_owned()), ("b", "2".to_owned())];
        assert_eq!(filled("x{{a}}y{{b}}z", &parts), "x{{b}}y2z");
        for name in [
            "policy", "style", "device", "launch", "machine", "about", "content", "grid", "scripts",
        ] {
            assert!(PAGE.contains(&format!("{{{{{name}}}}}")), "{name}");
        }
    }
}
