//! Lines of text as pixels: where each letter stands, and how much of each pixel it covers.
//!
//! What it does: letters at parts of pixels, pairs of them as far apart as the font says (`GPOS`, pair adjustment). Leaves out:
//! ligatures, other scripts, several lines. Units: pixels; `em` is the size of the letters.
//! Source: OpenType 1.9, chapter GPOS.

use ab_glyph::{Font, FontRef, Glyph, GlyphId, Point, PxScale, ScaleFont};
use plotters_backend::FontTransform;
use ttf_parser::Face;
use ttf_parser::gpos::{PairAdjustment, PositioningSubtable};

pub(super) const FONT: &[u8] = include_bytes!("../../../assets/fonts/Roboto-Regular.ttf");

/// The font of all charts.
pub(super) struct Letters {
    font: FontRef<'static>,
    pairs: Vec<PairAdjustment<'static>>,
    units_per_em: f32,
}

impl Letters {
    pub fn new() -> Option<Letters> {
        let font = FontRef::try_from_slice(FONT).ok()?;
        let face = Face::parse(FONT, 0).ok()?;
        Some(Letters {
            units_per_em: f32::from(face.units_per_em()),
            pairs: pairs(&face),
            font,
        })
    }

    fn scale(&self, em: f32) -> PxScale {
        PxScale::from(em * self.font.height_unscaled() / self.units_per_em)
    }

    /// Letters on a line that begins at 0, and its length.
    fn line(&self, text: &str, em: f32) -> (Vec<Glyph>, f32) {
        let scale = self.scale(em);
        let font = self.font.as_scaled(scale);
        let mut x = 0.0;
        let mut before = None;
        let mut letters = Vec::new();
        for letter in text.chars() {
            let id = font.glyph_id(letter);
            if let Some(before) = before {
                x += self.kerning(before, id) / self.units_per_em * em;
            }
            letters.push(id.with_scale_and_position(scale, Point { x, y: 0.0 }));
            x += font.h_advance(id);
            before = Some(id);
        }
        (letters, x)
    }

    /// What the second letter is moved by, in units of the font.
    fn kerning(&self, first: GlyphId, second: GlyphId) -> f32 {
        let [first, second] = [first, second].map(|id| ttf_parser::GlyphId(id.0));
        let found = self.pairs.iter().find_map(|table| {
            let place = table.coverage().get(first)?;
            match table {
                PairAdjustment::Format1 { sets, .. } => sets.get(place)?.get(second),
                PairAdjustment::Format2 {
                    classes, matrix, ..
                } => matrix.get((classes.0.get(first), classes.1.get(second))),
            }
        });
        found.map_or(0.0, |(first, _)| f32::from(first.x_advance))
    }

    /// Length of a line.
    pub fn length(&self, text: &str, em: f32) -> f32 {
        self.line(text, em).1
    }

    /// Calls `pixel` with every pixel of a line that is covered, and how much. The line begins at `start` on its base line, relative
    /// to the place that it is turned around.
    pub fn draw(
        &self,
        text: &str,
        em: f32,
        start: (f32, f32),
        turn: FontTransform,
        mut pixel: impl FnMut((i32, i32), f32),
    ) {
        for mut letter in self.line(text, em).0 {
            letter.position.x += start.0;
            letter.position.y += start.1;
            let Some(outline) = self.font.outline_glyph(letter) else {
                continue;
            };
            let corner = outline.px_bounds().min;
            outline.draw(|x, y, covered| {
                let at = (x as i32 + corner.x as i32, y as i32 + corner.y as i32);
                pixel(turn.transform(at.0, at.1), covered.min(1.0));
            });
        }
    }
}

/// The tables of the font's kerning.
fn pairs(face: &Face<'static>) -> Vec<PairAdjustment<'static>> {
    let Some(table) = face.tables().gpos else {
        return Vec::new();
    };
    let kern = ttf_parser::Tag::from_bytes(b"kern");
    let features = table.features.into_iter().filter(|f| f.tag == kern);
    let mut lookups: Vec<u16> = features.flat_map(|f| f.lookup_indices).collect();
    lookups.sort_unstable();
    lookups.dedup();
    let tables = lookups.iter().filter_map(|&at| table.lookups.get(at));
    let subtables = tables.flat_map(|lookup| lookup.subtables.into_iter::<PositioningSubtable>());
    let pair = |subtable| match subtable {
        PositioningSubtable::Pair(pair) => Some(pair),
        _ => None,
    };
    subtables.filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_as_close_as_the_font_says() {
        let letters = Letters::new().unwrap();
        let alone = |text: &str| letters.length(text, 100.0);
        assert!(alone("AV") < alone("A") + alone("V") - 2.0);
        assert!(alone("To") < alone("T") + alone("o") - 2.0);
        assert!((alone("nn") - 2.0 * alone("n")).abs() < 0.01);
    }

    #[test]
    fn a_letter_stands_at_its_own_place_on_the_base_line() {
        let letters = Letters::new().unwrap();
        let covered = |text: &str, turn| {
            let mut found: Vec<(i32, i32)> = Vec::new();
            letters.draw(text, 100.0, (0.0, 0.0), turn, |at, covered| {
                if covered > 0.5 {
                    found.push(at);
                }
            });
            found
        };
        let upright = covered("l", FontTransform::None);
        assert!(upright.iter().all(|(_, y)| *y < 1), "above the base line");
        let left = upright.iter().map(|(x, _)| *x).min().unwrap();
        assert!((3..12).contains(&left), "its left side is free: {left}");
        let turned = covered("l", FontTransform::Rotate270);
        assert_eq!(upright.len(), turned.len());
        assert!(turned.iter().all(|(x, y)| *x < 1 && *y <= -left));
    }
}
