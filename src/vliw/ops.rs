//! Arithmetic of ALU instructions, for one lane.
//!
//! Models: bit-exact integer results; floats in IEEE single precision.
//! Leaves out: the hardware's approximations of sine, cosine and reciprocal, and flushing of denormals.
//! Units: SIN and COS take revolutions.
//! Sources: AMD, Evergreen Family Instruction Set Architecture, chapter 9.

use crate::vliw::r600::Opcode;
use std::f32::consts::TAU;

/// Computes the value of an instruction with up to three source words.
pub fn value(opcode: Opcode, [a, b, c]: [u32; 3]) -> u32 {
    float(opcode, [a, b, c])
        .or_else(|| compare(opcode, a, b))
        .unwrap_or_else(|| integer(opcode, a, b, c))
}

fn float(opcode: Opcode, [a, b, c]: [u32; 3]) -> Option<u32> {
    let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
    let result = match opcode {
        Opcode::Add => x + y,
        Opcode::Mul => x * y,
        Opcode::MulAdd => x * y + z,
        Opcode::Fract => x - x.floor(),
        Opcode::Trunc => x.trunc(),
        Opcode::Reciprocal => 1.0 / x,
        Opcode::Sin => (x * TAU).sin(),
        Opcode::Cos => (x * TAU).cos(),
        Opcode::SetE => f32::from(x == y),
        Opcode::SetNe => f32::from(x != y),
        Opcode::SetGt => f32::from(x > y),
        Opcode::SetGe => f32::from(x >= y),
        Opcode::IntToFloat => a as i32 as f32,
        Opcode::UintToFloat => a as f32,
        _ => return None,
    };
    Some(result.to_bits())
}

/// Computes comparisons, whose result is all ones or zero, and predicates.
fn compare(opcode: Opcode, a: u32, b: u32) -> Option<u32> {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let (i, j) = (a as i32, b as i32);
    let holds = match opcode {
        Opcode::SetEDx10 => x == y,
        Opcode::SetNeDx10 => x != y,
        Opcode::SetGtDx10 => x > y,
        Opcode::SetGeDx10 => x >= y,
        Opcode::SetEInt | Opcode::PredSetEInt => a == b,
        Opcode::SetNeInt | Opcode::PredSetNeInt => a != b,
        Opcode::SetGtInt => i > j,
        Opcode::SetGeInt => i >= j,
        Opcode::SetGtUint => a > b,
        Opcode::SetGeUint => a >= b,
        _ => return None,
    };
    Some(if holds { u32::MAX } else { 0 })
}

fn integer(opcode: Opcode, a: u32, b: u32, c: u32) -> u32 {
    match opcode {
        Opcode::AddInt => a.wrapping_add(b),
        Opcode::SubInt => a.wrapping_sub(b),
        Opcode::MulLowInt => a.wrapping_mul(b),
        Opcode::And => a & b,
        Opcode::Or => a | b,
        Opcode::Xor => a ^ b,
        Opcode::Not => !a,
        Opcode::ShiftLeft => a << (b & 31),
        Opcode::ShiftRight => a >> (b & 31),
        Opcode::ShiftRightSigned => (a as i32 >> (b & 31)) as u32,
        Opcode::ExtractUnsigned => extract(a, b, c),
        Opcode::ExtractSigned => {
            let width = c & 31;
            let shift = (32 - width) & 31;
            if width == 0 {
                0
            } else {
                ((extract(a, b, c) << shift) as i32 >> shift) as u32
            }
        }
        Opcode::SelectIfZeroInt => {
            if a == 0 {
                b
            } else {
                c
            }
        }
        Opcode::FloatToInt => f32::from_bits(a) as i32 as u32,
        // Moves, and operations handled by the caller.
        _ => a,
    }
}

fn extract(a: u32, offset: u32, width: u32) -> u32 {
    let kept = 1u32.checked_shl(width & 31).unwrap_or(0).wrapping_sub(1);
    a >> (offset & 31) & kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_extracted_with_and_without_sign() {
        assert_eq!(value(Opcode::ExtractUnsigned, [0xb00, 8, 4]), 0xb);
        assert_eq!(value(Opcode::ExtractSigned, [0xb00, 8, 4]), 0xffff_fffb);
        assert_eq!(value(Opcode::ExtractSigned, [1, 0, 1]), u32::MAX);
    }

    #[test]
    fn sine_takes_revolutions() {
        let quarter = value(Opcode::Sin, [0.25f32.to_bits(), 0, 0]);
        assert!((f32::from_bits(quarter) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_compare_gives_one_or_all_ones() {
        let two = [2.0f32.to_bits(), 1.0f32.to_bits(), 0];
        assert_eq!(value(Opcode::SetGt, two), 1.0f32.to_bits());
        assert_eq!(value(Opcode::SetGeDx10, two), u32::MAX);
        assert_eq!(value(Opcode::SetGtInt, [u32::MAX, 0, 0]), 0, "signed");
    }
}
