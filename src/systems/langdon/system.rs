//! Langdon's interpreter as a published system.

use super::generation::LangdonGeneration;
use super::kernel::stem;
use super::predict::{LangdonLayout, first_grid, programs_per_block};
use super::{BLOCK_SIZES, POPULATION, THREADS_PER_PROGRAM};
use crate::launch::Launch;
use crate::launch::prediction::{Configuration, PredictError};
use crate::systems::asked::{Allowed, Asked, FIXED, MOST, Parameter};
use crate::systems::caches::Context;
use crate::systems::machine::Machine;
use crate::systems::options::Size;
use crate::systems::registry::{ARCHES, CompiledCode, KernelInfo, System};
use crate::trace::mix::Role;
use std::sync::LazyLock;

const KERNEL: &str = "submachine";
const PROBLEM: &str = "mux20";
/// Default threads per block, enough for at least two programs.
const USUAL_THREADS: u32 = 128;
/// Default threads per program: all tests of a program at once, as section 7 recommends.
const USUAL_THREADS_PER_PROGRAM: u32 = 64;

static KERNELS: LazyLock<[KernelInfo; 1]> = LazyLock::new(|| {
    let own = [
        Parameter::new(Size::Threads, USUAL_THREADS, Allowed::OneOf(&BLOCK_SIZES)),
        Parameter::new(
            Size::ThreadsPerProgram,
            USUAL_THREADS_PER_PROGRAM,
            Allowed::OneOf(&THREADS_PER_PROGRAM),
        ),
        Parameter::new(Size::Population, POPULATION, Allowed::Range(1, MOST)),
    ];
    [KernelInfo {
        name: KERNEL,
        problems: vec![PROBLEM],
        parameters: [&FIXED[..], &own].concat(),
    }]
});

/// Langdon's system.
pub struct Langdon;

impl System for Langdon {
    fn kernels(&self) -> &'static [KernelInfo] {
        &*KERNELS
    }

    fn codes(&self) -> Result<Vec<CompiledCode>, PredictError> {
        let code = |arch, threads| {
            let variant = Some(format!("{threads} per program"));
            CompiledCode::of_paper((KERNEL, PROBLEM), arch, variant, &stem(threads, arch))
        };
        let of_arch = |arch| THREADS_PER_PROGRAM.map(|threads| code(arch, threads));
        ARCHES.into_iter().flat_map(of_arch).collect()
    }

    fn configure(&self, asked: Asked) -> Result<Configuration, PredictError> {
        let configuration = asked.by_parameters()?;
        let layout = LangdonLayout::from(&configuration);
        let (threads, block) = (layout.threads_per_program, layout.threads_per_block);
        if threads > block {
            let allowed = format!("at most {block}, the threads per block");
            return Err(asked.refused(Size::ThreadsPerProgram.words(), threads, allowed));
        }
        let (population, per_block) = (population(&configuration), programs_per_block(layout));
        if !population.is_multiple_of(per_block) {
            let allowed = format!("multiples of {per_block}, the programs of a block");
            return Err(asked.refused(Size::Population.words(), population, allowed));
        }
        Ok(configuration)
    }

    fn launch(&self, configuration: &Configuration, on: Context) -> Result<Launch, PredictError> {
        let machine = Machine::of(configuration, on)?;
        let (layout, population) = (configuration.into(), population(configuration));
        let (generation, seed) = (&LangdonGeneration::INITIAL, on.settings.program_seed);
        let work = first_grid(machine, layout, generation, population, seed)?;
        Ok(Launch::divergent(configuration, work, Role::StackTraffic))
    }
}

/// Returns the programs of a launch.
pub fn population(configuration: &Configuration) -> u32 {
    configuration.population.unwrap_or(POPULATION)
}

impl From<&Configuration> for LangdonLayout {
    fn from(configuration: &Configuration) -> LangdonLayout {
        let threads = configuration.threads_per_program;
        LangdonLayout {
            threads_per_program: threads.unwrap_or(USUAL_THREADS_PER_PROGRAM),
            threads_per_block: configuration.threads_per_block,
        }
    }
}
