//! Placement of a launch's blocks: the multiprocessor they run on, and the number of resident blocks.
//!
//! Leaves out: what the blocks execute. Units: in the names.

use super::geometry::Geometry;
use super::residency::{CarveOut, reside};
use super::spec::SmxSpec;
use crate::device::Device;
use crate::device::ideal::Ideals;
use crate::device::occupancy::{BlockResources, Occupancy};
use crate::isa::Kernel;
use crate::launch::prediction::PredictError;

/// The place of a launch on a device.
#[derive(Debug, Clone)]
pub struct Placement {
    /// The resources of a block; the median over several launches.
    pub block: BlockResources,
    pub occupancy: Occupancy,
    /// The L1 in effect.
    pub l1_bytes: u32,
    pub spec: SmxSpec,
    /// Resident blocks are those of a multiprocessor as full as the launch keeps it.
    pub geometry: Geometry,
    pub clock_mhz: f64,
    /// The idealized parts of the machine.
    pub ideals: Ideals,
}

/// Blocks that each run several programs.
#[derive(Debug, Clone, Copy)]
pub struct DivergentGrid<'a> {
    /// The kernel's name in messages.
    pub name: &'a str,
    pub kernel: &'a Kernel,
    pub threads_per_block: u32,
    pub shared_bytes: u32,
    pub blocks: u32,
    /// The bytes that the grid reads from global memory.
    pub data_bytes: u64,
    pub carve_out: CarveOut,
}

impl Placement {
    /// Places a launch on a device, with as many resident blocks as `reside` found.
    pub fn new(
        device: &Device,
        block: BlockResources,
        (occupancy, l1_bytes): (Occupancy, u32),
        geometry: Geometry,
    ) -> Result<Placement, PredictError> {
        let spec = SmxSpec::new(device, l1_bytes).map_err(PredictError::other)?;
        Ok(Placement {
            block,
            occupancy,
            l1_bytes,
            spec: spec.at_work(&geometry),
            geometry,
            clock_mhz: device.chip.clock_mhz,
            ideals: device.ideals,
        })
    }

    /// Places blocks that each run several programs on a device.
    pub fn of_divergent(device: &Device, grid: DivergentGrid) -> Result<Placement, PredictError> {
        let block = BlockResources {
            threads_per_block: grid.threads_per_block,
            registers_per_thread: grid.kernel.registers,
            shared_bytes_per_block: grid.shared_bytes,
        };
        let resident = reside(device, grid.name, grid.carve_out, block)?;
        let l2_bytes = f64::from(device.l2.bytes) * device.l2.usable_fraction;
        let geometry = Geometry {
            threads_per_block: grid.threads_per_block,
            stack_dim: 1,
            // A warp's whole path counts as one iteration.
            fitness_cases: grid.threads_per_block,
            programs: grid.blocks,
            case_blocks: 1,
            resident_blocks: resident.0.blocks,
            n_smx: device.chip.n_smx,
            local_stride_bytes: device.local_stride_bytes(grid.kernel.frame_bytes),
        };
        let mut placement = Placement::new(device, block, resident, geometry)?;
        placement.spec.l2_holds_data = device.l2.is_present && grid.data_bytes as f64 <= l2_bytes;
        Ok(placement)
    }

    pub fn clock_hz(&self) -> f64 {
        self.clock_mhz * 1e6
    }

    pub fn n_smx(&self) -> usize {
        self.geometry.n_smx as usize
    }

    /// Returns the time of a launch whose blocks take this many cycles.
    pub fn milliseconds(&self, cycles: f64) -> f64 {
        (cycles + f64::from(self.spec.device.chip.grid_cycles)) / self.clock_mhz / 1e3
    }

    /// Returns how often the grid fills the block slots of all multiprocessors.
    pub(crate) fn waves(&self) -> f64 {
        let Geometry {
            programs: blocks,
            resident_blocks,
            n_smx,
            ..
        } = self.geometry;
        f64::from(blocks) / f64::from(n_smx * resident_blocks)
    }

    /// Multiprocessors that get most blocks: the grid ends with one of them.
    pub(crate) fn longest_multiprocessors(&self) -> u32 {
        match self.geometry.programs % self.geometry.n_smx {
            0 => self.geometry.n_smx,
            rest => rest,
        }
    }
}
