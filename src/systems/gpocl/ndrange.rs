//! Work-groups of a strategy: their number and size.
//!
//! Models: Equations 2 to 7. Leaves out: register limits, for which a device may refuse a group (see `device::occupancy`).
//! Units: work-items. Sources: Augusto and Barbosa 2013, section 3.4.

use super::{GpoclConfiguration, Strategy};
use crate::device::Device;

/// Number of work-groups, and work-items per group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NdRange {
    pub local: u32,
    pub groups: u32,
}

/// Limits of a device that the equations use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest local size.
    pub local: u32,
    /// Compute units.
    pub units: u32,
}

impl Limits {
    pub fn of(device: &Device) -> Limits {
        Limits {
            local: device.limits.threads_per_block,
            units: device.chip.n_smx,
        }
    }
}

impl NdRange {
    pub fn of(configuration: GpoclConfiguration, limits: Limits) -> NdRange {
        let Limits { local: most, units } = limits;
        let GpoclConfiguration {
            population,
            dataset,
            ..
        } = configuration;
        let spread = |items: u32| {
            let local = most.min(items.div_ceil(units));
            NdRange {
                local,
                groups: items.div_ceil(local),
            }
        };
        match configuration.strategy {
            Strategy::Fp => spread(dataset),
            Strategy::Pppe => spread(population),
            Strategy::Ppcu => NdRange {
                local: most.min(dataset),
                groups: population,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;
    use crate::systems::gpocl::Domain;

    #[test]
    fn groups_on_the_papers_device() {
        let device = Preset::load("gtx285").unwrap().device;
        let of = |strategy, population, dataset| {
            let configuration = GpoclConfiguration {
                strategy,
                domain: Domain::Regression,
                population,
                dataset,
            };
            let range = NdRange::of(configuration, Limits::of(&device));
            (range.local, range.groups)
        };
        assert_eq!(of(Strategy::Fp, 50_000, 100), (4, 25));
        assert_eq!(of(Strategy::Fp, 100, 10_000), (334, 30));
        assert_eq!(of(Strategy::Fp, 100, 50_000), (512, 98));
        assert_eq!(of(Strategy::Pppe, 1000, 100), (34, 30));
        assert_eq!(of(Strategy::Ppcu, 100, 100), (100, 100));
        assert_eq!(of(Strategy::Ppcu, 1000, 5000), (512, 1000));
    }
}
