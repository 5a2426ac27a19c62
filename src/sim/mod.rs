//! The Kepler streaming multiprocessor, cycle by cycle.
pub mod blocks;
pub mod cache;
pub mod chip;
pub mod dispatch;
pub mod dram;
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
pub mod timing_wheel;
pub mod waits;
pub mod warp;
pub mod warp_mask;
pub mod window;

pub use crate::launch::{code, spec};
