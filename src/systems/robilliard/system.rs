//! Robilliard's kernels as a published system.

use super::kernel::{Scheme, stem};
use super::predict::{RobilliardLayout, mean_generation};
use super::problem::Benchmark;
use super::runs::Run;
use super::{BLOCK_SIZES, USUAL_POPULATION, USUAL_THREADS};
use crate::gp::program::Rpn;
use crate::launch::Launch;
use crate::launch::prediction::{Configuration, PredictError};
use crate::systems::asked::{Allowed, FIXED, MOST, Parameter};
use crate::systems::caches::Context;
use crate::systems::machine::Machine;
use crate::systems::options::Size;
use crate::systems::registry::{ARCHES, CompiledCode, KernelInfo, System};
use crate::trace::mix::Role;
use std::sync::LazyLock;

static PROBLEMS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let name = |one: Benchmark| &*one.to_string().leak();
    Benchmark::ALL.map(name).to_vec()
});

static KERNELS: LazyLock<Vec<KernelInfo>> = LazyLock::new(|| {
    let own = [
        Parameter::new(Size::Threads, USUAL_THREADS, Allowed::OneOf(&BLOCK_SIZES)),
        Parameter::new(Size::Population, USUAL_POPULATION, Allowed::Range(1, MOST)),
    ];
    let kernel = |scheme: Scheme| KernelInfo {
        name: scheme.name(),
        problems: PROBLEMS.clone(),
        parameters: [&FIXED[..], &own].concat(),
    };
    Scheme::ALL.iter().copied().map(kernel).collect()
});

/// Robilliard's system.
pub struct Robilliard;

impl System for Robilliard {
    fn kernels(&self) -> &'static [KernelInfo] {
        &KERNELS
    }

    fn codes(&self) -> Result<Vec<CompiledCode>, PredictError> {
        let mut codes = Vec::new();
        for arch in ARCHES {
            for scheme in Scheme::ALL {
                for (benchmark, problem) in Benchmark::ALL.into_iter().zip(PROBLEMS.iter()) {
                    let stem = stem(scheme, benchmark.function_set(), arch);
                    let names = (scheme.name(), *problem);
                    codes.push(CompiledCode::of_paper(names, arch, None, &stem)?);
                }
            }
        }
        Ok(codes)
    }

    fn launch(&self, configuration: &Configuration, on: Context) -> Result<Launch, PredictError> {
        let machine = Machine::of(configuration, on)?;
        let layout = RobilliardLayout::try_from(configuration)?;
        let (benchmark, population, seed) = (
            layout.benchmark,
            layout.population,
            on.settings.program_seed,
        );
        let runs = on
            .caches
            .evolved
            .try_get((benchmark, population, seed), || {
                Run::of(benchmark, &[population], seed)
            })?;
        let generations: Vec<&[Rpn]> = runs.iter().flat_map(|run| run.generations()).collect();
        let work = mean_generation(machine, layout, &generations)?;
        Ok(Launch::divergent(configuration, work, Role::ProgramFetch))
    }
}

impl TryFrom<&Configuration> for RobilliardLayout {
    type Error = PredictError;

    fn try_from(configuration: &Configuration) -> Result<RobilliardLayout, PredictError> {
        Ok(RobilliardLayout {
            scheme: configuration.kernel.parse().map_err(PredictError::other)?,
            benchmark: Benchmark::named(&configuration.problem)?,
            threads_per_block: configuration.threads_per_block,
            population: configuration.population.unwrap_or(USUAL_POPULATION),
        })
    }
}
