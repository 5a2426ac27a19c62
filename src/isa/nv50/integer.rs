//! Rows of the table: integers and bits.
//!
//! Models: 32-bit products in 16-bit pieces (a lower half needs no product of both upper halves; an upper half known to be 0
//! costs nothing); bit fields, funnel shifts, permutations as shifts and logic; the population count as in CUDA's header.
//! Leaves out: better sequences for particular constants.
//! Units: instructions.
//! Sources: Mesa's nouveau (split of a product); CUDA's `device_functions.h` (`__popc`); envytools.

use super::Context;
use super::float::minimum;
use super::table::{Expansion, Step};
use crate::isa::OpClass::{Convert, IntAdd, IntMul, Logic, Shift};
use crate::isa::instruction::Instruction;
use crate::isa::op::{Logic as Bits, Op, Special};
use crate::isa::operand::{Place, RZ, Source};

/// Offsets of block and grid sizes in constant bank 0 on sm_35.
const SIZES: std::ops::Range<i32> = 0x28..0x40;

const ADD: Step = (IntAdd, "add b32");
const AND: Step = (Logic, "and b32");
const OR: Step = (Logic, "or b32");
const SHL: Step = (Shift, "shl b32");
const SHR: Step = (Shift, "shr u32");

pub fn row(context: &Context, index: usize) -> Option<Expansion> {
    let instruction = &context.kernel.instructions[index];
    Some(Ok(match instruction.op {
        Op::Iadd => vec![ADD],
        Op::Iscadd => match immediate(instruction, 2) {
            Some(0) => vec![ADD],
            _ => vec![SHL, ADD],
        },
        Op::Imul { high, signed } => product(context, index, high, signed),
        Op::Imad { high, signed } => {
            let mut steps = product(context, index, high, signed);
            let adds_nothing = instruction.sources.get(2).map(|s| s.place) == Some(Place::Reg(RZ));
            match steps.len() {
                _ if adds_nothing => {}
                1 => steps = vec![(IntMul, "mad u16")],
                _ => steps.push(ADD),
            }
            steps
        }
        Op::Imnmx { .. } => minimum(instruction, IntAdd),
        Op::Lop(Bits::PassB) => vec![(Logic, "not b32")],
        Op::Lop(Bits::And) => vec![AND],
        Op::Lop(Bits::Or) => vec![OR],
        Op::Lop(Bits::Xor) => vec![(Logic, "xor b32")],
        Op::Shl { wrap } => shift(instruction, wrap, SHL),
        Op::Shr { signed, wrap } => shift(
            instruction,
            wrap,
            if signed { (Shift, "shr s32") } else { SHR },
        ),
        Op::Shf { .. } => funnel(instruction),
        Op::Bfe { signed } => extract(instruction, signed),
        Op::Bfi => insert(instruction),
        Op::Prmt => return Some(permute(instruction)),
        Op::Popc => count(instruction),
        Op::Flo { signed, shift } => leading_one(signed, shift),
        _ => return None,
    }))
}

fn immediate(instruction: &Instruction, at: usize) -> Option<u32> {
    match instruction.sources.get(at)?.place {
        Place::Imm(bits) => Some(bits),
        Place::Reg(RZ) => Some(0),
        _ => None,
    }
}

fn product(context: &Context, index: usize, high: bool, signed: bool) -> Vec<Step> {
    let sources = &context.kernel.instructions[index].sources;
    let short = |at: usize| {
        sources
            .get(at)
            .is_some_and(|source| is_short(context, index, source))
    };
    let (mul, mad) = ((IntMul, "mul u16"), (IntMul, "mad u16"));
    match (high, short(0), short(1)) {
        (false, true, true) => vec![mul],
        (false, true, false) | (false, false, true) => vec![mul, SHL, mad],
        (false, false, false) => vec![mul, mad, SHL, mad],
        (true, ..) => {
            let mut steps = vec![mul, mad, SHL, mad, SHR, ADD, (Logic, "mov b32"), mad];
            if signed {
                // Division of absolute values; the result is negated if the signs differ.
                let absolute = (Convert, "cvt abs s32");
                steps.splice(0..0, [absolute, absolute, (Logic, "xor b32")]);
                let not = (Logic, "not b32");
                let choice = (Logic, "mov b32");
                steps.extend([not, not, ADD, ADD, choice, choice, choice]);
            }
            steps
        }
    }
}

/// Tells whether the upper half of a source is known to be 0.
fn is_short(context: &Context, index: usize, source: &Source) -> bool {
    match source.place {
        Place::Imm(bits) => bits <= 0xffff,
        Place::Const {
            bank: 0, offset, ..
        } => SIZES.contains(&offset),
        Place::Const { .. } => false,
        Place::Reg(RZ) => true,
        Place::Reg(register) => {
            let control = &context.control;
            let start = control.graph[control.block_of[index]].start;
            let block = &context.kernel.instructions[start..index];
            let writes = |found: &&Instruction| found.writes().contains(&register);
            match block.iter().rev().find(writes) {
                Some(found) => gives_short(found),
                None => {
                    let mut all = context.kernel.instructions.iter().filter(writes);
                    all.clone().next().is_some() && all.all(gives_short)
                }
            }
        }
    }
}

