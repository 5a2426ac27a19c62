//! Charts in words, for those who cannot see them.
//!
//! Leaves out: what a caption or a table beside the chart says. Units: those of the chart.

use crate::report::chart::lines::{Line, Lines};
use crate::report::chart::pairs::{Pair, Pairs};
use crate::report::chart::sheet::Drawing;
use crate::report::chart::surface::Surface;

pub fn of(drawing: &Drawing) -> String {
    match drawing {
        Drawing::Lines(chart) => {
            let axes = format!("{} over {}. ", chart.y_label, chart.x_label);
            axes + &ends(chart, "")
        }
        Drawing::Pairs(chart) => pairs(chart),
        Drawing::Surface(chart) => surface(chart),
    }
}

/// Both ends of every line; `unit` stands behind the places.
pub fn ends(chart: &Lines, unit: &str) -> String {
    let line = |line: &Line| {
        let ends = line.points.first().zip(line.points.last());
        let ends = ends
            .map(|((x0, y0), (x1, y1))| format!("{y0:.1} at {x0}{unit}, {y1:.1} at {x1}{unit}"));
        format!("{}: {}.", line.name, ends.unwrap_or_default())
    };
    let texts: Vec<String> = chart.lines.iter().map(line).collect();
    texts.join(" ")
}

fn pairs(chart: &Pairs) -> String {
    let pair = |pair: &Pair| {
        let published = pair.published;
        let published =
            published.map_or(String::new(), |value| format!(", {value} {}", chart.second));
        let name = pair.name.replace('\n', " ");
        format!("{name}: {:.2} predicted{published}.", pair.predicted)
    };
    let texts: Vec<String> = chart.pairs.iter().map(pair).collect();
    format!("{}. {}", chart.y_label, texts.join(" "))
}

/// What its corners have.
fn surface(chart: &Surface) -> String {
    let mut corners: Vec<String> = Vec::new();
    for row in ends_of(chart.rows.len()) {
        for column in ends_of(chart.columns.len()) {
            let Some(value) = chart.cells[row][column] else {
                continue;
            };
            let (x, y) = (chart.columns[column], chart.rows[row]);
            corners.push(format!(
                "{value:.2} with {y} {} and {x} {}",
                chart.y_label, chart.x_label
            ));
        }
    }
    corners.join("; ")
}

/// First and last index of `n`, once where they are the same.
fn ends_of(n: usize) -> Vec<usize> {
    let mut ends: Vec<usize> = (0..n).collect();
    ends.retain(|at| *at == 0 || *at + 1 == n);
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_is_told_by_its_corners() {
        let points = [
            (100, 10, 0.25),
            (200, 10, 1.0),
            (500, 10, 7.0),
            (500, 20, 8.0),
        ];
        assert_eq!(
            surface(&Surface::new("rows", "programs", &points)),
            "0.25 with 10 programs and 100 rows; 7.00 with 10 programs and 500 rows; 8.00 with 20 programs and 500 rows"
        );
    }

    #[test]
    fn a_pair_is_told_with_both_values() {
        let pairs = Drawing::Pairs(Pairs {
            y_label: "speed".into(),
            second: "published",
            width: crate::report::chart::pairs::NARROW,
            pairs: vec![Pair {
                name: "FP\npeak".into(),
                predicted: 9.86,
                published: Some(10.25),
            }],
        });
        assert_eq!(
            of(&pairs),
            "speed. FP peak: 9.86 predicted, 10.25 published."
        );
    }
}
