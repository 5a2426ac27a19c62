//! Charts as SVG and as PNG, by plotters' own backends.
//!
//! Models: a chart's own pixels, drawn larger and in a theme's colours; for a PNG several times as large as asked for, so that edges and
//! letters are smooth. Leaves out: transparency of the paper. Units: the chart's own pixels where charts draw, else those of the file.

use super::theme::Theme;
use super::{Chart, FONT_NAME, Look};
use plotters::prelude::*;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind,
};
use std::error::Error;
use std::io;

/// Pixels of the larger drawing at most; each takes three bytes.
const MOST_DRAWN: u64 = 120_000_000;
/// Pixels of the larger drawing along one of the file's.
const FINEST: u32 = 4;
/// Part of its height by which plotters sets text in bitmaps higher than in an SVG.
const TOO_HIGH: f64 = 0.12;

/// Returns the text of an SVG file.
pub(super) fn svg(chart: &dyn Chart, look: Look) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    let canvas = Canvas {
        inner: Backend::Svg(SVGBackend::with_string(&mut text, chart.size())),
        size: chart.size(),
        scale: 1.0,
        theme: look.theme,
    };
    canvas.draw(chart)?;
    let (_, content) = text.split_once(">\n").unwrap_or_default();
    let ((wide, high), _) = look.size(chart);
    let (width, height) = chart.size();
    Ok(format!(
        "<svg width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\">\n{content}"
    ))
}

/// Returns the bytes of a PNG file.
pub(super) fn png(chart: &dyn Chart, look: Look) -> Result<Vec<u8>, Box<dyn Error>> {
    let ((width, height), scale) = look.size(chart);
    let pixels = u64::from(width) * u64::from(height);
    let fits = |fine: &u32| pixels * u64::from(fine * fine) <= MOST_DRAWN;
    let fine = (1..=FINEST).rev().find(fits).ok_or_else(|| {
        format!("{width} times {height} pixels; allowed: at most {MOST_DRAWN}, see --width")
    })?;
    let large = (width * fine, height * fine);
    let mut drawn = vec![0; 3 * large.0 as usize * large.1 as usize];
    let canvas = Canvas {
        inner: Backend::Bitmap(BitMapBackend::with_buffer(&mut drawn, large)),
        size: chart.size(),
        scale: scale * f64::from(fine),
        theme: look.theme,
    };
    canvas.draw(chart)?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&means(&drawn, large.0, fine))?;
    writer.finish()?;
    Ok(file)
}

/// Means over squares of `fine` times `fine` pixels.
fn means(drawn: &[u8], width: u32, fine: u32) -> Vec<u8> {
    let (row, fine) = (3 * width as usize, fine as usize);
    let mut means = Vec::with_capacity(drawn.len() / (fine * fine));
    for rows in drawn.chunks_exact(row * fine) {
        for x in (0..row).step_by(3 * fine) {
            for channel in x..x + 3 {
                let of_row = |line: &[u8]| -> usize {
                    let part = line[channel..].iter().step_by(3).take(fine);
                    part.map(|value| usize::from(*value)).sum()
                };
                let sum: usize = rows.chunks_exact(row).map(of_row).sum();
                means.push(((sum + fine * fine / 2) / (fine * fine)) as u8);
            }
        }
    }
    means
}

/// Takes the chart's own pixels and draws those of a backend.
pub struct Canvas<'a> {
    inner: Backend<'a>,
    size: (u32, u32),
    /// Pixels drawn along one of the chart's own.
    scale: f64,
    theme: Theme,
}

enum Backend<'a> {
    Svg(SVGBackend<'a>),
    Bitmap(BitMapBackend<'a>),
}

/// Calls a method of whichever backend there is.
macro_rules! inner {
    ($canvas:ident.$method:ident($($argument:expr),*)) => {
        match &mut $canvas.inner {
            Backend::Svg(backend) => backend.$method($($argument),*).map_err(of_either),
            Backend::Bitmap(backend) => backend.$method($($argument),*).map_err(of_either),
        }
    };
}

type Failed = DrawingErrorKind<io::Error>;

fn of_either<E: Error + Send + Sync + 'static>(error: DrawingErrorKind<E>) -> Failed {
    match error {
        DrawingErrorKind::DrawingError(error) => Failed::DrawingError(io::Error::other(error)),
        DrawingErrorKind::FontError(error) => Failed::FontError(error),
    }
}

