//! GPOCL's kernels as a published system. The threads per block follow from the other sizes and the device.

use super::kernel::{MOST_CONSTANT_OUTPUTS, stem};
use super::ndrange::{Limits, NdRange};
use super::predict::generation;
use super::{Domain, Strategy, USUAL_SIZE};
use crate::isa::Arch;
use crate::launch::Launch;
use crate::launch::prediction::{Configuration, PredictError};
use crate::systems::asked::{Allowed, Asked, FIXED, MOST, Parameter};
use crate::systems::caches::Context;
use crate::systems::machine::Machine;
use crate::systems::options::{LaunchOptions, Size};
use crate::systems::registry::{KernelInfo, PaperListing, System};
use crate::trace::mix::Role;
use crate::util::names::UnknownName;
use std::sync::LazyLock;

static KERNELS: LazyLock<Vec<KernelInfo>> = LazyLock::new(|| {
    let sizes = [Size::Population, Size::Cases];
    let own = sizes.map(|size| Parameter::new(size, USUAL_SIZE, Allowed::Range(1, MOST)));
    let kernel = |strategy: Strategy| KernelInfo {
        name: strategy.kernel(),
        problems: Domain::ALL.iter().map(|domain| domain.name()).collect(),
        parameters: [&FIXED[..], &own].concat(),
    };
    Strategy::ALL.iter().copied().map(kernel).collect()
});

/// GPOCL's system.
pub struct Gpocl;

impl System for Gpocl {
    fn kernels(&self) -> &'static [KernelInfo] {
        &KERNELS
    }

    fn listings(&self, arch: Arch) -> Vec<PaperListing> {
        let listed = |strategy: Strategy, domain: Domain, constant: bool| PaperListing {
            kernel: strategy.kernel(),
            problem: domain.name(),
            variant: Some(match constant {
                true => format!("at most {MOST_CONSTANT_OUTPUTS} rows"),
                false => format!("more than {MOST_CONSTANT_OUTPUTS} rows"),
            }),
            stem: stem(arch, strategy, domain, constant),
        };
        let of_strategy = |&strategy: &Strategy| {
            let of_domain = move |&domain: &Domain| {
                [true, false].map(|constant| listed(strategy, domain, constant))
            };
            Domain::ALL.iter().flat_map(of_domain)
        };
        Strategy::ALL.iter().flat_map(of_strategy).collect()
    }

    fn configure(&self, asked: Asked) -> Result<Configuration, PredictError> {
        let unsaid = LaunchOptions {
            threads_per_block: None,
            ..asked.options.clone()
        };
        let options = &unsaid;
        let configuration = Asked { options, ..asked }.by_parameters()?;
        let range = NdRange::of((&configuration).try_into()?, Limits::of(asked.device));
        match asked.options.threads_per_block {
            Some(given) if given != range.local => {
                let allowed = "none, they follow from population, cases and device";
                Err(asked.refused(Size::Threads.words(), given, allowed))
            }
            _ => Ok(Configuration {
                threads_per_block: range.local,
                ..configuration
            }),
        }
    }

    fn launch(&self, configuration: &Configuration, on: Context) -> Result<Launch, PredictError> {
        let machine = Machine::of(configuration, on)?;
        let seed = on.settings.program_seed;
        let work = generation(machine, configuration.try_into()?, seed)?;
        Ok(Launch::divergent(configuration, work, Role::ProgramFetch))
    }
}

impl TryFrom<&Configuration> for super::GpoclConfiguration {
    type Error = PredictError;

    fn try_from(configuration: &Configuration) -> Result<super::GpoclConfiguration, PredictError> {
        let kernel = configuration.kernel.as_str();
        let strategy = Strategy::ALL.iter().find(|one| one.kernel() == kernel);
        let names = || Strategy::ALL.iter().map(|one| one.kernel());
        let refused = || PredictError::other(UnknownName::new("kernel", kernel, names()));
        Ok(super::GpoclConfiguration {
            strategy: *strategy.ok_or_else(refused)?,
            domain: configuration.problem.parse().map_err(PredictError::other)?,
            population: configuration.population.unwrap_or(USUAL_SIZE),
            dataset: configuration.cases.unwrap_or(USUAL_SIZE),
        })
    }
}
