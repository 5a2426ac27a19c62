//! Memory that serves half-warps: chips of compute capability 1.x.
//!
//! Models: transactions of global memory by either rule: lanes in order in one segment, or the segments that are touched, each reduced to
//! the half or quarter that is used; local memory by the same rule, a word of all lanes 128 bytes; shared memory, whose banks give one word
//! each per turn, and one word to all lanes that ask for it.
//! Leaves out: which of several words shared memory hands to all (documented as unspecified; taken: that of the lowest lane).
//! Units: bytes, lanes.
//! Sources: NVIDIA CUDA C Programming Guide, compute capability 1.x; CUDA C Best Practices Guide, coalesced access to global memory.

use super::code::Part;
use crate::trace::{self, AddressKind};

/// Lanes that are served together.
const HALF: usize = 16;
const LINE: u64 = trace::LINE_BYTES as u64;
const SECTOR: u64 = trace::SECTOR_BYTES as u64;
pub(super) const WORD_BYTES: u64 = 4;

/// A lane's number and the address that it accesses.
pub type LaneAddress = (usize, u64);

/// Consecutive bytes that one transaction moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    pub address: u64,
    pub bytes: u64,
}

impl Segment {
    /// Converts the segment to an access of the simulated memory, at that memory's `address`.
    fn part(self, address: u64) -> Part {
        Part {
            kind: AddressKind::Segment,
            address: address as u32,
            quarters: (self.bytes / SECTOR) as u8,
        }
    }
}

/// The active lanes of each half-warp.
pub fn halves(lanes: &[LaneAddress]) -> impl Iterator<Item = &[LaneAddress]> {
    lanes.chunk_by(|a, b| a.0 / HALF == b.0 / HALF)
}

/// Compute capability 1.0 and 1.1: one transaction if lane k accesses word k of a segment of 16 words, else one of 32 bytes for every lane.
pub fn in_order(width: u64, half: &[LaneAddress]) -> Vec<Segment> {
    let size = width * HALF as u64;
    let segment = half[0].1 / size * size;
    let in_place =
        |&(lane, address): &LaneAddress| address == segment + width * (lane % HALF) as u64;
    if [4, 8, 16].contains(&width) && half.iter().all(in_place) {
        let transactions = (segment..segment + size).step_by(LINE.min(size) as usize);
        let bytes = LINE.min(size);
        return transactions
            .map(|address| Segment { address, bytes })
            .collect();
    }
    let alone = |&(_, address): &LaneAddress| Segment {
        address: address / SECTOR * SECTOR,
        bytes: SECTOR,
    };
    half.iter().map(alone).collect()
}

/// Compute capability 1.2 and 1.3: the segments that the lanes touch, the lowest lane's first, each as small as its lanes allow.
pub fn by_segment(width: u64, half: &[LaneAddress]) -> Vec<Segment> {
    let size = match width {
        1 => SECTOR,
        2 => 2 * SECTOR,
        _ => LINE,
    };
    let mut left = half.to_vec();
    let mut segments = Vec::new();
    while let Some(&(_, first)) = left.first() {
        let address = first / size * size;
        let is_inside = |lane: &LaneAddress| lane.1 / size * size == address;
        let served = left.extract_if(.., |lane| is_inside(lane));
        let served: Vec<u64> = served.map(|lane| lane.1).collect();
        segments.push(reduced(
            Segment {
                address,
                bytes: size,
            },
            width,
            &served,
        ));
    }
    segments
}

/// Halved as long as one half holds all that is accessed.
fn reduced(mut segment: Segment, width: u64, addresses: &[u64]) -> Segment {
    while segment.bytes > SECTOR {
        let middle = segment.address + segment.bytes / 2;
        let (low, high) = (
            addresses.iter().all(|address| address + width <= middle),
            addresses.iter().all(|&address| address >= middle),
        );
        if !low && !high {
            break;
        }
        segment.bytes /= 2;
        if high {
            segment.address = middle;
        }
    }
    segment
}

/// A coalescing rule: the segments that a half-warp's access of a given width moves.
pub type Rule = fn(u64, &[LaneAddress]) -> Vec<Segment>;

/// The transactions of an access to global memory.
pub fn global(rule: Rule, width: u64, lanes: &[LaneAddress]) -> Vec<Part> {
    let segments = halves(lanes).flat_map(|half| rule(width.max(1), half));
    segments
        .map(|segment| segment.part(segment.address))
        .collect()
}

