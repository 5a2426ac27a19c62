//! The CUDA interpreters of the papers, and how programs reach them.
//!
//! * [`variant`]: which kernels exist, with the machine code and resource usage of each.
//! * [`lower`] and [`accumulate`]: programs as tokens and as instructions; [`encode`]: as the words that a kernel reads; [`layout`]: whole populations and cases as buffers.
//! * [`launch`]: the kernels on a real GPU, the only module that names cudarc.
//! * [`measure`]: measured rows, on a [`workload`], checked against the [`oracle`]; [`counters`]: Nsight
//!   Compute's counters beside them, read by [`ncu`]; [`scaling`]: a population split over several GPUs;
//!   [`on_cpu`]: the CPU's interpreter on the same workload; [`split`]: which half of the measurements a row belongs to.
//!
//! What runs or measures is behind the feature `gpu`; predictions need the rest only.

#[doc(hidden)]
pub mod accumulate;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod counters;
#[doc(hidden)]
pub mod encode;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod error;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod launch;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod layout;
#[doc(hidden)]
pub mod lower;
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
#[doc(hidden)]
pub mod oracle;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod scaling;
#[cfg(feature = "gpu")]
mod source;
#[doc(hidden)]
pub mod split;
pub mod variant;
#[doc(hidden)]
pub mod workload;
