//! The simulator and the analytical model as [`PerformanceModel`]s: from a configuration to a prediction.
//!
//! Models: draws the population once per problem; per configuration finds the kernel's machine code,
//! traces the population on it, computes occupancy, and simulates the launch or solves the model for it.
//! Leaves out: host work between generations. Never reads a measured speed.
//! Units: in field names. Sources: those of the parts; Chitty's Table 2 for the population of 1000.

pub mod given;
mod inputs;
mod kernel;
mod loaded;
mod settings;
mod show;

pub use inputs::{InputError, problems};
pub use settings::{Kind, Settings, Weighting};

use crate::device::Device;
use crate::device::occupancy::{BlockResources, Occupancy, OccupancyLimits};
use crate::launch::Launch;
use crate::launch::geometry::Geometry;
use crate::launch::spec::SmxSpec;
use crate::model::predict_launch;
use crate::predict::{Configuration, MemoryTraffic, PerformanceModel, PredictError, Prediction};
use crate::sim::engine::simulate_launch;
use crate::trace::ProgramTrace;
use inputs::Workload;
use loaded::Kernels;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

/// See the module text.
#[derive(Debug)]
pub struct Engine {
    device: Device,
    settings: Settings,
    workloads: Arc<Vec<Workload>>,
    kernels: Arc<Kernels>,
}

impl Engine {
    /// An engine for `device` and the problems named.
    pub fn new(device: Device, problems: &[&str], settings: Settings) -> Result<Self, InputError> {
        let workloads = problems
            .iter()
            .map(|problem| Workload::load(problem, &settings))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Engine {
            device,
            settings,
            workloads: Arc::new(workloads),
            kernels: Arc::default(),
        })
    }

    /// The same programs and traced kernels on another device.
    pub fn on(&self, device: Device) -> Engine {
        Engine {
            device,
            settings: self.settings.clone(),
            workloads: Arc::clone(&self.workloads),
            kernels: Arc::clone(&self.kernels),
        }
    }

    /// How the corpora were weighted: part of what every result means.
    pub fn weighting(&self) -> Vec<String> {
        let sentence = |w: &Workload| format!("{}: {}", w.problem, w.population.weighting);
        self.workloads.iter().map(sentence).collect()
    }

    fn workload(&self, problem: &str) -> Result<&Workload, PredictError> {
        let found = self.workloads.iter().find(|w| w.problem.name() == problem);
        found.ok_or_else(|| PredictError::Input {
            what: "problem",
            given: problem.into(),
            allowed: problems().join(", "),
        })
    }

    fn occupancy(
        &self,
        configuration: &Configuration,
        block: BlockResources,
    ) -> Result<Occupancy, PredictError> {
        let split = self.device.split_for_l1(configuration.l1_bytes);
        let split = split.ok_or_else(|| {
            let sizes = self.device.l1.splits.iter();
            let allowed: Vec<String> = sizes.map(|split| split.l1_bytes.to_string()).collect();
            PredictError::Input {
                what: "L1 bytes",
                given: configuration.l1_bytes.to_string(),
                allowed: allowed.join(", "),
            }
        })?;
        OccupancyLimits::of(&self.device)
            .occupancy(block, split.shared_bytes)
            .map_err(|source| PredictError::Occupancy {
                kernel: configuration.kernel.clone(),
                source,
            })
    }

    /// The L1 that is left beside the shared memory in effect.
    fn effective_l1_bytes(&self, occupancy: &Occupancy) -> u32 {
        let mut splits = self.device.l1.splits.iter();
        let split = splits.find(|split| split.shared_bytes == occupancy.shared_config_bytes);
        split.map_or(0, |split| split.l1_bytes)
    }
}

impl PerformanceModel for Engine {
    fn predict(&self, configuration: &Configuration) -> Result<Prediction, PredictError> {
        let workload = self.workload(&configuration.problem)?;
        let variant = kernel::find(configuration, workload.problem, &self.settings)?;
        let mut block = BlockResources {
            threads_per_block: configuration.threads_per_block,
            registers_per_thread: variant.resources().map_err(other)?.registers,
            shared_bytes_per_block: 0,
        };
        // Refuses an impossible block before tracing for it.
        self.occupancy(configuration, block)?;
        let population = &workload.population;
        let loaded = self.kernels.load(&variant, workload, configuration)?;
        block.shared_bytes_per_block = loaded.traces.shared_bytes_per_block;
        let occupancy = self.occupancy(configuration, block)?;
        let l1_bytes = self.effective_l1_bytes(&occupancy);
        let spec = SmxSpec::new(&self.device, l1_bytes).map_err(other)?;
        let launch = Launch {
            spec: &spec,
            code: &loaded.code,
            code_bytes: loaded.traces.code_bytes,
            geometry: Geometry {
                threads_per_block: configuration.threads_per_block,
                stack_dim: configuration.stack_dim,
                fitness_cases: workload.elements,
                resident_blocks: occupancy.blocks,
                n_smx: self.device.chip.n_smx,
                local_stride_bytes: local_stride_bytes(loaded.traces.resources.frame_bytes),
            },
            n_smx: self.device.chip.n_smx as usize,
            clock_hz: self.device.chip.clock_mhz * 1e6,
            sample: &population.sample,
            grids: &population.grids,
        };
        let effort = self.settings.effort(configuration, &occupancy);
        let frame = Prediction {
            configuration: configuration.clone(),
            gpops_billion: 0.0,
            run_milliseconds: 0.0,
            sampling_error_percent: 0.0,
            block,
            occupancy,
            l1_bytes,
            memory: MemoryTraffic::default(),
            ipc: 0.0,
            dual_issue_percent: 0.0,
            warp_instructions_per_node: 0.0,
            instruction_mix: loaded.mix(population),
            mean_stack_levels: workload.mean_stack_levels(variant.kernel),
            assumed_branches_per_node: assumed_branches_per_node(&loaded.traces.programs),
            cpi_stack: Vec::new(),
            simulated_warp_instructions: 0,
            wall_seconds: 0.0,
        };
        let cases_per_element = f64::from(workload.cases_per_element);
        let mut prediction = match self.settings.kind {
            Kind::Simulator => {
                let simulated = simulate_launch(&launch, &effort).map_err(other)?;
                show::simulated(frame, &simulated, launch.clock_hz)
            }
            Kind::Analytical => {
                let start = Instant::now();
                let analysis = loaded.analysis(&launch);
                let modelled = predict_launch(&launch, analysis);
                let mut prediction = show::modelled(frame, &modelled, analysis, &launch);
                prediction.wall_seconds = start.elapsed().as_secs_f64();
                prediction
            }
        };
        prediction.gpops_billion *= cases_per_element;
        Ok(prediction)
    }
}

/// Bytes between the local memories of neighbouring warp slots: the frames of 32 lanes, whole 512-byte
/// units (the allocation granularity that drivers use for local memory).
fn local_stride_bytes(frame_bytes: u32) -> u32 {
    (32 * frame_bytes).next_multiple_of(512)
}

/// Branches on data per node and iteration of a warp, mean over the programs: the trace takes them the way
/// ordinary numbers go.
fn assumed_branches_per_node(programs: &[ProgramTrace]) -> f64 {
    let sum = |figure: fn(&ProgramTrace) -> u32| programs.iter().map(figure).sum::<u32>();
    let assumptions = f64::from(sum(|program| program.assumptions));
    assumptions / f64::from(ProgramTrace::COUNTED_ITERATIONS * sum(|program| program.nodes))
}

fn other(error: impl Error + Send + Sync + 'static) -> PredictError {
    PredictError::Other(Box::new(error))
}
