//! From names to predictions: finds programs and machine code, resolves a launch for a device, keeps what was traced.
//!
//! Leaves out: timing, which is the models'. Never reads a measured speed.
//! Sources: Chitty's Table 2 for the population of 1000.

#[doc(hidden)]
pub mod annotate;
pub(crate) mod api;
#[doc(hidden)]
mod blocks;
mod interventions;
#[doc(hidden)]
mod sweep;

pub use crate::systems::chitty::find::{architecture, compiled, executed_architecture};
pub use crate::systems::chitty::inputs::{InputError, inferred, problems};
pub use crate::systems::settings::{CodeChoice, Kind, ProgramList, Settings, Weighting};
pub use blocks::SampleBlocks;
pub use interventions::{Explained, Gain};
pub use sweep::Sweep;

use crate::device::Device;
use crate::device::ideal::Ideal;
use crate::device::occupancy::{BlockResources, Occupancy};
use crate::gp::problem::{CASE_SEED, ProblemId};
use crate::gp::program::Rpn;
use crate::gp::programs::Population;
use crate::gp::workload::Workload as Measured;
use crate::launch::divergent::{On, Timing};
use crate::launch::geometry::Geometry;
use crate::launch::host::Generation;
use crate::launch::kernel::Grid;
use crate::launch::prediction::{Configuration, PerformanceModel, PredictError, Prediction};
use crate::launch::residency::reside;
use crate::launch::spec::SmxSpec;
use crate::launch::{CarveOut, Resolved};
use crate::model::analytical::Analytical;
use crate::systems::chitty::code::Code;
use crate::systems::chitty::conformance::{self, Conformance};
use crate::systems::chitty::counted::is_counted;
use crate::systems::chitty::find;
use crate::systems::chitty::inputs::Workload;
use crate::systems::chitty::request::{Cases, Request};
use crate::systems::chitty::{KernelWork, unweighted_grids};
use crate::systems::kernels::{self, Evolved};
use crate::systems::registry::{self, LaunchOptions};
use crate::util::memo::Memo;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// See the module text.
#[derive(Debug)]
pub struct Engine {
    device: Device,
    settings: Settings,
    /// In the order in which they were asked for.
    workloads: Arc<Mutex<Vec<Arc<Workload>>>>,
    kernels: Arc<Memo<KernelKey, KernelWork>>,
    /// Grids that kernels share, by the id of their population.
    grids: Arc<Memo<u64, Vec<Grid>>>,
    analytical: Arc<Analytical>,
    /// Programs of the other papers' kernels.
    evolved: Arc<Evolved>,
}

/// A kernel, and the id of the population that it runs.
type KernelKey = (Code, u64);

impl Engine {
    /// An engine for `device` and the problems named, whose programs come from corpora.
    pub fn new(device: Device, problems: &[&str], settings: Settings) -> Result<Self, InputError> {
        let engine = Engine::with_workloads(device, Vec::new(), settings);
        for problem in problems {
            engine.workload(problem)?;
        }
        Ok(engine)
    }

    /// An engine for `device` and one problem, of exactly these programs, one block each.
    pub fn of_programs(
        device: Device,
        problem: ProblemId,
        programs: &[Rpn],
        settings: Settings,
    ) -> Result<Self, InputError> {
        let workload = Workload::of_list(problem, programs)?;
        Ok(Engine::with_workloads(
            device,
            vec![Arc::new(workload)],
            settings,
        ))
    }

    fn with_workloads(device: Device, workloads: Vec<Arc<Workload>>, settings: Settings) -> Self {
        Engine {
            device,
            settings,
            workloads: Arc::new(Mutex::new(workloads)),
            kernels: Arc::default(),
            grids: Arc::default(),
            analytical: Arc::default(),
            evolved: Arc::default(),
        }
    }

