//! A program as one row of the buffer that a kernel reads.
//!
//! Models: the token codes of the papers' kernels ([`super::lower`]) or the instructions of the accumulator
//! ([`super::accumulate`]), as bits in global memory.
//! Leaves out: rows of several programs (`layout`). Units: words of 4 bytes.

use super::accumulate::Target;
use super::kernel_id::Lowering;
use super::lower::{LowerError, lower};
use super::variant::Variant;
use crate::gp::program::Rpn;

/// Words of an instruction of the accumulator.
const INSTRUCTION_WORDS: u32 = 2;

/// One program in a variant's encoding, including its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedProgram {
    /// Words as stored in global memory.
    pub words: Vec<u32>,
    /// Index of the first word of every token or instruction that the interpreter dispatches on.
    pub token_starts: Vec<u32>,
    /// Functions and terminals of the program: the nodes that GPop/s counts.
    pub nodes: u32,
}

impl EncodedProgram {
    /// Bytes of shared memory that the program occupies.
    pub fn shared_bytes(&self) -> usize {
        size_of_val(self.words.as_slice())
    }
}

/// Encodes `program` for the kernel of `variant`.
pub fn encode(program: &Rpn, variant: &Variant) -> Result<EncodedProgram, LowerError> {
    let lowering = variant.kernel.lowering();
    if lowering == Lowering::Accumulator {
        let words = Target::of(variant).words(program)?;
        let instructions = words.len() as u32 / INSTRUCTION_WORDS;
        return Ok(EncodedProgram {
            words,
            token_starts: (0..instructions).map(|at| INSTRUCTION_WORDS * at).collect(),
            nodes: program.0.len() as u32,
        });
    }
    let lowered = lower(program, lowering, variant.problem)?;
    Ok(EncodedProgram {
        words: lowered.bits(variant.dispatch),
        token_starts: lowered.token_starts,
        nodes: lowered.nodes,
    })
}
