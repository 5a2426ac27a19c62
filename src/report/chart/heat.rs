//! A what-if study as a heat map over two of its axes, the best cell marked.
//!
//! What it shows: in each cell the best over all other axes. Leaves out: which values of the others that was.
//! Units: billions of GPop/s. Source of the colours: viridis (van der Walt and Smith, 2015), even in lightness.

use super::study::{Grid, label, place};
use super::theme::EMPTY;
use super::{Chart, INK, ON_DARK, ON_LIGHT, VERMILION, ink};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

const STOPS: [RGBColor; 5] = [
    RGBColor(68, 1, 84),
    RGBColor(59, 82, 139),
    RGBColor(33, 145, 140),
    RGBColor(94, 201, 98),
    RGBColor(253, 231, 37),
];
const LEFT: i32 = 110;
const TOP: i32 = 56;
const BOTTOM: i32 = 64;
const RIGHT: i32 = 110;
/// Cells with room for their figure.
const MAX_FIGURES: usize = 300;

/// The map with one axis to the right and one upwards.
pub struct HeatMap<'a> {
    pub grid: Grid<'a>,
    pub right: usize,
    pub up: usize,
}

impl HeatMap<'_> {
    /// Best throughput of each cell, row by row from the bottom.
    fn cells(&self) -> Vec<Vec<Option<f64>>> {
        let (columns, rows) = self.n_cells();
        let mut cells = vec![vec![None; columns]; rows];
        for point in self.grid.points {
            let column = place(&self.grid.axes[self.right], &point.values[self.right]) as usize;
            let row = place(&self.grid.axes[self.up], &point.values[self.up]) as usize;
            let cell: &mut Option<f64> = &mut cells[row][column];
            if let Some(gpops) = point.outcome.gpops_billion {
                *cell = Some(cell.map_or(gpops, |known| known.max(gpops)));
            }
        }
        cells
    }

    fn n_cells(&self) -> (usize, usize) {
        let n = |axis: usize| self.grid.axes[axis].values.len();
        (n(self.right), n(self.up))
    }

    /// Width and height of one cell.
    fn cell_size(&self) -> (i32, i32) {
        let (columns, rows) = self.n_cells();
        let fit = |room: i32, n: usize, least: i32| (room / n.max(1) as i32).clamp(least, 96);
        (fit(900, columns, 8), fit(560, rows, 6).min(56))
    }
}

impl Chart for HeatMap<'_> {
    fn size(&self) -> (u32, u32) {
        let (columns, rows) = self.n_cells();
        let (width, height) = self.cell_size();
        let wide = LEFT + RIGHT + width * columns as i32;
        let high = TOP + BOTTOM + height * rows as i32;
        (wide.max(460) as u32, high.max(220) as u32)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let cells = self.cells();
        let (columns, rows) = self.n_cells();
        let (width, height) = self.cell_size();
        let values = || cells.iter().flatten().flatten().copied();
        let (low, high) = (
            values().fold(f64::MAX, f64::min),
            values().fold(f64::MIN, f64::max),
        );
        if low > high {
            return Err("no combination can run".into());
        }
        let corner = |row: usize, column: usize| {
            let x = LEFT + width * column as i32;
            let y = TOP + height * (rows - 1 - row) as i32;
            [(x, y), (x + width - 1, y + height - 1)]
        };
        let mut best = None;
        for (row, line) in cells.iter().enumerate() {
            for (column, cell) in line.iter().enumerate() {
                let [from, to] = corner(row, column);
                let part = cell.map(|value| (value - low) / (high - low).max(f64::MIN_POSITIVE));
                let colour = part.map_or(EMPTY, viridis);
                area.draw(&Rectangle::new([from, to], colour.filled()))?;
                if columns * rows <= MAX_FIGURES && width >= 30 && height >= 14 {
                    let text = cell.map_or("\u{2013}".into(), figure);
                    let colour = part.map_or(INK, over);
                    let middle = ((from.0 + to.0) / 2, (from.1 + to.1) / 2);
                    area.draw(&Text::new(text, middle, centred(12).color(&colour)))?;
                }
                if *cell == Some(high) && best.is_none() {
                    best = Some((row, column));
                }
            }
        }
        if let Some((row, column)) = best {
            let [from, to] = corner(row, column);
            for (inset, colour, thick) in [(0, WHITE, 5), (0, VERMILION, 3)] {
                let outline = [
                    (from.0 + inset, from.1 + inset),
                    (to.0 - inset, to.1 - inset),
                ];
                area.draw(&Rectangle::new(outline, colour.stroke_width(thick)))?;
            }
            let (right, up) = (&self.grid.axes[self.right], &self.grid.axes[self.up]);
            let title = format!(
                "Best: {} billion GPop/s at {} {}, {} {}",
                figure(high),
                self.grid.title(self.right),
                label(right, &right.values[column]),
                self.grid.title(self.up),
                label(up, &up.values[row])
            );
            area.draw(&Text::new(title, (12, 12), ink(15)))?;
        }
        let shown = [self.right, self.up];
        let others = self
            .grid
            .varying()
            .into_iter()
            .filter(|axis| !shown.contains(axis));
        let others: Vec<String> = others.map(|axis| self.grid.title(axis)).collect();
        if !others.is_empty() {
            let note = format!("Each cell is the best over {}.", others.join(", "));
            area.draw(&Text::new(note, (12, 33), ink(12)))?;
        }
        self.draw_labels(area)?;
        draw_scale(area, self.size(), low, high)
    }
}

