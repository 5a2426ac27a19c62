//! The carve-out study: throughput over the L1 size, measured and predicted, as rows and as curves.
//!
//! Leaves out: computing either. Units: KiB; billions of GPop/s.

use super::chart::theme::LEAF;
use super::chart::{BLUE, Chart, GRID, VERMILION, ink};
use super::rows::Row;
use super::table::table;
use plotters::coord::Shift;
use plotters::prelude::*;
use serde::Serialize;
use std::error::Error;

/// One carve-out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CarveoutPoint {
    #[serde(rename = "shared_config_kib")]
    pub shared_kib: u32,
    #[serde(rename = "l1")]
    pub l1_kib: u32,
    pub population: u32,
    pub resident_blocks: u32,
    pub measured_gpops_billion: Option<f64>,
    pub predicted_gpops_billion: f64,
}

const HEADER: [&str; 6] = [
    "shared_config_kib",
    "l1",
    "population",
    "resident_blocks",
    "measured_gpops_billion",
    "predicted_gpops_billion",
];

fn cells(point: &CarveoutPoint) -> Vec<String> {
    let measured = point.measured_gpops_billion;
    vec![
        point.shared_kib.to_string(),
        point.l1_kib.to_string(),
        point.population.to_string(),
        point.resident_blocks.to_string(),
        measured.map_or(String::new(), |value| format!("{value:.2}")),
        format!("{:.2}", point.predicted_gpops_billion),
    ]
}

/// Rounded.
pub fn rows(points: &[CarveoutPoint]) -> Vec<Row> {
    let row = |point| Row::rounded(&HEADER, cells(point));
    points.iter().map(row).collect()
}

/// For people.
pub fn text(points: &[CarveoutPoint]) -> String {
    let headers = [
        "shared memory (KiB)",
        "L1 (KiB)",
        "population",
        "resident blocks",
        "measured (billion GPop/s)",
        "predicted",
    ];
    table(&headers, points.iter().map(cells).collect(), 0)
}

/// Two curves over the L1 size.
pub struct CarveoutCurves<'a>(pub &'a [CarveoutPoint]);

impl Chart for CarveoutCurves<'_> {
    fn size(&self) -> (u32, u32) {
        (760, 460)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        type Curve = Vec<(f64, f64)>;
        let x = |point: &CarveoutPoint| f64::from(point.l1_kib);
        let predicted: Curve = self
            .0
            .iter()
            .map(|p| (x(p), p.predicted_gpops_billion))
            .collect();
        let measured: Curve = self
            .0
            .iter()
            .filter_map(|p| Some((x(p), p.measured_gpops_billion?)))
            .collect();
        let points = || predicted.iter().chain(&measured);
        let right = 1.05 * points().map(|p| p.0).fold(1.0, f64::max);
        let top = points().map(|p| p.1).fold(0.0, f64::max);
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..right, 0.0..1.1 * top)?;
        chart
            .configure_mesh()
            .x_desc("L1 (KiB)")
            .y_desc("billion GPop/s")
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .label_style(ink(13))
            .axis_desc_style(ink(14))
            .draw()?;
        let curves = [
            ("measured", &measured, VERMILION),
            ("predicted", &predicted, BLUE),
        ];
        for (name, curve, colour) in curves.into_iter().filter(|(_, curve, _)| !curve.is_empty()) {
            chart
                .draw_series(LineSeries::new(
                    curve.iter().copied(),
                    colour.stroke_width(2),
                ))?
                .label(name)
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2))
                });
            chart.draw_series(curve.iter().map(|&p| Circle::new(p, 3, colour.filled())))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(LEAF.mix(0.85))
            .border_style(GRID)
            .label_font(ink(13))
            .draw()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    #[test]
    fn both_curves_are_drawn() {
        let point = |l1_kib, measured| CarveoutPoint {
            shared_kib: 256 - l1_kib,
            l1_kib,
            population: 1000,
            resident_blocks: 8,
            measured_gpops_billion: measured,
            predicted_gpops_billion: 2.0,
        };
        let points = [
            point(28, Some(1.0)),
            point(124, None),
            point(248, Some(3.0)),
        ];
        let text = svg(&CarveoutCurves(&points)).unwrap();
        assert_eq!(text.matches("<circle").count(), 5);
        assert_eq!(
            cells(&points[1])[..],
            ["132", "124", "1000", "8", "", "2.00"]
        );
    }
}
