//! The CPU as a machine of the model.
//!
//! Models: one core of a CPU (`preset`, found by `detect`), the work of the interpreters of `gp/interpret` on it (`work`,
//! `count`), the caches that hold their rows (`residency`), and the resulting time (`ecm`).
//! Leaves out: `reference` and `rpn`, whose time is that of single instructions; several threads on one core.
//! Units: cycles, vectors of 16 elements. Sources: in the presets; `docs/cpu.md`.

pub mod count;
pub mod detect;
pub mod ecm;
pub mod explain;
pub mod large;
pub mod preset;
pub mod residency;
pub mod work;
