//! Occupancy: the number of a kernel's blocks resident on one SMX, and the limiting resource.
//!
//! Models the allocation rules of compute capability 1.x, 3.0 and 7.5 to 9.0, granularities included.
//! Leaves out: dynamic limits set by the driver.
//! Units: registers, bytes, warps, blocks per SMX.
//! Source: NVIDIA's `cuda_occupancy.h` 11.8; all rows of `fixtures/devices/occupancy_vectors*.csv` are tested.

use super::Device;
use super::policy::RegisterAllocation;
use crate::util::names::named;
use serde::Serialize;

/// Resources of one block of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BlockResources {
    /// Threads in a block.
    #[serde(rename = "threads")]
    pub threads_per_block: u32,
    /// 32-bit registers of a thread.
    pub registers_per_thread: u32,
    /// Shared memory of a block, the program included.
    pub shared_bytes_per_block: u32,
}

/// The limits and granularities that decide occupancy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(hidden)]
pub struct OccupancyLimits {
    pub warp_lanes: u32,
    pub threads_per_block: u32,
    pub warps_per_smx: u32,
    pub blocks_per_smx: u32,
    pub registers_per_smx: u32,
    pub registers_per_thread: u32,
    /// Unit of register allocation: warp or block.
    pub register_allocation: RegisterAllocation,
    pub register_unit: u32,
    pub n_register_partitions: u32,
    pub warp_granularity: u32,
    pub shared_bytes_per_block: u32,
    pub shared_unit_bytes: u32,
    pub shared_reserved_bytes_per_block: u32,
    /// Sizes that the shared memory can be set to, ascending.
    pub shared_sizes_bytes: Vec<u32>,
}

named! {
    /// The resource that keeps another block from being resident.
    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Limiter ("limit") {
        /// Warps, that is threads.
        Warps = "warps",
        /// The register file.
        Registers = "registers",
        /// Shared memory.
        SharedMemory = "shared memory",
        /// The number of blocks itself.
        Blocks = "blocks",
    }
}

/// Residency of a kernel on one SMX.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Occupancy {
    /// Resident blocks.
    pub blocks: u32,
    /// Warps of a block.
    pub warps_per_block: u32,
    /// Resident warps.
    pub warps: u32,
    /// Resident warps over the most that an SMX can hold.
    pub fraction: f64,
    /// All limits that are equal to `blocks`.
    pub limiters: Vec<Limiter>,
    /// Blocks that each resource would allow; shared memory: `None` when the kernel uses none.
    pub blocks_by_warps: u32,
    /// Blocks that the register file has room for.
    pub blocks_by_registers: u32,
    /// Blocks that shared memory has room for; `None`: any number.
    pub blocks_by_shared: Option<u32>,
    /// The shared memory that was configured: more than preferred if a block needs more.
    pub shared_config_bytes: u32,
    /// Allocated to one block, granularity included.
    pub allocated_registers_per_block: u32,
    /// Shared memory of a block as it is allocated.
    pub allocated_shared_bytes_per_block: u32,
}

impl Occupancy {
    /// Returns the occupancy with all warp slots taken.
    #[doc(hidden)]
    pub fn filled(self) -> Self {
        let blocks = self.blocks_by_warps;
        Occupancy {
            blocks,
            warps: blocks * self.warps_per_block,
            fraction: self.fraction * f64::from(blocks) / f64::from(self.blocks),
            limiters: vec![Limiter::Warps],
            ..self
        }
    }
}

/// A block that cannot be resident.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OccupancyError {
    /// Threads in a block.
    #[error("threads per block: given {given}; allowed: 1 to {most}")]
    Threads {
        /// Threads per block requested.
        given: u32,
        /// Upper limit.
        most: u32,
    },
    /// Registers of a thread.
    #[error("registers per thread: given {given}; allowed: 1 to {most}")]
    RegistersPerThread {
        /// Registers per thread requested.
        given: u32,
        /// Upper limit.
        most: u32,
    },
    /// Registers of a block.
    #[error("registers of one block: given {given} ({warps} warps); allowed: at most {most}")]
    RegistersPerBlock {
        /// Registers the block needs.
        given: u32,
        /// Warps of the block.
        warps: u32,
        /// Upper limit.
        most: u32,
    },
    /// Shared memory of a block, bytes.
    #[error("shared memory of one block: given {given} bytes; allowed: at most {most} bytes")]
    Shared {
        /// Bytes the block needs.
        given: u32,
        /// Upper limit.
        most: u32,
    },
    /// A size that the shared memory cannot be set to, bytes.
    #[error("preferred shared memory: given {given} bytes; allowed: {allowed:?} bytes")]
    Preference {
        /// Bytes requested.
        given: u32,
        /// Sizes that are allowed, in bytes.
        allowed: Vec<u32>,
    },
}

