//! Does the check of a custom kernel refuse one with a wrong instruction?
//!
//! The instructions of committed kernels are changed one at a time, as they are decoded: another operation, register, immediate,
//! predicate or address. The suite takes some of the changes; `WARPSTACK_DIFFERENTIAL=50` all of the operations.

use super::trace_conformance::times;
use rayon::prelude::*;
use warpstack::gp::problem::ProblemId;
use warpstack::isa::op::{Mufu, Op};
use warpstack::isa::operand::{PT, Place, RZ};
use warpstack::isa::{Arch, Instruction, Kernel};
use warpstack::systems::chitty::conformance::compare_kernel;
use warpstack::systems::chitty::variant::{KernelId, Variant};

fn kernel(id: KernelId, stack_dim: u32, stack_registers: u32) -> (Variant, Kernel) {
    let variant = Variant {
        stack_registers,
        ..Variant::new(id, ProblemId::Sextic, stack_dim, Arch::Sm90)
    };
    let kernel = Kernel::parse(&variant.sass().unwrap(), variant.sass_file().unwrap()).unwrap();
    (variant, kernel)
}

/// Swaps addition and multiplication, makes a sum a difference, and replaces a special function by another.
fn operation(instruction: &mut Instruction) {
    match instruction.op {
        Op::Fadd => instruction.op = Op::Fmul,
        Op::Fmul => instruction.op = Op::Fadd,
        Op::Ffma if instruction.sources[2].place == Place::Reg(RZ) => {
            instruction.sources[0].negate ^= true;
        }
        Op::Ffma => instruction.sources[2].negate ^= true,
        Op::Mufu(Mufu::Ex2) => instruction.op = Op::Mufu(Mufu::Lg2),
        Op::Mufu(_) => instruction.op = Op::Mufu(Mufu::Ex2),
        _ => {}
    }
}

fn register(instruction: &mut Instruction) {
    let registers = instruction.sources.iter_mut().rev();
    let mut registers = registers.filter_map(|source| match &mut source.place {
        Place::Reg(register) if *register != RZ => Some(register),
        _ => None,
    });
    if let Some(register) = registers.next() {
        *register ^= 1;
    }
}

fn immediate(instruction: &mut Instruction) {
    for source in &mut instruction.sources {
        if let Place::Imm(bits) = &mut source.place {
            *bits ^= 0x0100_0001;
        }
    }
}

fn predicate(instruction: &mut Instruction) {
    let guard = std::iter::once(&mut instruction.guard);
    let mut all = guard.chain(&mut instruction.predicates);
    if let Some(predicate) = all.find(|predicate| predicate.index != PT) {
        predicate.negate ^= true;
    }
}

fn address(instruction: &mut Instruction) {
    if let Some(memory) = instruction
        .memory
        .as_mut()
        .filter(|_| instruction.access.is_some())
    {
        memory.offset += 4;
    }
}

type Change = (&'static str, fn(&mut Instruction));
const OPERATION: Change = ("operation", operation);
const OTHERS: [Change; 4] = [
    ("register", register),
    ("immediate", immediate),
    ("predicate", predicate),
    ("address", address),
];

/// Counts the changes of every `step`th instruction that runs, and returns those that are not refused.
fn unnoticed(
    variant: &Variant,
    kernel: &Kernel,
    changes: &[Change],
    step: usize,
) -> (usize, Vec<String>) {
    let unreached = compare_kernel(kernel, variant, &[]).unwrap().unreached;
    let reached = (0..kernel.instructions.len())
        .filter(|&at| !unreached.contains(&kernel.instructions[at].pc_bytes));
    let changed = |at: usize| {
        changes.iter().filter_map(move |(name, change)| {
            let mut changed = kernel.instructions[at].clone();
            change(&mut changed);
            (changed != kernel.instructions[at]).then_some((at, *name, changed))
        })
    };
    let mutants: Vec<_> = reached.flat_map(changed).step_by(step).collect();
    let survivors = mutants.par_iter().filter(|(at, _, changed)| {
        let mut mutant = kernel.clone();
        mutant.instructions[*at] = changed.clone();
        compare_kernel(&mutant, variant, &[]).is_ok_and(|compared| compared.differs.is_none())
    });
    let described = |(_, name, changed): &(usize, &str, Instruction)| {
        format!("{:#06x} {name} {}", changed.pc_bytes, changed.text)
    };
    (mutants.len(), survivors.map(described).collect())
}

/// Changes without an effect: a division's first quotient is corrected twice, and the others round quotients below the smallest
/// normal number.
const SELF_CORRECTING: [&str; 8] = [
    "0x2190 operation FFMA R4, R0, R3, RZ",
    "0x22f0 operation FFMA R2, R0, R3, RZ",
    "0x2ab0 operation FFMA R20, R0, R3, RZ",
    "0x2ac0 operation FFMA R21, R19, R20, R0",
    "0x2ad0 operation FFMA R20, R3, R21, R20",
    "0x2bd0 operation FFMA.RZ R5, R3, R19.reuse, R20.reuse",
    "0x2c20 operation FFMA.RP R5, R3.reuse, R19.reuse, R20.reuse",
    "0x2c30 operation FFMA.RM R20, R3, R19, R20",
];

/// The change that the check of eight programs did not notice, among others.
#[test]
fn wrong_operations_are_refused() {
    let (variant, kernel) = kernel(KernelId::Rpn, 2, 0);
    let step = if times() > 1 { 1 } else { 4 };
    let (all, survivors) = unnoticed(&variant, &kernel, &[OPERATION], step);
    println!(
        "{} of {all} operations unnoticed: {survivors:#?}",
        survivors.len()
    );
    assert!(all >= 30);
    for survivor in survivors {
        assert!(SELF_CORRECTING.contains(&survivor.as_str()), "{survivor}");
    }
}

/// Registers, immediates, predicates and addresses are changed; some changes alter no result and pass.
#[test]
fn most_other_changes_are_refused() {
    let (variant, kernel) = kernel(KernelId::Rpn, 2, 0);
    let step = if times() > 1 { 1 } else { 16 };
    let (all, survivors) = unnoticed(&variant, &kernel, &OTHERS, step);
    println!("{} of {all} unnoticed: {survivors:#?}", survivors.len());
    assert!(all >= 30 && survivors.len() * 5 < all, "{survivors:#?}");
}

/// A stack that begins 16 levels higher lacks 16 levels at its end.
#[test]
fn a_kernel_with_a_smaller_stack_is_compared_at_the_levels_that_it_has() {
    let (variant, mut kernel) = kernel(KernelId::Rpn, 2, 0);
    let is_frame =
        |instruction: &&mut Instruction| instruction.text.starts_with("IADD3 R1, R1, -0x1b0");
    let frame = kernel.instructions.iter_mut().find(is_frame).unwrap();
    frame.sources[1].place = Place::Imm((-0x1b0i32 + 16 * 8) as u32);
    let compared = compare_kernel(&kernel, &variant, &[]).unwrap();
    assert_eq!((compared.differs, compared.levels), (None, 34));
    let deep = |levels: usize| {
        format!("{}{}", "X1 ".repeat(levels), "+ ".repeat(levels - 1))
            .parse()
            .unwrap()
    };
    assert!(compare_kernel(&kernel, &variant, &[deep(34)]).is_ok());
    let refused = compare_kernel(&kernel, &variant, &[deep(35)]).unwrap_err();
    assert!(
        refused.to_string().contains("outside of all buffers"),
        "{refused}"
    );
}
