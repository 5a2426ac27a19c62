//! The answer of the page, above everything else: one sentence and one figure.
//!
//! Gives the best speed of the first problem, the interpreter and launch that reach it, its gain over the simplest interpreter, the
//! bottleneck, and the error to expect of predictions. Leaves out: new predictions. Units: billions of GPop/s.

use super::Content;
use super::html::picture;
use crate::report::chart::bars::StackedBars;
use crate::report::explain::Explanation;
use crate::validate::{CellSplit, Compared, Summary, Table};
use maud::{Markup, html};
use std::error::Error;

/// The best cell of one table by prediction, and the best by measurement.
struct Best<'a> {
    table: Table,
    predicted: &'a Compared,
    measured_gpops_billion: Option<f64>,
}

/// The problem that the page explains: that of its first cell.
fn problem(content: &Content) -> Option<&str> {
    let first = content.cells.first()?;
    Some(first.cell.problem.as_str())
}

/// Returns the best cell of every table that has the problem, in the paper's order.
fn best_of_tables(content: &Content) -> Vec<Best<'_>> {
    let of_table = |table: &Table| {
        let of_problem = |cell: &&Compared| {
            cell.cell.table == *table && Some(cell.cell.problem.as_str()) == problem(content)
        };
        let cells = || content.cells.iter().filter(of_problem);
        let speed = |cell: &&Compared| cell.predicted_gpops_billion;
        let measured = cells().filter_map(|cell| Some(cell.measured?.gpops_billion));
        Some(Best {
            table: *table,
            predicted: cells().max_by(|a, b| speed(a).total_cmp(&speed(b)))?,
            measured_gpops_billion: measured.max_by(f64::total_cmp),
        })
    };
    Table::ALL.iter().filter_map(of_table).collect()
}

/// The best cell of all; what explains it is explained for the page.
pub fn best_cell<'a>(cells: &'a [Compared], problem: &str) -> Option<&'a Compared> {
    let of_problem = cells.iter().filter(|cell| cell.cell.problem == problem);
    of_problem.max_by(|a, b| {
        a.predicted_gpops_billion
            .total_cmp(&b.predicted_gpops_billion)
    })
}

/// Writes the headline of the page; empty without a cell.
pub fn headline(content: &Content) -> Result<Markup, Box<dyn Error>> {
    let best = best_of_tables(content);
    let Some(sentence) = sentence(content, &best) else {
        return Ok(html! {});
    };
    let pairs = best.iter().map(|best| {
        let predicted = best.predicted.predicted_gpops_billion;
        let name = best.table.description().to_owned();
        (name, predicted, best.measured_gpops_billion)
    });
    let title = format!(
        "The fastest launch of each interpreter on {}",
        problem(content).unwrap_or_default()
    );
    let figure = picture(
        &title,
        "By prediction, and under it the fastest that was measured.",
        &StackedBars::pairs("billion GPop/s", "measured", pairs),
    )?;
    Ok(html! {
        div class="headline" {
            p class="answer" { (sentence) }
            (figure)
        }
    })
}

fn sentence(content: &Content, best: &[Best]) -> Option<String> {
    let cell = best_cell(&content.cells, problem(content)?)?;
    let speed = cell.predicted_gpops_billion;
    let measured = cell.measured.map_or(String::new(), |value| {
        format!(" ({:.1} measured)", value.gpops_billion)
    });
    let mut text = format!(
        "On the {} {} runs fastest at a predicted {speed:.1} billion GPop/s{measured}, with {} ({}: {}, threads per block: {})",
        content.device,
        cell.cell.problem,
        cell.cell.table.description(),
        cell.cell.table.axis_title(),
        cell.cell.axis.value(),
        cell.cell.threads_per_block,
    );
    let simplest = best.first().filter(|first| first.table != cell.cell.table);
    if let Some(first) = simplest {
        text += &format!(
            ", {:.1} times as fast as the fastest with {}",
            speed / first.predicted.predicted_gpops_billion,
            first.table.description()
        );
    }
    if let Some(explanation) = &content.best {
        text += &held_back(explanation);
    }
    text += &trust(content);
    Some(text + ".")
}

/// Names the limit whose removal gains most, and the gain.
fn held_back(explanation: &Explanation) -> String {
    let alone = explanation.gains.iter().filter(|gain| gain.free.len() == 1);
    let most = alone.max_by(|a, b| a.speedup.total_cmp(&b.speedup));
    most.map_or(String::new(), |gain| {
        format!(
            "; it would gain most, {:.0} %, if {}",
            100.0 * (gain.speedup - 1.0),
            gain.free[0].condition()
        )
    })
}

/// Summarizes the errors of held-out predictions.
fn trust(content: &Content) -> String {
    let held_out = content
        .cells
        .iter()
        .filter(|c| c.split == CellSplit::HeldOut);
    Summary::of(held_out).map_or(String::new(), |summary| {
        format!(
            "; over {} cells that nothing was fitted on, predictions are off by {:.1} % on average",
            summary.n_cells, summary.mean_absolute_error_percent
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::cells;
    use crate::validate::measured::Value;

    /// Made-up speeds: the later a cell, the faster; measured a tenth below.
    fn content() -> Content {
        let all = [Table::Three, Table::Eight].map(|table| cells(table, "sextic"));
        let compared = |(at, cell): (usize, crate::validate::Cell)| {
            let predicted = 10.0 + at as f64;
            Compared {
                split: cell.split(),
                cell,
                predicted_gpops_billion: predicted,
                measured: Some(Value {
                    gpops_billion: predicted / 1.1,
                    ci_billion: 0.1,
                }),
            }
        };
        Content {
            device: "Card".into(),
            cells: all.concat().into_iter().enumerate().map(compared).collect(),
            ..Content::default()
        }
    }

    #[test]
    fn one_sentence_names_the_fastest_launch_and_how_far_to_trust_it() {
        let content = content();
        let text = headline(&content).unwrap().into_string();
        let fastest = content.cells.last().unwrap();
        let speed = format!("{:.1} billion GPop/s", fastest.predicted_gpops_billion);
        assert!(text.contains(&speed), "{text}");
        assert!(text.contains("off by 10.0 %"), "{text}");
        let (_, answer) = text.split_once("class=\"answer\">").unwrap();
        let (answer, _) = answer.split_once("</p>").unwrap();
        assert_eq!(answer.matches(". ").count(), 0, "one sentence: {answer}");
        let simplest = format!("{}: 33 predicted", Table::Three.description());
        assert!(text.contains(&simplest), "{text}");
        assert!(
            headline(&Content::default())
                .unwrap()
                .into_string()
                .is_empty()
        );
    }
}
