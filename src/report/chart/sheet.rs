//! Several charts on one sheet, each under its title: the figures of a paper.
//!
//! Leaves out: the charts themselves. Units: pixels. A sheet has as many charts beside each other as asked.

use super::{Area, Chart, Drawn, ink};
use plotters::prelude::*;

/// One chart of a sheet.
pub struct Tile {
    pub title: String,
    pub chart: Box<dyn Chart>,
}

impl Tile {
    pub fn new(title: impl Into<String>, chart: impl Chart + 'static) -> Tile {
        Tile {
            title: title.into(),
            chart: Box::new(chart),
        }
    }
}

/// The sheet.
pub struct Sheet {
    pub title: String,
    /// Tiles beside each other; none is empty.
    pub rows: Vec<Vec<Tile>>,
}

const MARGIN: u32 = 10;
const HEADER_HEIGHT: u32 = 44;
const TITLE_HEIGHT: u32 = 26;

impl Sheet {
    fn column_width(&self) -> u32 {
        let widths = self.rows.iter().flatten().map(|tile| tile.chart.size().0);
        widths.max().unwrap_or(0) + MARGIN
    }

    fn row_heights(&self) -> impl Iterator<Item = u32> {
        let height = |tile: &Tile| tile.chart.size().1 + TITLE_HEIGHT + MARGIN;
        self.rows
            .iter()
            .map(move |row| row.iter().map(height).max().unwrap_or(0))
    }
}

impl Chart for Sheet {
    fn size(&self) -> (u32, u32) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0) as u32;
        let heights: u32 = self.row_heights().sum();
        (
            columns.max(1) * self.column_width() + MARGIN,
            HEADER_HEIGHT + heights + MARGIN,
        )
    }

    fn draw(&self, area: &Area) -> Drawn {
        if self.rows.is_empty() {
            return Err("nothing to draw".into());
        }
        area.draw(&Text::new(&*self.title, (16, 14), ink(20)))?;
        let mut top = HEADER_HEIGHT;
        for (row, height) in self.rows.iter().zip(self.row_heights()) {
            for (column, tile) in row.iter().enumerate() {
                let left = MARGIN + column as u32 * self.column_width();
                let title = (left as i32 + 8, top as i32 + 4);
                area.draw(&Text::new(&*tile.title, title, ink(15)))?;
                let place = (left as i32, (top + TITLE_HEIGHT) as i32);
                let (width, height) = tile.chart.size();
                let part = area.clone().shrink(place, (width as i32, height as i32));
                tile.chart.draw(&part)?;
            }
            top += height;
        }
        Ok(())
    }
}
