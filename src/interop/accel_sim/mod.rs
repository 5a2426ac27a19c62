//! Accel-Sim's kernel traces (`.traceg`) and their list (`kernelslist.g`).
//!
//! Models: tracer versions 1 to 6 as text: header, thread blocks, warps, one line per executed warp instruction.
//! Leaves out: compressed files (`.traceg.xz`, `.tracez`), tensor-memory transfers, uniform registers.
//! Units: bytes. Sources: Accel-Sim's own parser, `trace_parser.cc`.

pub mod addresses;
pub mod error;
pub mod header;
pub mod line;
pub mod list;
pub mod read;
mod token;
pub mod write;

pub use addresses::AddressMode;
pub use error::FormatError;
pub use header::Header;
pub use line::{Line, MemoryAccess};
pub use read::TraceReader;
pub use write::TraceWriter;

/// Lanes of a warp.
pub const LANES: usize = 32;
/// Destination registers that a line can name.
pub const MAX_DESTINATIONS: usize = 1;
/// Source registers that a line can name.
pub const MAX_SOURCES: usize = 4;

/// One thread block: what each of its warps executed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block {
    /// `x`, `y`, `z` in the grid.
    pub index: [u32; 3],
    pub warps: Vec<Vec<Line>>,
}
