//! Refits the unknown values of a device preset on half of a user's own measurements.
//!
//! Models: a search over small grids, one value after the other.
//! Leaves out: values of any other kind, which are never touched; predicting, which is the caller's.
//! Units: those of the preset; errors in percent.
//! Sources: `docs/how-to/check-a-measurement.md`, section 3.

use crate::device::{Device, Kind, Reader};
use crate::study::sensitivity::sensitivities;
use crate::study::{Base, Key, StudyError};

/// A value that is refitted, and what it may be.
#[derive(Debug, Clone)]
pub struct Scalar {
    pub key: Key,
    /// As the preset has it.
    pub start: f64,
    /// As the preset has it.
    pub kind: Kind,
}

/// Fields that may be refitted from measurements where a preset lacks them: times and rates that no document gives. A chip's
/// resources, sizes, limits and policies are looked up instead.
const UNKNOWN: [&str; 20] = [
    "chip.grid_cycles",
    "chip.block_cycles",
    "latency.sfu_cycles",
    "latency.convert_cycles",
    "latency.special_register_cycles",
    "latency.taken_branch_cycles",
    "load_store.queue_cycles",
    "shared.latency_cycles",
    "l1.hit_latency_cycles",
    "l2.usable_fraction",
    "l2.hit_latency_cycles",
    "l2.port_efficiency",
    "l2.request_bytes",
    "l2.write_bytes_per_cycle",
    "l2.ingest_bytes_per_cycle",
    "dram.efficiency",
    "dram.latency_cycles",
    "dram.activation_interval_ns",
    "instruction_cache.l15_latency_cycles",
    "constant_cache.l1_latency_cycles",
];

/// The most values that are refitted from measurements, and the rows that each of them takes.
const MOST_VALUES: usize = 4;
pub const ROWS_PER_VALUE: usize = 4;
/// Multiples of a value that are tried in the first round, and then of what was found.
const FACTORS: [&[f64]; 2] = [
    &[0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0],
    &[0.85, 0.93, 1.0, 1.08, 1.15],
];

/// Result of a search.
#[derive(Debug, Clone)]
pub struct Calibration {
    pub device: Device,
    /// In the order of the values.
    pub values: Vec<f64>,
    pub error_percent: f64,
}

/// Returns the preset's unknown values that `engine` reads, those first to which `time`, from the analytical model, is most
/// sensitive; `n_rows` limits how many.
pub fn unknown_scalars<E: Send>(
    base: &Base,
    engine: Reader,
    n_rows: usize,
    time: impl Fn(&Device) -> Result<f64, E> + Sync,
) -> Result<Vec<Scalar>, E> {
    let time = |device: &Device| Ok(vec![Some(time(device)?)]);
    let found = sensitivities(base, Reader::Model, is_unknown, time)?;
    let read = found
        .into_iter()
        .filter(|one| base.check_read(&one.key, engine, &[]).is_ok());
    let scalars = read.map(|one| Scalar {
        key: one.key,
        start: one.value,
        kind: one.kind,
    });
    Ok(scalars
        .take(MOST_VALUES.min(n_rows / ROWS_PER_VALUE))
        .collect())
}

fn is_unknown(key: &Key, kind: Kind) -> bool {
    matches!(kind, Kind::Assumed | Kind::Fitted) && UNKNOWN.contains(&key.name().as_str())
}

/// Multiples of a value that a device can have.
fn grid(base: &Base, key: &Key, value: f64, factors: &[f64]) -> Vec<f64> {
    let rounded = |value: f64| match base.is_whole(key) {
        true => value.round(),
        // Three digits: more would fit the noise.
        false => (value * 1000.0).round() / 1000.0,
    };
    let mut values: Vec<f64> = factors
        .iter()
        .map(|factor| rounded(value * factor))
        .collect();
    values.dedup();
    values.retain(|value| base.device(&[(key, &value.to_string())]).is_ok());
    values
}

fn device(base: &Base, scalars: &[Scalar], values: &[f64]) -> Result<Device, StudyError> {
    let texts: Vec<String> = values.iter().map(f64::to_string).collect();
    let keys = scalars.iter().map(|scalar| &scalar.key);
    let changes: Vec<(&Key, &str)> = keys.zip(texts.iter().map(String::as_str)).collect();
    base.device(&changes)
}

