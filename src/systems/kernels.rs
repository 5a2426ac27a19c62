//! Launches of the other papers' kernels.
//!
//! Leaves out: what can be said of one, and what is meant where nothing is said (`systems`); what a launch comes to (each paper's
//! `predict`). Units: programs, fitness cases, threads.

use super::gpocl;
use super::gpocl::ndrange::{Limits, NdRange};
use super::langdon;
use super::langdon::generation::Generation;
use super::langdon::predict::{Layout as SubmachineLayout, first_grid};
use super::robilliard::kernel::Scheme;
use super::robilliard::predict::{Layout, mean_generation};
use super::robilliard::problem::Benchmark;
use super::robilliard::runs::Run;
use crate::gp::program::Rpn;
use crate::launch::divergent::{On, Whole};
use crate::launch::prediction::{Configuration, PredictError, Prediction};
use crate::trace::mix::Role;
use crate::util::memo::Memo;
use std::time::Instant;

/// A launch of one of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PaperLaunch {
    Gpocl(gpocl::Configuration),
    Robilliard(Layout),
    Langdon {
        layout: SubmachineLayout,
        population: u32,
    },
}

/// Programs that took long to make, kept from one prediction to the next: benchmark, population, seed.
pub type Evolved = Memo<(Benchmark, u32, u64), Vec<Run>>;

impl PaperLaunch {
    /// What a complete configuration launches.
    pub fn of(configuration: &Configuration) -> Result<Self, PredictError> {
        if Scheme::named(&configuration.kernel).is_ok() {
            return Ok(PaperLaunch::Robilliard(configuration.try_into()?));
        }
        if configuration.threads_per_program.is_some() {
            return Ok(PaperLaunch::Langdon {
                layout: configuration.into(),
                population: langdon::system::population(configuration),
            });
        }
        Ok(PaperLaunch::Gpocl(configuration.try_into()?))
    }

    /// What it comes to, its programs drawn with `seed`.
    pub fn whole(&self, on: On, seed: u64, evolved: &Evolved) -> Result<Whole, PredictError> {
        match *self {
            PaperLaunch::Langdon { layout, population } => {
                first_grid(on, layout, &Generation::INITIAL, population, seed)
            }
            PaperLaunch::Robilliard(layout) => {
                let Layout {
                    benchmark,
                    population,
                    ..
                } = layout;
                let key = (benchmark, population, seed);
                let runs = evolved.try_get(key, || Run::of(benchmark, &[population], seed))?;
                let generations: Vec<&[Rpn]> =
                    runs.iter().flat_map(|run| run.generations()).collect();
                mean_generation(on, layout, &generations)
            }
            PaperLaunch::Gpocl(one) => {
                let mut all = gpocl::predict::generations(on, &[one], seed)?;
                Ok(all.remove(0))
            }
        }
    }

    /// Threads of a block on a device.
    pub fn threads_per_block(&self, on: On) -> u32 {
        match self {
            PaperLaunch::Langdon { layout, .. } => layout.threads_per_block,
            PaperLaunch::Robilliard(layout) => layout.threads_per_block,
            PaperLaunch::Gpocl(one) => NdRange::of(*one, Limits::of(on.device)).local,
        }
    }

    /// What the kernel keeps in shared memory.
    fn of_shared(self) -> Role {
        match self {
            PaperLaunch::Langdon { .. } => Role::StackTraffic,
            // Partial errors besides.
            PaperLaunch::Gpocl(_) | PaperLaunch::Robilliard(_) => Role::ProgramFetch,
        }
    }
}

/// What a complete configuration of one of these kernels will do.
pub fn predict(
    configuration: &Configuration,
    on: On,
    seed: u64,
    evolved: &Evolved,
) -> Result<Prediction, PredictError> {
    let start = Instant::now();
    let launch = PaperLaunch::of(configuration)?;
    let whole = launch.whole(on, seed, evolved)?;
    Ok(Prediction {
        wall_seconds: start.elapsed().as_secs_f64(),
        ..whole.prediction(configuration.clone(), launch.of_shared())
    })
}
