//! The controls of the explorer, one per axis, and the page's own provenance.
//!
//! Makes a list for the problems, a slider for many values, radio buttons for few; all
//! are the browser's own and have names. Leaves out: the response to a change (`page.js`).

use super::Content;
use super::grid::Axis;
use maud::{Markup, html};

/// Values that are shown side by side at most.
const FEW: usize = 4;
/// Axes of names, which a list shows best.
const LISTS: [&str; 1] = ["problem"];

/// One control per axis.
pub fn controls(axes: &[&Axis]) -> String {
    let each = html! { @for axis in axes { (control(axis)) } };
    each.into_string()
}

fn control(axis: &Axis) -> Markup {
    match axis.values.len() {
        _ if LISTS.contains(&axis.key) => list(axis),
        0..=FEW => buttons(axis),
        _ => slider(axis),
    }
}

fn list(axis: &Axis) -> Markup {
    html! {
        div class="control" {
            label for=(axis.key) { (axis.label) }
            select id=(axis.key) name=(axis.key) data-axis=(axis.key) autocomplete="off" {
                @for (at, value) in axis.values.iter().enumerate() {
                    option value=(at) selected[at == axis.start] { (value) }
                }
            }
        }
    }
}

fn slider(axis: &Axis) -> Markup {
    html! {
        div class="control" {
            label for=(axis.key) { (axis.label) }
            div class="slider" {
                input type="range" id=(axis.key) name=(axis.key) data-axis=(axis.key) autocomplete="off" min="0"
                    max=(axis.values.len() - 1) step="1" value=(axis.start)
                    aria-valuetext={ (axis.values[axis.start]) " " (axis.unit) };
                span class="value" id={ (axis.key) "-value" } aria-hidden="true" { (axis.values[axis.start]) }
            }
        }
    }
}

fn buttons(axis: &Axis) -> Markup {
    html! {
        fieldset class="control" {
            legend {
                (axis.label)
                @if !axis.unit.is_empty() { span class="soft" { ", " (axis.unit) } }
            }
            div class="buttons" {
                @for (at, value) in axis.values.iter().enumerate() {
                    label {
                        input type="radio" name=(axis.key) data-axis=(axis.key) autocomplete="off" value=(at)
                            checked[at == axis.start];
                        span { (value) }
                    }
                }
            }
        }
    }
}

/// Describes the origin of the numbers.
pub fn about(content: &Content) -> String {
    let about = html! {
        p {
            "Every number is one of " (content.records.len()) " predictions of warpstack's analytical model, computed when the page was made: "
            "the controls step through them and nothing in between is guessed. This page again:"
        }
        code class="command" { (content.command) }
        p { "The programs that the predictions ran:" }
        ul { @for sentence in &content.weighting { li { (sentence) } } }
    };
    about.into_string()
}

pub fn escaped(text: &str) -> String {
    html! { (text) }.into_string()
}
