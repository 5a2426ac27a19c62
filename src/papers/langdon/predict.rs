//! The interpreter's speed on a device, at any number of threads per program and per block.
//!
//! Models: blocks of the grid, executed (`papers::launch`).
//! Leaves out: all but two of a thread's runs of its program, which are alike.
//! Units: nodes times cases per second, milliseconds.

use super::kernel::Submachine;
use super::{POPULATION, PROGRAM_BYTES, TEST_WORDS, population};
use crate::gp::program::Rpn;
use crate::papers::grid::{Grid, Launch, Sample};
use crate::papers::launch::{Cost, Executable, Executed, Extent, On, Whole};
use crate::predict::PredictError;
use crate::workload::executed::{ExecutedBlock, ExecutedCode, Offsets};
use rayon::prelude::*;

/// Warps of the grid that are executed; where all lanes run one program, so many more, as their paths are short and each holds
/// but one.
const SAMPLED_WARPS: u32 = 384;
const SAMPLED_UNIFORM_WARPS: u32 = 1536;
/// Multiprocessors of a grid of a few waves whose blocks are executed.
const SAMPLED_SMX: u32 = 4;
/// Runs of its program that a sampled thread makes at most.
const RUNS: u32 = 2;
/// Cases that one node of a warp is evaluated on.
const CASES_PER_WARP_NODE: f64 = 32.0 * 32.0;

/// One way to lay the population out over threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    pub threads_per_program: u32,
    pub threads_per_block: u32,
}

/// What a layout does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    pub layout: Layout,
    pub resident_blocks: u32,
    pub mean_nodes: f64,
    /// Warp instructions for a node of a warp: more than for one program where its lanes part.
    pub warp_instructions_per_node: f64,
    /// Of the launch.
    pub warp_instructions: f64,
    pub gpops_billion: f64,
    /// Of a generation, without transfers.
    pub kernel_milliseconds: f64,
}

/// The initial generation.
pub fn predict(on: On, layout: Layout, seed: u64) -> Result<Speed, PredictError> {
    let whole = generation(on, layout, POPULATION, seed)?;
    Ok(Speed {
        layout,
        resident_blocks: whole.resident_blocks(),
        mean_nodes: whole.mean_nodes,
        warp_instructions_per_node: whole.warp_instructions_per_node(),
        warp_instructions: whole.warp_instructions,
        gpops_billion: whole.gpops_billion,
        kernel_milliseconds: whole.milliseconds,
    })
}

/// The first `population` programs of the initial generation, which fill their blocks.
pub fn generation(
    on: On,
    layout: Layout,
    population: u32,
    seed: u64,
) -> Result<Whole, PredictError> {
    let kernel = Submachine::load(layout.threads_per_program, on.arch)?;
    let launch = Launch {
        name: "submachine",
        kernel: &kernel.kernel,
        threads_per_block: layout.threads_per_block,
        shared_bytes: Submachine::shared_bytes(layout.threads_per_block),
        blocks: population / programs_per_block(layout),
        carve_out: on.carve_out,
    };
    let generation = Generation {
        grid: Grid::place(on.device, launch)?,
        kernel: &kernel,
        on,
        layout,
        population,
        seed,
    };
    let extent = Extent {
        programs: population,
        cases: 32 * TEST_WORDS,
        repetitions: runs_of_thread(layout).into(),
        grids: 1.0,
    };
    let cost = Cost::of(&generation, on.timing)?;
    Ok(Whole::of(&generation.grid, &[&cost], extent))
}

struct Generation<'a> {
    on: On<'a>,
    kernel: &'a Submachine,
    grid: Grid,
    layout: Layout,
    population: u32,
    seed: u64,
}

