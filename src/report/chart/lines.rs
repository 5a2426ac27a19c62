//! Lines and points on two axes: curves, measurements with their intervals, levels to compare with.
//!
//! Leaves out: axes of measured against predicted (`scatter.rs`). Units: on the axes, given by the caller.

use super::{
    Area, Chart, Drawn, GUIDE, INK, LINE, Legend, NARROW, SERIES_COLOURS, SWATCH_WIDTH, figure,
    light_mesh, tick,
};
use crate::report::grouped;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use std::ops::Range;

/// Values of the horizontal axis: evenly spaced, doubling, those of the points, as far apart as their logarithms, or names of 0, 1, 2.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Scale {
    #[default]
    Even,
    Doubling,
    OfPoints,
    Named(Vec<String>),
}

/// Opacity of a band.
const BAND: f64 = 0.15;
/// Radius of a point.
const POINT: u32 = 4;

/// One named line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    /// Points with these half-widths of their intervals, no line between them.
    pub halves: Option<Vec<f64>>,
    /// Bounds of each point, drawn as a band; empty without intervals.
    pub band: Vec<(f64, f64)>,
    /// Place of its colour, if not its own place among the lines. Beyond the last, colours come again, with hollow points.
    pub colour: Option<usize>,
}

impl Line {
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Line {
        Line {
            name: name.into(),
            points,
            ..Line::default()
        }
    }
}

/// Lines of points that come with the name of the line that they belong to.
pub fn of_points(points: impl IntoIterator<Item = (String, (f64, f64))>) -> Vec<Line> {
    let named = grouped(points, |(name, _)| name.clone()).into_iter();
    let line = |(name, points): (String, Vec<_>)| {
        Line::new(name, points.into_iter().map(|(_, point)| point).collect())
    };
    named.map(line).collect()
}

/// The chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    pub x_label: String,
    pub y_label: String,
    pub scale: Scale,
    pub lines: Vec<Line>,
    /// Values on the vertical axis that are worth a name.
    pub levels: Vec<(f64, String)>,
    /// End of the vertical axis, where several charts share one.
    pub top: Option<f64>,
    /// Pixels, without the legend.
    pub size: (u32, u32),
}

impl Default for Lines {
    fn default() -> Self {
        Lines {
            x_label: String::new(),
            y_label: String::new(),
            scale: Scale::default(),
            lines: Vec::new(),
            levels: Vec::new(),
            top: None,
            size: (NARROW, 250),
        }
    }
}

impl Lines {
    fn is_logarithmic(&self) -> bool {
        matches!(self.scale, Scale::Doubling | Scale::OfPoints)
    }

    fn x(&self, value: f64) -> f64 {
        match self.is_logarithmic() {
            true => value.log2(),
            false => value,
        }
    }

    fn x_text(&self, value: f64) -> String {
        match &self.scale {
            Scale::Named(names) => names.get(value as usize).cloned().unwrap_or_default(),
            _ => figure(value),
        }
    }

    fn legend<'a>(&self, names: &'a [&'a str]) -> Legend<'a> {
        Legend {
            width: self.size.0,
            names,
        }
    }

    fn names(&self) -> Vec<&str> {
        let lines = self.lines.iter().map(|line| line.name.as_str());
        let levels = self.levels.iter().map(|(_, name)| name.as_str());
        lines.chain(levels).collect()
    }

    /// Colour of a line and style of its points; ink for a level.
    fn style(&self, nth: usize) -> (RGBColor, ShapeStyle) {
        let place = self.lines.get(nth).map(|line| line.colour.unwrap_or(nth));
        let colour = place.map_or(INK, |place| SERIES_COLOURS[place % SERIES_COLOURS.len()]);
        match place.is_some_and(|place| place >= SERIES_COLOURS.len()) {
            true => (colour, colour.stroke_width(2)),
            false => (colour, colour.filled()),
        }
    }

    /// Least and largest horizontal place, end of the vertical axis.
    fn extent(&self) -> Option<(f64, f64, f64)> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let places = || points().map(|point| self.x(point.0));
        let low = places().fold(f64::MAX, f64::min);
        let high = places().fold(f64::MIN, f64::max);
        let levels = self.levels.iter().map(|(y, _)| *y);
        let bounds = self.lines.iter().flat_map(|line| &line.band);
        let heights = points().map(|point| point.1);
        let heights = heights.chain(bounds.map(|bounds| bounds.1)).chain(levels);
        let top = heights.fold(0.0, f64::max);
        (low <= high && top > 0.0).then(|| (low, high, self.top.unwrap_or(nice(1.05 * top))))
    }

    /// Places of labels on the horizontal axis.
    fn ticks(&self, low: f64, high: f64) -> Vec<f64> {
        let every = |step: f64| {
            let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
            (first..=last).map(move |i| i as f64 * step).collect()
        };
        match &self.scale {
            Scale::Even => every(step(high - low, 6)),
            Scale::Doubling => every(1.0),
            Scale::Named(_) => every(step(high - low, 14)),
            Scale::OfPoints => {
                let points = self.lines.iter().flat_map(|line| &line.points);
                let mut ticks: Vec<f64> = points.map(|point| self.x(point.0)).collect();
                ticks.sort_unstable_by(f64::total_cmp);
                ticks.dedup();
                ticks
            }
        }
    }
}

impl Chart for Lines {
    fn size(&self) -> (u32, u32) {
        let (width, height) = self.size;
        (width, height + self.legend(&self.names()).height())
    }

