//! The paper's tables: scatter plots and heat maps.
//!
//! Leaves out: Tables 5 and 6 (`stack_tables.rs`), sums over cells (`errors.rs`).
//! Units: billions of GPop/s. Bars: see the scatter plots' caption.

use super::heat::heat_maps;
use super::html::{command, panel};
use super::{Content, Section};
use crate::report::chart::scatter::{Point, Scatter, Series};
use crate::validate::{CellSplit, Compared, Summary, Table, stats};
use maud::{Markup, html};
use std::error::Error;

/// Returns a section for each table that has cells.
pub fn sections(content: &Content) -> Result<Vec<Section>, Box<dyn Error>> {
    let is_there = |table: &Table| content.cells.iter().any(|cell| cell.cell.table == *table);
    let one = |table: Table| {
        let (name, number) = (table.description(), table.number());
        Ok(Section {
            id: format!("table-{number}"),
            short: format!("Table {number}"),
            title: format!("Table {number}: {name}"),
            body: one_table(content, table)?,
        })
    };
    Table::ALL.into_iter().filter(is_there).map(one).collect()
}

fn one_table(content: &Content, table: Table) -> Result<Markup, Box<dyn Error>> {
    let mut problems: Vec<&str> = Vec::new();
    for compared in content.cells.iter().filter(|cell| cell.cell.table == table) {
        let problem = compared.cell.problem.as_str();
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    let mut blocks = Vec::new();
    for (i, problem) in problems.iter().enumerate() {
        blocks.push(block(content, table, problem, i == 0));
    }
    let scatters = scatters(content, table, &problems)?;
    Ok(html! {
        @if let Some(scatters) = &scatters { (scatters) }
        @else { p { "No measured value of this table is at hand; these are predictions alone." } }
        p class="soft" {
            "Problem by problem: the underlined cell of a heat map is the fastest, † marks fitted cells, and an error is blue "
            "where the prediction is too slow, orange where it is too fast."
        }
        @for block in &blocks { (block) }
    })
}

/// A scatter plot for each problem: their speeds lie too far apart for one.
fn scatters(
    content: &Content,
    table: Table,
    problems: &[&str],
) -> Result<Option<Markup>, Box<dyn Error>> {
    let series = |problem: &&str| Series {
        name: problem.to_string(),
        points: content
            .cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| cell.cell.table == table && cell.cell.problem == **problem)
            .filter_map(|(index, cell)| point(content, index, cell))
            .collect(),
    };
    let mut figures = Vec::new();
    for series in problems.iter().map(series) {
        if series.points.is_empty() {
            continue;
        }
        let title = format!(
            "Table {}, {}: measured against predicted",
            table.number(),
            series.name
        );
        let chart = Scatter {
            series: vec![series],
            unit: "billion GPop/s",
        };
        figures.push(panel(&title, &chart)?);
    }
    if figures.is_empty() {
        return Ok(None);
    }
    let command_text = format!(
        "warpstack reproduce --table {} --problem {}{}",
        table.number(),
        content.problems,
        content.options
    );
    Ok(Some(html! {
        div class="scatters" { @for chart in &figures { figure { (chart) } } }
        p class="soft" {
            "Measured against predicted: on the line the prediction is right, in the grey band it is within 20 %. Points with a rim are fitted cells. Bars across are the paper's confidence intervals, bars "
            "upright the spread over draws of programs; where none shows, it is smaller than the point or was not asked for."
        }
        (command(&command_text))
    }))
}

/// A cell among those of its table and problem.
fn named(cell: &Compared) -> String {
    let cell = &cell.cell;
    format!(
        "{} threads, {} {}",
        cell.threads_per_block,
        cell.table.axis_title(),
        cell.axis.value()
    )
}

fn point(content: &Content, index: usize, cell: &Compared) -> Option<Point> {
    let measured = cell.measured?;
    Some(Point {
        name: Some(named(cell)),
        measured: measured.gpops_billion,
        measured_half: measured.ci_billion,
        predicted: cell.predicted_gpops_billion,
        predicted_half: deviation(content, index).unwrap_or(0.0),
        fitted: cell.split == CellSplit::Fitted,
    })
}

/// Standard deviation of one cell over the draws; `None` without further draws.
fn deviation(content: &Content, cell: usize) -> Option<f64> {
    if content.draws.is_empty() {
        return None;
    }
    let first = content.cells[cell].predicted_gpops_billion;
    let others = content
        .draws
        .iter()
        .map(|draw| draw[cell].predicted_gpops_billion);
    let values: Vec<f64> = [first].into_iter().chain(others).collect();
    let percent = stats::relative_deviation_percent(&values)?;
    Some(percent / 100.0 * stats::mean(&values)?)
}

/// One problem of a table; the first is open.
fn block(content: &Content, table: Table, problem: &str, open: bool) -> Markup {
    let of_block = |cell: &&Compared| cell.cell.table == table && cell.cell.problem == problem;
    let cells: Vec<&Compared> = content.cells.iter().filter(of_block).collect();
    let name = format!("Table {}, {problem}", table.number());
    let class = match (cells.iter().any(|cell| cell.measured.is_some()), open) {
        (true, _) => "block",
        (false, true) => "block alone first",
        (false, false) => "block alone",
    };
    let curves = format!(
        "warpstack reproduce --table {} --problem {problem}{} --chart table.svg",
        table.number(),
        content.options
    );
    html! {
        details class=(class) open[open] {
            summary { (name) (in_short(&cells)) }
            (heat_maps(&name, &cells))
            p class="soft" { "The same as curves:" }
            (command(&curves))
        }
    }
}

/// The errors of a block in one line.
fn in_short(cells: &[&Compared]) -> String {
    Summary::of(cells.iter().copied()).map_or(String::new(), |summary| {
        format!(
            ": mean error {:.0} %, the configuration predicted best reaches {:.0} % of the best measured",
            summary.mean_absolute_error_percent,
            summary.best_reached_percent()
        )
    })
}
