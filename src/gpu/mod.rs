//! The CUDA interpreters of the papers, and how programs reach them.
//!
//! * [`variant`]: which kernels exist, with the machine code and resource usage of each.
//! * [`lower`] and [`accumulate`]: programs as tokens and as instructions; [`encode`]: as the words that a kernel reads; [`layout`]: whole populations and cases as buffers.
//! * [`launch`]: the kernels on a real GPU, the only module that names cudarc.
//! * [`measure`]: measured rows, on a [`workload`], checked against the [`oracle`]; [`counters`]: Nsight
//!   Compute's counters beside them, read by [`ncu`]; [`scaling`]: a population split over several GPUs;
//!   [`on_cpu`]: the CPU's interpreter on the same workload.

pub mod accumulate;
pub mod counters;
pub mod encode;
pub mod error;
pub mod launch;
pub mod layout;
pub mod lower;
pub mod measure;
pub mod ncu;
pub mod on_cpu;
pub mod oracle;
pub mod scaling;
mod source;
pub mod variant;
pub mod workload;
