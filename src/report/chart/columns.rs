//! Stacked columns over a few values of one axis: how a whole is made up, and how that changes.
//!
//! Leaves out: layers too small to see in any column, which are drawn together as `other`.
//! Units: given by the caller, the same for all columns.

use super::bars::{Bar, StackedBars, layer_colour};
use super::{Chart, ink, note};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

/// The chart: one column per bar, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    pub x_label: String,
    pub y_label: String,
    bars: StackedBars,
}

const WIDTH: u32 = 360;
const PLOT_HEIGHT: u32 = 270;
const LEGEND_ROW_HEIGHT: u32 = 19;
const LEGEND_COLUMNS: usize = 2;

impl Columns {
    pub fn new(x_label: &str, y_label: &str, bars: Vec<Bar>) -> Columns {
        Columns {
            x_label: x_label.into(),
            y_label: y_label.into(),
            bars: StackedBars::new(String::new(), String::new(), bars),
        }
    }
}

impl Chart for Columns {
    fn size(&self) -> (u32, u32) {
        let n_rows = self.bars.layer_names().len().div_ceil(LEGEND_COLUMNS) as u32;
        (WIDTH, PLOT_HEIGHT + n_rows * LEGEND_ROW_HEIGHT + 8)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let names = self.bars.layer_names();
        let (plot, legend) = area.split_vertically(PLOT_HEIGHT);
        let bars = self.bars.bars();
        let n = bars.len() as f64;
        let top = 1.05 * bars.iter().map(Bar::length).fold(0.0, f64::max);
        if top <= 0.0 {
            return Err("nothing to draw".into());
        }
        let mut chart = ChartBuilder::on(&plot)
            .margin(6)
            .margin_top(12)
            .x_label_area_size(40)
            .y_label_area_size(46)
            .build_cartesian_2d(0.0..n, 0.0..top)?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh()
            .x_desc(self.x_label.clone())
            .y_desc(self.y_label.clone())
            .x_labels(0)
            .y_labels(6);
        super::light_mesh(&mut mesh).draw()?;
        for (i, bar) in bars.iter().enumerate() {
            let mut start = 0.0;
            let (left, right) = (i as f64 + 0.1, i as f64 + 0.9);
            for (name, value) in bar.layers.iter().filter(|(_, value)| *value > 0.0) {
                let corners = [(left, start), (right, start + value)];
                let colour = layer_colour(&names, name);
                chart.draw_series([Rectangle::new(corners, colour.filled())])?;
                let (unit, column) = (&self.y_label, &bar.label);
                let said = format!("{name}: {value:.2} {unit} at {column} {}", self.x_label);
                let middle = (i as f64 + 0.5, start + value / 2.0);
                chart.draw_series([note(said, middle)])?;
                start += value;
            }
            let (x, y) = chart.backend_coord(&(i as f64 + 0.5, 0.0));
            let style = ink(11).pos(Pos::new(HPos::Center, VPos::Top));
            plot.draw(&Text::new(bar.label.clone(), (x, y + 5), style))?;
        }
        for (i, name) in names.iter().enumerate() {
            let x = 12 + (i % LEGEND_COLUMNS) as i32 * (WIDTH as i32 - 12) / LEGEND_COLUMNS as i32;
            let y = 2 + (i / LEGEND_COLUMNS) as i32 * LEGEND_ROW_HEIGHT as i32;
            let square = [(x, y + 1), (x + 13, y + 14)];
            let colour = layer_colour(&names, name);
            legend.draw(&Rectangle::new(square, colour.filled()))?;
            legend.draw(&Text::new(name.to_string(), (x + 19, y), ink(13)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    #[test]
    fn every_column_and_layer_is_named() {
        let bar = |label: &str| Bar {
            label: label.into(),
            layers: vec![("issuing".into(), 3.0), ("branch".into(), 2.0)],
        };
        let columns = Columns::new("threads", "cycles", vec![bar("32"), bar("64")]);
        let text = svg(&columns).unwrap();
        for name in ["issuing", "branch", "\n32\n", "\n64\n"] {
            assert!(text.contains(name), "{name}");
        }
        // Two columns of two layers, two squares, the background.
        assert_eq!(text.matches("<rect").count(), 7);
    }
}
