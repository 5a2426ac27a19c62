//! Control flow of a warp: divergence, reconvergence, calls, exits.

use super::{Entry, Reason, Warp, mask_of};
use crate::isa::instruction::Instruction;
use crate::isa::op::Op;
use crate::trace::alu;
use crate::trace::error::TraceError;

impl Warp<'_> {
    fn target(&self, instruction: &Instruction) -> Result<usize, TraceError> {
        let target = instruction.target.and_then(|pc| self.kernel.index_of(pc));
        target.ok_or_else(|| {
            self.fail(
                instruction,
                "the target is not an instruction of this kernel",
            )
        })
    }

    pub(super) fn open(&mut self, instruction: &Instruction) -> Result<(), TraceError> {
        let reason = match instruction.op {
            Op::Ssy => Reason::Sync,
            Op::Pbk => Reason::Break,
            _ => Reason::Continue,
        };
        let pc = self.target(instruction)?;
        self.stack.push(Entry {
            barrier: instruction.convergence,
            ..Entry::new(reason, pc, self.active)
        });
        Ok(())
    }

    pub(super) fn call(&mut self, instruction: &Instruction) -> Result<(), TraceError> {
        let target = self.target(instruction)?;
        let back = Entry::new(Reason::Return, self.pc + 1, self.active);
        self.stack.push(back);
        self.pc = target;
        Ok(())
    }

    pub(super) fn branch(
        &mut self,
        instruction: &Instruction,
        lanes: u32,
    ) -> Result<(), TraceError> {
        let taken = match instruction.cc_test {
            Some(test) => {
                mask_of(|lane| lanes >> lane & 1 != 0 && alu::cc_holds(test, self.cc[lane]))
            }
            None => lanes,
        };
        let taken = instruction
            .predicates
            .iter()
            .fold(taken, |taken, &predicate| taken & self.mask(predicate));
        self.split(taken, self.target(instruction)?);
        Ok(())
    }

    /// Sends `taken` to `target`; the other active lanes fall through.
    fn split(&mut self, taken: u32, target: usize) {
        if taken == self.active {
            self.pc = target;
            return;
        }
        if taken != 0 {
            self.counts.divergences += 1;
            self.stack.push(Entry::new(Reason::Diverged, target, taken));
            self.active &= !taken;
        }
        self.pc += 1;
    }

    pub(super) fn indirect(
        &mut self,
        instruction: &Instruction,
        lanes: u32,
    ) -> Result<(), TraceError> {
        let Some(memory) = instruction.memory else {
            return Err(self.fail(instruction, "no target operand"));
        };
        let values = self.registers[usize::from(memory.base)];
        let value = values[lanes.trailing_zeros() as usize];
        let together = lanes & mask_of(|lane| values[lane] == value);
        let target = self.kernel.index_of(instruction.indirect_target(value));
        let target =
            target.ok_or_else(|| self.fail(instruction, "the target is not an instruction"))?;
        let others = self.active & !together;
        if others != 0 {
            self.counts.divergences += 1;
            self.stack
                .push(Entry::new(Reason::Diverged, self.pc, others));
        }
        self.active = together;
        self.pc = target;
        Ok(())
    }

    /// Moves `lanes` to the innermost entry of a kind, to wait for the others, and removes them from barriers further in.
    pub(super) fn leave(
        &mut self,
        instruction: &Instruction,
        reason: Reason,
        lanes: u32,
    ) -> Result<(), TraceError> {
        if lanes == 0 {
            self.pc += 1;
            return Ok(());
        }
        let barrier = instruction.convergence;
        let goal = |entry: &Entry| entry.reason == reason && entry.barrier == barrier;
        let innermost = self.stack.iter().rposition(goal);
        let innermost = innermost
            .ok_or_else(|| self.fail(instruction, "nothing on the reconvergence stack to go to"))?;
        for entry in &mut self.stack[innermost + 1..] {
            entry.lanes &= !lanes;
        }
        self.active &= !lanes;
        if self.active != 0 {
            self.counts.divergences += 1;
        }
        self.pc += 1;
        Ok(())
    }

    /// Makes the active lanes wait for all others: at the bottom of the stack, which holds only them when the last lanes
    /// arrive.
    pub(super) fn meet(&mut self) {
        self.pc += 1;
        if self.active == !self.exited {
            return;
        }
        for entry in &mut self.stack {
            entry.lanes &= !self.active;
        }
        let here = |entry: &Entry| entry.reason == Reason::Meeting && entry.pc == self.pc;
        match self.stack.iter_mut().find(|entry| here(entry)) {
            Some(entry) => entry.lanes |= self.active,
            None => {
                let meeting = Entry::new(Reason::Meeting, self.pc, self.active);
                self.stack.insert(0, meeting);
            }
        }
        self.active = 0;
    }

    pub(super) fn exit(&mut self, lanes: u32) {
        self.exited |= lanes;
        self.active &= !lanes;
        self.pc += 1;
    }

    /// Resumes lanes that wait on the stack; false when there are none.
    pub(super) fn resume(&mut self) -> bool {
        while let Some(entry) = self.stack.pop() {
            let lanes = entry.lanes & !self.exited;
            if lanes != 0 {
                (self.active, self.pc) = (lanes, entry.pc);
                return true;
            }
        }
        false
    }
}
