//! Operands sorted into an instruction's destinations and sources.
//!
//! Models: operands as nvdisasm prints them, destinations first.
//! Leaves out: their meaning.
//! Sources: disassemblies of ptxas 11.8.

use super::OpClass;
use super::instruction::{Control, Instruction};
use super::meaning::Meaning;
use super::op::Op;
use super::operand::{PT, Place, Predicate, RZ, Source};
use super::text::RawInstruction;

/// Collects operands in printed order: destinations first.
pub struct Builder {
    pub instruction: Instruction,
    wants_register: bool,
    predicates_wanted: usize,
    predicates_seen: usize,
}

impl Builder {
    pub fn new(
        raw: &RawInstruction,
        text: &str,
        guard: Predicate,
        meaning: &Meaning,
        control: Control,
        size_bytes: u8,
    ) -> Self {
        let predicates_wanted = match meaning.op {
            Op::Fsetp { .. } | Op::Isetp { .. } | Op::Psetp { .. } | Op::Plop3 => 2,
            Op::Fchk | Op::VoteAny => 1,
            _ => 0,
        };
        let without_register = matches!(meaning.op, Op::Store | Op::Nop | Op::Barrier | Op::Brx)
            || meaning.class == OpClass::Control;
        let instruction = Instruction {
            line: raw.line,
            pc_bytes: raw.pc_bytes,
            size_bytes,
            text: text.to_owned(),
            guard,
            op: meaning.op,
            class: meaning.class,
            dst: None,
            dst_registers: meaning.dst_registers,
            dst_predicates: [PT; 2],
            sources: Vec::new(),
            source_registers: Vec::new(),
            predicates: Vec::new(),
            memory: None,
            access: meaning.access,
            wide_address: meaning.wide_address,
            writes_cc: false,
            carry_in: meaning.carry_in,
            cc_test: None,
            sync: meaning.sync,
            convergence: None,
            saturate: meaning.saturate,
            flush_denormals: meaning.flush_denormals,
            round: meaning.round,
            target: None,
            indirect_targets: Vec::new(),
            control,
        };
        Self {
            instruction,
            wants_register: predicates_wanted == 0 && !without_register,
            predicates_wanted,
            predicates_seen: 0,
        }
    }

    pub fn predicate(&mut self, predicate: Predicate) {
        let instruction = &mut self.instruction;
        let may_write = matches!(
            instruction.op,
            Op::Iadd3 | Op::Lea { .. } | Op::Lop3 | Op::Shuffle(_)
        );
        let is_result = self.predicates_wanted > 0 || may_write && instruction.sources.is_empty();
        if is_result && self.predicates_seen < 2 {
            instruction.dst_predicates[self.predicates_seen] = predicate.index;
            self.predicates_seen += 1;
            self.predicates_wanted = self.predicates_wanted.saturating_sub(1);
        } else {
            instruction.predicates.push(predicate);
        }
    }

    pub fn value(&mut self, source: Source) -> Result<(), String> {
        if self.wants_register {
            self.wants_register = false;
            let Place::Reg(register) = source.place else {
                return Err("the destination is not a register".to_owned());
            };
            self.instruction.dst = Some(register).filter(|&register| register != RZ);
            return Ok(());
        }
        self.instruction.sources.push(source);
        Ok(())
    }
}
