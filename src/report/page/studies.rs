//! What-if studies as curves.
//!
//! Leaves out: predicting the points. Units: billions of GPop/s over the L1's size in KiB.

use super::html::{Picture, picture};
use super::{Content, draw, words};
use crate::report::chart::lines::Lines;
use maud::{Markup, html};
use std::error::Error;

/// One study: a chart, what it says, how to make it again.
#[derive(Debug, Clone)]
pub struct Study {
    pub title: String,
    pub description: String,
    pub command: String,
    pub lines: Lines,
}

pub fn section(content: &Content) -> Result<Markup, Box<dyn Error>> {
    let mut pictures = Vec::new();
    for study in &content.studies {
        pictures.push(Picture {
            title: study.title.clone(),
            caption: study.description.clone(),
            description: words::ends(&study.lines, " KiB"),
            command: study.command.clone(),
            svg: draw(&study.lines)?,
        });
    }
    Ok(html! {
        p {
            "The same interpreters and programs on cards that were never built: only the L1 changes, everything else stays. Nothing here can "
            "be measured; that is what a model is for."
        }
        @if pictures.is_empty() { p { "No study was made for this page." } }
        div class="grid" { @for figure in &pictures { (picture(figure)) } }
    })
}
