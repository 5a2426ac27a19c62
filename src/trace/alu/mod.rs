//! Arithmetic of one lane: every operation without memory or control flow.
//!
//! Models: f32 and integer semantics, rounding modes, flushing of denormals, carry and condition codes. Special functions are
//! computed in f64 and rounded once, so they are at least as exact as the hardware's.
//! Leaves out: the hardware's approximation error of MUFU.
//! Units: raw bits.
//! Sources: PTX ISA 3.2 (semantics), CUDA Programming Guide 5.5.

use std::cmp::Ordering;

use crate::isa::Instruction;
use crate::isa::op::{Compare, Logic, Op};

use float::division_needs_slow_path;

mod float;
mod integer;
#[cfg(test)]
pub mod tests;

/// Condition-code bits.
pub const CC_ZERO: u8 = 1;
pub const CC_SIGN: u8 = 2;
pub const CC_CARRY: u8 = 4;

/// Values that an instruction reads in one lane.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inputs {
    /// Raw source values, before their modifiers; the upper half holds the second register.
    pub sources: [u64; 4],
    /// Predicate sources, negation applied.
    pub predicates: [bool; 3],
    pub cc: u8,
}

/// Values that an instruction produces in one lane.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outputs {
    pub value: u64,
    /// Result and its complement.
    pub predicates: [bool; 2],
    pub cc: u8,
}

/// Tells whether a branch's condition-code test holds.
pub fn cc_holds(test: Compare, cc: u8) -> bool {
    test.holds(Some(if cc & CC_ZERO != 0 {
        Ordering::Equal
    } else if cc & CC_SIGN != 0 {
        Ordering::Less
    } else {
        Ordering::Greater
    }))
}

/// Executes an operation in one lane; `None` for non-arithmetic operations.
pub fn execute(instruction: &Instruction, inputs: &Inputs) -> Option<Outputs> {
    Lane {
        instruction,
        inputs,
    }
    .execute()
}

struct Lane<'a> {
    instruction: &'a Instruction,
    inputs: &'a Inputs,
}