/// Tries the values of one grid after the other, the others as found so far; then again around what was found. Equal errors keep
/// the earlier values, and the start before all.
pub fn search_in_turn<E: From<StudyError>>(
    base: &Base,
    scalars: &[Scalar],
    mut error_percent: impl FnMut(&Device) -> Result<f64, E>,
) -> Result<Calibration, E> {
    let mut found = Calibration {
        device: base.device.clone(),
        values: scalars.iter().map(|scalar| scalar.start).collect(),
        error_percent: error_percent(&base.device)?,
    };
    for factors in FACTORS {
        for (place, scalar) in scalars.iter().enumerate() {
            for value in grid(base, &scalar.key, found.values[place], factors) {
                let mut values = found.values.clone();
                values[place] = value;
                if values == found.values {
                    continue;
                }
                let device = device(base, scalars, &values)?;
                let error_percent = error_percent(&device)?;
                if error_percent < found.error_percent {
                    found = Calibration {
                        device,
                        values,
                        error_percent,
                    };
                }
            }
        }
    }
    Ok(found)
}

/// The text of a preset with `values` in place of its own; all else stays as it is. A value that changed is of the kind `fitted` and
/// has the new `source`.
pub fn with_values(text: &str, scalars: &[Scalar], values: &[f64], source: &str) -> String {
    let mut section = "";
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = name;
        }
        let field = line.split_once(" =").map_or("", |(field, _)| field);
        let key = Key::Field(section.into(), field.into());
        let found = scalars.iter().zip(values).find(|(one, _)| one.key == key);
        lines.push(match found {
            Some((one, value)) => replaced(line, field, one, *value, source),
            None => line.to_owned(),
        });
    }
    lines.join("\n") + "\n"
}

fn replaced(line: &str, field: &str, scalar: &Scalar, value: f64, source: &str) -> String {
    let rest = line.split_once(',').map_or("", |(_, rest)| rest);
    let Some((unit, _)) = rest.split_once("kind =") else {
        return line.to_owned();
    };
    if value == scalar.start {
        return line.to_owned();
    }
    // As the file writes it: a number of either type keeps its type.
    let is_whole = !line.split(',').next().unwrap_or("").contains('.');
    let shown = match is_whole {
        true => value.to_string(),
        false => format!("{value:?}"),
    };
    let (was, kind) = (scalar.start, scalar.kind.name());
    let source = source.replace(['"', '\\'], "'");
    format!(
        "{field} = {{ value = {shown},{unit}kind = \"fitted\", source = \"{source}; before: {was} ({kind})\" }}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    /// Distance from what a card like the T4 might have.
    fn slower(device: &Device) -> Result<f64, StudyError> {
        Ok(10.0 * (device.l2.port_efficiency - 0.4).abs()
            + (device.latency.taken_branch_cycles as f64 - 9.0).abs()
            + (device.chip.clock_mhz - 1590.0).abs())
    }

    #[test]
    fn unknown_values_are_found_one_after_the_other_and_documented_ones_never_change() {
        let base = Base::load("t4").unwrap();
        let scalars = unknown_scalars(&base, Reader::Sim, 40, slower).unwrap();
        let names: Vec<String> = scalars.iter().map(|one| one.key.name()).collect();
        assert_eq!(names, ["latency.taken_branch_cycles", "l2.port_efficiency"]);
        assert!(
            unknown_scalars(&base, Reader::Sim, 3, slower)
                .unwrap()
                .is_empty()
        );
        let found = search_in_turn(&base, &scalars, slower).unwrap();
        assert!(found.error_percent < 0.3, "{found:?}");
        assert_eq!(found.device.latency.taken_branch_cycles, 9);
        let text = Preset::text("t4").unwrap();
        let starts: Vec<f64> = scalars.iter().map(|scalar| scalar.start).collect();
        assert_eq!(with_values(&text, &scalars, &starts, "none"), text);
        let written = with_values(&text, &scalars, &found.values, "4 rows of \"my\".csv");
        let read = Preset::from_toml(&written, "written").unwrap();
        assert_eq!(read.device, found.device);
        let fitted: Vec<String> = read
            .fitted()
            .iter()
            .map(|entry| entry.source.clone())
            .collect();
        assert_eq!(fitted[0], "4 rows of 'my'.csv; before: 12 (assumed)");
        assert_eq!(fitted.len(), 2);
    }
}
