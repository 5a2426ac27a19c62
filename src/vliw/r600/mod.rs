//! Machine code of AMD's VLIW5 GPUs (R600 to Evergreen), parsed from the output of clang 15's R600 back end. Independent of GP.
//!
//! Models: the control-flow program, its clauses, and in an ALU clause the bundles of up to five instructions that issue
//! together; general registers and the branch stack that the compiler reserved.
//! Leaves out: encodings, bank swizzles (they only determine the order in which operands are read), pixel and vertex shaders.
//! Units: addresses of the control-flow program count instructions, those of clauses 64-bit words.
//! Sources: AMD, Evergreen Family Instruction Set Architecture, November 2011; the listings themselves.
//!
//! * [`listing`]: a whole listing; [`control`]: the control-flow program; [`alu`]: instructions and bundles; [`operand`]: operands.

pub mod alu;
pub mod control;
pub mod listing;
pub mod operand;

pub use alu::{Bundle, Instruction, Opcode, Predicate};
pub use control::{ClauseFlow, Control};
pub use listing::{Fetch, Listing};
pub use operand::{Channel, Destination, Operand, Source};

/// Error in a listing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum R600Error {
    /// A line that cannot be parsed.
    #[error("line {line}: `{text}`: {why}")]
    Syntax {
        /// Line number, counted from 1.
        line: usize,
        /// Text of the line.
        text: String,
        /// Expected content.
        why: &'static str,
    },
    /// A missing part that every listing has.
    #[error("no {what} found; expected one kernel as clang prints it for r600")]
    Missing {
        /// Name of the part.
        what: &'static str,
    },
}