    /// The same programs and traced kernels on another device.
    pub fn on(&self, device: Device) -> Engine {
        Engine {
            device,
            settings: self.settings.clone(),
            workloads: Arc::clone(&self.workloads),
            kernels: Arc::clone(&self.kernels),
            grids: Arc::clone(&self.grids),
            analytical: Arc::clone(&self.analytical),
            evolved: Arc::clone(&self.evolved),
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

    /// What the engine was told besides the device.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The programs that predictions of a problem are made for.
    pub fn population(&self, problem: &str) -> Result<Arc<Population>, InputError> {
        Ok(Arc::clone(&self.workload(problem)?.population))
    }

    /// How the corpora were weighted: part of what every result means.
    pub fn weighting(&self) -> Vec<String> {
        let sentence = |w: &Arc<Workload>| format!("{}: {}", w.problem, w.population.weighting);
        self.loaded().iter().map(sentence).collect()
    }

    fn loaded(&self) -> MutexGuard<'_, Vec<Arc<Workload>>> {
        let loaded = self.workloads.lock();
        loaded.unwrap_or_else(PoisonError::into_inner)
    }

    /// The programs of a problem, loaded when they are asked for first.
    fn workload(&self, problem: &str) -> Result<Arc<Workload>, InputError> {
        let mut loaded = self.loaded();
        let found = loaded.iter().find(|one| one.problem.name() == problem);
        if let Some(found) = found {
            return Ok(Arc::clone(found));
        }
        let made = Arc::new(Workload::load(problem, &self.settings)?);
        loaded.push(Arc::clone(&made));
        Ok(made)
    }

    fn model(&self) -> &dyn PerformanceModel {
        match self.settings.kind {
            Kind::Simulator => &self.settings.simulator,
            Kind::Analytical => &*self.analytical,
        }
    }

    /// The launch that is asked for on the engine's device, complete.
    pub fn configure(&self, options: &LaunchOptions) -> Result<Configuration, PredictError> {
        registry::configure(options, &self.device, &self.settings)
    }

    /// Predicts a launch of a problem's programs.
    pub fn predict(&self, launch: impl Into<LaunchOptions>) -> Result<Prediction, PredictError> {
        let configuration = self.configure(&launch.into())?;
        if !registry::is_uniform(&configuration) {
            let on = On {
                device: &self.device,
                arch: executed_architecture(&self.device, &self.settings.code)?,
                carve_out: (configuration.l1_bytes).map_or(CarveOut::Default, CarveOut::L1Bytes),
                timing: timing(self.settings.kind),
            };
            let seed = self.settings.population_seed;
            return kernels::predict(&configuration, on, seed, &self.evolved);
        }
        let request = self.request(&configuration)?;
        let mut launch = self.resolve(&request)?;
        launch.configuration = configuration;
        self.model().predict(&launch)
    }

    /// Predicts a launch.
    pub fn predict_request(&self, request: &Request) -> Result<Prediction, PredictError> {
        self.model().predict(&self.resolve(request)?)
    }
}

impl Engine {
    /// The launch that a configuration names.
    pub fn request(&self, configuration: &Configuration) -> Result<Request, PredictError> {
        registry::check_uniform(configuration)?;
        let workload = self
            .workload(&configuration.problem)
            .map_err(PredictError::other)?;
        let kernel = find::of(
            configuration,
            workload.problem,
            &self.device,
            &self.settings.code,
        )?;
        Ok(Request {
            cases: self.cases(&workload, &kernel, configuration.threads_per_block),
            kernel,
            programs: Arc::clone(&workload.population),
            threads_per_block: configuration.threads_per_block,
            case_blocks: configuration.case_blocks,
            carve_out: configuration
                .l1_bytes
                .map_or(CarveOut::Default, CarveOut::L1Bytes),
        })
    }

