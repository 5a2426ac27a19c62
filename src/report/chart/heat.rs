//! A value over two lists of values, as a table of colours with the figures in it, the best cell marked.
//!
//! Leaves out: figures where cells are too small; a colour scale is drawn beside the cells instead.
//! Units: given by the caller. Source of the colours: viridis (van der Walt and Smith, 2015), even in lightness.

use super::theme::EMPTY;
use super::{Area, Chart, Drawn, INK, NARROW, ON_DARK, ON_LIGHT, VERMILION, figure, ink_at};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

/// The chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Heat {
    /// Lines above it.
    pub title: Vec<String>,
    pub x_label: String,
    pub y_label: String,
    /// Values of the axes in order.
    pub columns: Vec<String>,
    pub rows: Vec<String>,
    /// Row by row from the bottom; `None` where there is no value.
    pub cells: Vec<Vec<Option<f64>>>,
    /// Pixels that the cells may take across.
    pub width: u32,
}

const STOPS: [RGBColor; 5] = [
    RGBColor(68, 1, 84),
    RGBColor(59, 82, 139),
    RGBColor(33, 145, 140),
    RGBColor(94, 201, 98),
    RGBColor(253, 231, 37),
];
const BOTTOM: i32 = 56;
const TITLE_HEIGHT: i32 = 22;
const SCALE_WIDTH: i32 = 90;
/// Width and height of a cell that has room for its figure.
const ROOM: (i32, i32) = (30, 14);

