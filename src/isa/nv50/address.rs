//! Allocation of address registers.
//!
//! Models: shared, local and indexed constant memory are addressed by one of four address registers and an immediate offset; a
//! result that is an address is moved there once, where it is computed, and all accesses relative to it reuse it. A shift by a
//! constant, or an addition of a constant, whose result is only an address writes the address register directly. If more than
//! four addresses are live, those with the fewest accesses are converted at every access.
//! Leaves out: the 16-bit limit of an address register (no memory that it addresses is larger).
//! Units: instruction indices.
//! Sources: envytools on $a0 to $a4, `shl` and `add` to $a.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::flow::{self, Flow};
use super::is_indexed;
use crate::isa::cfg::ControlFlow;
use crate::isa::instruction::Instruction;
use crate::isa::kernel::Kernel;
use crate::isa::op::Op;
use crate::isa::operand::{Place, RZ};
use crate::isa::registers::Registers;

/// Number of address registers per thread.
const SLOTS: u8 = 4;

/// Way in which a result is written to an address register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    /// Register written by one instruction only, of this name.
    Only(&'static str),
    /// Copied after it is computed.
    Also,
}

/// Allocation of address registers in a kernel.
pub struct Addresses {
    writes: HashMap<usize, Write>,
    slots: HashMap<u8, u8>,
    /// Indices of accesses that convert their own address.
    at_use: HashSet<usize>,
}

impl Addresses {
    pub fn new(kernel: &Kernel, control: &ControlFlow, flow: &Flow) -> Self {
        let kept = kept(kernel, control, flow);
        let mut addresses = Addresses {
            writes: HashMap::new(),
            slots: HashMap::new(),
            at_use: HashSet::new(),
        };
        for (number, register) in kept.all().enumerate() {
            addresses.slots.insert(register, number as u8 % SLOTS);
            addresses.find_writes(kernel, control, flow, register);
        }
        for (index, instruction) in kernel.instructions.iter().enumerate() {
            let Some(base) = address(flow, instruction).filter(|base| !kept.has(*base)) else {
                continue;
            };
            if flow.is_needed(index) && !converted_before(kernel, control, flow, index, base) {
                addresses.at_use.insert(index);
            }
        }
        addresses
    }

    fn find_writes(&mut self, kernel: &Kernel, control: &ControlFlow, flow: &Flow, register: u8) {
        for (index, instruction) in kernel.instructions.iter().enumerate() {
            if !flow.is_needed(index) || !instruction.writes().contains(&register) {
                continue;
            }
            let uses = flow.uses(kernel, control, index, register);
            let is_address = |&at: &usize| {
                let using = &kernel.instructions[at];
                address(flow, using) == Some(register)
            };
            let is_only = |&at: &usize| {
                let using = &kernel.instructions[at];
                is_address(&at) && !flow::sources(using).contains(&register)
            };
            if !uses.iter().any(is_address) {
                continue;
            }
            let write = match writes_address(flow, instruction) {
                Some(name) if uses.iter().all(is_only) => Write::Only(name),
                _ => Write::Also,
            };
            self.writes.insert(index, write);
        }
    }

    pub fn write(&self, index: usize) -> Option<Write> {
        self.writes.get(&index).copied()
    }

    /// Tells whether an access converts its own address.
    pub fn is_converted_at(&self, index: usize) -> bool {
        self.at_use.contains(&index)
    }

    /// Tells whether a register's value is kept in an address register.
    pub fn has(&self, register: u8) -> bool {
        self.slots.contains_key(&register)
    }

    /// Returns the address register of a register.
    pub fn slot(&self, register: u8) -> u8 {
        self.slots.get(&register).copied().unwrap_or(0)
    }
}

/// Returns the register that holds an instruction's address, unless it is a global memory address.
pub fn address(flow: &Flow, instruction: &Instruction) -> Option<u8> {
    let indexed = match instruction.access {
        Some(access) => is_indexed(access.space),
        None => instruction.op == Op::Ldc,
    };
    flow::base(instruction).filter(|&base| indexed && !flow.is_frame_pointer(base))
}

