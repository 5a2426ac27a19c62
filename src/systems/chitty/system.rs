//! Chitty's interpreters and their launches: programs of a corpus, one per block. A custom kernel is one of them with other
//! machine code.
//!
//! Leaves out: their execution (`kernel`). Units: threads.

use crate::device::Device;
use crate::gp::problem::ProblemId;
use crate::launch::Launch;
use crate::launch::prediction::{Configuration, PredictError};
use crate::systems::asked::{Allowed, Asked, Parameter};
use crate::systems::caches::Context;
use crate::systems::chitty::find;
use crate::systems::chitty::kernel_id::KernelId;
use crate::systems::chitty::launch;
use crate::systems::chitty::variant::Variant;
use crate::systems::options::{LaunchOptions, Size};
use crate::systems::registry::{CompiledCode, KernelInfo, System};
use std::sync::LazyLock;

/// Default threads per block, a divisor of every multiprocessor's capacity.
pub const USUAL_THREADS: u32 = 256;

/// Problems with compiled kernels, their own or another problem's.
static PROBLEMS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let all = ProblemId::ALL.iter();
    let compiled = all.filter(|id| id.definition().kernels.is_some());
    compiled.map(|id| id.name()).collect()
});

static KERNELS: LazyLock<Vec<KernelInfo>> = LazyLock::new(|| {
    let kernel = |id: &KernelId| {
        let sharing = id.sharing();
        let (default, most) = (sharing.default_case_blocks(), sharing.most_case_blocks());
        KernelInfo {
            name: id.name(),
            problems: PROBLEMS.clone(),
            parameters: vec![Parameter::new(
                Size::CaseBlocks,
                default,
                Allowed::Range(1, most),
            )],
        }
    };
    KernelId::ALL.iter().map(kernel).collect()
});

/// Chitty's system.
pub struct Chitty;

impl System for Chitty {
    fn kernels(&self) -> &'static [KernelInfo] {
        &KERNELS
    }

    fn is_uniform(&self) -> bool {
        true
    }

    fn codes(&self) -> Result<Vec<CompiledCode>, PredictError> {
        let code = |variant: Variant| {
            let resources = variant.resources().map_err(PredictError::other)?;
            Ok(CompiledCode {
                kernel: variant.kernel.name(),
                problem: variant.problem.name(),
                arch: variant.arch,
                compiled: Some(variant),
                variant: None,
                registers: resources.registers,
                frame_bytes: resources.frame_bytes,
                spilled_bytes: Some(resources.spill_store_bytes),
            })
        };
        let all = Variant::all().map_err(PredictError::other)?;
        all.into_iter().map(code).collect()
    }

    /// Completes the configuration; by default, cases per thread and levels in registers are those of the smallest compiled
    /// kernel.
    fn configure(&self, asked: Asked) -> Result<Configuration, PredictError> {
        for none in [Size::Population, Size::Cases, Size::ThreadsPerProgram] {
            asked.size(none)?;
        }
        let (device, choice) = (asked.device, &asked.settings.code);
        let own = choice.own_named(&asked.options.kernel);
        let problem = asked.problem()?;
        let id: ProblemId = problem.parse().map_err(PredictError::other)?;
        let smallest = match own {
            Some(own) => own.lowering.default_stack(),
            None => {
                let kernel: KernelId = asked.kernel.name.parse().map_err(PredictError::other)?;
                find::smallest(kernel, id, find::architecture(device, choice)?)?
            }
        };
        let options = &LaunchOptions {
            case_blocks: asked.options.case_blocks.or(own.map(|_| 1)),
            ..asked.options.clone()
        };
        let asked = Asked { options, ..asked };
        let configuration = Configuration {
            problem: problem.to_owned(),
            kernel: options.kernel.clone(),
            stack_dim: options.stack_dim.unwrap_or(smallest.0),
            stack_registers: options.stack_registers.unwrap_or(smallest.1),
            threads_per_block: options.threads_per_block.unwrap_or(usual_threads(device)),
            case_blocks: asked.size(Size::CaseBlocks)?.unwrap_or(1),
            l1_bytes: asked.l1_bytes()?,
            population: None,
            cases: None,
            threads_per_program: None,
        };
        find::of(&configuration, id, device, choice)?;
        Ok(configuration)
    }

    fn launch(&self, configuration: &Configuration, on: Context) -> Result<Launch, PredictError> {
        let request = launch::request(configuration, on)?;
        Ok(Launch {
            configuration: configuration.clone(),
            ..launch::launch(&request, on.device, on.caches)?
        })
    }
}

/// Returns the default threads per block on a device.
pub fn usual_threads(device: &Device) -> u32 {
    device.limits.threads_per_block.min(USUAL_THREADS)
}
