//! Kernel launches: parameters, constant memory, and buffer addresses.
//!
//! Models: constant bank 0 as ptxas lays it out, fixed buffer addresses below 4 GiB, so that an address identifies its buffer.
//! Leaves out: grids (block 0 represents all blocks).
//! Units: bytes, 4-byte words.
//! Sources: disassemblies of ptxas 11.8 (block size at 0x28 on sm_35 and 0x0 on sm_75 to sm_90, stack pointer at 0x44 and 0x28,
//! parameters by EIATTR).

use crate::isa::Kernel;

/// Programs: one word per 4 bytes.
pub const PROGRAMS_ADDRESS: u32 = 0x1000_0000;
/// Fitness-case inputs: one row per input variable.
pub const INPUTS_ADDRESS: u32 = 0x2000_0000;
/// Expected outputs, one per fitness case.
pub const OUTPUTS_ADDRESS: u32 = 0x4000_0000;
/// Address of the results, one word per thread.
pub const RESULTS_ADDRESS: u32 = 0x6000_0000;
/// Module-scope constants of CUDA's math functions.
pub use crate::isa::GLOBAL_DATA_ADDRESS;
/// Initial stack pointer: one past the highest local address.
pub const LOCAL_TOP: u32 = 0x00ff_fff0;

/// Contents of a global address range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Buffer {
    Programs,
    Inputs,
    Outputs,
    Results,
    ModuleData,
}

impl Buffer {
    /// Returns the buffer of a global address; `None` below all of them.
    pub fn of(address: u32) -> Option<Self> {
        let downwards = [
            Buffer::ModuleData,
            Buffer::Results,
            Buffer::Outputs,
            Buffer::Inputs,
            Buffer::Programs,
        ];
        downwards
            .into_iter()
            .find(|buffer| address >= buffer.address())
    }

    pub fn address(self) -> u32 {
        match self {
            Buffer::Programs => PROGRAMS_ADDRESS,
            Buffer::Inputs => INPUTS_ADDRESS,
            Buffer::Outputs => OUTPUTS_ADDRESS,
            Buffer::Results => RESULTS_ADDRESS,
            Buffer::ModuleData => GLOBAL_DATA_ADDRESS,
        }
    }
}

/// Buffers of a launch as CUDA's memory pool lays them out: one after the other, in the order of their allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferLayout {
    /// Bytes of a row of fitness cases, including its padding.
    pub row_bytes: u32,
    pub program_bytes: u64,
    pub n_inputs: u32,
}

impl BufferLayout {
    /// Start of the pool and unit of its allocations, bytes (`docs/h200.md`, "Rows of fitness cases in the L1"; the lower half of the address).
    const POOL: u64 = 0x0200_0000;
    const UNIT: u64 = 512;
    /// Bytes whose address bits decide a set of the L1, as far as they are known.
    const KNOWN: u64 = 1 << 30;

    /// Returns where a buffer starts; `None` for those that are not allocated.
    pub fn start(&self, buffer: Buffer) -> Option<u32> {
        let after = |start: u64, bytes: u64| start + bytes.next_multiple_of(Self::UNIT);
        let row = u64::from(self.row_bytes);
        let inputs = after(Self::POOL, self.program_bytes);
        let outputs = after(inputs, u64::from(self.n_inputs) * row);
        let start = match buffer {
            Buffer::Programs => Self::POOL,
            Buffer::Inputs => inputs,
            Buffer::Outputs => outputs,
            Buffer::Results => after(outputs, row),
            Buffer::ModuleData => return None,
        };
        Some((start % Self::KNOWN) as u32)
    }
}

/// A kernel argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    Buffer(Buffer),
    /// Words per row of the programs' buffer.
    MaxProgramWords,
    /// Number of fitness cases.
    Cases,
    Value(u32),
}

/// A launch of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelLaunch {
    pub threads_per_block: u32,
    /// Fitness cases covered by one iteration of the case loop: block size times cases per thread.
    pub cases_per_iteration: u32,
    /// Fitness cases per input row in the addresses of the trace.
    pub cases: u32,
    pub max_program_words: u32,
    pub arguments: Vec<Argument>,
}

