//! Predicted against measured launches on another device.
//!
//! Leaves out: measuring and predicting. Units: milliseconds per launch.

use super::Content;
use super::html::{command, picture};
use crate::report::validation::{scatter, summary};
use maud::{Markup, html};
use std::error::Error;

pub fn section(content: &Content) -> Result<Markup, Box<dyn Error>> {
    let launches = &content.launches;
    if launches.is_empty() {
        return Ok(
            html! { p { "No launch was predicted for this report (" code { "--launches" } ")." } },
        );
    }
    let caption = "By kernel. On the line the prediction is right, in the grey band it is within 20 %; a rim marks launches that \
                   fitted values were chosen on.";
    let title = "Measured and predicted time of a launch on an H200";
    let drawing = picture(title, caption, &scatter(launches))?;
    Ok(html! {
        (drawing)
        ul { @for line in summary(launches).lines() { li { (line) } } }
        (command(&content.launches_command))
    })
}
