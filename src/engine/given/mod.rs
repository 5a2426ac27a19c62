//! Launches of exactly given programs, as a measurement runs them: what is measured is what is predicted.
//!
//! Models: the programs in their order, one per block, the whole population over all multiprocessors, on the cases that were measured.
//! What depends on the kernel alone is made once and given up when the kernel's last launch is predicted.
//! Leaves out: the launch itself, and which programs share a multiprocessor.
//! Units: in field names; work in warp instructions. Sources: those of `sim`, `model` and `launch`.

mod closed_form;
mod traced;
mod window;

use std::sync::OnceLock;

use rayon::prelude::*;

use super::{Kind, other};
use crate::device::Device;
use crate::device::occupancy::{BlockResources, OccupancyLimits};
use crate::gp::problem::{CASE_SEED, Dataset};
use crate::gp::program::Rpn;
use crate::gpu::variant::{FunctionSet, Variant};
use crate::gpu::workload::Workload;
use crate::launch::geometry::Geometry;
use crate::launch::spec::SmxSpec;
use crate::predict::PredictError;
use crate::workload::detours::detour_instructions;
use closed_form::{ClosedForm, DETOURS_STRIDE};
use traced::Traced;

/// One launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GivenLaunch {
    pub variant: Variant,
    pub threads_per_block: u32,
    /// Elements of a row, padding included.
    pub elements: u32,
    /// Blocks; the programs are repeated in order.
    pub population: u32,
    /// Shared memory that a multiprocessor is configured with; `None`: the smallest that limits nothing.
    pub shared_config_bytes: Option<u32>,
}

impl GivenLaunch {
    /// What a block of it needs of a multiprocessor.
    fn block(&self, registers_per_thread: u32, shared_bytes_per_block: u32) -> BlockResources {
        BlockResources {
            threads_per_block: self.threads_per_block,
            registers_per_thread,
            shared_bytes_per_block,
        }
    }
}

/// What is predicted for a launch.
#[derive(Debug, Clone)]
pub struct GivenPrediction {
    pub milliseconds: f64,
    pub warp_instructions: u64,
    pub resident_blocks: u32,
    pub l1_bytes: u32,
    /// Share of the lines loaded from local memory that were in the L1, in percent; `None` where nothing is loaded.
    pub l1_hit_percent: Option<f64>,
}

/// Predicts launches of one list of programs.
#[derive(Debug)]
pub struct GivenPrograms<'a> {
    problem: FunctionSet,
    programs: &'a [Rpn],
    dataset: OnceLock<Dataset>,
}

/// Where a launch runs on a multiprocessor.
struct Site {
    spec: SmxSpec,
    l1_bytes: u32,
    /// Resident at most; fewer when the population is small.
    resident_blocks: u32,
    geometry: Geometry,
}

impl<'a> GivenPrograms<'a> {
    /// `programs` of `problem`, on the cases that measurements of it run on.
    pub fn new(problem: FunctionSet, programs: &'a [Rpn]) -> Self {
        Self {
            problem,
            programs,
            dataset: OnceLock::new(),
        }
    }

    /// The cases that the committed measurements ran on.
    fn dataset(&self) -> Result<&Dataset, PredictError> {
        if let Some(found) = self.dataset.get() {
            return Ok(found);
        }
        let workload = Workload::new(self.problem, None, CASE_SEED).map_err(other)?;
        Ok(self.dataset.get_or_init(|| workload.problem.dataset))
    }

    /// A prediction for each launch, in their order; `done` is told after each.
    pub fn predict(
        &self,
        device: &Device,
        launches: &[GivenLaunch],
        kind: Kind,
        done: &(impl Fn() + Sync),
    ) -> Vec<Result<GivenPrediction, PredictError>> {
        let jobs: Vec<Job> = launches.iter().map(|launch| (device, *launch)).collect();
        self.predict_jobs(&jobs, kind, done)
    }

    /// The same on a device for each launch.
    pub fn predict_jobs(
        &self,
        jobs: &[Job],
        kind: Kind,
        done: &(impl Fn() + Sync),
    ) -> Vec<Result<GivenPrediction, PredictError>> {
        let groups = groups((0..jobs.len()).collect(), |at| jobs[at].1.variant);
        let mut predictions: Vec<_> = groups
            .into_par_iter()
            .flat_map(|(variant, group)| {
                let executed: Vec<Rpn> = match kind {
                    Kind::Simulator => self.programs.to_vec(),
                    Kind::Analytical => {
                        let programs = self.programs.iter();
                        programs.step_by(DETOURS_STRIDE).cloned().collect()
                    }
                };
                let detours = self.dataset().and_then(|dataset| {
                    detour_instructions(&variant, &executed, dataset).map_err(other)
                });
                match (detours, kind) {
                    (Err(error), _) => failed(&group, error),
                    (Ok(detours), Kind::Simulator) => {
                        self.simulate_group(jobs, group, &detours, done)
                    }
                    (Ok(detours), Kind::Analytical) => {
                        self.solve_group(jobs, group, &detours, done)
                    }
                }
            })
            .collect();
        predictions.sort_by_key(|(at, _)| *at);
        predictions.into_iter().map(|(_, found)| found).collect()
    }

