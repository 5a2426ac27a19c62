//! Rows of the table: comparisons, predicates, choices.
//!
//! Models: a comparison sets a condition code, as one instruction; condition codes are combined in registers (moved there,
//! combined, with the code set by the last instruction); a choice is two moves, one of them predicated.
//! Leaves out: arithmetic that sets a condition code itself.
//! Units: instructions.
//! Sources: envytools.

use super::table::{Expansion, Step};
use crate::isa::OpClass::{Compare, Logic};
use crate::isa::instruction::Instruction;
use crate::isa::op::Op;
use crate::isa::operand::{PT, Place, Predicate};

pub fn row(instruction: &Instruction) -> Option<Expansion> {
    Some(Ok(match instruction.op {
        Op::Isetp { .. } | Op::Fsetp { .. } => combined(instruction, "set"),
        Op::Iset { as_float, .. } | Op::Fset { as_float, .. } => {
            let mut steps = combined(instruction, "set");
            if as_float {
                steps.push((Logic, "and b32"));
            }
            steps
        }
        Op::Icmp { .. } | Op::Fcmp { .. } => {
            let mut steps = vec![(Compare, "set")];
            steps.extend(choice(instruction));
            steps
        }
        Op::Sel => match instruction.predicates.first() {
            Some(predicate) if predicate.index != PT => choice(instruction),
            _ => vec![(Logic, "mov b32")],
        },
        Op::Psetp { .. } => logic(instruction),
        _ => return None,
    }))
}

/// Steps of a comparison, including the combination with a predicate.
fn combined(instruction: &Instruction, name: &'static str) -> Vec<Step> {
    let mut steps = vec![(Compare, name)];
    let with = instruction.predicates.first();
    if with.is_some_and(|predicate| *predicate != Predicate::ALWAYS) {
        steps.extend([(Logic, "mov $c"), (Logic, "and/or b32")]);
        if !instruction.dst_predicates.contains(&PT) {
            // The complement is combined as well.
            steps.extend([(Compare, name), (Logic, "and/or b32")]);
        }
    }
    steps
}

/// Steps of choosing one of two sources, one of which may already be in the destination.
fn choice(instruction: &Instruction) -> Vec<Step> {
    let there = |at: usize| {
        let place = instruction.sources.get(at).map(|source| source.place);
        instruction
            .dst
            .is_some_and(|dst| place == Some(Place::Reg(dst)))
    };
    let moves = if there(0) || there(1) { 1 } else { 2 };
    vec![(Logic, "mov b32"); moves]
}

/// Steps of predicate logic: moves every predicate to a register and combines them in pairs.
fn logic(instruction: &Instruction) -> Vec<Step> {
    let sources = instruction
        .predicates
        .iter()
        .filter(|source| source.index != PT);
    let n = sources.count().max(1);
    let mut steps = vec![(Logic, "mov $c"); n];
    steps.extend(vec![(Logic, "and/or b32"); (n - 1).max(1)]);
    steps
}
