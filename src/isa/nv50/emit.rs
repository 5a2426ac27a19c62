//! Instructions of the translation, in code order.
//!
//! Models: registers read and written by each step of an expansion (a chain over the destination), operands in memory, writes
//! of address registers, the step that performs the access.
//! Leaves out: registers for intermediate results beyond the destination.
//! Units: bytes.
//! Sources: `table`.

use super::address::{self, Write};
use super::table::{self, Step};
use super::{Context, INSTRUCTION_BYTES, Translated, Translation, TranslationError, flow};
use crate::isa::instruction::Instruction;
use crate::isa::op::Op;
use crate::isa::operand::{PT, Predicate};
use crate::isa::{Access, Barriers, OpClass, TimingOp};

/// First dependence number of the address registers; those above them belong to the predicates.
const FIRST_ADDRESS_REGISTER: u8 = 59;
/// Intermediate result of an instruction that writes no register.
const INTERMEDIATE: u8 = 58;

/// Translates every instruction.
pub fn all(context: &Context) -> Result<Translated, TranslationError> {
    let n = context.kernel.instructions.len();
    let mut translated = Translated {
        instructions: Vec::new(),
        starts: vec![0],
        access: vec![None; n],
    };
    for index in 0..n {
        one(context, index, &mut translated)?;
        translated.starts.push(translated.instructions.len() as u32);
    }
    for (at, found) in translated.instructions.iter_mut().enumerate() {
        found.timing.pc_bytes = INSTRUCTION_BYTES * at as u32;
    }
    Ok(translated)
}

fn one(context: &Context, index: usize, out: &mut Translated) -> Result<(), TranslationError> {
    let instruction = &context.kernel.instructions[index];
    let moves_frame = instruction
        .dst
        .is_some_and(|dst| context.flow.is_frame_pointer(dst));
    if !context.flow.is_needed(index) || moves_frame {
        return Ok(());
    }
    let base = address::address(&context.flow, instruction);
    if let Some(base) = base.filter(|_| context.addresses.is_converted_at(index)) {
        out.instructions
            .push(to_address(context, instruction, base));
    }
    if context.folds.reader(index).is_some() {
        return Ok(());
    }
    if let Some(Write::Only(name)) = context.addresses.write(index) {
        push(context, index, &[(OpClass::Shift, name)], out);
        return Ok(());
    }
    push(context, index, &table::steps(context, index)?, out);
    if context.addresses.write(index) == Some(Write::Also) {
        for register in instruction.writes() {
            if context.addresses.has(register) {
                out.instructions
                    .push(to_address(context, instruction, register));
            }
        }
    }
    Ok(())
}

fn address_register(context: &Context, register: u8) -> u8 {
    FIRST_ADDRESS_REGISTER + context.addresses.slot(register)
}

/// Move of a register's value to its address register.
fn to_address(context: &Context, instruction: &Instruction, register: u8) -> Translation {
    let timing = TimingOp {
        reads: vec![register],
        writes: vec![address_register(context, register)],
        pred_reads: instruction.guard_mask(),
        ..blank(OpClass::Shift)
    };
    Translation {
        text: text(instruction.guard, "shl b32", &timing),
        timing,
    }
}

fn blank(class: OpClass) -> TimingOp {
    TimingOp {
        class,
        access: None,
        reads: Vec::new(),
        writes: Vec::new(),
        pred_reads: 0,
        pred_writes: 0,
        stall_cycles: 1,
        dual_with_next: false,
        pc_bytes: 0,
        redirects: false,
        indirect: false,
        barriers: Barriers::default(),
    }
}

fn push(context: &Context, index: usize, steps: &[Step], out: &mut Translated) {
    let instruction = &context.kernel.instructions[index];
    let sources = sources(context, index);
    let results = results(context, index);
    let own = instruction.access.is_some();
    let operand = shared_operand(context, index);
    for (at, &(class, name)) in steps.iter().enumerate() {
        let (first, last) = (at == 0, at + 1 == steps.len());
        let mut timing = TimingOp {
            reads: sources.clone(),
            writes: results.clone(),
            pred_reads: instruction.predicate_reads() as u8,
            ..blank(class)
        };
        timing.redirects = class == OpClass::Control && redirects(name);
        if results.is_empty() && steps.len() > 1 && !last {
            timing.writes = vec![INTERMEDIATE];
        }
        if !first {
            let before = if results.is_empty() {
                vec![INTERMEDIATE]
            } else {
                results.clone()
            };
            timing.reads.extend(before);
        }
        if last {
            timing.pred_writes = instruction.predicate_writes() as u8;
        }
        let access = if own && last {
            instruction.access.map(|access| (access, index))
        } else {
            operand.filter(|_| first)
        };
        if let Some((access, of)) = access {
            timing.access = Some(access);
            out.access[of] = Some(out.instructions.len() as u32);
        }
        let text = text(instruction.guard, name, &timing);
        out.instructions.push(Translation { timing, text });
    }
}

fn redirects(name: &str) -> bool {
    matches!(
        name,
        "bra" | "brk" | "call" | "ret" | "nop exit" | "nop join"
    )
}

/// Shared-memory operand folded from a load: its access, and the index of the load.
fn shared_operand(context: &Context, index: usize) -> Option<(Access, usize)> {
    let operands = context.folds.operands(index).iter();
    operands
        .filter_map(|&of| Some((context.kernel.instructions[of].access?, of)))
        .next()
}

/// Registers read: data, the address, and those of operands in memory.
fn sources(context: &Context, index: usize) -> Vec<u8> {
    let instruction = &context.kernel.instructions[index];
    let flow = &context.flow;
    let mut registers = flow::sources(instruction);
    registers.retain(|&register| !flow.is_frame_pointer(register));
    let operands = context.folds.operands(index);
    for &operand in operands {
        let folded = &context.kernel.instructions[operand];
        registers.retain(|&register| Some(register) != folded.dst);
        let base = address::address(flow, folded);
        registers.extend(base.map(|base| address_register(context, base)));
    }
    match address::address(flow, instruction) {
        Some(base) => registers.push(address_register(context, base)),
        None => registers.extend(flow::base(instruction).filter(|&r| !flow.is_frame_pointer(r))),
    }
    if instruction.op == Op::Brx {
        registers.extend(instruction.memory.map(|memory| memory.base));
    }
    registers
}

/// Registers written: only the address register, if the result is only an address.
fn results(context: &Context, index: usize) -> Vec<u8> {
    let instruction = &context.kernel.instructions[index];
    let written = instruction.writes();
    match context.addresses.write(index) {
        Some(Write::Only(_)) => written
            .iter()
            .map(|&register| address_register(context, register))
            .collect(),
        _ => written,
    }
}

fn text(guard: Predicate, name: &str, timing: &TimingOp) -> String {
    let mut text = String::new();
    if guard.index != PT {
        text += &format!("@{}p{} ", if guard.negate { "!" } else { "" }, guard.index);
    }
    text += name;
    for register in timing.writes.iter().chain(&timing.reads) {
        text += &match register {
            FIRST_ADDRESS_REGISTER.. => format!(" $a{}", register - FIRST_ADDRESS_REGISTER + 1),
            _ => format!(" $r{register}"),
        };
    }
    text
}