    /// Whether the own kernel that a configuration names computes what the reference interpreter does; `None` for those in the program.
    pub fn conformance(
        &self,
        configuration: &Configuration,
    ) -> Result<Option<Conformance>, PredictError> {
        let choice = &self.settings.code;
        if choice.own_named(&configuration.kernel).is_none() {
            return Ok(None);
        }
        let request = self.request(configuration)?;
        let cases = Measured::new(request.kernel.problem, None, CASE_SEED);
        let cases = cases.map_err(PredictError::other)?;
        let compared = conformance::compare(&request.kernel, &request.programs.programs, &cases);
        compared.map(Some).map_err(PredictError::other)
    }

    /// The fitness cases of a launch. A list of programs runs as `measure` runs it, whole passes of a block; of a corpus it is
    /// the paper's launch. Cases that the problem defines itself are at hand for what has not been counted on real ones.
    fn cases(&self, workload: &Workload, kernel: &Code, threads: u32) -> Cases {
        let mut cases = workload.cases.clone();
        let is_listed = workload.population.blocks.is_some();
        if is_listed {
            let pass = threads.saturating_mul(kernel.stack_dim).max(1);
            cases.padded_elements = cases.elements.next_multiple_of(pass);
        }
        if workload.problem.defines_its_cases()
            && (is_listed || !kernel.compiled().is_some_and(is_counted))
        {
            cases.values = workload.values();
        }
        cases
    }

    /// The launch on the engine's device. An impossible block is refused before anything is traced for it.
    pub fn resolve(&self, request: &Request) -> Result<Resolved, PredictError> {
        check_case_blocks(request)?;
        let resources = request.kernel.resources().map_err(PredictError::other)?;
        let block = |shared_bytes_per_block| BlockResources {
            threads_per_block: request.threads_per_block,
            registers_per_thread: resources.registers,
            shared_bytes_per_block,
        };
        self.reside(request, block(0))?;
        let kernel = self.kernel(request)?;
        let resides = |&shared_bytes: &u32| Ok(self.reside(request, block(shared_bytes))?.0.blocks);
        let grid_blocks = kernel.shared_bytes.iter().map(resides);
        let grid_blocks = grid_blocks.collect::<Result<Vec<u32>, PredictError>>()?;
        let block = block(kernel.median_shared_bytes());
        let (occupancy, l1_bytes) = self.reside(request, block)?;
        let geometry = self.geometry(request, &occupancy, resources.frame_bytes);
        Ok(Resolved {
            configuration: named(request, l1_bytes),
            block,
            spec: SmxSpec::new(&self.device, l1_bytes)
                .map_err(PredictError::other)?
                .at_work(&geometry),
            geometry,
            clock_hz: self.device.chip.clock_mhz * 1e6,
            fitness_cases: request.cases.n,
            grid_blocks,
            host_seconds: match self.device.ideals.has(Ideal::Host) {
                true => 0.0,
                false => self.host_seconds(request, &kernel),
            },
            ideals: self.device.ideals,
            occupancy,
            l1_bytes,
            kernel,
        })
    }

    fn reside(
        &self,
        request: &Request,
        block: BlockResources,
    ) -> Result<(Occupancy, u32), PredictError> {
        let kernel = request.kernel.kernel_name();
        reside(&self.device, kernel, request.carve_out, block)
    }

    fn geometry(&self, request: &Request, occupancy: &Occupancy, frame_bytes: u32) -> Geometry {
        let n_smx = self.device.chip.n_smx;
        let grids = request.programs.grids.iter().map(Vec::len);
        let programs = grids.max().unwrap_or(0) as u32;
        let full = Geometry {
            threads_per_block: request.threads_per_block,
            stack_dim: request.kernel.stack_dim,
            fitness_cases: request.cases.padded_elements,
            programs,
            case_blocks: request.case_blocks,
            resident_blocks: occupancy.blocks,
            n_smx,
            local_stride_bytes: self.device.local_stride_bytes(frame_bytes),
        };
        let on_each = full.blocks().div_ceil(n_smx);
        match self.device.ideals.has(Ideal::GridEnds) {
            true => full,
            false => Geometry {
                resident_blocks: occupancy.blocks.min(on_each),
                ..full
            },
        }
    }

