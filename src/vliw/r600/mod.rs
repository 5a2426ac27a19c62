//! Machine code of AMD's VLIW5 GPUs (R600 to Evergreen) as clang 15's R600 back end prints it, parsed. Knows no GP.
//!
//! Models: the control-flow program, its clauses, and in an ALU clause the bundles of up to five instructions that issue together;
//! general registers and the branch stack that the compiler reserved.
//! Leaves out: encodings, bank swizzles (they only say in which order operands are read), pixel and vertex shaders.
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

/// Why a listing cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum R600Error {
    /// A line that is not understood.
    #[error("line {line}: `{text}`: {why}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// The line.
        text: String,
        /// Expected text.
        why: &'static str,
    },
    /// Something that every listing has is not there.
    #[error("no {what} found; expected one kernel as clang prints it for r600")]
    Missing {
        /// The missing part.
        what: &'static str,
    },
}
