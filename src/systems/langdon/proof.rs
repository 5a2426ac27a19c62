//! One program in constant memory: the paper's proof of a solution on all cases, and its interpreter's fastest case.
//!
//! Models: a program of the solution's size, run by every thread of one of the paper's grids on its own cases. Leaves out: that
//! all 2^20 cases of the 20-multiplexer fill only an eighth of such a grid; the generation of cases; the launch.
//! Units: cases times nodes per second. Sources: Langdon 2010, sections 2, 6 and 8.

use super::evolved::sized;
use super::experiment::Experiment;
use super::kernel;
use super::population;
use super::predict::{LangdonLayout, per_node};
use crate::launch::executed::ExecutedCode;
use crate::launch::placement::{DivergentGrid, Placement};
use crate::launch::prediction::PredictError;
use crate::systems::blocks::{BlockLaunch, nodes_of_warps};
use crate::systems::machine::Machine;

/// Layout, the same as for whole generations.
const LAYOUT: LangdonLayout = LangdonLayout {
    threads_per_program: 64,
    threads_per_block: 64,
};
/// Blocks of a grid with the paper's quarter of a million threads.
const BLOCKS: u32 = 262_144 / LAYOUT.threads_per_block;

/// Speed of a program of the solution's size, on one chip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proof {
    pub gpops_billion: f64,
    pub warp_instructions_per_node: f64,
}

pub fn predict(on: Machine, experiment: &Experiment, seed: u64) -> Result<Proof, PredictError> {
    let kernel = kernel::load_constant(on.arch)?;
    let threads = LAYOUT.threads_per_block;
    let grid = DivergentGrid {
        name: "submachine",
        kernel: &kernel,
        threads_per_block: threads,
        shared_bytes: kernel::shared_bytes(threads),
        blocks: BLOCKS,
        data_bytes: u64::from(experiment.program_bytes),
        carve_out: on.carve_out,
    };
    let placement = Placement::of_divergent(on.device, grid)?;
    let program = sized(experiment, experiment.solution_nodes, seed);
    let nodes = program.0.len() as u32;
    let tests = population::tests(*experiment, threads, seed);
    let block = BlockLaunch {
        nodes: nodes_of_warps(threads, 1, |_| Some(nodes)),
        ..kernel::constant_block(&kernel, &program, &tests, threads)?
    };
    // All blocks are identical: a spread sample of them would run in lockstep, and its cut would matter.
    let sample = placement.sample_whole(1);
    let mut code =
        ExecutedCode::on(on.device, &kernel, &[block.execute()?]).map_err(PredictError::other)?;
    code.order = vec![code.order[0]; sample.blocks().len()];
    let timed = placement.replayed(&sample, &code)?;
    let milliseconds = placement.milliseconds(timed.cycles);
    // Every thread runs the program on one word of cases.
    let operations = f64::from(BLOCKS * threads) * 32.0 * f64::from(nodes);
    Ok(Proof {
        gpops_billion: operations / milliseconds / 1e6,
        warp_instructions_per_node: per_node(&code),
    })
}
