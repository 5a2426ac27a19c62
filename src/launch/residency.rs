//! Residency of blocks on a device, and the L1 that remains beside their shared memory.
//!
//! Leaves out: the origin of a block's resources. Units: bytes. Sources: `device::occupancy`.

use crate::device::Device;
use crate::device::ideal::Ideal;
use crate::device::occupancy::{BlockResources, Occupancy, OccupancyError, OccupancyLimits};
use crate::launch::prediction::PredictError;

/// Division of the on-chip memory between L1 and shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CarveOut {
    /// An L1 of this size; a block that needs more shared memory gets less.
    L1Bytes(u32),
    /// Shared memory of this size, for all blocks of a multiprocessor together.
    SharedBytes(u32),
    /// The device's default, of some devices the least shared memory that limits no block.
    Default,
}

impl CarveOut {
    /// An L1 of this size; the default for `None`.
    pub fn of(l1_bytes: Option<u32>) -> CarveOut {
        l1_bytes.map_or(CarveOut::Default, CarveOut::L1Bytes)
    }
}

/// Residency of `block` of a kernel, and the bytes of the L1 in effect.
pub fn reside(
    device: &Device,
    kernel: &str,
    carve_out: CarveOut,
    block: BlockResources,
) -> Result<(Occupancy, u32), PredictError> {
    let limits = OccupancyLimits::of(device);
    let refused = |source| PredictError::Occupancy {
        kernel: kernel.to_owned(),
        source,
    };
    let shared_bytes = match carve_out {
        CarveOut::L1Bytes(bytes) => shared_beside(device, bytes)?,
        CarveOut::SharedBytes(bytes) => bytes,
        CarveOut::Default => match device.default_l1_bytes() {
            Some(bytes) => shared_beside(device, bytes)?,
            None => least_shared(&limits, block).map_err(refused)?,
        },
    };
    let mut occupancy = limits.occupancy(block, shared_bytes).map_err(refused)?;
    let mut splits = device.l1.splits.iter();
    let split = splits.find(|split| split.shared_bytes == occupancy.shared_config_bytes);
    if device.ideals.has(Ideal::Occupancy) {
        occupancy = occupancy.filled();
    }
    Ok((occupancy, split.map_or(0, |split| split.l1_bytes)))
}

/// Bytes of an L1 of `l1_kib` KiB, or `None` without a request; refuses sizes that the device lacks.
pub fn l1_bytes(device: &Device, l1_kib: Option<u32>) -> Result<Option<u32>, PredictError> {
    let Some(kib) = l1_kib else {
        return Ok(None);
    };
    let sizes = || device.l1.splits.iter().map(|split| split.l1_bytes);
    let found = sizes().find(|bytes| bytes / 1024 == kib);
    found.map(Some).ok_or_else(|| {
        let allowed: Vec<String> = sizes().map(|bytes| (bytes / 1024).to_string()).collect();
        PredictError::refused(
            "L1 size",
            format!("{kib} KiB"),
            format!("{} KiB ({})", allowed.join(", "), device.name),
        )
    })
}

/// Shared memory beside an L1 of this size.
fn shared_beside(device: &Device, l1_bytes: u32) -> Result<u32, PredictError> {
    let split = device.split_for_l1(l1_bytes);
    let split = split.ok_or_else(|| {
        let sizes = device.l1.splits.iter();
        let allowed: Vec<String> = sizes.map(|split| split.l1_bytes.to_string()).collect();
        PredictError::refused("L1 bytes", l1_bytes, allowed.join(", "))
    })?;
    Ok(split.shared_bytes)
}

/// The smallest size with which as many blocks are resident as with the largest.
fn least_shared(limits: &OccupancyLimits, block: BlockResources) -> Result<u32, OccupancyError> {
    let sizes = &limits.shared_sizes_bytes;
    let largest = sizes.last().copied().unwrap_or(0);
    let most = limits.occupancy(block, largest)?.blocks;
    let enough = |size: &u32| {
        let found = limits.occupancy(block, *size);
        found.is_ok_and(|found| found.blocks == most && found.shared_config_bytes == *size)
    };
    Ok(sizes.iter().copied().find(enough).unwrap_or(largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_shared_memory_still_holds_every_block() {
        let device = crate::device::Preset::load("h200").unwrap().device;
        let limits = OccupancyLimits::of(&device);
        let block = |shared_bytes_per_block| BlockResources {
            threads_per_block: 256,
            registers_per_thread: 32,
            shared_bytes_per_block,
        };
        // Eight blocks of 256 threads; each has 1 KiB of the system besides.
        assert_eq!(least_shared(&limits, block(1024)).unwrap(), 16 << 10);
        assert_eq!(least_shared(&limits, block(3 << 10)).unwrap(), 32 << 10);
        assert_eq!(least_shared(&limits, block(11 << 10)).unwrap(), 100 << 10);
    }
}
