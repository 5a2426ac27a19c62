//! Lines on two axes, small enough to be read on a phone: steps, curves, a mark where something is full, levels to compare with.
//!
//! Leaves out: error bars (`panels.rs`). Units: on the axes, given by the caller.

use super::{Chart, SERIES_COLOURS, ink, note};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;
use std::ops::Range;

/// Values of an axis: evenly spaced, doubling, or those of the points, as far apart as their logarithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    Even,
    Doubling,
    OfPoints,
}

/// One named line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// The chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    pub x_label: String,
    pub y_label: String,
    pub scale: Scale,
    pub lines: Vec<Line>,
    /// A place on the horizontal axis that is worth a name.
    pub mark: Option<(f64, String)>,
    /// Values on the vertical axis that are worth a name.
    pub levels: Vec<(f64, String)>,
    /// Every value holds until the next point.
    pub steps: bool,
}

const WIDTH: u32 = 360;
const PLOT_HEIGHT: u32 = 250;
const LEGEND_ROW_HEIGHT: u32 = 19;
const LEGEND_COLUMNS: usize = 2;

impl Lines {
    fn x(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Even => value,
            Scale::Doubling | Scale::OfPoints => value.log2(),
        }
    }

    fn legend_height(&self) -> u32 {
        self.lines.len().div_ceil(LEGEND_COLUMNS) as u32 * LEGEND_ROW_HEIGHT + 8
    }

    /// Least and largest horizontal place, largest value.
    fn extent(&self) -> Option<(f64, f64, f64)> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let mark = self.mark.iter().map(|(x, _)| *x);
        let places = || points().map(|p| p.0).chain(mark.clone()).map(|x| self.x(x));
        let low = places().fold(f64::MAX, f64::min);
        let high = places().fold(f64::MIN, f64::max);
        let levels = self.levels.iter().map(|(y, _)| *y);
        let top = points().map(|p| p.1).chain(levels).fold(0.0, f64::max);
        (points().next().is_some() && top > 0.0).then_some((low, high, top))
    }

    /// What a point says.
    fn said(&self, line: &Line, x: f64, y: f64) -> String {
        let (over, value) = (&self.x_label, figure(y));
        format!(
            "{}: {value} {} at {} {over}",
            line.name,
            self.y_label,
            figure(x)
        )
    }

    fn path(&self, line: &Line) -> Vec<(f64, f64)> {
        let mut path: Vec<(f64, f64)> = Vec::new();
        for &(x, y) in &line.points {
            if let Some(&(_, before)) = path.last().filter(|_| self.steps) {
                path.push((self.x(x), before));
            }
            path.push((self.x(x), y));
        }
        path
    }
}

