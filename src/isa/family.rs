//! Differences between architectures, in one place.

use super::instruction::{Control, Instruction};
use super::meaning::Meaning;
use super::text::RawInstruction;
use super::{hopper, kepler};

/// Architecture families whose code can be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Kepler,
    /// Hopper, and also Turing, Ampere and Ada: the same format, and instructions by the same names.
    Hopper,
}

impl Family {
    pub fn of(arch: &str) -> Option<Self> {
        match arch {
            "sm_35" => Some(Family::Kepler),
            "sm_75" | "sm_80" | "sm_86" | "sm_89" | "sm_90" => Some(Family::Hopper),
            _ => None,
        }
    }

    pub fn meaning(self, opcode: &str) -> Option<Meaning> {
        match self {
            Family::Kepler => kepler::decode::meaning(opcode),
            Family::Hopper => hopper::decode::meaning(opcode),
        }
    }

    /// Returns the text of an instruction that the disassembler did not print.
    pub fn unprinted(self, raw: &RawInstruction) -> Option<String> {
        let (upper, _) = raw.control_word.filter(|_| raw.text.is_empty())?;
        hopper::unprinted::text(raw.encoding, upper).filter(|_| self == Family::Hopper)
    }

    pub fn instruction_bytes(self) -> u8 {
        match self {
            Family::Kepler => kepler::control::INSTRUCTION_BYTES,
            Family::Hopper => hopper::control::INSTRUCTION_BYTES,
        }
    }

    /// Index of the instruction at a byte offset. On Kepler the offset of a control word denotes the instruction after it.
    pub fn index_of(self, instructions: &[Instruction], pc_bytes: u32) -> Option<usize> {
        let find = |pc_bytes: u32| {
            instructions
                .binary_search_by_key(&pc_bytes, |found| found.pc_bytes)
                .ok()
        };
        find(pc_bytes).or_else(|| {
            let is_control_word = self == Family::Kepler
                && pc_bytes.is_multiple_of(kepler::control::WORD_INTERVAL_BYTES);
            is_control_word
                .then(|| find(pc_bytes.checked_add(kepler::control::WORD_BYTES)?))
                .flatten()
        })
    }

    /// Decodes the schedule of an instruction; `None` if its control information is unknown.
    pub fn control(self, raw: &RawInstruction) -> Option<Control> {
        let (word, place) = raw.control_word?;
        match self {
            Family::Kepler => kepler::control::of_instruction(word, place),
            Family::Hopper => {
                Some(hopper::control::decode(word)).filter(|control| control.barriers.exist())
            }
        }
    }
}
