//! Distribution of a cell's work over the chip.
//!
//! Models: work-groups (`gpocl::ndrange`) dealt to the SIMDs in turn.
//! Units: work-items. Sources: Augusto and Barbosa 2013, section 3.4.

use crate::systems::gpocl::ndrange::{Limits, NdRange};
use crate::systems::gpocl::{GpoclConfiguration, Strategy};
use crate::vliw::preset::Machine;

/// An NDRange, and the share of one SIMD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Spread {
    pub local_size: u32,
    pub n_groups: u32,
    /// Work-groups of the SIMD that has the most.
    pub groups_per_simd: u32,
    /// Iterations of the kernel's main loop: programs (FP), cases (PPPE) or chunks of cases (PPCU).
    pub iterations: u32,
}

impl Spread {
    pub fn new(cell: GpoclConfiguration, machine: &Machine) -> Self {
        let NdRange { local, groups } = NdRange::of(cell, limits(machine));
        let iterations = match cell.strategy {
            Strategy::Fp => cell.population,
            Strategy::Pppe => cell.dataset,
            Strategy::Ppcu => cell.dataset.div_ceil(local),
        };
        Spread {
            local_size: local,
            n_groups: groups,
            groups_per_simd: groups.div_ceil(machine.n_simds as u32),
            iterations,
        }
    }
}

/// Returns the chip's limits that the equations use.
pub fn limits(machine: &Machine) -> Limits {
    Limits {
        local: machine.work_group_lanes as u32,
        units: machine.n_simds as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::gpocl::Domain;
    use crate::vliw::preset::VliwPreset;

    fn range(strategy: Strategy, population: u32, dataset: u32) -> Spread {
        let machine = VliwPreset::load("hd5750").expect("a preset").machine;
        let cell = GpoclConfiguration {
            strategy,
            domain: Domain::Regression,
            population,
            dataset,
        };
        Spread::new(cell, &machine)
    }

    #[test]
    fn work_is_spread_as_the_equations_say() {
        let r = range(Strategy::Fp, 7, 100);
        assert_eq!((r.local_size, r.n_groups, r.iterations), (12, 9, 7));
        let r = range(Strategy::Fp, 7, 50_000);
        assert_eq!(
            (r.local_size, r.n_groups, r.groups_per_simd),
            (256, 196, 22)
        );
        let r = range(Strategy::Pppe, 5_000, 100);
        assert_eq!((r.local_size, r.n_groups, r.iterations), (256, 20, 100));
        let r = range(Strategy::Ppcu, 100, 1_000);
        assert_eq!((r.local_size, r.n_groups, r.iterations), (256, 100, 4));
        let r = range(Strategy::Ppcu, 100, 100);
        assert_eq!(
            (r.local_size, r.groups_per_simd, r.iterations),
            (100, 12, 1)
        );
    }
}
