//! Charts as SVG or PNG, by the file's extension; they need no fonts or tools of the system.
//!
//! Leaves out: interaction. Units: on the axes.
//! Source of the colours: Okabe and Ito, Color Universal Design (2008), told apart by most eyes.

pub mod bars;
pub mod columns;
pub mod curves;
pub mod heat;
pub mod lines;
pub mod pairs;
pub mod panels;
pub mod papers;
pub mod scatter;
pub mod sheet;
pub mod smx;
pub mod stacks;
pub mod study;
pub mod surface;
pub mod tree;

use super::output::{self, OutputError};
use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use std::error::Error;
use std::path::Path;
use std::sync::LazyLock;

static FONT: LazyLock<bool> = LazyLock::new(|| {
    let font = include_bytes!("../../../assets/fonts/Roboto-Regular.ttf");
    register_font(FONT_NAME, FontStyle::Normal, font).is_ok()
});
const FONT_NAME: &str = "sans-serif";

/// Text colour, for everything that is not data.
const INK: RGBColor = RGBColor(40, 40, 40);
/// Lines that only guide the eye.
pub(super) const GRID: RGBColor = RGBColor(225, 225, 225);
pub(super) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(super) const VERMILION: RGBColor = RGBColor(213, 94, 0);

/// Colours of lines and points, told apart in grey, too, by their order of lightness.
const SERIES_COLOURS: [RGBColor; 7] = [
    BLUE,
    VERMILION,
    RGBColor(0, 158, 115),
    RGBColor(153, 79, 140),
    RGBColor(160, 110, 0),
    RGBColor(40, 40, 40),
    RGBColor(125, 125, 125),
];

/// Why a chart could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    #[error("chart {path}: given the extension \"{given}\"; allowed: svg, png")]
    Format { path: String, given: String },
    #[error("chart {path}: {message}")]
    Draw { path: String, message: String },
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Something that can be drawn on any backend.
pub trait Chart {
    /// Width and height in pixels.
    fn size(&self) -> (u32, u32);
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static;
}

/// Draws `chart` into a file, SVG or PNG by its extension.
pub fn save(chart: &impl Chart, path: &Path) -> Result<(), ChartError> {
    let shown = path.display().to_string();
    let drawn = match extension(path)? {
        Format::Svg => svg(chart).map(String::into_bytes),
        Format::Png => png(chart),
    };
    let bytes = drawn.map_err(|error| ChartError::Draw {
        path: shown,
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

/// The chart as the text of an SVG file.
pub fn svg(chart: &impl Chart) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    draw_on(chart, SVGBackend::with_string(&mut text, chart.size()))?;
    Ok(text)
}

fn png(chart: &impl Chart) -> Result<Vec<u8>, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("chart.png");
    draw_on(chart, BitMapBackend::new(&path, chart.size()))?;
    Ok(std::fs::read(&path)?)
}

fn draw_on<B: DrawingBackend>(chart: &impl Chart, backend: B) -> Result<(), Box<dyn Error>>
where
    B::ErrorType: 'static,
{
    if !*FONT {
        return Err("the font in the program is damaged".into());
    }
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    chart.draw(&area)?;
    area.present()?;
    Ok(())
}

/// Text of `size` pixels in the one ink.
pub(super) fn ink(size: u32) -> TextStyle<'static> {
    (FONT_NAME, size).into_font().color(&INK)
}

/// How charts of one plot write their axes: lines at the labels only, in grey.
pub(super) fn light_mesh<'m, 'a, 'b, X, Y, B>(
    mesh: &'m mut MeshStyle<'a, 'b, X, Y, B>,
) -> &'m mut MeshStyle<'a, 'b, X, Y, B>
where
    X: Ranged + ValueFormatter<X::ValueType>,
    Y: Ranged + ValueFormatter<Y::ValueType>,
    B: DrawingBackend,
{
    mesh.light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .label_style(ink(12))
        .axis_desc_style(ink(13))
}
