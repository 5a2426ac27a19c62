//! Memory accessed by a block of threads.
//!
//! Models: program, inputs, outputs, results, module data and shared memory as words.
//! Leaves out: caches, access times; other blocks; shared memory beyond 48 KiB.
//! Units: 4-byte words at byte addresses.
//! Sources: the layout of `launch`.

use super::launch::Buffer;
use crate::isa::Kernel;

/// Size of a block's shared memory.
const SHARED_BYTES: usize = 48 * 1024;

/// Memory read and written by a block of threads.
#[derive(Debug, Clone)]
pub struct BlockMemory {
    pub programs: Vec<u32>,
    /// Input words, one row per variable.
    pub inputs: Vec<u32>,
    pub outputs: Vec<u32>,
    /// One word per thread.
    pub results: Vec<u32>,
    shared: Vec<u32>,
}

impl BlockMemory {
    pub fn new(programs: Vec<u32>, inputs: Vec<u32>, outputs: Vec<u32>, threads: u32) -> Self {
        Self {
            programs,
            inputs,
            outputs,
            results: vec![0; threads as usize],
            shared: vec![0; SHARED_BYTES / 4],
        }
    }

    pub fn load_shared(&self, address: u32) -> Option<u32> {
        self.shared.get(address as usize / 4).copied()
    }

    pub fn store_shared(&mut self, address: u32, value: u32) -> Option<()> {
        *self.shared.get_mut(address as usize / 4)? = value;
        Some(())
    }

    pub fn load_global(&self, address: u32, kernel: &Kernel) -> Option<u32> {
        let buffer = Buffer::of(address)?;
        let at = (address - buffer.address()) as usize / 4;
        let words = match buffer {
            Buffer::Programs => &self.programs,
            Buffer::Inputs => &self.inputs,
            Buffer::Outputs => &self.outputs,
            Buffer::Results => &self.results,
            Buffer::ModuleData => {
                let bytes = kernel.global_data.get(4 * at..4 * at + 4)?;
                return Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
            }
        };
        words.get(at).copied()
    }

    pub fn store_global(&mut self, address: u32, value: u32) -> Option<()> {
        match Buffer::of(address)? {
            Buffer::Results => {
                let at = (address - Buffer::Results.address()) as usize / 4;
                *self.results.get_mut(at)? = value;
                Some(())
            }
            _ => None,
        }
    }
}
