//! Stacked bars, one per configuration: where the cycles go.
//!
//! Leaves out: layers that no bar has; layers too small to see anywhere are drawn together as `other`.
//! Units: given by the caller, the same for all bars.

use super::{Chart, GRID, ON_DARK, ON_LIGHT, ink};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;

/// One bar: a label and its layers, from the left.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub label: String,
    pub layers: Vec<(String, f64)>,
}

/// Bars under each other on one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct StackedBars {
    title: String,
    /// What the lengths mean: `scheduler cycles per GP operation`.
    unit: String,
    bars: Vec<Bar>,
}

const WIDTH: u32 = 900;
const TITLE_HEIGHT: u32 = 48;
const BAR_HEIGHT: u32 = 64;
const AXIS_HEIGHT: u32 = 42;
const LEGEND_ROW_HEIGHT: u32 = 22;
const LEGEND_COLUMNS: usize = 4;
/// A layer narrower than this part of the scale carries no figure.
const LEAST_LABELLED: f64 = 0.04;

/// A layer that is smaller than this part of the scale in every bar joins `other`.
const LEAST_DRAWN: f64 = 0.01;
const OTHER: &str = "other";
/// Colour of `other`, and of layers beyond the last colour.
const GREY: RGBColor = RGBColor(160, 160, 160);

/// Colours of the layers, by their place among all layers; issue first.
const COLOURS: [RGBColor; 9] = [
    RGBColor(0, 158, 115),
    RGBColor(0, 114, 178),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(213, 94, 0),
    RGBColor(204, 121, 167),
    RGBColor(240, 228, 66),
    RGBColor(120, 94, 160),
    RGBColor(150, 110, 60),
];

impl Bar {
    pub(super) fn length(&self) -> f64 {
        self.layers.iter().map(|(_, value)| value).sum()
    }
}

impl StackedBars {
    /// A chart of `bars`, layers too small to see joined.
    pub fn new(title: String, unit: String, bars: Vec<Bar>) -> StackedBars {
        let longest = bars.iter().map(Bar::length).fold(0.0, f64::max);
        let large = |name: &str| {
            let layers = bars.iter().flat_map(|bar| &bar.layers);
            let mut of_name = layers.filter(|(other, _)| other == name);
            of_name.any(|(_, value)| *value >= LEAST_DRAWN * longest)
        };
        let join = |bar: &Bar| {
            let (mut layers, small): (Vec<_>, Vec<_>) = bar
                .layers
                .iter()
                .cloned()
                .partition(|(name, _)| large(name));
            let rest: f64 = small.iter().map(|(_, value)| value).sum();
            layers.push((OTHER.into(), rest));
            Bar {
                label: bar.label.clone(),
                layers,
            }
        };
        let bars = bars.iter().map(join).collect();
        StackedBars { title, unit, bars }
    }

    /// Names of the layers that any bar has, in the order of the first bar that has them, `other` last.
    pub(super) fn layer_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (name, value) in self.bars.iter().flat_map(|bar| &bar.layers) {
            if *value > 0.0 && !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names.sort_by_key(|name| *name == OTHER);
        names
    }

    pub(super) fn bars(&self) -> &[Bar] {
        &self.bars
    }

    fn legend_height(&self) -> u32 {
        self.layer_names().len().div_ceil(LEGEND_COLUMNS) as u32 * LEGEND_ROW_HEIGHT + 18
    }
}

impl Chart for StackedBars {
    fn size(&self) -> (u32, u32) {
        let bars = BAR_HEIGHT * self.bars.len() as u32;
        (
            WIDTH,
            TITLE_HEIGHT + bars + AXIS_HEIGHT + self.legend_height(),
        )
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let (_, height) = self.size();
        let names = self.layer_names();
        let (title, rest) = area.split_vertically(TITLE_HEIGHT);
        let (body, legend) = rest.split_vertically(height - TITLE_HEIGHT - self.legend_height());
        title.draw(&Text::new(self.title.clone(), (16, 14), ink(20)))?;
        self.draw_bars(&body, &names)?;
        draw_legend(&legend, &names)
    }
}

impl StackedBars {
    fn draw_bars<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        names: &[&str],
    ) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let longest = self.bars.iter().map(Bar::length).fold(0.0, f64::max);
        let scale = if longest > 0.0 { longest * 1.02 } else { 1.0 };
        let n_bars = self.bars.len() as f64;
        let mut chart = ChartBuilder::on(area)
            .margin_left(16)
            .margin_right(24)
            .x_label_area_size(AXIS_HEIGHT)
            .build_cartesian_2d(0.0..scale, n_bars..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(GRID)
            .x_desc(self.unit.clone())
            .axis_desc_style(ink(14))
            .label_style(ink(12))
            .draw()?;
        for (row, bar) in self.bars.iter().enumerate() {
            let row = row as f64;
            chart.draw_series([Text::new(bar.label.clone(), (0.0, row + 0.06), ink(14))])?;
            let mut start = 0.0;
            for (name, value) in bar.layers.iter().filter(|(_, value)| *value > 0.0) {
                let end = start + value;
                let colour = layer_colour(names, name);
                let corners = [(start, row + 0.36), (end, row + 0.88)];
                chart.draw_series([Rectangle::new(corners, colour.filled())])?;
                if *value > LEAST_LABELLED * scale {
                    let figure = format!("{value:.3}");
                    let at = (start + 0.005 * scale, row + 0.5);
                    chart.draw_series([Text::new(figure, at, ink(13).color(&over(colour)))])?;
                }
                start = end;
            }
        }
        Ok(())
    }
}

fn draw_legend<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    names: &[&str],
) -> Result<(), Box<dyn Error>>
where
    B::ErrorType: 'static,
{
    let column_width = (WIDTH as i32 - 32) / LEGEND_COLUMNS as i32;
    for (index, name) in names.iter().enumerate() {
        let x = 16 + (index % LEGEND_COLUMNS) as i32 * column_width;
        let y = 10 + (index / LEGEND_COLUMNS) as i32 * LEGEND_ROW_HEIGHT as i32;
        let square = [(x, y + 2), (x + 14, y + 16)];
        area.draw(&Rectangle::new(square, layer_colour(names, name).filled()))?;
        area.draw(&Text::new(name.to_string(), (x + 20, y + 2), ink(13)))?;
    }
    Ok(())
}

/// The colour of a layer by its place among `names`.
pub(super) fn layer_colour(names: &[&str], name: &str) -> RGBColor {
    let place = names.iter().position(|other| *other == name);
    let colour = place.and_then(|place| COLOURS.get(place));
    colour.copied().filter(|_| name != OTHER).unwrap_or(GREY)
}

/// Ink that can be read on `background`.
fn over(background: RGBColor) -> RGBColor {
    let RGBColor(red, green, blue) = background;
    let light = 0.3 * f64::from(red) + 0.6 * f64::from(green) + 0.1 * f64::from(blue);
    if light > 125.0 { ON_LIGHT } else { ON_DARK }
}
