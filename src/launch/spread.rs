//! Addresses of lanes as accesses that the simulated memory knows.
//!
//! Models: the same local offset in all lanes, one address, neighbouring elements: as this program's own traces write
//! them; anything else in parts: 128-byte lines and 32-byte sectors of global memory, words of local memory (of a store the sectors
//! that active lanes write), and one turn per address that shares a bank of shared memory.
//! Leaves out: unless sectors are asked for, alignment of neighbouring elements: they take the `width / 4` lines of a full warp wherever
//! they start; which sectors of a line are touched, if they are no neighbours.
//! Units: bytes. Sources: CUDA C Programming Guide on compute capability 3.x (32 banks of 4 bytes, 32-byte sectors).

use crate::isa::Space;
use crate::launch::code::Part;
use crate::launch::half_warps::{LaneAddress, WORD_BYTES, words};
use crate::trace::{self, AddressKind, TraceOp};
use std::collections::BTreeMap;

const BANKS: u64 = 32;
const LANES: usize = 32;
const LINE_BYTES: u64 = trace::LINE_BYTES as u64;
const SECTOR_BYTES: u64 = trace::SECTOR_BYTES as u64;
const SECTORS_PER_LINE: usize = (LINE_BYTES / SECTOR_BYTES) as usize;

/// Parts of memory that an access touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spread {
    One(Part),
    /// Several parts, or segments.
    Parts(Vec<Part>),
}

/// The parts of all accesses that are none by themselves, as `ReplayCode::with_scattered` takes them.
#[derive(Debug)]
pub struct ScatteredParts {
    pub parts: Vec<Part>,
    pub starts: Vec<u32>,
}

impl Default for ScatteredParts {
    fn default() -> Self {
        ScatteredParts {
            parts: Vec::new(),
            starts: vec![0],
        }
    }
}

impl ScatteredParts {
    /// Records the spread of an access in its instruction.
    pub fn note(&mut self, op: &mut TraceOp, spread: Spread) {
        match spread {
            Spread::One(part) => (op.address_kind, op.address) = (part.kind, part.address),
            Spread::Parts(parts) => {
                op.address_kind = AddressKind::Scattered;
                op.address = self.starts.len() as u32 - 1;
                self.parts.extend(parts);
                self.starts.push(self.parts.len() as u32);
            }
        }
    }
}

/// The spread of an access of `width` bytes per lane at the `addresses` of the active lanes, at least one, all below
/// 2^32. `only_sectors`: see `MemoryRules`.
pub fn spread(space: Space, width: u32, addresses: &[u64], only_sectors: bool) -> Spread {
    let width = u64::from(width);
    let step = common_step(addresses);
    let fills_lines = || {
        let bytes = width * addresses.len() as u64;
        addresses[0].is_multiple_of(LINE_BYTES) && bytes == LINE_BYTES * (width / WORD_BYTES).max(1)
    };
    let one = |kind| {
        Spread::One(Part {
            kind,
            address: addresses[0] as u32,
            quarters: 0,
        })
    };
    match (space, step) {
        (Space::Local, Some(0)) => one(AddressKind::Local),
        (_, Some(0)) => one(AddressKind::Uniform),
        (Space::Shared, Some(step)) if step == width as i64 => one(AddressKind::PerCase),
        (Space::Global, Some(step)) if step == width as i64 && (!only_sectors || fills_lines()) => {
            one(AddressKind::PerCase)
        }
        (Space::Local, _) => from_parts(local_words(width, addresses)),
        // A part that is an access of its own has the lines of its instruction's width.
        (Space::Global, _) if only_sectors => {
            Spread::Parts(lines_and_sectors(width, addresses, true))
        }
        (Space::Global, _) => from_parts(lines_and_sectors(width, addresses, false)),
        (Space::Shared, _) => from_parts(bank_turns(width, addresses)),
    }
}

/// A store to local memory: of every word the sectors in which active lanes have theirs, and `mask_sectors` more where one of them is
/// written in part.
pub fn stored(width: u64, lanes: &[LaneAddress], mask_sectors: u8) -> Spread {
    const LANES_PER_SECTOR: usize = (SECTOR_BYTES / WORD_BYTES) as usize;
    let mut per_word: BTreeMap<u64, [usize; LANES / LANES_PER_SECTOR]> = BTreeMap::new();
    for &(lane, offset) in lanes {
        for word in words(offset, width) {
            per_word.entry(word).or_default()[lane / LANES_PER_SECTOR] += 1;
        }
    }
    let part = |(word, sectors): (u64, [usize; LANES / LANES_PER_SECTOR])| {
        let written = sectors.iter().filter(|&&lanes| lanes > 0).count() as u8;
        let masked = (sectors.iter()).any(|lanes| (1..LANES_PER_SECTOR).contains(lanes));
        Part {
            kind: match sectors.iter().all(|&lanes| lanes == LANES_PER_SECTOR) {
                true => AddressKind::Local,
                false => AddressKind::Segment,
            },
            address: (word * WORD_BYTES) as u32,
            quarters: written + if masked { mask_sectors } else { 0 },
        }
    };
    let parts: Vec<Part> = per_word.into_iter().map(part).collect();
    match parts[..] {
        [part] if part.kind == AddressKind::Local => Spread::One(part),
        _ => Spread::Parts(parts),
    }
}

