//! Caches as plain numbers: sets and ways, replacement, and the set of an address.
//!
//! Units: bytes. Sources: the device preset; the XOR hash is Fermi's L1 as in GPGPU-Sim (after Nugteren et al., HPCA
//! 2014).

use super::policy::Replacement;

/// The mapping of an address to a set number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetIndex {
    /// The low bits of the line address.
    Linear,
    /// The low bits, each XORed with one higher bit.
    Xor(XorBits),
    /// Evenly spread, whatever the stride: the L2, whose slices are chosen by an unpublished hash.
    Spread,
    /// Each bit of the line address flips bits of the set.
    Bits(BitFlips),
}

/// The bits of a number that each bit of a line address flips, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BitFlips([u16; BitFlips::MOST]);

impl BitFlips {
    /// Bits of a line address.
    pub const MOST: usize = 25;

    /// `None` if there are too many bits, or a flip is not below `below`.
    pub fn new(flips: &[u32], below: u32) -> Option<BitFlips> {
        let mut of_bit = [0; BitFlips::MOST];
        if flips.len() > of_bit.len() {
            return None;
        }
        for (to, &flip) in of_bit.iter_mut().zip(flips) {
            *to = u16::try_from(flip).ok().filter(|_| flip < below)?;
        }
        Some(BitFlips(of_bit))
    }

    /// The number of a line address.
    #[inline]
    pub fn of(self, line: u32) -> u32 {
        let flip = |(bit, &flip): (usize, &u16)| ((line >> bit) & 1) * u32::from(flip);
        let flips = self.0.iter().enumerate().map(flip);
        flips.fold(0, |number, flip| number ^ flip)
    }
}

/// The parts of a set whose lines are replaced row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RowSpec {
    pub rows_per_set: u32,
    pub lines_per_row: u32,
    /// The row of a line within its set.
    pub index: BitFlips,
    /// Hits of a row, the last ones, whose lines stay.
    pub protected_hits: u32,
}

/// Bits of a line address that are folded into its lowest ones, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct XorBits([u8; XorBits::MOST]);

impl XorBits {
    /// Bits that can be folded.
    pub const MOST: usize = 8;
    /// A bit that is 0 in every line address.
    const NONE: u8 = 31;

    /// Builds an index from bits of a byte address; `None` if there are too many, or one that a line address does not have.
    pub fn new(address_bits: &[u32], line_bytes: u32) -> Option<XorBits> {
        let offset_bits = line_bytes.checked_ilog2()?;
        let mut bits = [XorBits::NONE; XorBits::MOST];
        if address_bits.len() > bits.len() {
            return None;
        }
        for (bit, &of_address) in bits.iter_mut().zip(address_bits) {
            let of_line = of_address.checked_sub(offset_bits)?;
            *bit = u8::try_from(of_line).ok().filter(|_| of_address < 32)?;
        }
        Some(XorBits(bits))
    }

    #[inline]
    fn fold(self, line: u32) -> u32 {
        let bits = self.0.iter().enumerate();
        bits.fold(0, |fold, (i, &bit)| fold | ((line >> bit) & 1) << i)
    }
}

impl SetIndex {
    /// The set of a line address (byte address over line size) in a cache of `sets` sets.
    #[inline]
    pub fn set_of(self, line: u32, sets: u32) -> u32 {
        match self {
            SetIndex::Linear => modulo(line, sets),
            SetIndex::Xor(bits) => modulo(line ^ bits.fold(line), sets),
            SetIndex::Bits(flips) => modulo(flips.of(line), sets),
            SetIndex::Spread => {
                // Knuth's multiplicative hash; the high bits are the well-mixed ones.
                let mixed = line.wrapping_mul(0x9e37_79b1);
                ((u64::from(mixed) * u64::from(sets)) >> 32) as u32
            }
        }
    }
}

/// The remainder; the usual divisor, a power of two, without a division.
#[inline]
fn modulo(number: u32, divisor: u32) -> u32 {
    if divisor.is_power_of_two() {
        number & (divisor - 1)
    } else {
        number % divisor
    }
}

/// Geometry and policy of a cache.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheSpec {
    pub sets: u32,
    pub ways: u32,
    /// Ways of every set that hold no line.
    pub reserved_ways: u32,
    pub line_bytes: u32,
    /// Smallest unit that is fetched.
    pub sector_bytes: u32,
    pub replacement: Replacement,
    pub index: SetIndex,
    /// A line that is being filled is not replaced.
    pub fills_hold_lines: bool,
    /// Rows of a cache that replaces lines by rows.
    pub rows: Option<RowSpec>,
}

impl CacheSpec {
    /// Returns a cache of whole lines that replaces the least recently used one.
    pub fn new(sets: u32, ways: u32, line_bytes: u32) -> Self {
        CacheSpec {
            sets,
            ways,
            reserved_ways: 0,
            line_bytes,
            sector_bytes: line_bytes,
            replacement: Replacement::Lru,
            index: SetIndex::Linear,
            fills_hold_lines: false,
            rows: None,
        }
    }

    /// Ways that hold lines, at least one.
    pub fn usable_ways(&self) -> u32 {
        self.ways.saturating_sub(self.reserved_ways).max(1)
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u32 {
        self.sets * self.ways * self.line_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_xor_hash_folds_the_given_bits_into_the_lowest() {
        let bits = XorBits::new(&[13, 14, 15, 17, 19], 128).unwrap();
        let set = |address: u32| SetIndex::Xor(bits).set_of(address / 128, 32);
        assert_eq!(set(3 * 128), 3);
        for (folded, bit) in [13, 14, 15, 17, 19].into_iter().enumerate() {
            assert_eq!(set(1 << bit), 1 << folded);
        }
        // Bit 16 is not folded, and lies above the set number.
        assert_eq!(set(1 << 16), 0);
    }

    #[test]
    fn bits_that_no_line_address_has_are_refused() {
        assert!(XorBits::new(&[6], 128).is_none());
        assert!(XorBits::new(&[32], 128).is_none());
        assert!(XorBits::new(&[12; 9], 128).is_none());
    }
}