impl OccupancyLimits {
    /// The limits of a device.
    pub fn of(device: &Device) -> OccupancyLimits {
        let limits = &device.limits;
        let mut shared_sizes_bytes: Vec<u32> = device
            .l1
            .splits
            .iter()
            .map(|split| split.shared_bytes)
            .collect();
        shared_sizes_bytes.sort_unstable();
        OccupancyLimits {
            warp_lanes: limits.warp_lanes,
            threads_per_block: limits.threads_per_block,
            warps_per_smx: limits.warps_per_smx,
            blocks_per_smx: limits.blocks_per_smx,
            registers_per_smx: limits.registers_per_smx,
            registers_per_thread: limits.registers_per_thread,
            register_allocation: limits.register_allocation,
            register_unit: limits.register_unit,
            n_register_partitions: limits.n_register_partitions,
            warp_granularity: limits.warp_granularity,
            shared_bytes_per_block: limits.shared_bytes_per_block,
            shared_unit_bytes: limits.shared_unit_bytes,
            shared_reserved_bytes_per_block: limits.shared_reserved_bytes_per_block,
            shared_sizes_bytes,
        }
    }

    /// Residency of `block` when `preferred_shared_bytes` of shared memory are asked for.
    pub fn occupancy(
        &self,
        block: BlockResources,
        preferred_shared_bytes: u32,
    ) -> Result<Occupancy, OccupancyError> {
        self.check_block(block)?;
        let warps_per_block = block.threads_per_block.div_ceil(self.warp_lanes);
        let (registers, blocks_by_registers) =
            self.registers(block.registers_per_thread, warps_per_block)?;

        let allocated_shared = (block.shared_bytes_per_block
            + self.shared_reserved_bytes_per_block)
            .next_multiple_of(self.shared_unit_bytes);
        let shared_config_bytes = self.shared_config(allocated_shared, preferred_shared_bytes)?;
        let blocks_by_shared = shared_config_bytes.checked_div(allocated_shared);

        let blocks_by_warps = self.warps_per_smx / warps_per_block;
        let blocks = blocks_by_warps
            .min(blocks_by_registers)
            .min(self.blocks_per_smx)
            .min(blocks_by_shared.unwrap_or(u32::MAX));
        let limits = [
            (Limiter::Warps, Some(blocks_by_warps)),
            (Limiter::Registers, Some(blocks_by_registers)),
            (Limiter::SharedMemory, blocks_by_shared),
            (Limiter::Blocks, Some(self.blocks_per_smx)),
        ];
        let limiters = limits
            .into_iter()
            .filter(|(_, limit)| *limit == Some(blocks))
            .map(|(limiter, _)| limiter)
            .collect();
        let warps = blocks * warps_per_block;
        Ok(Occupancy {
            blocks,
            warps_per_block,
            warps,
            fraction: f64::from(warps) / f64::from(self.warps_per_smx),
            limiters,
            blocks_by_warps,
            blocks_by_registers,
            blocks_by_shared,
            shared_config_bytes,
            allocated_registers_per_block: registers,
            allocated_shared_bytes_per_block: allocated_shared,
        })
    }

    /// Shared memory size that a preferred carve-out of `percent` gives blocks of `shared_bytes_per_block`. The percentage limits
    /// the blocks' own use; the system's reserve for each block is added.
    pub fn carve_out(&self, percent: u32, shared_bytes_per_block: u32) -> u32 {
        let largest = self.shared_sizes_bytes.last().copied().unwrap_or(0);
        let used = shared_bytes_per_block.next_multiple_of(self.shared_unit_bytes);
        let usable = u64::from(largest) * u64::from(percent) / 100;
        let wanted = match self.shared_reserved_bytes_per_block {
            0 => usable,
            reserved => {
                let blocks = usable / u64::from(used.max(self.shared_unit_bytes));
                blocks * u64::from(used + reserved)
            }
        };
        let mut sizes = self.shared_sizes_bytes.iter().copied();
        sizes
            .find(|&size| u64::from(size) >= wanted)
            .unwrap_or(largest)
    }

