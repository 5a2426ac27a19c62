//! The CUDA interpreters of the papers, and how programs reach them.
//!
//! * [`kernel_id`]: the table of interpreters; [`variant`]: which of them were compiled, with the machine code and resource usage of each;
//!   [`code`]: the machine code that a launch runs, compiled here or given.
//! * [`lower`] and [`accumulate`]: programs as tokens and as instructions; [`encode`]: as the words that a kernel reads; [`layout`]: whole populations and cases as buffers.
//! * [`launch`]: the kernels on a real GPU, the only module that names cudarc's driver; [`error`]: why nothing ran there.
//! * `source`: the CUDA sources, which [`launch`] and [`compile`] give to nvrtc; [`compile`]: machine code of a kernel of one's own;
//!   [`lines`]: from which lines of the sources the committed machine code came.
//! * [`measure`]: measured rows, on a [`workload`], checked against the [`oracle`]; [`counters`]: Nsight
//!   Compute's counters beside them, read by [`ncu`]; [`scaling`]: a population split over several GPUs;
//!   [`on_cpu`]: the CPU's interpreter on the same workload; [`split`]: which half of the measurements a row belongs to.
//!
//! What runs or measures is behind the feature `gpu`; predictions need the rest only.

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
pub mod measure;
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
pub mod scaling;
