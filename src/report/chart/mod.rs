//! Charts as SVG or PNG, by the file's extension; they need no fonts or tools of the system.
//!
//! Models: a chart draws itself once, in its own pixels and in the colours of the light theme; size and theme are added on the way to
//! plotters' backends (`canvas.rs`, `theme.rs`). Leaves out: computing what is drawn. Units: on the axes.
//! Source of the colours: Okabe and Ito, Color Universal Design (2008), told apart by most eyes.

pub mod bars;
mod canvas;
pub mod heat;
pub mod lines;
pub mod papers;
pub mod roofline;
pub mod scatter;
pub mod sheet;
pub mod study;
pub mod tables;
pub mod theme;

use super::output::{self, OutputError};
use canvas::Canvas;
use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};
use std::error::Error;
use std::path::Path;
use std::sync::LazyLock;
use theme::Theme;

/// Whether the font of all charts could be read.
static FONT: LazyLock<bool> = LazyLock::new(|| {
    let font = include_bytes!("../../../assets/fonts/Roboto-Regular.ttf");
    register_font(FONT_NAME, FontStyle::Normal, font).is_ok()
});
const FONT_NAME: &str = "sans-serif";

/// Width of a chart that can be read on a phone, in pixels.
pub const NARROW: u32 = 360;

/// Text colour, for everything that is not data.
const INK: RGBColor = RGBColor(40, 40, 40);
/// Width of lines that are data, and of those beside which data are read.
const LINE: u32 = 3;
const GUIDE: u32 = 2;
/// Lines that only guide the eye.
const GRID: RGBColor = RGBColor(225, 225, 225);
/// Text on coloured areas, which keep their colours in every theme.
const ON_LIGHT: RGBColor = BLACK;
const ON_DARK: RGBColor = WHITE;
const BLUE: RGBColor = RGBColor(0, 114, 178);
const VERMILION: RGBColor = RGBColor(213, 94, 0);

/// Colours of lines and points, told apart in grey, too, by their order of lightness.
const SERIES_COLOURS: [RGBColor; 7] = [
    BLUE,
    VERMILION,
    RGBColor(0, 158, 115),
    RGBColor(153, 79, 140),
    RGBColor(160, 110, 0),
    INK,
    RGBColor(125, 125, 125),
];

/// Error of drawing a chart.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    #[error("chart {path}: given the extension \"{given}\"; allowed: svg, png")]
    Format { path: String, given: String },
    #[error("chart {path}: {message}")]
    Draw { path: String, message: String },
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// A place to draw on.
pub type Area<'a> = DrawingArea<Canvas<'a>, Shift>;
pub type Drawn = Result<(), Box<dyn Error>>;

/// A chart that can be drawn on any backend.
pub trait Chart {
    /// Width and height in pixels.
    fn size(&self) -> (u32, u32);
    fn draw(&self, area: &Area) -> Drawn;
}

/// Appearance of a chart in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    pub theme: Theme,
    /// Width in pixels, everything in it larger or smaller to match; the chart's own if not given.
    pub width: Option<u32>,
}

impl Look {
    /// Width and height in the file, and the scale from the chart's own pixels.
    fn size(self, chart: &dyn Chart) -> ((u32, u32), f64) {
        let (width, height) = chart.size();
        let scale = self
            .width
            .map_or(1.0, |wanted| f64::from(wanted) / f64::from(width));
        let scaled = |length: u32| (f64::from(length) * scale).round() as u32;
        ((scaled(width), scaled(height)), scale)
    }
}

/// Draws `chart` into a file, SVG or PNG by its extension.
pub fn save(chart: &dyn Chart, path: &Path, look: Look) -> Result<(), ChartError> {
    let drawn = match extension(path)? {
        Format::Svg => canvas::svg(chart, look).map(String::into_bytes),
        Format::Png => canvas::png(chart, look),
    };
    let bytes = drawn.map_err(|error| ChartError::Draw {
        path: path.display().to_string(),
        message: error.to_string(),
    })?;
    Ok(output::write(Some(path), &bytes)?)
}

/// Finds out before long work that a chart could not be saved.
pub fn check_path(path: &Path) -> Result<(), ChartError> {
    extension(path)?;
    Ok(output::check_writable(path)?)
}

enum Format {
    Svg,
    Png,
}

fn extension(path: &Path) -> Result<Format, ChartError> {
    let given = path.extension().unwrap_or_default().to_string_lossy();
    match given.as_ref() {
        "svg" => Ok(Format::Svg),
        "png" => Ok(Format::Png),
        _ => Err(ChartError::Format {
            path: path.display().to_string(),
            given: given.into_owned(),
        }),
    }
}

/// The chart as the text of an SVG file, in its own size.
pub fn svg(chart: &dyn Chart) -> Result<String, Box<dyn Error>> {
    canvas::svg(chart, Look::default())
}

/// Text of `size` pixels in the one ink.
fn ink(size: u32) -> TextStyle<'static> {
    (FONT_NAME, size).into_font().color(&INK)
}

/// Text of `size` pixels, centred vertically on its place; `across` aligns it horizontally.
fn ink_at(size: u32, across: HPos) -> TextStyle<'static> {
    ink(size).pos(Pos::new(across, VPos::Center))
}

/// Styles all axes: lines at the labels only, in grey.
fn light_mesh<'m, 'a, 'b, 'c, X, Y>(
    mesh: &'m mut MeshStyle<'a, 'b, X, Y, Canvas<'c>>,
) -> &'m mut MeshStyle<'a, 'b, X, Y, Canvas<'c>>
where
    X: Ranged + ValueFormatter<X::ValueType>,
    Y: Ranged + ValueFormatter<Y::ValueType>,
{
    mesh.light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .label_style(ink(12))
        .axis_desc_style(ink(13))
}

/// A number in words and tables: one digit after the point, two below 1, none where a number needs none.
pub(super) fn figure(value: f64) -> String {
    match value.abs() {
        _ if value == value.round() => format!("{value:.0}"),
        100.0.. => format!("{value:.0}"),
        1.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A round number beside an axis.
fn tick(value: f64) -> String {
    ((1e4 * value).round() / 1e4).to_string()
}

/// Rows of names with their marks, under a chart.
struct Legend<'a> {
    width: u32,
    names: &'a [&'a str],
}

const LEGEND_ROW_HEIGHT: u32 = 19;
const SWATCH_WIDTH: i32 = 18;

impl Legend<'_> {
    fn columns(&self) -> u32 {
        let longest = self.names.iter().map(|name| name.chars().count()).max();
        let column = 40 + 7 * longest.unwrap_or(0) as u32;
        (self.width / column).clamp(1, 4)
    }

    fn height(&self) -> u32 {
        (self.names.len() as u32).div_ceil(self.columns()) * LEGEND_ROW_HEIGHT + 8
    }

    /// Draws the names; `mark` draws the symbol before each, centred in a swatch that is [`SWATCH_WIDTH`] wide.
    fn draw(&self, area: &Area, mark: impl Fn(usize, (i32, i32)) -> Drawn) -> Drawn {
        let columns = self.columns() as i32;
        for (i, name) in self.names.iter().enumerate() {
            let x = 12 + i as i32 % columns * (self.width as i32 - 12) / columns;
            let y = 10 + i as i32 / columns * LEGEND_ROW_HEIGHT as i32;
            mark(i, (x + SWATCH_WIDTH / 2, y))?;
            let text = (x + SWATCH_WIDTH + 6, y);
            area.draw(&Text::new(*name, text, ink_at(13, HPos::Left)))?;
        }
        Ok(())
    }
}
