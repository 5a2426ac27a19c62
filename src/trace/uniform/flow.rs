//! Control flow of uniform execution: branches, calls and the reconvergence stack.

use super::Executor;
use super::path_conditions::Truth;
use crate::isa::instruction::Instruction;
use crate::isa::op::Op;
use crate::trace::alu;
use crate::trace::error::TraceError;
use crate::trace::state::Frame;

/// Maximum depth of the reconvergence stack; code that exceeds it never pops its entries.
const MAX_FRAMES: usize = 1024;

impl Executor<'_> {
    fn target(&self, instruction: &Instruction) -> Result<usize, TraceError> {
        let target = instruction
            .target
            .and_then(|pc| self.environment.kernel.index_of(pc));
        target.ok_or_else(|| self.fail("the target is not an instruction of this kernel"))
    }

    pub(super) fn push_frame(&mut self, instruction: &Instruction) -> Result<(), TraceError> {
        let target = self.target(instruction)? as u32;
        self.push(match instruction.op {
            Op::Ssy => Frame::Sync(target),
            Op::Pbk => Frame::Break(target),
            _ => Frame::Continue(target),
        })
    }

    fn push(&mut self, frame: Frame) -> Result<(), TraceError> {
        if self.machine.frames.len() == MAX_FRAMES {
            return Err(self.fail("1024 reconvergence points are set and not left"));
        }
        self.machine.frames.push(frame);
        Ok(())
    }

    /// Jumps to the target of the innermost frame of a kind.
    pub(super) fn unwind(&mut self, kind: impl Fn(&Frame) -> bool) -> Result<(), TraceError> {
        while let Some(frame) = self.machine.frames.pop() {
            if kind(&frame) {
                let (Frame::Sync(to) | Frame::Break(to) | Frame::Continue(to) | Frame::Return(to)) =
                    frame;
                self.machine.pc = to as usize;
                return Ok(());
            }
        }
        Err(self.fail("nothing on the reconvergence stack to go to"))
    }

    pub(super) fn redirect(&mut self, instruction: &Instruction) -> Result<bool, TraceError> {
        if let Some(test) = instruction.cc_test {
            let flag = self.machine.predicates[7];
            let bits = flag.bits.map(|cc| alu::cc_holds(test, cc));
            if !self.decide(Truth {
                bits,
                tag: flag.tag,
                test: flag.test,
            }) {
                self.machine.pc += 1;
                return Ok(true);
            }
        }
        if instruction.op == Op::Bra {
            for &predicate in &instruction.predicates {
                if !self.decide(self.truth(predicate)) {
                    self.machine.pc += 1;
                    return Ok(true);
                }
            }
        }
        match instruction.op {
            Op::Exit => return Ok(false),
            Op::Bra => self.machine.pc = self.target(instruction)?,
            Op::Brx => self.indirect(instruction)?,
            Op::Brk => self.unwind(|frame| matches!(frame, Frame::Break(_)))?,
            Op::Cont => self.unwind(|frame| matches!(frame, Frame::Continue(_)))?,
            Op::Ret => self.unwind(|frame| matches!(frame, Frame::Return(_)))?,
            _ => {
                let target = self.target(instruction)?;
                self.push(Frame::Return(self.machine.pc as u32 + 1))?;
                self.machine.pc = target;
            }
        }
        Ok(true)
    }

    fn indirect(&mut self, instruction: &Instruction) -> Result<(), TraceError> {
        let memory = instruction
            .memory
            .ok_or_else(|| self.fail("no target operand"))?;
        let value = self.machine.register(memory.base);
        self.known(value, "the target depends on data")?;
        if value.stride != 0 {
            self.ask_position();
        }
        let target = instruction.indirect_target(value.bits[0]);
        let target = self.environment.kernel.index_of(target);
        self.machine.pc = target.ok_or_else(|| self.fail("the target is not an instruction"))?;
        Ok(())
    }
}
