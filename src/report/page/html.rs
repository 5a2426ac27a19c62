//! The parts that every section is made of: figures, tables, commands.
//!
//! Leaves out: what they show.

use maud::{Markup, PreEscaped, html};

/// A drawing in the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    pub title: String,
    /// What is shown, under the drawing.
    pub caption: String,
    /// The drawing in words, for those who cannot see it; empty: the caption says enough.
    pub description: String,
    /// The command that draws it again; empty where the page's own command does.
    pub command: String,
    /// The text of an SVG as part of a page.
    pub svg: String,
}

/// A figure with its title, its description and its command.
pub fn picture(picture: &Picture) -> Markup {
    let description = match picture.description.is_empty() {
        true => &picture.caption,
        false => &picture.description,
    };
    let svg = inline_svg(&picture.svg, &picture.title, description);
    html! {
        figure {
            (PreEscaped(svg))
            figcaption {
                strong { (picture.title) "." } " " (picture.caption)
                @if !picture.command.is_empty() { (command(&picture.command)) }
            }
        }
    }
}

/// A small figure of a group, whose title is in the drawing.
pub fn panel(title: &str, description: &str, svg: &str) -> Markup {
    html! {
        figure { (PreEscaped(inline_svg(svg, title, description))) }
    }
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

/// A table that may be wider than the screen: it scrolls by itself and can be reached by keyboard. A script makes it sortable.
pub fn wide_table(
    caption: &str,
    headers: &[&str],
    rows: &[Vec<String>],
    n_text_columns: usize,
) -> Markup {
    html! {
        div class="scroll" role="region" tabindex="0" aria-label=(caption) {
            table class="sortable" {
                caption { span { (caption) } }
                thead { tr {
                    @for (i, header) in headers.iter().enumerate() {
                        th scope="col" class=[(i < n_text_columns).then_some("text")] { (header) }
                    }
                } }
                tbody { @for row in rows { tr {
                    @for (i, value) in row.iter().enumerate() {
                        @if i == 0 { th scope="row" { (value) } }
                        @else { td class=[(i < n_text_columns).then_some("text")] { (value) } }
                    }
                } } }
            }
        }
    }
}

/// The drawing with a name for those who cannot see it.
fn inline_svg(svg: &str, title: &str, description: &str) -> String {
    let end = svg.find('>').map_or(svg.len(), |end| end + 1);
    let (head, content) = svg.split_at(end);
    let head = head.trim_end_matches('>');
    let names = html! { title { (title) } desc { (description) } };
    format!("{head} role=\"img\">{}{content}", names.into_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_gets_a_name() {
        assert_eq!(
            inline_svg("<svg viewBox=\"0 0 10 5\">\n<g/></svg>", "A < B", "both"),
            "<svg viewBox=\"0 0 10 5\" role=\"img\"><title>A &lt; B</title><desc>both</desc>\n<g/></svg>"
        );
    }
}
