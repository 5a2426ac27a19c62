//! What is launched: a grid of programs, and the traces of a kernel that executes them.
//!
//! The one place where GP meets the performance models: `gp` and `gpu` on one side, `isa` and `trace` on
//! the other; `sim` and `model` see only the result.

pub mod accumulate;
pub mod code;
pub mod conformance;
pub mod counted;
pub mod divergence;
pub mod encode;
pub(crate) mod find;
pub(crate) mod inputs;
pub mod kernel;
pub mod kernel_id;
pub mod layout;
pub mod lines;
pub mod lower;
pub mod oracle;
pub mod request;
pub(crate) mod source;
pub mod split;
pub mod summary;
pub mod traces;
pub mod variant;

pub use kernel::{KernelWork, unweighted_grids};
pub use summary::KernelSummary;
pub use traces::{KernelTraces, TracesError, program_words, shared_bytes, words_of_program};