    /// Refuses a block that no multiprocessor can hold.
    pub fn check_block(&self, block: BlockResources) -> Result<(), OccupancyError> {
        let most = self.threads_per_block;
        let most = most.min(self.warps_per_smx * self.warp_lanes);
        if !(1..=most).contains(&block.threads_per_block) {
            return Err(OccupancyError::Threads {
                given: block.threads_per_block,
                most,
            });
        }
        let most = self.registers_per_thread;
        if !(1..=most).contains(&block.registers_per_thread) {
            return Err(OccupancyError::RegistersPerThread {
                given: block.registers_per_thread,
                most,
            });
        }
        let most = self.shared_bytes_per_block;
        if block.shared_bytes_per_block > most {
            return Err(OccupancyError::Shared {
                given: block.shared_bytes_per_block,
                most,
            });
        }
        Ok(())
    }

    /// Registers that a block gets, and how many blocks they let be resident.
    fn registers(&self, per_thread: u32, warps: u32) -> Result<(u32, u32), OccupancyError> {
        let rounded_warps = warps.next_multiple_of(self.warp_granularity);
        let of_warp = per_thread * self.warp_lanes;
        let per_warp = of_warp.next_multiple_of(self.register_unit);
        let per_block = match self.register_allocation {
            RegisterAllocation::Warp => per_warp * rounded_warps,
            RegisterAllocation::Block => {
                (of_warp * rounded_warps).next_multiple_of(self.register_unit)
            }
        };
        let too_many = |most| OccupancyError::RegistersPerBlock {
            given: per_block,
            warps,
            most,
        };
        if per_block > self.registers_per_smx {
            return Err(too_many(self.registers_per_smx));
        }
        let (allocated, blocks, most) = match self.register_allocation {
            // They lie in partitions, and a warp's registers in one of them.
            RegisterAllocation::Warp => {
                let partitions = self.n_register_partitions;
                let per_partition = self.registers_per_smx / partitions / per_warp;
                let places = per_partition * partitions;
                (per_warp * warps, places / warps, places * per_warp)
            }
            RegisterAllocation::Block => {
                let most = self.registers_per_smx;
                (per_block, most / per_block, most)
            }
        };
        match blocks {
            0 => Err(too_many(most)),
            blocks => Ok((allocated, blocks)),
        }
    }

    /// The preferred size, or if a block needs more the smallest size that holds it
    /// (compute capability 3.0: the largest size at once).
    fn shared_config(&self, needed: u32, preferred: u32) -> Result<u32, OccupancyError> {
        let sizes = &self.shared_sizes_bytes;
        if !sizes.contains(&preferred) {
            return Err(OccupancyError::Preference {
                given: preferred,
                allowed: sizes.clone(),
            });
        }
        if needed <= preferred {
            return Ok(preferred);
        }
        let largest = sizes.last().copied().unwrap_or(0);
        let grown = if self.shared_reserved_bytes_per_block == 0 {
            Some(largest)
        } else {
            sizes.iter().copied().find(|size| *size >= needed)
        };
        grown
            .filter(|size| *size >= needed)
            .ok_or(OccupancyError::Shared {
                given: needed,
                most: largest,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    /// Carve-out for 60 percent of 64 KiB, 39,321 bytes, is the larger one: the smaller has 32 KiB. With 1 KiB reserved per
    /// block, the carve-out holds as many whole blocks as fit the percentage, here one.
    #[test]
    fn a_carve_out_is_the_least_that_has_so_many_percent() {
        let mut limits = OccupancyLimits::of(&Preset::load("t4").unwrap().device);
        assert_eq!(limits.shared_sizes_bytes, [32768, 65536]);
        assert_eq!(limits.carve_out(60, 20_000), 65536);
        assert_eq!(limits.carve_out(50, 20_000), 32768);
        assert_eq!(limits.carve_out(0, 20_000), 32768);
        assert_eq!(limits.carve_out(100, 20_000), 65536);
        limits.shared_reserved_bytes_per_block = 1024;
        assert_eq!(
            limits.carve_out(60, 20_000),
            32768,
            "one block of 20,224 and 1024 bytes"
        );
        assert_eq!(limits.carve_out(100, 20_000), 65536);
    }
}