    fn simulate_group(
        &self,
        jobs: &[Job],
        group: Vec<usize>,
        detours: &[f64],
        done: &(impl Fn() + Sync),
    ) -> Predictions {
        let traced = match Traced::new(self.programs, &jobs[group[0]].1, detours) {
            Ok(traced) => traced,
            Err(error) => return failed(&group, error),
        };
        let predict = |at: usize| {
            let (device, launch) = &jobs[at];
            let predicted = traced.predict(device, launch);
            done();
            (at, predicted)
        };
        group.into_par_iter().map(predict).collect()
    }

    fn solve_group(
        &self,
        jobs: &[Job],
        group: Vec<usize>,
        detours: &[f64],
        done: &(impl Fn() + Sync),
    ) -> Predictions {
        let form = match ClosedForm::new(self.programs, &jobs[group[0]].1, detours) {
            Ok(form) => form,
            Err(error) => return failed(&group, error),
        };
        let predict = |at: usize| {
            let (device, launch) = &jobs[at];
            let predicted = form.predict(device, launch);
            done();
            (at, predicted)
        };
        group.into_iter().map(predict).collect()
    }
}

/// A launch and the device that it runs on.
pub type Job<'d> = (&'d Device, GivenLaunch);

/// Predictions by the place of their launch.
type Predictions = Vec<(usize, Result<GivenPrediction, PredictError>)>;

/// The first launch says why; the others of its group would say the same.
fn failed(group: &[usize], error: PredictError) -> Predictions {
    let text = error.to_string();
    let mut first = Some(error);
    group
        .iter()
        .map(|&at| {
            let error = first.take().unwrap_or_else(|| other(Again(text.clone())));
            (at, Err(error))
        })
        .collect()
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Again(String);

/// `members` by their keys, in the order in which the keys are first met.
fn groups<K: Eq>(members: Vec<usize>, key: impl Fn(usize) -> K) -> Vec<(K, Vec<usize>)> {
    let mut groups: Vec<(K, Vec<usize>)> = Vec::new();
    for member in members {
        let key = key(member);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(member),
            None => groups.push((key, vec![member])),
        }
    }
    groups
}

impl Site {
    fn new(
        device: &Device,
        launch: &GivenLaunch,
        block: BlockResources,
        local_stride_bytes: u32,
    ) -> Result<Site, PredictError> {
        let limits = OccupancyLimits::of(device);
        let splits = device.l1.splits.iter();
        let mut sizes: Vec<u32> = splits.map(|split| split.shared_bytes).collect();
        sizes.sort_unstable();
        let fits = |size: u32| limits.occupancy(block, size);
        let refused = |source| PredictError::Occupancy {
            kernel: launch.variant.to_string(),
            source,
        };
        let largest = sizes.last().copied().unwrap_or(0);
        let size = match launch.shared_config_bytes {
            Some(size) => size,
            None => {
                let most = fits(largest).map_err(refused)?.blocks;
                let enough = |size: &u32| fits(*size).is_ok_and(|found| found.blocks == most);
                sizes.iter().copied().find(enough).unwrap_or(largest)
            }
        };
        let occupancy = fits(size).map_err(refused)?;
        let mut splits = device.l1.splits.iter();
        let split = splits.find(|split| split.shared_bytes == occupancy.shared_config_bytes);
        let l1_bytes = split.map_or(0, |split| split.l1_bytes);
        let n_smx = device.chip.n_smx;
        Ok(Site {
            spec: SmxSpec::new(device, l1_bytes).map_err(other)?,
            l1_bytes,
            resident_blocks: occupancy.blocks,
            geometry: Geometry {
                threads_per_block: launch.threads_per_block,
                stack_dim: launch.variant.stack_dim,
                fitness_cases: launch.elements,
                resident_blocks: occupancy.blocks.min(launch.population.div_ceil(n_smx)),
                n_smx,
                local_stride_bytes,
            },
        })
    }
}