impl Heat {
    /// Returns a table as wide as a phone, from values at places in any order.
    pub fn of_points(x_label: &str, y_label: &str, points: &[(u64, u64, f64)]) -> Self {
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
        Heat {
            title: Vec::new(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            cells: rows.iter().map(row).collect(),
            columns: columns.iter().map(u64::to_string).collect(),
            rows: rows.iter().map(u64::to_string).collect(),
            width: NARROW - 78,
        }
    }

    /// The largest value and its row and column.
    pub fn best(&self) -> Option<(f64, usize, usize)> {
        let cells = self.cells.iter().enumerate().flat_map(|(row, cells)| {
            let cells = cells.iter().enumerate();
            cells.filter_map(move |(column, cell)| Some(((*cell)?, row, column)))
        });
        // The first of equals.
        cells.rev().max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Width and height of one cell.
    fn cell(&self) -> (i32, i32) {
        let fit = |room: i32, n: usize| room / n.max(1) as i32;
        let width = fit(self.width as i32, self.columns.len()).clamp(8, 96);
        (width, fit(560, self.rows.len()).clamp(6, 34))
    }

    fn has_figures(&self) -> bool {
        let (width, height) = self.cell();
        width >= ROOM.0 && height >= ROOM.1
    }

    fn left(&self) -> i32 {
        let longest = self.rows.iter().map(|row| row.chars().count()).max();
        36 + 7 * longest.unwrap_or(0) as i32
    }

    fn top(&self) -> i32 {
        TITLE_HEIGHT * self.title.len() as i32 + 6
    }

    /// Lower right corner of the cells.
    fn foot(&self) -> (i32, i32) {
        let (width, height) = self.cell();
        (
            self.left() + width * self.columns.len() as i32,
            self.top() + height * self.rows.len() as i32,
        )
    }

    fn corners(&self, row: usize, column: usize) -> [(i32, i32); 2] {
        let (width, height) = self.cell();
        let x = self.left() + width * column as i32;
        let y = self.foot().1 - height * (row as i32 + 1);
        [(x, y), (x + width - 1, y + height - 1)]
    }

    fn draw_axes(&self, area: &Area) -> Drawn {
        let (width, height) = self.cell();
        let (right, bottom) = self.foot();
        let every = |size: i32, room: i32| (room / size) as usize + 1;
        let longest = self.columns.iter().map(|name| name.chars().count()).max();
        let room = 6 + 7 * longest.unwrap_or(0) as i32;
        for column in (0..self.columns.len()).step_by(every(width, room)) {
            let at = (self.corners(0, column)[0].0 + width / 2, bottom + 12);
            area.draw(&Text::new(
                &*self.columns[column],
                at,
                ink_at(12, HPos::Center),
            ))?;
        }
        for row in (0..self.rows.len()).step_by(every(height, 14)) {
            let at = (self.left() - 6, self.corners(row, 0)[0].1 + height / 2);
            area.draw(&Text::new(&*self.rows[row], at, ink_at(12, HPos::Right)))?;
        }
        let style = ink_at(13, HPos::Center);
        let middle = (i32::midpoint(self.left(), right), bottom + 36);
        area.draw(&Text::new(&*self.x_label, middle, style.clone()))?;
        let upright = style.transform(FontTransform::Rotate270);
        let middle = (12, i32::midpoint(self.top(), bottom));
        area.draw(&Text::new(&*self.y_label, middle, upright))?;
        Ok(())
    }

    fn draw_scale(&self, area: &Area, low: f64, high: f64) -> Drawn {
        let (right, bottom) = self.foot();
        let (x, top) = (right + 20, self.top());
        for y in top..bottom {
            let part = f64::from(bottom - 1 - y) / f64::from((bottom - top - 1).max(1));
            let line = [(x, y), (x + 14, y + 1)];
            area.draw(&Rectangle::new(line, viridis(part).filled()))?;
        }
        for (value, y) in [(high, top + 4), (low, bottom - 5)] {
            let style = ink_at(12, HPos::Left);
            area.draw(&Text::new(figure(value), (x + 20, y), style))?;
        }
        Ok(())
    }
}

impl Chart for Heat {
    fn size(&self) -> (u32, u32) {
        let (right, bottom) = self.foot();
        let scale = if self.has_figures() { 12 } else { SCALE_WIDTH };
        let titles = self.title.iter().map(|line| 24 + 8 * line.chars().count());
        let width = (right + scale).max(titles.max().unwrap_or(0) as i32);
        (width as u32, (bottom + BOTTOM) as u32)
    }

    fn draw(&self, area: &Area) -> Drawn {
        let (high, best_row, best_column) = self.best().ok_or("nothing to draw")?;
        let values = self.cells.iter().flatten().flatten();
        let low = values.copied().fold(high, f64::min);
        for (line, text) in self.title.iter().enumerate() {
            let at = (12, 14 + TITLE_HEIGHT * line as i32);
            area.draw(&Text::new(&**text, at, ink_at(15, HPos::Left)))?;
        }
        for (row, line) in self.cells.iter().enumerate() {
            for (column, cell) in line.iter().enumerate() {
                let [from, to] = self.corners(row, column);
                let part = cell.map(|value| (value - low) / (high - low).max(f64::MIN_POSITIVE));
                let colour = part.map_or(EMPTY, viridis);
                area.draw(&Rectangle::new([from, to], colour.filled()))?;
                if self.has_figures() {
                    let middle = (i32::midpoint(from.0, to.0), i32::midpoint(from.1, to.1));
                    let text = cell.map_or("\u{2013}".into(), figure);
                    let style = ink_at(12, HPos::Center).color(part.map_or(&INK, over));
                    area.draw(&Text::new(text, middle, style))?;
                }
            }
        }
        for (colour, thick) in [(WHITE, 5), (VERMILION, 3)] {
            let outline = self.corners(best_row, best_column);
            area.draw(&Rectangle::new(outline, colour.stroke_width(thick)))?;
        }
        self.draw_axes(area)?;
        match self.has_figures() {
            true => Ok(()),
            false => self.draw_scale(area, low, high),
        }
    }
}

fn viridis(part: f64) -> RGBColor {
    let position = part.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let low = (position as usize).min(STOPS.len() - 2);
    let (a, b, part) = (STOPS[low], STOPS[low + 1], position - low as f64);
    let mix = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))) as u8;
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// Ink that can be read on the colour of this part.
fn over(part: f64) -> &'static RGBColor {
    if part < 0.55 { &ON_DARK } else { &ON_LIGHT }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    #[test]
    fn values_find_their_places_and_have_their_figures() {
        let points = [(1000, 10, 0.25), (100, 20, 7.0), (1000, 20, 120.0)];
        let heat = Heat::of_points("cases", "programs", &points);
        assert_eq!(heat.columns, ["100", "1000"]);
        assert_eq!(heat.cells[0], [None, Some(0.25)]);
        assert_eq!(heat.cells[1], [Some(7.0), Some(120.0)]);
        // The smaller number of programs lies below.
        assert!(heat.corners(0, 0)[0].1 > heat.corners(1, 0)[0].1);
        assert_eq!(heat.best(), Some((120.0, 1, 1)));
        let text = svg(&heat).unwrap();
        assert!(["0.25", "7", "120", "cases"].map(|part| text.contains(part)) == [true; 4]);
        assert!(svg(&Heat::of_points("x", "y", &[])).is_err());
    }
}
