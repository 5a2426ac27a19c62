//! Refits the fitted values of a device preset, on the cells declared for that and no others.
//!
//! Models: a search over every combination of small grids.
//! Leaves out: values of any other kind, which are never touched; predicting, which is the caller's.
//! Units: those of the preset; errors in percent.
//! Sources: `docs/calibration.md` is the protocol.

use crate::device::{Device, Preset};

/// A value that may be fitted, and what it may be.
#[derive(Debug, Clone, Copy)]
pub struct Scalar {
    pub section: &'static str,
    pub field: &'static str,
    pub grid: &'static [f64],
    get: fn(&Device) -> f64,
    set: fn(&mut Device, f64),
}

const SCALARS: [Scalar; 3] = [
    Scalar {
        section: "host",
        field: "breeding_ns_per_node",
        grid: &[20.0, 40.0, 80.0, 140.0],
        get: |device| device.host.breeding_ns_per_node,
        set: |device, value| device.host.breeding_ns_per_node = value,
    },
    Scalar {
        section: "l2",
        field: "usable_fraction",
        grid: &[0.375, 0.5, 0.625, 0.75, 0.875, 1.0],
        get: |device| device.l2.usable_fraction,
        set: |device, value| device.l2.usable_fraction = value,
    },
    Scalar {
        section: "dram",
        field: "activation_interval_ns",
        grid: &[5.0, 5.5, 6.0, 6.5],
        get: |device| device.dram.activation_interval_ns,
        set: |device, value| device.dram.activation_interval_ns = value,
    },
];

/// One combination of values that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// In the order of the fitted values.
    pub values: Vec<f64>,
    pub error_percent: f64,
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Calibration {
    pub device: Device,
    pub start_error_percent: f64,
    pub error_percent: f64,
    /// Every point tried, in order.
    pub trials: Vec<Trial>,
}

impl Scalar {
    pub fn value(&self, device: &Device) -> f64 {
        (self.get)(device)
    }

    fn set(&self, device: &Device, value: f64) -> Device {
        let mut changed = device.clone();
        (self.set)(&mut changed, value);
        changed
    }
}

/// The values of `preset` that its file calls fitted and that a search knows.
pub fn fitted_scalars(preset: &Preset) -> Vec<Scalar> {
    let entries = preset.fitted();
    let is_fitted = |scalar: &Scalar| {
        let mut entries = entries.iter();
        entries.any(|entry| {
            (entry.section.as_str(), entry.field.as_str()) == (scalar.section, scalar.field)
        })
    };
    SCALARS.into_iter().filter(is_fitted).collect()
}

/// Tries every combination of the grids' values. Equal errors keep the earlier one, and the start before all.
pub fn search<E>(
    start: &Device,
    scalars: &[Scalar],
    mut error_percent: impl FnMut(&Device) -> Result<f64, E>,
) -> Result<Calibration, E> {
    let start_error_percent = error_percent(start)?;
    let mut found = Calibration {
        device: start.clone(),
        start_error_percent,
        error_percent: start_error_percent,
        trials: Vec::new(),
    };
    for values in combinations(scalars) {
        let pairs = scalars.iter().zip(&values);
        let device = pairs.fold(start.clone(), |device, (scalar, value)| {
            scalar.set(&device, *value)
        });
        let error_percent = error_percent(&device)?;
        if error_percent < found.error_percent {
            (found.device, found.error_percent) = (device, error_percent);
        }
        found.trials.push(Trial {
            values,
            error_percent,
        });
    }
    Ok(found)
}

/// Every combination of the grids' values, the last value moving fastest.
fn combinations(scalars: &[Scalar]) -> Vec<Vec<f64>> {
    let longer = |found: Vec<Vec<f64>>, scalar: &Scalar| {
        let with = |values: &Vec<f64>, value: &f64| [values.as_slice(), &[*value]].concat();
        let all = found.iter();
        all.flat_map(|values| scalar.grid.iter().map(move |value| with(values, value)))
            .collect()
    };
    scalars.iter().fold(vec![Vec::new()], longer)
}

/// The text of a preset with the values of `device` in place of its own; all else stays as it is.
pub fn with_values(text: &str, scalars: &[Scalar], device: &Device) -> String {
    let mut section = "";
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = name;
        }
        let scalar = scalars
            .iter()
            .find(|s| s.section == section && line.starts_with(&format!("{} =", s.field)));
        lines.push(match scalar {
            Some(scalar) => replace_value(line, scalar.field, scalar.value(device)),
            None => line.to_owned(),
        });
    }
    lines.join("\n") + "\n"
}

fn replace_value(line: &str, field: &str, value: f64) -> String {
    let rest = line.split_once(',').map_or("", |(_, rest)| rest);
    format!("{field} = {{ value = {value:?},{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preset() -> Preset {
        Preset::load("gtx670").unwrap()
    }

    /// Distance from three quarters of the L2, 6.5 ns, and 40 ns for breeding.
    fn bowl(device: &Device) -> Result<f64, ()> {
        let nanoseconds = device.dram.activation_interval_ns;
        Ok((device.l2.usable_fraction - 0.75).abs()
            + (nanoseconds - 6.5).abs()
            + (device.host.breeding_ns_per_node - 40.0).abs())
    }

    #[test]
    fn search_finds_the_least_error_and_leaves_other_values() {
        let preset = preset();
        let found = search(&preset.device, &fitted_scalars(&preset), bowl).unwrap();
        assert_eq!(found.error_percent, 0.0);
        assert_eq!(found.trials.len(), 4 * 6 * 4);
        let mut expected = preset.device.clone();
        expected.l2.usable_fraction = 0.75;
        expected.dram.activation_interval_ns = 6.5;
        expected.host.breeding_ns_per_node = 40.0;
        assert_eq!(found.device, expected);
    }

    #[test]
    fn only_values_called_fitted_are_searched() {
        let fields: Vec<&str> = fitted_scalars(&preset()).iter().map(|s| s.field).collect();
        let fitted = preset();
        let expected: Vec<&str> = fitted
            .fitted()
            .iter()
            .map(|entry| entry.field.as_str())
            .collect();
        assert_eq!(
            fields.len(),
            expected.len(),
            "every fitted value has a grid"
        );
        assert!(expected.iter().all(|field| fields.contains(field)));
    }

    #[test]
    fn a_written_preset_has_the_values_and_nothing_else_changed() {
        let text = include_str!("../../fixtures/devices/gtx670.toml");
        let preset = preset();
        let scalars = fitted_scalars(&preset);
        assert_eq!(with_values(text, &scalars, &preset.device), text);
        let found = search(&preset.device, &scalars, bowl).unwrap();
        let written = with_values(text, &scalars, &found.device);
        let read = Preset::from_toml(&written, "written").unwrap();
        assert_eq!(read.device, found.device);
        assert_eq!(read.fitted().len(), preset.fitted().len());
    }
}
