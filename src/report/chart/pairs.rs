//! Predicted and published values beside each other, two columns for each name.
//!
//! Leaves out: errors in percent (the table has them). Units: given by the caller.

use super::{BLUE, Chart, VERMILION, ink, note};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

/// One name and its values; nothing where nothing was published.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// A line break where two lines are wanted.
    pub name: String,
    pub predicted: f64,
    pub published: Option<f64>,
}

/// The chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    pub y_label: String,
    /// What the second columns are: `published`.
    pub second: &'static str,
    /// Pixels.
    pub width: u32,
    pub pairs: Vec<Pair>,
}

/// Of a phone.
pub const NARROW: u32 = 360;
const PLOT_HEIGHT: u32 = 250;
const LEGEND_HEIGHT: u32 = 24;

impl Chart for Pairs {
    fn size(&self) -> (u32, u32) {
        (self.width, PLOT_HEIGHT + LEGEND_HEIGHT)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let values = |pair: &Pair| [Some(pair.predicted), pair.published];
        let all = self.pairs.iter().flat_map(values).flatten();
        let top = 1.12 * all.fold(0.0, f64::max);
        if top <= 0.0 {
            return Err("nothing to draw".into());
        }
        let (plot, legend) = area.split_vertically(PLOT_HEIGHT);
        let n = self.pairs.len() as f64;
        let mut chart = ChartBuilder::on(&plot)
            .margin(6)
            .margin_top(12)
            .x_label_area_size(36)
            .y_label_area_size(46)
            .build_cartesian_2d(0.0..n, 0.0..top)?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh()
            .x_labels(0)
            .y_desc(self.y_label.clone())
            .y_labels(6)
            .y_label_formatter(&|value| format!("{value}"));
        super::light_mesh(&mut mesh).draw()?;
        for (place, pair) in self.pairs.iter().enumerate() {
            let sides = [(0.12, BLUE), (0.5, VERMILION)];
            let mut lifts = lifts(values(pair), top).into_iter();
            for ((left, colour), value) in sides.into_iter().zip(values(pair)) {
                let lift = lifts.next().unwrap_or(0.0);
                let Some(value) = value else { continue };
                let x = place as f64 + left;
                let corners = [(x, 0.0), (x + 0.38, value)];
                chart.draw_series([Rectangle::new(corners, colour.filled())])?;
                let side = [self.second, "predicted"][usize::from(colour == BLUE)];
                let said = format!("{}: {} {side}", pair.name.replace('\n', " "), figure(value));
                chart.draw_series([note(said, (x + 0.19, value / 2.0))])?;
                let style = ink(11).pos(Pos::new(HPos::Center, VPos::Bottom));
                let at = (x + 0.19, value + (0.01 + lift) * top);
                chart.draw_series([Text::new(figure(value), at, style)])?;
            }
            let (x, y) = chart.backend_coord(&(place as f64 + 0.5, 0.0));
            let (left, upper) = plot.get_base_pixel();
            for (line, text) in pair.name.lines().enumerate() {
                let style = ink(12).pos(Pos::new(HPos::Center, VPos::Top));
                let at = (x - left, y - upper + 4 + 15 * line as i32);
                plot.draw(&Text::new(text.to_owned(), at, style))?;
            }
        }
        for (x, name, colour) in [(52, "predicted", BLUE), (150, self.second, VERMILION)] {
            let swatch = [(x, 4), (x + 14, 18)];
            legend.draw(&Rectangle::new(swatch, colour.filled()))?;
            legend.draw(&Text::new(name, (x + 20, 4), ink(13)))?;
        }
        Ok(())
    }
}

/// Parts of the height by which figures are raised: the higher of two that would lie over each other.
fn lifts(values: [Option<f64>; 2], top: f64) -> [f64; 2] {
    const FIGURE: f64 = 0.06;
    match values {
        [Some(a), Some(b)] if (a - b).abs() < FIGURE * top => {
            let needed = FIGURE - (a - b).abs() / top;
            if a > b { [needed, 0.0] } else { [0.0, needed] }
        }
        _ => [0.0; 2],
    }
}

/// Three digits are enough.
fn figure(value: f64) -> String {
    match value {
        20.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    #[test]
    fn the_higher_of_two_figures_that_would_meet_is_raised() {
        assert_eq!(lifts([Some(10.0), Some(5.0)], 12.0), [0.0; 2]);
        assert_eq!(lifts([Some(10.0), None], 12.0), [0.0; 2]);
        let [left, right] = lifts([Some(10.0), Some(9.9)], 12.0);
        assert!(left > 0.0 && right == 0.0);
        assert!((left + 0.1 / 12.0 - 0.06).abs() < 1e-12);
    }

    #[test]
    fn both_values_are_drawn_and_one_alone_where_nothing_was_published() {
        let pair = |name: &str, published| Pair {
            name: name.into(),
            predicted: 9.86,
            published,
        };
        let pairs = Pairs {
            y_label: "speed".into(),
            second: "published",
            width: NARROW,
            pairs: vec![pair("FP\npeak", Some(10.25)), pair("FP\nmedian", None)],
        };
        let text = svg(&pairs).unwrap();
        assert!(text.contains("10.2") && text.matches("9.86").count() == 2);
        assert!(["FP", "peak", "median", "published"].map(|part| text.contains(part)) == [true; 4]);
        let none = Pairs {
            pairs: Vec::new(),
            ..pairs
        };
        assert!(svg(&none).is_err());
    }
}
