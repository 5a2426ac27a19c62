//! Integer and bitwise arithmetic of one lane.

use super::{CC_CARRY, Lane, Outputs, value, with_carry};
use crate::isa::op::Op;

impl Lane<'_> {
    pub(super) fn add(&self) -> Outputs {
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

    pub(super) fn scaled_add(&self) -> Outputs {
        let scaled = self.i(0).wrapping_shl(self.raw(2));
        let carry = if self.instruction.carry_in {
            self.carry()
        } else {
            0
        };
        with_carry(u64::from(scaled) + u64::from(self.i(1)) + carry)
    }

    pub(super) fn product(&self, signed: bool) -> u64 {
        let (a, b) = (self.i(0), self.i(1));
        if signed {
            (i64::from(a as i32) * i64::from(b as i32)) as u64
        } else {
            u64::from(a) * u64::from(b)
        }
    }

    pub(super) fn multiply_add(&self, high: bool, signed: bool) -> Outputs {
        let product = self.product(signed);
        if high && self.instruction.source_registers[2] == 2 {
            let sum = product.wrapping_add(self.inputs.sources[2]);
            return value((sum >> 32) as u32);
        }
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
        // Hopper's `.X` names the predicate that holds the carry.
        let named = !self.instruction.predicates.is_empty();
        let predicate = u64::from(named && self.inputs.predicates[0]);
        with_carry(part + u64::from(self.i(2)) + carry + predicate)
    }

    pub(super) fn integer(&self, op: Op) -> Option<Outputs> {
        let result = match op {
            Op::Mov => self.raw(0),
            Op::Sel => return Some(self.pick(self.inputs.predicates[0])),
            Op::Fsel => self.f(usize::from(!self.inputs.predicates[0])).to_bits(),
            Op::Prmt => permute(self.raw(0), self.raw(1), self.raw(2)),
            Op::Imnmx { signed } => self.integer_min_max(self.i(0), self.i(1), signed),
            Op::IaddMnmx { signed } => {
                self.integer_min_max(self.i(0).wrapping_add(self.i(1)), self.i(2), signed)
            }
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
            Op::Sgxt => {
                let unused = 32u32.saturating_sub(self.i(1));
                ((self.i(0) << unused) as i32 >> unused) as u32
            }
            Op::Flo { signed, shift } => leading_one(self.i(0), signed, shift),
            _ => return None,
        };
        Some(value(result))
    }

    fn integer_min_max(&self, a: u32, b: u32, signed: bool) -> u32 {
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
        let width = if wide { 64 } else { 32 };
        let by = if wrap {
            self.i(1) & (width - 1)
        } else {
            self.i(1).min(width)
        };
        // All 64 bits may be shifted out.
        let shifted = match (right, signed) {
            (false, _) => pair.checked_shl(by).unwrap_or(0),
            (true, false) => pair.checked_shr(by).unwrap_or(0),
            (true, true) => (pair as i64 >> by.min(63)) as u64,
        };
        (shifted >> if high { 32 } else { 0 }) as u32
    }

    /// Three addends and two carries; a negated addend is its complement plus one.
    pub(super) fn add_three(&self) -> Outputs {
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
    pub(super) fn scaled_address(&self, high: bool) -> Outputs {
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

    /// The upper half of the sign-extended first, shifted, plus the second.
    pub(super) fn scaled_sign(&self) -> Outputs {
        let shift = self.raw(2) & 31;
        let extended = i64::from(self.i(0) as i32) << shift;
        let carry = u32::from(self.inputs.predicates[0]);
        value(
            ((extended >> 32) as u32)
                .wrapping_add(self.i(1))
                .wrapping_add(carry),
        )
    }

    pub(super) fn truth_table(&self) -> Outputs {
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

    pub(super) fn predicate_truth_table(&self) -> Outputs {
        let [a, b, c] = self.inputs.predicates.map(u32::from);
        let row = a << 2 | b << 1 | c;
        let predicates = [0, 1].map(|side| self.raw(side) >> row & 1 != 0);
        Outputs {
            predicates,
            ..Outputs::default()
        }
    }
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
