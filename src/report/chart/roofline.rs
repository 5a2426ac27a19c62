//! Launches under ceilings: rate over intensity, both axes logarithmic; a line for each memory, a dot for each launch and memory.
//!
//! Leaves out: how rates and intensities are found. Units: billions of warp instructions per second, warp instructions per byte, GB/s.

use super::{
    Area, Chart, Drawn, INK, LINE, Legend, SERIES_COLOURS, SWATCH_WIDTH, figure, ink, light_mesh,
    tick,
};
use plotters::prelude::*;

/// The rate that a memory allows: its bytes per second times the intensity.
#[derive(Debug, Clone, PartialEq)]
pub struct Ceiling {
    pub name: &'static str,
    pub gb_per_s: f64,
}

/// Place of a launch under one ceiling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dot {
    /// Place of the ceiling among all.
    pub ceiling: usize,
    pub intensity: f64,
}

/// The chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofline {
    /// Label, rate and dots of every launch.
    pub launches: Vec<(String, f64, Vec<Dot>)>,
    /// Rate at which all issue slots are used.
    pub issue: f64,
    pub ceilings: Vec<Ceiling>,
}

const SIZE: (u32, u32) = (720, 400);
const LABEL_HEIGHT: u32 = 20;
/// Decades of the vertical axis, below the next power of ten above the issue slots.
const DECADES: i32 = 3;
/// Most intensity that is drawn: a memory that hardly moves anything is no ceiling.
const MOST_INTENSITY: f64 = 100.0;

impl Roofline {
    fn top(&self) -> f64 {
        10f64.powf(self.issue.log10().ceil())
    }

    fn names(&self) -> Vec<&str> {
        self.ceilings.iter().map(|ceiling| ceiling.name).collect()
    }

    fn legend<'a>(&self, names: &'a [&'a str]) -> Legend<'a> {
        Legend {
            width: SIZE.0,
            names,
        }
    }

    fn labels_height(&self) -> u32 {
        LABEL_HEIGHT * self.launches.len() as u32
    }

    /// Dots that are drawn, with the number and the rate of their launch.
    fn dots(&self) -> impl Iterator<Item = (usize, f64, Dot)> {
        let launches = self.launches.iter().enumerate();
        launches.flat_map(|(nth, (_, rate, dots))| {
            let drawn = dots.iter().filter(|dot| dot.intensity < MOST_INTENSITY);
            drawn.map(move |dot| (nth + 1, *rate, *dot))
        })
    }

    fn colour(place: usize) -> RGBColor {
        SERIES_COLOURS[place % SERIES_COLOURS.len()]
    }
}

impl Chart for Roofline {
    fn size(&self) -> (u32, u32) {
        let legend = self.legend(&self.names()).height();
        (SIZE.0, SIZE.1 + self.labels_height() + legend)
    }

    fn draw(&self, area: &Area) -> Drawn {
        let intensities = || self.dots().map(|(.., dot)| dot.intensity);
        let ridges = || self.ceilings.iter().map(|one| self.issue / one.gb_per_s);
        let far = intensities().chain(ridges()).fold(f64::MIN, f64::max);
        let near = intensities().chain(ridges()).fold(f64::MAX, f64::min);
        let (left, right) = (near / 3.0, far * 3.0);
        let (labels, rest) = area.split_vertically(self.labels_height());
        let (plot, legend) = rest.split_vertically(SIZE.1);
        for (nth, (label, rate, _)) in self.launches.iter().enumerate() {
            let text = format!("{label}: {} billion warp instructions/s", figure(*rate));
            let at = (14, (LABEL_HEIGHT * nth as u32) as i32 + 4);
            labels.draw(&Text::new(text, at, ink(13)))?;
        }
        let top = self.top();
        let bottom = top / 10f64.powi(DECADES);
        let mut chart = ChartBuilder::on(&plot)
            .margin(6)
            .margin_right(14)
            .margin_top(12)
            .x_label_area_size(38)
            .y_label_area_size(56)
            .build_cartesian_2d((left..right).log_scale(), (bottom..top).log_scale())?;
        let mut mesh = chart.configure_mesh();
        mesh.x_desc("warp instructions per byte")
            .y_desc("billion warp instructions per second")
            .x_label_formatter(&|x| tick(*x))
            .y_label_formatter(&|y| tick(*y));
        light_mesh(&mut mesh).draw()?;
        let roof = [(left, self.issue), (right, self.issue)];
        chart.draw_series(LineSeries::new(roof, INK.stroke_width(LINE)))?;
        let slots = format!("issue slots: {}", figure(self.issue));
        chart.draw_series([Text::new(slots, (left * 1.1, self.issue * 1.35), ink(12))])?;
        for (place, ceiling) in self.ceilings.iter().enumerate() {
            let from = left.max(bottom / ceiling.gb_per_s);
            let ridge = self.issue / ceiling.gb_per_s;
            let line = [from, ridge].map(|x| (x, x * ceiling.gb_per_s));
            let style = Self::colour(place).stroke_width(LINE);
            chart.draw_series(LineSeries::new(line, style))?;
        }
        for (number, rate, dot) in self.dots() {
            let at = (dot.intensity, rate.max(bottom));
            let style = Self::colour(dot.ceiling).filled();
            chart.draw_series([Circle::new(at, 5, style)])?;
            let beside = EmptyElement::at(at) + Text::new(number.to_string(), (6, -14), ink(11));
            chart.draw_series([beside])?;
        }
        let names = self.names();
        self.legend(&names).draw(&legend, |nth, (x, y)| {
            let half = SWATCH_WIDTH / 2;
            let line = [(x - half, y), (x + half, y)];
            let style = Self::colour(nth).stroke_width(LINE);
            legend.draw(&PathElement::new(line, style))?;
            legend.draw(&Circle::new((x, y), 5, Self::colour(nth).filled()))?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    fn roofline(rate: f64) -> Roofline {
        let dot = |ceiling, intensity| Dot { ceiling, intensity };
        let ceiling = |name, gb_per_s| Ceiling { name, gb_per_s };
        Roofline {
            launches: vec![("[1] rpn".into(), rate, vec![dot(0, 0.1), dot(1, 2000.0)])],
            issue: 1000.0,
            ceilings: vec![ceiling("L1", 5000.0), ceiling("device memory", 1000.0)],
        }
    }

    #[test]
    fn a_launch_below_the_axis_is_drawn_on_it() {
        for rate in [250.0, 1e-6] {
            let text = svg(&roofline(rate)).unwrap();
            // One dot, and one in the legend for each memory.
            assert_eq!(text.matches("<circle").count(), 3, "{rate}");
        }
    }
}
