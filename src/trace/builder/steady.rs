//! Traces of one steady iteration per program, for models that need no more.
//!
//! Models: all programs enter the case loop in the same state, so the walk to its steady iteration is done once, and every
//! further program costs one iteration instead of a prologue and four.
//! Leaves out: first and last iterations.
//! Units: segments.

use super::{Place, TraceBuilder};
use crate::trace::error::TraceError;
use crate::trace::program::ProgramWords;
use crate::trace::state::Run;
use crate::trace::{ProgramTrace, SegmentId};

/// Path to the second iteration of the case loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entrance {
    /// Segments of the sample program before the case loop.
    pub prologue: Vec<SegmentId>,
    steady: Place,
}

impl Entrance {
    /// Tells whether both lead to the same state: then either one works for the other's program.
    pub fn meets(&self, other: &Entrance) -> bool {
        self.steady == other.steady
    }
}

impl TraceBuilder<'_> {
    /// Walks `program` to the second iteration of the case loop.
    pub fn entrance(&mut self, program: &ProgramWords) -> Result<Entrance, TraceError> {
        self.spent = 0;
        let start = self.start(Run::Triple);
        let prologue = self.walk(program, start)?;
        let header = prologue.next.ok_or_else(|| self.few_iterations(0))?;
        let first = self.walk(program, header)?;
        let steady = first.next.ok_or_else(|| self.few_iterations(1))?;
        Ok(Entrance {
            prologue: prologue.segments,
            steady,
        })
    }

    /// Traces the steady iteration of `program`; the other parts of the trace are empty.
    pub fn steady(
        &mut self,
        program: &ProgramWords,
        entrance: &Entrance,
    ) -> Result<ProgramTrace, TraceError> {
        self.spent = 0;
        let walked = self.walk(program, entrance.steady)?;
        Ok(ProgramTrace {
            steady: walked.segments,
            nodes: program.nodes(),
            assumptions: ProgramTrace::COUNTED_ITERATIONS * walked.assumptions,
            ..ProgramTrace::default()
        })
    }

    fn few_iterations(&self, given: usize) -> TraceError {
        TraceError::Iterations {
            kernel: self.kernel.name.clone(),
            given,
            expected: 3,
        }
    }
}
