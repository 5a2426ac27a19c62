//! The colours of charts on light and on dark paper.
//!
//! Charts are drawn in the colours of the light theme; a table maps them to those of another theme. Colours of data
//! are the same in all, so that a slide and a handout agree; they stand out from both papers. Leaves out: which colour is used where.
//! Units: sRGB. Source: Web Content Accessibility Guidelines 2.2 for the contrasts (text 4.5, lines and points 3).

use super::{GRID, INK};
use plotters::style::{RGBColor, WHITE};

/// The paper that a chart in a file is drawn on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Theme {
    #[default]
    Light,
    Dark,
}

/// Cells without a value.
pub(in crate::report) const EMPTY: RGBColor = RGBColor(235, 235, 235);

/// A colour with a meaning of its own, which themes change.
struct Role {
    light: RGBColor,
    dark: RGBColor,
}

const fn role(light: RGBColor, dark: RGBColor) -> Role {
    Role { light, dark }
}

const ROLES: [Role; 3] = [
    role(INK, RGBColor(232, 235, 240)),
    role(GRID, RGBColor(45, 53, 65)),
    role(EMPTY, RGBColor(42, 49, 60)),
];

/// Background of a dark chart.
const DARK_PAPER: RGBColor = RGBColor(20, 24, 31);

type Rgb = (u8, u8, u8);

fn rgb(colour: RGBColor) -> Rgb {
    (colour.0, colour.1, colour.2)
}

fn role_of(drawn: Rgb) -> Option<&'static Role> {
    ROLES.iter().find(|role| rgb(role.light) == drawn)
}

impl Theme {
    /// Returns this theme's colour in place of a colour of the light theme.
    pub(super) fn colour(self, drawn: Rgb) -> Rgb {
        match (self, role_of(drawn)) {
            (Theme::Dark, Some(role)) => rgb(role.dark),
            _ => drawn,
        }
    }

    /// Returns the background colour.
    pub(super) fn paper(self) -> RGBColor {
        match self {
            Theme::Light => WHITE,
            Theme::Dark => DARK_PAPER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::SERIES_COLOURS;
    use super::*;

    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let luminance = |(red, green, blue): Rgb| {
            let linear = |channel: u8| match f64::from(channel) / 255.0 {
                small if small <= 0.04045 => small / 12.92,
                value => ((value + 0.055) / 1.055).powf(2.4),
            };
            0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn series_stand_out_and_ink_is_read_on_every_area_of_both_themes() {
        for theme in [Theme::Light, Theme::Dark] {
            let paper = rgb(theme.paper());
            for colour in SERIES_COLOURS {
                let found = contrast(theme.colour(rgb(colour)), paper);
                assert!(found >= 3.0, "{theme:?} {colour:?}: {found:.2}");
            }
            let ink = theme.colour(rgb(INK));
            for role in ROLES.iter().filter(|role| role.light != INK) {
                let found = contrast(ink, theme.colour(rgb(role.light)));
                assert!(found >= 4.5, "{theme:?} {:?}: {found:.2}", role.light);
            }
        }
    }

    #[test]
    fn every_role_has_a_colour_of_its_own_that_no_data_has() {
        for (at, role) in ROLES.iter().enumerate() {
            let mut others = ROLES.iter().skip(at + 1);
            assert!(others.all(|other| rgb(other.light) != rgb(role.light)));
            let data = SERIES_COLOURS.iter().filter(|colour| **colour != INK);
            assert!(data.clone().all(|colour| rgb(*colour) != rgb(role.light)));
        }
        assert_eq!(Theme::Dark.colour((1, 2, 3)), (1, 2, 3));
    }
}
