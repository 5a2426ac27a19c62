//! One launch of exactly given programs, as a measurement runs it: what is measured is what is predicted.
//!
//! Models: the programs in their order, one per block, the whole population over all multiprocessors; short windows of
//! one multiprocessor at several fillings give its throughput, and the grid is played to its last block with every
//! program's own number of instructions.
//! Leaves out: the launch itself, and which programs share a multiprocessor.
//! Units: in field names; work in warp instructions. Sources: those of `sim` and `launch`.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::other;
use crate::device::Device;
use crate::device::occupancy::{BlockResources, OccupancyLimits};
use crate::gp::problem::{CASE_SEED, Dataset};
use crate::gp::program::Rpn;
use crate::gpu::variant::{FunctionSet, Variant};
use crate::gpu::workload::Workload;
use crate::launch::chip::{RateCurve, makespan_cycles};
use crate::launch::code::ReplayCode;
use crate::launch::geometry::Geometry;
use crate::launch::spec::SmxSpec;
use crate::predict::PredictError;
use crate::sim::observe::Counters;
use crate::sim::window::{WindowPlan, simulate};
use crate::trace::{SegmentId, SegmentPool};
use crate::workload::KernelTraces;
use crate::workload::detours::detour_instructions;

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

/// What is predicted for a launch.
#[derive(Debug, Clone)]
pub struct GivenPrediction {
    pub milliseconds: f64,
    pub warp_instructions: u64,
    pub resident_blocks: u32,
    pub l1_bytes: u32,
    /// Of the window with as many blocks as the launch keeps on a multiprocessor.
    pub counters: Counters,
    /// `(resident blocks, warp instructions per cycle)`.
    pub rates: Vec<(u32, f64)>,
}

/// A value that the first who asks for it makes.
type Slot<T> = Arc<OnceLock<Arc<T>>>;

/// Traces of the same kernel, block size and cases are shared by all carve-outs and populations.
type Key = (Variant, u32, u32);

/// Predicts launches of one list of programs.
#[derive(Debug)]
pub struct GivenPrograms<'a> {
    problem: FunctionSet,
    programs: &'a [Rpn],
    dataset: OnceLock<Dataset>,
    /// What data adds to an iteration of a warp, by kernel and program.
    detours: Mutex<HashMap<Variant, Slot<Vec<f64>>>>,
    traced: Mutex<HashMap<Key, Slot<Traced>>>,
}

#[derive(Debug)]
struct Traced {
    code: ReplayCode,
    code_bytes: u32,
    block: BlockResources,
    local_stride_bytes: u32,
    /// Warp instructions of one warp per program.
    instructions: Vec<u64>,
}

/// Warp instructions that a window measures.
const WINDOW_INSTRUCTIONS: u64 = 1_000_000;
/// Visits to programs that a window is divided among.
const VISITS: u32 = 128;

