//! Tables 5 and 6 of the paper: how many programs fit into a number of stack levels.
//!
//! Leaves out: making the runs. Units: percentages of programs, cumulative.

use super::html::{Picture, picture, wide_table};
use super::{Content, draw};
use crate::gp::depth_profile::Representation;
use crate::report::chart::stacks::OneTable;
use crate::report::stacks::Row;
use maud::{Markup, html};
use std::error::Error;

pub fn section(content: &Content) -> Result<Markup, Box<dyn Error>> {
    let mut parts = Vec::new();
    for (number, representation) in [(5, Representation::Rpn), (6, Representation::Lgp)] {
        let of_table = |row: &&Row| row.representation == representation;
        let rows: Vec<Row> = content.stacks.iter().filter(of_table).cloned().collect();
        if rows.is_empty() {
            continue;
        }
        let figure = Picture {
            title: format!("Table {number}, {}", name(representation)),
            caption: "Percentage of programs that fit into a number of stack levels. Lines are the runs of this project, points \
                          are the paper's."
                .into(),
            description: "The table below has the figures.".into(),
            command: "warpstack stacks --chart stacks.svg".into(),
            svg: draw(&OneTable(&rows, representation))?,
        };
        parts.push(html! {
            h3 { "Table " (number) ": " (name(representation)) }
            (picture(&figure))
            (table(number, &rows))
        });
    }
    Ok(html! {
        p {
            "How many levels programs need decides how much of the stacks must fit into the L1. The paper's Table 5 is an input of the "
            "predictions: the programs of the corpus are weighted so that their depths have the paper's percentages. What evolution "
            "itself gives here:"
        }
        @for part in &parts { (part) }
        @for line in content.stacks_summary.lines() { p { (line) } }
    })
}

fn name(representation: Representation) -> &'static str {
    match representation {
        Representation::Rpn => "postfix programs (RPN)",
        Representation::Lgp => "linear programs (LGP)",
    }
}

/// Two rows per problem, this project's and the paper's; one column per limit.
fn table(number: u32, rows: &[Row]) -> Markup {
    let (mut problems, mut limits): (Vec<&str>, Vec<usize>) = (Vec::new(), Vec::new());
    for row in rows {
        if !problems.contains(&row.problem.as_str()) {
            problems.push(&row.problem);
        }
        if !limits.contains(&row.stack_limit) {
            limits.push(row.stack_limit);
        }
    }
    let limits_text: Vec<String> = limits.iter().map(usize::to_string).collect();
    let headers: Vec<&str> = ["programs of"]
        .into_iter()
        .chain(limits_text.iter().map(String::as_str))
        .collect();
    let mut lines = Vec::new();
    for problem in problems {
        let values = |value: &dyn Fn(&Row) -> Option<f64>| -> Vec<Option<f64>> {
            let find = |limit: &usize| {
                rows.iter()
                    .find(|r| r.problem == problem && r.stack_limit == *limit)
            };
            limits
                .iter()
                .map(|limit| find(limit).and_then(value))
                .collect()
        };
        let line = |name: String, values: Vec<Option<f64>>| {
            let texts = values
                .into_iter()
                .map(|v| v.map_or("–".into(), |v| format!("{v:.1}")));
            [name].into_iter().chain(texts).collect::<Vec<String>>()
        };
        lines.push(line(
            format!("{problem}, here"),
            values(&|row| Some(row.percent_programs)),
        ));
        let paper = values(&|row| row.paper_percent);
        if paper.iter().any(Option::is_some) {
            lines.push(line(format!("{problem}, paper"), paper));
        }
    }
    let caption =
        format!("Table {number}: percentage of programs within a stack limit (columns: levels)");
    wide_table(&caption, &headers, &lines, 1)
}