impl Canvas<'_> {
    fn draw(self, chart: &dyn Chart) -> Result<(), Box<dyn Error>> {
        if !*super::FONT {
            return Err("the font in the program is damaged".into());
        }
        let paper = self.theme.paper();
        let area = self.into_drawing_area();
        area.fill(&paper)?;
        chart.draw(&area)?;
        area.present()?;
        Ok(())
    }

    fn at(&self, (x, y): BackendCoord) -> BackendCoord {
        let scaled = |value: i32| (f64::from(value) * self.scale).round() as i32;
        (scaled(x), scaled(y))
    }

    fn length(&self, length: u32) -> u32 {
        ((f64::from(length) * self.scale).round() as u32).max(1)
    }

    fn colour(&self, colour: BackendColor) -> RGBAColor {
        let (red, green, blue) = self.theme.colour(colour.rgb);
        RGBAColor(red, green, blue, colour.alpha)
    }

    fn style(&self, style: &impl BackendStyle) -> ShapeStyle {
        ShapeStyle {
            color: self.colour(style.color()),
            filled: true,
            stroke_width: self.length(style.stroke_width()),
        }
    }
}

impl DrawingBackend for Canvas<'_> {
    type ErrorType = io::Error;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Result<(), Failed> {
        inner!(self.ensure_prepared())
    }

    fn present(&mut self) -> Result<(), Failed> {
        inner!(self.present())
    }

    fn draw_pixel(&mut self, at: BackendCoord, colour: BackendColor) -> Result<(), Failed> {
        self.draw_rect(at, (at.0 + 1, at.1 + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Result<(), Failed> {
        let style = self.style(style);
        let (from, to) = (self.at(from), self.at(to));
        inner!(self.draw_line(from, to, &style))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        lower_right: BackendCoord,
        style: &S,
        is_filled: bool,
    ) -> Result<(), Failed> {
        let style = self.style(style);
        let (from, to) = (self.at(upper_left), self.at(lower_right));
        if is_filled {
            return inner!(self.draw_rect(from, to, &style, true));
        }
        // Outlines of rectangles have no width of their own in the backends.
        let around = [from, (to.0, from.1), to, (from.0, to.1), from];
        inner!(self.draw_path(around, &style))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), Failed> {
        let style = self.style(style);
        let path: Vec<BackendCoord> = path.into_iter().map(|point| self.at(point)).collect();
        inner!(self.draw_path(path, &style))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        is_filled: bool,
    ) -> Result<(), Failed> {
        let style = self.style(style);
        let (center, radius) = (self.at(center), self.length(radius));
        inner!(self.draw_circle(center, radius, &style, is_filled))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Result<(), Failed> {
        let style = self.style(style);
        let corners: Vec<BackendCoord> = corners.into_iter().map(|point| self.at(point)).collect();
        inner!(self.fill_polygon(corners, &style))
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        at: BackendCoord,
    ) -> Result<(), Failed> {
        let colour = self.colour(style.color());
        let (size, turn) = (style.size() * self.scale, style.transform());
        let lowered = match self.inner {
            Backend::Svg(_) => 0.0,
            Backend::Bitmap(_) => TOO_HIGH * size,
        };
        let ((x, y), (right, down)) = (self.at(at), turn.transform(0, lowered.round() as i32));
        let font = (FONT_NAME, size).into_font().transform(turn);
        let style = font.color(&colour).pos(style.anchor());
        inner!(self.draw_text(text, &style, (x + right, y + down)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_is_the_mean_of_its_square() {
        let drawn: Vec<u8> = [[0, 100, 200]; 2]
            .into_iter()
            .chain([[40, 100, 0]; 2])
            .cycle()
            .take(8)
            .flatten()
            .collect();
        assert_eq!(means(&drawn, 4, 2), [0, 100, 200, 40, 100, 0]);
        assert_eq!(means(&drawn, 8, 1), drawn);
    }
}
