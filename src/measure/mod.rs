//! Launching and measuring: the CUDA kernels on a GPU, the interpreters on the CPU.
//!
//! * [`launch`]: the kernels on a real GPU, the only module that names cudarc's driver; [`error`]: why nothing ran there.
//! * [`card`]: microbenchmarks of a card.
//! * [`compile`]: machine code of a custom kernel, by nvrtc.
//! * [`rows`]: measured rows, checked against the interpreters; [`gpocl`], [`langdon`], [`robilliard`]: those of the other papers' kernels;
//!   [`counters`]: Nsight Compute's counters beside them, read by [`ncu`]; [`on_cpu`]: the CPU's interpreter on the same cases.
//!
//! The whole module is behind the feature `gpu`.

#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod card;
#[cfg(all(feature = "gpu", feature = "report"))]
#[doc(hidden)]
pub mod compile;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod counters;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod error;
#[cfg(feature = "gpu")]
pub mod gpocl;
#[cfg(feature = "gpu")]
pub mod langdon;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod launch;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod ncu;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod on_cpu;
#[cfg(feature = "gpu")]
pub mod robilliard;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod rows;
