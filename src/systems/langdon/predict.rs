//! The interpreter's speed on a device, at any number of threads per program and per block.
//!
//! Models: blocks of the grid, executed (`systems::blocks`); for a generation in several grids, the first.
//! Leaves out: all but two of a thread's runs of its program, which are alike; all but one of a large program.
//! Units: nodes times cases per second, milliseconds.

use super::generation::{LangdonGeneration, Launching, Programs};
use super::kernel;
use super::{POPULATION, population};
use crate::gp::program::Rpn;
use crate::isa::Kernel;
use crate::launch::divergent::{DivergentWork, Executed, Extent};
use crate::launch::executed::{ExecutedCode, Offsets};
use crate::launch::grid::Sample;
use crate::launch::placement::{DivergentGrid, Placement};
use crate::launch::prediction::PredictError;
use crate::systems::blocks::{BlockLaunch, nodes_of_warps};
use crate::systems::machine::Machine;
use crate::util::parallel;

/// Number of warps executed from a grid of many waves; more if all lanes run one program, as their paths are short and each
/// covers only one program.
const SAMPLED_WARPS: u32 = 384;
const SAMPLED_UNIFORM_WARPS: u32 = 1536;
/// Number of multiprocessors whose blocks are executed, for a grid of a few waves.
const SAMPLED_SMX: u32 = 4;
/// Number of multiprocessors whose blocks are executed, for a grid run to its end, which gives each some hundred blocks.
const SAMPLED_SMX_TO_THE_END: u32 = 1;
/// Largest number of runs of its program by a sampled thread.
const RUNS: u32 = 2;
/// Number of cases on which one node of a warp is evaluated.
const CASES_PER_WARP_NODE: f64 = 32.0 * 32.0;

/// Layout of the population over threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LangdonLayout {
    pub threads_per_program: u32,
    pub threads_per_block: u32,
}

/// Predicted speed of a layout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LangdonSpeed {
    pub layout: LangdonLayout,
    pub mean_nodes: f64,
    /// Warp instructions per node of a warp, including divergence.
    pub warp_instructions_per_node: f64,
    pub gpops_billion: f64,
    /// Time of a generation, without transfers.
    pub kernel_milliseconds: f64,
}

/// Predicts a generation.
pub fn predict_generation(
    machine: Machine,
    layout: LangdonLayout,
    generation: &LangdonGeneration,
    seed: u64,
) -> Result<LangdonSpeed, PredictError> {
    let grids = generation.grids(layout);
    let population = POPULATION / grids;
    let (placement, work) = first_grid(machine, layout, generation, population, seed)?;
    let first = work.timing(&placement)?;
    let kernel_milliseconds =
        f64::from(grids) * first.milliseconds + generation.launch_milliseconds(layout);
    let mean_nodes = work.mean_nodes();
    let operations = generation.experiment.operations(POPULATION, mean_nodes);
    Ok(LangdonSpeed {
        layout,
        mean_nodes,
        warp_instructions_per_node: first.warp_instructions_per_node,
        gpops_billion: operations / kernel_milliseconds / 1e6,
        kernel_milliseconds,
    })
}