impl Chart for Lines {
    fn size(&self) -> (u32, u32) {
        (WIDTH, PLOT_HEIGHT + self.legend_height())
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let (low, high, top) = self.extent().ok_or("nothing to draw")?;
        let (plot, legend) = area.split_vertically(PLOT_HEIGHT);
        let margin = 0.04 * (high - low).max(0.5);
        let top = nice(1.05 * top);
        let ticks = self.ticks(low, high);
        let mut chart = ChartBuilder::on(&plot)
            .margin(6)
            .margin_right(14)
            .margin_top(12)
            .x_label_area_size(38)
            .y_label_area_size(46)
            .build_cartesian_2d(Ticked::new(low - margin..high + margin, ticks), 0.0..top)?;
        let doubling = self.scale != Scale::Even;
        let x_figure = move |x: &f64| match doubling {
            true => format!("{:.0}", x.exp2()),
            false => format!("{x:.0}"),
        };
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(self.x_label.clone())
            .y_desc(self.y_label.clone())
            .x_label_formatter(&x_figure)
            .y_label_formatter(&|y| figure(*y))
            .y_labels(6);
        super::light_mesh(&mut mesh).draw()?;
        if let Some((x, name)) = &self.mark {
            let x = self.x(*x);
            let dashes = DashedLineSeries::new([(x, 0.0), (x, top)], 4, 3, super::INK.into());
            chart.draw_series(dashes)?;
            let left = x > low + 0.6 * (high - low);
            let anchor = if left { HPos::Right } else { HPos::Left };
            let style = ink(12).pos(Pos::new(anchor, VPos::Top));
            let shift = if left { -0.01 } else { 0.01 } * (high - low);
            let at = (x + shift, 0.1 * top);
            chart.draw_series([Text::new(name.clone(), at, style)])?;
        }
        for (y, _) in &self.levels {
            let ends = [(low - margin, *y), (high + margin, *y)];
            let dashes = DashedLineSeries::new(ends, 4, 3, super::INK.into());
            chart.draw_series(dashes)?;
        }
        for (i, line) in self.lines.iter().enumerate() {
            let colour = SERIES_COLOURS[i % SERIES_COLOURS.len()];
            let path = self.path(line);
            chart.draw_series(LineSeries::new(path, colour.stroke_width(2)))?;
            let note = |&(x, y): &(f64, f64)| note(self.said(line, x, y), (self.x(x), y));
            chart.draw_series(line.points.iter().map(note))?;
            if !self.steps {
                let at = line.points.iter().map(|&(x, y)| (self.x(x), y));
                chart.draw_series(at.map(|p| Circle::new(p, 3, colour.filled())))?;
            }
        }
        let paths: Vec<Vec<(i32, i32)>> = self
            .lines
            .iter()
            .map(|line| {
                let path = self.path(line).into_iter();
                path.map(|point| chart.backend_coord(&point)).collect()
            })
            .collect();
        for (y, name) in &self.levels {
            let ends = [low - margin, high + margin].map(|x| chart.backend_coord(&(x, *y)));
            let style = ink(12);
            let (width, height) = plot.estimate_text_size(name, &style)?;
            let corner = place(ends, (width as i32, height as i32), &paths);
            let (left, upper) = plot.get_base_pixel();
            let at = (corner.0 - left, corner.1 - upper);
            plot.draw(&Text::new(name.clone(), at, style))?;
        }
        for (i, line) in self.lines.iter().enumerate() {
            let x = 12 + (i % LEGEND_COLUMNS) as i32 * (WIDTH as i32 - 12) / LEGEND_COLUMNS as i32;
            let y = 2 + (i / LEGEND_COLUMNS) as i32 * LEGEND_ROW_HEIGHT as i32;
            let colour = SERIES_COLOURS[i % SERIES_COLOURS.len()];
            let swatch = vec![(x, y + 7), (x + 18, y + 7)];
            legend.draw(&PathElement::new(swatch, colour.stroke_width(3)))?;
            legend.draw(&Text::new(line.name.clone(), (x + 24, y), ink(13)))?;
        }
        Ok(())
    }
}

impl Lines {
    fn ticks(&self, low: f64, high: f64) -> Vec<f64> {
        if self.scale == Scale::Doubling {
            let (first, last) = (low.ceil() as i32, high.floor() as i32);
            return (first..=last).map(f64::from).collect();
        }
        if self.scale == Scale::OfPoints {
            let points = self.lines.iter().flat_map(|line| &line.points);
            let mut ticks: Vec<f64> = points.map(|point| self.x(point.0)).collect();
            ticks.sort_unstable_by(f64::total_cmp);
            ticks.dedup();
            return ticks;
        }
        let step = step(high - low, 6);
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }
}

/// Where the name of a level is to begin: above or below the line between its `ends`, to the right or to the left, wherever no
/// line passes; above its right end if they all do.
fn place(
    ends: [(i32, i32); 2],
    (width, height): (i32, i32),
    paths: &[Vec<(i32, i32)>],
) -> (i32, i32) {
    const GAP: i32 = 3;
    let [(left, y), (right, _)] = ends;
    let (above, below) = (y - height - GAP, y + GAP);
    let corners = [right - width, left + GAP].map(|x| [(x, above), (x, below)]);
    let is_free = |corner: &(i32, i32)| {
        let mut legs = paths.iter().flat_map(|path| path.windows(2));
        legs.all(|leg| !meets(*corner, (width, height), [leg[0], leg[1]]))
    };
    let free = corners.as_flattened().iter().find(|corner| is_free(corner));
    *free.unwrap_or(&corners[0][0])
}

