//! How a cell's work is spread over the chip.
//!
//! Models: Equations 2 to 7; work-groups dealt to the SIMDs in turn.
//! Units: work-items. Sources: Augusto and Barbosa 2013, section 3.4.

use super::Cell;
use crate::device::vliw::Machine;
use crate::papers::gpocl::Strategy;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NdRange {
    pub local_size: u32,
    pub n_groups: u32,
    /// Work-groups of the SIMD that has most.
    pub groups_per_simd: u32,
    /// Iterations of the kernel's main loop: programs (FP), cases (PPPE) or chunks of cases (PPCU).
    pub iterations: u32,
}

impl NdRange {
    pub fn new(cell: Cell, machine: &Machine) -> Self {
        let n_simds = machine.n_simds as u32;
        let most = machine.work_group_lanes as u32;
        let spread = |items: u32| {
            let local_size = most.min(items.div_ceil(n_simds));
            (local_size, items.div_ceil(local_size))
        };
        let (local_size, n_groups, iterations) = match cell.strategy {
            Strategy::Fp => {
                let (local_size, n_groups) = spread(cell.dataset);
                (local_size, n_groups, cell.population)
            }
            Strategy::Pppe => {
                let (local_size, n_groups) = spread(cell.population);
                (local_size, n_groups, cell.dataset)
            }
            Strategy::Ppcu => {
                let local_size = cell.dataset.min(most);
                (
                    local_size,
                    cell.population,
                    cell.dataset.div_ceil(local_size),
                )
            }
        };
        NdRange {
            local_size,
            n_groups,
            groups_per_simd: n_groups.div_ceil(n_simds),
            iterations,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::vliw::VliwPreset;
    use crate::papers::gpocl::Domain;

    fn range(strategy: Strategy, population: u32, dataset: u32) -> NdRange {
        let machine = VliwPreset::load("hd5750")
            .expect("a preset")
            .machine()
            .expect("numbers");
        let cell = Cell {
            strategy,
            domain: Domain::Regression,
            population,
            dataset,
        };
        NdRange::new(cell, &machine)
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
