//! warpstack explains and predicts how fast genetic-programming (GP) stack interpreters run on GPUs, by simulating the real
//! machine code of the kernels on a model of the device.
//!
//! ```
//! use warpstack::{EngineKind, LaunchOptions, Predictor, Preset, Size};
//!
//! # fn main() -> Result<(), warpstack::Error> {
//! let device = Preset::load("gtx670")?.device;
//! let predictor = Predictor::new(device).with_engine(EngineKind::Analytical);
//! let launch = LaunchOptions::of("rpn").with(Size::Threads, 256).with(Size::L1Kib, 48);
//! let prediction = predictor.predict(&launch)?;
//! println!("{:.1} billion GP operations per second", prediction.gpops_billion);
//! # assert!((15.0..40.0).contains(&prediction.gpops_billion));
//! # Ok(())
//! # }
//! ```
//!
//! A [`Preset`] names a device, a [`Kernel`] an interpreter, a [`Problem`] its function set and fitness cases; [`LaunchOptions`] say what
//! is asked of a launch, and a [`Predictor`] says what it will do as a [`Prediction`]: speed, occupancy, memory traffic and a CPI
//! stack that accounts for every cycle. `examples/predict.rs` shows more.
//!
//! # What is stable
//!
//! The items on this page. The modules behind them are public for the program `warpstack`, the tests and the benchmarks, but
//! hidden here: they are not part of the interface and change without notice.
//!
//! # Features
//!
//! * `cli`, on by default: the program `warpstack`, tables and charts, other tools' traces, launching on a real GPU. Predictions do not need it.
//!
//! # Inside
//!
//! Data flows one way:
//!
//! ```text
//! problem -> evolve -> programs -> kernel variant (SASS) -> warp trace -+-> sim   -+-> prediction -> validate -> report
//!                                          device preset ---------------+-> model -+
//! ```
//!
//! `docs/architecture.md` says what each module has, and what a module may use.

// The lint passes over hidden modules. Those that hold items of this page are hidden from `cargo doc` alone, so that it sees them.
#![deny(missing_docs)]
// Whoever calls what a compiler cannot check says why it holds.
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]
// Results leave through `report::output`, everything else through `report::progress`: neither panics where nobody reads.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod commands;
#[doc(hidden)]
#[cfg_attr(doc, doc(hidden))]
pub mod device;
#[doc(hidden)]
pub mod gp;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod interop;
#[doc(hidden)]
pub mod isa;
#[cfg_attr(doc, doc(hidden))]
pub mod launch;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod measure;
#[doc(hidden)]
pub mod model;
#[cfg_attr(doc, doc(hidden))]
pub mod predictor;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod sim;
#[doc(hidden)]
pub mod study;
#[cfg_attr(doc, doc(hidden))]
pub mod systems;
#[doc(hidden)]
pub mod trace;
#[doc(hidden)]
pub mod util;
#[doc(hidden)]
pub mod validate;
#[doc(hidden)]
pub mod vliw;

#[doc(inline)]
pub use crate::predictor::api::{
    BlockResources, Cause, Configuration, CpiEntry, Device, DeviceError, EngineKind, Error,
    ErrorKind, InputError, Kernel, LaunchOptions, Limiter, MemoryTraffic, MixEntry, Occupancy,
    OccupancyError, PredictError, Prediction, Predictor, Preset, Problem, Refused, Role, Size,
};
