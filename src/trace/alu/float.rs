//! Float arithmetic, special functions and conversions of one lane.

use super::{Lane, Outputs, flush_denormal, value, value64};
use crate::isa::half::{half_from, half_to};
use crate::isa::op::{Mufu, Number, Op, Round};
use crate::util::elementary::{cos, exp2, log2, sin};

impl Lane<'_> {
    pub(super) fn float(&self, op: Op) -> Outputs {
        let round = self.instruction.round;
        if let Op::Mufu(function @ (Mufu::Rcp64h | Mufu::Rsq64h)) = op {
            return value(self.upper_word(function));
        }
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

    /// Returns the upper word of the function of a double, given by its upper word.
    fn upper_word(&self, function: Mufu) -> u32 {
        let x = f64::from_bits(u64::from(self.f(0).to_bits()) << 32);
        let result = match function {
            Mufu::Rcp64h => 1.0 / x,
            _ => 1.0 / x.sqrt(),
        };
        (result.to_bits() >> 32) as u32
    }

    pub(super) fn double(&self, op: Op) -> Outputs {
        let result = match op {
            Op::Dadd => self.d(0) + self.d(1),
            Op::Dmul => self.d(0) * self.d(1),
            _ => self.d(0).mul_add(self.d(1), self.d(2)),
        };
        value64(result.to_bits())
    }

    pub(super) fn convert(&self, to: Number, from: Number, integral: bool) -> u64 {
        let wide = match from {
            Number::Float(64) => self.d(0),
            Number::Float(16) => self.half_source(),
            Number::Float(_) => f64::from(self.f(0)),
            Number::Signed(bits) => {
                return self.of_integer(i128::from(signed_part(self.integer_source(0), bits)), to);
            }
            Number::Unsigned(bits) => {
                return self
                    .of_integer(i128::from(unsigned_part(self.integer_source(0), bits)), to);
            }
        };
        let round = self.instruction.round;
        match to {
            Number::Float(_) if integral => self.of_float(round.to_integer(wide), to),
            Number::Float(_) => self.of_float(wide, to),
            // A float beyond the range becomes the nearest number in it.
            _ => clamped(round.to_integer(wide) as i128, to),
        }
    }

    /// Rounds a float to a format, after saturation to 0..=1 if the instruction saturates.
    fn of_float(&self, wide: f64, to: Number) -> u64 {
        let wide = match self.instruction.saturate {
            true if wide.is_nan() => 0.0,
            true => wide.clamp(0.0, 1.0),
            false => wide,
        };
        let round = self.instruction.round;
        match to {
            Number::Float(64) => wide.to_bits(),
            Number::Float(16) => half_from(wide, round).into(),
            _ => u64::from(self.flush(round_to_f32(wide, 0.0, round)).to_bits()),
        }
    }

    fn of_integer(&self, value: i128, to: Number) -> u64 {
        let round = self.instruction.round;
        match to {
            Number::Float(64) => (value as f64).to_bits(),
            Number::Float(16) => half_from(value as f64, round).into(),
            Number::Float(_) if round == Round::Nearest => u64::from((value as f32).to_bits()),
            Number::Float(_) => {
                // Exact in two steps: a float of 64 bits and what it leaves out.
                let wide = value as f64;
                let rest = (value - wide as i128) as f64;
                u64::from(round_to_f32(wide, rest, round).to_bits())
            }
            _ if self.instruction.saturate => clamped(value, to),
            _ => narrowed(value as u64, to),
        }
    }

    /// The lower half of the first source as a number of half precision.
    fn half_source(&self) -> f64 {
        let source = self.instruction.sources[0];
        let magnitude = half_to(self.raw(0) as u16);
        let magnitude = if source.absolute {
            magnitude.abs()
        } else {
            magnitude
        };
        if source.negate { -magnitude } else { magnitude }
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

fn signed_part(bits: u64, width: u8) -> i64 {
    let unused = 64 - u32::from(width);
    (bits << unused) as i64 >> unused
}

fn unsigned_part(bits: u64, width: u8) -> u64 {
    bits & (u64::MAX >> (64 - u32::from(width)))
}

/// Bits of an integer in a register: those of narrow ones are extended to a word.
fn narrowed(bits: u64, to: Number) -> u64 {
    match to {
        Number::Signed(width @ 0..=32) => u64::from(signed_part(bits, width) as u32),
        Number::Signed(_) => bits,
        Number::Unsigned(width) | Number::Float(width) => unsigned_part(bits, width),
    }
}

/// The nearest integer of a format.
fn clamped(value: i128, to: Number) -> u64 {
    let (low, high) = match to {
        Number::Signed(width) => (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1),
        Number::Unsigned(width) | Number::Float(width) => (0, (1_i128 << width) - 1),
    };
    narrowed(value.clamp(low, high) as u64, to)
}

/// MUFU flushes denormal inputs, whatever its modifiers.
fn special(function: Mufu, x: f32) -> f32 {
    let x = flush_denormal(x);
    let wide = f64::from(x);
    match function {
        Mufu::Cos => cos(wide) as f32,
        Mufu::Sin => sin(wide) as f32,
        Mufu::CosTurns => cos(wide * std::f64::consts::TAU) as f32,
        Mufu::SinTurns => sin(wide * std::f64::consts::TAU) as f32,
        Mufu::Ex2 => flush_denormal(exp2(wide) as f32),
        Mufu::Lg2 => log2(wide) as f32,
        Mufu::Rcp => flush_denormal((1.0 / wide) as f32),
        Mufu::Rsq => (1.0 / wide.sqrt()) as f32,
        Mufu::Sqrt => wide.sqrt() as f32,
        // Functions of doubles are computed apart.
        Mufu::Rcp64h | Mufu::Rsq64h => f32::NAN,
    }
}

/// Tells whether the reciprocal sequence of a division may over- or underflow.
pub fn division_needs_slow_path(a: f32, b: f32) -> bool {
    let exponent = |x: f32| i32::from((x.to_bits() >> 23 & 0xff) as u8);
    let (ea, eb) = (exponent(a), exponent(b));
    let bad_divisor = eb == 0 || eb >= 253;
    // A dividend of zero is included: without it the counts of the H200 are off by up to 4 %.
    let bad_dividend = ea == 255 || ea <= 24;
    bad_divisor || bad_dividend || !(-125..=126).contains(&(ea - eb))
}
