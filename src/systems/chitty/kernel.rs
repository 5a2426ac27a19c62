//! A kernel that runs a population: its traces, made on first use, and quantities derived from them without timing.
//!
//! Traces depend on the kernel and the programs, not on the device or its L1; only the accumulator's depend on the block size. They
//! are made once and shared. Leaves out: time. Units: warp instructions, nodes, bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::KernelSummary;
use super::divergence::added_percent;
use super::traces::{KernelTraces, TracesError, program_words, shared_bytes, trace_threads};
use crate::gp::programs::Population;
use crate::gp::stack_depth::{lgp_stack_depth, rpn_stack_depth};
use crate::launch::code::ReplayCode;
use crate::launch::geometry::Geometry;
use crate::launch::kernel::{Facts, Grid, Replay, Summary, TracedKernel};
use crate::launch::prediction::PredictError;
use crate::systems::chitty::code::KernelCode;
use crate::systems::chitty::kernel_id::Lowering;
use crate::systems::chitty::request::Cases;
use crate::trace::launch::BufferLayout;
use crate::trace::mix::instruction_mix;
use crate::trace::{ProgramTrace, SegmentId, SegmentPool};
use crate::util::memo::Memo;

/// A kernel with the traces and summary of its population.
#[derive(Debug)]
pub struct KernelWork {
    pub kernel: KernelCode,
    /// Shared memory per block of every launch.
    pub shared_bytes: Vec<u32>,
    population: Arc<Population>,
    elements: u32,
    /// Bytes of a program's row in memory.
    program_bytes: u32,
    n_inputs: u32,
    facts: Facts,
    summary: Summary,
    /// Warp instructions of each program's steady iteration, relative to the mean for its nodes.
    weights: Vec<f64>,
    /// Traces by the number of blocks and the threads per block.
    samples: Memo<(usize, u32), Replay>,
}

impl KernelWork {
    /// Makes the kernel with the summary of its programs; `unweighted` are the population's [`unweighted_grids`].
    pub fn new(
        code: &KernelCode,
        population: Arc<Population>,
        cases: &Cases,
        unweighted: &Arc<Vec<Grid>>,
    ) -> Result<Self, TracesError> {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let (programs, sample) = (&population.programs, &population.sample);
        let summary = KernelSummary::new(code, programs, sample, cases.elements)?;
        let traces = &summary.traces;
        let length = |program: &ProgramTrace| length(&traces.pool, &program.steady);
        let lengths: Vec<f64> = traces.programs[..programs.len()]
            .iter()
            .map(length)
            .collect();
        let of_sample = |of: &dyn Fn(usize) -> f64| -> f64 {
            sample.iter().map(|&program| of(program as usize)).sum()
        };
        let nodes = of_sample(&|program| programs[program].0.len() as f64);
        let instructions_per_node = of_sample(&|program| lengths[program]) / nodes;
        let weight = |(program, length): (usize, &f64)| {
            length / (programs[program].0.len() as f64 * instructions_per_node)
        };
        let weights: Vec<f64> = lengths.iter().enumerate().map(weight).collect();
        let prologue = |&(at, times): &(u32, f64)| {
            times * self::length(&traces.pool, &traces.programs[at as usize].prologue)
        };
        let facts = Facts {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            mix: instruction_mix(&traces.timing, &traces.pool, &traces.programs, sample),
            assumed_branches_per_node: assumed_branches_per_node(&traces.programs),
            mean_stack_levels: mean_stack_levels(code.kernel.lowering(), &population),
            instructions_per_node,
            prologue_instructions: summary.prologues.iter().map(prologue).sum(),
            divergence_overhead_percent: population.slow_operands
                * added_percent(code, &population, cases, &lengths)?,
            grids: match &population.blocks {
                Some(blocks) => Arc::new(weighted(unweighted, blocks, &weights)),
                None => Arc::clone(unweighted),
            },
        };
        let words = program_words(code, programs)?;
        let row_words = words.iter().map(|program| program.words.len()).max();
        Ok(KernelWork {
            program_bytes: 4 * row_words.unwrap_or(0) as u32,
            n_inputs: code.problem.definition().n_inputs as u32,
            kernel: code.clone(),
            shared_bytes: match &population.longest {
                Some(longest) => shared_bytes(code, programs, longest)?,
                None => vec![traces.shared_bytes_per_block],
            },
            facts,
            weights,
            elements: cases.elements,
            samples: Memo::default(),
            summary: Summary {
                code: ReplayCode::new(&traces.timing, &traces.pool, &traces.programs),
                code_bytes: traces.code_bytes,
                prologues: summary.prologues,
                empty_block: summary.empty_block,
                sample: sample.clone(),
                rows_per_program: summary.rows_per_program,
                rows: summary.rows,
                stack_dim: code.stack_dim,
            },
            population,
        })
    }

    /// Returns the median over launches of shared memory per block, in bytes.
    pub fn median_shared_bytes(&self) -> u32 {
        let mut bytes = self.shared_bytes.clone();
        bytes.sort_unstable();
        bytes.get(bytes.len() / 2).copied().unwrap_or(0)
    }

