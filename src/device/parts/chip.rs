//! The chip as a whole: grid and blocks, capacities, local memory, the host computer.

use super::l2::SEVERAL_PORTS;
use super::{CYCLES, HOST_TIME, ON_CHIP, section};
use crate::device::Device;
use crate::device::ideal::Ideal;
use crate::device::policy::RegisterAllocation;
use crate::device::table::ANY;

section! {
    /// The chip as a whole.
    chip: Chip {
        n_smx: u32, "SMX", (1.0, 1024.0), [Sim, Model];
        /// Multiprocessors of a TPC, which send to the L2 through the same port.
        smx_per_tpc: u32, "SMX", (1.0, 8.0), [Sim, Model] if SEVERAL_PORTS;
        /// Clock for which predictions are made.
        clock_mhz: f64, "MHz", (1.0, 10_000.0), [Sim, Model];
        /// Cycles from the event before a grid of one empty block to the event after it.
        grid_cycles: u32, "cycles", (0.0, 1_000_000.0), [Sim, Model];
        /// Cycles from the end of a block to the first instruction of the next one in its slot.
        block_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Least cycles between the starts of two blocks, of all multiprocessors together; 0 if it is not limiting.
        block_interval_cycles: f64, "cycles", (0.0, 1000.0), [Sim, Model];
    }
}

section! {
    /// Capacity of one SMX, and the granularities of allocation.
    limits: Limits {
        warp_lanes: u32, "lanes", (32.0, 32.0), [Occupancy];
        threads_per_block: u32, "threads", (32.0, 1024.0), [Occupancy];
        warps_per_smx: u32, "warps", (1.0, 64.0), [Occupancy];
        blocks_per_smx: u32, "blocks", (1.0, 64.0), [Occupancy];
        registers_per_smx: u32, "registers", (1.0, 16_777_216.0), [Occupancy];
        registers_per_thread: u32, "registers", (1.0, 255.0), [Occupancy];
        /// Unit of register allocation: warp or block.
        register_allocation: RegisterAllocation, "policy", ANY, [Occupancy];
        /// Granularity of register allocation.
        register_unit: u32, "registers", (1.0, 65_536.0), [Occupancy];
        /// Partitions of the register file, shared among the schedulers; a warp's registers lie in one partition.
        n_register_partitions: u32, "partitions", (1.0, 16.0), [Occupancy];
        /// Granularity to which warps per block are rounded up when checking whether a block fits at all.
        warp_granularity: u32, "warps", (1.0, 64.0), [Occupancy];
        shared_bytes_per_block: u32, "bytes", ON_CHIP, [Occupancy];
        shared_unit_bytes: u32, "bytes", ON_CHIP, [Occupancy];
        /// Shared memory reserved by the system for every block.
        shared_reserved_bytes_per_block: u32, "bytes", (0.0, 65_536.0), [Occupancy];
    }
}

section! {
    /// Spacing of threads' local memories: a stack and a gap.
    local: Local {
        /// Minimum stack size, used for kernels with a smaller frame.
        least_stack_bytes: u32, "bytes", (0.0, 1e6), [Sim, Model];
        gap_bytes: u32, "bytes", (0.0, 1e6), [Sim, Model];
    }
}

section! {
    /// Host computer: cost of a generation besides its kernel. All zero if measured times cover kernels alone.
    host: Host {
        /// Time from the call to the kernel's start, plus the time from its end to the caller's notification.
        launch_microseconds: f64, "us", HOST_TIME, [Host];
        /// Cost of a transfer besides its bytes.
        copy_microseconds: f64, "us", HOST_TIME, [Host];
        upload_ns_per_byte: f64, "ns/byte", HOST_TIME, [Host];
        download_ns_per_byte: f64, "ns/byte", HOST_TIME, [Host];
        /// Cost of adding up the threads' sums of a program.
        sum_ns_per_value: f64, "ns/value", HOST_TIME, [Host];
        /// Cost of selection, crossover, mutation and lowering to the kernel's words.
        breeding_ns_per_node: f64, "ns/node", HOST_TIME, [Host];
    }
}

impl Device {
    /// Bytes between the local memories of neighbouring warps: their stacks and the gaps between them.
    pub fn local_stride_bytes(&self, frame_bytes: u32) -> u32 {
        let stack = frame_bytes.max(self.local.least_stack_bytes);
        local_bytes_of_a_warp(stack + self.local.gap_bytes)
    }
}

pub(super) fn idealize(device: &mut Device) {
    if device.ideals.has(Ideal::GridEnds) {
        (device.chip.grid_cycles, device.chip.block_cycles) = (0, 0);
        device.chip.block_interval_cycles = 0.0;
    }
}

/// Local memory of the 32 lanes of a warp, rounded up to 512 bytes, the allocation granularity of drivers.
#[doc(hidden)]
pub fn local_bytes_of_a_warp(bytes_per_thread: u32) -> u32 {
    (32 * bytes_per_thread).next_multiple_of(512)
}
