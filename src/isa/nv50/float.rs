//! Rows of the table: floating point, conversions, special functions.
//!
//! Models: one instruction each, as on sm_35; absolute values of addends and factors are taken first; a square root is the
//! reciprocal of its reciprocal. The 64-bit steps of CUDA's range reduction, whose result is a float, count as 32-bit steps
//! (assumed: no such code of that era was found).
//! Leaves out: that `mad` truncates its product; double precision.
//! Units: instructions.
//! Sources: envytools; Mesa's nouveau target table for nv50 (operands that allow absolute values).

use super::table::{Expansion, Step};
use crate::isa::OpClass::{self, Compare, Convert, Fp32, IntAdd, Logic, Sfu, Shift};
use crate::isa::instruction::Instruction;
use crate::isa::op::{Mufu, Number, Op};
use crate::isa::operand::{PT, Place};

pub fn row(instruction: &Instruction) -> Option<Expansion> {
    Some(Ok(match instruction.op {
        Op::Fadd => absolute(instruction, (Fp32, "add f32")),
        Op::Fmul => absolute(instruction, (Fp32, "mul f32")),
        Op::Ffma => fused(instruction),
        Op::Fmnmx => minimum(instruction, Fp32),
        Op::Mufu(function) => return Some(special(function)),
        Op::Rro => vec![(Sfu, "pre")],
        Op::Convert { to, from, .. } => return Some(convert(to, from)),
        // Both exponents are extracted, and their difference is compared with a range.
        Op::Fchk => vec![
            (Shift, "shr u32"),
            (Shift, "shr u32"),
            (IntAdd, "sub b32"),
            (IntAdd, "add b32"),
            (Compare, "set u32"),
        ],
        Op::Dmul => vec![(Fp32, "mul f32")],
        Op::Dadd | Op::Dfma => return Some(Err("double precision")),
        _ => return None,
    }))
}

fn absolute(instruction: &Instruction, step: Step) -> Vec<Step> {
    let absolute = instruction.sources.iter().filter(|source| source.absolute);
    let mut steps = vec![(Convert, "cvt abs f32"); absolute.count()];
    steps.push(step);
    steps
}

/// Steps of a multiply-add; the addend cannot be an operand in shared memory.
fn fused(instruction: &Instruction) -> Vec<Step> {
    let addend = instruction.sources.get(2).map(|source| source.place);
    let mut steps = absolute(instruction, (Fp32, "mad f32"));
    if matches!(addend, Some(Place::Const { bank: 0, .. })) {
        steps.insert(0, (Logic, "mov b32"));
    }
    steps
}

/// Steps of a minimum or maximum: one instruction for a constant predicate; otherwise both, and a choice.
pub fn minimum(instruction: &Instruction, class: OpClass) -> Vec<Step> {
    match instruction.predicates.first() {
        Some(predicate) if predicate.index != PT => {
            vec![(class, "min"), (class, "max"), (Logic, "mov b32")]
        }
        _ => vec![(class, "min/max")],
    }
}

fn special(function: Mufu) -> Expansion {
    Ok(match function {
        Mufu::Cos => vec![(Sfu, "cos f32")],
        Mufu::Sin => vec![(Sfu, "sin f32")],
        Mufu::Ex2 => vec![(Sfu, "ex2 f32")],
        Mufu::Lg2 => vec![(Sfu, "lg2 f32")],
        Mufu::Rcp => vec![(Sfu, "rcp f32")],
        Mufu::Rsq => vec![(Sfu, "rsqrt f32")],
        Mufu::Sqrt => vec![(Sfu, "rsqrt f32"), (Sfu, "rcp f32")],
        Mufu::CosTurns | Mufu::SinTurns => return Err("an angle in turns"),
        Mufu::Rcp64h | Mufu::Rsq64h => return Err("double precision"),
    })
}

fn convert(to: Number, from: Number) -> Expansion {
    Ok(match (to, from) {
        (Number::Float(64), Number::Signed(64) | Number::Unsigned(64)) => {
            vec![
                (Convert, "cvt f32 s32"),
                (Convert, "cvt f32 u32"),
                (Fp32, "mad f32"),
            ]
        }
        (Number::Float(32), Number::Float(64)) | (Number::Float(64), Number::Float(32)) => {
            vec![(Logic, "mov b32")]
        }
        _ if to.bits() > 32 || from.bits() > 32 => return Err("numbers of 64 bits"),
        _ => vec![(Convert, "cvt")],
    })
}
