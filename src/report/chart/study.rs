//! A what-if study as curves over one of its axes, and as a table of colours over two of them.
//!
//! Leaves out: points that cannot run. Units: on the axes. Values are drawn at equal distances, in their order.

use super::heat::Heat;
use super::lines::{Line, Lines, Scale};
use super::{SERIES_COLOURS, figure};
use crate::report::grouped;
use crate::report::whatif::StudyRow;
use crate::study::run::Point;
use crate::study::{Axis, Key};
use crate::systems::options::Size;

/// A study's axes and rows.
#[derive(Clone, Copy)]
pub struct Grid<'a> {
    pub axes: &'a [Axis],
    pub rows: &'a [StudyRow],
}

/// Curves whose intervals are drawn as bands; more would cover one another.
const MAX_BANDS: usize = 3;

/// Curves that can be told apart by colour alone.
const MAX_CURVES: usize = SERIES_COLOURS.len();

impl Grid<'_> {
    /// Axes with more than one value.
    pub fn varying(&self) -> Vec<usize> {
        (0..self.axes.len())
            .filter(|&axis| self.axes[axis].values.len() > 1)
            .collect()
    }

    /// Throughput over the axis `over`, one curve per combination of the others, the highest first.
    pub fn curves(&self, over: usize) -> Lines {
        let axis = &self.axes[over];
        let drawn = self.rows.iter().filter_map(|row| {
            let place = place(axis, &row.point.values[over]) as f64;
            let speed = row.point.outcome.gpops_billion?;
            let bounds = row.interval.and_then(|interval| interval.bounds());
            Some((self.name_without(&row.point, over), (place, speed), bounds))
        });
        let mut lines: Vec<Line> = grouped(drawn, |(name, ..)| name.clone())
            .into_iter()
            .map(|(name, of_line)| Line {
                band: of_line
                    .iter()
                    .map(|drawn| drawn.2)
                    .collect::<Option<_>>()
                    .unwrap_or_default(),
                ..Line::new(name, of_line.into_iter().map(|drawn| drawn.1).collect())
            })
            .collect();
        let best = |line: &Line| line.points.iter().map(|point| point.1).fold(0.0, f64::max);
        lines.sort_by(|a, b| best(b).total_cmp(&best(a)));
        let n_curves = lines.len();
        lines.truncate(MAX_CURVES);
        if lines.len() > MAX_BANDS {
            lines.iter_mut().for_each(|line| line.band.clear());
        }
        let mut x_label = self.title(over);
        if n_curves > MAX_CURVES {
            x_label += &format!(" (the highest {MAX_CURVES} of {n_curves} curves)");
        }
        Lines {
            x_label,
            y_label: "billion GPop/s".into(),
            scale: Scale::Named(labels(axis)),
            lines,
            size: (790, 480),
            ..Lines::default()
        }
    }

    /// The best throughput of each pair of values of two axes.
    pub fn heat(&self, right: usize, up: usize) -> Heat {
        let (columns, rows) = (&self.axes[right], &self.axes[up]);
        let mut cells = vec![vec![None; columns.values.len()]; rows.values.len()];
        for point in self.rows.iter().map(|row| &row.point) {
            let row = place(rows, &point.values[up]);
            let cell: &mut Option<f64> = &mut cells[row][place(columns, &point.values[right])];
            if let Some(gpops) = point.outcome.gpops_billion {
                *cell = Some(cell.map_or(gpops, |known| known.max(gpops)));
            }
        }
        let mut heat = Heat {
            title: Vec::new(),
            x_label: self.title(right),
            y_label: self.title(up),
            columns: labels(columns),
            rows: labels(rows),
            cells,
            width: 900,
        };
        if let Some((best, row, column)) = heat.best() {
            heat.title.push(format!(
                "Best: {} billion GPop/s at {} {}, {} {}",
                figure(best),
                heat.x_label,
                heat.columns[column],
                heat.y_label,
                heat.rows[row]
            ));
        }
        let others = self.varying().into_iter();
        let others = others.filter(|axis| ![right, up].contains(axis));
        let others: Vec<String> = others.map(|axis| self.title(axis)).collect();
        if !others.is_empty() {
            let line = format!("Each cell is the best over {}.", others.join(", "));
            heat.title.push(line);
        }
        heat
    }

    /// The values that distinguish a point from others, without one axis.
    fn name_without(&self, point: &Point, without: usize) -> String {
        let varying = self.varying().into_iter().filter(|axis| *axis != without);
        let parts: Vec<String> = varying
            .map(|axis| {
                let value = label(&self.axes[axis], &point.values[axis]);
                match self.axes[axis].key {
                    Key::Problem | Key::Kernel => value,
                    _ => format!("{} {value}", short(&self.axes[axis])),
                }
            })
            .collect();
        match parts.is_empty() {
            true => {
                let launched = &point.outcome.launched;
                let problem = launched.problem.as_deref().unwrap_or_default();
                format!("{problem}, {}", launched.kernel)
            }
            false => parts.join(", "),
        }
    }

    /// The axis in words.
    fn title(&self, axis: usize) -> String {
        match &self.axes[axis].key {
            Key::Size(Size::L1Kib) => "L1 size (KiB)".into(),
            Key::Size(Size::Threads) => "threads per block".into(),
            Key::Size(Size::StackDim) => "second dimension of the stack".into(),
            Key::Size(Size::StackRegisters) => "stack levels in registers".into(),
            key => key.name(),
        }
    }
}

fn short(axis: &Axis) -> String {
    match &axis.key {
        Key::Size(Size::L1Kib) => "L1 KiB".into(),
        Key::Size(Size::StackDim) => "dimension".into(),
        Key::Size(Size::StackRegisters) => "register levels".into(),
        Key::Field(_, field) => field.clone(),
        key => key.name(),
    }
}

/// Index of a value on its axis.
fn place(axis: &Axis, value: &str) -> usize {
    let at = axis.values.iter().position(|known| known == value);
    at.unwrap_or(0)
}

fn labels(axis: &Axis) -> Vec<String> {
    axis.values.iter().map(|value| label(axis, value)).collect()
}

/// A value as it is written on its axis.
fn label(axis: &Axis, value: &str) -> String {
    match (&axis.key, value.parse::<f64>()) {
        (_, Ok(number)) if number >= 1e6 => format!("{number:.3e}"),
        _ => value.to_owned(),
    }
}