impl Executable for Generation<'_> {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn sample(&self) -> Sample {
        self.grid.sample(spread_blocks(self.layout), SAMPLED_SMX)
    }

    fn executed_repetitions(&self, _: &Sample) -> [u32; 2] {
        [runs_executed(self.layout); 2]
    }

    fn execute(&self, sample: &Sample, runs: u32) -> Result<Executed, PredictError> {
        let (layout, sampled) = (self.layout, sample.blocks());
        let blocks = executed_blocks(self.kernel, layout, &sampled, self.seed)?;
        let nodes_of_all: f64 = blocks.iter().map(|(_, nodes)| nodes).sum();
        let programs = sampled.len() * programs_per_block(layout) as usize;
        let mean_nodes = nodes_of_all / programs as f64;
        let executed: Vec<ExecutedBlock> = blocks.into_iter().map(|(block, _)| block).collect();
        let code = ExecutedCode::on(self.on.device, &self.kernel.kernel, &executed);
        let code = code.map_err(PredictError::other)?;
        let cases = f64::from(32 * runs * layout.threads_per_program);
        let operations = f64::from(self.population) * mean_nodes * cases;
        Ok(Executed {
            instructions: per_node(&code) * operations / CASES_PER_WARP_NODE,
            code,
            mean_nodes,
            of_time: 1.0,
        })
    }
}

/// Programs of a full block.
pub fn programs_per_block(layout: Layout) -> u32 {
    layout.threads_per_block / layout.threads_per_program
}

fn runs_of_thread(layout: Layout) -> u32 {
    TEST_WORDS / layout.threads_per_program
}

fn runs_executed(layout: Layout) -> u32 {
    runs_of_thread(layout).min(RUNS)
}

/// Blocks that are executed of a grid of many waves.
fn spread_blocks(layout: Layout) -> u32 {
    let warps = match layout.threads_per_program {
        32.. => SAMPLED_UNIFORM_WARPS,
        _ => SAMPLED_WARPS,
    };
    32 * warps / layout.threads_per_block
}

/// Blocks executed, each with the nodes of its programs.
fn executed_blocks(
    kernel: &Submachine,
    layout: Layout,
    sampled: &[u32],
    seed: u64,
) -> Result<Vec<(ExecutedBlock, f64)>, PredictError> {
    let runs = runs_executed(layout);
    let tests = population::tests(runs * layout.threads_per_program, seed);
    let per_block = programs_per_block(layout);
    sampled
        .par_iter()
        .map(|&block| {
            let first = block * per_block;
            let program = |index| population::initial(index, seed);
            let programs: Vec<Rpn> = (first..first + per_block).map(program).collect();
            let run = kernel.execute(&programs, &tests, layout.threads_per_block)?;
            let size = |program: &Rpn| program.0.len() as f64;
            let executed = ExecutedBlock {
                nodes: nodes_of_warps(&programs, layout, runs),
                warps: run.warps,
                offsets: Offsets {
                    programs: first * PROGRAM_BYTES,
                    results: 4 * first,
                    ..Offsets::default()
                },
            };
            Ok((executed, programs.iter().map(size).sum()))
        })
        .collect()
}

/// Nodes that each warp evaluates, mean over its lanes.
fn nodes_of_warps(programs: &[Rpn], layout: Layout, runs: u32) -> Vec<u32> {
    let of_thread = |thread: u32| {
        programs[(thread / layout.threads_per_program) as usize]
            .0
            .len() as f64
    };
    let of_warp = |first: u32| {
        let lanes = first..(first + 32).min(layout.threads_per_block);
        let sum: f64 = lanes.map(of_thread).sum();
        (f64::from(runs) * sum / 32.0).round() as u32
    };
    let firsts = (0..layout.threads_per_block).step_by(32);
    firsts.map(of_warp).collect()
}

/// Warp instructions for a node of a warp, of all that was executed.
fn per_node(executed: &ExecutedCode) -> f64 {
    let programs = &executed.code.programs;
    let nodes: f64 = programs.iter().map(|warp| f64::from(warp.nodes)).sum();
    executed.code.ops.len() as f64 / nodes
}
