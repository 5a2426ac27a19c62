//! Traces in the formats of other tools: Accel-Sim's `.traceg` out and in, timelines for Perfetto and Konata out.
//!
//! * [`accel_sim`]: the file format: header, blocks, lines, addresses; reading and writing.
//! * [`record`]: some blocks of this program's own traces as `.traceg` blocks.
//! * [`schedule`]: the compiler's schedule, for which `.traceg` has no place, in a file beside it.
//! * [`replay`]: `.traceg` blocks as blocks that the simulator runs; [`classify`]: what an opcode is; [`statics`]: each
//!   instruction once; [`memory_map`]: what its lanes access.
//! * [`perfetto`] and [`kanata`]: timelines of `sim::timeline`.
//!
//! Knows no GP. Does no I/O but reading from what it is given.

pub mod accel_sim;
pub mod classify;
pub mod kanata;
pub mod memory_map;
pub mod perfetto;
pub mod record;
pub mod replay;
pub mod schedule;
pub mod statics;
