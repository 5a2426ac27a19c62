//! Traces in the formats of other tools: Accel-Sim's `.traceg` out and in, timelines for Perfetto out.
//!
//! * [`accel_sim`]: the file format: header, blocks, lines, addresses; reading and writing.
//! * [`record`]: some blocks of this program's own traces as `.traceg` blocks.
//! * [`replay`]: `.traceg` blocks as the log of an executed kernel; [`classify`]: what an opcode is; [`statics`]: each
//!   instruction once; [`schedule`]: its stall count; [`memory_map`]: what its lanes access.
//! * [`perfetto`]: timelines of `sim::timeline`.
//!
//! Knows no GP. Does no I/O but reading from what it is given.

pub mod accel_sim;
pub mod classify;
pub mod memory_map;
pub mod perfetto;
pub mod record;
pub mod replay;
pub mod schedule;
pub mod statics;
