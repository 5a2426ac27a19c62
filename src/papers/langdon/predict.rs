//! The interpreter's speed on a device, at any number of threads per program and per block.
//!
//! Models: a sample of the grid's blocks, executed and replayed on one multiprocessor that is kept full; where the grid is
//! a few waves of blocks, all blocks of some multiprocessors, each from its first block to the end of its last.
//! Leaves out: all but two of a thread's runs of its program, which are alike; that the multiprocessors do not end together.
//! Units: nodes times cases per second, milliseconds.

use super::kernel::Submachine;
use super::{POPULATION, PROGRAM_BYTES, TEST_WORDS, population};
use crate::device::Device;
use crate::device::occupancy::BlockResources;
use crate::gp::program::Rpn;
use crate::gpu::variant::Arch;
use crate::launch::CarveOut;
use crate::launch::geometry::{Geometry, local_stride_bytes};
use crate::launch::residency::reside;
use crate::launch::spec::SmxSpec;
use crate::predict::PredictError;
use crate::sim::blocks::run_queue;
use crate::sim::dispatch::BlockQueue;
use crate::sim::sample::{Drawn, per_token_of};
use crate::sim::simulator::SamplingPlan;
use crate::sim::smx::Setup;
use crate::sim::window::{self, Window, WindowPlan};
use crate::workload::executed::{ExecutedBlock, ExecutedCode};
use rayon::prelude::*;

/// Warps of the grid that are executed; where all lanes run one program, so many more, as their paths are short and each holds
/// but one.
const SAMPLED_WARPS: u32 = 384;
const SAMPLED_UNIFORM_WARPS: u32 = 1536;
/// How often the blocks of a full multiprocessor are replaced while it is measured, at least: all of them start together, and the
/// short ones would be measured too often.
const ROUNDS: u64 = 6;
/// Grids of fewer waves of blocks are run to their end.
const FEW_WAVES: f64 = 8.0;
/// On so many multiprocessors.
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
    pub gpops_billion: f64,
    /// Of a generation, without transfers.
    pub kernel_milliseconds: f64,
}

/// The initial generation on `device`, which runs machine code of `arch`.
pub fn predict(
    device: &Device,
    arch: Arch,
    layout: Layout,
    seed: u64,
) -> Result<Speed, PredictError> {
    let kernel = Submachine::load(layout.threads_per_program, arch)?;
    let block = BlockResources {
        threads_per_block: layout.threads_per_block,
        registers_per_thread: kernel.kernel.registers,
        shared_bytes_per_block: Submachine::shared_bytes(layout.threads_per_block),
    };
    let (occupancy, l1_bytes) = reside(device, "submachine", CarveOut::Default, block)?;
    let spec = SmxSpec::new(device, l1_bytes).map_err(PredictError::other)?;
    let n_smx = device.chip.n_smx;
    let waves = f64::from(grid_blocks(layout)) / f64::from(n_smx * occupancy.blocks);
    let sample = match waves < FEW_WAVES {
        true => Sample::whole(layout, n_smx),
        false => Sample::spread(layout),
    };
    let blocks = executed_blocks(&kernel, layout, &sample, seed)?;
    let nodes_of_all: f64 = blocks.iter().map(|(_, nodes)| nodes).sum();
    let programs: usize = blocks.len() * programs_per_block(layout) as usize;
    let mean_nodes = nodes_of_all / programs as f64;
    let code = {
        let executed: Vec<ExecutedBlock> = blocks.into_iter().map(|(block, _)| block).collect();
        ExecutedCode::new(&kernel.kernel, &executed)
    };
    let geometry = Geometry {
        threads_per_block: layout.threads_per_block,
        stack_dim: 1,
        // A warp's whole path counts as one iteration.
        fitness_cases: layout.threads_per_block,
        programs: grid_blocks(layout),
        case_blocks: 1,
        resident_blocks: occupancy.blocks,
        n_smx,
        local_stride_bytes: local_stride_bytes(kernel.kernel.frame_bytes),
    };
    let tokens_per_cycle = match sample.per_smx {
        Some(per_smx) => run_to_the_end(&spec, &code, geometry, per_smx)?,
        None => replay(&spec, &code, geometry)?.tokens_per_cycle,
    };
    let per_second = tokens_per_cycle * device.chip.clock_mhz * 1e6 * f64::from(n_smx);
    let gpops = per_second * CASES_PER_WARP_NODE;
    let operations = f64::from(POPULATION) * mean_nodes * f64::from(32 * TEST_WORDS);
    Ok(Speed {
        layout,
        resident_blocks: occupancy.blocks,
        mean_nodes,
        warp_instructions_per_node: per_node(&code),
        gpops_billion: gpops / 1e9,
        kernel_milliseconds: 1e3 * operations / gpops,
    })
}