/// Whether a straight line passes a box or comes near it.
fn meets(corner: (i32, i32), (width, height): (i32, i32), leg: [(i32, i32); 2]) -> bool {
    const NEAR: f64 = 3.0;
    const STEPS: i32 = 64;
    let [(x0, y0), (x1, y1)] = leg.map(|(x, y)| (f64::from(x), f64::from(y)));
    let within = |value: f64, from: i32, size: i32| {
        value >= f64::from(from) - NEAR && value <= f64::from(from + size) + NEAR
    };
    (0..=STEPS).any(|step| {
        let part = f64::from(step) / f64::from(STEPS);
        let (x, y) = (x0 + part * (x1 - x0), y0 + part * (y1 - y0));
        within(x, corner.0, width) && within(y, corner.1, height)
    })
}

/// Digits as the size of a value needs them.
fn figure(value: f64) -> String {
    if value == value.round() {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    }
}

/// A round number that `span` holds about `n` times; whole multiples of 32 for blocks of threads.
fn step(span: f64, n: usize) -> f64 {
    let rough = span / n as f64;
    let steps = [1.0, 2.0, 5.0, 10.0, 20.0, 32.0, 64.0, 128.0, 192.0, 256.0];
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

/// A range of numbers with ticks where the caller wants them.
pub(super) struct Ticked {
    range: Range<f64>,
    ticks: Vec<f64>,
}

impl Ticked {
    pub fn new(range: Range<f64>, ticks: Vec<f64>) -> Ticked {
        Ticked { range, ticks }
    }
}

impl Ranged for Ticked {
    type FormatOption = plotters::coord::ranged1d::NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.range.start) / (self.range.end - self.range.start);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Ticked {
    fn format(value: &f64) -> String {
        figure(*value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    fn lines(steps: bool) -> Lines {
        Lines {
            x_label: "threads per block".into(),
            y_label: "warps".into(),
            scale: Scale::Even,
            lines: vec![Line {
                name: "32 registers".into(),
                points: vec![(32.0, 16.0), (64.0, 32.0), (96.0, 32.0)],
            }],
            mark: Some((64.0, "full".into())),
            levels: vec![(30.0, "published".into())],
            steps,
        }
    }

    #[test]
    fn a_step_goes_level_before_it_goes_up() {
        let path = lines(true).path(&lines(true).lines[0]);
        assert_eq!(path[..3], [(32.0, 16.0), (64.0, 16.0), (64.0, 32.0)]);
    }

    #[test]
    fn a_level_is_named_where_no_line_passes() {
        let ends = [(50, 100), (350, 100)];
        let placed = |path: &[(i32, i32)]| place(ends, (80, 12), &[path.to_vec()]);
        let above_right = (270, 85);
        assert_eq!(placed(&[(50, 20), (350, 30)]), above_right);
        assert_eq!(placed(&[(50, 20), (350, 90)]), (270, 103));
        // Through all that lies at the right.
        assert_eq!(placed(&[(300, 20), (301, 200)]), (53, 85));
        assert_eq!(
            placed(&[(50, 92), (350, 92), (50, 108), (350, 108)]),
            above_right
        );
    }

    #[test]
    fn names_marks_and_points_are_drawn() {
        let text = svg(&lines(false)).unwrap();
        assert!(["32 registers", "full", "published"].map(|name| text.contains(name)) == [true; 3]);
        assert_eq!(text.matches("<circle").count(), 3);
    }

    #[test]
    fn nothing_to_draw_is_an_error() {
        let empty = Lines {
            lines: Vec::new(),
            ..lines(false)
        };
        assert!(svg(&empty).is_err());
    }
}
