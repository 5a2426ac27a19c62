//! The different instructions of a trace, each stored once.
//!
//! Models: lines with the same place, opcode, registers, space and schedule as one instruction.
//! Leaves out: masks and addresses, which belong to an execution. Units: none. Sources: none.

use super::accel_sim::Line;
use super::accel_sim::error::Fault;
use crate::isa::instruction::Control;
use crate::isa::{Space, TimingOp};
use std::collections::HashMap;

/// Instructions that a trace can refer to.
const MOST: usize = u16::MAX as usize;

/// See the module text.
#[derive(Debug, Clone, Default)]
pub struct Statics {
    pub timing: Vec<TimingOp>,
    pub texts: Vec<String>,
    known: HashMap<Static, u16>,
}

/// What makes instructions different.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Static {
    pc: u64,
    opcode: String,
    destination: Option<u8>,
    sources: Vec<u8>,
    space: Option<Space>,
    stall_cycles: u8,
    dual_with_next: bool,
}

impl Statics {
    /// The index of a line's instruction, `timing` with the schedule `control`.
    pub fn index(
        &mut self,
        line: &Line,
        timing: &TimingOp,
        control: Control,
    ) -> Result<u16, Fault> {
        let key = Static {
            pc: line.pc,
            opcode: line.opcode.clone(),
            destination: line.destination,
            sources: line.sources.clone(),
            space: timing.access.map(|access| access.space),
            stall_cycles: control.stall_cycles,
            dual_with_next: control.dual_with_next,
        };
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        if self.timing.len() == MOST {
            let (given, allowed) = (format!("more than {MOST}"), format!("at most {MOST}"));
            return Err(Fault::new("different instructions", given, allowed));
        }
        let index = self.timing.len() as u16;
        self.timing.push(TimingOp {
            stall_cycles: control.stall_cycles,
            dual_with_next: control.dual_with_next,
            barriers: control.barriers,
            ..timing.clone()
        });
        self.texts.push(text(line));
        self.known.insert(key, index);
        Ok(index)
    }
}

fn text(line: &Line) -> String {
    let registers = line.destination.iter().chain(&line.sources);
    let names: Vec<String> = registers.map(|register| format!("R{register}")).collect();
    format!("{} {}", line.opcode, names.join(", "))
}