/// The distance from each address to the next, if it is always the same; 0 for a single one.
fn common_step(addresses: &[u64]) -> Option<i64> {
    let difference = |pair: &[u64]| pair[1].wrapping_sub(pair[0]) as i64;
    let first = addresses.windows(2).next().map_or(0, difference);
    let same = addresses.windows(2).all(|pair| difference(pair) == first);
    same.then_some(first)
}

fn from_parts(parts: Vec<Part>) -> Spread {
    match parts[..] {
        [part] => Spread::One(part),
        _ => Spread::Parts(parts),
    }
}

/// Words of a thread's frame; one word of all lanes is one line.
fn local_words(width: u64, addresses: &[u64]) -> Vec<Part> {
    let part = |word: u64| Part {
        kind: AddressKind::Local,
        address: (word * WORD_BYTES) as u32,
        quarters: 0,
    };
    distinct(addresses.iter().flat_map(|&address| words(address, width)))
        .into_iter()
        .map(part)
        .collect()
}

/// Each number once, in order.
fn distinct(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// One part per line: its only sector, the whole line, or with `only_sectors` as many sectors as are touched.
fn lines_and_sectors(width: u64, addresses: &[u64], only_sectors: bool) -> Vec<Part> {
    let sectors =
        |&address: &u64| address / SECTOR_BYTES..=(address + width.max(1) - 1) / SECTOR_BYTES;
    let sectors = distinct(addresses.iter().flat_map(sectors));
    let line_of = |sector: u64| sector * SECTOR_BYTES / LINE_BYTES;
    let part = |of_line: &[u64]| match of_line {
        [sector] => Part {
            kind: AddressKind::Uniform,
            address: (sector * SECTOR_BYTES) as u32,
            quarters: 0,
        },
        [first, ..] if only_sectors && of_line.len() < SECTORS_PER_LINE => Part {
            kind: AddressKind::Segment,
            address: (first * SECTOR_BYTES) as u32,
            quarters: of_line.len() as u8,
        },
        _ => Part {
            kind: AddressKind::PerCase,
            address: (line_of(of_line[0]) * LINE_BYTES) as u32,
            quarters: 0,
        },
    };
    let lines = sectors.chunk_by(|a, b| line_of(*a) == line_of(*b));
    lines.map(part).collect()
}

/// Returns one part per turn: as many as the fullest bank has different words.
fn bank_turns(width: u64, addresses: &[u64]) -> Vec<Part> {
    let mut per_bank = [0u64; BANKS as usize];
    for word in distinct(addresses.iter().flat_map(|&address| words(address, width))) {
        per_bank[(word % BANKS) as usize] += 1;
    }
    let turns = per_bank.into_iter().max().unwrap_or(1).max(1);
    let part = Part {
        kind: AddressKind::Uniform,
        address: addresses[0] as u32,
        quarters: 0,
    };
    vec![part; turns as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n_parts(spread: Spread) -> usize {
        match spread {
            Spread::One(_) => 1,
            Spread::Parts(parts) => parts.len(),
        }
    }

    fn lanes(stride: u64) -> Vec<u64> {
        (0..32).map(|lane| 0x1000 + stride * lane).collect()
    }

    #[test]
    fn neighbours_and_single_addresses_are_one_access() {
        for (space, stride) in [(Space::Global, 4), (Space::Global, 0), (Space::Shared, 4)] {
            assert_eq!(n_parts(spread(space, 4, &lanes(stride), false)), 1);
        }
        let local = spread(Space::Local, 4, &[8; 32], false);
        let expected = Part {
            kind: AddressKind::Local,
            address: 8,
            quarters: 0,
        };
        assert_eq!(local, Spread::One(expected));
    }

    #[test]
    fn strided_global_accesses_take_one_part_per_line() {
        assert_eq!(n_parts(spread(Space::Global, 4, &lanes(8), false)), 2);
        assert_eq!(n_parts(spread(Space::Global, 4, &lanes(128), false)), 32);
        let Spread::Parts(parts) = spread(Space::Global, 4, &lanes(128), false) else {
            panic!("32 lines are not one access");
        };
        assert!(parts.iter().all(|part| part.kind == AddressKind::Uniform));
    }

    #[test]
    fn a_step_is_common_where_every_two_neighbours_have_it() {
        assert_eq!(common_step(&[4, 8, 12]), Some(4));
        assert_eq!(common_step(&[4, 8, 16]), None);
        assert_eq!(common_step(&[4, 12, 16]), None);
        assert_eq!(common_step(&[4]), Some(0));
    }

    #[test]
    fn an_access_touches_the_sectors_of_its_first_and_last_byte() {
        let sectors = |width: u64, address: u64| {
            let parts = lines_and_sectors(width, &[address], false);
            parts.iter().map(|part| part.kind).collect::<Vec<_>>()
        };
        assert_eq!(sectors(1, 31), [AddressKind::Uniform]);
        assert_eq!(sectors(4, 28), [AddressKind::Uniform]);
        // Two sectors of a line are taken as the line.
        assert_eq!(sectors(4, 29), [AddressKind::PerCase]);
        assert_eq!(sectors(4, 125), [AddressKind::Uniform; 2]);
    }

    /// Bytes of each line that lanes `n` at `base`, `step` bytes apart, move if only sectors are moved.
    fn moved(width: u32, n: u64, base: u64, step: u64) -> Vec<u64> {
        let addresses: Vec<u64> = (0..n).map(|lane| base + step * lane).collect();
        let bytes = |part: &Part| match part.kind {
            AddressKind::Uniform => SECTOR_BYTES,
            AddressKind::Segment => SECTOR_BYTES * u64::from(part.quarters),
            _ => LINE_BYTES,
        };
        match spread(Space::Global, width, &addresses, true) {
            // As many lines as the instruction of a full warp has.
            Spread::One(part) if part.kind == AddressKind::PerCase => {
                vec![LINE_BYTES; (width / 4).max(1) as usize]
            }
            Spread::One(part) => vec![bytes(&part)],
            Spread::Parts(parts) => parts.iter().map(bytes).collect(),
        }
    }

    #[test]
    fn partial_and_unaligned_warps_move_the_sectors_that_they_touch() {
        // Whole lines: one access.
        assert_eq!(moved(4, 32, 0x1000, 4), [128]);
        assert_eq!(moved(8, 32, 0x1000, 8), [128; 2]);
        assert_eq!(moved(16, 32, 0x1000, 16), [128; 4]);
        // Bytes 0 to 79: three sectors; 0 to 31: one; lanes 0 to 15 of 8 bytes: one line.
        assert_eq!(moved(4, 20, 0x1000, 4), [96]);
        assert_eq!(moved(4, 8, 0x1000, 4), [32]);
        assert_eq!(moved(8, 16, 0x1000, 8), [128]);
        assert_eq!(moved(1, 32, 0x1000, 1), [32]);
        // Bytes 16 to 143: the line's four sectors and one of the next.
        assert_eq!(moved(4, 32, 0x1010, 4), [128, 32]);
        assert_eq!(moved(4, 32, 0x1060, 4), [32, 96]);
        // Every second sector; one address; a line per lane.
        assert_eq!(moved(4, 4, 0x1000, 64), [64, 64]);
        assert_eq!(moved(4, 32, 0x1004, 0), [32]);
        assert_eq!(moved(4, 3, 0x1000, 128), [32; 3]);
    }

    #[test]
    fn shared_accesses_take_as_many_turns_as_the_fullest_bank() {
        for (stride, turns) in [(8, 2), (12, 1), (16, 4), (128, 32), (132, 1)] {
            let found = n_parts(spread(Space::Shared, 4, &lanes(stride), false));
            assert_eq!(found, turns, "stride {stride}");
        }
    }

    #[test]
    fn local_accesses_at_different_offsets_take_one_line_per_word() {
        let parts =
            |width: u32, offsets: &[u64]| n_parts(spread(Space::Local, width, offsets, false));
        assert_eq!((parts(4, &[0, 4, 4, 8]), parts(8, &[0, 8])), (3, 4));
    }

    #[test]
    fn a_store_of_some_lanes_writes_their_sectors() {
        let quarters = |lanes: &[LaneAddress]| match stored(4, lanes, 1) {
            Spread::One(part) => vec![(part.kind, part.address, 4)],
            Spread::Parts(parts) => parts
                .iter()
                .map(|part| (part.kind, part.address, part.quarters))
                .collect(),
        };
        let all: Vec<LaneAddress> = (0..32).map(|lane| (lane, 8)).collect();
        assert_eq!(quarters(&all), [(AddressKind::Local, 8, 4)]);
        assert_eq!(quarters(&all[8..24]), [(AddressKind::Segment, 8, 2)]);
        // Two sectors and the mask of what is written of them.
        assert_eq!(quarters(&all[3..9]), [(AddressKind::Segment, 8, 3)]);
        // One lane at another depth.
        let apart = [&all[..31], &[(31, 12)]].concat();
        let expected = [(AddressKind::Segment, 8, 5), (AddressKind::Segment, 12, 2)];
        assert_eq!(quarters(&apart), expected);
    }
}
