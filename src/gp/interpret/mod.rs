//! Interpreters on the CPU.
//!
//! Models: two of them. [`mod@reference`] is the oracle, plain and slow; [`batched`] is the two-dimensional-stack interpreter
//! that evolution uses. [`plan`] prepares programs for it, [`element`] and [`math`] are its whole-array operations.
//! Leaves out: GPU kernels; their operations are held against `reference` in the tests.
//! Units: fitness is an error, lower is better.
//! Sources: Chitty 2012 and Chitty (2D stack) section 4.

pub mod batched;
pub mod element;
pub mod math;
pub mod plan;
pub mod reference;

pub use batched::evaluate;
pub use reference::{fitness_f32, fitness_f64};
