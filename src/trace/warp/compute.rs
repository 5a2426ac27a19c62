//! Arithmetic of a warp, lane by lane.

use super::{LANES, Warp, lanes_of};
use crate::isa::instruction::Instruction;
use crate::isa::op::{Op, Shuffle, Special};
use crate::isa::operand::{PT, Place, RZ};
use crate::trace::alu::{self, Inputs, Outputs};
use crate::trace::error::TraceError;
use std::array;

impl Warp<'_> {
    pub(super) fn compute(
        &mut self,
        instruction: &Instruction,
        lanes: u32,
    ) -> Result<(), TraceError> {
        if lanes == 0 {
            return Ok(());
        }
        if instruction.op == Op::Ldc {
            self.note_constants(instruction, lanes);
        }
        if self.is_uniform(instruction, lanes) {
            let outputs = self.lane(instruction, 0)?;
            self.write_all(instruction, &outputs);
            return Ok(());
        }
        for lane in lanes_of(lanes) {
            let outputs = self.lane(instruction, lane)?;
            self.write(instruction, lane, &outputs);
        }
        self.note_lanes(instruction);
        Ok(())
    }

    /// Computes the outputs of one lane.
    fn lane(&self, instruction: &Instruction, lane: usize) -> Result<Outputs, TraceError> {
        Ok(match instruction.op {
            Op::S2r(special) => self.special(special, lane),
            Op::Ldc => Outputs {
                value: self.constants_from(instruction, lane),
                ..Outputs::default()
            },
            _ => alu::execute(instruction, &self.inputs(instruction, lane))
                .ok_or_else(|| self.fail(instruction, "this operation is not executed"))?,
        })
    }

    /// Records that the destination may differ between lanes.
    pub(super) fn note_lanes(&mut self, instruction: &Instruction) {
        if let Some(first) = instruction.dst {
            self.uniform.set(first, instruction.dst_registers, false);
        }
    }

    /// Writes to every lane whether the predicate holds in any of them.
    pub(super) fn vote(&mut self, instruction: &Instruction, lanes: u32) {
        let holds = lanes & self.mask(instruction.predicates[0]) != 0;
        let outputs = Outputs {
            predicates: [holds, false],
            ..Outputs::default()
        };
        for lane in lanes_of(lanes) {
            self.write(instruction, lane, &outputs);
        }
        self.note_lanes(instruction);
    }

    /// Gives every lane the previous value of another one, or its own if that one is out of bounds. An inactive lane
    /// gives 0: PTX leaves its value undefined.
    pub(super) fn shuffle(&mut self, instruction: &Instruction, mode: Shuffle, lanes: u32) {
        let word =
            |lane: usize, at: usize| self.source(instruction.sources[at].place, 1, lane) as usize;
        let outputs: [Outputs; LANES] = array::from_fn(|lane| {
            let (by, bounds) = (word(lane, 1) % LANES, word(lane, 2));
            let (from, is_inside) = other_lane(mode, lane, by, bounds);
            let from = if is_inside { from } else { lane };
            let value = match lanes >> from & 1 != 0 {
                true => word(from, 0) as u64,
                false => 0,
            };
            Outputs {
                value,
                predicates: [is_inside, false],
                ..Outputs::default()
            }
        });
        for lane in lanes_of(lanes) {
            self.write(instruction, lane, &outputs[lane]);
        }
        self.note_lanes(instruction);
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
            Special::Tid(dimension) => self
                .place
                .thread(self.first_thread + lane as u32, dimension),
            Special::Ctaid(dimension) => self.place.index[usize::from(dimension % 3)],
            Special::LaneId => lane as u32,
            Special::Zero => 0,
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

/// Returns the lane that `lane` reads in a shuffle, and whether it is within the bounds: the segment's mask in bits 8 to
/// 12, the limit in bits 0 to 4, as in PTX.
fn other_lane(mode: Shuffle, lane: usize, by: usize, bounds: usize) -> (usize, bool) {
    let (limit, segment) = (bounds & 31, bounds >> 8 & 31);
    let first = lane & segment;
    let last = first | limit & !segment;
    match mode {
        Shuffle::Up => (lane.wrapping_sub(by), lane >= by + last),
        Shuffle::Down => (lane + by, lane + by <= last),
        Shuffle::Xor => (lane ^ by, lane ^ by <= last),
        Shuffle::Index => {
            let from = first | by & !segment;
            (from, from <= last)
        }
    }
}
