//! Stacked bars under each other, one per configuration: where the cycles go; or pairs of bars, predicted and published.
//!
//! Leaves out: layers that no bar has; layers too small to see anywhere are drawn together as `other`.
//! Units: given by the caller, the same for all bars.

use super::{
    Area, BLUE, Chart, Drawn, Legend, ON_DARK, ON_LIGHT, VERMILION, figure, ink, ink_at,
    light_mesh, tick,
};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

/// One bar: a label and its layers, from the left.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Label; empty for a bar that belongs to the one above it.
    pub label: String,
    pub layers: Vec<(String, f64)>,
}

/// Bars on one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct StackedBars {
    title: String,
    /// Meaning of the lengths: `scheduler cycles per GP operation`.
    unit: String,
    bars: Vec<Bar>,
    width: u32,
    colours: &'static [RGBColor],
}

const WIDTH: u32 = 900;
const TITLE_HEIGHT: u32 = 44;
const LABEL_HEIGHT: u32 = 28;
const BAR_HEIGHT: u32 = 24;
const AXIS_HEIGHT: u32 = 42;

/// A layer that is smaller than this part of the scale in every bar joins `other`.
const LEAST_DRAWN: f64 = 0.01;
const OTHER: &str = "other";
/// Colour of `other`, and of layers beyond the last colour.
const GREY: RGBColor = RGBColor(160, 160, 160);

/// Colours of the layers, by their place among all layers; issue first.
const COLOURS: [RGBColor; 12] = [
    RGBColor(0, 158, 115),
    RGBColor(0, 114, 178),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(213, 94, 0),
    RGBColor(204, 121, 167),
    RGBColor(240, 228, 66),
    RGBColor(120, 94, 160),
    RGBColor(150, 110, 60),
    RGBColor(128, 0, 64),
    RGBColor(0, 80, 80),
    RGBColor(170, 190, 60),
];
const OF_PAIRS: [RGBColor; 2] = [BLUE, VERMILION];

impl Bar {
    fn length(&self) -> f64 {
        self.layers.iter().map(|(_, value)| value).sum()
    }

    fn height(&self) -> u32 {
        BAR_HEIGHT
            + if self.label.is_empty() {
                0
            } else {
                LABEL_HEIGHT
            }
    }
}

impl StackedBars {
    /// A chart of `bars`, layers too small to see joined.
    pub fn new(title: String, unit: String, bars: Vec<Bar>) -> StackedBars {
        let longest = bars.iter().map(Bar::length).fold(0.0, f64::max);
        let large = |name: &str| {
            let layers = bars.iter().flat_map(|bar| &bar.layers);
            let mut of_name = layers.filter(|(other, _)| other == name);
            of_name.any(|(_, value)| *value >= LEAST_DRAWN * longest)
        };
        let join = |bar: &Bar| {
            let (mut layers, small): (Vec<_>, Vec<_>) = bar
                .layers
                .iter()
                .cloned()
                .partition(|(name, _)| large(name));
            let rest: f64 = small.iter().map(|(_, value)| value).sum();
            layers.push((OTHER.into(), rest));
            Bar {
                label: bar.label.clone(),
                layers,
            }
        };
        StackedBars {
            bars: bars.iter().map(join).collect(),
            title,
            unit,
            width: WIDTH,
            colours: &COLOURS,
        }
    }

    /// Predicted values of each name, and under each the published one, where there is one.
    pub fn pairs(
        unit: &str,
        pairs: impl IntoIterator<Item = (String, f64, Option<f64>)>,
    ) -> StackedBars {
        let bars = pairs.into_iter().flat_map(|(label, predicted, published)| {
            let bar = |label, name: &str, value| Bar {
                label,
                layers: vec![(name.to_owned(), value)],
            };
            let published = published.map(|value| bar(String::new(), "published", value));
            [bar(label, "predicted", predicted)]
                .into_iter()
                .chain(published)
        });
        StackedBars {
            title: String::new(),
            unit: unit.to_owned(),
            bars: bars.collect(),
            width: super::NARROW,
            colours: &OF_PAIRS,
        }
    }

    /// Names of the layers that any bar has, in the order of the first bar that has them, `other` last.
    fn layer_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (name, value) in self.bars.iter().flat_map(|bar| &bar.layers) {
            if *value > 0.0 && !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names.sort_by_key(|name| *name == OTHER);
        names
    }

    fn title_height(&self) -> u32 {
        if self.title.is_empty() {
            0
        } else {
            TITLE_HEIGHT
        }
    }

    fn plot_height(&self) -> u32 {
        self.bars.iter().map(Bar::height).sum::<u32>() + AXIS_HEIGHT
    }

