//! Registers of one wavefront, and execution of ALU clauses on them.
//!
//! Models: general registers, address register, predicate, execution mask, the results of the previous bundle, the queue of
//! local memory; all sources of a bundle are read before any of its results is written.
//! Leaves out: clause temporaries.
//! Sources: AMD, Evergreen Family Instruction Set Architecture, chapter 4.

use super::{ExecuteError, LANES, Mask, Words, ops};
use crate::vliw::r600::{Bundle, Destination, Instruction, Opcode, Operand, Predicate, Source};
use std::collections::VecDeque;

#[derive(Debug, Clone)]
pub struct Lanes {
    registers: Vec<Words>,
    previous: [Words; 5],
    address: Words,
    predicate: Mask,
    queue: VecDeque<Words>,
    /// Active lanes.
    pub active: Mask,
}

/// Memories that a clause uses besides registers.
pub struct Surroundings<'a> {
    pub constants: &'a [u32],
    pub local: &'a mut [u32],
}

/// Effects of a clause that determine its time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClauseResult {
    pub local_reads: u8,
    pub meets_barrier: bool,
}

impl Lanes {
    pub fn new(n_registers: u32, active: Mask) -> Self {
        Lanes {
            registers: vec![[0; LANES]; n_registers as usize * 4],
            previous: [[0; LANES]; 5],
            address: [0; LANES],
            predicate: 0,
            queue: VecDeque::new(),
            active,
        }
    }

    pub fn register(&self, (number, channel): (u8, u8)) -> &Words {
        &self.registers[usize::from(number) * 4 + usize::from(channel)]
    }

    pub fn register_mut(&mut self, (number, channel): (u8, u8)) -> &mut Words {
        &mut self.registers[usize::from(number) * 4 + usize::from(channel)]
    }

    /// Executes a clause.
    pub fn clause(
        &mut self,
        bundles: &[Bundle],
        around: &mut Surroundings,
    ) -> Result<ClauseResult, ExecuteError> {
        let mut result = ClauseResult::default();
        for bundle in bundles {
            self.bundle(bundle, around, &mut result)?;
        }
        Ok(result)
    }

    fn bundle(
        &mut self,
        bundle: &Bundle,
        around: &mut Surroundings,
        result: &mut ClauseResult,
    ) -> Result<(), ExecuteError> {
        let mut values = [[0; LANES]; 5];
        for instruction in &bundle.0 {
            values[usize::from(instruction.slot)] = self.evaluate(instruction, around)?;
        }
        for instruction in &bundle.0 {
            let mask = self.active & self.selected(instruction.predicate);
            match instruction.opcode {
                Opcode::LocalRead => result.local_reads += 1,
                Opcode::Barrier => result.meets_barrier = true,
                _ => {}
            }
            self.write(instruction, &values[usize::from(instruction.slot)], mask);
        }
        for instruction in &bundle.0 {
            let slot = usize::from(instruction.slot);
            self.previous[slot] = values[slot];
        }
        Ok(())
    }

    fn selected(&self, predicate: Predicate) -> Mask {
        match predicate {
            Predicate::Always => Mask::MAX,
            Predicate::IfSet => self.predicate,
            Predicate::IfClear => !self.predicate,
        }
    }

    fn evaluate(
        &mut self,
        instruction: &Instruction,
        around: &mut Surroundings,
    ) -> Result<Words, ExecuteError> {
        let mut sources = [[0; LANES]; 3];
        for (words, operand) in sources.iter_mut().zip(&instruction.sources) {
            *words = self.operand(operand, around.constants)?;
        }
        let mask = self.active & self.selected(instruction.predicate);
        let mut values = [0; LANES];
        for lane in (0..LANES).filter(|lane| mask >> lane & 1 == 1) {
            let [a, b, c] = [sources[0][lane], sources[1][lane], sources[2][lane]];
            values[lane] = match instruction.opcode {
                Opcode::LocalRead => *word(around.local, a)?,
                Opcode::LocalWrite => {
                    *word(around.local, a)? = b;
                    b
                }
                opcode => ops::value(opcode, [a, b, c]),
            };
        }
        Ok(values)
    }

    fn operand(&mut self, operand: &Operand, constants: &[u32]) -> Result<Words, ExecuteError> {
        let mut words = match operand.source {
            Source::Register(r, c) => *self.register((r, c)),
            Source::Relative(r, c) => self.relative(r, c)?,
            Source::Previous(slot) => self.previous[usize::from(slot)],
            Source::Constant(at) => [constants.get(usize::from(at)).copied().unwrap_or(0); LANES],
            Source::Word(word) => [word; LANES],
            Source::LocalQueue => self.queue.pop_front().unwrap_or([0; LANES]),
        };
        const SIGN: u32 = 1 << 31;
        for word in &mut words {
            if operand.absolute {
                *word &= !SIGN;
            }
            if operand.negative {
                *word ^= SIGN;
            }
        }
        Ok(words)
    }

    fn relative(&self, first: u8, channel: u8) -> Result<Words, ExecuteError> {
        let mut words = [0; LANES];
        for lane in (0..LANES).filter(|lane| self.active >> lane & 1 == 1) {
            if let Some(from) = self.registers.get(self.index(first, channel, lane)) {
                words[lane] = from[lane];
            }
        }
        Ok(words)
    }

    fn index(&self, first: u8, channel: u8, lane: usize) -> usize {
        let number = u32::from(first).wrapping_add(self.address[lane]) as usize;
        number.saturating_mul(4) + usize::from(channel)
    }

    fn write(&mut self, instruction: &Instruction, values: &Words, mask: Mask) {
        let lanes = || (0..LANES).filter(move |lane| mask >> lane & 1 == 1);
        match instruction.destination {
            Destination::Register(r, c) => {
                let target = self.register_mut((r, c));
                lanes().for_each(|lane| target[lane] = values[lane]);
            }
            Destination::Relative(r, c) => {
                for lane in lanes() {
                    let index = self.index(r, c, lane);
                    if let Some(target) = self.registers.get_mut(index) {
                        target[lane] = values[lane];
                    }
                }
            }
            Destination::Address => lanes().for_each(|lane| self.address[lane] = values[lane]),
            Destination::Predicate => self.predicate = true_lanes(values, mask),
            Destination::ExecMask => {
                self.predicate = true_lanes(values, mask);
                self.active &= self.predicate;
            }
            Destination::LocalQueue => self.queue.push_back(*values),
            Destination::None => {}
        }
    }
}

fn true_lanes(values: &Words, mask: Mask) -> Mask {
    let lanes = (0..LANES).filter(|&lane| values[lane] != 0);
    lanes.fold(0, |all, lane| all | 1 << lane) & mask
}

/// Returns the word of local memory at a byte address.
fn word(local: &mut [u32], address: u32) -> Result<&mut u32, ExecuteError> {
    local
        .get_mut(address as usize / 4)
        .ok_or(ExecuteError::Address { address })
}
