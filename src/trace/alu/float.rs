//! Float arithmetic, special functions and conversions of one lane.

use super::{Lane, Outputs, flush_denormal, value, value64};
use crate::isa::op::{Mufu, Number, Op, Round};
use crate::util::elementary::{cos, exp2, log2, sin};

impl Lane<'_> {
    pub(super) fn float(&self, op: Op) -> Outputs {
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

    pub(super) fn double(&self, op: Op) -> Outputs {
        let result = match op {
            Op::Dadd => self.d(0) + self.d(1),
            Op::Dmul => self.d(0) * self.d(1),
            _ => self.d(0).mul_add(self.d(1), self.d(2)),
        };
        value64(result.to_bits())
    }

    pub(super) fn convert(&self, to: Number, from: Number, integral: bool) -> u64 {
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
        Mufu::Cos => cos(wide) as f32,
        Mufu::Sin => sin(wide) as f32,
        Mufu::CosTurns => cos(wide * std::f64::consts::TAU) as f32,
        Mufu::SinTurns => sin(wide * std::f64::consts::TAU) as f32,
        Mufu::Ex2 => flush_denormal(exp2(wide) as f32),
        Mufu::Lg2 => log2(wide) as f32,
        Mufu::Rcp => flush_denormal((1.0 / wide) as f32),
        Mufu::Rsq => (1.0 / wide.sqrt()) as f32,
        Mufu::Sqrt => wide.sqrt() as f32,
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
