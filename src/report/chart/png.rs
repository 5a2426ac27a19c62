//! Charts as PNG: what a chart draws, as pixels.
//!
//! What it does: draws several times as large as asked for and takes the mean of neighbouring pixels, so that edges and letters are
//! smooth; stands letters where the font says. Leaves out: transparency of the paper. Units: the chart's own pixels where
//! charts draw, those of the file or of the larger drawing where the names say so.

use super::svg::LINE_PER_LETTER;
use super::text::Letters;
use super::theme::Theme;
use super::{Chart, Look, draw_on};
use plotters::prelude::BitMapBackend;
use plotters::style::{Color, RGBAColor, RGBColor, ShapeStyle};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use std::error::Error;

/// Pixels of the larger drawing at most; each takes three bytes.
const MOST_DRAWN: u64 = 120_000_000;
/// Pixels of the larger drawing along one of the file's.
const FINEST: u32 = 4;

/// The file's bytes.
pub(super) fn png(chart: &impl Chart, look: Look) -> Result<Vec<u8>, Box<dyn Error>> {
    let ((width, height), scale) = look.size(chart);
    let pixels = u64::from(width) * u64::from(height);
    let finest = |fine: &u32| pixels * u64::from(fine * fine) <= MOST_DRAWN;
    let fine = (1..=FINEST).rev().find(finest).ok_or_else(|| {
        format!("{width} times {height} pixels; allowed: at most {MOST_DRAWN}, see --width")
    })?;
    let large = (width * fine, height * fine);
    let mut drawn = vec![0; 3 * large.0 as usize * large.1 as usize];
    let canvas = Canvas {
        inner: BitMapBackend::with_buffer(&mut drawn, large),
        size: chart.size(),
        scale: scale * f64::from(fine),
        theme: look.theme,
        letters: Letters::new().ok_or("the font in the program is damaged")?,
    };
    draw_on(chart, canvas, Some(look.theme.paper()))?;
    encoded(&means(&drawn, large.0, fine), (width, height))
}

/// Of squares of `fine` times `fine` pixels.
fn means(drawn: &[u8], width: u32, fine: u32) -> Vec<u8> {
    let (row, fine) = (3 * width as usize, fine as usize);
    let mut means = Vec::with_capacity(drawn.len() / (fine * fine));
    for rows in drawn.chunks_exact(row * fine) {
        for x in (0..row).step_by(3 * fine) {
            for channel in 0..3 {
                let of_row = |line: &[u8]| -> usize {
                    let part = line[x + channel..].iter().step_by(3).take(fine);
                    part.map(|value| usize::from(*value)).sum()
                };
                let sum: usize = rows.chunks_exact(row).map(of_row).sum();
                means.push(((sum + fine * fine / 2) / (fine * fine)) as u8);
            }
        }
    }
    means
}

fn encoded(pixels: &[u8], size: (u32, u32)) -> Result<Vec<u8>, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("chart.png");
    let mut file = BitMapBackend::new(&path, size);
    file.blit_bitmap((0, 0), size, pixels)?;
    file.present()?;
    drop(file);
    Ok(std::fs::read(&path)?)
}

/// Takes the chart's own pixels and draws the larger ones.
struct Canvas<'a> {
    inner: BitMapBackend<'a>,
    size: (u32, u32),
    /// Pixels drawn along one of the chart's own.
    scale: f64,
    theme: Theme,
    letters: Letters,
}

type Failed<'a> = <BitMapBackend<'a> as DrawingBackend>::ErrorType;

impl Canvas<'_> {
    fn at(&self, (x, y): BackendCoord) -> BackendCoord {
        let scaled = |value: i32| (f64::from(value) * self.scale).round() as i32;
        (scaled(x), scaled(y))
    }

    fn length(&self, length: u32) -> u32 {
        ((f64::from(length) * self.scale).round() as u32).max(1)
    }

    fn style(&self, style: &impl BackendStyle) -> ShapeStyle {
        let colour = self.colour(style.color());
        let (red, green, blue) = colour.rgb;
        ShapeStyle {
            color: RGBAColor(red, green, blue, colour.alpha),
            filled: true,
            stroke_width: self.length(style.stroke_width()),
        }
    }

    fn colour(&self, colour: BackendColor) -> BackendColor {
        BackendColor {
            alpha: colour.alpha,
            rgb: self.theme.colour(colour.rgb),
        }
    }
}

impl<'a> DrawingBackend for Canvas<'a> {
    type ErrorType = Failed<'a>;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.inner.ensure_prepared()
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.inner.present()
    }

    fn draw_pixel(
        &mut self,
        at: BackendCoord,
        colour: BackendColor,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        let (rgb, alpha) = (self.theme.colour(colour.rgb), colour.alpha);
        let style = RGBColor(rgb.0, rgb.1, rgb.2).mix(alpha);
        let (from, to) = (self.at(at), self.at((at.0 + 1, at.1 + 1)));
        self.inner.draw_rect(from, to, &style, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        let style = self.style(style);
        self.inner.draw_line(self.at(from), self.at(to), &style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        lower_right: BackendCoord,
        style: &S,
        is_filled: bool,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        let style = self.style(style);
        let (from, to) = (self.at(upper_left), self.at(lower_right));
        if is_filled {
            return self.inner.draw_rect(from, to, &style, true);
        }
        // Outlines of rectangles have no width of their own in the backend.
        let around = [from, (to.0, from.1), to, (from.0, to.1), from];
        self.inner.draw_path(around, &style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        let style = self.style(style);
        let path: Vec<BackendCoord> = path.into_iter().map(|point| self.at(point)).collect();
        self.inner.draw_path(path, &style)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        is_filled: bool,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        let style = self.style(style);
        let (center, radius) = (self.at(center), self.length(radius));
        self.inner.draw_circle(center, radius, &style, is_filled)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        let style = self.style(style);
        let corners: Vec<BackendCoord> = corners.into_iter().map(|point| self.at(point)).collect();
        self.inner.fill_polygon(corners, &style)
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        at: BackendCoord,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        let colour = self.colour(style.color());
        if colour.alpha == 0.0 {
            return Ok(());
        }
        let em = (style.size() / LINE_PER_LETTER * self.scale) as f32;
        let length = self.letters.length(text, em);
        // As in SVG: of an em, or of half the height of an x.
        let x = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -length / 2.0,
            HPos::Right => -length,
        };
        let y = match style.anchor().v_pos {
            VPos::Top => 0.76 * em,
            VPos::Center => 0.264 * em,
            VPos::Bottom => -0.264 * em,
        };
        let at = self.at(at);
        let (width, height) = self.inner.get_size();
        let inner = &mut self.inner;
        let mut drawn = Ok(());
        let pixel = |(x, y): BackendCoord, covered: f32| {
            let place = (at.0 + x, at.1 + y);
            let inside =
                (0..width as i32).contains(&place.0) && (0..height as i32).contains(&place.1);
            if inside && drawn.is_ok() {
                let alpha = colour.alpha * f64::from(covered);
                drawn = inner.draw_pixel(place, BackendColor { alpha, ..colour });
            }
        };
        self.letters
            .draw(text, em, (x, y), style.transform(), pixel);
        drawn
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
