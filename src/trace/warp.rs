//! A warp whose 32 lanes compute everything, float data included.
//!
//! Models: registers, predicates, local memory per lane; the stack of reconvergence points with lanes
//! that wait, break out or have ended. Leaves out: time; the order in which diverged paths run (the
//! path that falls through runs first). Units: bytes. Sources: Fermi's SSY/PBK/.S as envytools
//! describes them; PTX ISA 3.2 for the operations.

use super::alu::{self, Inputs, Outputs};
use super::error::TraceError;
use super::launch::{ConstantMemory, LOCAL_TOP};
use super::memory::BlockMemory;
use crate::isa::instruction::Instruction;
use crate::isa::op::{Op, Special};
use crate::isa::operand::{PT, Place, Predicate, RZ};
use crate::isa::{Kernel, Space};

/// Lanes of a warp.
pub const LANES: usize = 32;

/// Why an entry of the reconvergence stack was pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Sync,
    Break,
    Continue,
    Return,
    /// The other side of a branch that not all lanes took.
    Diverged,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    reason: Reason,
    pc: usize,
    lanes: u32,
}

/// What a warp stopped at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    Barrier,
    Exit,
}

/// Counts of what a warp did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WarpCounts {
    pub instructions: u64,
    /// Branches and predicated meetings that split the active lanes.
    pub divergences: u64,
}

/// One warp.
pub struct Warp<'a> {
    kernel: &'a Kernel,
    constants: &'a ConstantMemory,
    first_thread: u32,
    pc: usize,
    active: u32,
    exited: u32,
    registers: Vec<[u32; LANES]>,
    /// Lane masks by number.
    predicates: [u32; 16],
    cc: [u8; LANES],
    stack: Vec<Entry>,
    local: Vec<[u32; LANES]>,
    pub counts: WarpCounts,
    /// Executed instructions, when asked for.
    pub path: Option<Vec<u16>>,
}

impl<'a> Warp<'a> {
    /// Threads `first_thread..first_thread + n_threads` (at most 32) before the first instruction.
    pub fn new(
        kernel: &'a Kernel,
        constants: &'a ConstantMemory,
        first_thread: u32,
        n_threads: u32,
    ) -> Self {
        let active = if n_threads >= 32 {
            u32::MAX
        } else {
            (1 << n_threads) - 1
        };
        Self {
            kernel,
            constants,
            first_thread,
            pc: 0,
            active,
            exited: !active,
            registers: vec![[0; LANES]; 256],
            predicates: [0; 16],
            cc: [0; LANES],
            stack: Vec::new(),
            local: vec![[0; LANES]; kernel.frame_bytes.div_ceil(4) as usize],
            counts: WarpCounts::default(),
            path: None,
        }
    }

    /// Runs up to a barrier or the end, at most `limit` instructions in all.
    pub fn run(&mut self, memory: &mut BlockMemory, limit: u64) -> Result<Stop, TraceError> {
        loop {
            if self.active == 0 && !self.resume() {
                return Ok(Stop::Exit);
            }
            if self.counts.instructions >= limit {
                return Err(TraceError::Endless {
                    kernel: self.kernel.name.clone(),
                    instructions: self.counts.instructions,
                    limit,
                });
            }
            if self.step(memory)? {
                return Ok(Stop::Barrier);
            }
        }
    }

    fn fail(&self, instruction: &Instruction, why: impl Into<String>) -> TraceError {
        TraceError::Instruction {
            kernel: self.kernel.name.clone(),
            pc_bytes: instruction.pc_bytes,
            text: instruction.text.clone(),
            why: why.into(),
        }
    }

    /// Executes one instruction; true after a barrier.
    fn step(&mut self, memory: &mut BlockMemory) -> Result<bool, TraceError> {
        let kernel = self.kernel;
        let instruction = kernel
            .instructions
            .get(self.pc)
            .ok_or_else(|| TraceError::Kernel {
                kernel: kernel.name.clone(),
                why: "execution ran past the last instruction".to_owned(),
            })?;
        self.counts.instructions += 1;
        if let Some(path) = &mut self.path {
            path.push(self.pc as u16);
        }
        let lanes = self.active & self.mask(instruction.guard);
        match instruction.op {
            Op::Ssy | Op::Pbk | Op::Pcnt if lanes != 0 => self.open(instruction)?,
            Op::Call if lanes != 0 => return self.call(instruction).map(|()| false),
            Op::Bra => return self.branch(instruction, lanes).map(|()| false),
            Op::Brx if lanes != 0 => return self.indirect(instruction, lanes).map(|()| false),
            Op::Brk => {
                return self
                    .leave(instruction, Reason::Break, lanes)
                    .map(|()| false);
            }
            Op::Cont => {
                return self
                    .leave(instruction, Reason::Continue, lanes)
                    .map(|()| false);
            }
            Op::Ret => {
                return self
                    .leave(instruction, Reason::Return, lanes)
                    .map(|()| false);
            }
            Op::Exit => {
                self.exit(lanes);
                return Ok(false);
            }
            Op::Barrier => {
                self.pc += 1;
                return Ok(true);
            }
            Op::Load => self.load(instruction, lanes, memory)?,
            Op::Store => self.store(instruction, lanes, memory)?,
            Op::Ssy | Op::Pbk | Op::Pcnt | Op::Brx | Op::Call | Op::Nop => {}
            _ => self.compute(instruction, lanes)?,
        }
        if instruction.sync {
            return self.leave(instruction, Reason::Sync, lanes).map(|()| false);
        }
        self.pc += 1;
        Ok(false)
    }

