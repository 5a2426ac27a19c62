//! `warpstack measure`: the interpreters on a real GPU, or on this CPU.

use super::CliResult;
use super::measure_args::{MeasureArgs, protocol, work};
use super::measure_cpu;
use super::measure_paper;
use super::measure_paper_cpu;
use crate::gp::problem::ProblemId;
use crate::gp::workload::Workload;
use crate::isa::Arch;
use crate::measure::launch::{Gpu, GridLaunch};
use crate::measure::rows::{Bench, Configuration, Programs, Protocol};
use crate::measure::scaling::measure_split;
use crate::measure::{counters, ncu};
use crate::report::provenance::Provenance;
use crate::report::rows::{self, Row};
use crate::report::table::table;
use crate::systems::chitty::kernel_id::Sharing;
use crate::systems::chitty::variant::{KernelId, Math, Shape, Variant};
use crate::util::input;
use std::error::Error;
use std::path::Path;

pub fn run(args: &MeasureArgs) -> CliResult {
    args.output.check()?;
    args.cpu.check(&args.on)?;
    let measured = match (&args.counters, &args.rows) {
        (Some(counters), Some(rows)) => join(counters, rows)?,
        _ => match args.paper {
            Some(paper) if args.on == "cpu" => measure_paper_cpu::rows(args, paper)?,
            Some(paper) => measure_paper::rows(args, paper)?,
            None => measure(args)?,
        },
    };
    // The rows say themselves what was measured where.
    let provenance = Provenance::of_program();
    args.output
        .print(&measured, &provenance, || text(&measured))
}

fn join(counters: &Path, rows: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
    let launches = ncu::parse(&read(counters)?, &counters.display().to_string())?;
    let joined = counters::join(&read(rows)?, &rows.display().to_string(), &launches)?;
    Ok(rows::of_csv(&joined)?)
}

/// Columns that people look at; the rest is in the CSV.
const SHOWN: [&str; 30] = [
    "problem",
    "functions",
    "interpreter",
    "simd",
    "scheme",
    "strategy",
    "domain",
    "kernel",
    "stack_dim",
    "stack_registers",
    "threads_per_program",
    "threads",
    "block_cases",
    "case_blocks",
    "carveout_percent",
    "gpus",
    "population",
    "dataset",
    "median_ms",
    "median_wall_ms",
    "gpops_billion",
    "predicted_gpops_billion",
    "spread_percent",
    "max_error",
    "agreeing_programs",
    "undecided_programs",
    "published_cpu_gpops_billion",
    "published_gpu_gpops_billion",
    "published_speedup",
    "speedup_over_this",
];

fn text(measured: &[Row]) -> String {
    let has = |name: &&&str| measured.iter().any(|row| row.column(name).is_some());
    let names: Vec<&str> = SHOWN.iter().filter(has).copied().collect();
    let cells = |row: &Row| {
        let cells = names
            .iter()
            .map(|name| row.column(name).unwrap_or_default());
        cells.collect()
    };
    table(&names, measured.iter().map(cells).collect(), 2)
}

pub(super) fn read(path: &Path) -> Result<String, String> {
    input::data(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}

fn measure(args: &MeasureArgs) -> Result<Vec<Row>, Box<dyn Error>> {
    if args.on == "cpu" {
        return Ok(rows::of(&measure_cpu::rows(args)?)?);
    }
    args.check_threads()?;
    let (workload, list) = work(args)?;
    let file = args.programs.as_deref().unwrap_or(Path::new(""));
    let programs = Programs {
        list,
        file: file.display().to_string(),
    };
    measure_on_gpu(args, &workload, &programs, protocol(args))
}

fn measure_on_gpu(
    args: &MeasureArgs,
    workload: &Workload,
    programs: &Programs,
    protocol: Protocol,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut measured = Vec::new();
    let gpu = Gpu::open(args.device);
    let arch = gpu
        .as_ref()
        .map_or(Arch::Sm90, |gpu| Arch::for_gpu(gpu.info.compute_capability));
    let configurations = configurations(args, workload.id, arch)?;
    let chosen = configurations.iter().step_by(usize::from(args.every));
    if let Some(gpus) = &args.gpus {
        let n_gpus = gpu_count(gpus)?;
        for configuration in chosen {
            let list = &programs.list;
            let row = measure_split(n_gpus, workload, list, configuration, protocol)?;
            measured.push(Row::of(&row)?);
        }
    } else {
        let gpu = gpu?;
        let bench = Bench::new(&gpu, workload, programs, protocol);
        for configuration in chosen {
            measured.push(Row::of(&bench.row(configuration)?)?);
        }
    }
    Ok(measured)
}

fn gpu_count(given: &str) -> Result<usize, Box<dyn std::error::Error>> {
    let found = Gpu::count()?;
    match given {
        "all" if found > 0 => Ok(found),
        _ => match given.parse() {
            Ok(count) if (1..=found).contains(&count) => Ok(count),
            _ => Err(
                format!("--gpus {given}: allowed: `all` or 1 to {found}, the devices found").into(),
            ),
        },
    }
}

/// Every combination that was compiled for an architecture.
fn configurations(
    args: &MeasureArgs,
    problem: ProblemId,
    arch: Arch,
) -> Result<Vec<Configuration>, Box<dyn std::error::Error>> {
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
        for &threads_per_block in args.threads() {
            for &carveout_percent in &carveouts {
                for &case_blocks in case_blocks {
                    let launch = GridLaunch {
                        threads_per_block,
                        case_blocks,
                        carveout_percent,
                    };
                    found.push(Configuration { variant, launch });
                }
            }
        }
    }
    if found.is_empty() {
        return Err(format!(
            "no compiled kernel among the combinations for {problem} on {arch}; `warpstack kernels --arch {arch}` lists them"
        )
        .into());
    }
    Ok(found)
}

fn variants(
    args: &MeasureArgs,
    problem: ProblemId,
    arch: Arch,
) -> Result<Vec<Variant>, Box<dyn std::error::Error>> {
    let kernels = args
        .kernel
        .iter()
        .map(|name| name.parse())
        .collect::<Result<Vec<KernelId>, _>>()?;
    let maths = args
        .math
        .iter()
        .map(|name| name.parse())
        .collect::<Result<Vec<Math>, _>>()?;
    let chosen = |variant: &Variant| {
        let registers =
            variant.stack_registers == 0 || args.stack_registers.contains(&variant.stack_registers);
        let dispatch = variant.kernel.default_dispatch();
        let plain = variant.shape == Shape::Unrolled && variant.dispatch == dispatch;
        kernels.contains(&variant.kernel)
            && args.stack_dim.contains(&variant.stack_dim)
            && maths.contains(&variant.math)
            && registers
            && plain
    };
    let compiled = Variant::of_problem(problem, arch)?.into_iter();
    Ok(compiled.filter(chosen).collect())
}