/// Returns the name of the one instruction that computes an address into an address register, if there is one.
fn writes_address(flow: &Flow, instruction: &Instruction) -> Option<&'static str> {
    let is_constant = |place: Place| match place {
        Place::Imm(_) => true,
        Place::Reg(register) => register == RZ || flow.is_frame_pointer(register),
        Place::Const { .. } => false,
    };
    let is_register = |place: Place| matches!(place, Place::Reg(_)) && !is_constant(place);
    let plain = instruction
        .sources
        .iter()
        .all(|source| !source.negate && !source.invert);
    if !plain || instruction.carry_in || instruction.writes_cc || instruction.sync {
        return None;
    }
    let places: Vec<Place> = instruction
        .sources
        .iter()
        .map(|source| source.place)
        .collect();
    let fits = match (instruction.op, &places[..]) {
        (Op::Mov, [a]) => is_register(*a),
        (Op::Shl { .. }, [a, by]) => is_register(*a) && matches!(by, Place::Imm(_)),
        (Op::Shf { right: false, .. }, [low, by, a]) => {
            *low == Place::Reg(RZ) && is_register(*a) && matches!(by, Place::Imm(_))
        }
        (Op::Iadd, [a, b]) => {
            is_register(*a) && is_constant(*b) || is_register(*b) && is_constant(*a)
        }
        (Op::Iscadd, [a, b, _]) => is_register(*a) && is_constant(*b),
        _ => false,
    };
    fits.then_some(match instruction.op {
        Op::Iadd => "add",
        _ => "shl b32",
    })
}

/// Registers whose addresses stay in address registers: at no point more than there are.
fn kept(kernel: &Kernel, control: &ControlFlow, flow: &Flow) -> Registers {
    let mut accesses: BTreeMap<u8, usize> = BTreeMap::new();
    for (index, instruction) in kernel.instructions.iter().enumerate() {
        if let Some(base) = address(flow, instruction).filter(|_| flow.is_needed(index)) {
            *accesses.entry(base).or_default() += 1;
        }
    }
    let mut kept = Registers::default();
    accesses.keys().for_each(|&register| kept.add(register));
    while let Some(crowd) = crowd(kernel, control, flow, &kept) {
        let fewest = crowd.all().min_by_key(|register| accesses[register]);
        fewest
            .into_iter()
            .for_each(|register| kept.remove(register));
    }
    kept
}

/// Addresses live at one point, if they are too many.
fn crowd(
    kernel: &Kernel,
    control: &ControlFlow,
    flow: &Flow,
    kept: &Registers,
) -> Option<Registers> {
    let mut live = vec![Registers::default(); kernel.instructions.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for index in (0..live.len()).rev() {
            let instruction = &kernel.instructions[index];
            let mut set = Registers::default();
            for &next in &control.successors[index] {
                set.join(&live[next]);
            }
            if flow::always(instruction) && flow.is_needed(index) {
                instruction.writes().into_iter().for_each(|r| set.remove(r));
            }
            let base = address(flow, instruction).filter(|base| kept.has(*base));
            base.into_iter().for_each(|base| set.add(base));
            changed |= set != live[index];
            live[index] = set;
        }
    }
    live.into_iter().find(|set| set.count() > u32::from(SLOTS))
}

/// Tells whether an earlier access in the block has already converted the address.
fn converted_before(
    kernel: &Kernel,
    control: &ControlFlow,
    flow: &Flow,
    index: usize,
    base: u8,
) -> bool {
    let start = control.graph[control.block_of[index]].start;
    for earlier in (start..index).rev() {
        let instruction = &kernel.instructions[earlier];
        if instruction.writes().contains(&base) {
            return false;
        }
        if address(flow, instruction) == Some(base) {
            return true;
        }
    }
    false
}
