//! One decoded instruction.
//!
//! Models: operation, operands, guard, and the compiler's schedule; the subset needed for timing.
//! Leaves out: encodings.
//! Units: bytes, cycles.
//! Sources: disassemblies of ptxas 11.8.

use super::op::{Compare, Op, Round};
use super::operand::{MemoryRef, PT, Place, Predicate, RZ, Source};
use super::{Access, Barriers, OpClass, TimingOp};

/// Compiler's schedule for one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Control {
    /// Minimum cycles until the warp's next instruction issues; 0 in a pair.
    pub stall_cycles: u8,
    pub dual_with_next: bool,
    pub barriers: Barriers,
}

/// One decoded instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// Line in the SASS file.
    pub line: usize,
    pub pc_bytes: u32,
    pub size_bytes: u8,
    /// Disassembled text, for messages.
    pub text: String,
    pub guard: Predicate,
    pub op: Op,
    pub class: OpClass,
    /// First destination register; vector destinations continue upwards.
    pub dst: Option<u8>,
    pub dst_registers: u8,
    /// Destination predicates: the result and its complement.
    pub dst_predicates: [u8; 2],
    pub sources: Vec<Source>,
    /// Registers per source: 1, or more for 64-bit values and vector stores.
    pub source_registers: Vec<u8>,
    pub predicates: Vec<Predicate>,
    pub memory: Option<MemoryRef>,
    pub access: Option<Access>,
    /// Whether the address in `memory` is a register pair.
    pub wide_address: bool,
    pub writes_cc: bool,
    /// Whether the carry flag is added (`.X`).
    pub carry_in: bool,
    /// Condition-code test of a branch.
    pub cc_test: Option<Compare>,
    /// Whether the lanes reconverge afterwards at the innermost reconvergence point: Kepler's `.S`, Hopper's `BSYNC`.
    pub sync: bool,
    /// Convergence barrier named by the instruction (Hopper).
    pub convergence: Option<u8>,
    pub saturate: bool,
    pub flush_denormals: bool,
    pub round: Round,
    /// Branch, call or reconvergence target.
    pub target: Option<u32>,
    /// Targets of an indirect branch, if the disassembler notes them.
    pub indirect_targets: Vec<u32>,
    pub control: Control,
}

impl Instruction {
    /// Tells whether control may go elsewhere than to the next instruction.
    pub fn redirects(&self) -> bool {
        self.sync || self.op.redirects()
    }

    /// Returns the target of an indirect branch whose register holds `register`.
    pub fn indirect_target(&self, register: u32) -> u32 {
        let offset = self.memory.map_or(0, |memory| memory.offset);
        let next = self.pc_bytes.wrapping_add(u32::from(self.size_bytes));
        next.wrapping_add(register).wrapping_add_signed(offset)
    }

    /// First register and number of registers of every operand that is read.
    fn read_operands(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        let sources = self.sources.iter().zip(&self.source_registers);
        let sources = sources.filter_map(|(source, &count)| match source.place {
            Place::Reg(first) => Some((first, count)),
            Place::Const { index, .. } => Some((index, 1)),
            Place::Imm(_) => None,
        });
        let address_registers = if self.wide_address { 2 } else { 1 };
        let address = self.memory.map(|memory| (memory.base, address_registers));
        let index = self.memory.map(|memory| (memory.index, 1));
        sources.chain(address).chain(index)
    }

    /// Tells whether all registers of its operands exist, `RZ` aside.
    pub fn registers_exist(&self) -> bool {
        let written = self.dst.map(|first| (first, self.dst_registers));
        let mut operands = self.read_operands().chain(written);
        operands.all(|(first, count)| first == RZ || count <= RZ - first)
    }

    /// Registers read, vector operands expanded, `RZ` left out.
    pub fn reads(&self) -> Vec<u8> {
        let mut reads = Vec::new();
        for (first, count) in self.read_operands() {
            push_registers(&mut reads, first, count);
        }
        reads
    }

    /// Registers written, vector operands expanded, `RZ` left out.
    pub fn writes(&self) -> Vec<u8> {
        let mut writes = Vec::new();
        if let Some(dst) = self.dst {
            push_registers(&mut writes, dst, self.dst_registers);
        }
        writes
    }

    /// Predicates read, guard included, as a mask of their numbers; bit 7 is the condition code.
    pub fn predicate_reads(&self) -> u16 {
        let sources = self.predicates.iter().chain([&self.guard]);
        let mask = sources
            .filter(|p| p.index != PT)
            .fold(0, |mask, p| mask | 1 << p.index);
        mask | u16::from(self.carry_in || self.cc_test.is_some()) << 7
    }

    /// Returns the guard's predicate as a mask; 0 without a guard.
    pub fn guard_mask(&self) -> u8 {
        match self.guard.index {
            PT => 0,
            index => 1u8.checked_shl(u32::from(index)).unwrap_or(0),
        }
    }

    /// Predicates written, as a mask of their numbers; bit 7 is the condition code.
    pub fn predicate_writes(&self) -> u16 {
        let written = self.dst_predicates.iter().filter(|&&index| index != PT);
        written.fold(0, |mask, index| mask | 1 << index) | u16::from(self.writes_cc) << 7
    }

    /// Returns the subset of the instruction that timing depends on.
    pub fn timing(&self) -> TimingOp {
        TimingOp {
            class: self.class,
            access: self.access,
            reads: self.reads(),
            writes: self.writes(),
            pred_reads: self.predicate_reads() as u8,
            pred_writes: self.predicate_writes() as u8,
            stall_cycles: self.control.stall_cycles,
            dual_with_next: self.control.dual_with_next,
            pc_bytes: self.pc_bytes,
            redirects: self.redirects(),
            indirect: self.op == Op::Brx,
            barriers: self.control.barriers,
        }
    }
}

fn push_registers(list: &mut Vec<u8>, first: u8, count: u8) {
    if first != RZ {
        list.extend((0..count).map(|offset| first + offset));
    }
}
