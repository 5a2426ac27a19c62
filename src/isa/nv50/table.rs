//! Translation table of sm_35 operations, with the rows for control flow and memory.
//!
//! Models: the number and kind of instructions; the rows of arithmetic are in `integer`, `predicate` and `float`.
//! Leaves out: registers (`emit`).
//! Units: instructions.
//! Sources: envytools; the compared listings in `fixtures/nv50/`.

use super::{Compiler, Context, TranslationError, float, integer, predicate};
use crate::isa::instruction::Instruction;
use crate::isa::op::{Op, Special};
use crate::isa::operand::{Place, RZ};
use crate::isa::{Access, OpClass, Space};

/// One instruction of an expansion.
pub type Step = (OpClass, &'static str);

/// Expansion of an instruction, or the reason why it has none.
pub type Expansion = Result<Vec<Step>, &'static str>;

/// Expands an instruction that is neither an operand nor only an address.
pub fn steps(context: &Context, index: usize) -> Result<Vec<Step>, TranslationError> {
    let instruction = &context.kernel.instructions[index];
    let row = row(context, index).map_err(|why| context.refuse(index, why))?;
    let mut steps = meet(context, index, instruction, row);
    if context.target.compiler == Compiler::Loose {
        loosen(instruction, &mut steps);
    }
    Ok(steps)
}

/// Adds the instructions that Mesa's compiler adds.
fn loosen(instruction: &Instruction, steps: &mut Vec<Step>) {
    let forward = instruction
        .target
        .is_some_and(|target| target > instruction.pc_bytes);
    if instruction.op == Op::Bra && forward && !super::flow::always(instruction) {
        steps.insert(0, (OpClass::Control, "joinat"));
        steps.push((OpClass::Control, "nop join"));
    }
    let compares = instruction.class == OpClass::Compare;
    let loaded = instruction
        .sources
        .iter()
        .filter(|source| match source.place {
            Place::Const { bank: 0, .. } => true,
            Place::Imm(bits) => compares && bits != 0,
            _ => false,
        });
    steps.splice(0..0, loaded.map(|_| (OpClass::Logic, "mov b32")));
}

fn row(context: &Context, index: usize) -> Expansion {
    let instruction = &context.kernel.instructions[index];
    let is_indexed = |place: Place| matches!(place, Place::Const { index, .. } if index != RZ);
    let places = instruction.sources.iter().map(|source| source.place);
    if instruction.op != Op::Ldc && places.clone().any(is_indexed) {
        return Err("an indexed constant is no operand");
    }
    if let Some(row) = predicate::row(instruction).or_else(|| float::row(instruction)) {
        return row;
    }
    if let Some(row) = integer::row(context, index) {
        return row;
    }
    other(context, index)
}

fn other(context: &Context, index: usize) -> Expansion {
    use OpClass::{Barrier, ConstantLoad, Control, Convert, Logic, SpecialRegister};
    let instruction = &context.kernel.instructions[index];
    Ok(match instruction.op {
        Op::Nop => vec![],
        Op::Mov => vec![(Logic, "mov b32")],
        Op::S2r(Special::Tid(_)) => vec![(Convert, "cvt u32 u16")],
        Op::S2r(Special::Ctaid(_)) => vec![(Logic, "mov u16 s[]")],
        Op::S2r(Special::LaneId) => vec![(SpecialRegister, "mov physid"), (Logic, "and b32")],
        Op::S2r(Special::Zero) => vec![(Logic, "mov b32")],
        Op::Ldc => vec![(ConstantLoad, "ld b32 c[]"); usize::from(instruction.dst_registers)],
        Op::Load | Op::Store => return memory(instruction),
        Op::VoteAny if context.target.votes => vec![(Control, "vote any")],
        Op::VoteAny => return Err("it has no votes"),
        Op::Barrier => vec![(Barrier, "bar sync")],
        Op::Bra => vec![(Control, "bra")],
        Op::Ssy | Op::Pcnt => vec![(Control, "joinat")],
        Op::Pbk => vec![(Control, "prebrk")],
        Op::Brk => vec![(Control, "brk")],
        Op::Cont => vec![(Control, "bra")],
        Op::Call => vec![(Control, "call")],
        Op::Ret => vec![(Control, "ret")],
        Op::Exit => exit(context, index),
        Op::Brx => return indirect(instruction),
        _ => return Err("no such operation"),
    })
}

/// Expands a load or a store; the access is the last step. Global memory has no offsets; shared memory no wide words.
fn memory(instruction: &Instruction) -> Expansion {
    let Some(Access {
        space,
        bytes_per_lane,
        store,
    }) = instruction.access
    else {
        return Err("an access to no memory");
    };
    let offset = instruction.memory.map_or(0, |memory| memory.offset);
    let name = match (space, store) {
        (Space::Shared, _) if bytes_per_lane > 4 => {
            return Err("shared memory is accessed in words of 32 bits");
        }
        (Space::Shared, false) => "mov b32 s[]",
        (Space::Shared, true) => "mov b32 s[] <-",
        (Space::Local, false) => "ld l[]",
        (Space::Local, true) => "st l[]",
        (Space::Global, false) => "ld g14[]",
        (Space::Global, true) => "st g14[]",
    };
    let mut steps = Vec::new();
    if space == Space::Global && offset != 0 {
        steps.push((OpClass::IntAdd, "add b32"));
    }
    steps.push((OpClass::Memory, name));
    Ok(steps)
}

/// Expands an exit: a flag of the previous instruction, if that can carry it.
fn exit(context: &Context, index: usize) -> Vec<Step> {
    let control = &context.control;
    let instructions = &context.kernel.instructions;
    let carries = index > control.graph[control.block_of[index]].start
        && super::flow::always(&instructions[index])
        && super::flow::always(&instructions[index - 1])
        && instructions[index - 1].class != OpClass::Control
        && context.flow.is_needed(index - 1)
        && context.folds.reader(index - 1).is_none();
    match carries {
        true => vec![],
        false => vec![(OpClass::Control, "nop exit")],
    }
}

/// Expands an indirect branch to a tree of comparisons, as many as its depth.
fn indirect(instruction: &Instruction) -> Expansion {
    let targets = instruction.indirect_targets.len();
    if targets == 0 {
        return Err("an indirect branch whose targets are not known");
    }
    let depth = targets.next_power_of_two().ilog2().max(1) as usize;
    let level = [(OpClass::Compare, "set u32"), (OpClass::Control, "bra")];
    Ok(level.repeat(depth))
}

/// Adds reconvergence: lanes reconverge at an instruction with the join flag; lanes elsewhere branch to it.
fn meet(
    context: &Context,
    index: usize,
    instruction: &Instruction,
    mut steps: Vec<Step>,
) -> Vec<Step> {
    if !instruction.sync {
        return steps;
    }
    let control = &context.control;
    let before_target = control.successors[index].contains(&(index + 1));
    if !super::flow::always(instruction) {
        // Not all lanes: those that leave branch to the join.
        steps.push((OpClass::Control, "bra"));
    } else if before_target {
        if steps.is_empty() {
            steps.push((OpClass::Control, "nop join"));
        }
    } else {
        steps.push((OpClass::Control, "bra"));
        steps.push((OpClass::Control, "nop join"));
    }
    steps
}
