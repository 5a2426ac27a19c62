//! GPOCL's kernels among those of the other systems. How many threads a block has follows from the other sizes and the device.

use super::kernel::{Interpreter, MOST_CONSTANT_OUTPUTS};
use super::ndrange::{Limits, NdRange};
use super::predict::generation;
use super::{Domain, Strategy, USUAL_SIZE};
use crate::device::Device;
use crate::launch::Launch;
use crate::launch::prediction::{Configuration, PredictError};
use crate::systems::caches::Caches;
use crate::systems::machine::Machine;
use crate::systems::registry::{
    ARCHES, Allowed, CompiledCode, FIXED, KernelInfo, LaunchOptions, MOST, Parameter, Size, System,
    configure_by_parameters,
};
use crate::systems::settings::Settings;
use crate::trace::mix::Role;
use std::sync::LazyLock;

static KERNELS: LazyLock<Vec<KernelInfo>> = LazyLock::new(|| {
    let sizes = [Size::Population, Size::Cases];
    let own = sizes.map(|size| Parameter::new(size, USUAL_SIZE, Allowed::Range(1, MOST)));
    let kernel = |strategy: Strategy| KernelInfo {
        name: strategy.kernel(),
        problems: Domain::ALL.map(Domain::name).into(),
        parameters: [&FIXED[..], &own].concat(),
    };
    Strategy::ALL.map(kernel).into()
});

/// See the module text.
pub struct Gpocl;

impl System for Gpocl {
    fn kernels(&self) -> &'static [KernelInfo] {
        &KERNELS
    }

    fn codes(&self) -> Result<Vec<CompiledCode>, PredictError> {
        let outputs = [(MOST_CONSTANT_OUTPUTS, "at most"), (u32::MAX, "more than")];
        let mut codes = Vec::new();
        for arch in ARCHES {
            for (strategy, domain) in Strategy::ALL
                .into_iter()
                .flat_map(|one| Domain::ALL.map(|domain| (one, domain)))
            {
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

    fn configure(
        &self,
        kernel: &KernelInfo,
        options: &LaunchOptions,
        device: &Device,
        settings: &Settings,
    ) -> Result<Configuration, PredictError> {
        let unsaid = LaunchOptions {
            threads_per_block: None,
            ..options.clone()
        };
        let configuration = configure_by_parameters(kernel, &unsaid, device, settings)?;
        let range = NdRange::of((&configuration).try_into()?, Limits::of(device));
        match options.threads_per_block {
            Some(given) if given != range.local => {
                let allowed = "none, they follow from population, cases and device";
                Err(kernel.refused(Size::Threads.words(), given, allowed))
            }
            _ => Ok(Configuration {
                threads_per_block: range.local,
                ..configuration
            }),
        }
    }

    fn launch(
        &self,
        configuration: &Configuration,
        device: &Device,
        settings: &Settings,
        caches: &Caches,
    ) -> Result<Launch, PredictError> {
        let machine = Machine::of(configuration, device, settings, caches)?;
        let seed = settings.population_seed;
        let (placement, work) = generation(machine, configuration.try_into()?, seed)?;
        let configuration = configuration.clone();
        // Partial errors besides.
        Ok(Launch::divergent(
            configuration,
            placement,
            work,
            Role::ProgramFetch,
        ))
    }
}

impl TryFrom<&Configuration> for super::Configuration {
    type Error = PredictError;

    fn try_from(configuration: &Configuration) -> Result<super::Configuration, PredictError> {
        let strategies = Strategy::ALL.into_iter();
        let strategy = strategies
            .clone()
            .find(|one| one.kernel() == configuration.kernel);
        let domain = Domain::ALL
            .into_iter()
            .find(|one| one.name() == configuration.problem);
        let unknown = |what, given: &str, allowed: String| PredictError::Input {
            what,
            given: given.to_owned(),
            allowed,
        };
        Ok(super::Configuration {
            strategy: strategy.ok_or_else(|| {
                let names: Vec<&str> = strategies.map(Strategy::kernel).collect();
                unknown("kernel", &configuration.kernel, names.join(", "))
            })?,
            domain: domain.ok_or_else(|| {
                let names = Domain::ALL.map(Domain::name);
                unknown("problem", &configuration.problem, names.join(", "))
            })?,
            population: configuration.population.unwrap_or(USUAL_SIZE),
            dataset: configuration.cases.unwrap_or(USUAL_SIZE),
        })
    }
}
