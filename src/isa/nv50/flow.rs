//! Results needed on a machine with 32-bit addresses, and their uses.
//!
//! Models: backwards over the control flow, results that nothing needs: upper halves of addresses and values used only to
//! compute them; the table look-up before an indirect branch, which becomes comparisons; the stack pointer, because local
//! memory starts at 0.
//! Leaves out: values.
//! Units: instruction indices.

use crate::isa::cfg::ControlFlow;
use crate::isa::instruction::Instruction;
use crate::isa::kernel::Kernel;
use crate::isa::op::Op;
use crate::isa::operand::{Place, Predicate, RZ};
use crate::isa::registers::LiveSet;

/// Stack pointer of the ABI.
const STACK_POINTER: u8 = 1;
/// Initial value of the stack pointer.
const STACK_TOP: Place = Place::Const {
    bank: 0,
    index: RZ,
    offset: 0x44,
};

/// Needed results of a kernel.
pub struct Flow {
    needed: Vec<bool>,
    frame_pointer: Option<u8>,
}

impl Flow {
    pub fn new(kernel: &Kernel, control: &ControlFlow) -> Self {
        let mut flow = Flow {
            needed: Vec::new(),
            frame_pointer: frame_pointer(kernel),
        };
        flow.needed = flow.needed_of(kernel, control);
        flow
    }

    pub fn is_needed(&self, index: usize) -> bool {
        self.needed[index]
    }

    /// Tells whether a register is the stack pointer, which is 0.
    pub fn is_frame_pointer(&self, register: u8) -> bool {
        self.frame_pointer == Some(register)
    }

    /// Registers that an instruction reads after translation: no upper halves of addresses, no stack pointer.
    pub fn reads(&self, instruction: &Instruction) -> Vec<u8> {
        let mut all = sources(instruction);
        all.extend(base(instruction));
        all.retain(|&register| !self.is_frame_pointer(register));
        all
    }

    /// Needed instructions that may read the value that `index` writes to `register`.
    pub fn uses(
        &self,
        kernel: &Kernel,
        control: &ControlFlow,
        index: usize,
        register: u8,
    ) -> Vec<usize> {
        let mut seen = vec![false; kernel.instructions.len()];
        let mut pending = control.successors[index].clone();
        let mut uses = Vec::new();
        while let Some(at) = pending.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let instruction = &kernel.instructions[at];
            if self.needed[at] && self.reads(instruction).contains(&register) {
                uses.push(at);
            }
            let overwrites =
                self.needed[at] && always(instruction) && instruction.writes().contains(&register);
            if !overwrites {
                pending.extend(&control.successors[at]);
            }
        }
        uses.sort_unstable();
        uses
    }

    fn needed_of(&self, kernel: &Kernel, control: &ControlFlow) -> Vec<bool> {
        let n = kernel.instructions.len();
        let (mut needed, mut live) = (vec![false; n], vec![LiveSet::default(); n]);
        let mut changed = true;
        while changed {
            changed = false;
            for index in (0..n).rev() {
                let (is_needed, before) = self.before(kernel, control, &live, index);
                changed |= before != live[index] || is_needed != needed[index];
                (needed[index], live[index]) = (is_needed, before);
            }
        }
        needed
    }

    fn before(
        &self,
        kernel: &Kernel,
        control: &ControlFlow,
        live: &[LiveSet],
        index: usize,
    ) -> (bool, LiveSet) {
        let instruction = &kernel.instructions[index];
        let mut set = LiveSet::default();
        for &next in &control.successors[index] {
            set.join(&live[next]);
        }
        let mut written = instruction.writes().into_iter();
        let gives = written.any(|register| set.registers.has(register))
            || set.predicates & instruction.predicate_writes() != 0;
        let needed = has_effect(instruction) || gives;
        if !needed {
            return (false, set);
        }
        if always(instruction) {
            for register in instruction.writes() {
                set.registers.remove(register);
            }
            set.predicates &= !instruction.predicate_writes();
        }
        for register in self.reads(instruction) {
            set.registers.add(register);
        }
        set.predicates |= instruction.predicate_reads();
        (true, set)
    }
}

/// Registers that an instruction reads as data.
pub fn sources(instruction: &Instruction) -> Vec<u8> {
    let sources = instruction
        .sources
        .iter()
        .zip(&instruction.source_registers);
    let of = |(source, &count): (&crate::isa::operand::Source, &u8)| match source.place {
        Place::Reg(RZ) | Place::Imm(_) => 0..0,
        Place::Reg(first) => first..first.saturating_add(count),
        Place::Const { index: RZ, .. } => 0..0,
        Place::Const { .. } if instruction.op == Op::Ldc => 0..0,
        Place::Const { index, .. } => index..index + 1,
    };
    sources.flat_map(of).collect()
}

/// Register of an address, the lower one of a pair.
pub fn base(instruction: &Instruction) -> Option<u8> {
    if instruction.op == Op::Ldc {
        return match instruction.sources.first()?.place {
            Place::Const { index, .. } if index != RZ => Some(index),
            _ => None,
        };
    }
    let memory = instruction.memory.filter(|_| instruction.op != Op::Brx)?;
    Some(memory.base).filter(|&base| base != RZ)
}

/// Tells whether an instruction is unconditional.
pub fn always(instruction: &Instruction) -> bool {
    instruction.guard == Predicate::ALWAYS
}

fn has_effect(instruction: &Instruction) -> bool {
    use Op::*;
    let acts = matches!(
        instruction.op,
        Load | Store | Bra | Brx | Ssy | Pbk | Brk | Pcnt | Cont | Call | Ret | Exit | Barrier
    );
    acts || instruction.sync
}

/// Stack pointer, if the code uses it as one.
fn frame_pointer(kernel: &Kernel) -> Option<u8> {
    let mut writers = kernel
        .instructions
        .iter()
        .filter(|instruction| instruction.writes().contains(&STACK_POINTER));
    let sets_it = |instruction: &Instruction| {
        let place = |at: usize| instruction.sources.get(at).map(|source| source.place);
        match instruction.op {
            Op::Mov => place(0) == Some(STACK_TOP),
            Op::Iadd => {
                place(0) == Some(Place::Reg(STACK_POINTER))
                    && matches!(place(1), Some(Place::Imm(_)))
            }
            _ => false,
        }
    };
    let any = kernel
        .instructions
        .iter()
        .any(|instruction| instruction.writes().contains(&STACK_POINTER));
    (any && writers.all(sets_it)).then_some(STACK_POINTER)
}
