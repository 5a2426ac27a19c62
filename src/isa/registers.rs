//! Sets of registers, and what is live at an instruction.
//!
//! Leaves out: where they come from (`cfg`, `nv50::flow`).

use super::operand::RZ;

/// A set of registers, a bit each.
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

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// All of them, in order.
    pub fn all(&self) -> impl Iterator<Item = u8> + '_ {
        (0..RZ).filter(|&register| self.has(register))
    }
}

/// A set of registers, predicates and the condition code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LiveSet {
    pub registers: Registers,
    /// By number; bit 7: the condition code.
    pub predicates: u16,
}

impl LiveSet {
    /// Whether a register is among them.
    pub fn contains(&self, register: u8) -> bool {
        self.registers.has(register)
    }

    /// Adds what is in another set.
    pub fn join(&mut self, other: &LiveSet) {
        self.registers.join(&other.registers);
        self.predicates |= other.predicates;
    }
}