/// The transactions of an access to local memory, at offsets in the lanes' frames: word by word.
pub fn local(rule: Rule, width: u64, lanes: &[LaneAddress]) -> Vec<Part> {
    let words = (0..width.div_ceil(WORD_BYTES)).flat_map(|word| {
        let place = |&(lane, offset): &LaneAddress| {
            let line = (offset / WORD_BYTES + word) * LINE;
            (lane, line + WORD_BYTES * lane as u64)
        };
        let places: Vec<LaneAddress> = lanes.iter().map(place).collect();
        let parts: Vec<Segment> = halves(&places)
            .flat_map(|half| rule(WORD_BYTES, half))
            .collect();
        parts
    });
    // The simulated memory counts a line as one word of a frame, and so a sector as a byte.
    words
        .map(|segment| segment.part(segment.address / SECTOR))
        .collect()
}

/// The turns of an access to shared memory, one part each; none where both halves of a warp take one turn: that is the usual access.
pub fn shared(banks: u64, width: u64, lanes: &[LaneAddress]) -> Vec<Part> {
    let words = |&(_, address): &LaneAddress| words(address, width);
    let turns = |half: &[LaneAddress]| turns(banks, half.iter().flat_map(words).collect());
    let n: usize = halves(lanes).map(turns).sum();
    let turn = Segment {
        address: 0,
        bytes: HALF as u64 * WORD_BYTES,
    };
    vec![turn.part(lanes[0].1); n]
}

/// The words that an access of `width` bytes touches.
pub(super) fn words(address: u64, width: u64) -> std::ops::RangeInclusive<u64> {
    address / WORD_BYTES..=(address + width.max(1) - 1) / WORD_BYTES
}

/// Turns of a half-warp: each serves one word to all lanes that ask for it, and one word from every other bank.
fn turns(banks: u64, mut words: Vec<u64>) -> usize {
    let mut n = 0;
    while let Some(&handed_to_all) = words.first() {
        let mut busy = vec![false; banks as usize];
        busy[(handed_to_all % banks) as usize] = true;
        words.retain(|&word| {
            let bank = &mut busy[(word % banks) as usize];
            word != handed_to_all && std::mem::replace(bank, true)
        });
        n += 1;
    }
    n
}

/// Repetitions of an access to constant memory, a half-warp at one address being half an access.
pub fn constant_turns(lanes: &[LaneAddress]) -> usize {
    let addresses: usize = halves(lanes).map(distinct).sum();
    addresses.div_ceil(2).max(1)
}

