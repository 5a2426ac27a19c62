//! Time of a generation's kernel on a device, in any layout.
//!
//! Models: blocks of the grid, executed (`systems::blocks`), with the coalescing rules of the device's preset. If the threads
//! of a block run a program more than a few times, the time is extrapolated linearly from two smaller numbers of runs.
//! Leaves out: launch and transfers (`host`); variety in populations larger than the evolved ones, whose programs are repeated.
//! Units: nodes times cases per second, milliseconds.

use super::kernel::{self, Scheme};
use super::problem::{Benchmark, CaseTable};
use super::program::translate;
use crate::gp::program::Rpn;
use crate::isa::Kernel;
use crate::launch::block_work::BlockWork;
use crate::launch::divergent::{DivergentWork, Executed, Extent, Sampled};
use crate::launch::executed::{ExecutedCode, Offsets};
use crate::launch::grid::Sample;
use crate::launch::placement::{DivergentGrid, Placement};
use crate::launch::prediction::PredictError;
use crate::systems::blocks::{BlockLaunch, nodes_of_warps};
use crate::systems::machine::Machine;
use crate::util::parallel;
use std::fmt;
use std::sync::Arc;

/// Number of warps executed from a grid of many waves; fewer with one program per thread, as their paths are long.
const SAMPLED_WARPS: u32 = 512;
const SAMPLED_DIVERGENT_WARPS: u32 = 48;
/// Number of multiprocessors whose blocks are all executed, for a grid of few waves.
const SAMPLED_SMX: u32 = 4;
/// Largest number of runs of its program by a thread for which all are executed.
const WHOLE_RUNS: u32 = 8;
/// Largest number of executed runs, summed over all warps.
const WARP_RUNS: u32 = 1024;
const MOST_RUNS: u32 = 6;
/// Number of cases on which a warp's work on a program is counted.
const PILOT_CASES: usize = 64;
/// Number of runs for counting if every lane has its own program.
const DIVERGENT_PILOT_RUNS: u32 = 16;
/// Number of runs on which the mean work of a sampled block's run is counted.
const COUNTED_RUNS: u32 = 6;
const DIVERGENT_COUNTED_RUNS: u32 = 16;
const WARP: usize = 32;

/// Layout of a benchmark's programs over threads, and their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RobilliardLayout {
    pub scheme: Scheme,
    pub benchmark: Benchmark,
    pub threads_per_block: u32,
    pub population: u32,
}

impl fmt::Display for RobilliardLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RobilliardLayout {
            scheme,
            benchmark,
            threads_per_block,
            population,
        } = self;
        let scheme = scheme.name();
        write!(
            f,
            "{scheme}, {benchmark}, population {population}, {threads_per_block} threads per block"
        )
    }
}

/// Predicted speed of a layout, mean over generations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RobilliardSpeed {
    pub layout: RobilliardLayout,
    pub kernel_milliseconds: f64,
    pub gpops_billion: f64,
    /// Warp instructions of the whole launch.
    pub warp_instructions: f64,
}

/// Predicts the speed of a layout. `generations` are the programs of some generations of a run; each launch repeats one
/// generation's until the population is full.
pub fn predict(
    machine: Machine,
    layout: RobilliardLayout,
    generations: &[&[Rpn]],
) -> Result<RobilliardSpeed, PredictError> {
    let (placement, work) = mean_generation(machine, layout, generations)?;
    let timing = work.timing(&placement)?;
    Ok(RobilliardSpeed {
        layout,
        kernel_milliseconds: timing.milliseconds,
        gpops_billion: timing.gpops_billion,
        warp_instructions: work.warp_instructions(placement.ideals),
    })
}

/// Makes the mean launch over the generations.
pub fn mean_generation(
    machine: Machine,
    layout: RobilliardLayout,
    generations: &[&[Rpn]],
) -> Result<(Placement, DivergentWork), PredictError> {
    let function_set = layout.benchmark.function_set();
    let kernel = kernel::load(layout.scheme, function_set, machine.arch)?;
    let generations = generations
        .iter()
        .map(|programs| StoredPrograms::new(programs, layout));
    let generations = generations.collect::<Result<Vec<_>, _>>()?;
    let words = generations.iter().map(StoredPrograms::longest).max();
    let cases = layout.benchmark.case_words();
    let program_words = generations.iter().map(|one| one.start(layout.population));
    let data_bytes = 4
        * (u64::from(program_words.max().unwrap_or(0))
            + (cases.inputs.len() + cases.expected.len()) as u64);
    let grid = DivergentGrid {
        name: layout.scheme.name(),
        kernel: &kernel,
        threads_per_block: layout.threads_per_block,
        shared_bytes: (layout.scheme).shared_bytes(layout.threads_per_block, words.unwrap_or(0)),
        blocks: layout.blocks(),
        data_bytes,
        carve_out: machine.carve_out,
    };
    let placement = Placement::of_divergent(machine.device, grid)?;
    let mixed = match placement.has_many_waves(false) {
        // One sample of all generations.
        true => generations.len().max(1),
        false => 1,
    };
    let parts = generations.chunks(mixed).zip((0..).step_by(mixed));
    let sampled = parts.map(|(generations, first)| {
        let runs = Runs {
            kernel: &kernel,
            layout,
            cases: &cases,
            generations,
            works: Vec::new(),
        };
        runs.sampled(machine, &placement, first)
    });
    let n_cases = cases.len() as u32;
    let work = DivergentWork {
        sampled: sampled.collect::<Result<_, _>>()?,
        extent: Extent {
            programs: layout.population,
            cases: n_cases,
            repetitions: layout.runs(n_cases).into(),
            grids: 1.0,
        },
    };
    Ok((placement, work))
}

