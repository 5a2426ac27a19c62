//! Robilliard's kernels as a published system.

use super::kernel::{Interpreter, Scheme};
use super::predict::{RobilliardLayout, mean_generation};
use super::problem::{Benchmark, ProblemId};
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
        let of_scheme = |&one| {
            ProblemId::ALL
                .iter()
                .map(move |&function_set| (one, function_set))
        };
        let both: Vec<(Scheme, ProblemId)> = Scheme::ALL.iter().flat_map(of_scheme).collect();
        let mut codes = Vec::new();
        for arch in ARCHES {
            for &(scheme, function_set) in &both {
                let code = Interpreter::load(scheme, function_set, arch)?.kernel;
                let benchmarks = Benchmark::ALL.iter().zip(&*PROBLEMS);
                let own = benchmarks.filter(|(one, _)| one.function_set() == function_set);
                codes.extend(own.map(|(_, problem)| {
                    CompiledCode::of_paper(scheme.name(), problem, arch, None, &code)
                }));
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
        let (placement, work) = mean_generation(machine, layout, &generations)?;
        let configuration = configuration.clone();
        Ok(Launch::divergent(
            configuration,
            placement,
            work,
            Role::ProgramFetch,
        ))
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
