//! The report as one file of HTML, text, tables and drawings, that needs nothing from outside.
//!
//! Its sections are pages of their own where there is a script; without one, and on paper, they follow each other.
//! Leaves out: computing what it shows; [`Content`] comes in whole. Units: beside every figure.
//! Sources: Web Content Accessibility Guidelines 2.2 for contrast, headings, captions and keyboard use.

mod best;
mod errors;
mod headline;
mod heat;
mod html;
mod launches;
mod papers;
mod tables;

pub use best::BestAndWorst;
pub use headline::best_cell;
pub use papers::PaperPart;

use super::explain::Explanation;
use super::validation::Line;
use super::web;
use crate::validate::Compared;
use html::command;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::error::Error;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");

/// Contents of the page.
#[derive(Debug, Default)]
pub struct Content {
    /// The device's full name.
    pub device: String,
    /// Name of the model that predicted: `the simulator`.
    pub engine: String,
    /// The command that makes the page.
    pub command: String,
    /// The tables and problems of the page, as lists for the command line.
    pub tables: String,
    pub problems: String,
    /// The options that every command of the page shares, with a leading space.
    pub options: String,
    /// Weighting of each corpus.
    pub weighting: Vec<String>,
    pub cells: Vec<Compared>,
    /// Cells of `cells` for other draws of programs.
    pub draws: Vec<Vec<Compared>>,
    /// The fastest launch of the first problem, explained.
    pub best: Option<Explanation>,
    pub best_and_worst: Vec<BestAndWorst>,
    /// Launches on the H200 with their predictions, and the command that predicts them.
    pub launches: Vec<Line>,
    pub launches_command: String,
    /// Commands that lead on from here, and what each shows.
    pub further: Vec<(&'static str, String)>,
    /// The other papers' systems, if the page is to have them.
    pub papers: Vec<PaperPart>,
    /// The explorer's file beside the page, if there is one.
    pub explorer: Option<&'static str>,
}

/// A part of the report, which a script shows alone.
struct Section {
    id: String,
    /// Its name in the contents.
    short: String,
    title: String,
    body: Markup,
}

impl Section {
    fn new(id: &str, short: &str, title: &str, body: Markup) -> Section {
        let [id, short, title] = [id, short, title].map(str::to_owned);
        Section {
            id,
            short,
            title,
            body,
        }
    }
}

/// The page.
pub fn page(content: &Content) -> Result<String, Box<dyn Error>> {
    let section = Section::new;
    let mut sections = vec![
        section("answer", "The answer", "The answer", answer(content)?),
        section(
            "errors",
            "Errors",
            "How far to trust it",
            errors::section(content),
        ),
    ];
    sections.extend(tables::sections(content)?);
    sections.push(section(
        "best",
        "Best and worst",
        "The best and the worst configuration, explained",
        best::section(content)?,
    ));
    sections.push(section(
        "h200",
        "H200",
        "The same interpreters on an H200",
        launches::section(content)?,
    ));
    sections.extend(papers::sections(content)?);
    sections.push(section(
        "again",
        "Commands",
        "This report again, and further",
        again(content),
    ));
    Ok(document(&sections).into_string())
}

fn document(sections: &[Section]) -> Markup {
    let link = |section: &Section| html! { a href={ "#" (section.id) } { (section.short) } };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(web::POLICY);
                title { "warpstack: predicted and measured speed of GP stack interpreters" }
                // An empty icon, so that no browser asks for one.
                link rel="icon" href="data:,";
                style { (PreEscaped(web::colours())) (PreEscaped(STYLE)) }
                script { "document.documentElement.classList.add('paged')" }
            }
            body {
                a class="skip" href="#content" { "Skip to the content" }
                header { h1 { "How fast is a genetic-programming interpreter on a GPU, and why?" } }
                nav aria-label="Contents" { ul class="scroll" { @for section in sections { li { (link(section)) } } } }
                main id="content" tabindex="-1" {
                    @for (at, section) in sections.iter().enumerate() {
                        section aria-labelledby=(section.id) {
                            h2 id=(section.id) tabindex="-1" { (section.title) }
                            (section.body)
                            @if let Some(next) = sections.get(at + 1) { p class="next" { "Next: " (link(next)) } }
                        }
                    }
                }
                footer { p { "warpstack " (env!("CARGO_PKG_VERSION")) ", MIT or Apache-2.0." } }
                p id="tip" hidden {}
                p id="status" class="hidden" role="status" {}
                script { (PreEscaped(web::COPY)) (PreEscaped(SCRIPT)) }
            }
        }
    }
}

fn answer(content: &Content) -> Result<Markup, Box<dyn Error>> {
    Ok(html! {
        (headline::headline(content)?)
        p {
            "Predictions of " (content.engine) " for the " (content.device)
            " from the interpreters' real machine code, beside the speeds that Chitty measured. "
            "Speeds are in billions of GP operations per second (GPop/s): one node of a program on one fitness case "
            "is one operation."
        }
        @if let Some(file) = content.explorer {
            p { a href=(file) { "Try launches and machines yourself" } ": the predictions of a whole grid, on a page of its own." }
        }
    })
}

fn again(content: &Content) -> Markup {
    html! {
        p { "This report:" }
        (command(&content.command))
        p { "What it leaves out:" }
        ul { @for (shown, text) in &content.further { li { (shown) (command(text)) } } }
        p { "The programs that the predictions ran:" }
        ul { @for sentence in &content.weighting { li { (sentence) } } }
        p {
            "No measured speed is read before the last prediction is made. Values of the card that nobody has published were fitted on "
            "sixteen cells; this command lists them with their sources:"
        }
        (command("warpstack list devices gtx670 --kind fitted"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_page_has_every_section_and_nothing_from_outside() {
        let text = page(&Content::default()).unwrap();
        assert_eq!(text.matches("<h2").count(), 5);
        assert!(
            !text.contains("http:") && !text.contains("https:"),
            "no address outside"
        );
    }

    #[test]
    fn the_explorer_is_linked_where_there_is_one() {
        let linked = |explorer| {
            let content = Content {
                explorer,
                ..Content::default()
            };
            page(&content).unwrap().contains("href=\"explore.html\"")
        };
        assert!(linked(Some("explore.html")) && !linked(None));
    }

    #[test]
    fn text_is_escaped() {
        let content = Content {
            command: "warpstack <b>&".into(),
            ..Content::default()
        };
        assert!(page(&content).unwrap().contains("warpstack &lt;b&gt;&amp;"));
    }
}
