//! The streaming multiprocessor, cycle by cycle: from its schedulers to its share of L2 and DRAM.
//!
//! Models: a window of one multiprocessor ([`window`]), or some blocks from their first instruction to their last ([`blocks`]).
//! [`simulator`] turns the results into a prediction; [`spec`] describes the machine.
//! Leaves out: values; the host; which machine code runs.
//! Units: core clock cycles, bytes.
//! Sources: see each module; `docs/model.md`.

pub mod account;
pub mod blocks;
pub mod cache;
pub mod dispatch;
pub(crate) mod divergent;
pub mod dram;
mod fetch_port;
pub mod figures;
pub mod icache;
pub mod l1_stream;
pub mod lower;
pub mod memory;
pub mod observe;
pub mod per_instruction;
pub mod pipes;
pub mod port;
pub mod resident;
pub mod sample;
pub mod scheduler;
pub mod simulator;
pub mod smx;
pub mod testing;
pub mod timeline;
pub mod timing_wheel;
pub mod tolerance;
pub mod waits;
pub mod warp;
pub mod warp_mask;
pub mod window;

pub use crate::launch::{code, spec};
