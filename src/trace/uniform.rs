//! Uniform execution: one segment of the path that every warp takes.
//!
//! Models: integer, predicate, branch and address arithmetic of three probes (see `state`), program
//! words in global and shared memory, control values in local memory. Leaves out: float data; a
//! branch that depends on it goes the way ordinary numbers take, and is counted as an assumption.
//! Units: bytes. Sources: none.

use super::alu::{self, Inputs};
use super::error::TraceError;
use super::launch::{Buffer, ConstantMemory, LOCAL_TOP, Launch};
use super::program::ProgramWords;
use super::state::{
    Flag, Frame, Machine, NOMINAL, Origin, PROBE_THREADS, PROBES, Tag, Value, WordTest,
};
use super::{AddressKind, TraceOp};
use crate::isa::instruction::Instruction;
use crate::isa::op::{Number, Op, Special};
use crate::isa::operand::{PT, Place, Predicate, RZ};
use crate::isa::{Kernel, Space};

/// Instructions in one segment before it counts as endless.
const SEGMENT_LIMIT: u64 = 1_000_000;

/// Something about the program that a segment's path depends on. Words are counted from the
/// segment's token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Question {
    /// The bits of a word.
    Word(i32),
    /// Whether a word is an operand (0), an opcode (1) or beyond the end (2).
    Role(i32),
    /// What a comparison of a word with an immediate gives (see [`WordTest`]).
    Test(i32, WordTest),
    /// The token's place in the program.
    Position,
}

impl Question {
    /// The answer of a program whose current token is at `position`.
    pub fn ask(self, kernel: &Kernel, program: &ProgramWords, position: u32) -> u32 {
        let word = |offset: i32| {
            program
                .word(position.wrapping_add_signed(offset))
                .unwrap_or(0)
        };
        match self {
            Question::Word(offset) => word(offset),
            Question::Role(offset) => program.role(position.wrapping_add_signed(offset)),
            Question::Test(offset, test) => test.outcome(kernel, word(offset)),
            Question::Position => position,
        }
    }
}

impl WordTest {
    /// All flags that the comparison sets, as one number.
    fn outcome(self, kernel: &Kernel, word: u32) -> u32 {
        let bits = if self.as_float {
            (word as i32 as f32).to_bits()
        } else {
            word
        };
        let instruction = &kernel.instructions[usize::from(self.instruction)];
        let mut inputs = Inputs {
            predicates: [true; 3],
            ..Inputs::default()
        };
        for (input, source) in inputs.sources.iter_mut().zip(&instruction.sources) {
            *input = match source.place {
                Place::Imm(bits) => u64::from(bits),
                Place::Reg(RZ) => 0,
                _ => u64::from(bits),
            };
        }
        let outputs = alu::execute(instruction, &inputs).unwrap_or_default();
        let [result, complement] = outputs.predicates.map(u32::from);
        u32::from(outputs.cc) | result << 8 | complement << 9
    }
}

/// How the kernel copies programs into shared memory: word `i` at `base + 4 i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedCopy {
    pub base: u32,
    /// The copy converts integers to floats.
    pub as_float: bool,
}

/// What is fixed while a kernel is traced.
pub struct Environment<'a> {
    pub kernel: &'a Kernel,
    pub launch: &'a Launch,
    pub constants: &'a ConstantMemory,
    /// Fitness cases that `constants` announces.
    pub run_cases: u32,
    /// Instruction index of the case loop's header.
    pub case_loop: usize,
}

/// Why a segment ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentEnd {
    /// Before the instruction that fetches opcode word `fetch`, or at the case loop's header.
    Boundary {
        fetch: Option<u32>,
    },
    Exit,
}

/// One segment, executed.
#[derive(Debug)]
pub struct Executed {
    pub ops: Vec<TraceOp>,
    pub questions: Vec<Question>,
    /// Branches and guards of memory accesses that depend on float data.
    pub assumptions: u32,
    pub end: SegmentEnd,
}

/// Executes segments.
pub struct Executor<'a> {
    pub environment: &'a Environment<'a>,
    pub program: &'a ProgramWords,
    pub copy: &'a mut Option<SharedCopy>,
    pub machine: &'a mut Machine,
    ops: Vec<TraceOp>,
    questions: Vec<Question>,
    assumptions: u32,
    fetch: Option<u32>,
}

