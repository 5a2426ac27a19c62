//! Measured against predicted: one point per cell, on the diagonal where the prediction is right.
//!
//! Leaves out: cells without a measured value. Units: given by the caller; both axes are logarithmic.
//! Bars: the paper's confidence interval (across), the spread over draws of programs (upright), where there is any.

use super::lines::Ticked;
use super::{Chart, INK, SERIES_COLOURS, ink, note};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// What it is, if more than one of its series.
    pub name: Option<String>,
    pub measured: f64,
    pub measured_half: f64,
    pub predicted: f64,
    pub predicted_half: f64,
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
    /// Of both axes.
    pub unit: &'static str,
}

const SIZE: (u32, u32) = (360, 372);
const LEGEND_HEIGHT: u32 = 42;
/// Beside the diagonal: 20 % too fast and too slow.
const BAND: f64 = 1.2;

impl Scatter {
    /// What a point says.
    fn said(&self, series: &Series, point: &Point) -> String {
        let digits = |value: f64| (2 - value.log10().floor().min(2.0) as i32).clamp(0, 4) as usize;
        let figure = |value: f64| format!("{value:.*}", digits(value));
        format!(
            "{}: measured {}, predicted {} {} ({:+.1} %)",
            point.name.as_deref().unwrap_or(&series.name),
            figure(point.measured),
            figure(point.predicted),
            self.unit,
            100.0 * (point.predicted / point.measured - 1.0)
        )
    }

    fn ends(&self) -> Option<(f64, f64)> {
        let points = self.series.iter().flat_map(|series| &series.points);
        let values: Vec<f64> = points.flat_map(|p| [p.measured, p.predicted]).collect();
        let low = values.iter().copied().fold(f64::MAX, f64::min);
        let high = values.iter().copied().fold(f64::MIN, f64::max);
        (low > 0.0 && high >= low && high < f64::MAX)
            .then(|| ((low / BAND).log10(), (high * BAND).log10()))
    }
}

impl Chart for Scatter {
    fn size(&self) -> (u32, u32) {
        SIZE
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let (low, high) = self.ends().ok_or("no cell has a measured value")?;
        let (plot, legend) = area.split_vertically(SIZE.1 - LEGEND_HEIGHT);
        let axis = || Ticked::new(low..high, ticks(low, high));
        let mut chart = ChartBuilder::on(&plot)
            .margin(6)
            .margin_right(14)
            .margin_top(12)
            .x_label_area_size(38)
            .y_label_area_size(50)
            .build_cartesian_2d(axis(), axis())?;
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(format!("measured, {}", self.unit))
            .y_desc(format!("predicted, {}", self.unit))
            .x_label_formatter(&|x| format!("{:.0}", 10f64.powf(*x)))
            .y_label_formatter(&|y| format!("{:.0}", 10f64.powf(*y)));
        super::light_mesh(&mut mesh).draw()?;
        let band = BAND.log10();
        chart.draw_series(LineSeries::new([(low, low), (high, high)], INK))?;
        for line in [
            [(low + band, low), (high, high - band)],
            [(low, low + band), (high - band, high)],
        ] {
            chart.draw_series(DashedLineSeries::new(line, 3, 4, INK.mix(0.6).into()))?;
        }
        for (i, series) in self.series.iter().enumerate() {
            let colour = SERIES_COLOURS[i % SERIES_COLOURS.len()];
            for point in &series.points {
                let at = (point.measured.log10(), point.predicted.log10());
                let across = [-1.0, 1.0].map(|side| {
                    let value = point.measured + side * point.measured_half;
                    (value.max(f64::MIN_POSITIVE).log10().max(low), at.1)
                });
                let upright = [-1.0, 1.0].map(|side| {
                    let value = point.predicted + side * point.predicted_half;
                    (at.0, value.max(f64::MIN_POSITIVE).log10().max(low))
                });
                for bar in [across, upright] {
                    chart.draw_series([PathElement::new(bar.to_vec(), colour.mix(0.6))])?;
                }
                let at = chart.backend_coord(&at);
                marker(&plot, i, at, colour, point.fitted)?;
                let (left, top) = plot.get_base_pixel();
                plot.draw(&note(self.said(series, point), (at.0 - left, at.1 - top)))?;
            }
        }
        let width = SIZE.0 as i32 / 2 - 6;
        for (i, series) in self.series.iter().enumerate() {
            let (x, y) = (16 + (i % 2) as i32 * width, 12 + (i / 2) as i32 * 18);
            let (left, top) = (0, (SIZE.1 - LEGEND_HEIGHT) as i32);
            let colour = SERIES_COLOURS[i % SERIES_COLOURS.len()];
            marker(area, i, (left + x, top + y), colour, false)?;
            legend.draw(&Text::new(series.name.clone(), (x + 12, y - 7), ink(13)))?;
        }
        Ok(())
    }
}

/// A mark whose shape tells the series as its colour does.
fn marker<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    shape: usize,
    at: (i32, i32),
    colour: RGBColor,
    rim: bool,
) -> Result<(), Box<dyn Error>>
where
    B::ErrorType: 'static,
{
    let (left, top) = area.get_base_pixel();
    let (x, y) = (at.0 - left, at.1 - top);
    let corners: Vec<(i32, i32)> = match shape % 4 {
        0 => {
            area.draw(&Circle::new((x, y), 4, colour.filled()))?;
            if rim {
                area.draw(&Circle::new((x, y), 5, INK.stroke_width(2)))?;
            }
            return Ok(());
        }
        1 => vec![(x, y - 5), (x + 5, y + 4), (x - 5, y + 4)],
        2 => vec![
            (x - 4, y - 4),
            (x + 4, y - 4),
            (x + 4, y + 4),
            (x - 4, y + 4),
        ],
        _ => vec![(x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y)],
    };
    area.draw(&Polygon::new(corners.clone(), colour.filled()))?;
    if rim {
        let closed = corners.iter().chain(corners.first()).copied();
        area.draw(&PathElement::new(
            closed.collect::<Vec<_>>(),
            INK.stroke_width(2),
        ))?;
    }
    Ok(())
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

    fn scatter(series: Vec<Series>) -> Scatter {
        Scatter {
            series,
            unit: "billion GPop/s",
        }
    }

    #[test]
    fn every_point_is_drawn_and_the_fitted_have_a_rim() {
        let point = |fitted| Point {
            name: None,
            measured: 20.0,
            measured_half: 1.0,
            predicted: 22.0,
            predicted_half: 0.0,
            fitted,
        };
        let series = Series {
            name: "sextic".into(),
            points: vec![point(false), point(true)],
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