impl<'a> GivenPrograms<'a> {
    /// `programs` of `problem`, on the cases that measurements of it run on.
    pub fn new(problem: FunctionSet, programs: &'a [Rpn]) -> Self {
        Self {
            problem,
            programs,
            dataset: OnceLock::new(),
            detours: Mutex::default(),
            traced: Mutex::default(),
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

    fn detours(&self, variant: &Variant) -> Result<Arc<Vec<f64>>, PredictError> {
        let slot = slot(&self.detours, *variant);
        if let Some(found) = slot.get() {
            return Ok(Arc::clone(found));
        }
        let dataset = self.dataset()?;
        let made = detour_instructions(variant, self.programs, dataset).map_err(other)?;
        Ok(Arc::clone(slot.get_or_init(|| Arc::new(made))))
    }

    fn traced(&self, launch: &GivenLaunch) -> Result<Arc<Traced>, PredictError> {
        let key = (launch.variant, launch.threads_per_block, launch.elements);
        let slot = slot(&self.traced, key);
        if let Some(found) = slot.get() {
            return Ok(Arc::clone(found));
        }
        let detours = self.detours(&launch.variant)?;
        let made = Arc::new(trace(self.programs, launch, &detours)?);
        Ok(Arc::clone(slot.get_or_init(|| made)))
    }

    /// Warp instructions that the launch executes.
    pub fn warp_instructions(&self, launch: &GivenLaunch) -> Result<u64, PredictError> {
        let traced = self.traced(launch)?;
        Ok(work(&traced, launch).map(|work| work as u64).sum())
    }

    pub fn predict(
        &self,
        device: &Device,
        launch: &GivenLaunch,
    ) -> Result<GivenPrediction, PredictError> {
        let traced = self.traced(launch)?;
        let limits = OccupancyLimits::of(device);
        let splits = device.l1.splits.iter();
        let mut sizes: Vec<u32> = splits.map(|split| split.shared_bytes).collect();
        sizes.sort_unstable();
        let fits = |size: u32| limits.occupancy(traced.block, size);
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
        let spec = SmxSpec::new(device, l1_bytes).map_err(other)?;
        let n_smx = device.chip.n_smx;
        let resident_blocks = occupancy.blocks.min(launch.population.div_ceil(n_smx));
        let (rates, counters) = self.rates(&spec, &traced, launch, resident_blocks, n_smx)?;
        let curve = RateCurve::new(rates.clone()).ok_or_else(|| PredictError::Input {
            what: "resident blocks",
            given: "0".into(),
            allowed: "1 or more".into(),
        })?;
        let work: Vec<f64> = work(&traced, launch).collect();
        let cycles = makespan_cycles(&work, n_smx as usize, occupancy.blocks as usize, &curve);
        Ok(GivenPrediction {
            milliseconds: cycles / (device.chip.clock_mhz * 1e3),
            warp_instructions: work.iter().sum::<f64>() as u64,
            resident_blocks: occupancy.blocks,
            l1_bytes,
            counters,
            rates,
        })
    }

    /// Warp instructions per cycle of one multiprocessor at several fillings, and the counters of the fullest.
    fn rates(
        &self,
        spec: &SmxSpec,
        traced: &Traced,
        launch: &GivenLaunch,
        resident_blocks: u32,
        n_smx: u32,
    ) -> Result<(Vec<(u32, f64)>, Counters), PredictError> {
        let order = by_length(&traced.instructions);
        let mut rates = Vec::new();
        let mut fullest = Counters::default();
        for blocks in fillings(resident_blocks) {
            let geometry = Geometry {
                threads_per_block: launch.threads_per_block,
                stack_dim: launch.variant.stack_dim,
                fitness_cases: launch.elements,
                resident_blocks: blocks,
                n_smx,
                local_stride_bytes: traced.local_stride_bytes,
            };
            let plan = WindowPlan {
                instructions: (WINDOW_INSTRUCTIONS, WINDOW_INSTRUCTIONS),
                least_visits: 0,
                visits: VISITS,
                warm_up_percent: 40,
                batches: 2,
                seed: 7,
            };
            let window = simulate(
                spec,
                &traced.code,
                traced.code_bytes,
                geometry,
                &order,
                plan,
            )
            .map_err(other)?;
            let counters = window.counters;
            rates.push((
                blocks,
                counters.instructions as f64 / counters.cycles as f64,
            ));
            if blocks == resident_blocks {
                fullest = counters;
            }
        }
        Ok((rates, fullest))
    }
}

/// Fillings at which throughput is sampled: powers of two, and the full one.
fn fillings(full: u32) -> Vec<u32> {
    let mut levels = vec![full];
    let mut level = 1;
    while level < full {
        levels.push(level);
        level *= 2;
    }
    levels
}

/// Program indices in order of length.
fn by_length(instructions: &[u64]) -> Vec<u32> {
    let mut sorted: Vec<u32> = (0..instructions.len() as u32).collect();
    sorted.sort_by_key(|&program| instructions[program as usize]);
    sorted
}

/// Warp instructions of every block in grid order.
fn work<'t>(traced: &'t Traced, launch: &GivenLaunch) -> impl Iterator<Item = f64> + use<'t> {
    let warps = u64::from(launch.threads_per_block.div_ceil(32));
    let blocks = traced.instructions.iter().cycle();
    blocks
        .take(launch.population as usize)
        .map(move |&instructions| (instructions * warps) as f64)
}

fn slot<K: Eq + Hash, T>(slots: &Mutex<HashMap<K, Slot<T>>>, key: K) -> Slot<T> {
    let mut slots = slots.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(slots.entry(key).or_default())
}

fn trace(programs: &[Rpn], launch: &GivenLaunch, detours: &[f64]) -> Result<Traced, PredictError> {
    let traces = KernelTraces::new(
        &launch.variant,
        programs,
        launch.threads_per_block,
        launch.elements,
    )
    .map_err(other)?;
    let iterations = launch.elements / (launch.threads_per_block * launch.variant.stack_dim);
    let length = |ids: &[SegmentId]| length(&traces.pool, ids);
    let instructions = traces
        .programs
        .iter()
        .zip(detours)
        .map(|(program, detour)| {
            let cases = match iterations {
                0 | 1 => length(&program.only),
                n => {
                    length(&program.first)
                        + u64::from(n - 2) * length(&program.steady)
                        + length(&program.last)
                }
            };
            length(&program.prologue) + cases + (detour * f64::from(iterations)).max(0.0) as u64
        })
        .collect();
    Ok(Traced {
        code: ReplayCode::new(&traces.timing, &traces.pool, &traces.programs),
        code_bytes: traces.code_bytes,
        block: BlockResources {
            threads_per_block: launch.threads_per_block,
            registers_per_thread: traces.resources.registers,
            shared_bytes_per_block: traces.shared_bytes_per_block,
        },
        local_stride_bytes: super::local_stride_bytes(traces.resources.frame_bytes),
        instructions,
    })
}

fn length(pool: &SegmentPool, ids: &[SegmentId]) -> u64 {
    ids.iter().map(|id| u64::from(pool.length(*id))).sum()
}
