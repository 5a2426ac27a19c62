//! A what-if study as curves: throughput over the L1 size, threads or second dimension, one curve per other combination.
//!
//! Leaves out: points whose block cannot be resident. Units: on the axes.

use super::{BLUE, Chart, GRID, VERMILION, ink};
use crate::report::whatif::Point;
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
    RGBColor(40, 40, 40),
];
/// Curves that still can be told apart.
const MAX_CURVES: usize = 14;

/// The chart of these points.
pub struct Curves<'a>(pub &'a [Point]);

/// What lies on the horizontal axis: its label, its values, whether they double.
struct Axis {
    label: &'static str,
    value: fn(&Point) -> u32,
    doubling: bool,
}

const AXES: [Axis; 3] = [
    Axis {
        label: "L1 (KiB)",
        value: |point| point.l1_bytes,
        doubling: true,
    },
    Axis {
        label: "threads per block",
        value: |point| point.threads_per_block,
        doubling: false,
    },
    Axis {
        label: "second dimension of the stack",
        value: |point| point.stack_dim,
        doubling: false,
    },
];

impl Curves<'_> {
    /// The first axis with more than one value.
    fn axis(&self) -> &'static Axis {
        let varies = |axis: &&Axis| {
            let mut values = self.0.iter().map(axis.value);
            let first = values.next();
            values.any(|value| Some(value) != first)
        };
        AXES.iter().find(varies).unwrap_or(&AXES[0])
    }

    /// Curves: a name and its points.
    fn series(&self, axis: &Axis) -> Vec<(String, Vec<(f64, f64)>)> {
        let mut series: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
        for point in self.0 {
            let Some(gpops) = point.gpops_billion else {
                continue;
            };
            let name = match axis.label {
                "L1 (KiB)" => format!(
                    "{} threads, dimension {}",
                    point.threads_per_block, point.stack_dim
                ),
                "threads per block" => format!("dimension {}", point.stack_dim),
                _ => format!("{} threads", point.threads_per_block),
            };
            let value = f64::from((axis.value)(point));
            let x = if axis.doubling { value.log2() } else { value };
            match series.iter_mut().find(|(known, _)| *known == name) {
                Some((_, points)) => points.push((x, gpops)),
                None => series.push((name, vec![(x, gpops)])),
            }
        }
        series
    }
}

impl Chart for Curves<'_> {
    fn size(&self) -> (u32, u32) {
        (900, 540)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let axis = self.axis();
        let mut series = self.series(axis);
        series.truncate(MAX_CURVES);
        let points = || series.iter().flat_map(|(_, points)| points);
        let low = points().map(|p| p.0).fold(f64::MAX, f64::min);
        let high = points().map(|p| p.0).fold(f64::MIN, f64::max);
        let top = points().map(|p| p.1).fold(0.0, f64::max);
        if low > high {
            return Err("no combination can be resident".into());
        }
        let margin = 0.03 * (high - low).max(1.0);
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(56)
            .build_cartesian_2d(low - margin..high + margin, 0.0..1.08 * top)?;
        let doubling = axis.doubling;
        chart
            .configure_mesh()
            .x_desc(axis.label)
            .y_desc("billion GPop/s")
            .x_label_formatter(&move |x| label(*x, doubling))
            .light_line_style(WHITE)
            .bold_line_style(GRID)
            .label_style(ink(13))
            .axis_desc_style(ink(14))
            .draw()?;
        for (i, (name, points)) in series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            chart
                .draw_series(LineSeries::new(
                    points.iter().copied(),
                    colour.stroke_width(2),
                ))?
                .label(name)
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2))
                });
            chart.draw_series(points.iter().map(|&p| Circle::new(p, 3, colour.filled())))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.85))
            .border_style(GRID)
            .label_font(ink(13))
            .draw()?;
        Ok(())
    }
}

/// Sizes that double are drawn on a logarithmic axis and named in KiB at whole powers.
fn label(x: f64, doubling: bool) -> String {
    if !doubling {
        return format!("{x:.0}");
    }
    if (x - x.round()).abs() < 1e-6 {
        format!("{}", x.exp2() / 1024.0)
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::Configuration;
    use crate::report::chart::svg;

    fn point(l1_bytes: u32, stack_dim: u32, gpops_billion: Option<f64>) -> Point {
        let configuration = Configuration {
            problem: "sextic".into(),
            kernel: "rpn".into(),
            stack_dim,
            stack_registers: 0,
            threads_per_block: 256,
            l1_bytes,
        };
        Point {
            gpops_billion,
            ..Point::impossible(&configuration)
        }
    }

    #[test]
    fn every_possible_point_is_drawn_on_its_curve() {
        let points = [
            point(16384, 1, Some(20.0)),
            point(32768, 1, Some(25.0)),
            point(16384, 2, Some(10.0)),
            point(32768, 2, None),
        ];
        let text = svg(&Curves(&points)).unwrap();
        assert_eq!(text.matches("<circle").count(), 3);
        assert!(text.contains("L1 (KiB)") && text.contains("256 threads, dimension 2"));
    }

    #[test]
    fn nothing_to_draw_is_an_error() {
        assert!(svg(&Curves(&[point(16384, 1, None)])).is_err());
    }
}
