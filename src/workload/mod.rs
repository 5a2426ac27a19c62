//! What is launched: a grid of programs, and the traces of a kernel that executes them.
//!
//! The one place where GP meets the performance models: `gp` and `gpu` on one side, `isa` and `trace` on
//! the other; `sim` and `model` see only the result.

pub mod detours;
pub mod population;
pub mod traces;

pub use population::{Population, PopulationError};
pub use traces::{KernelTraces, TracesError, program_words};
