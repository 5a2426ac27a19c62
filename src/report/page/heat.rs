//! A table of the paper as three heat maps: measured, predicted, error.
//!
//! Leaves out: charts. Units: billions of GPop/s; percent for the error.
//! Every cell carries its figure, so that no colour has to be told apart.

use crate::validate::{Compared, Split};
use maud::{Markup, html};

/// Red, green and blue, 0 to 255.
type Rgb = [f64; 3];

/// A scale on light and on dark paper.
type Scales = [[Rgb; 3]; 2];

/// From the slowest to the fastest cell, which stands out from the paper most.
const SPEED: Scales = [
    [
        [247.0, 251.0, 255.0],
        [107.0, 174.0, 214.0],
        [8.0, 48.0, 107.0],
    ],
    [
        [24.0, 32.0, 44.0],
        [33.0, 92.0, 150.0],
        [160.0, 208.0, 245.0],
    ],
];
/// From too slow over right to too fast.
const ERROR: Scales = [
    [
        [33.0, 102.0, 172.0],
        [255.0, 255.0, 255.0],
        [178.0, 70.0, 10.0],
    ],
    [
        [110.0, 178.0, 240.0],
        [24.0, 30.0, 40.0],
        [240.0, 140.0, 70.0],
    ],
];
/// Errors beyond this have the strongest colour.
const STRONGEST_ERROR_PERCENT: f64 = 50.0;

/// What a heat map shows of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Measured,
    Predicted,
    Error,
}

impl Shown {
    fn title(self) -> &'static str {
        match self {
            Shown::Measured => "measured, billion GPop/s",
            Shown::Predicted => "predicted, billion GPop/s",
            Shown::Error => "error of the prediction, %",
        }
    }

    fn value(self, cell: &Compared) -> Option<f64> {
        match self {
            Shown::Measured => cell.measured.map(|value| value.gpops_billion),
            Shown::Predicted => Some(cell.predicted_gpops_billion),
            Shown::Error => cell.error_percent(),
        }
    }
}

/// The heat maps of one problem in one table; only the predicted one if nothing was measured.
pub fn heat_maps(name: &str, cells: &[&Compared]) -> Markup {
    let measured = cells.iter().any(|cell| cell.measured.is_some());
    let shown: &[Shown] = match measured {
        true => &[Shown::Measured, Shown::Predicted, Shown::Error],
        false => &[Shown::Predicted],
    };
    html! {
        div class="heats" {
            @for shown in shown {
                div { (heat_map(name, cells, *shown)) }
            }
        }
    }
}

fn heat_map(name: &str, cells: &[&Compared], shown: Shown) -> Markup {
    let mut axis: Vec<String> = Vec::new();
    let mut threads: Vec<u32> = Vec::new();
    for compared in cells {
        let value = compared.cell.axis.value();
        if !axis.contains(&value) {
            axis.push(value);
        }
        if !threads.contains(&compared.cell.threads_per_block) {
            threads.push(compared.cell.threads_per_block);
        }
    }
    let values = || cells.iter().filter_map(|cell| shown.value(cell));
    let low = values().fold(f64::MAX, f64::min);
    let high = values().fold(f64::MIN, f64::max);
    let axis_title = cells
        .first()
        .map_or("", |cell| cell.cell.table.axis_title());
    let find = |threads: u32, value: &str| {
        cells.iter().find(|compared| {
            compared.cell.threads_per_block == threads && compared.cell.axis.value() == value
        })
    };
    html! {
        table class="heat" {
            caption { (name) ": " (shown.title()) ". Across: " (axis_title) ". Down: threads per block." }
            thead { tr {
                th scope="col" { "threads" }
                @for value in &axis { th scope="col" { (value) } }
            } }
            tbody { @for threads in &threads { tr {
                th scope="row" { (threads) }
                @for value in &axis {
                    @match find(*threads, value) {
                        Some(cell) => (cell_markup(cell, shown, low, high)),
                        None => { td {} }
                    }
                }
            } } }
        }
    }
}

fn cell_markup(cell: &Compared, shown: Shown, low: f64, high: f64) -> Markup {
    let Some(value) = shown.value(cell) else {
        return html! { td { "–" } };
    };
    let (scales, place) = match shown {
        Shown::Error => (&ERROR, 0.5 + 0.5 * value / STRONGEST_ERROR_PERCENT),
        _ => (&SPEED, (value - low) / (high - low).max(f64::MIN_POSITIVE)),
    };
    // Which of the two pairs is shown is the style's.
    let [light, dark] = scales.each_ref().map(|scale| blend(scale, place));
    let style = format!(
        "--a:{};--b:{};--c:{};--d:{}",
        css(light),
        css(ink_on(light)),
        css(dark),
        css(ink_on(dark))
    );
    let best = shown != Shown::Error && value == high;
    let fitted = shown == Shown::Error && cell.split == Split::Fitted;
    html! {
        td style=(style) {
            @if best { b { (figure(value, shown)) } span class="hidden" { " best" } }
            @else { (figure(value, shown)) }
            @if fitted { "†" span class="hidden" { " fitted" } }
        }
    }
}

fn figure(value: f64, shown: Shown) -> String {
    match shown {
        Shown::Error => format!("{value:+.0}"),
        _ if value >= 100.0 => format!("{value:.0}"),
        _ => format!("{value:.1}"),
    }
}

/// The colour at `place`, 0 to 1, of a scale of three.
fn blend(scale: &[Rgb; 3], place: f64) -> Rgb {
    let place = 2.0 * place.clamp(0.0, 1.0);
    let first = usize::from(place >= 1.0);
    let part = place - first as f64;
    let mut colour = [0.0; 3];
    for (i, channel) in colour.iter_mut().enumerate() {
        *channel = (scale[first][i] * (1.0 - part) + scale[first + 1][i] * part).round();
    }
    colour
}

/// Black or white, whichever is read better.
fn ink_on(background: Rgb) -> Rgb {
    let (black, white) = ([0.0; 3], [255.0; 3]);
    if contrast(background, black) > contrast(background, white) {
        black
    } else {
        white
    }
}

fn css(colour: Rgb) -> String {
    format!(
        "#{:02x}{:02x}{:02x}",
        colour[0] as u8, colour[1] as u8, colour[2] as u8
    )
}

/// Contrast of two colours as the Web Content Accessibility Guidelines define it, 1 to 21.
fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance(colour: Rgb) -> f64 {
    let linear = colour.map(|channel| match channel / 255.0 {
        small if small <= 0.04045 => small / 12.92,
        value => ((value + 0.055) / 1.055).powf(2.4),
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_of_both_scales_can_be_written_on() {
        for scale in SPEED.iter().chain(&ERROR) {
            for step in 0..=100 {
                let background = blend(scale, f64::from(step) / 100.0);
                let contrast = contrast(background, ink_on(background));
                assert!(contrast >= 4.5, "{background:?}: {contrast}");
            }
        }
        assert!((contrast([0.0; 3], [255.0; 3]) - 21.0).abs() < 1e-9);
    }

    #[test]
    fn ends_and_middle_of_a_scale_are_its_colours() {
        assert_eq!(
            [0.0, 0.5, 1.0, 7.0].map(|place| blend(&ERROR[0], place)),
            [ERROR[0][0], ERROR[0][1], ERROR[0][2], ERROR[0][2]]
        );
    }
}
