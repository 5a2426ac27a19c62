//! Relations between the values of a device file that single ranges cannot express.
//!
//! Leaves out: whether a value is true of the hardware. Units: as in `spec.rs`.

use super::quantity::FieldError;
use super::{Device, Replacement};

/// The first relation that does not hold, if any.
pub(super) fn check(device: &Device) -> Result<(), FieldError> {
    check_splits(device)?;
    check_lanes(device)?;
    check_rows(device)?;
    let levels = device.instruction_cache.cycles_per_instruction.len();
    if levels != 4 {
        return Err(FieldError {
            field: "instruction_cache.cycles_per_instruction".into(),
            given: format!("{levels} values"),
            allowed: "4 values (L1, L1.5, L2, DRAM)".into(),
        });
    }
    Ok(())
}

/// Rows are the L1's, and reserved ways leave one.
fn check_rows(device: &Device) -> Result<(), FieldError> {
    if device.l2.replacement == Replacement::Rows {
        return Err(FieldError {
            field: "l2.replacement".into(),
            given: "rows".into(),
            allowed: "lru or random: rows are of the L1".into(),
        });
    }
    let ways = device.l1.geometry.iter().map(|geometry| geometry.n_ways);
    match ways.min() {
        Some(ways) if device.l1.reserved_ways >= ways => Err(FieldError {
            field: "l1.reserved_ways".into(),
            given: device.l1.reserved_ways.to_string(),
            allowed: format!("fewer than the {ways} ways of l1.geometry"),
        }),
        _ => Ok(()),
    }
}

/// A warp is served at once, or a half-warp after the other.
fn check_lanes(device: &Device) -> Result<(), FieldError> {
    let fields = [
        ("shared.lanes_together", device.shared.lanes_together, 16),
        (
            "constant_cache.lanes_together",
            device.constant_cache.lanes_together,
            0,
        ),
    ];
    for (field, given, least) in fields {
        if ![least, 16, 32].contains(&given) {
            let allowed = if least == 0 {
                "0, 16 or 32"
            } else {
                "16 or 32"
            };
            return Err(FieldError {
                field: field.into(),
                given: given.to_string(),
                allowed: allowed.into(),
            });
        }
    }
    Ok(())
}

fn check_splits(device: &Device) -> Result<(), FieldError> {
    let l1 = &device.l1;
    if l1.splits.is_empty() {
        return Err(FieldError {
            field: "l1.splits".into(),
            given: "no split".into(),
            allowed: "at least one".into(),
        });
    }
    for split in &l1.splits {
        if device.l1_geometry(split.l1_bytes).is_none() {
            return Err(FieldError {
                field: "l1.geometry".into(),
                given: format!("no entry for an L1 of {} bytes", split.l1_bytes),
                allowed: "one entry for each L1 size of l1.splits".into(),
            });
        }
    }
    for geometry in &l1.geometry {
        let product =
            u64::from(geometry.n_sets) * u64::from(geometry.n_ways) * u64::from(l1.line_bytes);
        if product != u64::from(geometry.bytes) || !geometry.n_sets.is_power_of_two() {
            return Err(FieldError {
                field: "l1.geometry".into(),
                given: format!(
                    "{} sets x {} ways x {} bytes for {} bytes",
                    geometry.n_sets, geometry.n_ways, l1.line_bytes, geometry.bytes
                ),
                allowed: "sets x ways x line equal to the size, sets a power of two".into(),
            });
        }
    }
    Ok(())
}
