//! Programs, traced kernels and executions, kept from one launch to the next and shared by all devices.
//!
//! Leaves out: eviction. Units: none.

use super::chitty::code::KernelCode;
use super::chitty::inputs::{InputError, ProblemInputs};
use super::chitty::kernel::KernelWork;
use super::machine::Executions;
use super::robilliard::problem::Benchmark;
use super::robilliard::runs::Run;
use super::settings::Settings;
use crate::device::Device;
use crate::launch::kernel::Grid;
use crate::util::memo::Memo;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Device, settings and caches that turn a configuration into a launch.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub device: &'a Device,
    pub settings: &'a Settings,
    pub caches: &'a Caches,
}

/// Programs, traces and executions that launches share.
#[derive(Debug, Clone, Default)]
pub struct Caches {
    /// Programs of Chitty's problems, in the order of their first use.
    inputs: Arc<Mutex<Vec<Arc<ProblemInputs>>>>,
    /// Kernels, with their work on the populations of these numbers.
    pub(crate) kernels: Arc<Memo<(KernelCode, u64), KernelWork>>,
    /// Grids that kernels share, by population number.
    pub(crate) grids: Arc<Memo<u64, Vec<Grid>>>,
    /// Robilliard's programs, by benchmark, population and seed.
    pub(crate) evolved: Arc<Memo<(Benchmark, u32, u64), Vec<Run>>>,
    /// Large, so kept only for a single launch that is predicted several times.
    pub(crate) executions: Option<Arc<Executions>>,
}

impl Caches {
    /// Returns the caches with these programs in place of the problem's others.
    pub(crate) fn with(&self, inputs: ProblemInputs) -> Caches {
        let mut all = self.loaded().clone();
        all.retain(|one| one.problem != inputs.problem);
        all.push(Arc::new(inputs));
        Caches {
            inputs: Arc::new(Mutex::new(all)),
            ..self.clone()
        }
    }

    /// Returns the caches with a store of executions, a new one unless there is one.
    pub(crate) fn with_executions(&self) -> Caches {
        Caches {
            executions: Some(self.executions.clone().unwrap_or_default()),
            ..self.clone()
        }
    }

    /// Returns the programs loaded so far.
    pub(crate) fn loaded(&self) -> MutexGuard<'_, Vec<Arc<ProblemInputs>>> {
        let loaded = self.inputs.lock();
        loaded.unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the programs of one of Chitty's problems, loaded on first use.
    pub(crate) fn inputs(
        &self,
        problem: &str,
        settings: &Settings,
    ) -> Result<Arc<ProblemInputs>, InputError> {
        let mut loaded = self.loaded();
        let found = loaded.iter().find(|one| one.problem.name() == problem);
        if let Some(found) = found {
            return Ok(Arc::clone(found));
        }
        let made = Arc::new(ProblemInputs::load(problem, settings)?);
        loaded.push(Arc::clone(&made));
        Ok(made)
    }
}
