//! Folding of results into operands of another instruction.
//!
//! Models: a load from shared memory, or a move of a constant, whose only reader is one arithmetic instruction further down the
//! same basic block. An instruction has at most one operand in shared memory, its first, within 128 bytes of an address
//! register; kernel parameters and block sizes are also such operands; and at most one in constant memory. Commuting operands
//! are exchanged.
//! Leaves out: operands of 16 bits.
//! Units: instruction indices, bytes.
//! Sources: envytools (operand forms).

use std::collections::HashMap;

use super::address;
use super::flow::{self, Flow};
use crate::isa::Space;
use crate::isa::cfg::ControlFlow;
use crate::isa::instruction::Instruction;
use crate::isa::kernel::Kernel;
use crate::isa::op::Op;
use crate::isa::operand::{Place, RZ};

/// Reach of an operand from an address register.
const OPERAND_REACH: std::ops::RangeInclusive<i32> = 0..=124;

/// Folded instructions of a kernel.
#[derive(Default)]
pub struct Folds {
    into: HashMap<usize, usize>,
    operands: HashMap<usize, Vec<usize>>,
}

/// Memory of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    Shared,
    Constant,
}

impl Folds {
    pub fn new(kernel: &Kernel, control: &ControlFlow, flow: &Flow) -> Self {
        let mut folds = Folds::default();
        for index in 0..kernel.instructions.len() {
            let Some(consumer) = consumer(kernel, control, flow, index) else {
                continue;
            };
            let memory = memory_of_result(&kernel.instructions[index]);
            let taken = folds.taken(kernel, consumer);
            if memory.is_some_and(|memory| !taken.contains(&memory)) {
                folds.into.insert(index, consumer);
                folds.operands.entry(consumer).or_default().push(index);
            }
        }
        folds
    }

    /// Returns the instruction that has the result of `index` as an operand.
    pub fn reader(&self, index: usize) -> Option<usize> {
        self.into.get(&index).copied()
    }

    /// Returns the instructions that are operands of `index`.
    pub fn operands(&self, index: usize) -> &[usize] {
        self.operands.get(&index).map_or(&[], Vec::as_slice)
    }

    fn taken(&self, kernel: &Kernel, consumer: usize) -> Vec<Memory> {
        let own = kernel.instructions[consumer].sources.iter();
        let own = own.filter_map(|source| memory_of(source.place));
        let folded = self.operands(consumer).iter();
        let folded = folded.filter_map(|&at| memory_of_result(&kernel.instructions[at]));
        own.chain(folded).collect()
    }
}

/// Returns the memory of a constant: parameters and launch sizes are in shared memory, all others in constant memory.
fn memory_of(place: Place) -> Option<Memory> {
    match place {
        Place::Const { bank: 0, .. } => Some(Memory::Shared),
        Place::Const { .. } => Some(Memory::Constant),
        Place::Imm(bits) if bits != 0 => Some(Memory::Constant),
        _ => None,
    }
}

fn memory_of_result(instruction: &Instruction) -> Option<Memory> {
    match instruction.op {
        Op::Load => Some(Memory::Shared),
        _ => memory_of(instruction.sources.first()?.place),
    }
}

/// Returns the only reader of a result that may be an operand.
fn consumer(kernel: &Kernel, control: &ControlFlow, flow: &Flow, index: usize) -> Option<usize> {
    let instruction = &kernel.instructions[index];
    let can = flow.is_needed(index) && flow::always(instruction) && !instruction.sync;
    if !can || !(is_shared_word(instruction) || is_constant_move(instruction)) {
        return None;
    }
    let register = instruction.dst?;
    let [consumer] = flow.uses(kernel, control, index, register)[..] else {
        return None;
    };
    let block = &control.graph[control.block_of[index]];
    let using = &kernel.instructions[consumer];
    let reads = flow::sources(using)
        .iter()
        .filter(|&&r| r == register)
        .count();
    let fits = (index + 1..block.end).contains(&consumer)
        && flow::always(using)
        && reads == 1
        && takes_operand(using, register);
    let mut between = kernel.instructions[index + 1..consumer.max(index + 1)].iter();
    let keeps = !between.any(|other| disturbs(flow, instruction, other));
    (fits && keeps).then_some(consumer)
}

fn is_shared_word(instruction: &Instruction) -> bool {
    let reaches = |offset: i32| OPERAND_REACH.contains(&offset) && offset % 4 == 0;
    instruction.op == Op::Load
        && instruction
            .access
            .is_some_and(|access| access.space == Space::Shared && access.bytes_per_lane == 4)
        && instruction
            .memory
            .is_some_and(|memory| reaches(memory.offset))
}

fn is_constant_move(instruction: &Instruction) -> bool {
    let place = instruction.sources.first().map(|source| source.place);
    let direct = match place {
        Some(Place::Const { index, .. }) => index == RZ,
        Some(Place::Imm(_)) => true,
        _ => false,
    };
    instruction.op == Op::Mov && direct
}

/// Tells whether an instruction becomes a single one that can read `register`'s value from memory.
fn takes_operand(instruction: &Instruction, register: u8) -> bool {
    let place = |at: usize| instruction.sources.get(at).map(|source| source.place);
    let is_at = |at: usize| place(at) == Some(Place::Reg(register));
    let alone = instruction
        .predicates
        .iter()
        .all(|p| p.index == crate::isa::operand::PT);
    let absolute = instruction.sources.iter().any(|source| source.absolute);
    match instruction.op {
        Op::Fadd | Op::Fmul | Op::Iadd | Op::Lop(_) | Op::Fmnmx | Op::Imnmx { .. } => !absolute,
        Op::Ffma => is_at(0) || is_at(1),
        Op::Shl { .. } | Op::Shr { .. } => is_at(0),
        Op::Isetp { .. } | Op::Fsetp { .. } => alone,
        _ => false,
    }
}

/// Tells whether an instruction between a load and its reader may change the loaded value.
fn disturbs(flow: &Flow, load: &Instruction, other: &Instruction) -> bool {
    if load.op != Op::Load {
        return false;
    }
    let stores = other.op == Op::Store
        && other
            .access
            .is_some_and(|access| access.space == Space::Shared);
    let moves = address::address(flow, load).is_some_and(|base| other.writes().contains(&base));
    stores || moves || other.op == Op::Barrier
}
