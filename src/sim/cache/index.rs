//! Index of a cache line: its set, or its row in a set.
//!
//! Models: the device's set and row index functions. With `SetIndex::Bits` the row takes four table look-ups, one per byte.
//! Units: line addresses. Sources: `device::cache` for the rules.

use crate::launch::spec::{CacheSpec, SetIndex};

/// The set of a line address, or its row where sets have rows.
pub(super) fn row_of(spec: &CacheSpec, tag: u32) -> u32 {
    let set = spec.index.set_of(tag, spec.sets);
    match &spec.rows {
        Some(rows) => set * rows.rows_per_set + rows.index.of(tag),
        None => set,
    }
}

/// Bits of the row number that each byte of a line address flips.
#[derive(Debug, Clone)]
pub(super) struct ByteFlips(Box<[[u32; 256]; 4]>);

impl ByteFlips {
    /// Tabulates the row numbers; `None` unless the index is `SetIndex::Bits` and the number of sets a power of two.
    pub(super) fn new(spec: &CacheSpec) -> Option<ByteFlips> {
        if !matches!(spec.index, SetIndex::Bits(_)) || !spec.sets.is_power_of_two() {
            return None;
        }
        let of_byte = |byte: usize| {
            std::array::from_fn(|value| row_of(spec, (value as u32) << (8 * byte as u32)))
        };
        Some(ByteFlips(Box::new(std::array::from_fn(of_byte))))
    }

    #[inline]
    pub(super) fn of(&self, tag: u32) -> u32 {
        let bytes = tag.to_le_bytes();
        let flips = self.0.iter().zip(bytes);
        flips.fold(0, |number, (flips, byte)| number ^ flips[usize::from(byte)])
    }
}
