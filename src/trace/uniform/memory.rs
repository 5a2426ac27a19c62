//! Memory accesses of uniform execution: their addresses and loaded values.

use super::{Executor, SharedCopy};
use crate::isa::Space;
use crate::isa::instruction::Instruction;
use crate::isa::operand::{Place, RZ};
use crate::trace::error::TraceError;
use crate::trace::launch::{Buffer, LOCAL_TOP};
use crate::trace::state::{Origin, PROBES, Tag, Value};
use crate::trace::{AddressKind, LINE_BYTES};
use std::array;

impl Executor<'_> {
    fn note_access(&mut self, (kind, warp_lines): (AddressKind, u8), address: u32) {
        if let Some(op) = self.ops.last_mut() {
            (op.address_kind, op.warp_lines, op.address) = (kind, warp_lines, address);
        }
    }

    /// Records the access and returns its address in every probe.
    fn access(
        &mut self,
        instruction: &Instruction,
        active: [bool; PROBES],
    ) -> Result<[u32; PROBES], TraceError> {
        let addresses = self.address(instruction)?;
        let access = instruction
            .access
            .ok_or_else(|| self.fail("no memory access"))?;
        match access.space {
            Space::Local => {
                let offset = self.local_offset(addresses)?;
                self.note_access((AddressKind::Local, 0), offset);
            }
            space => {
                let bytes = u32::from(access.bytes_per_lane);
                let spread = self.spread(addresses, active, bytes, space)?;
                let address = self.normalized(addresses[0], spread.0, space);
                self.note_access(spread, address);
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

    /// Determines the access pattern over lanes, and the lines from warp to warp.
    fn spread(
        &self,
        addresses: [u32; PROBES],
        active: [bool; PROBES],
        bytes: u32,
        space: Space,
    ) -> Result<(AddressKind, u8), TraceError> {
        // A disabled lane has no address of its own.
        let stride = |probe: usize| {
            let distance = addresses[probe].wrapping_sub(addresses[0]);
            if active[probe] { distance } else { 0 }
        };
        let strides = [stride(1), stride(2)];
        let buffer = Buffer::of(addresses[0]);
        let is_uniform = strides[0] == 0 && (strides[1] == 0 || space == Space::Shared);
        if is_uniform {
            return Ok((AddressKind::Uniform, 0));
        }
        let warp_lines = u8::try_from(strides[1] / LINE_BYTES);
        match warp_lines {
            Ok(warp_lines) if strides[0] == bytes && strides[1].is_multiple_of(LINE_BYTES) => {
                let is_case = matches!(buffer, Some(Buffer::Inputs | Buffer::Outputs));
                let kind = match space {
                    Space::Global if is_case => AddressKind::PerCase,
                    _ => AddressKind::PerThread,
                };
                Ok((kind, warp_lines))
            }
            _ => Err(self.fail(format!(
                "lanes are {} bytes apart and warps {}; allowed: {bytes}, and at most 255 lines of {LINE_BYTES}",
                strides[0], strides[1],
            ))),
        }
    }

    /// Normalizes an address: shared program words are relative to the segment's token, fitness cases to iteration 0.
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

    pub(super) fn load(
        &mut self,
        instruction: &Instruction,
        active: [bool; PROBES],
    ) -> Result<(), TraceError> {
        let addresses = self.access(instruction, active)?;
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

    /// Loads a program word from global memory or from its copy; anything else is data.
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
        let word = self.ahead(index);
        let tag = if role == 1 {
            self.ask_word(word);
            Tag::Control
        } else {
            Tag::Word(word)
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

    pub(super) fn store(
        &mut self,
        instruction: &Instruction,
        active: [bool; PROBES],
    ) -> Result<(), TraceError> {
        let addresses = self.access(instruction, active)?;
        let space = instruction.access.map(|access| access.space);
        let Some(Place::Reg(first)) = instruction.sources.first().map(|source| source.place) else {
            return Err(self.fail("the stored value is not in a register"));
        };
        // Only the frame's own slots are spills; accesses through another register belong to the interpreter's stack, which
        // holds data.
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

    /// Index of the program word at an address, if it belongs to the programs.
    pub(super) fn program_word(&self, space: Option<Space>, address: u32) -> Option<u32> {
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

    /// Computes the address of a memory access, per probe.
    pub(super) fn address(
        &mut self,
        instruction: &Instruction,
    ) -> Result<[u32; PROBES], TraceError> {
        let memory = instruction
            .memory
            .ok_or_else(|| self.fail("no memory operand"))?;
        let base = self.machine.register(memory.base);
        let index = self.machine.register(memory.index);
        self.known(base, "the address depends on data")?;
        self.known(index, "the address depends on data")?;
        let shared = instruction.access.map(|access| access.space) == Some(Space::Shared);
        let stride = (base.stride << memory.shift).wrapping_add(index.stride);
        if stride != if shared { 4 } else { 0 } {
            self.ask_position();
        }
        Ok(array::from_fn(|probe| {
            let address = (base.bits[probe] << memory.shift).wrapping_add(index.bits[probe]);
            address.wrapping_add_signed(memory.offset)
        }))
    }
}
