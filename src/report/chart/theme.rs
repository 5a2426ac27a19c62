//! The colours of charts on light and on dark paper, and as parts of a page, which may be either.
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
/// Leaves of a tree.
pub(in crate::report) const LEAF: RGBColor = RGBColor(252, 252, 252);
/// Areas behind text.
pub(in crate::report) const PALE_BLUE: RGBColor = RGBColor(222, 235, 247);
pub(in crate::report) const PALE_GREEN: RGBColor = RGBColor(222, 242, 228);
pub(in crate::report) const PALE_ORANGE: RGBColor = RGBColor(253, 236, 214);
pub(in crate::report) const PALE_RED: RGBColor = RGBColor(248, 222, 222);

/// A colour with a meaning of its own, which themes change.
struct Role {
    /// A page's style calls it `--chart-NAME`.
    name: &'static str,
    light: RGBColor,
    dark: RGBColor,
}

const fn role(name: &'static str, light: RGBColor, dark: RGBColor) -> Role {
    Role { name, light, dark }
}

const ROLES: [Role; 8] = [
    role("ink", INK, RGBColor(232, 235, 240)),
    role("grid", GRID, RGBColor(45, 53, 65)),
    role("empty", EMPTY, RGBColor(42, 49, 60)),
    role("leaf", LEAF, RGBColor(20, 24, 31)),
    role("pale-blue", PALE_BLUE, RGBColor(28, 50, 74)),
    role("pale-green", PALE_GREEN, RGBColor(25, 57, 42)),
    role("pale-orange", PALE_ORANGE, RGBColor(74, 51, 22)),
    role("pale-red", PALE_RED, RGBColor(78, 36, 36)),
];

/// Background of a dark chart.
const DARK_PAPER: RGBColor = RGBColor(20, 24, 31);

type Rgb = (u8, u8, u8);

fn rgb(colour: RGBColor) -> Rgb {
    (colour.0, colour.1, colour.2)
}

fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
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

/// An SVG in the colours of the light theme with those of the page's style in their place.
pub(super) fn of_page(svg: String) -> String {
    ROLES.iter().fold(svg, |svg, role| {
        let drawn = format!("\"{}\"", hex(rgb(role.light)));
        svg.replace(&drawn, &format!("\"var(--chart-{})\"", role.name))
    })
}

/// The values of a page's colours, as the declarations of its style.
pub fn declarations(theme: Theme) -> String {
    let one = |role: &Role| {
        let colour = hex(theme.colour(rgb(role.light)));
        format!("--chart-{}: {};", role.name, colour.to_lowercase())
    };
    ROLES.iter().map(one).collect::<Vec<_>>().join(" ")
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
            for role in ROLES.iter().filter(|role| role.name != "ink") {
                let found = contrast(ink, theme.colour(rgb(role.light)));
                assert!(found >= 4.5, "{theme:?} {}: {found:.2}", role.name);
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
        let drawn = "fill=\"#E1E1E1\" stroke=\"#010203\"".to_owned();
        assert_eq!(
            of_page(drawn),
            "fill=\"var(--chart-grid)\" stroke=\"#010203\""
        );
        assert_eq!(Theme::Dark.colour((1, 2, 3)), (1, 2, 3));
    }
}
