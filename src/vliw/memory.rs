//! Memory of a launch: buffers at fixed addresses, and the local memory of a work-group.
//!
//! Leaves out: caches (timed by `cache.rs`).
//! Units: bytes for addresses, 32-bit words for contents.

use super::ExecuteError;

/// Use of a buffer, as far as timing depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Region {
    /// Data read by all work-groups, through the caches.
    Shared,
    /// Data read by one work-group, through the caches.
    Own,
    /// Scratch memory: private to a lane, bypassing the caches.
    Scratch,
}

/// A buffer and its address.
#[derive(Debug, Clone)]
pub struct Buffer {
    pub base: u32,
    pub words: Vec<u32>,
    pub region: Region,
}

/// Buffers of a launch, in the order of their addresses.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    buffers: Vec<Buffer>,
    top: u32,
}

impl Memory {
    /// Appends a buffer and returns its address.
    pub fn add(&mut self, words: Vec<u32>, region: Region) -> u32 {
        const ALIGNMENT: u32 = 4096;
        let base = self.top;
        self.top += (words.len() as u32 * 4).next_multiple_of(ALIGNMENT) + ALIGNMENT;
        self.buffers.push(Buffer {
            base,
            words,
            region,
        });
        base
    }

    /// Returns the word at a byte address, and the region of its buffer.
    pub fn read(&self, address: u32) -> Result<(u32, Region), ExecuteError> {
        let buffer = &self.buffers[self.find(address)?];
        let word = buffer.words[(address - buffer.base) as usize / 4];
        Ok((word, buffer.region))
    }

    pub fn write(&mut self, address: u32, word: u32) -> Result<Region, ExecuteError> {
        let at = self.find(address)?;
        let buffer = &mut self.buffers[at];
        buffer.words[(address - buffer.base) as usize / 4] = word;
        Ok(buffer.region)
    }

    fn find(&self, address: u32) -> Result<usize, ExecuteError> {
        let at = self.buffers.partition_point(|b| b.base <= address);
        let is_inside = |b: &Buffer| ((address - b.base) as usize) < b.words.len() * 4;
        match at.checked_sub(1) {
            Some(at) if is_inside(&self.buffers[at]) => Ok(at),
            _ => Err(ExecuteError::Address { address }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_its_buffer_and_nowhere_else() {
        let mut memory = Memory::default();
        let first = memory.add(vec![1, 2], Region::Shared);
        let second = memory.add(vec![3], Region::Scratch);
        assert_eq!(memory.read(first + 4), Ok((2, Region::Shared)));
        assert_eq!(memory.write(second, 9), Ok(Region::Scratch));
        assert_eq!(memory.read(second), Ok((9, Region::Scratch)));
        assert!(memory.read(first + 8).is_err(), "behind the first buffer");
    }
}
