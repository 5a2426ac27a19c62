//! A device with an L1 of any size.
//!
//! Finds sets and ways for a size that the preset does not have, and replaces the preset's cache.
//! Leaves out: other changes to the chip that another L1 would bring. Units: bytes, KiB in messages.

use super::StudyError;
use crate::device::{CacheGeometry, Device, OnChipSplit};

/// Ways of a size that the preset does not know, where the number of sets differs from size to size.
const WAYS: [u32; 4] = [4, 5, 6, 7];
/// The largest L1 that is asked for.
const MAX_L1_BYTES: u32 = 1 << 20;

/// The device with an L1 of `bytes`. A size that it has keeps its shared memory and geometry; any other gets the
/// largest shared memory beside it, and the geometry that `l1_geometry` finds.
pub fn with_l1(device: &Device, bytes: u32) -> Result<Device, StudyError> {
    let mut changed = device.clone();
    if device.split_for_l1(bytes).is_some() {
        return Ok(changed);
    }
    let geometry = l1_geometry(device, bytes).ok_or_else(|| {
        let line = device.l1.line_bytes;
        let allowed = match common_sets(device) {
            Some(sets) => format!("multiples of {} bytes, up to 1024 KiB", sets * line),
            None => {
                format!("4, 5, 6 or 7 times {line} bytes times a power of two, up to 1024 KiB")
            }
        };
        let kib = f64::from(bytes) / 1024.0;
        StudyError::input("l1 (KiB)", kib.to_string(), allowed)
    })?;
    let shared = device.l1.splits.iter().map(|split| split.shared_bytes);
    changed.l1.splits = vec![OnChipSplit {
        shared_bytes: shared.max().unwrap_or(0),
        l1_bytes: bytes,
    }];
    changed.l1.geometry = vec![geometry];
    Ok(changed)
}

/// Sets and ways of an L1 of any size: the device's number of sets where all its sizes share one, else the first number of
/// sets that is a power of two with four to seven ways.
fn l1_geometry(device: &Device, bytes: u32) -> Option<CacheGeometry> {
    let line_bytes = device.l1.line_bytes;
    let mut candidates = match common_sets(device) {
        Some(sets) => vec![bytes / (sets * line_bytes)],
        None => WAYS.to_vec(),
    };
    candidates.retain(|ways| {
        let way_bytes = ways * line_bytes;
        way_bytes > 0 && bytes.is_multiple_of(way_bytes) && (bytes / way_bytes).is_power_of_two()
    });
    let n_ways = *candidates.first().filter(|_| bytes <= MAX_L1_BYTES)?;
    Some(CacheGeometry {
        bytes,
        n_sets: bytes / (n_ways * line_bytes),
        n_ways,
    })
}

/// The number of sets of every L1 that the device has, where it is the same for several.
fn common_sets(device: &Device) -> Option<u32> {
    let (first, others) = device.l1.geometry.split_first()?;
    let alike = others
        .iter()
        .all(|geometry| geometry.n_sets == first.n_sets);
    (alike && !others.is_empty()).then_some(first.n_sets)
}

#[cfg(test)]
mod tests {
    use super::super::Base;
    use super::*;

    #[test]
    fn any_l1_has_whole_sets() {
        let device = Base::gtx670().unwrap().device;
        for bytes in [1024, 4096, 49152, 65536, 98304, 1 << 20] {
            let geometry = with_l1(&device, bytes).unwrap().l1_geometry(bytes).unwrap();
            assert_eq!(geometry.n_sets * geometry.n_ways * 128, bytes);
        }
        assert!(with_l1(&device, 5000).is_err());
        let hopper = Base::load("h200").unwrap().device;
        let geometry = l1_geometry(&hopper, 65536).unwrap();
        assert_eq!((geometry.n_sets, geometry.n_ways), (4, 128));
        assert!(with_l1(&hopper, 1000).is_err());
        assert!(with_l1(&device, 1 << 21).is_err());
    }
}
