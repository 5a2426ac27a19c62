//! Charts as SVG: what a chart draws, as elements.
//!
//! What it does: shapes and text in the chart's own pixels, scaled by the view box; in a page, a place for every note. Leaves out:
//! pixels of their own (`draw_pixel` draws none), as no chart needs them. Units: the chart's own pixels.
//! Source: Scalable Vector Graphics 1.1; the elements are those that plotters-svg writes.

use super::theme::{Colours, Theme};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use std::convert::Infallible;
use std::fmt::Write;

/// Font sizes of plotters are heights of lines; of this many, one is that of the letters.
pub(super) const LINE_PER_LETTER: f64 = 1.24;

/// Around the place of a note, where it can be pointed at.
const NOTE_RADIUS: u32 = 7;

/// Writes into a text.
pub(super) struct SvgBackend<'a> {
    text: &'a mut String,
    size: (u32, u32),
    colours: Colours,
    is_closed: bool,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl<'a> SvgBackend<'a> {
    /// A file of its own: shown `shown` pixels wide and high, whatever its own size is.
    pub fn of_file(
        text: &'a mut String,
        size: (u32, u32),
        shown: (u32, u32),
        theme: Theme,
    ) -> SvgBackend<'a> {
        let head = format!("width=\"{}\" height=\"{}\" ", shown.0, shown.1);
        let tail = " xmlns=\"http://www.w3.org/2000/svg\"";
        SvgBackend::new(text, size, Colours::Of(theme), &head, tail)
    }

    /// A part of a page, as wide as its place.
    pub fn of_page(text: &'a mut String, size: (u32, u32)) -> SvgBackend<'a> {
        SvgBackend::new(text, size, Colours::Page, "", "")
    }

    fn new(
        text: &'a mut String,
        size: (u32, u32),
        colours: Colours,
        head: &str,
        tail: &str,
    ) -> SvgBackend<'a> {
        let (width, height) = size;
        *text = format!("<svg {head}viewBox=\"0 0 {width} {height}\"{tail}>\n");
        SvgBackend {
            text,
            size,
            colours,
            is_closed: false,
        }
    }

    /// An element without content.
    fn element(&mut self, name: &str, attributes: &[(&str, String)]) -> Drawn {
        self.open(name, attributes);
        self.text.push_str("/>\n");
        Ok(())
    }

    fn open(&mut self, name: &str, attributes: &[(&str, String)]) {
        self.text.push('<');
        self.text.push_str(name);
        for (key, value) in attributes {
            let _ = write!(self.text, " {key}=\"{value}\"");
        }
    }

    fn colour(&self, colour: BackendColor) -> String {
        self.colours.text(colour.rgb)
    }

    /// The values of `fill` and `stroke` of a shape that may be filled.
    fn fill_and_stroke(&self, colour: BackendColor, is_filled: bool) -> (String, String) {
        let none = "none".to_owned();
        match is_filled {
            true => (self.colour(colour), none),
            false => (none, self.colour(colour)),
        }
    }

    /// The text that a page shows at a place.
    fn note(&mut self, text: &str, (x, y): BackendCoord) -> Drawn {
        let _ = writeln!(
            self.text,
            "<circle class=\"note\" cx=\"{x}\" cy=\"{y}\" r=\"{NOTE_RADIUS}\"><title>{}</title></circle>",
            escaped(text)
        );
        Ok(())
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            other => escaped.push(other),
        }
    }
    escaped
}

fn points(path: impl IntoIterator<Item = BackendCoord>) -> String {
    path.into_iter().fold(String::new(), |mut text, (x, y)| {
        let _ = write!(text, "{x},{y} ");
        text
    })
}

impl DrawingBackend for SvgBackend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        if !self.is_closed {
            self.text.push_str("</svg>\n");
            self.is_closed = true;
        }
        Ok(())
    }

    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> Drawn {
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        let colour = style.color();
        if colour.alpha == 0.0 {
            return Ok(());
        }
        let attributes = [
            ("opacity", colour.alpha.to_string()),
            ("stroke", self.colour(colour)),
            ("stroke-width", style.stroke_width().to_string()),
            ("x1", from.0.to_string()),
            ("y1", from.1.to_string()),
            ("x2", to.0.to_string()),
            ("y2", to.1.to_string()),
        ];
        self.element("line", &attributes)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        lower_right: BackendCoord,
        style: &S,
        is_filled: bool,
    ) -> Drawn {
        let colour = style.color();
        if colour.alpha == 0.0 {
            return Ok(());
        }
        let (fill, stroke) = self.fill_and_stroke(colour, is_filled);
        let attributes = [
            ("x", upper_left.0.to_string()),
            ("y", upper_left.1.to_string()),
            ("width", (lower_right.0 - upper_left.0).to_string()),
            ("height", (lower_right.1 - upper_left.1).to_string()),
            ("opacity", colour.alpha.to_string()),
            ("fill", fill),
            ("stroke", stroke),
        ];
        self.element("rect", &attributes)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let colour = style.color();
        if colour.alpha == 0.0 {
            return Ok(());
        }
        let attributes = [
            ("fill", "none".to_owned()),
            ("opacity", colour.alpha.to_string()),
            ("stroke", self.colour(colour)),
            ("stroke-width", style.stroke_width().to_string()),
            ("points", points(path)),
        ];
        self.element("polyline", &attributes)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        is_filled: bool,
    ) -> Drawn {
        let colour = style.color();
        if colour.alpha == 0.0 {
            return Ok(());
        }
        let (fill, stroke) = self.fill_and_stroke(colour, is_filled);
        let attributes = [
            ("cx", center.0.to_string()),
            ("cy", center.1.to_string()),
            ("r", radius.to_string()),
            ("opacity", colour.alpha.to_string()),
            ("fill", fill),
            ("stroke", stroke),
            ("stroke-width", style.stroke_width().to_string()),
        ];
        self.element("circle", &attributes)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        let colour = style.color();
        if colour.alpha == 0.0 {
            return Ok(());
        }
        let attributes = [
            ("opacity", colour.alpha.to_string()),
            ("fill", self.colour(colour)),
            ("points", points(corners)),
        ];
        self.element("polygon", &attributes)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        let colour = style.color();
        if colour.alpha == 0.0 {
            return match self.colours {
                Colours::Page => self.note(text, at),
                Colours::Of(_) => Ok(()),
            };
        }
        let anchor = match style.anchor().h_pos {
            HPos::Left => "start",
            HPos::Center => "middle",
            HPos::Right => "end",
        };
        let lowered = match style.anchor().v_pos {
            VPos::Top => "0.76em",
            VPos::Center => "0.5ex",
            VPos::Bottom => "-0.5ex",
        };
        let mut attributes = vec![
            ("x", at.0.to_string()),
            ("y", at.1.to_string()),
            ("dy", lowered.to_owned()),
            ("text-anchor", anchor.to_owned()),
            ("font-family", style.family().as_str().to_owned()),
            ("font-size", (style.size() / LINE_PER_LETTER).to_string()),
            ("opacity", colour.alpha.to_string()),
            ("fill", self.colour(colour)),
        ];
        let turned = match style.transform() {
            FontTransform::None => None,
            FontTransform::Rotate90 => Some(90),
            FontTransform::Rotate180 => Some(180),
            FontTransform::Rotate270 => Some(270),
        };
        if let Some(degrees) = turned {
            let turn = format!("rotate({degrees}, {}, {})", at.0, at.1);
            attributes.push(("transform", turn));
        }
        self.open("text", &attributes);
        let _ = writeln!(self.text, ">\n{}\n</text>", escaped(text));
        Ok(())
    }
}
