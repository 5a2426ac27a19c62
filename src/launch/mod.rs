//! One launch on one device, shared by both performance models.
//!
//! * [`work`]: a launch, [`placement`]: its blocks on the device.
//! * [`uniform`]: a launch whose blocks run one program each; [`kernel`], [`code`]: its traces laid out for timing.
//! * [`executed`], [`divergent`]: a launch whose warps run several programs, executed lane by lane; [`grid`]: its sampled blocks.
//! * [`spec`], [`geometry`], [`residency`]: the multiprocessor as plain numbers, the shape of the grid, the resident blocks.
//! * [`makespan`], [`rates`], [`host`]: the grid over all multiprocessors, the host between launches.
//! * [`counters`], [`cause`]: the counts of a model; [`prediction`]: its results, and the trait that both models implement.
//!
//! Leaves out: timing. Units: in the names.

pub(crate) mod block_work;
#[doc(hidden)]
pub mod blocks;
mod calendar;
#[doc(hidden)]
pub mod cause;
#[doc(hidden)]
pub mod code;
#[doc(hidden)]
pub mod counters;
#[doc(hidden)]
pub mod demand;
#[doc(hidden)]
pub mod divergent;
pub(crate) mod ends;
#[doc(hidden)]
pub mod executed;
#[doc(hidden)]
pub mod geometry;
#[doc(hidden)]
pub mod grid;
#[doc(hidden)]
pub mod half_warps;
#[doc(hidden)]
pub mod host;
#[doc(hidden)]
pub mod kernel;
#[doc(hidden)]
pub mod makespan;
#[doc(hidden)]
pub mod memory_rules;
#[doc(hidden)]
pub mod placement;
pub mod prediction;
#[doc(hidden)]
pub mod rates;
#[doc(hidden)]
pub mod residency;
#[doc(hidden)]
pub mod roles;
#[doc(hidden)]
pub mod spec;
#[doc(hidden)]
pub mod spread;
#[doc(hidden)]
pub mod testing;
#[doc(hidden)]
pub mod timed;
#[doc(hidden)]
pub mod uniform;
#[doc(hidden)]
pub mod work;

pub use residency::CarveOut;
pub use uniform::Launches;
pub use work::Launch;
