//! The CUDA kernels of all systems: their sources and their results.

#![cfg(feature = "cli")]

mod accumulate;
mod gpocl;
mod gpocl_juniper;
mod langdon;
mod launch;
mod lower;
mod papers;
#[allow(dead_code)]
#[path = "../cli/program.rs"]
mod program;
mod robilliard;
mod variants;