/// Makes a grid of the first `population` programs of a generation, which fill their blocks.
pub fn first_grid(
    machine: Machine,
    layout: LangdonLayout,
    generation: &LangdonGeneration,
    population: u32,
    seed: u64,
) -> Result<(Placement, DivergentWork), PredictError> {
    let kernel = kernel::load(layout.threads_per_program, machine.arch)?;
    let placement = placement(machine, layout, generation, population, &kernel)?;
    let sample = sample(&placement, layout, generation.launching);
    let (runs, per_block) = (
        runs_executed(layout, generation),
        programs_per_block(layout),
    );
    let programs = |&block: &u32| {
        let all = block * per_block..(block + 1) * per_block;
        let all = all.map(|index| generation.program(index, seed));
        all.collect::<Vec<Rpn>>()
    };
    let programs = parallel::map(&sample.blocks(), programs);
    let n_tests = runs * layout.threads_per_program;
    let tests = population::tests(generation.experiment, n_tests, seed);
    let block = |nth: usize, block: u32, runs| {
        let size = |at: u32| programs[nth][at as usize].0.len() as u32;
        let nodes = |thread| Some(size(thread / layout.threads_per_program));
        Ok(BlockLaunch {
            nodes: nodes_of_warps(layout.threads_per_block, runs, nodes),
            offsets: Offsets {
                programs: block * per_block * generation.experiment.program_bytes,
                results: 4 * block * per_block,
                ..Offsets::default()
            },
            ..kernel::block(&kernel, &programs[nth], &tests, layout.threads_per_block)?
        })
    };
    let whole = |_: &Sample, runs, code| {
        let sizes = programs.iter().flatten().map(|one| one.0.len() as f64);
        let mean_nodes = sizes.clone().sum::<f64>() / sizes.count() as f64;
        let cases = f64::from(32 * runs * layout.threads_per_program);
        let operations = f64::from(population) * mean_nodes * cases;
        Ok(Executed {
            instructions: per_node(&code) * operations / CASES_PER_WARP_NODE,
            code,
            mean_nodes,
            of_time: 1.0,
        })
    };
    let sample = (sample, [runs; 2]);
    let work = DivergentWork {
        sampled: vec![machine.sampled([0; 2], &kernel, sample, block, whole)?],
        extent: Extent {
            programs: population,
            cases: 32 * generation.experiment.test_words,
            repetitions: runs_of_thread(layout, generation).into(),
            grids: 1.0,
        },
    };
    Ok((placement, work))
}

fn placement(
    machine: Machine,
    layout: LangdonLayout,
    generation: &LangdonGeneration,
    population: u32,
    kernel: &Kernel,
) -> Result<Placement, PredictError> {
    let grid = DivergentGrid {
        name: "submachine",
        kernel,
        threads_per_block: layout.threads_per_block,
        shared_bytes: kernel::shared_bytes(layout.threads_per_block),
        blocks: population / programs_per_block(layout),
        data_bytes: u64::from(population) * u64::from(generation.experiment.program_bytes),
        carve_out: machine.carve_out,
    };
    Placement::of_divergent(machine.device, grid)
}

/// Returns the programs of a full block.
pub fn programs_per_block(layout: LangdonLayout) -> u32 {
    layout.threads_per_block / layout.threads_per_program
}

fn runs_of_thread(layout: LangdonLayout, generation: &LangdonGeneration) -> u32 {
    generation.experiment.test_words / layout.threads_per_program
}

/// Returns the executed runs of a program; one for large programs, whose prologue is small compared with a run.
fn runs_executed(layout: LangdonLayout, generation: &LangdonGeneration) -> u32 {
    match generation.programs {
        Programs::Initial => runs_of_thread(layout, generation).min(RUNS),
        Programs::Evolved { .. } => 1,
    }
}

/// Returns the blocks that represent all.
fn sample(placement: &Placement, layout: LangdonLayout, launching: Launching) -> Sample {
    let (to_its_end, multiprocessors) = match launching {
        Launching::OneGrid => (false, SAMPLED_SMX),
        Launching::PapersGrids => (true, SAMPLED_SMX_TO_THE_END),
    };
    let warps = match layout.threads_per_program {
        32.. => SAMPLED_UNIFORM_WARPS,
        _ => SAMPLED_WARPS,
    };
    match placement.has_many_waves(to_its_end) {
        true => placement.sample_spread(32 * warps / layout.threads_per_block),
        false => placement.sample_whole(multiprocessors),
    }
}

/// Returns warp instructions per node of a warp, over everything executed.
pub(super) fn per_node(executed: &ExecutedCode) -> f64 {
    let programs = &executed.code.programs;
    let nodes: f64 = programs.iter().map(|warp| f64::from(warp.nodes)).sum();
    executed.code.ops.len() as f64 / nodes
}
