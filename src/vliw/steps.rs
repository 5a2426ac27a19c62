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

/// Counts of steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub alu_clauses: u64,
    pub bundles: u64,
    pub fetch_clauses: u64,
    pub stores: u64,
    pub control: u64,
    pub lines: u64,
}

impl Executed {
    pub fn lines_of(&self, access: &Access) -> &[u32] {
        &self.lines[access.lines.start as usize..access.lines.end as usize]
    }

    /// Steps of iteration `i` of the main loop, for all but the first: from the end of the previous iteration to its own.
    pub fn iteration(&self, i: usize) -> Option<Range<usize>> {
        let start = *self.iteration_ends.get(i.checked_sub(1)?)?;
        Some(start..*self.iteration_ends.get(i)?)
    }

    pub fn counts(&self, steps: Range<usize>) -> Counts {
        let mut counts = Counts::default();
        for step in &self.steps[steps] {
            match step {
                Step::Alu { bundles, .. } => {
                    counts.alu_clauses += 1;
                    counts.bundles += u64::from(*bundles);
                }
                Step::Fetch { first, count } => {
                    counts.fetch_clauses += 1;
                    let accesses = *first as usize..*first as usize + usize::from(*count);
                    let lines = self.accesses[accesses].iter().map(|a| a.lines.len() as u64);
                    counts.lines += lines.sum::<u64>();
                }
                Step::Store { .. } => counts.stores += 1,
                Step::Control => counts.control += 1,
                Step::Barrier => {}
            }
        }
        counts
    }
}
