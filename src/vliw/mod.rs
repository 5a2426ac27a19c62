//! A VLIW5 GPU: its machine code executed lane by lane, and the time that this takes on one SIMD.
//!
//! * [`execute`]: a work-group executed, wavefront by wavefront, with the branch stack of the hardware; [`lanes`]: the registers of
//!   a wavefront; [`ops`]: what instructions compute; [`memory`]: buffers; [`steps`]: what was executed, for timing.
//! * [`simd`]: the time of those steps on one SIMD; [`memory_path`]: its memory, timed; [`cache`]: its read caches.
//!
//! Knows no GP. Leaves out: graphics. Sources: AMD, Evergreen Family Instruction Set Architecture; `device::vliw` for the machine.

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

/// Lanes of a wavefront.
pub const LANES: usize = 64;
/// One bit for every lane.
pub type Mask = u64;
/// A word of every lane.
pub type Words = [u32; LANES];

/// The first `n` lanes.
pub fn first_lanes(n: u32) -> Mask {
    if n as usize >= LANES {
        Mask::MAX
    } else {
        (1 << n) - 1
    }
}

/// Why code could not be executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExecuteError {
    /// An address outside all buffers.
    #[error("access to address {address}; allowed: the buffers of the launch")]
    Address {
        /// In bytes.
        address: u32,
    },
    /// Code that this machine does not execute.
    #[error("control-flow instruction {at}: {what}")]
    Code {
        /// Its address.
        at: usize,
        /// The error.
        what: &'static str,
    },
    /// More steps than any kernel here takes.
    #[error("no end after {steps} control-flow instructions")]
    Endless {
        /// How many.
        steps: usize,
    },
}