fn gives_short(instruction: &Instruction) -> bool {
    let mask = immediate(instruction, 1).unwrap_or(u32::MAX);
    match instruction.op {
        Op::S2r(Special::Tid(_) | Special::Ctaid(_) | Special::LaneId) => true,
        Op::Lop(Bits::And) => mask <= 0xffff,
        Op::Load => instruction
            .access
            .is_some_and(|access| access.bytes_per_lane == 1),
        Op::Mov => match instruction.sources.first().map(|source| source.place) {
            Some(Place::Imm(bits)) => bits <= 0xffff,
            Some(Place::Reg(RZ)) => true,
            Some(Place::Const {
                bank: 0, offset, ..
            }) => SIZES.contains(&offset),
            _ => false,
        },
        _ => false,
    }
}

/// Steps of a shift, which clamps its count; a wrapped count is masked.
fn shift(instruction: &Instruction, wrap: bool, step: Step) -> Vec<Step> {
    match wrap && immediate(instruction, 1).is_none() {
        true => vec![AND, step],
        false => vec![step],
    }
}

/// Steps of a funnel shift of a register pair, or of one register if the other is 0.
fn funnel(instruction: &Instruction) -> Vec<Step> {
    let Op::Shf { right, wrap, .. } = instruction.op else {
        return Vec::new();
    };
    let is_zero = |at: usize| immediate(instruction, at) == Some(0);
    let alone = if right { is_zero(2) } else { is_zero(0) };
    let step = if right { SHR } else { SHL };
    let counted = immediate(instruction, 1).is_some();
    let mut steps = match (alone, counted) {
        (true, _) => vec![step],
        (false, true) => vec![SHL, SHR, OR],
        (false, false) => vec![SHL, (IntAdd, "sub b32"), SHR, OR],
    };
    if wrap && !counted {
        steps.insert(0, AND);
    }
    steps
}

fn extract(instruction: &Instruction, signed: bool) -> Vec<Step> {
    let Some(field) = immediate(instruction, 1) else {
        // Position and length are extracted from the operand, and the length is turned into a mask.
        let mut steps = vec![AND, SHR, SHR, AND, SHL, AND];
        if signed {
            steps.push((Shift, "shr s32"));
        }
        return steps;
    };
    let (position, length) = (field & 0xff, field >> 8 & 0xff);
    match (signed, position, length) {
        (_, 0, 16) | (true, 0, 8) => vec![(Convert, "cvt")],
        (false, 0, _) => vec![AND],
        (false, ..) if position + length >= 32 => vec![SHR],
        (true, ..) if position + length >= 32 => vec![(Shift, "shr s32")],
        (false, ..) => vec![SHR, AND],
        (true, ..) => vec![SHL, (Shift, "shr s32")],
    }
}

fn insert(instruction: &Instruction) -> Vec<Step> {
    match immediate(instruction, 1) {
        Some(_) => vec![AND, SHL, AND, OR],
        None => vec![AND, SHR, AND, SHL, AND, SHL, AND, OR],
    }
}

/// Steps of a permutation: halves are moved singly; bytes are masked, shifted and joined.
fn permute(instruction: &Instruction) -> Expansion {
    let Some(selector) = immediate(instruction, 1) else {
        return Err("a permutation that is not constant");
    };
    let half = |at: u32| {
        let (low, high) = (selector >> (8 * at) & 0xf, selector >> (8 * at + 4) & 0xf);
        (low % 2 == 0 && high == low + 1).then_some(low / 2)
    };
    let third = instruction.sources.get(2).map(|source| source.place);
    let dst = instruction.dst.map(Place::Reg);
    // Halves 0 and 1 are the first source's, 2 and 3 the third's.
    let in_place = |at: u32| {
        let of_third = half(at) == Some(at + 2) && third == dst;
        let of_first =
            half(at) == Some(at) && instruction.sources.first().map(|source| source.place) == dst;
        of_third || of_first
    };
    Ok(match (half(0), half(1)) {
        (Some(_), Some(_)) => {
            let moved = (0..2).filter(|&at| !in_place(at)).count().max(1);
            vec![(Logic, "mov b16"); moved]
        }
        _ => [AND, SHL, OR].repeat(2),
    })
}

/// Steps of CUDA's own population count, with a 24-bit product.
fn count(instruction: &Instruction) -> Vec<Step> {
    let mut steps = vec![SHR, AND, (IntAdd, "sub b32")];
    steps.extend([AND, SHR, AND, ADD]);
    steps.extend([SHR, ADD, AND]);
    steps.extend([(IntMul, "mul u24"), SHL, ADD, SHR]);
    let all_ones = |source: &Source| match source.place {
        Place::Imm(bits) => bits == u32::MAX,
        Place::Reg(RZ) => source.invert,
        _ => false,
    };
    let masked = instruction
        .sources
        .get(1)
        .is_some_and(|mask| !all_ones(mask));
    if masked {
        steps.insert(0, AND);
    }
    steps
}

/// Steps of finding the leading one: the exponent of the number as a float.
fn leading_one(signed: bool, shift: bool) -> Vec<Step> {
    let mut steps = vec![(Convert, "cvt f32 u32"), SHR, (IntAdd, "sub b32")];
    if signed {
        steps.splice(0..0, [(Shift, "shr s32"), (Logic, "xor b32")]);
    }
    if shift {
        steps.push((IntAdd, "sub b32"));
    }
    steps
}
