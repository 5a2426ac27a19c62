//! Idealizations: parts of a machine that can be made free to measure their cost.
//!
//! Models: the parts, their names, and sets of them. `parts` has the values of a machine with idealized parts; the L1's hits, the
//! time of the load/store unit, stall counts and waits at barriers are idealized by the engines; occupancy, the host and divergence
//! where the launch is resolved. Presets idealize none of them.
//! Sources: the parts are those of the simulator; the method is that of idealized runs, as Fields, Rubin and Bodík, Focusing
//! Processor Policies via Critical-Path Prediction, ISCA 2001, and Fields et al., Interaction Cost, MICRO 2003.

use crate::util::names::named;
use serde::Serialize;

named! {
    /// Part of the machine, or of the launch, that can be idealized.
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    #[repr(u8)]
    pub enum Ideal ("part") {
        /// Every access to the L1 hits.
        L1Misses = "L1 misses",
        /// L2, DRAM and the paths to them have unlimited bandwidth.
        MemoryBandwidth = "memory bandwidth",
        /// L2 and DRAM latencies equal that of the L1.
        MemoryLatency = "memory latency",
        /// L1 and shared memory have a latency of one cycle.
        OnChipLatency = "on-chip latency",
        /// Arithmetic results and branches are available in the next cycle.
        FixedLatency = "fixed latency",
        /// The load/store unit accepts any number of accesses per cycle.
        LoadStoreUnit = "load/store unit",
        /// The arithmetic pipes accept any number of instructions per cycle.
        Pipes = "pipes",
        /// Twice as many schedulers share the warps.
        IssueSlots = "issue slots",
        /// No warp waits at a barrier.
        Barriers = "barriers",
        /// All code hits in the first-level instruction cache.
        InstructionFetch = "instruction fetch",
        /// Warp slots are the only limit on residency.
        Occupancy = "occupancy",
        /// Data adds no slow paths, and lanes do not diverge.
        Divergence = "divergence",
        /// Multiprocessors are full from the beginning to the end of a grid.
        GridEnds = "ends of the grid",
        /// The host takes no time.
        Host = "host",
    }
}

impl Ideal {
    /// Describes the idealized machine, as a clause after "if".
    pub fn condition(self) -> &'static str {
        match self {
            Ideal::L1Misses => "every access of the L1 hit",
            Ideal::MemoryBandwidth => "L2 and DRAM had unlimited bandwidth",
            Ideal::MemoryLatency => "L2 and DRAM answered as soon as the L1",
            Ideal::OnChipLatency => "L1 and shared memory answered in one cycle",
            Ideal::FixedLatency => "results were ready in the next cycle",
            Ideal::LoadStoreUnit => "the load/store unit took any number of accesses a cycle",
            Ideal::Pipes => "the pipes took any number of instructions a cycle",
            Ideal::IssueSlots => "there were twice as many schedulers",
            Ideal::Barriers => "no warp waited at a barrier",
            Ideal::InstructionFetch => "all code was in the first instruction cache",
            Ideal::Occupancy => "all warp slots were taken",
            Ideal::Divergence => "data added no instructions",
            Ideal::GridEnds => "multiprocessors stayed full to the end of the grid",
            Ideal::Host => "the host took no time",
        }
    }
}

/// Set of idealized parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Ideals(u16);

impl Ideals {
    /// Builds a set of the given parts.
    pub fn of(ideals: &[Ideal]) -> Self {
        Ideals(ideals.iter().fold(0, |set, &ideal| set | 1 << ideal as u8))
    }

    /// Tells whether a part is in the set.
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
