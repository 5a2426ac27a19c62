//! A value over two lists of values, as a table of colours with the figures in it.
//!
//! Leaves out: a scale of the colours, as every cell has its figure. Units: given by the caller.

use super::heat::{centred, figure, over, viridis};
use super::{Chart, INK, ink};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

/// The chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    pub x_label: String,
    pub y_label: String,
    /// Values of the axes in order.
    pub columns: Vec<u64>,
    pub rows: Vec<u64>,
    /// Row by row from the bottom; nothing where nothing is known.
    pub cells: Vec<Vec<Option<f64>>>,
}

const WIDTH: i32 = 360;
const LEFT: i32 = 66;
const BOTTOM: i32 = 48;
const CELL_HEIGHT: i32 = 32;

impl Surface {
    /// From values at places, in any order.
    pub fn new(x_label: &str, y_label: &str, points: &[(u64, u64, f64)]) -> Self {
        let axis = |of: fn(&(u64, u64, f64)) -> u64| {
            let mut values: Vec<u64> = points.iter().map(of).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let (columns, rows) = (axis(|point| point.0), axis(|point| point.1));
        let cell = |x: &u64, y: &u64| {
            let found = points.iter().find(|point| (point.0, point.1) == (*x, *y));
            found.map(|point| point.2)
        };
        let row = |y: &u64| columns.iter().map(|x| cell(x, y)).collect();
        Surface {
            x_label: x_label.into(),
            y_label: y_label.into(),
            cells: rows.iter().map(row).collect(),
            columns,
            rows,
        }
    }

    fn cell_width(&self) -> i32 {
        (WIDTH - LEFT - 12) / self.columns.len().max(1) as i32
    }

    fn height(&self) -> i32 {
        CELL_HEIGHT * self.rows.len() as i32
    }

    /// Upper left corner of a cell.
    fn corner(&self, row: usize, column: usize) -> (i32, i32) {
        let x = LEFT + self.cell_width() * column as i32;
        (x, self.height() - CELL_HEIGHT * (row as i32 + 1) + 4)
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        self.cells.iter().flatten().flatten().copied()
    }
}

impl Chart for Surface {
    fn size(&self) -> (u32, u32) {
        (WIDTH as u32, (self.height() + BOTTOM) as u32)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let (low, high) = (
            self.values().fold(f64::MAX, f64::min),
            self.values().fold(f64::MIN, f64::max),
        );
        if low > high {
            return Err("nothing to draw".into());
        }
        let width = self.cell_width();
        for (row, line) in self.cells.iter().enumerate() {
            for (column, value) in line.iter().enumerate() {
                let Some(value) = *value else { continue };
                let part = (value - low) / (high - low).max(f64::MIN_POSITIVE);
                let (x, y) = self.corner(row, column);
                let corners = [(x, y), (x + width - 1, y + CELL_HEIGHT - 1)];
                area.draw(&Rectangle::new(corners, viridis(part).filled()))?;
                let middle = (x + width / 2, y + CELL_HEIGHT / 2);
                let colour = over(part);
                let style = centred(12).color(&colour);
                area.draw(&Text::new(figure_of(value), middle, style))?;
            }
        }
        self.draw_axes(area)
    }
}

impl Surface {
    fn draw_axes<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let (width, bottom) = (self.cell_width(), self.height() + 4);
        for (column, value) in self.columns.iter().enumerate() {
            let x = LEFT + width * column as i32 + width / 2;
            let style = centred(12).color(&INK);
            area.draw(&Text::new(value.to_string(), (x, bottom + 10), style))?;
        }
        for (row, value) in self.rows.iter().enumerate() {
            let y = self.corner(row, 0).1 + CELL_HEIGHT / 2;
            let style = ink(12).pos(Pos::new(HPos::Right, VPos::Center));
            area.draw(&Text::new(value.to_string(), (LEFT - 6, y), style))?;
        }
        let middle = LEFT + width * self.columns.len() as i32 / 2;
        let style = centred(13).color(&INK);
        area.draw(&Text::new(
            self.x_label.clone(),
            (middle, bottom + 30),
            style,
        ))?;
        let upright = ink(13)
            .pos(Pos::new(HPos::Center, VPos::Center))
            .transform(FontTransform::Rotate270);
        let at = (12, self.height() / 2);
        area.draw(&Text::new(self.y_label.clone(), at, upright))?;
        Ok(())
    }
}

/// With two digits below one.
fn figure_of(value: f64) -> String {
    if value < 1.0 {
        return format!("{value:.2}");
    }
    figure(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    #[test]
    fn values_find_their_places_and_have_their_figures() {
        let points = [(1000, 10, 0.25), (100, 20, 7.0), (1000, 20, 120.0)];
        let surface = Surface::new("cases", "programs", &points);
        assert_eq!(surface.columns, [100, 1000]);
        assert_eq!(surface.cells[0], [None, Some(0.25)]);
        assert_eq!(surface.cells[1], [Some(7.0), Some(120.0)]);
        // The smaller number of programs lies below.
        assert!(surface.corner(0, 0).1 > surface.corner(1, 0).1);
        let text = svg(&surface).unwrap();
        assert!(["0.25", "7.0", "120", "cases"].map(|part| text.contains(part)) == [true; 4]);
        assert!(svg(&Surface::new("x", "y", &[])).is_err());
    }
}
