//! Execution of a whole block, with separate fitness cases in every lane.
//!
//! Models: the warps of one block with their barriers.
//! Leaves out: time and the order of warps between barriers.
//! Units: bytes, words.

use super::error::TraceError;
use super::launch::{ConstantMemory, KernelLaunch};
use super::memory::BlockMemory;
use super::program::ProgramWords;
use super::warp::{BlockPlace, LaneAddresses, PathStep, Stop, Warp, WarpCounts};
use crate::isa::Kernel;

/// Instructions of one warp after which it counts as endless.
const WARP_LIMIT: u64 = 1_000_000_000;

/// Fitness cases as a kernel reads them.
#[derive(Debug, Clone, Copy)]
pub struct CaseWords<'a> {
    /// Input words, a row of `cases` words per variable.
    pub inputs: &'a [u32],
    /// Expected outputs.
    pub outputs: &'a [u32],
    /// The kernel's number of fitness cases, which is the length of a row.
    pub cases: u32,
}

/// Results of executing a block.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockRun {
    /// Sum of errors stored by each thread.
    pub results: Vec<f32>,
    /// Sum over warps.
    pub counts: WarpCounts,
    /// Instructions of the first warp.
    pub path: Vec<PathStep>,
    /// Whether a lane executed each instruction.
    pub reached: Vec<bool>,
}

impl BlockRun {
    /// Error of the program: the sum over threads.
    pub fn total(&self) -> f64 {
        self.results.iter().map(|&result| f64::from(result)).sum()
    }
}

/// Executed instructions of one warp, and its lanes' memory accesses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarpPath {
    pub steps: Vec<PathStep>,
    pub accesses: Vec<LaneAddresses>,
}

/// Executes a block of threads on the given memory, each with any program, and returns the path of every warp, divergent where
/// its lanes diverge.
pub fn execute_block(
    kernel: &Kernel,
    constants: &ConstantMemory,
    place: BlockPlace,
    memory: &mut BlockMemory,
) -> Result<Vec<WarpPath>, TraceError> {
    let mut warps = warps(kernel, constants, place);
    for warp in &mut warps {
        (warp.path, warp.accesses) = (Some(Vec::new()), Some(Vec::new()));
    }
    run_warps(&mut warps, memory, WARP_LIMIT)?;
    let path = |warp: Warp| WarpPath {
        steps: warp.path.unwrap_or_default(),
        accesses: warp.accesses.unwrap_or_default(),
    };
    Ok(warps.into_iter().map(path).collect())
}

fn warps<'a>(
    kernel: &'a Kernel,
    constants: &'a ConstantMemory,
    place: BlockPlace,
) -> Vec<Warp<'a>> {
    let firsts = (0..place.n_threads()).step_by(32);
    firsts
        .map(|first| Warp::new(kernel, constants, place, first))
        .collect()
}

/// Runs all warps to their ends, from barrier to barrier, each for at most `limit` instructions.
fn run_warps(warps: &mut [Warp], memory: &mut BlockMemory, limit: u64) -> Result<(), TraceError> {
    let mut running: Vec<&mut Warp> = warps.iter_mut().collect();
    while !running.is_empty() {
        let mut waiting = Vec::new();
        for warp in running {
            if warp.run(memory, limit)? == Stop::Barrier {
                waiting.push(warp);
            }
        }
        running = waiting;
    }
    Ok(())
}

/// Executes one program on a kernel, on all lanes of a block.
pub fn run_block(
    kernel: &Kernel,
    launch: &KernelLaunch,
    program: &ProgramWords,
    cases: &CaseWords,
) -> Result<BlockRun, TraceError> {
    run_block_within(kernel, launch, program, cases, WARP_LIMIT)
}

/// Executes a block like [`run_block`]; a warp that executes more than `limit` instructions counts as endless.
pub fn run_block_within(
    kernel: &Kernel,
    launch: &KernelLaunch,
    program: &ProgramWords,
    cases: &CaseWords,
    limit: u64,
) -> Result<BlockRun, TraceError> {
    let constants = launch.constants(kernel, cases.cases);
    let threads = launch.threads_per_block;
    // Row of the program, which kernels may copy whole.
    let mut row = program.words().to_vec();
    row.resize(row.len().max(launch.max_program_words as usize), 0);
    let mut memory = BlockMemory::new(row, cases.inputs.to_vec(), cases.outputs.to_vec(), threads);
    let mut warps = warps(kernel, &constants, BlockPlace::row(threads));
    if let Some(first) = warps.first_mut() {
        first.path = Some(Vec::new());
    }
    run_warps(&mut warps, &mut memory, limit)?;
    let mut counts = WarpCounts::default();
    let mut reached = vec![false; kernel.instructions.len()];
    for warp in &warps {
        counts.instructions += warp.counts.instructions;
        counts.divergences += warp.counts.divergences;
        for (all, warps) in reached.iter_mut().zip(&warp.reached) {
            *all |= warps;
        }
    }
    Ok(BlockRun {
        results: memory
            .results
            .iter()
            .map(|&bits| f32::from_bits(bits))
            .collect(),
        counts,
        reached,
        path: warps
            .first_mut()
            .and_then(|warp| warp.path.take())
            .unwrap_or_default(),
    })
}