impl Lane<'_> {
    fn execute(&self) -> Option<Outputs> {
        let op = self.instruction.op;
        let outputs = match op {
            Op::Fadd | Op::Fmul | Op::Ffma | Op::Fmnmx | Op::Mufu(_) | Op::Rro => self.float(op),
            Op::Dadd | Op::Dmul | Op::Dfma => self.double(op),
            Op::Fset {
                compare,
                combine,
                as_float,
            } => self.set(compare, self.float_order(), combine, as_float),
            Op::Iset {
                compare,
                combine,
                signed,
                as_float,
            } => self.set(compare, self.integer_order(signed), combine, as_float),
            Op::Fsetp { compare, combine } => self.setp(compare, self.float_order(), combine),
            Op::Isetp {
                compare,
                combine,
                signed,
            } => self.setp(compare, self.integer_order(signed), combine),
            Op::Psetp { first, second } => self.predicate_setp(first, second),
            Op::Fchk => predicate(division_needs_slow_path(self.f(0), self.f(1))),
            Op::Fcmp { compare } => self.pick(compare.holds(self.f(2).partial_cmp(&0.0))),
            Op::Icmp { compare, signed } => {
                let third = self.i(2);
                let order = if signed {
                    (third as i32).cmp(&0)
                } else {
                    third.cmp(&0)
                };
                self.pick(compare.holds(Some(order)))
            }
            Op::Convert { to, from, integral } => value64(self.convert(to, from, integral)),
            Op::Iadd => self.add(),
            Op::Iscadd => self.scaled_add(),
            Op::Iadd3 => self.add_three(),
            Op::Lea { high } => self.scaled_address(high),
            Op::LeaSigned => self.scaled_sign(),
            Op::ImadWide { signed } => {
                value64(self.product(signed).wrapping_add(self.inputs.sources[2]))
            }
            Op::Lop3 => self.truth_table(),
            Op::Plop3 => self.predicate_truth_table(),
            Op::Imul { high, signed } => {
                value((self.product(signed) >> if high { 32 } else { 0 }) as u32)
            }
            Op::Imad { high, signed } => self.multiply_add(high, signed),
            _ => return self.integer(op),
        };
        Some(outputs)
    }

    fn raw(&self, index: usize) -> u32 {
        self.inputs.sources[index] as u32
    }

    /// Returns a float source with its modifiers applied.
    fn f(&self, index: usize) -> f32 {
        let source = self.instruction.sources[index];
        let mut bits = self.raw(index);
        if source.absolute {
            bits &= 0x7fff_ffff;
        }
        if source.negate {
            bits ^= 0x8000_0000;
        }
        self.flush(f32::from_bits(bits))
    }

    fn flush(&self, value: f32) -> f32 {
        if self.instruction.flush_denormals {
            flush_denormal(value)
        } else {
            value
        }
    }

    /// Returns an integer source with its modifiers applied.
    fn i(&self, index: usize) -> u32 {
        let source = self.instruction.sources[index];
        let mut bits = self.raw(index);
        if source.absolute {
            bits = (bits as i32).wrapping_abs() as u32;
        }
        if source.invert {
            bits = !bits;
        }
        if source.negate {
            bits = bits.wrapping_neg();
        }
        bits
    }

    fn d(&self, index: usize) -> f64 {
        let source = self.instruction.sources[index];
        let value = match source.place {
            crate::isa::operand::Place::Imm(bits) => f64::from(f32::from_bits(bits)),
            _ => f64::from_bits(self.inputs.sources[index]),
        };
        let value = if source.absolute { value.abs() } else { value };
        if source.negate { -value } else { value }
    }

    fn float_order(&self) -> Option<Ordering> {
        self.f(0).partial_cmp(&self.f(1))
    }

    fn integer_order(&self, signed: bool) -> Option<Ordering> {
        let (a, b) = (self.i(0), self.i(1));
        let order = if signed {
            (a as i32).cmp(&(b as i32))
        } else {
            a.cmp(&b)
        };
        // `.X` on Kepler: the condition code is that of the difference of the lower words.
        let lower = match self.inputs.cc {
            _ if !self.instruction.carry_in => Ordering::Equal,
            cc if cc & CC_ZERO != 0 => Ordering::Equal,
            cc if cc & CC_CARRY != 0 => Ordering::Greater,
            _ => Ordering::Less,
        };
        Some(order.then(lower))
    }

    fn set(
        &self,
        compare: Compare,
        order: Option<Ordering>,
        combine: Logic,
        as_float: bool,
    ) -> Outputs {
        let holds = combine.bools(compare.holds(order), self.inputs.predicates[0]);
        let truth = if as_float { 1.0f32.to_bits() } else { u32::MAX };
        value(if holds { truth } else { 0 })
    }

    fn setp(&self, compare: Compare, order: Option<Ordering>, combine: Logic) -> Outputs {
        let (holds, with) = (compare.holds(order), self.inputs.predicates[0]);
        let predicates = [combine.bools(holds, with), combine.bools(!holds, with)];
        Outputs {
            predicates,
            ..Outputs::default()
        }
    }

    fn predicate_setp(&self, first: Logic, second: Logic) -> Outputs {
        let [a, b, c] = self.inputs.predicates;
        let inner = first.bools(a, b);
        let predicates = [second.bools(inner, c), second.bools(!inner, c)];
        Outputs {
            predicates,
            ..Outputs::default()
        }
    }

    fn pick(&self, first: bool) -> Outputs {
        value(if first { self.raw(0) } else { self.raw(1) })
    }
}

fn value(bits: u32) -> Outputs {
    let cc = if bits == 0 { CC_ZERO } else { 0 } | if bits >> 31 != 0 { CC_SIGN } else { 0 };
    Outputs {
        value: u64::from(bits),
        cc,
        ..Outputs::default()
    }
}

fn value64(bits: u64) -> Outputs {
    Outputs {
        value: bits,
        ..value(bits as u32)
    }
}

fn predicate(holds: bool) -> Outputs {
    Outputs {
        predicates: [holds, !holds],
        ..Outputs::default()
    }
}

fn with_carry(sum: u64) -> Outputs {
    let mut outputs = value(sum as u32);
    if sum >> 32 != 0 {
        outputs.cc |= CC_CARRY;
    }
    outputs
}

/// Replaces a denormal by a zero of its sign.
pub fn flush_denormal(value: f32) -> f32 {
    if value.is_subnormal() {
        0.0f32.copysign(value)
    } else {
        value
    }
}
