//! Measured against predicted: one point per cell, on the diagonal where the prediction is right.
//!
//! Leaves out: cells without a measured value. Units: given by the caller; both axes are logarithmic.

use super::lines::Ticked;
use super::{
    Area, Canvas, Chart, Drawn, GUIDE, INK, Legend, NARROW, SERIES_COLOURS, light_mesh, tick,
};
use plotters::element::DynElement;
use plotters::prelude::*;

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    pub measured: f64,
    pub predicted: f64,
    /// Fitted cells have a dark rim.
    pub fitted: bool,
}

/// The cells of one problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub name: String,
    pub points: Vec<Point>,
}

/// The chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    pub series: Vec<Series>,
    /// Unit of both axes.
    pub unit: &'static str,
}

const PLOT_HEIGHT: u32 = 330;
/// Ratio of the band beside the diagonal: 20 % too fast or too slow.
const BAND: f64 = 1.2;

impl Scatter {
    fn ends(&self) -> Option<(f64, f64)> {
        let points = self.series.iter().flat_map(|series| &series.points);
        let values: Vec<f64> = points.flat_map(|p| [p.measured, p.predicted]).collect();
        let low = values.iter().copied().fold(f64::MAX, f64::min);
        let high = values.iter().copied().fold(f64::MIN, f64::max);
        (low > 0.0 && high >= low && high < f64::MAX)
            .then(|| ((low / BAND).log10(), (high * BAND).log10()))
    }

    fn names(&self) -> Vec<&str> {
        let series = self.series.iter();
        series.map(|series| series.name.as_str()).collect()
    }
}

fn legend<'a>(names: &'a [&'a str]) -> Legend<'a> {
    let width = NARROW;
    Legend { width, names }
}

impl Chart for Scatter {
    fn size(&self) -> (u32, u32) {
        (NARROW, PLOT_HEIGHT + legend(&self.names()).height())
    }

    fn draw(&self, area: &Area) -> Drawn {
        let (low, high) = self.ends().ok_or("no cell has a measured value")?;
        let (plot, under) = area.split_vertically(PLOT_HEIGHT);
        let axis = || Ticked(low..high, ticks(low, high));
        let mut chart = ChartBuilder::on(&plot)
            .margin(6)
            .margin_right(14)
            .margin_top(12)
            .x_label_area_size(38)
            .y_label_area_size(50)
            .build_cartesian_2d(axis(), axis())?;
        let text = |place: &f64| tick(10f64.powf(*place));
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(format!("measured, {}", self.unit))
            .y_desc(format!("predicted, {}", self.unit))
            .x_label_formatter(&text)
            .y_label_formatter(&text);
        light_mesh(&mut mesh).draw()?;
        let band = BAND.log10();
        let outline = [
            [(low, low), (low + band, low), (high, high - band)],
            [(high, high), (high - band, high), (low, low + band)],
        ];
        chart.draw_series([Polygon::new(outline.concat(), INK.mix(0.1))])?;
        let diagonal = [(low, low), (high, high)];
        chart.draw_series(LineSeries::new(diagonal, INK.stroke_width(GUIDE)))?;
        for (nth, series) in self.series.iter().enumerate() {
            for point in &series.points {
                let at = (point.measured.log10(), point.predicted.log10());
                chart.draw_series([mark(nth, at)])?;
                if point.fitted {
                    chart.draw_series([Circle::new(at, 7, INK.stroke_width(GUIDE))])?;
                }
            }
        }
        legend(&self.names()).draw(&under, |nth, at| Ok(under.draw(&mark(nth, at))?))
    }
}

/// A mark whose shape tells the series as its colour does.
fn mark<'a, C: Clone>(nth: usize, at: C) -> DynElement<'static, Canvas<'a>, C>
where
    Circle<C, i32>: IntoDynElement<'static, Canvas<'a>, C>,
    TriangleMarker<C, i32>: IntoDynElement<'static, Canvas<'a>, C>,
    Cross<C, i32>: IntoDynElement<'static, Canvas<'a>, C>,
{
    let colour = SERIES_COLOURS[nth % SERIES_COLOURS.len()];
    match nth % 3 {
        0 => Circle::new(at, 5, colour.filled()).into_dyn(),
        1 => TriangleMarker::new(at, 6, colour.filled()).into_dyn(),
        _ => Cross::new(at, 5, colour.stroke_width(3)).into_dyn(),
    }
}

/// Round numbers within the ends, more of them where the ends are close; logarithms.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let multiples: &[f64] = match high - low {
        span if span < 0.8 => &[1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0],
        _ => &[1.0, 2.0, 5.0],
    };
    let powers = low.floor() as i32..=high.ceil() as i32;
    let of_power = |power: i32| multiples.iter().map(move |m| m.log10() + f64::from(power));
    let all = powers.flat_map(of_power);
    all.filter(|tick| (low..=high).contains(tick)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    #[test]
    fn every_point_is_drawn_and_the_fitted_have_a_rim() {
        let point = |fitted| Point {
            measured: 20.0,
            predicted: 22.0,
            fitted,
        };
        let series = Series {
            name: "sextic".into(),
            points: vec![point(false), point(true)],
        };
        let scatter = |series| Scatter {
            series,
            unit: "billion GPop/s",
        };
        let text = svg(&scatter(vec![series])).unwrap();
        // Two points, one rim, one mark in the legend.
        assert_eq!(text.matches("<circle").count(), 4);
        assert!(svg(&scatter(Vec::new())).is_err());
    }

    #[test]
    fn ticks_are_round_numbers() {
        let values: Vec<f64> = ticks(0.9, 2.1)
            .iter()
            .map(|t| 10f64.powf(*t).round())
            .collect();
        assert_eq!(values, [10.0, 20.0, 50.0, 100.0]);
        assert_eq!(ticks(1.25, 1.55).len(), 2, "20 and 30");
    }
}
