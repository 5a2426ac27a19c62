//! The rules of the preset by which a machine serves the addresses of a warp's lanes.
//!
//! Leaves out: time. Units: lanes, banks. Sources: the preset; `spread` and `half_warps` for the rules.

use super::half_warps::{self, LaneAddress, Rule};
use super::spread::{Spread, spread, stored};
use crate::device::{Coalescing, Device};
use crate::isa::{Access, Space};
use crate::trace::SECTOR_BYTES;

/// Lanes of a warp.
const WARP: u32 = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryRules {
    pub coalescing: Coalescing,
    /// Banks of shared memory, and the lanes that it serves together.
    pub banks: u32,
    pub shared_lanes: u32,
    /// Lanes of an access to constant memory that take turns if their addresses differ; 0: turns are not counted.
    pub constant_lanes: u32,
    /// Sectors that a store costs besides its own if it writes parts of them.
    pub mask_sectors: u8,
    /// Whether an access to global memory moves only the sectors that its lanes touch. Otherwise two sectors of a line are the line,
    /// and neighbouring lanes move as many lines as a full warp at a line's start.
    pub only_sectors: bool,
}

impl MemoryRules {
    pub fn new(device: &Device) -> Self {
        MemoryRules {
            coalescing: device.load_store.coalescing,
            banks: device.shared.n_banks,
            shared_lanes: device.shared.lanes_together,
            constant_lanes: device.constant_cache.lanes_together,
            mask_sectors: (device.l2.mask_bytes / SECTOR_BYTES) as u8,
            only_sectors: false,
        }
    }

    /// Lines, and 32 banks for a whole warp.
    pub const LINES: MemoryRules = MemoryRules {
        coalescing: Coalescing::Lines,
        banks: WARP,
        shared_lanes: WARP,
        constant_lanes: 0,
        mask_sectors: 0,
        only_sectors: false,
    };

    /// An access at the addresses of the active lanes, at least one, in their order.
    pub fn spread(&self, access: Access, lanes: &[LaneAddress]) -> Spread {
        let (space, width) = (access.space, u32::from(access.bytes_per_lane));
        let rule: Option<Rule> = match self.coalescing {
            Coalescing::Lines => None,
            Coalescing::HalfWarpsInOrder => Some(half_warps::in_order),
            Coalescing::HalfWarpsBySegment => Some(half_warps::by_segment),
        };
        let parts = match (space, rule) {
            (Space::Shared, _) if self.shared_lanes < WARP => {
                half_warps::shared(self.banks.into(), width.into(), lanes)
            }
            (Space::Global, Some(rule)) => half_warps::global(rule, width.into(), lanes),
            (Space::Local, Some(rule)) => half_warps::local(rule, width.into(), lanes),
            (Space::Local, None) if access.store => {
                return stored(width.into(), lanes, self.mask_sectors);
            }
            _ => {
                let addresses: Vec<u64> = lanes.iter().map(|lane| lane.1).collect();
                return spread(space, width, &addresses, self.only_sectors);
            }
        };
        Spread::Parts(parts)
    }

    /// Returns the number of times that an access to constant memory is issued.
    pub fn constant_turns(&self, lanes: &[LaneAddress]) -> usize {
        match self.constant_lanes {
            0 => 1,
            WARP => half_warps::distinct(lanes),
            _ => half_warps::constant_turns(lanes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 32 words in a row: one turn of 32 banks, two where half a warp is served at a time.
    #[test]
    fn shared_memory_serves_a_warp_or_its_halves() {
        let lanes: Vec<LaneAddress> = (0..32).map(|lane| (lane, 4 * lane as u64)).collect();
        let access = |bytes_per_lane| Access {
            space: Space::Shared,
            bytes_per_lane,
            store: false,
        };
        let turns = |shared_lanes: u32, bytes: u8| {
            let rules = MemoryRules {
                banks: shared_lanes,
                shared_lanes,
                ..MemoryRules::LINES
            };
            match rules.spread(access(bytes), &lanes) {
                Spread::One(_) => 1,
                Spread::Parts(parts) => parts.len(),
            }
        };
        assert_eq!((turns(32, 4), turns(16, 4)), (1, 2));
        // Of two words a lane the second is the next lane's first.
        assert_eq!(turns(32, 8), 2);
    }
}
