//! Launching and measuring: the CUDA kernels on a GPU, the interpreters on the CPU.
//!
//! * [`launch`]: the kernels on a real GPU, the only module that names cudarc's driver; [`error`]: why nothing ran there.
//! * [`card`]: microbenchmarks of a card.
//! * [`compile`]: machine code of a custom kernel, by nvrtc.
//! * [`rows`]: measured rows, checked against the interpreters; [`gpocl`], [`langdon`], [`robilliard`]: those of the other papers' kernels;
//!   [`counters`]: Nsight Compute's counters beside them, read by [`ncu`]; [`on_cpu`]: the CPU's interpreter on the same cases.
//!
//! The whole module is behind the feature `cli`.

pub mod card;
pub mod compile;
pub mod counters;
pub mod error;
pub mod gpocl;
pub mod langdon;
pub mod launch;
pub mod ncu;
pub mod on_cpu;
pub mod robilliard;
pub mod rows;
