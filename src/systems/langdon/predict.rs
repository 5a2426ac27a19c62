//! The interpreter's speed on a device, at any number of threads per program and per block.
//!
//! Models: blocks of the grid, executed (`systems::blocks`); for a generation in several grids, the first.
//! Leaves out: all but two of a thread's runs of its program, which are alike; all but one of a large program.
//! Units: nodes times cases per second, milliseconds.

use super::generation::{LangdonGeneration, Launching, Programs};
use super::kernel::{self, Tests};
use super::{POPULATION, population};
use crate::gp::program::Rpn;
use crate::isa::Kernel;
use crate::launch::divergent::{DivergentWork, Executed, Extent};
use crate::launch::executed::{ExecutedCode, Offsets};
use crate::launch::grid::Sample;
use crate::launch::placement::{DivergentGrid, Placement};
use crate::launch::prediction::PredictError;
use crate::systems::blocks::{BlockLaunch, SampledLaunch, nodes_of_warps};
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
    pub resident_blocks: u32,
    pub mean_nodes: f64,
    /// Warp instructions per node of a warp, including divergence.
    pub warp_instructions_per_node: f64,
    /// Warp instructions of the launch.
    pub warp_instructions: f64,
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
        resident_blocks: placement.geometry.resident_blocks,
        mean_nodes,
        warp_instructions_per_node: first.warp_instructions_per_node,
        warp_instructions: f64::from(grids) * work.warp_instructions(placement.ideals),
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
    let grid = DivergentGrid {
        name: "submachine",
        kernel: &kernel,
        threads_per_block: layout.threads_per_block,
        shared_bytes: kernel::shared_bytes(layout.threads_per_block),
        blocks: population / programs_per_block(layout),
        data_bytes: u64::from(population) * u64::from(generation.experiment.program_bytes),
        carve_out: machine.carve_out,
    };
    let placement = Placement::of_divergent(machine.device, grid)?;
    let (to_its_end, multiprocessors) = match generation.launching {
        Launching::OneGrid => (false, SAMPLED_SMX),
        Launching::PapersGrids => (true, SAMPLED_SMX_TO_THE_END),
    };
    let sample = match placement.has_many_waves(to_its_end) {
        true => placement.sample_spread(spread_blocks(layout)),
        false => placement.sample_whole(multiprocessors),
    };
    let repetitions = runs_executed(layout, generation);
    let programs = |&block: &u32| {
        let first = block * programs_per_block(layout);
        let all = first..first + programs_per_block(layout);
        all.map(|index| generation.program(index, seed)).collect()
    };
    let launch = FirstGrid {
        kernel: &kernel,
        layout,
        population,
        tests: population::tests(
            generation.experiment,
            repetitions * layout.threads_per_program,
            seed,
        ),
        programs: parallel::map(&sample.blocks(), programs),
    };
    let work = DivergentWork {
        sampled: vec![machine.sampled([0; 2], sample, [repetitions; 2], &launch)?],
        extent: Extent {
            programs: population,
            cases: 32 * generation.experiment.test_words,
            repetitions: runs_of_thread(layout, generation).into(),
            grids: 1.0,
        },
    };
    Ok((placement, work))
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

/// Returns the number of blocks executed from a grid of many waves.
fn spread_blocks(layout: LangdonLayout) -> u32 {
    let warps = match layout.threads_per_program {
        32.. => SAMPLED_UNIFORM_WARPS,
        _ => SAMPLED_WARPS,
    };
    32 * warps / layout.threads_per_block
}

/// A grid with the programs of its sampled blocks.
struct FirstGrid<'a> {
    kernel: &'a Kernel,
    layout: LangdonLayout,
    population: u32,
    tests: Tests,
    programs: Vec<Vec<Rpn>>,
}

impl SampledLaunch for FirstGrid<'_> {
    fn kernel(&self) -> &Kernel {
        self.kernel
    }

    fn block(&self, nth: usize, block: u32, runs: u32) -> Result<BlockLaunch<'_>, PredictError> {
        let (programs, tests) = (&self.programs[nth], &self.tests);
        let LangdonLayout {
            threads_per_program,
            threads_per_block,
        } = self.layout;
        let nodes = |thread| Some(programs[(thread / threads_per_program) as usize].0.len() as u32);
        let first = block * programs_per_block(self.layout);
        Ok(BlockLaunch {
            nodes: nodes_of_warps(threads_per_block, runs, nodes),
            offsets: Offsets {
                programs: first * tests.experiment.program_bytes,
                results: 4 * first,
                ..Offsets::default()
            },
            ..kernel::block(self.kernel, programs, tests, threads_per_block)?
        })
    }

    fn whole(&self, _: &Sample, runs: u32, code: ExecutedCode) -> Result<Executed, PredictError> {
        let sizes = self.programs.iter().flatten().map(|one| one.0.len() as f64);
        let mean_nodes = sizes.clone().sum::<f64>() / sizes.count() as f64;
        let cases = f64::from(32 * runs * self.layout.threads_per_program);
        let operations = f64::from(self.population) * mean_nodes * cases;
        Ok(Executed {
            instructions: per_node(&code) * operations / CASES_PER_WARP_NODE,
            code,
            mean_nodes,
            of_time: 1.0,
        })
    }
}

/// Returns warp instructions per node of a warp, over everything executed.
pub(super) fn per_node(executed: &ExecutedCode) -> f64 {
    let programs = &executed.code.programs;
    let nodes: f64 = programs.iter().map(|warp| f64::from(warp.nodes)).sum();
    executed.code.ops.len() as f64 / nodes
}