    fn kernel(&self, request: &Request) -> Result<Arc<KernelWork>, PredictError> {
        let programs = &request.programs;
        let key = (request.kernel.clone(), programs.id());
        self.kernels.try_get(key, || {
            let grids = self.grids.get(programs.id(), || unweighted_grids(programs));
            KernelWork::new(
                &request.kernel,
                Arc::clone(programs),
                &request.cases,
                &grids,
            )
            .map_err(PredictError::other)
        })
    }

    /// Time on the host between all launches.
    fn host_seconds(&self, request: &Request, kernel: &KernelWork) -> f64 {
        let grids = &request.programs.grids;
        let launches = grids.iter().zip(&kernel.shared_bytes);
        let seconds = launches.map(|(grid, bytes)| {
            let generation = Generation {
                programs: grid.len() as u64,
                nodes: grid.iter().map(|&nodes| u64::from(nodes)).sum(),
                words_per_program: bytes / 4,
                values_per_program: request
                    .kernel
                    .kernel
                    .sharing()
                    .results_per_program(request.threads_per_block, request.case_blocks),
            };
            generation.host_seconds(&self.device.host)
        });
        seconds.sum()
    }
}

/// Only the accumulator shares a program's fitness cases between blocks, as many as CUDA's second grid dimension allows.
fn check_case_blocks(request: &Request) -> Result<(), PredictError> {
    let kernel = request.kernel.kernel;
    let most = kernel.sharing().most_case_blocks();
    if (1..=most).contains(&request.case_blocks) {
        return Ok(());
    }
    Err(PredictError::Input {
        what: "blocks that share the fitness cases",
        given: request.case_blocks.to_string(),
        allowed: match most {
            1 => format!("1 (kernel {kernel})"),
            _ => format!("1 to {most} (kernel {kernel})"),
        },
    })
}

/// What executed blocks are timed by, with this model.
pub fn timing(kind: Kind) -> Timing {
    match kind {
        Kind::Simulator => Timing::Simulated,
        Kind::Analytical => Timing::ClosedForm,
    }
}

/// What a launch is called.
fn named(request: &Request, l1_bytes: u32) -> Configuration {
    let kernel = &request.kernel;
    Configuration {
        problem: kernel.problem.name().into(),
        kernel: kernel.kernel_name().into(),
        stack_dim: kernel.stack_dim,
        stack_registers: kernel.stack_registers,
        threads_per_block: request.threads_per_block,
        case_blocks: request.case_blocks,
        l1_bytes: Some(l1_bytes),
        population: None,
        cases: None,
        threads_per_program: None,
    }
}

#[cfg(test)]
mod new_problem_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;
    use crate::isa::Arch;
    use crate::systems::chitty::variant::{KernelId, Variant};

    /// A block for each of these sextic programs.
    fn request(programs: &[&str]) -> Request {
        let programs: Vec<Rpn> = programs.iter().map(|text| text.parse().unwrap()).collect();
        Request {
            kernel: Variant::new(KernelId::Rpn, ProblemId::Sextic, 2, Arch::Sm35).into(),
            programs: Arc::new(Population::of_list(&programs, programs.len()).unwrap()),
            cases: Cases::of(ProblemId::Sextic, 2048),
            threads_per_block: 128,
            case_blocks: 1,
            carve_out: CarveOut::Default,
        }
    }

    #[test]
    fn programs_that_come_to_lie_where_refused_ones_lay_have_their_own_grids() {
        let device = Preset::load("gtx670").unwrap().device;
        let engine = Engine::new(device, &[], Settings::default()).unwrap();
        assert!(engine.resolve(&request(&["X1", "X1 X1 AND"])).is_err());
        let launch = engine.resolve(&request(&["X1", "X1 X1 *", "X1 X1 +"]));
        assert_eq!(launch.unwrap().kernel.facts().grids[0].work.len(), 3);
    }
}
