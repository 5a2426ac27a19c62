//! Errors of running on a GPU: one line each.
//!
//! Models: a missing driver or device, a kernel that does not fit, a failing driver call.
//! Leaves out: measuring (`measure`). Units: bytes, threads. Sources: CUDA driver API.

use thiserror::Error;

use crate::systems::chitty::variant::{Variant, VariantError};

/// Error of running on a GPU.
#[derive(Debug, Error)]
pub enum GpuError {
    #[error("no CUDA driver: libcuda was not found; measuring on a GPU needs NVIDIA's driver")]
    NoDriver,
    #[error("no CUDA device {given}; devices found: {found}")]
    NoDevice { given: usize, found: usize },
    #[error("{kernel} on compute capability {major}.{minor}: {reason}")]
    Compile {
        kernel: Variant,
        major: i32,
        minor: i32,
        reason: String,
    },
    #[error("out of device memory: {what} needs {needed_bytes} bytes, {free_bytes} are free")]
    OutOfMemory {
        what: &'static str,
        needed_bytes: usize,
        free_bytes: usize,
    },
    #[error(
        "{threads} threads per block; allowed: multiples of {step} up to {allowed} for {kernel}"
    )]
    Threads {
        kernel: Variant,
        threads: u32,
        step: u32,
        allowed: u32,
    },
    #[error(
        "{name}: given compute capability {major}.{minor}; allowed: 7.5 or newer, for which there are probes"
    )]
    TooOld {
        name: String,
        major: i32,
        minor: i32,
    },
    #[error("the driver failed to {what}: {reason}")]
    Driver { what: &'static str, reason: String },
    #[error(transparent)]
    Variant(#[from] VariantError),
}
