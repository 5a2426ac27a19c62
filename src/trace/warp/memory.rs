//! Memory accesses of a warp, lane by lane.

use super::{LANES, LaneAddresses, Warp, lanes_of};
use crate::isa::Space;
use crate::isa::instruction::Instruction;
use crate::isa::operand::{Place, RZ};
use crate::trace::error::TraceError;
use crate::trace::launch::LOCAL_TOP;
use crate::trace::memory::BlockMemory;
use std::array;

fn of_lanes(step: usize, addresses: &[u32; LANES], lanes: u32) -> LaneAddresses {
    LaneAddresses {
        step,
        lanes,
        addresses: lanes_of(lanes).map(|lane| addresses[lane]).collect(),
    }
}

impl Warp<'_> {
    /// Records the addresses of an access in the path.
    fn note_addresses(&mut self, addresses: &[u32; LANES], lanes: u32) {
        let Some(path) = &mut self.path else {
            return;
        };
        if lanes & 1 != 0
            && let Some(step) = path.last_mut()
        {
            step.address = Some(addresses[0]);
        }
        let step = path.len().saturating_sub(1);
        if let Some(accesses) = self.accesses.as_mut().filter(|_| lanes != 0) {
            accesses.push(of_lanes(step, addresses, lanes));
        }
    }

    /// Records an access to constant memory in the path, unless all lanes access one address.
    pub(super) fn note_constants(&mut self, instruction: &Instruction, lanes: u32) {
        let (Some(path), Some(accesses)) = (&self.path, &mut self.accesses) else {
            return;
        };
        let Some(Place::Const { index, offset, .. }) =
            instruction.sources.first().map(|source| source.place)
        else {
            return;
        };
        if index == RZ || self.uniform.holds(index) {
            return;
        }
        let bases = self.registers[usize::from(index)];
        let addresses = bases.map(|base| base.wrapping_add_signed(offset));
        accesses.push(of_lanes(path.len().saturating_sub(1), &addresses, lanes));
    }

    fn addresses(&self, instruction: &Instruction) -> [u32; LANES] {
        let Some(memory) = instruction.memory else {
            return [0; LANES];
        };
        let register = |number: u8| match number {
            RZ => [0; LANES],
            _ => self.registers[usize::from(number)],
        };
        let (base, index) = (register(memory.base), register(memory.index));
        array::from_fn(|lane| {
            let address = (base[lane] << memory.shift).wrapping_add(index[lane]);
            address.wrapping_add_signed(memory.offset)
        })
    }

    pub(super) fn load(
        &mut self,
        instruction: &Instruction,
        lanes: u32,
        memory: &BlockMemory,
    ) -> Result<(), TraceError> {
        let addresses = self.addresses(instruction);
        self.note_addresses(&addresses, lanes);
        let Some(first) = instruction.dst.filter(|_| lanes != 0) else {
            return Ok(());
        };
        let space = instruction.access.map(|access| access.space);
        let registers = instruction
            .memory
            .map_or([RZ; 2], |memory| [memory.base, memory.index]);
        let is_byte = instruction
            .access
            .is_some_and(|access| access.bytes_per_lane == 1);
        // Lanes that read the same word of the block's memory get equal values.
        let uniform = lanes == u32::MAX
            && space != Some(Space::Local)
            && registers
                .iter()
                .all(|&register| self.uniform.holds(register));
        self.uniform.set(first, instruction.dst_registers, uniform);
        for lane in lanes_of(if uniform { 1 } else { lanes }) {
            for part in 0..instruction.dst_registers {
                let address = addresses[lane].wrapping_add(4 * u32::from(part));
                let value = match space {
                    Some(Space::Local) => self
                        .local
                        .get(self.local_word(address))
                        .map(|word| word[lane]),
                    Some(Space::Shared) => memory.load_shared(address),
                    _ => memory.load_global(address, self.kernel),
                };
                let word = value.ok_or_else(|| self.outside(instruction, address, lane))?;
                let value = if is_byte {
                    word.to_le_bytes()[address as usize % 4].into()
                } else {
                    word
                };
                let register = &mut self.registers[usize::from(first + part)];
                if uniform {
                    *register = [value; LANES];
                } else {
                    register[lane] = value;
                }
            }
        }
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        instruction: &Instruction,
        lanes: u32,
        memory: &mut BlockMemory,
    ) -> Result<(), TraceError> {
        let addresses = self.addresses(instruction);
        self.note_addresses(&addresses, lanes);
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
}
