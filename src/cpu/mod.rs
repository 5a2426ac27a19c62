//! The CPU as a modelled machine.
//!
//! Models: one core of a CPU (`preset`, selected by `detect`), the interpreters' work on it (`work`, `count`), the location of
//! their rows in the caches (`residency`), and the resulting time (`ecm`).
//! Leaves out: `reference` and `rpn`, whose time is dominated by scalar instructions; several threads on one core.
//! Units: cycles, vectors of 16 elements.
//! Sources: in the presets; `docs/cpu.md`.

pub mod count;
pub mod detect;
pub mod ecm;
pub mod explain;
pub mod large;
pub mod preset;
pub mod residency;
pub mod work;
