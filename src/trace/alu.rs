//! What one lane computes: the arithmetic of every operation without memory or control flow.
//!
//! Models: f32 and integer semantics, rounding modes, flushing of denormals, carry and condition
//! codes. Special functions are computed in f64 and rounded once, so they are at least as exact as
//! the hardware's. Leaves out: the hardware's approximation error of MUFU.
//! Units: raw bits. Sources: PTX ISA 3.2 (semantics), CUDA Programming Guide 5.5.

use std::cmp::Ordering;

use crate::isa::Instruction;
use crate::isa::op::{Compare, Logic, Mufu, Number, Op, Round};

/// Condition-code bits.
pub const CC_ZERO: u8 = 1;
pub const CC_SIGN: u8 = 2;
pub const CC_CARRY: u8 = 4;

/// The values that an instruction reads in one lane.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inputs {
    /// Raw source values, before their modifiers; the upper half holds the second register.
    pub sources: [u64; 4],
    /// Predicate sources, negation applied.
    pub predicates: [bool; 3],
    pub cc: u8,
}

/// What it produces.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outputs {
    pub value: u64,
    /// Result and complement.
    pub predicates: [bool; 2],
    pub cc: u8,
}

/// Whether a branch's condition-code test holds.
pub fn cc_holds(test: Compare, cc: u8) -> bool {
    test.holds(Some(if cc & CC_ZERO != 0 {
        Ordering::Equal
    } else if cc & CC_SIGN != 0 {
        Ordering::Less
    } else {
        Ordering::Greater
    }))
}

