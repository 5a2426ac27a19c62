//! VLIW5 GPUs: machine code executed lane by lane, and its time on one SIMD.
//!
//! * [`execute`]: execution of a work-group, wavefront by wavefront, with the hardware's branch stack; [`lanes`]: registers of
//!   a wavefront; [`ops`]: arithmetic of instructions; [`memory`]: buffers; [`steps`]: executed steps, for timing.
//! * [`simd`]: time of those steps on one SIMD; [`memory_path`]: timing of its memory; [`cache`]: its read caches.
//!
//! Independent of GP.
//! Leaves out: graphics.
//! Sources: AMD, Evergreen Family Instruction Set Architecture; `device::vliw` for the machine.

pub mod cache;
pub mod execute;
pub mod lanes;
pub mod memory;
pub mod memory_path;
pub mod ops;
pub mod preset;
pub mod r600;
pub mod simd;
pub mod steps;

/// Number of lanes of a wavefront.
pub const LANES: usize = 64;
/// Set of lanes, one bit each.
pub type Mask = u64;
/// One word per lane.
pub type Words = [u32; LANES];

/// Returns the mask of the first `n` lanes.
pub fn first_lanes(n: u32) -> Mask {
    if n as usize >= LANES {
        Mask::MAX
    } else {
        (1 << n) - 1
    }
}

/// Error in executing code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExecuteError {
    /// An address outside all buffers.
    #[error("access to address {address}; allowed: the buffers of the launch")]
    Address {
        /// Byte address.
        address: u32,
    },
    /// Code that this machine does not support.
    #[error("control-flow instruction {at}: {what}")]
    Code {
        /// Address of the instruction.
        at: usize,
        /// Description of the error.
        what: &'static str,
    },
    /// More steps than any kernel here executes.
    #[error("no end after {steps} control-flow instructions")]
    Endless {
        /// Limit on the number of steps.
        steps: usize,
    },
}
