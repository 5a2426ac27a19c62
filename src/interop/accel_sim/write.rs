//! Writing a trace block by block.
//!
//! Models: tracer version 5 without source lines. Leaves out: compressed files.
//! Sources: as for reading.

use super::addresses::AddressMode;
use super::{Block, Header};
use std::fmt::Write as _;

/// A trace as text.
pub struct TraceWriter {
    text: String,
    mode: AddressMode,
}

impl TraceWriter {
    pub fn new(header: &Header, mode: AddressMode) -> Self {
        TraceWriter {
            text: header.text(),
            mode,
        }
    }

    pub fn block(&mut self, block: &Block) {
        let [x, y, z] = block.index;
        // Writing to a string cannot fail.
        let _ = write!(self.text, "\n#BEGIN_TB\n\nthread block = {x},{y},{z}\n");
        for (number, warp) in block.warps.iter().enumerate() {
            let _ = write!(self.text, "\nwarp = {number}\ninsts = {}\n", warp.len());
            for line in warp {
                line.write(&mut self.text, self.mode);
            }
        }
        self.text.push_str("\n#END_TB\n");
    }

    pub fn finish(self) -> String {
        self.text
    }
}
