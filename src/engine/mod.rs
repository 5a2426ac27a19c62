//! The simulator and the analytical model as [`PerformanceModel`]s: from a configuration to a prediction.
//!
//! Models: draws the population once per problem; per configuration finds the kernel's machine code,
//! traces the population on it, computes occupancy, and simulates the launch or solves the model for it.
//! Leaves out: the first upload of the fitness cases. Never reads a measured speed.
//! Units: in field names. Sources: those of the parts; Chitty's Table 2 for the population of 1000.

mod blocks;
pub mod detours;
pub mod given;
mod inputs;
mod kernel;
mod loaded;
pub mod residency;
mod settings;
mod show;
mod sweep;

pub use blocks::SampleBlocks;
pub use inputs::{InputError, problems};
pub use settings::{Kind, Settings, Weighting};
pub use sweep::Sweep;

use crate::device::Device;
use crate::device::occupancy::{BlockResources, Occupancy};
use crate::gpu::variant::{FunctionSet, Resources, Variant};
use crate::launch::Launch;
use crate::launch::geometry::{Geometry, local_stride_bytes};
use crate::launch::host::Generation;
use crate::launch::spec::SmxSpec;
use crate::model::memo::Memo;
use crate::model::solve::{Solver, Steady};
use crate::model::{Point, predict_launch};
use crate::predict::{Configuration, MemoryTraffic, PerformanceModel, PredictError, Prediction};
use crate::sim::engine::simulate_launch;
use crate::trace::ProgramTrace;
use crate::workload::Population;
use inputs::Workload;
use loaded::{Facts, Kernels, Loaded, Summarised};
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
    variants: Arc<Memo<VariantKey, Variant>>,
}

/// What names a kernel besides the settings: its name, problem, second dimension, levels in registers.
type VariantKey = (String, FunctionSet, u32, u32);

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
            variants: Arc::default(),
        })
    }

    /// The same programs and traced kernels on another device.
    pub fn on(&self, device: Device) -> Engine {
        Engine {
            device,
            settings: self.settings.clone(),
            workloads: Arc::clone(&self.workloads),
            kernels: Arc::clone(&self.kernels),
            variants: Arc::clone(&self.variants),
        }
    }

    /// The same programs and traced kernels with the other model.
    pub fn with_kind(&self, kind: Kind) -> Engine {
        let mut engine = self.on(self.device.clone());
        engine.settings.kind = kind;
        engine
    }

    /// The device that predictions are for.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The programs that predictions of a problem are made for.
    pub fn population(&self, problem: &str) -> Result<&Population, PredictError> {
        Ok(&self.workload(problem)?.population)
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
        let (kernel, l1_bytes) = (&configuration.kernel, configuration.l1_bytes);
        residency::occupancy(&self.device, kernel, l1_bytes, block)
    }

    /// Resident blocks of every launch, whose longest programs ask for so much shared memory.
    fn grid_blocks(
        &self,
        configuration: &Configuration,
        block: BlockResources,
        shared_bytes: &[u32],
    ) -> Result<Vec<u32>, PredictError> {
        let blocks = |&shared_bytes_per_block| {
            let block = BlockResources {
                shared_bytes_per_block,
                ..block
            };
            Ok(self.occupancy(configuration, block)?.blocks)
        };
        shared_bytes.iter().map(blocks).collect()
    }
}

impl Engine {
    /// Time on the host between all launches, whose programs take so much shared memory, which is a row of the upload.
    fn host_seconds(
        &self,
        configuration: &Configuration,
        workload: &Workload,
        shared_bytes: &[u32],
    ) -> f64 {
        let launches = workload.population.grids.iter().zip(&workload.launch_nodes);
        let seconds = launches.zip(shared_bytes).map(|((grid, &nodes), bytes)| {
            let generation = Generation {
                programs: grid.len() as u64,
                nodes,
                words_per_program: bytes / 4,
                threads_per_block: configuration.threads_per_block,
            };
            generation.host_seconds(&self.device.host)
        });
        seconds.sum()
    }
}

