//! Sets of registers, and of values live at an instruction.
//!
//! Leaves out: their computation (`cfg`, `nv50::flow`).

use super::operand::RZ;

/// Set of registers, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Registers([u64; 4]);

impl Registers {
    pub fn has(&self, register: u8) -> bool {
        self.0[usize::from(register / 64)] >> (register % 64) & 1 != 0
    }

    pub fn add(&mut self, register: u8) {
        self.0[usize::from(register / 64)] |= 1 << (register % 64);
    }

    pub fn remove(&mut self, register: u8) {
        self.0[usize::from(register / 64)] &= !(1 << (register % 64));
    }

    pub fn join(&mut self, other: &Registers) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine |= theirs;
        }
    }

    /// Number of registers in the set.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Registers in the set, in order.
    pub fn all(&self) -> impl Iterator<Item = u8> + '_ {
        (0..RZ).filter(|&register| self.has(register))
    }
}

/// Set of registers, predicates and the condition code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LiveSet {
    pub registers: Registers,
    /// Predicates by number; bit 7: the condition code.
    pub predicates: u16,
}

impl LiveSet {
    /// Tells whether a register is in the set.
    pub fn contains(&self, register: u8) -> bool {
        self.registers.has(register)
    }

    /// Adds the elements of another set.
    pub fn join(&mut self, other: &LiveSet) {
        self.registers.join(&other.registers);
        self.predicates |= other.predicates;
    }
}
