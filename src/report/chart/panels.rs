//! Small multiples: one panel per value of a table's axis, predictions as a line, measurements as points.
//!
//! Leaves out: errors in figures (the table has them). Units: billions of GPop/s over threads per block.
//! The vertical bars are the paper's confidence intervals; most are smaller than the points.

use super::{BLUE, Chart, GRID, VERMILION, ink, note};
use crate::validate::{Cell, Compared};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;

/// Predicted and measured values of one table and problem, or of several.
pub struct Panels<'a> {
    panels: Vec<Panel<'a>>,
    title: String,
}

/// One axis value of one table and problem.
struct Panel<'a> {
    title: String,
    cells: Vec<&'a Compared>,
    /// One scale for all panels of a table and problem, so that heights can be compared.
    highest: f64,
}

const COLUMNS: usize = 3;
const PANEL_WIDTH: u32 = 340;
const PANEL_HEIGHT: u32 = 260;
const HEADER_HEIGHT: u32 = 62;
const LARGEST_BLOCK: f64 = 1024.0;
/// The axis counts in these, so that its figures fall on usual block sizes.
const TICK_THREADS: f64 = 256.0;

impl<'a> Panels<'a> {
    pub fn new(cells: &'a [Compared]) -> Panels<'a> {
        let blocks = grouped(cells.iter(), |cell| {
            format!("Table {}, {}", cell.table.number(), cell.problem)
        });
        let mut panels = Vec::new();
        for (block, members) in &blocks {
            let highest = 1.08 * highest(members);
            let axis = |cell: &Cell| format!("{} {}", cell.table.axis_title(), cell.axis.value());
            for (value, cells) in grouped(members.iter().copied(), axis) {
                let title = match blocks.len() {
                    1 => value,
                    _ => format!("{block}: {value}"),
                };
                panels.push(Panel {
                    title,
                    cells,
                    highest,
                });
            }
        }
        let title = match blocks.as_slice() {
            [(block, _)] => block.clone(),
            _ => "Tables of the paper".into(),
        };
        Panels { panels, title }
    }

    /// The panels as charts of their own, with the title of each.
    pub fn each(&self) -> impl Iterator<Item = (&str, OnePanel<'_, 'a>)> {
        let one = |panel| OnePanel(panel);
        self.panels
            .iter()
            .map(move |panel| (panel.title.as_str(), one(panel)))
    }

    fn n_rows(&self) -> usize {
        self.panels.len().div_ceil(COLUMNS).max(1)
    }
}

/// One panel, drawn alone and without legend.
pub struct OnePanel<'p, 'a>(&'p Panel<'a>);

impl Chart for OnePanel<'_, '_> {
    fn size(&self) -> (u32, u32) {
        (PANEL_WIDTH, PANEL_HEIGHT)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        draw_panel(area, self.0)
    }
}

/// Cells with the same key together, in the order of their first.
fn grouped<'a>(
    cells: impl Iterator<Item = &'a Compared>,
    key: impl Fn(&Cell) -> String,
) -> Vec<(String, Vec<&'a Compared>)> {
    let mut groups: Vec<(String, Vec<&Compared>)> = Vec::new();
    for compared in cells {
        let name = key(&compared.cell);
        match groups.iter_mut().find(|(group, _)| *group == name) {
            Some((_, members)) => members.push(compared),
            None => groups.push((name, vec![compared])),
        }
    }
    groups
}

fn highest(cells: &[&Compared]) -> f64 {
    let values = cells.iter().flat_map(|compared| {
        let measured = compared.measured.map(|value| value.gpops_billion);
        [Some(compared.predicted_gpops_billion), measured]
    });
    values.flatten().fold(0.0, f64::max)
}

impl Chart for Panels<'_> {
    fn size(&self) -> (u32, u32) {
        let n_rows = self.n_rows() as u32;
        (
            PANEL_WIDTH * COLUMNS as u32 + 20,
            HEADER_HEIGHT + PANEL_HEIGHT * n_rows + 10,
        )
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let (header, body) = area.split_vertically(HEADER_HEIGHT);
        draw_header(&header, &self.title)?;
        let body = body.margin(0, 10, 10, 10);
        let areas = body.split_evenly((self.n_rows(), COLUMNS));
        for (panel, area) in self.panels.iter().zip(&areas) {
            draw_panel(area, panel)?;
        }
        Ok(())
    }
}

fn draw_header<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    title: &str,
) -> Result<(), Box<dyn Error>>
where
    B::ErrorType: 'static,
{
    area.draw(&Text::new(title.to_string(), (16, 10), ink(20)))?;
    let y = 47;
    area.draw(&PathElement::new(
        vec![(16, y), (44, y)],
        BLUE.stroke_width(2),
    ))?;
    area.draw(&Text::new("predicted", (52, y - 8), ink(14)))?;
    area.draw(&Circle::new((140, y), 4, VERMILION.filled()))?;
    area.draw(&Text::new("measured", (152, y - 8), ink(14)))?;
    let axes = "billion GPop/s over threads per block";
    area.draw(&Text::new(axes, (250, y - 8), ink(14)))?;
    Ok(())
}

fn draw_panel<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    panel: &Panel,
) -> Result<(), Box<dyn Error>>
where
    B::ErrorType: 'static,
{
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_right(18)
        .caption(&panel.title, ink(15))
        .x_label_area_size(24)
        .y_label_area_size(34)
        .build_cartesian_2d(0.0..LARGEST_BLOCK / TICK_THREADS, 0.0..panel.highest)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .x_labels(5)
        .y_labels(6)
        .x_label_formatter(&|ticks| format!("{:.0}", ticks * TICK_THREADS))
        .y_label_formatter(&|rate| format!("{rate:.0}"))
        .label_style(ink(12))
        .draw()?;
    let threads = |compared: &Compared| f64::from(compared.cell.threads_per_block) / TICK_THREADS;
    let predicted = panel
        .cells
        .iter()
        .map(|c| (threads(c), c.predicted_gpops_billion));
    chart.draw_series(LineSeries::new(predicted, BLUE.stroke_width(2)))?;
    let measured = || {
        panel
            .cells
            .iter()
            .filter_map(|c| Some((threads(c), c.measured?)))
    };
    chart.draw_series(measured().map(|(x, value)| {
        let (y, half) = (value.gpops_billion, value.ci_billion);
        PathElement::new(vec![(x, y - half), (x, y + half)], VERMILION)
    }))?;
    chart.draw_series(
        measured().map(|(x, value)| Circle::new((x, value.gpops_billion), 3, VERMILION.filled())),
    )?;
    chart.draw_series(panel.cells.iter().map(|cell| {
        let at = cell.measured.map(|value| value.gpops_billion);
        let y = at.unwrap_or(cell.predicted_gpops_billion);
        note(said(cell), (threads(cell), y))
    }))?;
    Ok(())
}

/// What a point says.
fn said(cell: &Compared) -> String {
    let measured = cell.measured.map_or(String::new(), |value| {
        format!(", measured {} ± {}", value.gpops_billion, value.ci_billion)
    });
    let (threads, predicted) = (cell.cell.threads_per_block, cell.predicted_gpops_billion);
    format!("{threads} threads: predicted {predicted:.1}{measured} billion GPop/s")
}
