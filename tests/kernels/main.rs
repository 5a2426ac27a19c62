//! The CUDA kernels of all systems: their sources and their results.

mod accumulate;
mod gpocl;
mod gpocl_juniper;
mod langdon;
#[cfg(feature = "gpu")]
mod launch;
mod lower;
#[cfg(feature = "cli")]
mod papers;
#[allow(dead_code)]
#[cfg(feature = "cli")]
#[path = "../cli/program.rs"]
mod program;
mod robilliard;
mod variants;