fn programs_per_block(layout: Layout) -> u32 {
    layout.threads_per_block / layout.threads_per_program
}

fn grid_blocks(layout: Layout) -> u32 {
    POPULATION / programs_per_block(layout)
}

/// Blocks of the grid, by their numbers.
struct Sample {
    blocks: Vec<u32>,
    /// If they are all blocks of some multiprocessors, one multiprocessor's after the other's: how many each has.
    per_smx: Option<usize>,
}

impl Sample {
    /// Spread evenly over the grid.
    fn spread(layout: Layout) -> Self {
        let warps = match layout.threads_per_program {
            32.. => SAMPLED_UNIFORM_WARPS,
            _ => SAMPLED_WARPS,
        };
        let n_blocks = 32 * warps / layout.threads_per_block;
        let grid = u64::from(grid_blocks(layout));
        let place = |sampled| (u64::from(sampled) * grid / u64::from(n_blocks)) as u32;
        Sample {
            blocks: (0..n_blocks).map(place).collect(),
            per_smx: None,
        }
    }

    /// Every `n_smx`-th block, from the first block of some multiprocessors on.
    fn whole(layout: Layout, n_smx: u32) -> Self {
        let per_smx = grid_blocks(layout).div_ceil(n_smx);
        let of_smx = |sampled: u32| {
            let first = sampled * n_smx / SAMPLED_SMX;
            (0..per_smx).map(move |nth| (first + nth * n_smx) % grid_blocks(layout))
        };
        Sample {
            blocks: (0..SAMPLED_SMX).flat_map(of_smx).collect(),
            per_smx: Some(per_smx as usize),
        }
    }
}

/// Blocks executed, each with the nodes of its programs.
fn executed_blocks(
    kernel: &Submachine,
    layout: Layout,
    sample: &Sample,
    seed: u64,
) -> Result<Vec<(ExecutedBlock, f64)>, PredictError> {
    let runs = (TEST_WORDS / layout.threads_per_program).min(RUNS);
    let tests = population::tests(runs * layout.threads_per_program, seed);
    let per_block = programs_per_block(layout);
    sample
        .blocks
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
                programs_offset: first * PROGRAM_BYTES,
                results_offset: 4 * first,
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

/// Nodes of a warp per cycle of multiprocessors that run their blocks once.
fn run_to_the_end(
    spec: &SmxSpec,
    executed: &ExecutedCode,
    geometry: Geometry,
    per_smx: usize,
) -> Result<f64, PredictError> {
    let seed = SamplingPlan::default().window.seed;
    let counters = executed.order.par_chunks(per_smx).map(|order| {
        let setup = Setup {
            spec,
            code: &executed.code,
            code_bytes: executed.code_bytes,
            geometry,
            queue: BlockQueue::once(order.to_vec(), &geometry, u32::MAX, 1),
            seed,
        };
        let run = run_queue(setup, u64::MAX, ()).map_err(PredictError::other)?;
        Ok((run.counters.tokens(), run.counters.cycles as f64))
    });
    let all = counters.collect::<Result<Vec<(f64, f64)>, PredictError>>()?;
    let sum = |of: fn(&(f64, f64)) -> f64| all.iter().map(of).sum::<f64>();
    Ok(sum(|smx| smx.0) / sum(|smx| smx.1))
}

fn replay(
    spec: &SmxSpec,
    executed: &ExecutedCode,
    geometry: Geometry,
) -> Result<Window, PredictError> {
    let code = &executed.code;
    let warps: Vec<u32> = (0..code.programs.len() as u32).collect();
    let drawn = Drawn {
        order: &executed.order,
        whole: Some(per_token_of(code, &warps)),
        programs_per_warp: 1,
    };
    let plan = SamplingPlan::default().window;
    let resident = u64::from(geometry.resident_blocks * geometry.warps_per_block());
    let round = resident * code.ops.len() as u64 / warps.len().max(1) as u64;
    let (least, most) = plan.instructions;
    let plan = WindowPlan {
        instructions: (least.max(ROUNDS * round), most.max(ROUNDS * round)),
        ..plan
    };
    window::simulate(spec, code, executed.code_bytes, geometry, drawn, plan)
        .map_err(PredictError::other)
}