    fn draw(&self, area: &Area) -> Drawn {
        let (low, high, top) = self.extent().ok_or("nothing to draw")?;
        let (plot, legend) = area.split_vertically(self.size.1);
        let margin = 0.04 * (high - low).max(0.5);
        let (left, right) = (low - margin, high + margin);
        let mut chart = ChartBuilder::on(&plot)
            .margin(6)
            .margin_right(14)
            .margin_top(12)
            .x_label_area_size(38)
            .y_label_area_size(46)
            .build_cartesian_2d(Ticked(left..right, self.ticks(low, high)), 0.0..top)?;
        let x_text = |place: &f64| match self.is_logarithmic() {
            true => figure(place.exp2().round()),
            false => self.x_text(*place),
        };
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .x_label_formatter(&x_text)
            .y_label_formatter(&|y| tick(*y))
            .y_labels(6);
        light_mesh(&mut mesh).draw()?;
        for (y, _) in &self.levels {
            let ends = [(left, *y), (right, *y)];
            chart.draw_series(DashedLineSeries::new(ends, 6, 4, INK.stroke_width(GUIDE)))?;
        }
        let banded = self.lines.iter().enumerate();
        for (nth, line) in banded.filter(|(_, line)| !line.band.is_empty()) {
            let places = || line.points.iter().map(|point| self.x(point.0));
            let upper = places().zip(line.band.iter().map(|bounds| bounds.1));
            let lower = places().zip(line.band.iter().map(|bounds| bounds.0));
            let outline: Vec<(f64, f64)> = upper
                .chain(lower.collect::<Vec<_>>().into_iter().rev())
                .collect();
            chart.draw_series([Polygon::new(outline, self.style(nth).0.mix(BAND))])?;
        }
        for (nth, line) in self.lines.iter().enumerate() {
            let (colour, style) = self.style(nth);
            let points = line.points.iter().map(|&(x, y)| (self.x(x), y));
            match &line.halves {
                None => {
                    let path = LineSeries::new(points.clone(), colour.stroke_width(LINE));
                    chart.draw_series(path)?;
                }
                Some(halves) => {
                    let bars = points.clone().zip(halves);
                    chart.draw_series(bars.map(|((x, y), half)| {
                        PathElement::new([(x, y - half), (x, y + half)], colour.stroke_width(GUIDE))
                    }))?;
                }
            }
            chart.draw_series(points.map(|point| Circle::new(point, POINT, style)))?;
        }
        let names = self.names();
        self.legend(&names).draw(&legend, |nth, (x, y)| {
            let ((colour, style), half) = (self.style(nth), SWATCH_WIDTH / 2);
            let line = self.lines.get(nth);
            let dashes = match line.map(|line| line.halves.is_some()) {
                Some(true) => Vec::new(),
                Some(false) => vec![(x - half, x + half)],
                None => vec![(x - half, x - 5), (x - 2, x + 2), (x + 5, x + half)],
            };
            for (from, to) in dashes {
                let dash = [(from, y), (to, y)];
                let width = if line.is_some() { LINE } else { GUIDE };
                legend.draw(&PathElement::new(dash, colour.stroke_width(width)))?;
            }
            if line.is_some() {
                legend.draw(&Circle::new((x, y), POINT, style))?;
            }
            Ok(())
        })
    }
}

/// A round number that `span` holds about `n` times; whole multiples of 32 for blocks of threads.
fn step(span: f64, n: usize) -> f64 {
    let rough = span / n as f64;
    let steps = [1.0, 2.0, 5.0, 10.0, 20.0, 32.0, 64.0, 128.0, 256.0];
    let found = steps.into_iter().find(|step| *step >= rough);
    found.unwrap_or(rough)
}

/// The next of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten.
fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    let found = steps.into_iter().find(|step| step * power >= value);
    found.unwrap_or(10.0) * power
}

/// A range of numbers with ticks where the caller wants them; plotters' own `WithKeyPoints` cannot be written on.
pub(super) struct Ticked(pub Range<f64>, pub Vec<f64>);

impl Ranged for Ticked {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.0.start) / (self.0.end - self.0.start);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.1.clone()
    }

    fn range(&self) -> Range<f64> {
        self.0.clone()
    }
}

impl ValueFormatter<f64> for Ticked {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    fn lines() -> Lines {
        let points = vec![(32.0, 16.0), (64.0, 32.0), (96.0, 32.0)];
        Lines {
            x_label: "threads per block".into(),
            y_label: "warps".into(),
            lines: vec![
                Line::new("32 registers", points),
                Line {
                    halves: Some(vec![1.0]),
                    ..Line::new("measured", vec![(32.0, 15.0)])
                },
            ],
            levels: vec![(30.0, "published".into())],
            ..Lines::default()
        }
    }

    #[test]
    fn names_levels_and_points_are_drawn() {
        let text = svg(&lines()).unwrap();
        assert!(
            ["32 registers", "measured", "published"].map(|name| text.contains(name)) == [true; 3]
        );
        // Four points and two in the legend.
        assert_eq!(text.matches("<circle").count(), 6);
    }

    #[test]
    fn places_have_the_names_that_they_are_given() {
        let mut named = lines();
        named.lines.truncate(1);
        named.lines[0].points = vec![(0.0, 1.0), (1.0, 2.0)];
        named.scale = Scale::Named(vec!["float".into(), "float4".into()]);
        assert!(svg(&named).unwrap().contains("\nfloat4\n"));
    }

    #[test]
    fn nothing_to_draw_is_an_error() {
        assert!(svg(&Lines::default()).is_err());
    }
}
