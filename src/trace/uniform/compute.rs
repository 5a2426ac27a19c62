//! Arithmetic of uniform execution: values, their dependences, and their movement with the position.

use super::Executor;
use super::path_conditions::Truth;
use crate::isa::instruction::Instruction;
use crate::isa::op::{Number, Op, Special};
use crate::isa::operand::{PT, Place, Predicate, RZ, Source};
use crate::trace::alu::{self, Inputs};
use crate::trace::error::TraceError;
use crate::trace::state::{Flag, NOMINAL, Origin, PROBE_THREADS, PROBES, Tag, Value, WordTest};

impl Executor<'_> {
    pub(super) fn compute(
        &mut self,
        instruction: &Instruction,
        guard: Truth,
    ) -> Result<(), TraceError> {
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
                Op::VoteAny => vote(&inputs[probe]),
                Op::Shuffle(_) => shuffle(&inputs[probe]),
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

    /// Stride of the result over the token's position. A result that is not linear in the position is valid for this position
    /// only.
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

    /// Tells whether an instruction only compares one unchanged program word with an immediate.
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

    /// Reads all sources; mixing program words with data yields data.
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

    /// Tells whether a value must be hidden when mixed with data: nominal data is the same for all programs and positions.
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
        let all = write.guard == [true; PROBES];
        let origin = if all {
            self.origin(instruction)
        } else {
            Origin::None
        };
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
            let none = write.guard == [false; PROBES] && !write.forget;
            if none {
                continue;
            }
            let mixed = !all && !write.forget;
            // Lane 0 leads: if it is written, the other lanes' data is irrelevant.
            let keeps = mixed && !(write.guard[0] && old.tag == Tag::Data);
            let tag = if keeps {
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

    /// Origin of the result: moves and conversions to float preserve a program word's origin.
    fn origin(&self, instruction: &Instruction) -> Origin {
        let unchanged = |source: &&Source| !source.negate && !source.absolute && !source.invert;
        let source = instruction.sources.first().filter(unchanged);
        let Some(Place::Reg(register)) = source.map(|source| source.place) else {
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

/// Mode of writing results.
#[derive(Clone, Copy)]
struct Write {
    guard: [bool; PROBES],
    /// Whether the guard depends on data; afterwards the destination does, whether it was written or not.
    forget: bool,
    tag: Tag,
    stride: u32,
    test: Option<WordTest>,
}

/// Vote of lane 0: lanes agree as far as the path is concerned.
fn vote(inputs: &Inputs) -> alu::Outputs {
    alu::Outputs {
        predicates: [inputs.predicates[0], false],
        ..alu::Outputs::default()
    }
}

/// Shuffle result: exchanged values are data, and nominal data is the same in all lanes.
fn shuffle(inputs: &Inputs) -> alu::Outputs {
    alu::Outputs {
        value: inputs.sources[0],
        ..alu::Outputs::default()
    }
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
