//! The parts that every section is made of: figures, tables, commands.
//!
//! Leaves out: their content.

use crate::report::chart::{self, Chart};
use maud::{Markup, PreEscaped, html};
use std::error::Error;

/// A chart with its title, and a caption under it.
pub fn picture(title: &str, caption: &str, chart: &dyn Chart) -> Result<Markup, Box<dyn Error>> {
    let drawing = panel(title, chart)?;
    Ok(html! {
        figure {
            (drawing)
            figcaption { strong { (title) "." } " " (caption) }
        }
    })
}

/// A chart with a name and a text for those who cannot see it.
pub fn panel(title: &str, chart: &dyn Chart) -> Result<Markup, Box<dyn Error>> {
    let svg = chart::svg_of_page(chart)?;
    let (head, content) = svg.split_once('>').unwrap_or((&svg, ""));
    let names = html! { title { (title) } desc { (chart.words()) } };
    let svg = format!("{head} role=\"img\">{}{content}", names.into_string());
    Ok(PreEscaped(svg))
}

/// A command, with a button that copies it where there is a script.
pub fn command(text: &str) -> Markup {
    html! {
        span class="copied" {
            code class="command" { (text) }
            button type="button" class="copy" hidden { "Copy" span class="hidden" { " the command " (text) } }
        }
    }
}

/// A table that may be wider than the screen: it scrolls inside its own box and can be reached by keyboard. A script makes it sortable.
pub fn wide_table(caption: &str, headers: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        div class="scroll" role="region" tabindex="0" aria-label=(caption) {
            table class="sortable" {
                caption { span { (caption) } }
                thead { tr {
                    @for (i, header) in headers.iter().enumerate() {
                        th scope="col" class=[(i == 0).then_some("text")] { (header) }
                    }
                } }
                tbody { @for row in rows { tr {
                    @for (i, value) in row.iter().enumerate() {
                        @if i == 0 { th scope="row" { (value) } } @else { td { (value) } }
                    }
                } } }
            }
        }
    }
}
