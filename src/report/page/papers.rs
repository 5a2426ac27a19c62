//! The other papers' systems: published numbers beside predicted ones, and their figures.
//!
//! Leaves out: predicting. Units: in the quantities' names, percent.

use super::html::{command, picture, wide_table};
use super::{Content, Section};
use crate::report::chart::figure;
use crate::report::chart::papers::sheet;
use crate::validate::papers::{ComparedFigure, Paper};
use maud::{Markup, html};
use std::error::Error;

/// The page's part on one paper.
#[derive(Debug, Clone)]
pub struct PaperPart {
    pub paper: Paper,
    pub rows: Vec<ComparedFigure>,
    /// The command that predicts the rows and draws the figures.
    pub command: String,
}

/// Returns a section for each paper.
pub fn sections(content: &Content) -> Result<Vec<Section>, Box<dyn Error>> {
    let one = |part: &PaperPart| {
        let (short, title, found) = about(part.paper);
        let id = format!("paper-{}", part.paper.name());
        Ok(Section::new(
            &id,
            short,
            title,
            one_paper(part, title, found)?,
        ))
    };
    content.papers.iter().map(one).collect()
}

/// Returns a paper's short name, its title and its main finding.
fn about(paper: Paper) -> (&'static str, &'static str, &'static str) {
    match paper {
        Paper::Robilliard => (
            "Robilliard 2008",
            "Robilliard et al. 2008: a program per multiprocessor",
            "With a program for every multiprocessor of a GeForce 8800 GTX, and its fitness cases for the processors, evaluation was 8 to 80 times as \
             fast as with the ECJ library on five of six benchmarks, and no faster on the 6-multiplexer.",
        ),
        Paper::Langdon => (
            "Langdon 2010",
            "Langdon 2010: many threads per program",
            "With up to 64 threads for every program and 32 Boolean fitness cases in a word, a GeForce GTX 295 ran programs of the 20- and the \
             37-multiplexer about twice as fast as with one thread per program.",
        ),
        Paper::Gpocl => (
            "GPOCL 2013",
            "GPOCL, Augusto and Barbosa 2013: programs or fitness cases shared out",
            "On a GeForce GTX 285 and a Radeon HD 5750, a program per compute unit (PPCU) was the fastest everywhere; sharing out the cases of one program \
             (FP) needs large data sets, and a program per processing element (PPPE) is slow because neighbours run different programs.",
        ),
    }
}

fn one_paper(part: &PaperPart, title: &str, found: &str) -> Result<Markup, Box<dyn Error>> {
    let sheet = sheet(part.paper, &part.rows);
    let mut grids = Vec::new();
    for row in &sheet.rows {
        let pictures = row.iter();
        let pictures = pictures.map(|tile| picture(&tile.title, "", &*tile.chart));
        let pictures = pictures.collect::<Result<Vec<_>, _>>()?;
        grids.push(html! { div class="grid" { @for one in &pictures { (one) } } });
    }
    Ok(html! {
        p { (found) }
        p class="soft" {
            "Blocks of the paper's kernels are executed lane by lane and timed as on the paper's own cards. A range holds the predictions for "
            "every reading of the paper."
        }
        (published(title, &part.rows))
        (command(&part.command))
        p { (sheet.title) "." }
        @for grid in &grids { (grid) }
    })
}

const HEADERS: [&str; 6] = [
    "number",
    "published",
    "predicted",
    "error, %",
    "range",
    "errors in the range, %",
];

fn published(title: &str, rows: &[ComparedFigure]) -> Markup {
    let rows: Vec<Vec<String>> = rows.iter().filter_map(cells).collect();
    if rows.is_empty() {
        return html! { p { "Nothing that was predicted here has a published number." } };
    }
    let caption = format!("{title}. What was published, and what is predicted");
    wide_table(&caption, &HEADERS, &rows)
}

/// `None` where nothing was published.
fn cells(row: &ComparedFigure) -> Option<Vec<String>> {
    let error = |predicted| match row.error_percent(predicted) {
        Some(error) => format!("{error:+.1}"),
        None => "–".to_owned(),
    };
    let [range, errors] = match row.range {
        Some([low, high]) => [
            format!("{} to {}", figure(low), figure(high)),
            format!("{} to {}", error(low), error(high)),
        ],
        None => ["–".to_owned(), "–".to_owned()],
    };
    // One column, so that a phone shows numbers beside it.
    let name = format!(
        "{}, {}: {}",
        row.experiment, row.configuration, row.quantity
    );
    Some(vec![
        name,
        row.published?.to_string(),
        figure(row.predicted),
        error(row.predicted),
        range,
        errors,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_shown_with_its_errors_and_a_dash_where_there_is_none() {
        let row = ComparedFigure {
            paper: "gpocl",
            experiment: "table 4",
            configuration: "gtx285 fp".to_owned(),
            quantity: "peak speed (billion GPop/s)",
            predicted: 9.1,
            range: Some([8.0, 9.1]),
            published: Some(10.0),
        };
        assert_eq!(
            cells(&row).unwrap()[1..],
            ["10", "9.1", "-9.0", "8 to 9.1", "-20.0 to -9.0"]
        );
        let alone = ComparedFigure { range: None, ..row };
        assert_eq!(cells(&alone).unwrap()[4..], ["–", "–"]);
    }
}
