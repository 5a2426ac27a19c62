//! `warpstack measure gpu`: the main paper's interpreters on an NVIDIA GPU.
//!
//! One row per combination of the lists that was compiled. Leaves out: launching (`crate::measure`).

use super::MeasuredRows;
use super::args::{ProtocolArgs, WorkArgs, check_threads, given_or};
use crate::commands::format::OutputArgs;
use crate::commands::limit::evenly;
use crate::commands::own_kernel::CudaArgs;
use crate::gp::problem::ProblemId;
use crate::gp::program_file;
use crate::gp::workload::Workload;
use crate::isa::Arch;
use crate::measure::compile::CompileError;
use crate::measure::launch::{Gpu, GridLaunch};
use crate::measure::rows::{Bench, Programs, VariantLaunch};
use crate::report::rows::Row;
use crate::systems::chitty::kernel_id::{Lowering, Sharing};
use crate::systems::chitty::variant::{KernelId, Math, Shape, Variant};
use crate::util::memo::Memo;
use std::error::Error;
use std::slice;

/// Measure the interpreters on an NVIDIA GPU: one row per compiled combination of the lists.
///
/// Needs the GPU's driver; on compute capability 7.5, 8.0 to 8.9 and 9.0 no other part of CUDA.
#[derive(Debug, clap::Args)]
pub struct GpuArgs {
    #[command(flatten)]
    pub work: WorkArgs,
    /// Kernel names, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "rpn", conflicts_with = "cuda", value_parser = crate::commands::names::chitty_kernel())]
    pub kernel: Vec<KernelId>,
    #[command(flatten)]
    pub own: CudaArgs,
    /// Sizes of the stack's second dimension (accumulator: cases per thread), separated by commas [default: 1,2,3,4,5,6,8; for a
    /// custom kernel 1, with --encoding accumulator 8]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub stack_dim: Vec<u32>,
    /// Numbers of stack levels in registers, separated by commas (lgp-registers and accumulator only)
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LIST",
        default_value = "1,2,3,4"
    )]
    pub stack_registers: Vec<u32>,
    /// Math functions of the kernels, separated by commas: accurate, fast (the GPU's approximate instructions)
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LIST",
        default_value = "accurate"
    )]
    pub math: Vec<Math>,
    /// Numbers of threads per block, separated by commas
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LIST",
        default_value = "256"
    )]
    pub threads: Vec<u32>,
    /// Numbers of blocks that share the fitness cases of a program, separated by commas (accumulator only)
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "50", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub case_blocks: Vec<u32>,
    /// Preferred sizes of the shared memory in percent of its maximum, as CUDA takes them, separated by commas; the L1 has the rest [default: the driver's choice]
    #[arg(long, value_delimiter = ',', value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub carveout: Vec<u32>,
    /// Number of the GPU, counted from 0 as CUDA does
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub gpu: usize,
    /// Measure at most N configurations, evenly spread [default: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub protocol: ProtocolArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

pub(super) fn rows(args: &GpuArgs) -> MeasuredRows {
    check_threads(&args.threads)?;
    if let (Some(encoding), None) = (args.own.encoding, &args.own.cuda) {
        return Err(format!("--encoding: given {encoding}; allowed: with --cuda FILE").into());
    }
    let list = program_file::read(&args.work.programs, None)?;
    let workload = args.work.workload()?;
    let programs = Programs {
        list: args.work.launched(list, &workload)?,
        file: args.work.programs.display().to_string(),
    };
    measure_on_gpu(args, &workload, &programs)
}

fn measure_on_gpu(args: &GpuArgs, workload: &Workload, programs: &Programs) -> MeasuredRows {
    let gpu = Gpu::open(args.gpu);
    let arch = gpu
        .as_ref()
        .map_or(Arch::Sm90, |gpu| Arch::for_gpu(gpu.info.compute_capability));
    let mut chosen = evenly(configurations(args, workload.id, arch)?, args.limit);
    let gpu = gpu?;
    compile(&args.own, &mut chosen)?;
    let bench = Bench::new(&gpu, workload, programs, args.protocol.protocol());
    let rows = chosen.iter().map(|one| Ok(Row::of(&bench.row(one)?)?));
    rows.collect()
}

/// Compiles the custom kernel, if there is one, once for every variant that is launched.
fn compile(own: &CudaArgs, chosen: &mut [VariantLaunch]) -> Result<(), CompileError> {
    let Some(path) = &own.cuda else {
        return Ok(());
    };
    let compiled = Memo::default();
    for VariantLaunch {
        variant, own: code, ..
    } in chosen
    {
        let binary = compiled.try_get(*variant, || own.source(path, *variant).binary())?;
        *code = Some(binary);
    }
    Ok(())
}

/// Every combination that was compiled for an architecture.
fn configurations(
    args: &GpuArgs,
    problem: ProblemId,
    arch: Arch,
) -> Result<Vec<VariantLaunch>, Box<dyn Error>> {
    let carveouts: Vec<Option<u32>> = match &args.carveout[..] {
        [] => vec![None],
        given => given.iter().copied().map(Some).collect(),
    };
    let mut found = Vec::new();
    for variant in variants(args, problem, arch)? {
        let case_blocks = match variant.kernel.sharing() {
            Sharing::PerBlock => &args.case_blocks[..],
            Sharing::PerThread => &[1],
        };
        for &threads_per_block in &args.threads {
            for &carveout_percent in &carveouts {
                for &case_blocks in case_blocks {
                    let launch = GridLaunch {
                        threads_per_block,
                        case_blocks,
                        carveout_percent,
                    };
                    found.push(VariantLaunch {
                        variant,
                        launch,
                        own: None,
                    });
                }
            }
        }
    }
    if found.is_empty() {
        return Err(format!(
            "--stack-dim, --stack-registers, --math: no kernel is compiled for this combination, {problem} and {arch}; allowed: what `warpstack list kernels --arch {arch}` lists"
        )
        .into());
    }
    Ok(found)
}

fn variants(
    args: &GpuArgs,
    problem: ProblemId,
    arch: Arch,
) -> Result<Vec<Variant>, Box<dyn Error>> {
    let own = args.own.encoding.map(Lowering::kernel);
    let kernels = own.as_ref().map_or(&args.kernel[..], slice::from_ref);
    let usual = args.own.encoding.map(|own| [own.default_stack().0]);
    let dimensions = match &usual {
        Some(usual) => given_or(&args.stack_dim, usual),
        None => given_or(&args.stack_dim, &[1, 2, 3, 4, 5, 6, 8]),
    };
    let chosen = |variant: &Variant| {
        let registers =
            variant.stack_registers == 0 || args.stack_registers.contains(&variant.stack_registers);
        let dispatch = variant.kernel.default_dispatch();
        let plain = variant.shape == Shape::Unrolled && variant.dispatch == dispatch;
        kernels.contains(&variant.kernel)
            && dimensions.contains(&variant.stack_dim)
            && args.math.contains(&variant.math)
            && registers
            && plain
    };
    let compiled = Variant::of_problem(problem, arch)?.into_iter();
    Ok(compiled.filter(chosen).collect())
}
