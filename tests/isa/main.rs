//! Machine code: listings and their execution.

mod listing;
mod nv50;
mod sass;
mod trace_conformance;
mod trace_memory;