/// Executes an operation in one lane; `None` when it is not an arithmetic one.
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

    /// A float source with its modifiers.
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

    /// An integer source with its modifiers.
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

    fn float(&self, op: Op) -> Outputs {
        let round = self.instruction.round;
        let result = match op {
            Op::Fadd => rounded_fma(1.0, self.f(0), self.f(1), round),
            Op::Fmul if round == Round::Nearest => self.f(0) * self.f(1),
            Op::Fmul => rounded_fma(self.f(0), self.f(1), -0.0, round),
            Op::Ffma => rounded_fma(self.f(0), self.f(1), self.f(2), round),
            Op::Fmnmx if self.inputs.predicates[0] => self.f(0).min(self.f(1)),
            Op::Fmnmx => self.f(0).max(self.f(1)),
            Op::Mufu(function) => special(function, self.f(0)),
            _ => self.f(0),
        };
        let mut result = self.flush(result);
        if self.instruction.saturate {
            result = if result.is_nan() {
                0.0
            } else {
                result.clamp(0.0, 1.0)
            };
        }
        value(result.to_bits())
    }

    fn double(&self, op: Op) -> Outputs {
        let result = match op {
            Op::Dadd => self.d(0) + self.d(1),
            Op::Dmul => self.d(0) * self.d(1),
            _ => self.d(0).mul_add(self.d(1), self.d(2)),
        };
        value64(result.to_bits())
    }

    fn float_order(&self) -> Option<Ordering> {
        self.f(0).partial_cmp(&self.f(1))
    }

    fn integer_order(&self, signed: bool) -> Option<Ordering> {
        let (a, b) = (self.i(0), self.i(1));
        Some(if signed {
            (a as i32).cmp(&(b as i32))
        } else {
            a.cmp(&b)
        })
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

    fn add(&self) -> Outputs {
        let sources = &self.instruction.sources;
        // Subtraction is addition of the complement with a carry of 1, or the carry flag (`.X`).
        let operand = |index: usize| {
            if sources[index].negate {
                !self.raw(index)
            } else {
                self.i(index)
            }
        };
        let negated = u64::from(sources[0].negate) + u64::from(sources[1].negate);
        let carry = if self.instruction.carry_in {
            self.carry()
        } else {
            negated
        };
        with_carry(u64::from(operand(0)) + u64::from(operand(1)) + carry)
    }

    fn carry(&self) -> u64 {
        u64::from(self.inputs.cc & CC_CARRY != 0)
    }

    fn scaled_add(&self) -> Outputs {
        let scaled = self.i(0).wrapping_shl(self.raw(2));
        let carry = if self.instruction.carry_in {
            self.carry()
        } else {
            0
        };
        with_carry(u64::from(scaled) + u64::from(self.i(1)) + carry)
    }

    fn product(&self, signed: bool) -> u64 {
        let (a, b) = (self.i(0), self.i(1));
        if signed {
            (i64::from(a as i32) * i64::from(b as i32)) as u64
        } else {
            u64::from(a) * u64::from(b)
        }
    }

    fn multiply_add(&self, high: bool, signed: bool) -> Outputs {
        let product = self.product(signed);
        let part = if high {
            product >> 32
        } else {
            product & 0xffff_ffff
        };
        let carry = if self.instruction.carry_in {
            self.carry()
        } else {
            0
        };
        with_carry(part + u64::from(self.i(2)) + carry)
    }

    fn integer(&self, op: Op) -> Option<Outputs> {
        let result = match op {
            Op::Mov => self.raw(0),
            Op::Sel => return Some(self.pick(self.inputs.predicates[0])),
            Op::Fsel => self.f(usize::from(!self.inputs.predicates[0])).to_bits(),
            Op::Prmt => permute(self.raw(0), self.raw(1), self.raw(2)),
            Op::Imnmx { signed } => self.integer_min_max(signed),
            Op::Lop(logic) => logic.bits(self.i(0), self.i(1)),
            Op::Shl { wrap } => shift_amount(self.i(1), wrap).map_or(0, |by| self.i(0) << by),
            Op::Shr { signed, wrap } => self.shift_right(signed, wrap),
            Op::Shf { .. } => self.funnel_shift(op),
            Op::Bfe { signed } => extract(self.i(0), self.i(1), signed),
            Op::Bfi => insert(self.i(0), self.i(1), self.i(2)),
            Op::Popc => {
                let mask = if self.instruction.sources.len() > 1 {
                    self.i(1)
                } else {
                    u32::MAX
                };
                (self.i(0) & mask).count_ones()
            }
            Op::Flo { signed, shift } => leading_one(self.i(0), signed, shift),
            _ => return None,
        };
        Some(value(result))
    }

    fn integer_min_max(&self, signed: bool) -> u32 {
        let (a, b) = (self.i(0), self.i(1));
        let a_less = if signed { (a as i32) < b as i32 } else { a < b };
        if a_less == self.inputs.predicates[0] {
            a
        } else {
            b
        }
    }

    fn shift_right(&self, signed: bool, wrap: bool) -> u32 {
        let (bits, by) = (self.i(0), shift_amount(self.i(1), wrap));
        match (signed, by) {
            (true, by) => (bits as i32 >> by.unwrap_or(31)) as u32,
            (false, Some(by)) => bits >> by,
            (false, None) => 0,
        }
    }

    fn funnel_shift(&self, op: Op) -> u32 {
        let Op::Shf {
            right,
            wide,
            signed,
            wrap,
            high,
        } = op
        else {
            return 0;
        };
        let pair = u64::from(self.i(2)) << 32 | u64::from(self.i(0));
        let limit = if wide { 63 } else { 32 };
        let by = if wrap {
            self.i(1) % limit
        } else {
            self.i(1).min(limit)
        };
        let shifted = match (right, signed) {
            (false, _) => pair << by,
            (true, false) => pair >> by,
            (true, true) => (pair as i64 >> by) as u64,
        };
        (shifted >> if high { 32 } else { 0 }) as u32
    }

    /// Three addends and two carries; a negated addend is its complement plus one.
    fn add_three(&self) -> Outputs {
        let mut sum = self.inputs.predicates[..2]
            .iter()
            .map(|&carry| u64::from(carry))
            .sum::<u64>();
        for index in 0..3 {
            let source = self.instruction.sources[index];
            let bits = if source.negate || source.invert {
                !self.raw(index)
            } else {
                self.raw(index)
            };
            sum += u64::from(bits) + u64::from(source.negate);
        }
        let carries = [sum >> 32 != 0, sum >> 33 != 0];
        Outputs {
            predicates: carries,
            ..value(sum as u32)
        }
    }

    /// `(first << n) + second`, or the upper half of the pair (third, first) shifted, plus the second.
    fn scaled_address(&self, high: bool) -> Outputs {
        let shift = self.raw(if high { 3 } else { 2 }) & 31;
        let upper = if high { self.i(2) } else { 0 };
        let pair = (u64::from(upper) << 32 | u64::from(self.i(0))) << shift;
        let part = if high { pair >> 32 } else { pair & 0xffff_ffff };
        let sum = part + u64::from(self.i(1)) + u64::from(self.inputs.predicates[0]);
        Outputs {
            predicates: [sum >> 32 != 0, false],
            ..value(sum as u32)
        }
    }

    fn truth_table(&self) -> Outputs {
        let (a, b, c, table) = (self.i(0), self.i(1), self.i(2), self.raw(3));
        let mut result = 0;
        for row in 0..8 {
            let pick = |bits: u32, place: u32| if row >> place & 1 != 0 { bits } else { !bits };
            if table >> row & 1 != 0 {
                result |= pick(a, 2) & pick(b, 1) & pick(c, 0);
            }
        }
        let holds = result != 0 || self.inputs.predicates[0];
        Outputs {
            predicates: [holds, !holds],
            ..value(result)
        }
    }

    fn predicate_truth_table(&self) -> Outputs {
        let [a, b, c] = self.inputs.predicates.map(u32::from);
        let row = a << 2 | b << 1 | c;
        let predicates = [0, 1].map(|side| self.raw(side) >> row & 1 != 0);
        Outputs {
            predicates,
            ..Outputs::default()
        }
    }

    fn convert(&self, to: Number, from: Number, integral: bool) -> u64 {
        let round = self.instruction.round;
        let wide = match from {
            Number::Float(64) => self.d(0),
            Number::Float(_) => f64::from(self.f(0)),
            Number::Signed(bits) => {
                return from_integer(i128::from(signed_part(self.integer_source(0), bits)), to);
            }
            Number::Unsigned(bits) => {
                return from_integer(i128::from(unsigned_part(self.integer_source(0), bits)), to);
            }
        };
        match to {
            Number::Float(64) => wide.to_bits(),
            Number::Float(_) if integral => {
                u64::from((round_to_integer(wide, round) as f32).to_bits())
            }
            Number::Float(_) => u64::from(self.flush(round_to_f32(wide, 0.0, round)).to_bits()),
            Number::Signed(32) => u64::from(round_to_integer(wide, round) as i32 as u32),
            Number::Unsigned(32) => u64::from(round_to_integer(wide, round) as u32),
            Number::Signed(_) => round_to_integer(wide, round) as i64 as u64,
            Number::Unsigned(_) => round_to_integer(wide, round) as u64,
        }
    }

    fn integer_source(&self, index: usize) -> u64 {
        let source = self.instruction.sources[index];
        let bits = self.inputs.sources[index];
        if source.negate {
            bits.wrapping_neg()
        } else {
            bits
        }
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

/// `a * b + c`, rounded once.
fn rounded_fma(a: f32, b: f32, c: f32, round: Round) -> f32 {
    if round == Round::Nearest {
        return a.mul_add(b, c);
    }
    // The product of two f32 is exact in f64; two-sum gives the sum's rounding error.
    let (product, addend) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + addend;
    let part = sum - product;
    let error = (product - (sum - part)) + (addend - part);
    round_to_f32(sum, error, round)
}

/// Rounds `value + error` (`error` far below `value`) to f32.
fn round_to_f32(value: f64, error: f64, round: Round) -> f32 {
    let nearest = value as f32;
    if !nearest.is_finite() || round == Round::Nearest {
        return nearest;
    }
    let difference = (f64::from(nearest) - value) - error;
    match round {
        Round::Down if difference > 0.0 => nearest.next_down(),
        Round::Up if difference < 0.0 => nearest.next_up(),
        Round::Zero if difference > 0.0 && nearest > 0.0 => nearest.next_down(),
        Round::Zero if difference < 0.0 && nearest < 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

fn round_to_integer(value: f64, round: Round) -> f64 {
    match round {
        Round::Nearest => value.round_ties_even(),
        Round::Down => value.floor(),
        Round::Up => value.ceil(),
        Round::Zero => value.trunc(),
    }
}

fn signed_part(bits: u64, width: u8) -> i64 {
    let unused = 64 - u32::from(width);
    (bits << unused) as i64 >> unused
}

fn unsigned_part(bits: u64, width: u8) -> u64 {
    bits & (u64::MAX >> (64 - u32::from(width)))
}

fn from_integer(value: i128, to: Number) -> u64 {
    match to {
        Number::Float(64) => (value as f64).to_bits(),
        Number::Float(_) => u64::from((value as f32).to_bits()),
        Number::Signed(32) | Number::Unsigned(32) => u64::from(value as u32),
        Number::Signed(_) | Number::Unsigned(_) => value as u64,
    }
}

/// MUFU flushes denormal inputs, whatever its modifiers.
fn special(function: Mufu, x: f32) -> f32 {
    let x = flush_denormal(x);
    let wide = f64::from(x);
    match function {
        Mufu::Cos => wide.cos() as f32,
        Mufu::Sin => wide.sin() as f32,
        Mufu::CosTurns => (wide * std::f64::consts::TAU).cos() as f32,
        Mufu::SinTurns => (wide * std::f64::consts::TAU).sin() as f32,
        Mufu::Ex2 => flush_denormal(wide.exp2() as f32),
        Mufu::Lg2 => wide.log2() as f32,
        Mufu::Rcp => flush_denormal((1.0 / wide) as f32),
        Mufu::Rsq => (1.0 / wide.sqrt()) as f32,
        Mufu::Sqrt => wide.sqrt() as f32,
        Mufu::Rcp64h | Mufu::Rsq64h => f32::NAN,
    }
}

/// Whether the reciprocal sequence of a division may over- or underflow.
fn division_needs_slow_path(a: f32, b: f32) -> bool {
    let exponent = |x: f32| i32::from((x.to_bits() >> 23 & 0xff) as u8);
    let (ea, eb) = (exponent(a), exponent(b));
    let bad_divisor = eb == 0 || eb >= 253;
    let bad_dividend = ea == 255 || (a != 0.0 && ea <= 24);
    bad_divisor || bad_dividend || (a != 0.0 && !(-125..=126).contains(&(ea - eb)))
}

fn permute(a: u32, selector: u32, b: u32) -> u32 {
    let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
    let picked = [0, 4, 8, 12].map(|at| {
        let nibble = selector >> at & 0xf;
        let byte = bytes[(nibble & 7) as usize];
        if nibble & 8 != 0 {
            (byte as i8 >> 7) as u8
        } else {
            byte
        }
    });
    u32::from_le_bytes(picked)
}

fn shift_amount(by: u32, wrap: bool) -> Option<u32> {
    if wrap {
        Some(by & 31)
    } else {
        Some(by).filter(|&by| by < 32)
    }
}

fn extract(bits: u32, field: u32, signed: bool) -> u32 {
    let (position, length) = (field & 0xff, field >> 8 & 0xff);
    if length == 0 {
        return 0;
    }
    let wide = if signed {
        i64::from(bits as i32)
    } else {
        i64::from(bits)
    };
    let shifted = wide >> position.min(63);
    if length >= 32 {
        return shifted as u32;
    }
    let unused = 64 - length;
    if signed {
        (shifted << unused >> unused) as u32
    } else {
        (shifted as u64 & ((1 << length) - 1)) as u32
    }
}

fn insert(bits: u32, field: u32, into: u32) -> u32 {
    let (position, length) = (field & 0xff, (field >> 8 & 0xff).min(32));
    let mask = ((1u64 << length) - 1).checked_shl(position).unwrap_or(0) as u32;
    into & !mask | u64::from(bits).checked_shl(position).unwrap_or(0) as u32 & mask
}

fn leading_one(bits: u32, signed: bool, shift: bool) -> u32 {
    let bits = if signed && bits >> 31 != 0 {
        !bits
    } else {
        bits
    };
    match (bits, shift) {
        (0, _) => u32::MAX,
        (_, true) => bits.leading_zeros(),
        (_, false) => 31 - bits.leading_zeros(),
    }
}