/// Number of distinct addresses.
pub fn distinct(lanes: &[LaneAddress]) -> usize {
    let mut addresses: Vec<u64> = lanes.iter().map(|lane| lane.1).collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of the transactions of one half-warp's words.
    fn bytes(rule: Rule, address: impl Fn(u64) -> u64) -> Vec<u64> {
        let lanes: Vec<LaneAddress> = (0..16).map(|lane| (lane as usize, address(lane))).collect();
        rule(4, &lanes)
            .iter()
            .map(|segment| segment.bytes)
            .collect()
    }

    #[test]
    fn lanes_in_order_in_a_segment_are_one_transaction_on_all_chips() {
        assert_eq!(bytes(in_order, |lane| 128 + 4 * lane), [64]);
        assert_eq!(bytes(by_segment, |lane| 128 + 4 * lane), [64]);
    }

    #[test]
    fn lanes_that_do_not_take_part_change_nothing_on_the_first_chips() {
        let some: Vec<LaneAddress> = [1, 5, 9].map(|lane| (lane, 128 + 4 * lane as u64)).to_vec();
        assert_eq!(
            in_order(4, &some),
            [Segment {
                address: 128,
                bytes: 64
            }]
        );
        // Later ones move only what is used.
        let first: Vec<LaneAddress> = [1, 5].map(|lane| (lane, 128 + 4 * lane as u64)).to_vec();
        assert_eq!(
            by_segment(4, &first),
            [Segment {
                address: 128,
                bytes: 32
            }]
        );
    }

    #[test]
    fn permuted_and_misaligned_words_are_sixteen_transactions_on_the_first_chips() {
        assert_eq!(bytes(in_order, |lane| 128 + 4 * (lane ^ 1)), [32; 16]);
        assert_eq!(bytes(in_order, |lane| 132 + 4 * lane), [32; 16]);
        assert_eq!(bytes(in_order, |_| 128), [32; 16]);
    }

    #[test]
    fn later_chips_move_the_segments_whatever_the_order() {
        assert_eq!(bytes(by_segment, |lane| 128 + 4 * (lane ^ 1)), [64]);
        // Within 128 bytes: one transaction of all of them.
        assert_eq!(bytes(by_segment, |lane| 132 + 4 * lane), [128]);
        // Across two: what is used of each (96 to 127, then 128 to 159).
        assert_eq!(bytes(by_segment, |lane| 96 + 4 * lane), [32, 32]);
        assert_eq!(bytes(by_segment, |lane| 92 + 4 * lane), [64, 32]);
        assert_eq!(bytes(by_segment, |_| 132), [32]);
        // Every second word.
        assert_eq!(bytes(by_segment, |lane| 8 * lane), [128]);
        assert_eq!(bytes(by_segment, |lane| 128 * lane), [32; 16]);
    }

    #[test]
    fn wider_words_take_wider_segments() {
        let wide = |width: u64| -> Vec<LaneAddress> {
            (0..16).map(|lane| (lane as usize, width * lane)).collect()
        };
        let sizes =
            |segments: Vec<Segment>| -> Vec<u64> { segments.iter().map(|s| s.bytes).collect() };
        assert_eq!(sizes(in_order(8, &wide(8))), [128]);
        assert_eq!(sizes(in_order(16, &wide(16))), [128, 128]);
        assert_eq!(sizes(by_segment(16, &wide(16))), [128, 128]);
        assert_eq!(sizes(by_segment(1, &wide(1))), [32]);
        assert_eq!(sizes(in_order(1, &wide(1))), [32; 16]);
    }

    fn turns_of(word: impl Fn(u64) -> u64) -> usize {
        turns(16, (0..16).map(word).collect())
    }

    #[test]
    fn shared_memory_takes_a_turn_for_every_conflict() {
        // Strides of one and three words; two; eight; sixteen.
        assert_eq!(turns_of(|lane| lane), 1);
        assert_eq!(turns_of(|lane| 3 * lane), 1);
        assert_eq!(turns_of(|lane| 2 * lane), 2);
        assert_eq!(turns_of(|lane| 8 * lane), 8);
        assert_eq!(turns_of(|lane| 16 * lane), 16);
    }

    #[test]
    fn one_word_goes_to_all_lanes_but_only_one() {
        assert_eq!(turns_of(|_| 7), 1);
        // Two words, each of half of the lanes: the second is handed out in a second turn.
        assert_eq!(turns_of(|lane| lane % 2), 2);
        // Lanes 0 to 7 at one word, the others at words of their own in other banks.
        assert_eq!(turns_of(|lane| if lane < 8 { 0 } else { lane }), 1);
    }

    #[test]
    fn a_lane_alone_moves_32_bytes_of_local_memory() {
        let one = local(by_segment, 4, &[(5, 8)]);
        assert_eq!(one.len(), 1);
        assert_eq!((one[0].quarters, one[0].address), (1, 8));
        let all: Vec<LaneAddress> = (0..32).map(|lane| (lane, 8)).collect();
        let whole = local(by_segment, 4, &all);
        assert_eq!(
            whole.iter().map(|part| part.quarters).collect::<Vec<_>>(),
            [2, 2]
        );
        // Lanes at words of their own: one transaction each.
        let apart: Vec<LaneAddress> = (0..32).map(|lane| (lane, 4 * lane as u64)).collect();
        assert_eq!(local(by_segment, 4, &apart).len(), 32);
    }

    #[test]
    fn the_constant_cache_serves_one_address_of_a_half_warp_at_a_time() {
        let turns = |address: fn(u64) -> u64| {
            let lanes: Vec<LaneAddress> =
                (0..32).map(|lane| (lane as usize, address(lane))).collect();
            constant_turns(&lanes)
        };
        assert_eq!(turns(|_| 4), 1);
        assert_eq!(turns(|lane| 4 * (lane / 16)), 1);
        assert_eq!(turns(|lane| 4 * (lane % 3)), 3);
    }
}
