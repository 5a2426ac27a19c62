//! Launches that are represented by some of their blocks, each executed on its own programs and fitness cases.
//!
//! Models: one way to launch every kernel of [`super::robilliard`], [`super::langdon`] and [`super::gpocl`]: four buffers
//! (programs, inputs, expected outputs, results), then numbers. An executed block holds its part of each buffer.
//! Leaves out: time (`sim::divergent`). Units: bytes, words.

use super::chitty::embedded;
use super::machine::Machine;
use crate::isa::Kernel;
use crate::launch::divergent::{Executed, Sampled};
use crate::launch::executed::{ExecutedBlock, ExecutedCode, Offsets};
use crate::launch::grid::Sample;
use crate::launch::prediction::PredictError;
use crate::trace::execute_block;
use crate::trace::launch::{Argument, Buffer, KernelLaunch};
use crate::trace::memory::BlockMemory;
use crate::trace::warp::BlockPlace;
use crate::util::parallel;

/// Buffers of every kernel, in the order of its arguments.
const BUFFERS: [Buffer; 4] = [
    Buffer::Programs,
    Buffer::Inputs,
    Buffer::Outputs,
    Buffer::Results,
];
/// Bank of `__constant__` variables.
const CONSTANT_BANK: usize = 3;

/// Loads a kernel's machine code. `stem` is the name of its listing under `fixtures/sass/`, without the ending.
pub fn load(stem: &str) -> Result<Kernel, PredictError> {
    embedded::kernel(&format!("{stem}.sass")).map_err(PredictError::other)
}

/// One block of a launch.
#[derive(Debug, Clone)]
pub struct BlockLaunch<'a> {
    pub kernel: &'a Kernel,
    pub threads: u32,
    /// Arguments after the buffers.
    pub numbers: Vec<u32>,
    /// The block's parts of the buffers.
    pub memory: BlockMemory,
    /// Places of these parts in the buffers of the launch.
    pub offsets: Offsets,
    /// Contents of `__constant__` variables, from a byte offset.
    pub constants: (u32, Vec<u32>),
    /// Nodes that each warp evaluates, mean over its lanes.
    pub nodes: Vec<u32>,
}

impl<'a> BlockLaunch<'a> {
    /// Returns the first block of a launch without `__constant__` variables of its own, counted as one node per warp.
    pub fn first(
        kernel: &'a Kernel,
        threads: u32,
        numbers: Vec<u32>,
        memory: BlockMemory,
    ) -> BlockLaunch<'a> {
        BlockLaunch {
            kernel,
            threads,
            numbers,
            memory,
            offsets: Offsets::default(),
            constants: (0, Vec::new()),
            nodes: vec![1; threads.div_ceil(32) as usize],
        }
    }

    /// Executes the block.
    pub fn execute(mut self) -> Result<ExecutedBlock, PredictError> {
        let buffers = BUFFERS.into_iter().map(Argument::Buffer);
        let numbers = self.numbers.into_iter().map(Argument::Value);
        let launch = KernelLaunch {
            arguments: buffers.chain(numbers).collect(),
            ..KernelLaunch::block_gp(self.threads, 1, 0)
        };
        let mut constants = launch.constants(self.kernel, 0);
        let (offset_bytes, words) = self.constants;
        for (offset_bytes, word) in (offset_bytes..).step_by(4).zip(words) {
            constants.write(CONSTANT_BANK, offset_bytes, word);
        }
        let place = BlockPlace::row(self.threads);
        let warps = execute_block(self.kernel, &constants, place, &mut self.memory);
        Ok(ExecutedBlock {
            warps: warps.map_err(PredictError::other)?,
            nodes: self.nodes,
            offsets: self.offsets,
            results: self.memory.results,
        })
    }
}

/// Returns the nodes that each warp of a block evaluates, mean over its lanes. `of_thread`: the nodes of a thread's program,
/// `None` without a program. Every thread runs its program `runs` times.
pub fn nodes_of_warps(threads: u32, runs: u32, of_thread: impl Fn(u32) -> Option<u32>) -> Vec<u32> {
    let of_warp = |first: u32| {
        let lanes = first..(first + 32).min(threads);
        let nodes: Vec<f64> = lanes.filter_map(&of_thread).map(f64::from).collect();
        let mean = nodes.iter().sum::<f64>() / nodes.len().max(1) as f64;
        (f64::from(runs) * mean).round().max(1.0) as u32
    };
    (0..threads).step_by(32).map(of_warp).collect()
}

impl Machine<'_> {
    /// Executes the sample of a part of a launch at both numbers of repetitions. `block` returns a block of the launch, the nth of
    /// a sample, whose repeated part runs a number of times; `whole` what the executed blocks of a sample stand for.
    pub fn sampled<'k>(
        &self,
        part: [u32; 2],
        kernel: &'k Kernel,
        (sample, repetitions): (Sample, [u32; 2]),
        block: impl Fn(usize, u32, u32) -> Result<BlockLaunch<'k>, PredictError> + Sync,
        whole: impl Fn(&Sample, u32, ExecutedCode) -> Result<Executed, PredictError>,
    ) -> Result<Sampled, PredictError> {
        Sampled::of(sample, repetitions, |sample, repetitions| {
            self.kept_execution(part, sample, repetitions, || {
                let numbers = sample.blocks();
                let blocks = parallel::try_indices(numbers.len(), |nth| {
                    block(nth, numbers[nth], repetitions)?.execute()
                })?;
                let code = ExecutedCode::on(self.device, kernel, &blocks);
                whole(sample, repetitions, code.map_err(PredictError::other)?)
            })
        })
    }
}
