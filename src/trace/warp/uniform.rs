//! Registers with equal values in all lanes.
//!
//! Models: registers that an instruction of all 32 lanes leaves equal, because all its sources are. Most of an interpreter's
//! instructions are of this kind: fetching a token, comparing it, branching on it.
//! Leaves out: registers that are equal by chance.

use super::{LANES, Warp};
use crate::isa::instruction::Instruction;
use crate::isa::op::{Op, Special};
use crate::isa::operand::{PT, Place, RZ};
use crate::trace::alu::Outputs;

/// Set of registers; initially all hold zero.
#[derive(Debug, Clone)]
pub(super) struct UniformRegisters([u64; 4]);

impl Default for UniformRegisters {
    fn default() -> Self {
        UniformRegisters([u64::MAX; 4])
    }
}

impl UniformRegisters {
    pub fn holds(&self, register: u8) -> bool {
        register == RZ || self.0[usize::from(register / 64)] >> (register % 64) & 1 != 0
    }

    pub fn set(&mut self, first: u8, registers: u8, uniform: bool) {
        for register in first..first.saturating_add(registers) {
            let bit = 1 << (register % 64);
            let word = &mut self.0[usize::from(register / 64)];
            *word = if uniform { *word | bit } else { *word & !bit };
        }
    }
}

impl Warp<'_> {
    /// Tells whether an arithmetic instruction has equal results in `lanes`, which must be all.
    pub(super) fn is_uniform(&self, instruction: &Instruction, lanes: u32) -> bool {
        if lanes != u32::MAX {
            return false;
        }
        if let Op::S2r(special) = instruction.op {
            return match special {
                Special::Tid(0) | Special::LaneId => false,
                Special::Tid(_) => self.place.threads[1..] == [1, 1],
                Special::Ctaid(_) | Special::Zero => true,
            };
        }
        let sources = instruction.sources.iter().enumerate().take(4);
        let mut places =
            sources.map(|(at, source)| (source.place, instruction.source_registers[at]));
        places.all(|(place, registers)| match place {
            Place::Reg(RZ) | Place::Imm(_) => true,
            Place::Reg(first) => (first..first.saturating_add(registers.clamp(1, 2)))
                .all(|at| self.uniform.holds(at)),
            Place::Const { index, .. } => self.uniform.holds(index),
        }) && instruction
            .predicates
            .iter()
            .all(|predicate| matches!(self.mask(*predicate), 0 | u32::MAX))
            && self.cc == [self.cc[0]; LANES]
    }

    /// Writes the same result to all lanes.
    pub(super) fn write_all(&mut self, instruction: &Instruction, outputs: &Outputs) {
        if let Some(first) = instruction.dst {
            for part in 0..instruction.dst_registers.min(2) {
                let bits = (outputs.value >> (32 * u32::from(part))) as u32;
                self.registers[usize::from(first + part)] = [bits; LANES];
            }
            self.uniform.set(first, instruction.dst_registers, true);
        }
        let predicates = instruction.dst_predicates.into_iter();
        for (index, holds) in predicates.zip(outputs.predicates) {
            if index != PT {
                self.predicates[usize::from(index)] = if holds { u32::MAX } else { 0 };
            }
        }
        if instruction.writes_cc {
            self.cc = [outputs.cc; LANES];
        }
    }
}
