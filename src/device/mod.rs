//! GPU presets with a source for every value, and the occupancy calculation. Independent of GP.
//!
//! A preset is a TOML file under `fixtures/devices/`; the files committed there are built in. [`Device`] holds the plain
//! numbers for the models; [`Preset`] adds the source of each.
//!
//! Leaves out: properties that only a run can reveal (each value's source states its confidence).
//! Units: in field names.

#[doc(hidden)]
mod cache;
#[doc(hidden)]
pub mod characterize;
mod checks;
#[doc(hidden)]
pub mod ideal;
#[doc(hidden)]
pub mod ledger;
mod load;
#[doc(hidden)]
pub mod numbers;
pub mod occupancy;
#[doc(hidden)]
mod policy;
#[doc(hidden)]
#[doc(hidden)]
mod spec;
#[doc(hidden)]
pub mod table;

pub use cache::{CacheGeometry, OnChipSplit};
#[doc(hidden)]
pub use checks::CODE_WAYS;
pub use ledger::Reader;
pub use load::{DeviceError, builtin_names};
pub(crate) use load::{VLIW, text_of};
pub use policy::{
    Arbitration, Coalescing, DefaultSplit, Dependencies, IndexHash, Pipe, RegisterAllocation,
    Replacement, Validated, WarpPolicy,
};
pub use spec::{
    Chip, ConstantCache, Device, Dram, Host, InstructionCache, Issue, L1, L2, Latency, Limits,
    LoadStore, Local, Pipes, Shared, Throughput,
};
pub use table::{Entry, Kind};

use crate::isa::OpClass;
use crate::util::refused::Refused;

/// A device with the unit, kind and source of every value.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// Plain numbers of the device.
    pub device: Device,
    /// All values of the file with their sources.
    pub entries: Vec<Entry>,
}

impl Preset {
    /// Returns the values that were fitted to measurements.
    pub fn fitted(&self) -> Vec<&Entry> {
        self.entries
            .iter()
            .filter(|entry| entry.kind == Kind::Fitted)
            .collect()
    }
}

impl Device {
    /// Returns the machine with only the parts in `ideals` idealized.
    #[doc(hidden)]
    pub fn without(&self, ideals: ideal::Ideals) -> Device {
        Device {
            ideals,
            ..self.clone()
        }
    }

    /// Checks relations between values that single ranges cannot express.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), Refused> {
        checks::check(self)
    }

    /// Sets and ways of an L1 of `l1_bytes`; `None` if the device has no such size.
    pub fn l1_geometry(&self, l1_bytes: u32) -> Option<CacheGeometry> {
        self.l1
            .geometry
            .iter()
            .copied()
            .find(|geometry| geometry.bytes == l1_bytes)
    }

    /// Split that leaves `l1_bytes` to the L1; `None` if the device has no such size.
    pub fn split_for_l1(&self, l1_bytes: u32) -> Option<OnChipSplit> {
        self.l1
            .splits
            .iter()
            .copied()
            .find(|split| split.l1_bytes == l1_bytes)
    }

    /// Default L1 size of a launch; `None`: as much as the blocks leave.
    pub fn default_l1_bytes(&self) -> Option<u32> {
        let sizes = self.l1.splits.iter().map(|split| split.l1_bytes);
        match self.l1.default_split {
            DefaultSplit::LargestL1 => sizes.max(),
            DefaultSplit::LeastShared => None,
        }
    }

    /// Pipe of an instruction class, and its lanes per cycle on the whole SMX; `None` for classes that take an issue slot only:
    /// the load/store unit paces memory, and nothing limits the rest.
    pub fn pipe(&self, class: OpClass) -> Option<(Pipe, f64)> {
        let (pipes, lanes) = (&self.pipes, &self.throughput);
        let served = match class {
            OpClass::Fp32 => (pipes.fp32, lanes.fp32_lanes_per_cycle),
            OpClass::IntAdd => (pipes.int_add, lanes.int_add_lanes_per_cycle),
            OpClass::Logic => (pipes.logic, lanes.logic_lanes_per_cycle),
            OpClass::Compare => (pipes.compare, lanes.compare_lanes_per_cycle),
            OpClass::IntMul => (pipes.int_mul, lanes.int_mul_lanes_per_cycle),
            OpClass::Shift => (pipes.shift, lanes.shift_lanes_per_cycle),
            OpClass::Bitfield => (pipes.bitfield, lanes.bitfield_lanes_per_cycle),
            OpClass::Sfu => (pipes.sfu, lanes.sfu_lanes_per_cycle),
            OpClass::Convert => (pipes.convert, lanes.convert_lanes_per_cycle),
            OpClass::SpecialRegister => {
                let lanes = lanes.special_register_lanes_per_cycle;
                (pipes.special_register, lanes)
            }
            OpClass::ConstantLoad => (pipes.constant_load, lanes.constant_load_lanes_per_cycle),
            OpClass::Memory | OpClass::Control | OpClass::Nop | OpClass::Barrier => return None,
        };
        Some(served)
    }

    /// Bytes between the local memories of neighbouring warps: their stacks and the gaps between them.
    pub fn local_stride_bytes(&self, frame_bytes: u32) -> u32 {
        let stack = frame_bytes.max(self.local.least_stack_bytes);
        local_bytes_of_a_warp(stack + self.local.gap_bytes)
    }

    /// Bytes per cycle that one SMX receives from the L2.
    pub fn l2_port_bytes_per_cycle(&self) -> f64 {
        self.l2.port_bytes_per_cycle * self.l2.port_efficiency
    }

    /// Bytes per cycle that the whole chip receives from device memory.
    pub fn dram_bytes_per_cycle(&self) -> f64 {
        self.dram.bandwidth_gb_per_s * 1e3 / self.chip.clock_mhz * self.dram.efficiency
    }
}

/// Local memory of the 32 lanes of a warp, rounded up to 512 bytes, the allocation granularity of drivers.
#[doc(hidden)]
pub fn local_bytes_of_a_warp(bytes_per_thread: u32) -> u32 {
    (32 * bytes_per_thread).next_multiple_of(512)
}