impl KernelLaunch {
    /// Builds a launch with the interpreters' arguments: programs, inputs, outputs, results, row length, cases.
    pub fn block_gp(threads_per_block: u32, second_dimension: u32, cases: u32) -> Self {
        Self {
            threads_per_block,
            cases_per_iteration: threads_per_block * second_dimension,
            cases,
            max_program_words: 2001,
            arguments: vec![
                Argument::Buffer(Buffer::Programs),
                Argument::Buffer(Buffer::Inputs),
                Argument::Buffer(Buffer::Outputs),
                Argument::Buffer(Buffer::Results),
                Argument::MaxProgramWords,
                Argument::Cases,
            ],
        }
    }

    /// Builds the constant banks of the kernel for a launch on `cases` fitness cases.
    pub fn constants(&self, kernel: &Kernel, cases: u32) -> ConstantMemory {
        let mut memory = ConstantMemory::default();
        for (&bank, bytes) in &kernel.constants {
            memory.banks[usize::from(bank)].clone_from(bytes);
        }
        let (block_size, stack_pointer) = if kernel.arch == "sm_35" {
            (0x28, 0x44)
        } else {
            (0x0, 0x28)
        };
        memory.write(0, block_size, self.threads_per_block);
        memory.write(0, block_size + 4, 1);
        memory.write(0, block_size + 8, 1);
        // Grid of one block in every direction; its sizes follow the block's.
        for direction in 0..3 {
            memory.write(0, block_size + 12 + 4 * direction, 1);
        }
        memory.write(0, stack_pointer, LOCAL_TOP);
        for (argument, place) in self.arguments.iter().zip(&kernel.parameters) {
            memory.write(0, place.offset_bytes, self.argument(*argument, cases));
            if place.size_bytes == 8 {
                memory.write(0, place.offset_bytes + 4, 0);
            }
        }
        memory
    }

    fn argument(&self, argument: Argument, cases: u32) -> u32 {
        match argument {
            Argument::Buffer(buffer) => buffer.address(),
            Argument::MaxProgramWords => self.max_program_words,
            Argument::Cases => cases,
            Argument::Value(value) => value,
        }
    }
}

/// All constant banks; reads beyond the end return zero.
#[derive(Debug, Clone, Default)]
pub struct ConstantMemory {
    banks: [Vec<u8>; 32],
}

impl ConstantMemory {
    /// Writes one word.
    pub fn write(&mut self, bank: usize, offset_bytes: u32, value: u32) {
        let (bank, at) = (&mut self.banks[bank], offset_bytes as usize);
        if bank.len() < at + 4 {
            bank.resize(at + 4, 0);
        }
        bank[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Returns the word at a byte offset of a bank.
    pub fn word(&self, bank: u8, offset_bytes: u32) -> u32 {
        let at = offset_bytes as usize;
        let bytes = self.banks[usize::from(bank) % 32].get(at..at.saturating_add(4));
        bytes.map_or(0, |bytes| {
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Device pointers of two launches on an H200, without their upper half: 20-multiplexer and Shuttle, 1000 programs each.
    #[test]
    fn buffers_lie_where_the_driver_puts_them() {
        let starts = |program_bytes, row_bytes, n_inputs| {
            let layout = BufferLayout {
                row_bytes,
                program_bytes,
                n_inputs,
            };
            [Buffer::Inputs, Buffer::Outputs, Buffer::Results].map(|one| layout.start(one).unwrap())
        };
        let mux20 = starts(424_000, 131_072, 20);
        assert_eq!(mux20, [0x0206_7a00, 0x022e_7a00, 0x0230_7a00]);
        let shuttle = starts(1_576_000, 233_472, 9);
        assert_eq!(shuttle, [0x0218_0e00, 0x0238_1e00, 0x023b_ae00]);
        assert!(
            starts(1 << 40, 4_000_000, 41)
                .iter()
                .all(|start| *start < 1 << 30)
        );
    }
}
