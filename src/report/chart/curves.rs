//! A what-if study as curves: throughput over one of its axes, one curve per combination of the others.
//!
//! Leaves out: points that cannot run. Units: on the axes.

use super::study::{Grid, label, place};
use super::{BLUE, Chart, GRID, INK, VERMILION, ink};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;

const COLOURS: [RGBColor; 7] = [
    BLUE,
    VERMILION,
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    INK,
];
/// Curves that still can be told apart.
const MAX_CURVES: usize = 12;
const PLOT_WIDTH: u32 = 790;
/// Of a letter in the legend, about.
const LETTER_WIDTH: usize = 7;

/// The chart of a study; `over` is the axis that lies on the horizontal.
pub struct Curves<'a> {
    pub grid: Grid<'a>,
    pub over: usize,
}

/// A curve: its name, its points as places on the axis and throughputs, its highest.
struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    best: f64,
}

impl Curves<'_> {
    /// The highest curves, the highest first.
    fn series(&self) -> Vec<Series> {
        let mut series: Vec<Series> = Vec::new();
        for point in self.grid.points {
            let Some(gpops) = point.outcome.gpops_billion else {
                continue;
            };
            let name = self.grid.name_without(point, &[self.over]);
            let x = place(&self.grid.axes[self.over], &point.values[self.over]);
            let at = series.iter().position(|known| known.name == name);
            let at = at.unwrap_or_else(|| {
                series.push(Series {
                    name,
                    points: Vec::new(),
                    best: 0.0,
                });
                series.len() - 1
            });
            series[at].points.push((x, gpops));
            series[at].best = series[at].best.max(gpops);
        }
        series.sort_by(|a, b| b.best.total_cmp(&a.best));
        series
    }
}

impl Chart for Curves<'_> {
    fn size(&self) -> (u32, u32) {
        let name = |series: &Series| series.name.chars().count();
        let longest = self.series().iter().map(name).max().unwrap_or(0);
        let legend = (50 + LETTER_WIDTH * longest).clamp(180, 640) as u32;
        (PLOT_WIDTH + legend, 540)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let axis = &self.grid.axes[self.over];
        let mut series = self.series();
        let n_curves = series.len();
        series.truncate(MAX_CURVES);
        let points = || series.iter().flat_map(|series| &series.points);
        let top = points().map(|point| point.1).fold(0.0, f64::max);
        if n_curves == 0 {
            return Err("no combination can run".into());
        }
        let last = (axis.values.len().max(2) - 1) as f64;
        let (left, legend) = area.split_horizontally(PLOT_WIDTH);
        let mut chart = ChartBuilder::on(&left)
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(60)
            .build_cartesian_2d(-0.2..last + 0.2, 0.0..1.06 * top)?;
        chart
            .configure_mesh()
            .x_desc(self.grid.title(self.over))
            .y_desc("billion GPop/s")
            .x_labels(axis.values.len().min(14))
            .x_label_formatter(&|x| {
                let value = axis.values.get(x.round().max(0.0) as usize);
                let whole = (x - x.round()).abs() < 1e-6;
                value
                    .filter(|_| whole)
                    .map_or(String::new(), |value| label(axis, value))
            })
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .label_style(ink(13))
            .axis_desc_style(ink(14))
            .draw()?;
        for (i, series) in series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            // The second round of colours has hollow points.
            let style = if i < COLOURS.len() {
                colour.filled()
            } else {
                colour.stroke_width(2)
            };
            let line = series.points.iter().copied();
            chart.draw_series(LineSeries::new(line.clone(), colour.stroke_width(2)))?;
            chart.draw_series(line.map(|point| Circle::new(point, 4, style)))?;
            let y = 24 + 20 * i as i32;
            legend.draw(&PathElement::new([(4, y), (28, y)], colour.stroke_width(2)))?;
            legend.draw(&Circle::new((16, y), 4, style))?;
            legend.draw(&Text::new(series.name.clone(), (34, y - 6), ink(13)))?;
        }
        if n_curves > MAX_CURVES {
            let text = format!("the highest {MAX_CURVES} of {n_curves} curves");
            legend.draw(&Text::new(text, (4, 20 + 20 * MAX_CURVES as i32), ink(12)))?;
        }
        Ok(())
    }
}