    fn mask(&self, predicate: Predicate) -> u32 {
        let mask = if predicate.index == PT {
            u32::MAX
        } else {
            self.predicates[usize::from(predicate.index)]
        };
        if predicate.negate { !mask } else { mask }
    }

    // Control flow.

    fn target(&self, instruction: &Instruction) -> Result<usize, TraceError> {
        let target = instruction.target.and_then(|pc| self.kernel.index_of(pc));
        target.ok_or_else(|| {
            self.fail(
                instruction,
                "the target is not an instruction of this kernel",
            )
        })
    }

    fn open(&mut self, instruction: &Instruction) -> Result<(), TraceError> {
        let reason = match instruction.op {
            Op::Ssy => Reason::Sync,
            Op::Pbk => Reason::Break,
            _ => Reason::Continue,
        };
        let pc = self.target(instruction)?;
        self.stack.push(Entry {
            reason,
            pc,
            lanes: self.active,
        });
        Ok(())
    }

    fn call(&mut self, instruction: &Instruction) -> Result<(), TraceError> {
        let target = self.target(instruction)?;
        let back = Entry {
            reason: Reason::Return,
            pc: self.pc + 1,
            lanes: self.active,
        };
        self.stack.push(back);
        self.pc = target;
        Ok(())
    }

    fn branch(&mut self, instruction: &Instruction, lanes: u32) -> Result<(), TraceError> {
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
            self.stack.push(Entry {
                reason: Reason::Diverged,
                pc: target,
                lanes: taken,
            });
            self.active &= !taken;
        }
        self.pc += 1;
    }

    fn indirect(&mut self, instruction: &Instruction, lanes: u32) -> Result<(), TraceError> {
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
            self.stack.push(Entry {
                reason: Reason::Diverged,
                pc: self.pc,
                lanes: others,
            });
        }
        self.active = together;
        self.pc = target;
        Ok(())
    }

    /// `lanes` go to the innermost entry of a kind and wait there for the others.
    fn leave(
        &mut self,
        instruction: &Instruction,
        reason: Reason,
        lanes: u32,
    ) -> Result<(), TraceError> {
        if lanes == 0 {
            self.pc += 1;
            return Ok(());
        }
        let innermost = self.stack.iter().rposition(|entry| entry.reason == reason);
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

    fn exit(&mut self, lanes: u32) {
        self.exited |= lanes;
        self.active &= !lanes;
        self.pc += 1;
    }

    /// Goes on with lanes that wait on the stack; false when there are none.
    fn resume(&mut self) -> bool {
        while let Some(entry) = self.stack.pop() {
            let lanes = entry.lanes & !self.exited;
            if lanes != 0 {
                (self.active, self.pc) = (lanes, entry.pc);
                return true;
            }
        }
        false
    }

    // Memory.

    fn addresses(&self, instruction: &Instruction) -> [u32; LANES] {
        let Some(memory) = instruction.memory else {
            return [0; LANES];
        };
        let base = if memory.base == RZ {
            [0; LANES]
        } else {
            self.registers[usize::from(memory.base)]
        };
        base.map(|base| base.wrapping_add_signed(memory.offset))
    }

    fn load(
        &mut self,
        instruction: &Instruction,
        lanes: u32,
        memory: &BlockMemory,
    ) -> Result<(), TraceError> {
        let addresses = self.addresses(instruction);
        let Some(first) = instruction.dst else {
            return Ok(());
        };
        for lane in lanes_of(lanes) {
            for part in 0..instruction.dst_registers {
                let address = addresses[lane].wrapping_add(4 * u32::from(part));
                let value = match instruction.access.map(|access| access.space) {
                    Some(Space::Local) => self
                        .local
                        .get(self.local_word(address))
                        .map(|word| word[lane]),
                    Some(Space::Shared) => memory.load_shared(address),
                    _ => memory.load_global(address, self.kernel),
                };
                self.registers[usize::from(first + part)][lane] =
                    value.ok_or_else(|| self.outside(instruction, address, lane))?;
            }
        }
        Ok(())
    }

    fn store(
        &mut self,
        instruction: &Instruction,
        lanes: u32,
        memory: &mut BlockMemory,
    ) -> Result<(), TraceError> {
        let addresses = self.addresses(instruction);
        let Some(Place::Reg(first)) = instruction.sources.first().map(|source| source.place) else {
            return Err(self.fail(instruction, "the stored value is not in a register"));
        };
        for lane in lanes_of(lanes) {
            for part in 0..instruction.source_registers[0] {
                let value = if first == RZ {
                    0
                } else {
                    self.registers[usize::from(first + part)][lane]
                };
                let address = addresses[lane].wrapping_add(4 * u32::from(part));
                let stored = match instruction.access.map(|access| access.space) {
                    Some(Space::Local) => {
                        let at = self.local_word(address);
                        self.local.get_mut(at).map(|word| word[lane] = value)
                    }
                    Some(Space::Shared) => memory.store_shared(address, value),
                    _ => memory.store_global(address, value),
                };
                stored.ok_or_else(|| self.outside(instruction, address, lane))?;
            }
        }
        Ok(())
    }

    /// Index of a local word; out of range for addresses outside the frame.
    fn local_word(&self, address: u32) -> usize {
        (address.wrapping_sub(LOCAL_TOP - self.kernel.frame_bytes) / 4) as usize
    }

    fn outside(&self, instruction: &Instruction, address: u32, lane: usize) -> TraceError {
        self.fail(
            instruction,
            format!("lane {lane} accesses {address:#x}, which is outside of all buffers"),
        )
    }

    // Arithmetic.

    fn compute(&mut self, instruction: &Instruction, lanes: u32) -> Result<(), TraceError> {
        for lane in lanes_of(lanes) {
            let inputs = self.inputs(instruction, lane);
            let outputs = match instruction.op {
                Op::S2r(special) => self.special(special, lane),
                Op::Ldc => Outputs {
                    value: self.constants_from(instruction, lane),
                    ..Outputs::default()
                },
                _ => alu::execute(instruction, &inputs)
                    .ok_or_else(|| self.fail(instruction, "this operation is not executed"))?,
            };
            self.write(instruction, lane, &outputs);
        }
        Ok(())
    }

    fn inputs(&self, instruction: &Instruction, lane: usize) -> Inputs {
        let mut inputs = Inputs {
            cc: self.cc[lane],
            ..Inputs::default()
        };
        for (at, source) in instruction.sources.iter().enumerate().take(4) {
            let registers = instruction.source_registers[at];
            inputs.sources[at] = self.source(source.place, registers, lane);
        }
        for (at, predicate) in instruction.predicates.iter().enumerate().take(3) {
            inputs.predicates[at] = self.mask(*predicate) >> lane & 1 != 0;
        }
        inputs
    }

    fn source(&self, place: Place, registers: u8, lane: usize) -> u64 {
        let word = |part: u8| match place {
            Place::Reg(RZ) => 0,
            Place::Reg(register) => self.registers[usize::from(register + part)][lane],
            Place::Imm(bits) if part == 0 => bits,
            Place::Imm(_) => 0,
            Place::Const {
                bank,
                index,
                offset,
            } => {
                let base = if index == RZ {
                    0
                } else {
                    self.registers[usize::from(index)][lane]
                };
                let address = base
                    .wrapping_add_signed(offset)
                    .wrapping_add(4 * u32::from(part));
                self.constants.word(bank, address)
            }
        };
        let low = u64::from(word(0));
        if registers > 1 {
            low | u64::from(word(1)) << 32
        } else {
            low
        }
    }

    fn constants_from(&self, instruction: &Instruction, lane: usize) -> u64 {
        self.source(
            instruction.sources[0].place,
            instruction.dst_registers,
            lane,
        )
    }

    fn special(&self, special: Special, lane: usize) -> Outputs {
        let value = match special {
            Special::Tid(0) => self.first_thread + lane as u32,
            Special::LaneId => lane as u32,
            Special::Tid(_) | Special::Ctaid(_) | Special::Zero => 0,
        };
        Outputs {
            value: u64::from(value),
            ..Outputs::default()
        }
    }

    fn write(&mut self, instruction: &Instruction, lane: usize, outputs: &Outputs) {
        if let Some(first) = instruction.dst {
            for part in 0..instruction.dst_registers.min(2) {
                let bits = (outputs.value >> (32 * u32::from(part))) as u32;
                self.registers[usize::from(first + part)][lane] = bits;
            }
        }
        for (index, holds) in instruction
            .dst_predicates
            .into_iter()
            .zip(outputs.predicates)
        {
            if index != PT {
                let mask = &mut self.predicates[usize::from(index)];
                *mask = *mask & !(1 << lane) | u32::from(holds) << lane;
            }
        }
        if instruction.writes_cc {
            self.cc[lane] = outputs.cc;
        }
    }
}

fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}

fn mask_of(holds: impl Fn(usize) -> bool) -> u32 {
    (0..LANES)
        .filter(|&lane| holds(lane))
        .fold(0, |mask, lane| mask | 1 << lane)
}
