//! Layout of instructions in the code.
//!
//! Leaves out: the caches that hold it. Units: bytes. Sources: the device preset, `[instruction_cache]`.

use crate::device::InstructionCache;

/// Sizes of instructions and groups: Kepler's code has a control word before every group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodeLayout {
    pub instruction_bytes: u32,
    pub group_bytes: u32,
    /// Bytes of a group that hold no instruction.
    pub header_bytes: u32,
}

impl Default for CodeLayout {
    /// Instructions of 16 bytes and nothing between.
    fn default() -> Self {
        CodeLayout {
            instruction_bytes: 16,
            group_bytes: 16,
            header_bytes: 0,
        }
    }
}

impl CodeLayout {
    pub(super) fn new(cache: &InstructionCache) -> Self {
        // Instructions are a power of two long; what is left of a group is its header.
        let share = (cache.group_bytes / cache.instructions_per_group).max(1);
        let instruction_bytes = 1 << share.ilog2();
        CodeLayout {
            instruction_bytes,
            group_bytes: cache.group_bytes,
            header_bytes: cache
                .group_bytes
                .saturating_sub(instruction_bytes * cache.instructions_per_group),
        }
    }

    /// Address of the instruction after the one at `pc_bytes`.
    #[inline]
    pub fn next(&self, pc_bytes: u32) -> u32 {
        let next = pc_bytes + self.instruction_bytes;
        if next.is_multiple_of(self.group_bytes) {
            next + self.header_bytes
        } else {
            next
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    #[test]
    fn the_next_instruction_skips_control_words_where_code_has_them() {
        let layout = |name: &str| {
            let device = Preset::load(name).unwrap().device;
            CodeLayout::new(&device.instruction_cache)
        };
        // Seven instructions of 8 bytes behind a control word of 8.
        assert_eq!(layout("gtx670").next(8), 16);
        assert_eq!(layout("gtx670").next(56), 72);
        assert_eq!(layout("h200").next(48), 64);
    }
}
