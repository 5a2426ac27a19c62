//! What the simulator and the analytical model share: one launch, resolved for one device.
//!
//! What it holds: what is to be launched ([`request`]) and what it is on a device ([`resolved`]); a kernel's traces laid out for timing
//! ([`code`]), the multiprocessor as plain numbers ([`spec`]), the launch geometry ([`geometry`]), the grid over all multiprocessors
//! ([`makespan`], [`rates`]), how lanes' addresses are served ([`memory_rules`]), the causes of lost cycles ([`cause`]), what the host
//! does between launches ([`host`]).
//! What it leaves out: how fast anything runs. Units: in the names.

pub mod blocks;
pub mod cache;
mod calendar;
pub mod cause;
pub mod code;
mod code_layout;
pub mod counters;
pub mod demand;
pub mod dependence;
pub mod divergent;
mod dram;
pub(crate) mod ends;
pub mod executed;
pub mod geometry;
pub mod grid;
pub mod half_warps;
pub mod host;
pub mod ideal;
pub mod kernel;
pub mod makespan;
pub mod memory_rules;
pub mod pipes;
pub mod prediction;
pub mod rates;
pub mod residency;
pub mod resolved;
pub mod roles;
pub mod spec;
pub mod spread;
pub mod testing;
pub mod timed;
pub(crate) mod work;

pub use crate::systems::chitty::request::{Cases, Request};
pub use residency::CarveOut;
pub use resolved::{Launches, Resolved};