    fn legend<'a>(&self, names: &'a [&'a str]) -> Legend<'a> {
        let width = self.width;
        Legend { width, names }
    }

    /// The colour of a layer by its place among `names`.
    fn colour(&self, names: &[&str], name: &str) -> RGBColor {
        let place = names.iter().position(|other| *other == name);
        let colour = place.and_then(|place| self.colours.get(place));
        colour.copied().filter(|_| name != OTHER).unwrap_or(GREY)
    }

    fn draw_bars(&self, area: &Area, names: &[&str]) -> Drawn {
        let longest = self.bars.iter().map(Bar::length).fold(0.0, f64::max);
        if longest <= 0.0 {
            return Err("nothing to draw".into());
        }
        let rows = self.plot_height() - AXIS_HEIGHT;
        let mut chart = ChartBuilder::on(area)
            .margin_left(16)
            .margin_right(24)
            .x_label_area_size(AXIS_HEIGHT)
            .build_cartesian_2d(0.0..1.02 * longest, f64::from(rows)..0.0)?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_y_mesh()
            .disable_y_axis()
            .x_labels(if self.width < WIDTH { 6 } else { 11 })
            .x_label_formatter(&|x| tick(*x))
            .x_desc(&self.unit);
        light_mesh(&mut mesh).draw()?;
        let pixel = 1.02 * longest / f64::from(self.width - 40);
        let mut foot = 0.0;
        for bar in &self.bars {
            foot += f64::from(bar.height());
            let top = foot - f64::from(BAR_HEIGHT) + 3.0;
            let style = ink_at(14, HPos::Left);
            chart.draw_series([Text::new(bar.label.clone(), (0.0, top - 10.0), style)])?;
            let mut start = 0.0;
            for (name, value) in bar.layers.iter().filter(|(_, value)| *value > 0.0) {
                let end = start + value;
                let colour = self.colour(names, name);
                let area = Rectangle::new([(start, top), (end, foot)], colour.filled());
                chart.draw_series([area])?;
                let (text, middle) = (figure(*value), f64::midpoint(top, foot));
                if *value > pixel * (8 + 7 * text.len()) as f64 {
                    let at = (start + 4.0 * pixel, middle);
                    let style = ink_at(13, HPos::Left).color(over(colour));
                    chart.draw_series([Text::new(text, at, style)])?;
                }
                start = end;
            }
        }
        Ok(())
    }
}

impl Chart for StackedBars {
    fn size(&self) -> (u32, u32) {
        let legend = self.legend(&self.layer_names()).height();
        (
            self.width,
            self.title_height() + self.plot_height() + legend,
        )
    }

    fn draw(&self, area: &Area) -> Drawn {
        let names = self.layer_names();
        let (title, rest) = area.split_vertically(self.title_height());
        let (body, legend) = rest.split_vertically(self.plot_height());
        title.draw(&Text::new(self.title.clone(), (16, 14), ink(20)))?;
        self.draw_bars(&body, &names)?;
        self.legend(&names).draw(&legend, |nth, (x, y)| {
            let square = [(x - 7, y - 7), (x + 7, y + 7)];
            let colour = self.colour(&names, names[nth]);
            Ok(legend.draw(&Rectangle::new(square, colour.filled()))?)
        })
    }
}

/// Ink that can be read on `background`.
fn over(background: RGBColor) -> &'static RGBColor {
    let RGBColor(red, green, blue) = background;
    let light = 0.3 * f64::from(red) + 0.6 * f64::from(green) + 0.1 * f64::from(blue);
    if light > 125.0 { &ON_LIGHT } else { &ON_DARK }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    #[test]
    fn every_bar_and_layer_is_named() {
        let bar = |label: &str| Bar {
            label: label.into(),
            layers: vec![("issuing".into(), 3.0), ("branch".into(), 2.0)],
        };
        let bars = vec![bar("32"), bar("64")];
        let text = svg(&StackedBars::new("".into(), "cycles".into(), bars)).unwrap();
        for name in ["issuing", "branch", "\n32\n", "\n64\n"] {
            assert!(text.contains(name), "{name}");
        }
        // Two bars of two layers, two squares, the background.
        assert_eq!(text.matches("<rect").count(), 7);
    }

    #[test]
    fn a_pair_has_one_bar_where_nothing_was_published() {
        let pair = |name: &str, published| (name.to_owned(), 9.86, published);
        let pairs = |pairs: Vec<_>| StackedBars::pairs("speed", pairs);
        let chart = pairs(vec![pair("FP peak", Some(10.25)), pair("FP median", None)]);
        let text = svg(&chart).unwrap();
        assert!(text.contains("10.2") && text.matches("9.9").count() == 2);
        assert!(svg(&pairs(Vec::new())).is_err());
    }
}
