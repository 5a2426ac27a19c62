//! Uniform execution: one segment of the path common to all warps.
//!
//! Models: integer, predicate, branch and address arithmetic of three probes (see `state`), program words in global and shared
//! memory, control values in local memory.
//! Leaves out: float data; a branch that depends on it takes the path of ordinary numbers, and is counted as an assumption.
//! Units: bytes.

use super::error::TraceError;
use super::launch::{ConstantMemory, KernelLaunch};
use super::program::ProgramWords;
use super::state::{Frame, Machine};
use super::{AddressKind, TraceOp};
use crate::isa::instruction::Instruction;
use crate::isa::op::Op;
use crate::isa::{Kernel, Space};

mod compute;
mod flow;
mod memory;
mod path_conditions;

pub use path_conditions::PathCondition;

/// Probe that represents the other warps.
const FIRST_OF_WARP_1: usize = 2;
/// Instructions in one segment after which it counts as endless.
const SEGMENT_LIMIT: u64 = 1_000_000;

/// The kernel's copy of programs in shared memory: word `i` at `base + 4 i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedCopy {
    pub base: u32,
    /// Whether the copy converts integers to floats.
    pub as_float: bool,
}

/// Constant parameters while a kernel is traced.
pub struct Environment<'a> {
    pub kernel: &'a Kernel,
    pub launch: &'a KernelLaunch,
    pub constants: &'a ConstantMemory,
    /// Number of fitness cases in `constants`.
    pub run_cases: u32,
    /// Instruction index of the case loop's header.
    pub case_loop: usize,
}

/// Reason for the end of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentEnd {
    /// End before the instruction that fetches opcode word `fetch`, or at the case loop's header.
    Boundary {
        fetch: Option<u32>,
    },
    Exit,
}

/// One executed segment.
#[derive(Debug)]
pub struct Executed {
    pub ops: Vec<TraceOp>,
    pub path_conditions: Vec<PathCondition>,
    /// Branches and guards of memory accesses that depend on float data.
    pub assumptions: u32,
    /// Index of an exit taken by every warp but the first.
    pub others_end: Option<u16>,
    pub end: SegmentEnd,
}

/// Executes segments.
pub struct Executor<'a> {
    pub environment: &'a Environment<'a>,
    pub program: &'a ProgramWords,
    pub copy: &'a mut Option<SharedCopy>,
    pub machine: &'a mut Machine,
    ops: Vec<TraceOp>,
    path_conditions: Vec<PathCondition>,
    assumptions: u32,
    others_end: Option<u16>,
    fetch: Option<u32>,
}

impl<'a> Executor<'a> {
    pub fn new(
        environment: &'a Environment<'a>,
        program: &'a ProgramWords,
        copy: &'a mut Option<SharedCopy>,
        machine: &'a mut Machine,
        fetch: Option<u32>,
    ) -> Self {
        Self {
            environment,
            program,
            copy,
            machine,
            ops: Vec::new(),
            path_conditions: Vec::new(),
            assumptions: 0,
            others_end: None,
            fetch,
        }
    }

    /// Executes instructions up to the next segment's start.
    pub fn segment(mut self) -> Result<Executed, TraceError> {
        let mut executed = 0;
        let end = loop {
            if executed > 0
                && let Some(fetch) = self.boundary()?
            {
                break SegmentEnd::Boundary { fetch };
            }
            if executed == SEGMENT_LIMIT {
                return Err(TraceError::Endless {
                    kernel: self.environment.kernel.name.clone(),
                    instructions: executed,
                    limit: SEGMENT_LIMIT,
                });
            }
            executed += 1;
            if !self.step()? {
                break SegmentEnd::Exit;
            }
        };
        Ok(Executed {
            ops: self.ops,
            path_conditions: self.path_conditions,
            assumptions: self.assumptions,
            others_end: self.others_end,
            end,
        })
    }

    fn instruction(&self) -> Result<&'a Instruction, TraceError> {
        let kernel = self.environment.kernel;
        kernel
            .instructions
            .get(self.machine.pc)
            .ok_or_else(|| TraceError::Kernel {
                kernel: kernel.name.clone(),
                why: "execution ran past the last instruction".to_owned(),
            })
    }

    fn fail(&self, why: impl Into<String>) -> TraceError {
        match self.instruction() {
            Ok(instruction) => TraceError::Instruction {
                kernel: self.environment.kernel.name.clone(),
                pc_bytes: instruction.pc_bytes,
                text: instruction.text.clone(),
                why: why.into(),
            },
            Err(error) => error,
        }
    }

    /// Tells whether a segment starts here, and returns the opcode word that the next instruction fetches.
    fn boundary(&mut self) -> Result<Option<Option<u32>>, TraceError> {
        let fetch = self.next_fetch()?;
        let starts = fetch.is_some() || self.machine.pc == self.environment.case_loop;
        Ok(starts.then_some(fetch))
    }

    /// Returns the opcode word that the next instruction fetches.
    fn next_fetch(&mut self) -> Result<Option<u32>, TraceError> {
        let instruction = self.instruction()?;
        let space = instruction.access.map(|access| access.space);
        if instruction.op != Op::Load || space == Some(Space::Local) {
            return Ok(None);
        }
        if !self.decide(self.truth(instruction.guard)) {
            return Ok(None);
        }
        let address = self.address(instruction)?;
        let Some(first) = self.program_word(space, address[0]) else {
            return Ok(None);
        };
        for index in first..first + u32::from(instruction.dst_registers) {
            if self.role(index) == 1 {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Executes one instruction; false after the last one.
    fn step(&mut self) -> Result<bool, TraceError> {
        let instruction = self.instruction()?;
        self.ops.push(TraceOp {
            inst: self.machine.pc as u16,
            address_kind: AddressKind::None,
            warp_lines: 0,
            address: 0,
        });
        let guard = self.truth(instruction.guard);
        let decides = instruction.redirects()
            || matches!(
                instruction.op,
                Op::Load | Op::Store | Op::Barrier | Op::Ssy | Op::Pbk | Op::Pcnt
            );
        if decides && !self.decide(guard) {
            if instruction.op == Op::Exit && guard.bits[FIRST_OF_WARP_1] {
                self.others_end = Some(self.machine.pc as u16);
            }
            self.machine.pc += 1;
            return Ok(true);
        }
        match instruction.op {
            Op::Load => self.load(instruction, guard.bits)?,
            Op::Store => self.store(instruction, guard.bits)?,
            Op::Nop | Op::Barrier | Op::WarpSync => {}
            Op::Ssy | Op::Pbk | Op::Pcnt => self.push_frame(instruction)?,
            Op::Bra | Op::Brx | Op::Brk | Op::Cont | Op::Call | Op::Ret | Op::Exit => {
                return self.redirect(instruction);
            }
            _ => self.compute(instruction, guard)?,
        }
        self.machine.pc += 1;
        if instruction.sync {
            self.unwind(|frame| matches!(frame, Frame::Sync(_)))?;
        }
        Ok(true)
    }
}
