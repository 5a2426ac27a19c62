//! The published systems: their kernels, programs and launches, one folder per paper.
//!
//! * [`chitty`]: interpreters with two-dimensional stacks; every block runs one program, so a launch is traced program by program.
//! * [`robilliard`], [`langdon`], [`gpocl`]: a block or a warp runs several programs, so sampled blocks are executed lane by lane.
//! * [`options`], [`asked`], [`registry`]: the request for a launch, the kernels by name, and the one place of defaults and
//!   refusals; [`settings`]: the settings of a prediction besides launch and device; [`blocks`]: launches of which some blocks are
//!   executed; [`machine`]: the device for which they are; `caches`: data kept from one launch to the next.
//!
//! Leaves out: the papers' measurements, which only `validate` reads.

#[doc(hidden)]
pub mod asked;
#[doc(hidden)]
pub mod blocks;
pub(crate) mod caches;
pub mod chitty;
#[doc(hidden)]
pub mod figure;
#[doc(hidden)]
pub mod gpocl;
#[doc(hidden)]
pub mod langdon;
#[doc(hidden)]
pub mod machine;
pub mod options;
#[doc(hidden)]
pub mod registry;
#[doc(hidden)]
pub mod robilliard;
pub mod settings;
