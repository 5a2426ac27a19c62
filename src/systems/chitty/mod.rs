//! Chitty's system: a grid of programs, and the traces of a kernel that executes them.
//!
//! The one place where GP and the performance models are joined: `gp` and `gpu` on one side, `isa` and `trace` on the other;
//! `sim` and `model` see only the result.

#[doc(hidden)]
pub mod accumulate;
#[doc(hidden)]
pub mod code;
#[doc(hidden)]
pub mod conformance;
#[doc(hidden)]
pub mod counted;
#[doc(hidden)]
pub mod divergence;
#[doc(hidden)]
pub(crate) mod embedded;
pub mod encode;
pub mod find;
pub(crate) mod inputs;
#[doc(hidden)]
pub mod kernel;
pub mod kernel_id;
#[doc(hidden)]
pub mod launch;
#[doc(hidden)]
pub mod layout;
#[doc(hidden)]
pub mod lines;
#[doc(hidden)]
pub mod lower;
#[doc(hidden)]
pub mod oracle;
#[doc(hidden)]
pub mod random_programs;
#[doc(hidden)]
pub mod request;
pub(crate) mod source;
#[doc(hidden)]
pub mod split;
#[doc(hidden)]
pub mod summary;
#[doc(hidden)]
pub mod system;
#[doc(hidden)]
pub mod traces;
pub mod variant;

pub use kernel::{KernelWork, unweighted_grids};
pub use summary::KernelSummary;
pub use traces::{KernelTraces, TracesError, program_words, shared_bytes, words_of_program};
