//! The causes that scheduler cycles are charged to, the same in every model.
//!
//! Models: the names, and Nsight Compute's name for each.
//! Leaves out: counting (`sim::observe`, `model::explain`).
//! Sources: Nsight Compute's warp states; the mapping is in `Cause::names`, and in docs/glossary.md.

use crate::device::ideal::Ideal;
use crate::util::names::listed;
use serde::{Serialize, Serializer};

listed! {
    /// The reason why a scheduler issued or did not issue in a cycle.
    #[repr(u8)]
    pub enum Cause {
        /// Issued one or two instructions.
        Issued,
        /// Waiting out the compiler's stall count (fixed latency of the previous instruction).
        Wait,
        /// Waiting out the stall count of a branch.
        Branch,
        /// Local-memory load that hits the L1.
        L1Hit,
        /// Local-memory load served by the L2.
        L2,
        /// Local-memory load served by DRAM.
        Dram,
        /// Local-memory load whose L1 miss waits for a free MSHR.
        Mshr,
        /// Fitness-case (global) load.
        Global,
        /// Shared-memory load (program fetch).
        Shared,
        /// The pipe of the next instruction is taken.
        MathPipe,
        /// The load/store unit is taken, or its replays take the issue slot.
        LoadStoreUnit,
        /// Waiting at a barrier for the other warps of the block.
        Barrier,
        /// Instruction cache miss.
        NoInstruction,
        /// No warp resident on this scheduler.
        NoWarp,
    }
}

impl Cause {
    /// The one table of names: in outputs, in words, and Nsight Compute's warp state, which begins the other two. Nsight
    /// Compute's long scoreboard is split by the memory waited for.
    fn names(self) -> [&'static str; 3] {
        match self {
            Cause::Issued => ["selected", "selected: issuing", "selected"],
            Cause::Wait => ["wait", "wait: fixed latency", "wait"],
            Cause::Branch => ["branch_resolving", "branch resolving", "branch_resolving"],
            Cause::L1Hit => [
                "long_scoreboard_l1",
                "long scoreboard: stack, L1",
                "long_scoreboard",
            ],
            Cause::L2 => [
                "long_scoreboard_l2",
                "long scoreboard: stack, L2",
                "long_scoreboard",
            ],
            Cause::Dram => [
                "long_scoreboard_dram",
                "long scoreboard: stack, DRAM",
                "long_scoreboard",
            ],
            Cause::Mshr => [
                "long_scoreboard_mshr",
                "long scoreboard: stack, MSHRs full",
                "long_scoreboard",
            ],
            Cause::Global => [
                "long_scoreboard_cases",
                "long scoreboard: fitness cases",
                "long_scoreboard",
            ],
            Cause::Shared => [
                "short_scoreboard",
                "short scoreboard: program",
                "short_scoreboard",
            ],
            Cause::MathPipe => [
                "math_pipe_throttle",
                "math pipe throttle",
                "math_pipe_throttle",
            ],
            Cause::LoadStoreUnit => ["lg_throttle", "LG throttle: load/store unit", "lg_throttle"],
            Cause::Barrier => ["barrier", "barrier: other warps", "barrier"],
            Cause::NoInstruction => ["no_instruction", "no instruction", "no_instruction"],
            // A state of a scheduler, not of a warp.
            Cause::NoWarp => ["no_warp", "no warp", "no_warp"],
        }
    }

    /// Returns the parts whose idealization can end these cycles.
    pub fn parts(self) -> &'static [Ideal] {
        match self {
            Cause::Issued => &[Ideal::IssueSlots],
            Cause::Wait | Cause::Branch => &[Ideal::FixedLatency],
            Cause::L1Hit | Cause::Shared => &[Ideal::OnChipLatency],
            Cause::L2 | Cause::Dram | Cause::Global => &[
                Ideal::L1Misses,
                Ideal::MemoryBandwidth,
                Ideal::MemoryLatency,
            ],
            Cause::Mshr => &[Ideal::L1Misses, Ideal::MemoryBandwidth],
            Cause::MathPipe => &[Ideal::Pipes],
            // Misses and full paths hold it up, too.
            Cause::LoadStoreUnit => &[
                Ideal::LoadStoreUnit,
                Ideal::L1Misses,
                Ideal::MemoryBandwidth,
            ],
            Cause::Barrier => &[Ideal::Barriers],
            Cause::NoInstruction => &[Ideal::InstructionFetch],
            Cause::NoWarp => &[Ideal::Occupancy, Ideal::GridEnds],
        }
    }

    /// The name in outputs.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// Returns the name in words.
    pub fn in_words(self) -> &'static str {
        self.names()[1]
    }

    /// Nsight Compute's warp state that this cause maps to.
    pub fn nsight_name(self) -> &'static str {
        self.names()[2]
    }
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Nsight Compute's state of a warp that could issue while its scheduler issues another: in outputs and in words.
pub const NOT_SELECTED: [&str; 2] = ["not_selected", "not selected"];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_name_is_one_causes_and_begins_with_nsights() {
        let names: HashSet<&str> = Cause::ALL.map(Cause::name).into();
        assert_eq!(names.len(), Cause::ALL.len());
        for cause in Cause::ALL {
            let state = cause.nsight_name();
            assert!(cause.name().starts_with(state), "{cause:?}");
            let words = cause.in_words().to_lowercase();
            assert!(words.starts_with(&state.replace('_', " ")), "{words}");
        }
    }

    #[test]
    fn the_glossary_lists_every_name() {
        let glossary = include_str!("../../docs/glossary.md");
        for cause in Cause::ALL {
            let row = format!("| `{}` | {} |", cause.name(), cause.in_words());
            assert!(glossary.contains(&row), "{row}");
        }
        assert!(glossary.contains(&format!("| `{}` |", NOT_SELECTED[0])));
    }
}
