//! The addresses of a trace as the simulated memory has them.
//!
//! Models: offsets in a thread's frame for local memory; 31-bit addresses for global memory: small ones stay as they
//! are, large ones are moved page by page in the order in which they appear; generic addresses told apart by the
//! header's bases. Leaves out: the distance between pages. Units: bytes. Sources: Accel-Sim's `trace_driven.cc` for
//! the bases.

use super::accel_sim::Header;
use super::accel_sim::error::Fault;
use crate::isa::{Access, Space};
use std::collections::BTreeMap;
use std::ops::Range;

/// Local memory of a thread on every NVIDIA GPU since compute capability 2.0, at most.
const MOST_LOCAL_BYTES: u64 = 512 << 10;
/// The window of local memory in generic addresses.
const LOCAL_WINDOW_BYTES: u64 = 1 << 24;
const WORD_BYTES: u64 = 4;
const PAGE_BYTES: u64 = 1 << 21;
/// Global addresses below this are simulated as they are.
const SIMULATED_BYTES: u64 = 1 << 31;

/// Map from a trace's addresses to those of the simulated memory.
#[derive(Debug, Clone)]
pub struct MemoryMap {
    shared_base: u64,
    local_base: u64,
    /// Local memory that is accessed: first and one-past-last byte.
    local_start: u64,
    local_end: u64,
    pages: BTreeMap<u64, u64>,
    /// The page that was looked up last, and where it lies.
    last: Option<(u64, u64)>,
}

impl MemoryMap {
    pub fn new(header: &Header) -> Self {
        MemoryMap {
            shared_base: header.shared_base,
            local_base: header.local_base,
            local_start: u64::MAX,
            local_end: 0,
            pages: BTreeMap::new(),
            last: None,
        }
    }

    /// Returns the memory space of a generic address.
    pub fn space(&self, address: u64) -> Space {
        let known = self.shared_base != 0 && self.local_base != 0;
        if !known || address < self.shared_base {
            Space::Global
        } else if address < self.local_base {
            Space::Shared
        } else if address - self.local_base < LOCAL_WINDOW_BYTES {
            Space::Local
        } else {
            Space::Global
        }
    }

    /// The lanes' addresses in simulated memory.
    pub fn simulated(&mut self, access: Access, addresses: &[u64]) -> Result<Vec<u32>, Fault> {
        let addresses = addresses.iter();
        match access.space {
            Space::Local => addresses
                .map(|&address| self.local(access, address))
                .collect(),
            Space::Shared => Ok(addresses.map(|&address| address as u32).collect()),
            Space::Global => {
                let allowed = "at most 2 GiB, in pages of 2 MiB";
                let fault = || Fault::new("global memory", "more than 2 GiB touched", allowed);
                addresses
                    .map(|&address| self.global(address).ok_or_else(fault))
                    .collect()
            }
        }
    }

    /// `None` when the trace touches more than can be simulated.
    fn global(&mut self, address: u64) -> Option<u32> {
        if address < SIMULATED_BYTES {
            return Some(address as u32);
        }
        let number = address / PAGE_BYTES;
        let page = match self.last {
            Some((known, page)) if known == number => page,
            _ => {
                let next = self.pages.len() as u64;
                *self.pages.entry(number).or_insert(next)
            }
        };
        self.last = Some((number, page));
        let mapped = page * PAGE_BYTES + address % PAGE_BYTES;
        (mapped < SIMULATED_BYTES).then_some(mapped as u32)
    }

    /// A lane's offset from the start of local memory.
    fn local(&mut self, access: Access, address: u64) -> Result<u32, Fault> {
        let offset = address.checked_sub(self.local_base).unwrap_or(address);
        let end = offset.saturating_add(u64::from(access.bytes_per_lane));
        // An access begins with the word that holds its first byte.
        self.local_start = self.local_start.min(offset / WORD_BYTES * WORD_BYTES);
        self.local_end = self.local_end.max(end);
        let given = self.local_end - self.local_start;
        if given > MOST_LOCAL_BYTES {
            return Err(Fault::new(
                "local memory of a thread",
                format!("{given} bytes"),
                format!("at most {MOST_LOCAL_BYTES}"),
            ));
        }
        Ok(offset as u32)
    }

    /// A thread's frame: the local memory that was accessed.
    pub fn frame(&self) -> Range<u32> {
        let bytes = self.local_end.saturating_sub(self.local_start) as u32;
        let start = self.local_start as u32;
        start..start.saturating_add(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_addresses_keep_their_place_in_their_page() {
        let mut map = MemoryMap::new(&Header::default());
        assert_eq!(map.global(0x2000_0080), Some(0x2000_0080));
        let first = map.global(0x7f00_0000_0080).unwrap();
        let second = map.global(0x7f00_0020_0080).unwrap();
        assert_eq!(
            (first % PAGE_BYTES as u32, second - first),
            (0x80, PAGE_BYTES as u32)
        );
    }

    #[test]
    fn a_frame_begins_with_the_word_of_the_first_byte_that_is_accessed() {
        let mut map = MemoryMap::new(&Header::default());
        let access = Access {
            space: Space::Local,
            bytes_per_lane: 1,
            store: false,
        };
        let addresses = map.simulated(access, &[0x1001, 0x1002]).unwrap();
        assert_eq!(addresses, [0x1001, 0x1002]);
        assert_eq!(map.frame(), 0x1000..0x1003);
    }

    #[test]
    fn generic_addresses_are_told_apart_by_the_headers_bases() {
        let header = Header {
            shared_base: 0x7000,
            local_base: 0x8000,
            ..Header::default()
        };
        let map = MemoryMap::new(&header);
        let beyond = 0x8000 + LOCAL_WINDOW_BYTES;
        let spaces = [0x6fff, 0x7000, 0x8000, beyond].map(|address| map.space(address));
        let expected = [Space::Global, Space::Shared, Space::Local, Space::Global];
        assert_eq!(spaces, expected);
        assert_eq!(
            MemoryMap::new(&Header::default()).space(0x8000),
            Space::Global
        );
    }
}
