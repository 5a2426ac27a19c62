//! The carve-out study: throughput over the L1 size, measured and predicted, as rows and as curves.
//!
//! Leaves out: computing either. Units: KiB; billions of GPop/s.

use super::chart::lines::{Line, Lines};
use super::columns::Columns;

/// One carve-out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CarveoutPoint {
    pub shared_kib: u32,
    pub l1_kib: u32,
    pub population: u32,
    pub resident_blocks: u32,
    pub measured_gpops_billion: Option<f64>,
    pub predicted_gpops_billion: f64,
}

/// Returns the columns of a table with one row per carve-out.
pub fn columns() -> Columns<CarveoutPoint> {
    Columns::<CarveoutPoint>::new(0)
        .column("shared memory (KiB)", "shared_config_kib", |row| {
            row.shared_kib
        })
        .column("L1 (KiB)", "l1", |row| row.l1_kib)
        .column("population", "population", |row| row.population)
        .column("resident blocks", "resident_blocks", |row| {
            row.resident_blocks
        })
        .column(
            "measured (billion GPop/s)",
            "measured_gpops_billion",
            |row| row.measured_gpops_billion,
        )
        .digits(2)
        .column("predicted", "predicted_gpops_billion", |row| {
            row.predicted_gpops_billion
        })
        .digits(2)
        .rounded()
}

/// Two curves over the L1 size.
pub fn chart(points: &[CarveoutPoint]) -> Lines {
    let curve = |name: &str, value: fn(&CarveoutPoint) -> Option<f64>| {
        let points = points.iter();
        let points = points.filter_map(|point| Some((f64::from(point.l1_kib), value(point)?)));
        Line::new(name, points.collect())
    };
    let curves = [
        curve("predicted", |point| Some(point.predicted_gpops_billion)),
        curve("measured", |point| point.measured_gpops_billion),
    ];
    let known = curves.into_iter().filter(|curve| !curve.points.is_empty());
    Lines {
        x_label: "L1 (KiB)".into(),
        y_label: "billion GPop/s".into(),
        lines: known.collect(),
        size: (760, 440),
        ..Lines::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let curves = chart(&points).lines;
        assert_eq!(curves[0].points.len(), 3);
        assert_eq!(curves[1].points, [(28.0, 1.0), (248.0, 3.0)]);
    }
}
