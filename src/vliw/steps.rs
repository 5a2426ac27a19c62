//! Steps executed by a wavefront, as far as its time depends on them.
//!
//! Models: clauses with their length, the lines of memory that each access touches, control-flow instructions, barriers; the
//! boundaries between iterations of the kernel's main loop.
//! Leaves out: values.
//! Units: lines of memory; bundles.

use super::memory::Region;
use std::ops::Range;

/// Bytes of a line of memory.
pub const LINE_BYTES: u32 = 64;

/// One executed control-flow instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Alu {
        bundles: u16,
        /// Number of bundles that wait for local memory.
        local_reads: u8,
    },
    /// A clause of fetches: accesses `first .. first + count`.
    Fetch {
        first: u32,
        count: u8,
    },
    Store {
        access: u32,
    },
    /// Jump, pop or loop end, without a clause.
    Control,
    Barrier,
}

/// Lines touched by one access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    pub lines: Range<u32>,
    pub region: Region,
}

/// Execution of a wavefront.
#[derive(Debug, Clone, Default)]
pub struct Executed {
    pub steps: Vec<Step>,
    pub accesses: Vec<Access>,
    pub lines: Vec<u32>,
    /// Ends of the iterations of the main loop, as numbers of steps.
    pub iteration_ends: Vec<usize>,
}

impl Executed {
    pub fn lines_of(&self, access: &Access) -> &[u32] {
        &self.lines[access.lines.start as usize..access.lines.end as usize]
    }
}
