//! Relations between the values of a device file that single ranges cannot express.
//!
//! Leaves out: whether a value is true of the hardware. Units: as in `spec.rs`.

use super::Device;
use super::quantity::FieldError;

/// The first relation that does not hold, if any.
pub(super) fn check(device: &Device) -> Result<(), FieldError> {
    let limits = &device.limits;
    equal(
        "limits.threads_per_smx",
        limits.threads_per_smx,
        limits.warps_per_smx * limits.warp_lanes,
        "warps_per_smx x warp_lanes",
    )?;
    check_splits(device)?;
    check_l2(device)?;
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

fn check_l2(device: &Device) -> Result<(), FieldError> {
    let l2 = &device.l2;
    let way_bytes = u64::from(l2.n_slices) * u64::from(l2.n_ways) * u64::from(l2.line_bytes);
    if !u64::from(l2.bytes).is_multiple_of(way_bytes) {
        return Err(FieldError {
            field: "l2.bytes".into(),
            given: l2.bytes.to_string(),
            allowed: format!("a multiple of slices x ways x line = {way_bytes}"),
        });
    }
    if !l2.line_bytes.is_multiple_of(l2.sector_bytes) {
        return Err(FieldError {
            field: "l2.sector_bytes".into(),
            given: l2.sector_bytes.to_string(),
            allowed: format!("a divisor of the line, {}", l2.line_bytes),
        });
    }
    Ok(())
}

fn equal(field: &str, given: u32, expected: u32, rule: &str) -> Result<(), FieldError> {
    if given == expected {
        return Ok(());
    }
    Err(FieldError {
        field: field.into(),
        given: given.to_string(),
        allowed: format!("{expected} ({rule})"),
    })
}
