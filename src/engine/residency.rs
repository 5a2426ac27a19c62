//! How many blocks are resident on a device, and the L1 that is left beside their shared memory.
//!
//! Leaves out: how a block came by its needs. Units: bytes. Sources: `device::occupancy`.

use crate::device::Device;
use crate::device::occupancy::{BlockResources, Occupancy, OccupancyLimits};
use crate::predict::PredictError;

/// Residency of `block` of a kernel when an L1 of `l1_bytes` is asked for.
pub fn occupancy(
    device: &Device,
    kernel: &str,
    l1_bytes: u32,
    block: BlockResources,
) -> Result<Occupancy, PredictError> {
    let split = device.split_for_l1(l1_bytes);
    let split = split.ok_or_else(|| {
        let sizes = device.l1.splits.iter();
        let allowed: Vec<String> = sizes.map(|split| split.l1_bytes.to_string()).collect();
        PredictError::Input {
            what: "L1 bytes",
            given: l1_bytes.to_string(),
            allowed: allowed.join(", "),
        }
    })?;
    OccupancyLimits::of(device)
        .occupancy(block, split.shared_bytes)
        .map_err(|source| PredictError::Occupancy {
            kernel: kernel.to_owned(),
            source,
        })
}

/// The L1 that is left beside the shared memory in effect.
pub fn effective_l1_bytes(device: &Device, occupancy: &Occupancy) -> u32 {
    let mut splits = device.l1.splits.iter();
    let split = splits.find(|split| split.shared_bytes == occupancy.shared_config_bytes);
    split.map_or(0, |split| split.l1_bytes)
}
