//! Parts of a machine that can be idealized to measure their cost.
//!
//! Models: the parts, their names, and sets of them. `launch::ideal` idealizes each. No preset asks for any: no real machine
//! has them.
//! Sources: the parts are those of the simulator; the method is that of idealized runs, as Fields, Rubin and Bodík,
//! Focusing Processor Policies via Critical-Path Prediction, ISCA 2001, and Fields et al., Interaction Cost, MICRO 2003.

use crate::util::names::named;
use serde::Serialize;

named! {
    /// A part of the machine, or of the launch, that can be idealized.
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    #[repr(u8)]
    pub enum Ideal ("part") {
        /// Every access of the L1 hits.
        L1Misses = "L1 misses",
        /// L2, DRAM and the path to them take any number of bytes and requests per cycle.
        MemoryBandwidth = "memory bandwidth",
        /// The L2 and the DRAM answer as soon as the L1 does.
        MemoryLatency = "memory latency",
        /// The L1 and shared memory answer in one cycle.
        OnChipLatency = "on-chip latency",
        /// Results of arithmetic and branches are there in the next cycle.
        FixedLatency = "fixed latency",
        /// The load/store unit takes any number of accesses in a cycle.
        LoadStoreUnit = "load/store unit",
        /// The arithmetic pipes take any number of instructions in a cycle.
        Pipes = "pipes",
        /// Twice as many schedulers share the warps.
        IssueSlots = "issue slots",
        /// All code is in the first instruction cache.
        InstructionFetch = "instruction fetch",
        /// All warp slots are taken.
        Occupancy = "occupancy",
        /// Data adds no slow paths, and no lanes diverge.
        Divergence = "divergence",
        /// Multiprocessors are full from the beginning to the end of a grid.
        GridEnds = "ends of the grid",
        /// The host works in no time.
        Host = "host",
    }
}

impl Ideal {
    /// The machine without it, after "if".
    pub fn condition(self) -> &'static str {
        match self {
            Ideal::L1Misses => "every access of the L1 hit",
            Ideal::MemoryBandwidth => "L2 and DRAM had unlimited bandwidth",
            Ideal::MemoryLatency => "L2 and DRAM answered as soon as the L1",
            Ideal::OnChipLatency => "L1 and shared memory answered in one cycle",
            Ideal::FixedLatency => "results were there in the next cycle",
            Ideal::LoadStoreUnit => "the load/store unit took any number of accesses a cycle",
            Ideal::Pipes => "the pipes took any number of instructions a cycle",
            Ideal::IssueSlots => "there were twice as many schedulers",
            Ideal::InstructionFetch => "all code was in the first instruction cache",
            Ideal::Occupancy => "all places for warps were taken",
            Ideal::Divergence => "data added no instructions",
            Ideal::GridEnds => "multiprocessors stayed full to the end of the grid",
            Ideal::Host => "the host took no time",
        }
    }
}

/// A set of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Ideals(u16);

impl Ideals {
    /// These.
    pub fn of(ideals: &[Ideal]) -> Self {
        Ideals(ideals.iter().fold(0, |set, &ideal| set | 1 << ideal as u8))
    }

    /// Whether it is among them.
    pub fn has(self, ideal: Ideal) -> bool {
        self.0 >> ideal as u8 & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_it_was_made_of() {
        for (place, &ideal) in Ideal::ALL.iter().enumerate() {
            assert_eq!(ideal as usize, place);
            let set = Ideals::of(&[ideal, Ideal::Host]);
            let had = Ideal::ALL.iter().filter(|&&one| set.has(one));
            assert!(
                had.eq(Ideal::ALL
                    .iter()
                    .filter(|&&one| one == ideal || one == Ideal::Host))
            );
        }
    }
}
