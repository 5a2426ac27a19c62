//! Predicted against measured launches on another device, choices made on some and held out on others.
//!
//! Leaves out: measuring and predicting. Units: milliseconds per launch.

use super::Content;
use super::html::{command, picture, wide_table};
use crate::report::grouped;
use crate::report::validation::{Line, scatter};
use crate::validate::stats;
use maud::{Markup, html};
use std::error::Error;

const HEADERS: [&str; 5] = [
    "launches of",
    "launches",
    "mean |error|, %",
    "median |error|, %",
    "mean error, %",
];

/// Nothing if no launch was predicted.
pub fn section(content: &Content) -> Result<Markup, Box<dyn Error>> {
    let launches = &content.launches;
    if launches.is_empty() {
        return Ok(
            html! { p { "No launch was predicted for this page (" code { "--launches" } ")." } },
        );
    }
    let caption = format!(
        "{} launches, by kernel. On the line the prediction is right, between the dashed lines it is within 20 %; a dark rim marks \
         launches that fitted values were chosen on.",
        launches.len()
    );
    let title = "Measured and predicted time of a launch on an H200";
    let drawing = picture(title, &caption, &scatter(launches))?;
    Ok(html! {
        (drawing)
        (wide_table("Errors of the predicted times on an H200", &HEADERS, &rows(launches)))
        (command(&content.launches_command))
    })
}

fn rows(launches: &[Line]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (name, split) in [("fitted", "calibration"), ("held out", "holdout")] {
        let mut part: Vec<&Line> = launches.iter().filter(|line| line.split == split).collect();
        part.sort_by_key(|line| &line.kernel);
        for (kernel, lines) in grouped(part.iter().copied(), |line| &line.kernel) {
            rows.extend(row(format!("{kernel}: {name}"), &lines));
        }
        rows.extend(row(format!("All {name}"), &part));
    }
    rows
}

fn row(name: String, launches: &[&Line]) -> Option<Vec<String>> {
    let errors = launches.iter().filter_map(|line| line.error_percent());
    let errors: Vec<f64> = errors.collect();
    let absolute: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    Some(vec![
        name,
        errors.len().to_string(),
        format!("{:.2}", stats::mean(&absolute)?),
        format!("{:.2}", stats::median(&absolute)?),
        format!("{:+.2}", stats::mean(&errors)?),
    ])
}
