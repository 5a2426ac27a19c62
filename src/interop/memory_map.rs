//! The addresses of a trace as the simulated memory has them.
//!
//! Models: offsets in a thread's frame for local memory; 31-bit addresses for global memory: small ones stay as they
//! are, large ones are moved page by page in the order in which they appear; generic addresses told apart by the
//! header's bases. Leaves out: the distance between pages. Units: bytes. Sources: Accel-Sim's `trace_driven.cc` for
//! the bases.

use super::accel_sim::Header;
use super::accel_sim::error::Fault;
use crate::isa::{Access, Space};
use crate::launch::code::Part;
use crate::trace::{AddressKind, TraceOp};
use std::collections::BTreeMap;

/// Local memory of a thread on every NVIDIA GPU since compute capability 2.0, at most.
const MOST_LOCAL_BYTES: u64 = 512 << 10;
/// The window of local memory in generic addresses.
const LOCAL_WINDOW_BYTES: u64 = 1 << 24;
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

    /// The lanes' addresses in simulated memory, all below 2^32, into `out`.
    pub fn simulated(
        &mut self,
        access: Access,
        addresses: &[u64],
        out: &mut Vec<u64>,
    ) -> Result<(), Fault> {
        out.clear();
        match access.space {
            Space::Local => self.local(access, addresses, out)?,
            Space::Shared => out.extend(addresses.iter().map(|address| address & 0xffff_ffff)),
            Space::Global => {
                for &address in addresses {
                    out.push(self.global(address).ok_or_else(|| {
                        let allowed = "at most 2 GiB, in pages of 2 MiB";
                        Fault::new("global memory", "more than 2 GiB touched", allowed)
                    })?);
                }
            }
        }
        Ok(())
    }

    /// `None` when the trace touches more than can be simulated.
    fn global(&mut self, address: u64) -> Option<u64> {
        if address < SIMULATED_BYTES {
            return Some(address);
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
        (mapped < SIMULATED_BYTES).then_some(mapped)
    }

    fn local(
        &mut self,
        access: Access,
        addresses: &[u64],
        offsets: &mut Vec<u64>,
    ) -> Result<(), Fault> {
        let base = self.local_base;
        let offset = |&address: &u64| address.checked_sub(base).unwrap_or(address);
        offsets.extend(addresses.iter().map(offset));
        for &offset in &*offsets {
            self.local_start = self.local_start.min(offset);
            self.local_end = self
                .local_end
                .max(offset.saturating_add(u64::from(access.bytes_per_lane)));
        }
        let given = self.local_end - self.local_start;
        if given > MOST_LOCAL_BYTES {
            return Err(Fault::new(
                "local memory of a thread",
                format!("{given} bytes"),
                format!("at most {MOST_LOCAL_BYTES}"),
            ));
        }
        Ok(())
    }

    /// Bytes of local memory per thread. Local addresses are counted from the lowest one that was accessed.
    pub fn settle(&self, ops: &mut [TraceOp], parts: &mut [Part]) -> u32 {
        if self.local_end == 0 {
            return 0;
        }
        // An address is that of the word in which a lane's bytes begin, which may lie before them.
        let start = self.local_start as u32;
        for op in ops
            .iter_mut()
            .filter(|op| op.address_kind == AddressKind::Local)
        {
            op.address = op.address.saturating_sub(start);
        }
        for part in parts
            .iter_mut()
            .filter(|part| part.kind == AddressKind::Local)
        {
            part.address = part.address.saturating_sub(start);
        }
        (self.local_end - self.local_start) as u32
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
        assert_eq!((first % PAGE_BYTES, second - first), (0x80, PAGE_BYTES));
    }

    #[test]
    fn bytes_of_one_word_are_counted_from_the_first_that_is_accessed() {
        let mut map = MemoryMap::new(&Header::default());
        let access = Access {
            space: Space::Local,
            bytes_per_lane: 1,
            store: false,
        };
        map.simulated(access, &[0x1001, 0x1002], &mut Vec::new())
            .unwrap();
        let mut ops = [TraceOp {
            inst: 0,
            address_kind: AddressKind::Local,
            warp_lines: 0,
            address: 0x1000,
        }];
        assert_eq!(map.settle(&mut ops, &mut []), 2);
        assert_eq!(ops[0].address, 0);
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