impl RobilliardLayout {
    fn programs_per_block(self) -> u32 {
        self.scheme.programs_per_block(self.threads_per_block)
    }

    pub fn blocks(self) -> u32 {
        self.population.div_ceil(self.programs_per_block())
    }

    fn spread_blocks(self) -> u32 {
        let warps = match self.scheme {
            Scheme::ThreadGp => SAMPLED_DIVERGENT_WARPS,
            Scheme::BlockGp | Scheme::BlockGpShared => SAMPLED_WARPS,
        };
        (warps * 32 / self.threads_per_block).max(16)
    }

    /// Returns the number of times a thread runs its program.
    fn runs(self, cases: u32) -> u32 {
        match self.scheme {
            Scheme::ThreadGp => cases,
            Scheme::BlockGp | Scheme::BlockGpShared => cases.div_ceil(self.threads_per_block),
        }
    }

    /// Returns the cases of `runs` runs; warps see neighbouring cases, as in the whole set.
    fn cases_of(self, runs: u32, all: &CaseTable) -> CaseTable {
        match self.scheme {
            _ if runs == self.runs(all.len() as u32) => all.clone(),
            Scheme::ThreadGp => all.sampled(runs as usize, 1),
            Scheme::BlockGp | Scheme::BlockGpShared => {
                all.sampled((runs * self.threads_per_block) as usize, 32)
            }
        }
    }
}

/// Programs of one generation as stored in memory.
struct StoredPrograms {
    codes: Vec<Vec<u32>>,
    nodes: Vec<u32>,
    mean_nodes: f64,
    /// Words before each program of the first repetition.
    starts: Vec<u32>,
}

impl StoredPrograms {
    fn new(programs: &[Rpn], layout: RobilliardLayout) -> Result<Self, PredictError> {
        let function_set = layout.benchmark.function_set();
        let codes = programs
            .iter()
            .map(|program| translate(program, function_set));
        let codes = codes.collect::<Result<Vec<_>, _>>()?;
        let nodes: Vec<u32> = programs.iter().map(|one| one.n_nodes() as u32).collect();
        let mut starts = vec![0];
        for code in &codes {
            starts.push(starts[starts.len() - 1] + code.len() as u32);
        }
        let all = (0..layout.population as usize).map(|at| f64::from(nodes[at % nodes.len()]));
        let mean_nodes = all.sum::<f64>() / f64::from(layout.population);
        Ok(StoredPrograms {
            codes,
            nodes,
            mean_nodes,
            starts,
        })
    }

    fn longest(&self) -> u32 {
        self.codes.iter().map(Vec::len).max().unwrap_or(0) as u32
    }

    /// Returns the words before program `at` of the population.
    fn start(&self, at: u32) -> u32 {
        let own = self.codes.len() as u32;
        at / own * self.starts[own as usize] + self.starts[(at % own) as usize]
    }
}

/// A launch of the programs of one or several generations, mixed.
struct Runs<'a> {
    kernel: &'a Kernel,
    layout: RobilliardLayout,
    cases: &'a CaseTable,
    generations: &'a [StoredPrograms],
    /// Work of the blocks of each generation.
    works: Vec<Arc<BlockWork>>,
}

impl<'a> Runs<'a> {
    /// Executes the blocks that represent all. `first`: number of the first of its generations.
    fn sampled(
        mut self,
        machine: Machine,
        placement: &Placement,
        first: u32,
    ) -> Result<Sampled, PredictError> {
        for (generation, number) in self.generations.iter().zip(first..) {
            let work = machine.counted([number, 0], || self.counted(generation))?;
            self.works.push(work);
        }
        let work = match &self.works[..] {
            [work] => Some(work.longest_warps()),
            _ => None,
        };
        let sample = placement.sample(self.layout.spread_blocks(), SAMPLED_SMX, work);
        let repetitions = self.executed_repetitions(&sample);
        machine.sampled(
            [first, self.generations.len() as u32],
            self.kernel,
            (sample, repetitions),
            |nth, block, repetitions| Ok(self.block(nth, block, repetitions)),
            |sample, repetitions, code| self.whole(sample, repetitions, code),
        )
    }

    /// Returns the two numbers of runs that are executed; equal if one suffices.
    fn executed_repetitions(&self, sample: &Sample) -> [u32; 2] {
        let n = self.layout.runs(self.cases.len() as u32);
        let warps = sample.blocks().len() as u32 * self.layout.threads_per_block.div_ceil(32);
        match n <= WHOLE_RUNS {
            true => [n, n],
            false => [1, (WARP_RUNS / warps).clamp(2, MOST_RUNS)],
        }
    }

