//! What differs between architectures, in one place.

use super::instruction::Control;
use super::meaning::Meaning;
use super::text::RawInstruction;
use super::{hopper, kepler};

/// Architectures whose code is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Kepler,
    Hopper,
}

impl Family {
    pub fn of(arch: &str) -> Option<Self> {
        match arch {
            "sm_35" => Some(Family::Kepler),
            "sm_90" => Some(Family::Hopper),
            _ => None,
        }
    }

    pub fn meaning(self, opcode: &str) -> Option<Meaning> {
        match self {
            Family::Kepler => kepler::decode::meaning(opcode),
            Family::Hopper => hopper::decode::meaning(opcode),
        }
    }

    /// The text of an instruction that the disassembler did not print.
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

    /// The schedule of an instruction; `None` when its control information is not understood.
    pub fn control(self, raw: &RawInstruction) -> Option<Control> {
        let (word, place) = raw.control_word?;
        match self {
            Family::Kepler => kepler::control::of_instruction(word, place),
            Family::Hopper => Some(hopper::control::decode(word)),
        }
    }
}