impl PerformanceModel for Engine {
    fn predict(&self, configuration: &Configuration) -> Result<Prediction, PredictError> {
        let mut prediction = match self.settings.kind {
            Kind::Simulator => {
                let resolved = self.resolve(configuration)?;
                self.simulate(resolved.site, resolved.workload, &resolved.loaded)?
            }
            Kind::Analytical => self.model(configuration)?,
        };
        detours::add(&mut prediction);
        Ok(prediction)
    }
}

impl Engine {
    fn model(&self, configuration: &Configuration) -> Result<Prediction, PredictError> {
        let (workload, variant) = self.runnable(configuration)?;
        let start = Instant::now();
        let summarised = self.kernels.summarise(&variant, workload)?;
        let site = self.site(
            configuration,
            workload,
            &summarised.traces.resources,
            &summarised.facts,
        )?;
        let mut prediction = site.solve(workload, &summarised);
        prediction.wall_seconds = start.elapsed().as_secs_f64();
        Ok(prediction)
    }
}

/// What a configuration comes to on the engine's device.
struct Resolved<'a> {
    workload: &'a Workload,
    variant: Variant,
    loaded: Arc<Loaded>,
    site: Site<'a>,
}

impl Engine {
    /// The programs and the kernel of a configuration. Refuses an impossible block before anything is traced for it.
    fn runnable(
        &self,
        configuration: &Configuration,
    ) -> Result<(&Workload, Variant), PredictError> {
        let workload = self.workload(&configuration.problem)?;
        let variant = self.variant(configuration, workload)?;
        let resources = variant.resources().map_err(other)?;
        self.occupancy(configuration, block(configuration, resources, 0))?;
        Ok((workload, variant))
    }

    /// The traced kernel of a configuration, and where it runs.
    fn resolve<'a>(
        &'a self,
        configuration: &'a Configuration,
    ) -> Result<Resolved<'a>, PredictError> {
        let (workload, variant) = self.runnable(configuration)?;
        let loaded = self.load(&variant, workload)?;
        let site = self.site(configuration, workload, &loaded.resources, &loaded.facts)?;
        Ok(Resolved {
            workload,
            variant,
            loaded,
            site,
        })
    }
}

/// What a block of a configuration needs of a multiprocessor.
fn block(
    configuration: &Configuration,
    resources: &Resources,
    shared_bytes_per_block: u32,
) -> BlockResources {
    BlockResources {
        threads_per_block: configuration.threads_per_block,
        registers_per_thread: resources.registers,
        shared_bytes_per_block,
    }
}

/// A launch on the device: what both models start from.
struct Site<'a> {
    configuration: &'a Configuration,
    block: BlockResources,
    occupancy: Occupancy,
    /// The L1 in effect.
    l1_bytes: u32,
    spec: SmxSpec,
    geometry: Geometry,
    clock_hz: f64,
    /// Resident blocks of every launch, whose longest programs ask for more or less shared memory.
    grid_blocks: Vec<u32>,
    /// Time on the host between these launches, all together.
    host_seconds: f64,
}

impl Engine {
    fn variant(
        &self,
        configuration: &Configuration,
        workload: &Workload,
    ) -> Result<Variant, PredictError> {
        let key = (
            configuration.kernel.clone(),
            workload.problem,
            configuration.stack_dim,
            configuration.stack_registers,
        );
        let find = || kernel::find(configuration, workload.problem, &self.settings);
        self.variants.try_get(key, find).map(|variant| *variant)
    }

    fn load(&self, variant: &Variant, workload: &Workload) -> Result<Arc<Loaded>, PredictError> {
        let programs = self.settings.window_programs;
        self.kernels.load(variant, workload, programs)
    }

