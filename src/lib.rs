//! warpstack explains and predicts how fast genetic-programming (GP) stack interpreters run on GPUs.
//!
//! Data flows one way:
//!
//! ```text
//! problem -> evolve -> programs -> kernel variant (SASS) -> warp trace -+-> sim   -+-> prediction -> validate -> report
//!                                          device preset ---------------+-> model -+
//! ```
//!
//! * [`gp`]: problems, programs, evolution and CPU interpreters.
//! * [`gpu`]: the CUDA kernels, and how programs are lowered to device words.
//! * [`isa`]: the machine code (SASS) of those kernels, parsed.
//! * [`trace`]: the exact warp-instruction sequence a program makes a kernel execute.
//! * [`device`]: GPU presets with a source for every value, and the occupancy calculation.
//! * [`launch`]: what both performance models share of one launch.
//! * [`sim`]: the streaming multiprocessor, cycle by cycle.
//! * [`model`]: the closed-form twin of the simulator.
//! * [`engine`]: both models behind the trait that every performance model implements.
//! * [`predict`]: what a prediction is, and the trait that every performance model implements.
//! * [`validate`]: predictions against measurements, the only reader of measured values.
//! * [`report`]: tables and plots.
//! * [`cli`]: one file per subcommand.

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod device;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod gp;
#[doc(hidden)]
pub mod gpu;
#[cfg(feature = "interop")]
#[doc(hidden)]
pub mod interop;
#[doc(hidden)]
pub mod isa;
#[doc(hidden)]
pub mod launch;
#[doc(hidden)]
pub mod memo;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod predict;
#[cfg(feature = "report")]
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod sim;
#[cfg(feature = "report")]
#[doc(hidden)]
pub mod study;
#[doc(hidden)]
pub mod trace;
#[cfg(feature = "report")]
#[doc(hidden)]
pub mod validate;
#[doc(hidden)]
pub mod workload;
