//! GPOCL's kernels as a published system. The threads per block follow from the other sizes and the device.

use super::kernel::{Interpreter, MOST_CONSTANT_OUTPUTS};
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
        let outputs = [(MOST_CONSTANT_OUTPUTS, "at most"), (u32::MAX, "more than")];
        let of_strategy = |&one| Domain::ALL.iter().map(move |&domain| (one, domain));
        let both: Vec<(Strategy, Domain)> = Strategy::ALL.iter().flat_map(of_strategy).collect();
        let mut codes = Vec::new();
        for arch in ARCHES {
            for &(strategy, domain) in &both {
                for (rows, words) in outputs {
                    let code = Interpreter::load(strategy, domain, rows, arch)?.kernel;
                    let variant = Some(format!("{words} {MOST_CONSTANT_OUTPUTS} rows"));
                    let (kernel, problem) = (strategy.kernel(), domain.name());
                    codes.push(CompiledCode::of_paper(
                        kernel, problem, arch, variant, &code,
                    ));
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
        let (placement, work) = generation(machine, configuration.try_into()?, seed)?;
        let configuration = configuration.clone();
        Ok(Launch::divergent(
            configuration,
            placement,
            work,
            Role::ProgramFetch,
        ))
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
