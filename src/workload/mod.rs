//! What is launched: a grid of programs, and the traces of a kernel that executes them.
//!
//! The one place where GP meets the performance models: `gp` and `gpu` on one side, `isa` and `trace` on
//! the other; `sim` and `model` see only the result.

pub mod conformance;
pub mod counted;
pub mod divergence;
pub mod executed;
pub mod kernel;
pub mod roles;
pub mod summary;
pub mod timed;
pub mod traces;

pub use kernel::{KernelWork, unweighted_grids};
pub use summary::KernelSummary;
pub use traces::{KernelTraces, TracesError, program_words, shared_bytes, words_of_program};
