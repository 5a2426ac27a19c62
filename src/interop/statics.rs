//! The different instructions of a trace, each classified and stored once.
//!
//! Models: lines with the same place, opcode, registers and space as one instruction, and that with the same stall count
//! as one entry of the simulator's list.
//! Leaves out: masks and addresses, which belong to an execution.

use super::accel_sim::Line;
use super::accel_sim::error::Fault;
use crate::isa::{Space, TimingOp};
use rustc_hash::FxHashMap;

/// Instructions that a trace can refer to.
const MOST: usize = u16::MAX as usize;

/// The distinct instructions found so far, with indices to look them up.
#[derive(Debug, Clone, Default)]
pub struct Statics {
    known: Vec<Known>,
    /// Indices into `known` by program counter.
    by_pc: FxHashMap<u64, Vec<u32>>,
    /// Indices into `timing` by that into `known` and stall count.
    stalled: FxHashMap<(u32, u8), u16>,
    /// Every instruction with its stall count.
    pub timing: Vec<TimingOp>,
}

/// A line of an instruction, the space of its access if it is generic, and the classified instruction.
#[derive(Debug, Clone)]
struct Known {
    line: Line,
    space: Option<Space>,
    timing: TimingOp,
}

impl Known {
    fn is(&self, line: &Line, space: Option<Space>) -> bool {
        self.space == space
            && self.line.destination == line.destination
            && self.line.sources == line.sources
            && self.line.opcode == line.opcode
    }
}

impl Statics {
    /// The number of a line's instruction without its stall count; `classify` is asked when it is a new one. `space` is
    /// that of a generic access.
    pub fn number(
        &mut self,
        line: &Line,
        space: Option<Space>,
        classify: impl FnOnce(&Line) -> Result<TimingOp, Fault>,
    ) -> Result<u32, Fault> {
        let here = self.by_pc.entry(line.pc).or_default();
        let found = here
            .iter()
            .find(|&&at| self.known[at as usize].is(line, space));
        if let Some(&found) = found {
            return Ok(found);
        }
        let number = self.known.len() as u32;
        self.known.push(Known {
            timing: classify(line)?,
            line: line.clone(),
            space,
        });
        here.push(number);
        Ok(number)
    }

    /// An instruction by its number.
    pub fn instruction(&self, number: u32) -> &TimingOp {
        &self.known[number as usize].timing
    }

    /// The index into `timing` of an instruction with a stall count.
    pub fn index(&mut self, number: u32, stall_cycles: u8) -> Result<u16, Fault> {
        let key = (number, stall_cycles);
        if let Some(&index) = self.stalled.get(&key) {
            return Ok(index);
        }
        if self.timing.len() == MOST {
            let (given, allowed) = (format!("more than {MOST}"), format!("at most {MOST}"));
            return Err(Fault::new("different instructions", given, allowed));
        }
        let index = self.timing.len() as u16;
        self.timing.push(TimingOp {
            stall_cycles,
            ..self.instruction(number).clone()
        });
        self.stalled.insert(key, index);
        Ok(index)
    }
}
