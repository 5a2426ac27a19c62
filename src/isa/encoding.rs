//! Consistency of an instruction's text with its encoding.
//!
//! Models: the bits that distinguish opcodes, and the positions of guard, registers and immediates, which hold for every
//! instruction of the committed listings.
//! Leaves out: modifiers, predicate operands, the order of sources, Kepler's immediates.
//! Sources: nvdisasm 11.8's output, text beside encoding.

use super::OpClass;
use super::decoder::Decoder;
use super::error::IsaError;
use super::family::Family;
use super::instruction::Instruction;
use super::op::Op;
use super::operand::{Place, RZ};
use super::text::{RawInstruction, SassText};
use std::collections::{BTreeMap, BTreeSet};

/// Opcode names in listings, without modifiers, by the bits that distinguish them.
pub type Opcodes = BTreeMap<u64, BTreeSet<String>>;

/// Adds the opcodes of a listing to `known`.
pub fn note_opcodes(text: &str, file: &str, known: &mut Opcodes) -> Result<(), IsaError> {
    let text = SassText::split(text, file)?;
    let Some(family) = Family::of(&text.arch) else {
        return Ok(());
    };
    for raw in printed(&text) {
        let names = known.entry(opcode_bits(family, raw.encoding)).or_default();
        names.insert(name(raw).to_owned());
    }
    Ok(())
}

/// Refuses a listing in which an instruction's text and encoding disagree: its bits belong to other names in `known`, or the
/// encoding lacks its guard, a register or an immediate.
pub fn check(text: &str, file: &str, known: &Opcodes) -> Result<(), IsaError> {
    let text = SassText::split(text, file)?;
    let Some(family) = Family::of(&text.arch) else {
        return Ok(());
    };
    let decoder = Decoder::new(file, &text, family);
    for raw in printed(&text) {
        let instruction = decoder.instruction(raw)?;
        let names = known.get(&opcode_bits(family, raw.encoding));
        let other = names.filter(|names| !names.contains(name(raw)));
        let encoded = match other {
            Some(names) => names
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(" or "),
            None => match fields_agree(&decoder, &instruction, raw) {
                true => continue,
                false => "another guard, register or immediate".to_owned(),
            },
        };
        return Err(IsaError::Encoding {
            file: file.to_owned(),
            line: raw.line,
            text: raw.text.to_owned(),
            encoding: raw.encoding,
            encoded,
        });
    }
    Ok(())
}

fn printed<'a>(text: &'a SassText) -> impl Iterator<Item = &'a RawInstruction<'a>> {
    text.instructions.iter().filter(|raw| !raw.text.is_empty())
}

/// Returns the mnemonic without guard and modifiers.
fn name<'a>(raw: &RawInstruction<'a>) -> &'a str {
    let mut words = raw.text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let opcode = match first.starts_with('@') {
        true => words.next().unwrap_or_default(),
        false => first,
    };
    opcode.split('.').next().unwrap_or_default()
}

fn opcode_bits(family: Family, encoding: u64) -> u64 {
    match family {
        Family::Kepler => encoding >> 54 << 2 | encoding & 3,
        Family::Hopper => encoding & 0x1ff,
    }
}

fn fields_agree(decoder: &Decoder, instruction: &Instruction, raw: &RawInstruction) -> bool {
    let family = decoder.family;
    let (lower, upper) = (raw.encoding, raw.control_word.map_or(0, |(word, _)| word));
    let (guard, fields) = match family {
        Family::Kepler => (
            lower >> 18,
            [lower >> 2, lower >> 10, lower >> 23, lower >> 42],
        ),
        Family::Hopper => (lower >> 12, [lower >> 16, lower >> 24, lower >> 32, upper]),
    };
    // Kepler sets reconvergence points regardless of the guard.
    let has_guard =
        family == Family::Hopper || !matches!(instruction.op, Op::Ssy | Op::Pbk | Op::Pcnt);
    let guard_agrees = u64::from(instruction.guard.index) == guard & 7
        && u64::from(instruction.guard.negate) == guard >> 3 & 1;
    let is_field = |register: u8| {
        fields.iter().any(|field| {
            *field as u8 == register || is_uniform(register, decoder.first_uniform, *field)
        })
    };
    let (mut registers, mut immediates) = (Vec::from_iter(instruction.dst), Vec::new());
    if let Some(memory) = instruction.memory {
        registers.extend([memory.base, memory.index]);
    }
    for source in &instruction.sources {
        match source.place {
            Place::Reg(register) => registers.push(register),
            Place::Const { index, .. } => registers.push(index),
            Place::Imm(bits) => immediates.push(bits),
        }
    }
    // Registers that are not printed are absent, or RZ.
    let mut registers = registers.into_iter().filter(|&register| register != RZ);
    let immediate_agrees = !has_wide_immediate(family, instruction, raw)
        || immediates.is_empty()
        || immediates.contains(&((lower >> 32) as u32));
    (!has_guard || guard_agrees) && registers.all(is_field) && immediate_agrees
}

/// Tells whether an immediate is encoded as the 32 bits printed in the text.
fn has_wide_immediate(family: Family, instruction: &Instruction, raw: &RawInstruction) -> bool {
    let is_arithmetic = instruction.access.is_none() && instruction.class != OpClass::Control;
    let otherwise = matches!(
        instruction.op,
        Op::Plop3 | Op::Barrier | Op::Dadd | Op::Dmul | Op::Dfma
    );
    let is_symbol = raw.text.contains("32@");
    family == Family::Hopper
        && matches!(raw.encoding >> 9 & 7, 2 | 4)
        && is_arithmetic
        && !otherwise
        && !is_symbol
}

fn is_uniform(register: u8, first_uniform: u8, field: u64) -> bool {
    register
        .checked_sub(first_uniform)
        .is_some_and(|index| u64::from(index) == field & 0x3f)
}