/// A predicate's value with what it depends on.
#[derive(Clone, Copy)]
struct Truth {
    bits: [bool; PROBES],
    tag: Tag,
    test: Option<WordTest>,
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
            questions: Vec::new(),
            assumptions: 0,
            fetch,
        }
    }

    /// Executes up to the next segment's start.
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
            questions: self.questions,
            assumptions: self.assumptions,
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

    /// The opcode word that the next instruction fetches, and whether a segment starts here.
    fn boundary(&mut self) -> Result<Option<Option<u32>>, TraceError> {
        let fetch = self.next_fetch()?;
        let starts = fetch.is_some() || self.machine.pc == self.environment.case_loop;
        Ok(starts.then_some(fetch))
    }

    /// The opcode word that the next instruction fetches.
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

    /// The program word at an address, if programs lie there.
    fn program_word(&self, space: Option<Space>, address: u32) -> Option<u32> {
        let base = match space? {
            Space::Shared => (*self.copy)?.base,
            Space::Global if Buffer::of(address) == Some(Buffer::Programs) => {
                Buffer::Programs.address()
            }
            _ => return None,
        };
        let offset = address.wrapping_sub(base);
        (offset % 4 == 0 && offset / 4 < self.environment.launch.max_program_words)
            .then_some(offset / 4)
    }

    fn position(&self) -> u32 {
        self.fetch.unwrap_or(0)
    }

    fn ask(&mut self, question: Question) -> u32 {
        if !self.questions.contains(&question) {
            self.questions.push(question);
        }
        question.ask(self.environment.kernel, self.program, self.position())
    }

    fn offset(&self, index: u32) -> i32 {
        index.wrapping_sub(self.position()) as i32
    }

    fn ask_word(&mut self, index: u32) {
        self.ask(Question::Word(self.offset(index)));
    }

    /// 0 for an operand, 1 for an opcode, 2 beyond the end.
    fn role(&mut self, index: u32) -> u32 {
        if self.fetch == Some(index) {
            1
        } else {
            self.ask(Question::Role(self.offset(index)))
        }
    }

    /// Something depends on the token's place in the program.
    fn ask_position(&mut self) {
        if self.fetch.is_some() {
            self.ask(Question::Position);
        }
    }

    fn asked(&self, index: u32) -> bool {
        self.questions.contains(&Question::Word(self.offset(index)))
    }

    /// Control, once the word has been looked at.
    fn settle(&self, tag: Tag) -> Tag {
        match tag {
            Tag::Word(index) if self.asked(index) => Tag::Control,
            tag => tag,
        }
    }

    fn join(&mut self, a: Tag, b: Tag) -> Tag {
        match (self.settle(a), self.settle(b)) {
            (Tag::Control, tag) | (tag, Tag::Control) => tag,
            (Tag::Data, _) | (_, Tag::Data) => Tag::Data,
            (Tag::Word(a), Tag::Word(b)) if a == b => Tag::Word(a),
            (Tag::Word(a), Tag::Word(b)) => {
                self.ask_word(b);
                Tag::Word(a)
            }
        }
    }

    fn truth(&self, predicate: Predicate) -> Truth {
        if predicate.index == PT {
            return Truth {
                bits: [!predicate.negate; PROBES],
                tag: Tag::Control,
                test: None,
            };
        }
        let flag = self.machine.predicates[usize::from(predicate.index)];
        Truth {
            bits: flag.bits.map(|bit| (bit != 0) != predicate.negate),
            tag: flag.tag,
            test: flag.test,
        }
    }

    /// A truth value that the path depends on. Lane 0 leads.
    fn decide(&mut self, truth: Truth) -> bool {
        match (self.settle(truth.tag), truth.test) {
            (Tag::Control, _) => {}
            (Tag::Word(index), Some(test)) => {
                self.ask(Question::Test(self.offset(index), test));
            }
            (Tag::Word(index), None) => self.ask_word(index),
            (Tag::Data, _) => self.assumptions += 1,
        }
        truth.bits[0]
    }

    /// The address of a memory access, per probe.
    fn address(&mut self, instruction: &Instruction) -> Result<[u32; PROBES], TraceError> {
        let memory = instruction
            .memory
            .ok_or_else(|| self.fail("no memory operand"))?;
        let base = self.machine.register(memory.base);
        self.known(base, "the address depends on data")?;
        let shared = instruction.access.map(|access| access.space) == Some(Space::Shared);
        if base.stride != if shared { 4 } else { 0 } {
            self.ask_position();
        }
        Ok(base
            .bits
            .map(|bits| bits.wrapping_add_signed(memory.offset)))
    }

    /// A value that the path depends on.
    fn known(&mut self, value: Value, why: &str) -> Result<(), TraceError> {
        match self.settle(value.tag) {
            Tag::Control => Ok(()),
            Tag::Word(index) => {
                self.ask_word(index);
                Ok(())
            }
            Tag::Data => Err(self.fail(why)),
        }
    }

    /// Executes one instruction; false after the last one.
    fn step(&mut self) -> Result<bool, TraceError> {
        let instruction = self.instruction()?;
        self.ops.push(TraceOp {
            inst: self.machine.pc as u16,
            address_kind: AddressKind::None,
            address: 0,
        });
        let guard = self.truth(instruction.guard);
        let decides = instruction.redirects()
            || matches!(
                instruction.op,
                Op::Load | Op::Store | Op::Barrier | Op::Ssy | Op::Pbk | Op::Pcnt
            );
        if decides && !self.decide(guard) {
            self.machine.pc += 1;
            return Ok(true);
        }
        match instruction.op {
            Op::Load => self.load(instruction)?,
            Op::Store => self.store(instruction)?,
            Op::Nop | Op::Barrier => {}
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

    fn target(&self, instruction: &Instruction) -> Result<usize, TraceError> {
        let target = instruction
            .target
            .and_then(|pc| self.environment.kernel.index_of(pc));
        target.ok_or_else(|| self.fail("the target is not an instruction of this kernel"))
    }

    fn push_frame(&mut self, instruction: &Instruction) -> Result<(), TraceError> {
        let target = self.target(instruction)? as u32;
        self.machine.frames.push(match instruction.op {
            Op::Ssy => Frame::Sync(target),
            Op::Pbk => Frame::Break(target),
            _ => Frame::Continue(target),
        });
        Ok(())
    }

    /// Goes where the innermost frame of a kind leads.
    fn unwind(&mut self, kind: impl Fn(&Frame) -> bool) -> Result<(), TraceError> {
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

    fn redirect(&mut self, instruction: &Instruction) -> Result<bool, TraceError> {
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
                self.machine
                    .frames
                    .push(Frame::Return(self.machine.pc as u32 + 1));
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

    fn note_access(&mut self, kind: AddressKind, address: u32) {
        if let Some(op) = self.ops.last_mut() {
            (op.address_kind, op.address) = (kind, address);
        }
    }

    /// Records the access and returns its address in every probe.
    fn access(&mut self, instruction: &Instruction) -> Result<[u32; PROBES], TraceError> {
        let addresses = self.address(instruction)?;
        let access = instruction
            .access
            .ok_or_else(|| self.fail("no memory access"))?;
        match access.space {
            Space::Local => {
                let offset = self.local_offset(addresses)?;
                self.note_access(AddressKind::Local, offset);
            }
            space => {
                let kind = self.spread(addresses, u32::from(access.bytes_per_lane), space)?;
                let address = self.normalized(addresses[0], kind, space);
                self.note_access(kind, address);
            }
        }
        Ok(addresses)
    }

    fn local_offset(&self, addresses: [u32; PROBES]) -> Result<u32, TraceError> {
        let frame = self.environment.kernel.frame_bytes;
        let offset = addresses[0].wrapping_sub(LOCAL_TOP - frame);
        if addresses != [addresses[0]; PROBES] || offset >= frame {
            return Err(self.fail(format!("local offset {offset:#x} outside the frame of {frame} bytes, or not the same in every lane")));
        }
        Ok(offset)
    }

    fn spread(
        &self,
        addresses: [u32; PROBES],
        bytes: u32,
        space: Space,
    ) -> Result<AddressKind, TraceError> {
        let strides = [
            addresses[1].wrapping_sub(addresses[0]),
            addresses[2].wrapping_sub(addresses[0]),
        ];
        let buffer = Buffer::of(addresses[0]);
        if strides == [0, 0] {
            Ok(AddressKind::Uniform)
        } else if strides != [bytes, 32 * bytes] {
            Err(self.fail(format!(
                "lanes are {} bytes apart and warps {}; allowed: {bytes} and {}",
                strides[0],
                strides[1],
                32 * bytes
            )))
        } else if space == Space::Global && matches!(buffer, Some(Buffer::Inputs | Buffer::Outputs))
        {
            Ok(AddressKind::PerCase)
        } else {
            Ok(AddressKind::PerThread)
        }
    }

    /// Shared program words are counted from the segment's token, fitness cases from iteration 0.
    fn normalized(&self, address: u32, kind: AddressKind, space: Space) -> u32 {
        let launch = self.environment.launch;
        match (kind, space) {
            (AddressKind::Uniform, Space::Shared) => address.wrapping_sub(4 * self.position()),
            (AddressKind::PerCase, _) => {
                let base = Buffer::of(address).map_or(0, Buffer::address);
                let case = (address - base) / 4;
                let (row, case) = (
                    case / self.environment.run_cases,
                    case % self.environment.run_cases,
                );
                base + 4 * (row * launch.cases + case % launch.cases_per_iteration)
            }
            _ => address,
        }
    }

    fn load(&mut self, instruction: &Instruction) -> Result<(), TraceError> {
        let addresses = self.access(instruction)?;
        let space = instruction.access.map(|access| access.space);
        let Some(first) = instruction.dst else {
            return Ok(());
        };
        for part in 0..instruction.dst_registers {
            let at = addresses.map(|address| address.wrapping_add(4 * u32::from(part)));
            let value = match space {
                Some(Space::Local) => self.machine.load_local(self.local_offset(at)?),
                Some(Space::Shared) => self.load_word(Some(Space::Shared), at),
                _ => self.load_global(at),
            };
            self.machine.registers[usize::from(first + part)] = value;
        }
        Ok(())
    }

    fn load_global(&mut self, addresses: [u32; PROBES]) -> Value {
        match Buffer::of(addresses[0]) {
            Some(Buffer::Programs) => self.load_word(Some(Space::Global), addresses),
            Some(Buffer::ModuleData) => {
                let data = &self.environment.kernel.global_data;
                Value::control(addresses.map(|address| {
                    let at = (address - Buffer::ModuleData.address()) as usize;
                    let bytes = data.get(at..at + 4);
                    bytes.map_or(0, |bytes| {
                        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
                    })
                }))
            }
            _ => Value::DATA,
        }
    }

    /// A program word, from global memory or from its copy; anything else is data.
    fn load_word(&mut self, space: Option<Space>, addresses: [u32; PROBES]) -> Value {
        let Some(index) = self.program_word(space, addresses[0]) else {
            return Value::DATA;
        };
        let role = self.role(index);
        let Some(raw) = self.program.word(index) else {
            return Value::DATA;
        };
        let as_float = space == Some(Space::Shared) && self.copy.is_some_and(|copy| copy.as_float);
        let origin = if as_float {
            Origin::AsFloat(index)
        } else {
            Origin::Raw(index)
        };
        if addresses != [addresses[0]; PROBES] {
            return Value {
                origin,
                ..Value::DATA
            };
        }
        let tag = if role == 1 {
            self.ask_word(index);
            Tag::Control
        } else {
            Tag::Word(index)
        };
        let bits = if as_float {
            (raw as i32 as f32).to_bits()
        } else {
            raw
        };
        Value {
            tag,
            origin,
            ..Value::control([bits; PROBES])
        }
    }

    fn store(&mut self, instruction: &Instruction) -> Result<(), TraceError> {
        let addresses = self.access(instruction)?;
        let space = instruction.access.map(|access| access.space);
        let Some(Place::Reg(first)) = instruction.sources.first().map(|source| source.place) else {
            return Err(self.fail("the stored value is not in a register"));
        };
        // Only the frame's own slots are spills; what goes through another register is the stack of
        // the interpreter, which holds data.
        let spills = instruction.memory.is_some_and(|memory| memory.base == 1);
        for part in 0..instruction.source_registers[0] {
            let value = self
                .machine
                .register(if first == RZ { RZ } else { first + part });
            let at = addresses.map(|address| address.wrapping_add(4 * u32::from(part)));
            match space {
                Some(Space::Local) => {
                    let offset = self.local_offset(at)?;
                    self.machine
                        .store_local(offset, if spills { value } else { Value::DATA });
                }
                Some(Space::Shared) => self.store_shared(at[0], value)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn store_shared(&mut self, address: u32, value: Value) -> Result<(), TraceError> {
        let (index, as_float) = match value.origin {
            Origin::None => return Ok(()),
            Origin::Raw(index) => (index, false),
            Origin::AsFloat(index) => (index, true),
        };
        let copy = SharedCopy {
            base: address.wrapping_sub(4 * index),
            as_float,
        };
        if self.copy.is_some_and(|known| known != copy) {
            return Err(self.fail("programs are not copied into shared memory word by word"));
        }
        *self.copy = Some(copy);
        Ok(())
    }

    fn compute(&mut self, instruction: &Instruction, guard: Truth) -> Result<(), TraceError> {
        if let Tag::Word(_) = self.settle(guard.tag) {
            self.decide(guard);
        }
        let guard_is_data = guard.tag == Tag::Data;
        let start = if guard_is_data {
            Tag::Data
        } else {
            Tag::Control
        };
        let (inputs, tag) = self.inputs(instruction, start)?;
        let stride = if tag == Tag::Data {
            0
        } else {
            self.stride(instruction, &inputs)
        };
        let mut outputs = [alu::Outputs::default(); PROBES];
        for (probe, output) in outputs.iter_mut().enumerate() {
            *output = match instruction.op {
                Op::S2r(special) => special_register(special, probe),
                Op::Ldc => self.constant_words(instruction, probe),
                _ => alu::execute(instruction, &inputs[probe])
                    .ok_or_else(|| self.fail("this operation is not executed"))?,
            };
        }
        let test = self.word_test(instruction, tag);
        let write = Write {
            guard: guard.bits,
            forget: guard_is_data,
            tag,
            stride,
            test,
        };
        self.write_registers(instruction, &outputs, write);
        for side in 0..2 {
            let index = usize::from(instruction.dst_predicates[side]);
            if index != usize::from(PT) {
                let bits = outputs.map(|output| output.predicates[side].into());
                self.write_flag(index, bits, write);
            }
        }
        if instruction.writes_cc {
            self.write_flag(7, outputs.map(|output| output.cc), write);
        }
        Ok(())
    }

    /// How the result moves with the token's position. What is not linear in the position is only
    /// true for this one.
    fn stride(&mut self, instruction: &Instruction, inputs: &[Inputs; PROBES]) -> u32 {
        let mut strides = [0u32; 3];
        let mut linear = true;
        let sources = instruction
            .sources
            .iter()
            .zip(&instruction.source_registers);
        for (at, (source, &registers)) in sources.enumerate() {
            let value = match source.place {
                Place::Reg(register) => self.machine.register(register),
                Place::Const { index, .. } => self.machine.register(index),
                _ => continue,
            };
            let moves = value.stride != 0;
            linear &= !moves || registers == 1 && !source.absolute && !source.invert;
            linear &= !moves || matches!(source.place, Place::Reg(_));
            let sign = if source.negate { u32::MAX } else { 1 };
            strides[at.min(2)] = value.stride.wrapping_mul(sign);
        }
        if strides == [0; 3] && linear {
            return 0;
        }
        let flags =
            instruction.writes_cc || instruction.carry_in || instruction.dst_predicates != [PT; 2];
        let same = |at: usize| {
            inputs
                .iter()
                .all(|input| input.sources[at] == inputs[0].sources[at])
        };
        let constant = |at: usize| inputs[0].sources[at] as u32;
        let [first, second, third] = strides;
        let result = match instruction.op {
            Op::Mov => Some(first),
            Op::Iadd => Some(first.wrapping_add(second)),
            Op::Iadd3 => Some(first.wrapping_add(second).wrapping_add(third)),
            Op::Lea { high: false } => first
                .checked_shl(constant(2))
                .map(|first| first.wrapping_add(second)),
            Op::Iscadd => first
                .checked_shl(constant(2))
                .map(|first| first.wrapping_add(second)),
            Op::Imad { high: false, .. }
                if second == 0 && same(1) && !instruction.sources[1].negate =>
            {
                Some(first.wrapping_mul(constant(1)).wrapping_add(third))
            }
            Op::Shl { .. } if second == 0 => first.checked_shl(constant(1)),
            Op::Shf {
                right: false,
                wide: false,
                high,
                ..
            } if second == 0 => match high {
                true if first == 0 => third.checked_shl(constant(1)),
                false if third == 0 => first.checked_shl(constant(1)),
                _ => None,
            },
            _ => None,
        };
        match result.filter(|_| linear && !flags) {
            Some(stride) => stride,
            None => {
                self.ask_position();
                0
            }
        }
    }

    /// Whether an instruction only compares one unchanged program word with an immediate.
    fn word_test(&self, instruction: &Instruction, tag: Tag) -> Option<WordTest> {
        let compares = matches!(
            instruction.op,
            Op::Fset { .. } | Op::Fsetp { .. } | Op::Iset { .. } | Op::Isetp { .. }
        );
        if !compares || !matches!(tag, Tag::Word(_)) || instruction.carry_in {
            return None;
        }
        let always = |predicate: &Predicate| *predicate == Predicate::ALWAYS;
        if !instruction.predicates.iter().all(always) {
            return None;
        }
        let mut as_float = None;
        for source in &instruction.sources {
            match source.place {
                Place::Imm(_) | Place::Reg(RZ) => {}
                Place::Reg(register) => match self.machine.register(register).origin {
                    Origin::None => return None,
                    Origin::Raw(_) => as_float = Some(false),
                    Origin::AsFloat(_) => as_float = Some(true),
                },
                _ => return None,
            }
        }
        Some(WordTest {
            instruction: self.machine.pc as u16,
            as_float: as_float?,
        })
    }

    /// Reads all sources; data swallows the program words it is mixed with.
    fn inputs(
        &mut self,
        instruction: &Instruction,
        start: Tag,
    ) -> Result<([Inputs; PROBES], Tag), TraceError> {
        let mut tag = start;
        for source in &instruction.sources {
            match source.place {
                Place::Reg(register) => tag = self.join(tag, self.machine.register(register).tag),
                Place::Const { index, .. } if index != RZ => {
                    let value = self.machine.register(index);
                    self.known(value, "the constant's address depends on data")?;
                }
                _ => {}
            }
        }
        for predicate in &instruction.predicates {
            tag = self.join(tag, self.truth(*predicate).tag);
        }
        if instruction.carry_in {
            tag = self.join(tag, self.machine.predicates[7].tag);
        }
        let mut inputs = [Inputs::default(); PROBES];
        for (probe, input) in inputs.iter_mut().enumerate() {
            for (at, source) in instruction.sources.iter().enumerate() {
                input.sources[at] =
                    self.source(source.place, instruction.source_registers[at], probe, tag);
            }
            for (at, predicate) in instruction.predicates.iter().enumerate().take(3) {
                let truth = self.truth(*predicate);
                input.predicates[at] = truth.bits[probe] && !self.hidden(truth.tag, 0, tag);
            }
            let cc = self.machine.predicates[7];
            input.cc = if self.hidden(cc.tag, 0, tag) {
                0
            } else {
                cc.bits[probe]
            };
        }
        Ok((inputs, tag))
    }

    /// Whether a value must not show in the data that it is mixed with: nominal data is the same for
    /// all programs and positions.
    fn hidden(&self, tag: Tag, stride: u32, joined: Tag) -> bool {
        joined == Tag::Data && (stride != 0 || matches!(self.settle(tag), Tag::Word(_)))
    }

    fn source(&self, place: Place, registers: u8, probe: usize, joined: Tag) -> u64 {
        let word = |part: u8| match place {
            Place::Reg(RZ) => 0,
            Place::Reg(register) => {
                let value = self.machine.register(register + part);
                if self.hidden(value.tag, value.stride, joined) {
                    NOMINAL
                } else {
                    value.bits[probe]
                }
            }
            Place::Imm(bits) => {
                if part == 0 {
                    bits
                } else {
                    0
                }
            }
            Place::Const {
                bank,
                index,
                offset,
            } => {
                let address = self.machine.register(index).bits[probe].wrapping_add_signed(offset);
                self.environment
                    .constants
                    .word(bank, address.wrapping_add(4 * u32::from(part)))
            }
        };
        let low = u64::from(word(0));
        if registers > 1 {
            low | u64::from(word(1)) << 32
        } else {
            low
        }
    }

    fn constant_words(&self, instruction: &Instruction, probe: usize) -> alu::Outputs {
        let place = instruction.sources[0].place;
        let value = self.source(place, instruction.dst_registers, probe, Tag::Control);
        alu::Outputs {
            value,
            ..alu::Outputs::default()
        }
    }

    fn write_registers(
        &mut self,
        instruction: &Instruction,
        outputs: &[alu::Outputs; PROBES],
        write: Write,
    ) {
        let Some(first) = instruction.dst else { return };
        let origin = self.origin(instruction);
        for part in 0..instruction.dst_registers {
            let old = self.machine.register(first + part);
            let forgotten = write.forget && self.hidden(old.tag, old.stride, Tag::Data);
            let mut bits = if forgotten {
                [NOMINAL; PROBES]
            } else {
                old.bits
            };
            for probe in 0..PROBES {
                if write.guard[probe] {
                    bits[probe] = (outputs[probe].value >> (32 * u32::from(part))) as u32;
                }
            }
            let all = write.guard == [true; PROBES];
            let none = write.guard == [false; PROBES] && !write.forget;
            if none {
                continue;
            }
            let mixed = !all && !write.forget;
            let tag = if mixed {
                self.join(write.tag, old.tag)
            } else {
                write.tag
            };
            if mixed && old.stride != write.stride {
                self.ask_position();
            }
            let stride = if mixed && old.stride != write.stride {
                0
            } else {
                write.stride
            };
            let value = Value {
                bits,
                stride,
                tag,
                origin,
            };
            self.machine.registers[usize::from(first + part)] = value;
        }
    }

    fn write_flag(&mut self, index: usize, new: [u8; PROBES], write: Write) {
        let old = self.machine.predicates[index];
        if write.guard == [false; PROBES] && !write.forget {
            return;
        }
        let forgotten = write.forget && self.hidden(old.tag, 0, Tag::Data);
        let mut bits = if forgotten { [0; PROBES] } else { old.bits };
        for probe in 0..PROBES {
            if write.guard[probe] {
                bits[probe] = new[probe];
            }
        }
        let all = write.guard == [true; PROBES];
        let mixed = !all && !write.forget;
        let tag = if mixed {
            self.join(write.tag, old.tag)
        } else {
            write.tag
        };
        let test = write.test.filter(|_| all);
        self.machine.predicates[index] = Flag { bits, tag, test };
    }

    /// Moves keep a program word's origin, and so does its conversion to a float.
    fn origin(&self, instruction: &Instruction) -> Origin {
        let Some(Place::Reg(register)) = instruction.sources.first().map(|source| source.place)
        else {
            return Origin::None;
        };
        let origin = self.machine.register(register).origin;
        match (instruction.op, origin) {
            (Op::Mov, origin) => origin,
            (
                Op::Convert {
                    to: Number::Float(32),
                    from: Number::Signed(32),
                    ..
                },
                Origin::Raw(index),
            ) => Origin::AsFloat(index),
            _ => Origin::None,
        }
    }
}

/// How results are written.
#[derive(Clone, Copy)]
struct Write {
    guard: [bool; PROBES],
    /// The guard depends on data: afterwards the destination does, whether it was written or not.
    forget: bool,
    tag: Tag,
    stride: u32,
    test: Option<WordTest>,
}

fn special_register(special: Special, probe: usize) -> alu::Outputs {
    let thread = PROBE_THREADS[probe];
    let value = match special {
        Special::Tid(0) => thread,
        Special::LaneId => thread % 32,
        Special::Tid(_) | Special::Ctaid(_) | Special::Zero => 0,
    };
    alu::Outputs {
        value: u64::from(value),
        ..alu::Outputs::default()
    }
}