    /// Returns the generation of the `nth` sampled block.
    fn mixed(&self, nth: usize) -> usize {
        nth % self.generations.len()
    }

    /// Returns the positions of a block's programs in the population.
    fn programs_of(&self, block: u32) -> std::ops::Range<u32> {
        let per_block = self.layout.programs_per_block();
        let first = block * per_block;
        first..(first + per_block).min(self.layout.population)
    }

    /// Returns the work of the sampled blocks per run, relative to that in these `runs`, which have few cases: programs jump over
    /// nodes.
    fn of_all_cases(&self, sampled: &[u32], runs: u32, steps: f64) -> Result<f64, PredictError> {
        let n = self.layout.runs(self.cases.len() as u32);
        if runs == n || !self.layout.benchmark.function_set().jumps() {
            return Ok(1.0);
        }
        let more = match self.layout.scheme {
            Scheme::ThreadGp => DIVERGENT_COUNTED_RUNS,
            Scheme::BlockGp | Scheme::BlockGpShared => COUNTED_RUNS,
        };
        let more = more.min(n);
        let counted = parallel::try_indices(sampled.len(), |nth| {
            let block = self.block(nth, sampled[nth], more).execute()?;
            Ok::<_, PredictError>(block.steps() as f64)
        });
        let counted = counted?.into_iter().sum::<f64>();
        Ok(counted / f64::from(more) / (steps / f64::from(runs)))
    }

    /// Counts the work of a generation's blocks on some cases: programs jump over nodes, and the lanes of a warp may diverge.
    fn counted(&self, generation: &StoredPrograms) -> Result<BlockWork, PredictError> {
        if self.layout.scheme == Scheme::ThreadGp {
            return BlockWork::count(self.layout.blocks(), |block| {
                let block = self.block_of(generation, block, DIVERGENT_PILOT_RUNS);
                Ok(block.execute()?.warps)
            });
        }
        let cases = self.cases.sampled(PILOT_CASES, WARP);
        let steps = parallel::try_map(&generation.codes, |code| {
            let one = std::slice::from_ref(code);
            let block = kernel::block(self.kernel, one, cases.clone(), WARP as u32);
            Ok::<_, PredictError>(block.execute()?.steps() as f64)
        })?;
        let blocks = 0..self.layout.blocks() as usize;
        let of_blocks = blocks.map(|block| steps[block % steps.len()]);
        Ok(BlockWork::of_even_blocks(of_blocks.collect()))
    }

    fn block_of(&self, generation: &StoredPrograms, block: u32, runs: u32) -> BlockLaunch<'a> {
        let places = self.programs_of(block);
        let at = |place: u32| place as usize % generation.codes.len();
        let codes: Vec<Vec<u32>> = (places.clone())
            .map(|place| generation.codes[at(place)].clone())
            .collect();
        let threads = self.layout.threads_per_block;
        let nodes = |thread: u32| {
            let nth = match self.layout.scheme {
                Scheme::ThreadGp => thread,
                Scheme::BlockGp | Scheme::BlockGpShared => 0,
            };
            let place = places.clone().nth(nth as usize)?;
            Some(generation.nodes[at(place)])
        };
        let before = self.layout.population + 1 + generation.start(places.start);
        let before_here = codes.len() as u32 + 1;
        BlockLaunch {
            nodes: nodes_of_warps(threads, runs, nodes),
            offsets: Offsets {
                programs: 4 * (before - before_here),
                results: 4 * places.start,
                ..Offsets::default()
            },
            ..kernel::block(
                self.kernel,
                &codes,
                self.layout.cases_of(runs, self.cases),
                threads,
            )
        }
    }

    fn block(&self, nth: usize, block: u32, runs: u32) -> BlockLaunch<'a> {
        self.block_of(&self.generations[self.mixed(nth)], block, runs)
    }

    /// Returns what executed blocks stand for.
    fn whole(
        &self,
        sample: &Sample,
        runs: u32,
        code: ExecutedCode,
    ) -> Result<Executed, PredictError> {
        let (sampled, steps) = (sample.blocks(), code.steps);
        let of_cases = self.of_all_cases(&sampled, runs, steps)?;
        let n_generations = self.generations.len() as f64;
        let means = self.generations.iter().map(|one| one.mean_nodes);
        // The sample's programs execute slightly more or less than the population's.
        let own = sampled.iter().enumerate();
        let own = own.map(|(nth, &block)| self.works[self.mixed(nth)].of_block(block));
        let all = self.works.iter().map(|work| work.mean()).sum::<f64>() / n_generations;
        let ratio = of_cases * all * sampled.len() as f64 / own.sum::<f64>();
        let of_all = f64::from(self.layout.blocks()) / sampled.len() as f64;
        Ok(Executed {
            code,
            instructions: ratio * of_all * steps,
            mean_nodes: means.sum::<f64>() / n_generations,
            // The end of a grid of few waves depends on its longest programs, not on the mean.
            of_time: match sample {
                Sample::Spread(_) => ratio,
                Sample::Whole(_) | Sample::Longest(..) => of_cases,
            },
        })
    }
}
