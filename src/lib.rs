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

pub mod cli;
pub mod device;
pub mod engine;
pub mod gp;
pub mod gpu;
pub mod interop;
pub mod isa;
pub mod launch;
pub mod memo;
pub mod model;
pub mod predict;
pub mod report;
pub mod sim;
pub mod study;
pub mod trace;
pub mod validate;
pub mod workload;
