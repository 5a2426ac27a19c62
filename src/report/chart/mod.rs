//! Charts as SVG or PNG, by the file's extension, or as a part of a page; they need no fonts or tools of the system.
//!
//! What it does: a chart draws itself once, in its own pixels and in the colours of the light theme; size and theme are the backends'
//! (`svg.rs`, `png.rs`, `theme.rs`). Leaves out: how a page shows the notes at points. Units: on the axes.
//! Source of the colours: Okabe and Ito, Color Universal Design (2008), told apart by most eyes.

pub mod bars;
pub mod columns;
pub mod curves;
pub mod heat;
pub mod lines;
pub mod pairs;
pub mod panels;
pub mod papers;
mod png;
pub mod scatter;
pub mod sheet;
pub mod smx;
pub mod stacks;
pub mod study;
pub mod surface;
mod svg;
mod text;
pub mod theme;
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
use svg::SvgBackend;
use theme::Theme;

static FONT: LazyLock<bool> =
    LazyLock::new(|| register_font(FONT_NAME, FontStyle::Normal, text::FONT).is_ok());
const FONT_NAME: &str = "sans-serif";

/// Text colour, for everything that is not data.
const INK: RGBColor = RGBColor(40, 40, 40);
/// Lines that only guide the eye.
pub(super) const GRID: RGBColor = RGBColor(225, 225, 225);
/// Text on coloured areas, which keep their colours in every theme.
pub(super) const ON_LIGHT: RGBColor = BLACK;
pub(super) const ON_DARK: RGBColor = WHITE;
pub(super) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(super) const VERMILION: RGBColor = RGBColor(213, 94, 0);

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

/// How a chart looks in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    pub theme: Theme,
    /// Width in pixels, everything in it larger or smaller to match; the chart's own if not given.
    pub width: Option<u32>,
}

impl Look {
    /// Width and height in the file, and the scale from the chart's own pixels.
    fn size(self, chart: &impl Chart) -> ((u32, u32), f64) {
        let (width, height) = chart.size();
        let scale = self
            .width
            .map_or(1.0, |wanted| f64::from(wanted) / f64::from(width));
        let scaled = |length: u32| (f64::from(length) * scale).round() as u32;
        ((scaled(width), scaled(height)), scale)
    }
}

/// Draws `chart` into a file, SVG or PNG by its extension.
pub fn save(chart: &impl Chart, path: &Path, look: Look) -> Result<(), ChartError> {
    let shown = path.display().to_string();
    let drawn = match extension(path)? {
        Format::Svg => drawn_svg(chart, look).map(String::into_bytes),
        Format::Png => png::png(chart, look),
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

/// The chart as the text of an SVG file, in its own size.
pub fn svg(chart: &impl Chart) -> Result<String, Box<dyn Error>> {
    drawn_svg(chart, Look::default())
}

/// The chart as a part of a page, whose style has the colours, with a note at every point.
pub fn svg_of_page(chart: &impl Chart) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    let backend = SvgBackend::of_page(&mut text, chart.size());
    draw_on(chart, backend, None)?;
    Ok(text)
}

fn drawn_svg(chart: &impl Chart, look: Look) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    let (size, _) = look.size(chart);
    let backend = SvgBackend::of_file(&mut text, chart.size(), size, look.theme);
    draw_on(chart, backend, Some(look.theme.paper()))?;
    Ok(text)
}

fn draw_on<B: DrawingBackend>(
    chart: &impl Chart,
    backend: B,
    background: Option<RGBColor>,
) -> Result<(), Box<dyn Error>>
where
    B::ErrorType: 'static,
{
    if !*FONT {
        return Err("the font in the program is damaged".into());
    }
    let area = backend.into_drawing_area();
    if let Some(colour) = background {
        area.fill(&colour)?;
    }
    chart.draw(&area)?;
    area.present()?;
    Ok(())
}

/// What a page says of a point when somebody points at it; not drawn in files.
pub(super) fn note<C>(text: String, at: C) -> Text<'static, C, String> {
    Text::new(text, at, ink(1).color(&TRANSPARENT))
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
