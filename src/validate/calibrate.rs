//! Refits the fitted values of a device preset, on the cells declared for that and no others.
//!
//! Models: a search over small grids, one value after the other, round by round until a round changes nothing.
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

const SCALARS: [Scalar; 4] = [
    Scalar {
        section: "issue",
        field: "branch_issue_slots",
        grid: &[1.0, 2.0, 3.0],
        get: |device| f64::from(device.issue.branch_issue_slots),
        set: |device, value| device.issue.branch_issue_slots = value as u32,
    },
    Scalar {
        section: "load_store",
        field: "store_bytes_per_cycle",
        grid: &[32.0, 64.0, 128.0],
        get: |device| f64::from(device.load_store.store_bytes_per_cycle),
        set: |device, value| device.load_store.store_bytes_per_cycle = value as u32,
    },
    Scalar {
        section: "l2",
        field: "usable_fraction",
        grid: &[0.5, 0.625, 0.75, 0.875, 1.0],
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

/// Rounds after which the search ends even if values still move.
const MAX_ROUNDS: usize = 4;

/// One point that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    pub round: usize,
    pub field: &'static str,
    pub value: f64,
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
        entries.any(|entry| (entry.section, entry.field) == (scalar.section, scalar.field))
    };
    SCALARS.into_iter().filter(is_fitted).collect()
}

/// Searches from the values of `start`. A value moves only to one that is better, so equal errors keep it.
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
    for round in 1..=MAX_ROUNDS {
        let before = found.error_percent;
        for scalar in scalars {
            try_grid(&mut found, scalar, round, &mut error_percent)?;
        }
        if found.error_percent == before {
            break;
        }
    }
    Ok(found)
}

fn try_grid<E>(
    found: &mut Calibration,
    scalar: &Scalar,
    round: usize,
    error_percent: &mut impl FnMut(&Device) -> Result<f64, E>,
) -> Result<(), E> {
    let held = scalar.value(&found.device);
    for &value in scalar.grid.iter().filter(|value| **value != held) {
        let device = scalar.set(&found.device, value);
        let error = error_percent(&device)?;
        found.trials.push(Trial {
            round,
            field: scalar.field,
            value,
            error_percent: error,
        });
        if error < found.error_percent {
            (found.device, found.error_percent) = (device, error);
        }
    }
    Ok(())
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
    format!("{field} = {{ value = {value},{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preset() -> Preset {
        Preset::load("gtx670").unwrap()
    }

    /// Distance from 3 slots.
    fn bowl(device: &Device) -> Result<f64, ()> {
        Ok((f64::from(device.issue.branch_issue_slots) - 3.0).abs())
    }

    #[test]
    fn search_finds_the_least_error_and_leaves_other_values() {
        let preset = preset();
        let found = search(&preset.device, &fitted_scalars(&preset), bowl).unwrap();
        assert_eq!(found.error_percent, 0.0);
        assert_eq!(found.device.issue.branch_issue_slots, 3);
        let mut expected = preset.device.clone();
        expected.issue.branch_issue_slots = 3;
        assert_eq!(found.device, expected);
    }

    #[test]
    fn only_values_called_fitted_are_searched() {
        let fields: Vec<&str> = fitted_scalars(&preset()).iter().map(|s| s.field).collect();
        let fitted = preset();
        let expected: Vec<&str> = fitted.fitted().iter().map(|entry| entry.field).collect();
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