    /// Program of every block of the launch, if they are known, or of the sample.
    fn blocks(&self) -> &[u32] {
        let known = self.population.blocks.as_ref();
        known.unwrap_or(&self.population.sample)
    }

    /// Returns a replay with the buffers of a launch of all blocks.
    fn laid_out(&self, replay: Replay, geometry: &Geometry) -> Replay {
        let layout = BufferLayout {
            row_bytes: 4 * geometry.fitness_cases,
            program_bytes: u64::from(self.program_bytes) * self.blocks().len() as u64,
            n_inputs: self.n_inputs,
        };
        Replay {
            code: replay.code.laid_out(&layout, self.elements),
            ..replay
        }
    }

    /// Traces the distinct programs of `blocks`, indices into the population's programs.
    fn replay(&self, blocks: &[u32], threads: u32) -> Result<Replay, PredictError> {
        let mut distinct = blocks.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let programs: Vec<_> = distinct
            .iter()
            .map(|&program| self.population.programs[program as usize].clone())
            .collect();
        let (code, cases) = (&self.kernel, self.elements);
        let traces =
            KernelTraces::new(code, &programs, threads, cases).map_err(PredictError::other)?;
        let place = |program: &u32| distinct.binary_search(program).unwrap_or(0) as u32;
        let work = |&program: &u32| {
            let program = program as usize;
            self.weights[program] * self.population.programs[program].0.len() as f64
        };
        Ok(Replay {
            code: ReplayCode::new(&traces.timing, &traces.pool, &traces.programs)
                .of_any_block(threads, cases),
            code_bytes: traces.code_bytes,
            order: blocks.iter().map(place).collect(),
            work: blocks.iter().map(work).collect(),
            programs: blocks.to_vec(),
        })
    }
}

impl TracedKernel for KernelWork {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn summary(&self) -> &Summary {
        &self.summary
    }

    fn sample(&self, n_programs: usize, geometry: &Geometry) -> Result<Replay, PredictError> {
        let threads = trace_threads(&self.kernel, geometry.threads_per_block);
        let traced = self.samples.try_get((n_programs, threads), || {
            let sample = &self.population.sample;
            let mut head = sample[..n_programs.min(sample.len())].to_vec();
            // In order of stack depth and size.
            head.sort_unstable();
            self.replay(&head, threads)
        })?;
        Ok(self.laid_out((*traced).clone(), geometry))
    }

    fn every_block(
        &self,
        first: usize,
        step: usize,
        geometry: &Geometry,
    ) -> Result<Replay, PredictError> {
        let blocks = self.blocks().iter().skip(first).step_by(step.max(1));
        let blocks: Vec<u32> = blocks.copied().collect();
        let threads = trace_threads(&self.kernel, geometry.threads_per_block);
        Ok(self.laid_out(self.replay(&blocks, threads)?, geometry))
    }

    fn n_blocks(&self) -> usize {
        self.blocks().len()
    }
}

fn length(pool: &SegmentPool, ids: &[SegmentId]) -> f64 {
    ids.iter().map(|id| f64::from(pool.length(*id))).sum()
}

/// Returns the launches of a population as if programs differed in nodes only, which is the same for all kernels.
pub fn unweighted_grids(population: &Population) -> Vec<Grid> {
    let grid = |sizes: &Vec<u32>| {
        let work = sizes.iter().map(|&nodes| f64::from(nodes)).collect();
        Grid::new(work, sizes.iter().map(|&nodes| u64::from(nodes)).sum())
    };
    population.grids.iter().map(grid).collect()
}

/// Weights the work of each block by its program, for launches whose programs are known.
fn weighted(unweighted: &[Grid], programs: &[u32], weights: &[f64]) -> Vec<Grid> {
    let weight = |(work, &program): (&f64, &u32)| work * weights[program as usize];
    let shared = Arc::new(programs.to_vec());
    let grid = |grid: &Grid| {
        let work = grid.work.iter().zip(programs).map(weight);
        let mut grid = Grid::new(work.collect(), grid.nodes);
        grid.programs = Some(Arc::clone(&shared));
        grid
    };
    unweighted.iter().map(grid).collect()
}

/// Returns the mean over the blocks of the stack levels that a block's program needs.
fn mean_stack_levels(lowering: Lowering, population: &Population) -> f64 {
    let depth_of = match lowering {
        Lowering::Postfix => rpn_stack_depth,
        Lowering::Linear | Lowering::Accumulator => lgp_stack_depth,
    };
    let depths: Vec<usize> = population.programs.iter().map(depth_of).collect();
    let sample = &population.sample;
    let levels: usize = sample.iter().map(|&program| depths[program as usize]).sum();
    levels as f64 / sample.len() as f64
}

/// Returns data-dependent branches per node and iteration of a warp, mean over the programs.
fn assumed_branches_per_node(programs: &[ProgramTrace]) -> f64 {
    let sum = |figure: fn(&ProgramTrace) -> u32| programs.iter().map(figure).sum::<u32>();
    let assumptions = f64::from(sum(|program| program.assumptions));
    let iterations = ProgramTrace::COUNTED_ITERATIONS;
    assumptions / f64::from(iterations * sum(|program| program.nodes).max(1))
}
