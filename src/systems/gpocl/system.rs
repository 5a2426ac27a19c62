//! GPOCL's kernels as a published system. The threads per block follow from the other sizes and the device.

use super::kernel::{MOST_CONSTANT_OUTPUTS, stem};
use super::ndrange::{Limits, NdRange};
use super::predict::generation;
use super::{Domain, Strategy, USUAL_SIZE};
use crate::launch::Launch;
use crate::launch::prediction::{Configuration, PredictError};
use crate::systems::asked::{Allowed, Asked, FIXED, MOST, Parameter};
use crate::systems::caches::Context;
use crate::systems::machine::Machine;
use crate::systems::options::{LaunchOptions, Size};
use crate::systems::registry::{ARCHES, CompiledCode, KernelInfo, System};
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

    fn codes(&self) -> Result<Vec<CompiledCode>, PredictError> {
        let mut codes = Vec::new();
        let both = |one| Domain::ALL.map(|domain| (one, domain));
        for arch in ARCHES {
            for (strategy, domain) in Strategy::ALL.into_iter().flat_map(both) {
                for (is_constant, words) in [(true, "at most"), (false, "more than")] {
                    let variant = Some(format!("{words} {MOST_CONSTANT_OUTPUTS} rows"));
                    let names = (strategy.kernel(), domain.name());
                    let stem = stem(arch, strategy, domain, is_constant);
                    codes.push(CompiledCode::of_paper(names, arch, variant, &stem)?);
                }
            }
        }
        Ok(codes)
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