    fn site<'a>(
        &self,
        configuration: &'a Configuration,
        workload: &Workload,
        resources: &Resources,
        facts: &Facts,
    ) -> Result<Site<'a>, PredictError> {
        let block = block(configuration, resources, facts.median_shared_bytes());
        let occupancy = self.occupancy(configuration, block)?;
        let l1_bytes = residency::effective_l1_bytes(&self.device, &occupancy);
        Ok(Site {
            grid_blocks: self.grid_blocks(configuration, block, &facts.shared_bytes)?,
            host_seconds: self.host_seconds(configuration, workload, &facts.shared_bytes),
            configuration,
            block,
            l1_bytes,
            spec: SmxSpec::new(&self.device, l1_bytes).map_err(other)?,
            geometry: Geometry {
                threads_per_block: configuration.threads_per_block,
                stack_dim: configuration.stack_dim,
                fitness_cases: workload.elements,
                programs: self.settings.n_blocks as u32,
                case_blocks: 1,
                resident_blocks: occupancy.blocks,
                n_smx: self.device.chip.n_smx,
                local_stride_bytes: local_stride_bytes(resources.frame_bytes),
            },
            occupancy,
            clock_hz: self.device.chip.clock_mhz * 1e6,
        })
    }

    fn simulate(
        &self,
        site: Site,
        workload: &Workload,
        loaded: &Loaded,
    ) -> Result<Prediction, PredictError> {
        let launch = Launch {
            spec: &site.spec,
            code: &loaded.code,
            code_bytes: loaded.code_bytes,
            geometry: site.geometry,
            n_smx: site.geometry.n_smx as usize,
            clock_hz: site.clock_hz,
            sample: &loaded.order,
            grids: &workload.population.grids,
            grid_blocks: &site.grid_blocks,
            host_seconds: site.host_seconds,
        };
        let effort = self.settings.effort();
        let simulated = simulate_launch(&launch, &effort).map_err(other)?;
        let mut prediction = show::simulated(site.frame(&loaded.facts), &simulated, site.clock_hz);
        prediction.gpops_billion *= f64::from(workload.cases_per_element);
        Ok(prediction)
    }
}

impl Site<'_> {
    fn point(&self) -> Point<'_> {
        Point {
            spec: &self.spec,
            geometry: self.geometry,
            n_smx: self.geometry.n_smx as usize,
            clock_hz: self.clock_hz,
            grid_blocks: &self.grid_blocks,
            host_seconds: self.host_seconds,
        }
    }

    /// The full multiprocessor as the model sees it.
    fn steady(&self, summarised: &Summarised) -> Steady {
        let point = self.point();
        Solver::new(&point, &summarised.analysis).solve(self.geometry.resident_blocks)
    }

    fn solve(&self, workload: &Workload, summarised: &Summarised) -> Prediction {
        let point = self.point();
        let analysis = &summarised.analysis;
        let modelled = predict_launch(&point, analysis);
        let mut prediction =
            show::modelled(self.frame(&summarised.facts), &modelled, analysis, &point);
        prediction.gpops_billion *= f64::from(workload.cases_per_element);
        prediction
    }

    /// A prediction without results.
    fn frame(&self, facts: &Facts) -> Prediction {
        Prediction {
            configuration: self.configuration.clone(),
            gpops_billion: 0.0,
            run_milliseconds: 0.0,
            host_milliseconds: 1e3 * self.host_seconds / self.grid_blocks.len().max(1) as f64,
            sampling_error_percent: 0.0,
            block: self.block,
            occupancy: self.occupancy.clone(),
            l1_bytes: self.l1_bytes,
            memory: MemoryTraffic::default(),
            ipc: 0.0,
            dual_issue_percent: 0.0,
            warp_instructions_per_node: 0.0,
            instruction_mix: facts.mix.clone(),
            mean_stack_levels: facts.mean_stack_levels,
            assumed_branches_per_node: facts.assumed_branches_per_node,
            added_by_data_percent: 0.0,
            cpi_stack: Vec::new(),
            simulated_warp_instructions: 0,
            wall_seconds: 0.0,
        }
    }
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
