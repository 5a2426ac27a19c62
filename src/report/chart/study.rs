//! What the charts of a what-if study share: names of points, places and labels on an axis.
//!
//! Leaves out: drawing. Units: on the axes. Values are drawn at equal distances, in their order.

use crate::study::run::Point;
use crate::study::{Axis, Key};
use crate::systems::registry::Size;

/// A study's axes and points.
#[derive(Clone, Copy)]
pub struct Grid<'a> {
    pub axes: &'a [Axis],
    pub points: &'a [Point],
}

impl Grid<'_> {
    /// Axes with more than one value.
    pub fn varying(&self) -> Vec<usize> {
        (0..self.axes.len())
            .filter(|&axis| self.axes[axis].values.len() > 1)
            .collect()
    }

    /// What distinguishes a point from others, without some axes.
    pub fn name_without(&self, point: &Point, without: &[usize]) -> String {
        let varying = self
            .varying()
            .into_iter()
            .filter(|axis| !without.contains(axis));
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
    pub fn title(&self, axis: usize) -> String {
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
pub fn place(axis: &Axis, value: &str) -> f64 {
    let at = axis.values.iter().position(|known| known == value);
    at.unwrap_or(0) as f64
}

/// A value as it is written on its axis.
pub fn label(axis: &Axis, value: &str) -> String {
    match (&axis.key, value.parse::<f64>()) {
        (_, Ok(number)) if number >= 1e6 => format!("{number:.3e}"),
        _ => value.to_owned(),
    }
}