impl HeatMap<'_> {
    fn draw_labels<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let (columns, rows) = self.n_cells();
        let (width, height) = self.cell_size();
        let bottom = TOP + height * rows as i32;
        let every = |n: usize, size: i32, room: i32| {
            (n as i32 * room / (size * n as i32).max(1)).max(0) as usize + 1
        };
        let (right, up) = (&self.grid.axes[self.right], &self.grid.axes[self.up]);
        for column in (0..columns).step_by(every(columns, width, 40)) {
            let x = LEFT + width * column as i32 + width / 2;
            let text = label(right, &right.values[column]);
            area.draw(&Text::new(text, (x, bottom + 14), centred(12).color(&INK)))?;
        }
        for row in (0..rows).step_by(every(rows, height, 14)) {
            let y = TOP + height * (rows - 1 - row) as i32 + height / 2;
            let text = label(up, &up.values[row]);
            let style = ink(12).pos(Pos::new(HPos::Right, VPos::Center));
            area.draw(&Text::new(text, (LEFT - 8, y), style))?;
        }
        let middle = LEFT + width * columns as i32 / 2;
        area.draw(&Text::new(
            self.grid.title(self.right),
            (middle, bottom + 40),
            centred(14).color(&INK),
        ))?;
        let upright = ink(14)
            .pos(Pos::new(HPos::Center, VPos::Center))
            .transform(FontTransform::Rotate270);
        let middle = TOP + height * rows as i32 / 2;
        area.draw(&Text::new(self.grid.title(self.up), (20, middle), upright))?;
        Ok(())
    }
}

fn draw_scale<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    (width, height): (u32, u32),
    low: f64,
    high: f64,
) -> Result<(), Box<dyn Error>>
where
    B::ErrorType: 'static,
{
    let x = width as i32 - RIGHT + 24;
    let (top, bottom) = (TOP, height as i32 - BOTTOM);
    for y in top..bottom {
        let part = f64::from(bottom - 1 - y) / f64::from((bottom - top - 1).max(1));
        area.draw(&Rectangle::new(
            [(x, y), (x + 14, y + 1)],
            viridis(part).filled(),
        ))?;
    }
    let style = ink(12).pos(Pos::new(HPos::Left, VPos::Center));
    area.draw(&Text::new(figure(high), (x + 20, top + 4), style.clone()))?;
    area.draw(&Text::new(figure(low), (x + 20, bottom - 5), style))?;
    Ok(())
}

pub(super) fn viridis(part: f64) -> RGBColor {
    let position = part.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let low = (position as usize).min(STOPS.len() - 2);
    let (a, b, part) = (STOPS[low], STOPS[low + 1], position - low as f64);
    let mix = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))) as u8;
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// Ink that can be read on the colour of this part.
pub(super) fn over(part: f64) -> RGBColor {
    if part < 0.55 { ON_DARK } else { ON_LIGHT }
}

pub(super) fn figure(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    }
}

pub(super) fn centred(size: u32) -> TextStyle<'static> {
    ink(size).pos(Pos::new(HPos::Center, VPos::Center))
}
