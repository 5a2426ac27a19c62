//! Machine code: its text, and what it executes.

mod listing;
mod mutants;
mod nv50;
mod sass;
mod trace_conformance;
mod trace_memory;
