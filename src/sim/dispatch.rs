//! Block dispatcher of one multiprocessor: selects the program of the next block and how much of it runs.
//!
//! Models: a fixed number of resident blocks; a finished block is replaced at once. A window samples programs in units: a
//! sampling unit is a block that runs some of its iterations, and all units are about equal work. Programs are sampled in
//! proportion to their share of the grid's work, evenly spread over the programs in order of stack depth and size, and at evenly
//! spread fitness cases.
//! Leaves out: the other multiprocessors (see `makespan`), launch overhead.
//! Units: fitness cases, bytes, tokens. Sources: Listing 1 of the paper for the case loop; sampling with probability
//! proportional to size, Cochran, Sampling Techniques, section 9A.

use super::code::ReplayCode;
pub use crate::launch::geometry::Geometry;

/// Steps of the evenly spread sequences: multiples of these numbers modulo 1 have low discrepancy.
pub const GOLDEN_STEP: f64 = 0.618_033_988_749_895;
const CASE_STEP: f64 = std::f64::consts::SQRT_2;

/// Blocks or sampling units that one multiprocessor has yet to start.
#[derive(Debug, Clone)]
pub struct BlockQueue {
    blocks: Queued,
    /// See [`BlockStart::program`].
    programs_per_warp: u32,
    /// Distance between consecutive blocks of this queue in the launch.
    step: u32,
    started: usize,
    geometry: Geometry,
    full_iterations: u32,
    prologue_debt: f64,
    /// Work started in all sampling units, in blocks.
    blocks_of_work: f64,
}

#[derive(Debug, Clone)]
enum Queued {
    /// Programs that run once each, from their first instruction on, cut to a number of iterations.
    Once { order: Vec<u32>, iteration_cap: u32 },
    /// Endless sequence of sampling units.
    Sampled(Vec<SampledBlock>),
}

/// A block of the grid that may be sampled.
#[derive(Debug, Clone, Copy)]
struct SampledBlock {
    program: u32,
    iterations: u32,
    /// Cumulative sampling probability of this and all earlier blocks.
    cumulative: f64,
}

/// One block to start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockStart {
    /// Blocks started before this one.
    pub number: u32,
    /// Index among the blocks of its program: determines the first fitness case.
    pub case_block: u32,
    /// Program of the block's first warp; warp `w` runs program `program + w * programs_per_warp`.
    pub program: u32,
    pub programs_per_warp: u32,
    /// Iterations that every warp is cut to; `None`: all of them.
    pub cut: Option<u32>,
    /// Whether this block pays for the program copy. Sampling units that cut the iterations of a block cut its prologues by
    /// the same factor.
    pub run_prologue: bool,
    /// All iterations are steady ones: the block has neither a first nor a last one.
    pub steady_only: bool,
    /// Iteration of the case loop at which a block whose iterations are cut begins: the blocks of a whole
    /// run are spread over the fitness cases, those of a window must be too.
    pub first_iteration: u32,
}

impl BlockQueue {
    /// Sampling units of the programs in `order`, in which neighbours are similar. A unit has about `tokens_per_unit` tokens in
    /// all warps of a block together, and at least one iteration.
    pub fn units(
        code: &ReplayCode,
        order: &[u32],
        geometry: &Geometry,
        tokens_per_unit: f64,
    ) -> Self {
        let full = geometry.iterations(0);
        let iterations = |program: u32| {
            let nodes = code.programs[program as usize].nodes * geometry.warps_per_block();
            let wanted = tokens_per_unit / f64::from(nodes.max(1));
            wanted.round().clamp(1.0, f64::from(full)) as u32
        };
        let mut cumulative = 0.0;
        let mut sampled: Vec<SampledBlock> = order
            .iter()
            .map(|&program| {
                let iterations = iterations(program);
                cumulative += 1.0 / f64::from(iterations);
                SampledBlock {
                    program,
                    iterations,
                    cumulative,
                }
            })
            .collect();
        for block in &mut sampled {
            block.cumulative /= cumulative;
        }
        Self::of(Queued::Sampled(sampled), geometry)
    }

    /// The given blocks once, each from its first instruction on. `programs_per_warp` is 0 when all warps of a
    /// block run its program, 1 when they run that and the following ones, whose addresses are final.
    pub fn once(
        order: Vec<u32>,
        geometry: &Geometry,
        iteration_cap: u32,
        programs_per_warp: u32,
    ) -> Self {
        let blocks = Queued::Once {
            order,
            iteration_cap,
        };
        Self::of(blocks, geometry).of_programs_per_warp(programs_per_warp)
    }

    /// Sets the programs per warp: 0 when all warps of a block run its program, 1 when they run that and the following ones,
    /// whose addresses are final.
    pub fn of_programs_per_warp(mut self, programs_per_warp: u32) -> Self {
        self.programs_per_warp = programs_per_warp;
        self
    }

    /// Treats the blocks as every `step`-th block of a launch.
    pub fn every(mut self, step: u32) -> Self {
        self.step = step;
        self
    }

    fn of(blocks: Queued, geometry: &Geometry) -> Self {
        BlockQueue {
            blocks,
            programs_per_warp: 0,
            step: 1,
            started: 0,
            geometry: *geometry,
            full_iterations: geometry.iterations(0),
            prologue_debt: 0.5,
            blocks_of_work: 0.0,
        }
    }

    /// Whether blocks go on from sampling unit to sampling unit, and the first ones start in the middle of their work.
    pub fn is_sampled(&self) -> bool {
        matches!(self.blocks, Queued::Sampled(_))
    }

    /// The next block; `None` when a finite queue is empty.
    pub fn pop(&mut self) -> Option<BlockStart> {
        let number = self.started;
        let start = match &self.blocks {
            Queued::Once {
                order,
                iteration_cap,
            } => BlockStart {
                number: number as u32,
                case_block: self
                    .geometry
                    .case_block(f64::from(self.step) * number as f64),
                program: *order.get(number)?,
                programs_per_warp: self.programs_per_warp,
                cut: (*iteration_cap < self.full_iterations).then_some(*iteration_cap),
                run_prologue: true,
                steady_only: false,
                first_iteration: 0,
            },
            Queued::Sampled(sampled) => {
                let place = spread(number, GOLDEN_STEP);
                let index = sampled.partition_point(|block| block.cumulative <= place);
                let sampled = sampled[index.min(sampled.len() - 1)];
                self.unit(number, sampled)
            }
        };
        self.started += 1;
        Some(start)
    }

    /// The next block in the place of `before`: a sampling unit continues at the fitness cases where that one ended, as the
    /// iterations of a block do.
    pub fn pop_after(&mut self, before: &BlockStart) -> Option<BlockStart> {
        let is_sampled = self.is_sampled();
        let start = self.pop()?;
        Some(match (start.cut, before.cut) {
            (Some(_), Some(iterations)) if is_sampled => BlockStart {
                first_iteration: (before.first_iteration + iterations) % self.full_iterations,
                ..start
            },
            _ => start,
        })
    }

    fn unit(&mut self, number: usize, sampled: SampledBlock) -> BlockStart {
        let (iterations, full) = (sampled.iterations, self.full_iterations);
        self.prologue_debt += f64::from(iterations) / f64::from(full);
        let run_prologue = self.prologue_debt >= 1.0;
        if run_prologue {
            self.prologue_debt -= 1.0;
        }
        let case_block = self.case_block_now();
        self.blocks_of_work += f64::from(iterations) / f64::from(full);
        let is_cut = iterations < full;
        let room = f64::from(full - iterations + 1);
        BlockStart {
            number: number as u32,
            case_block,
            program: sampled.program,
            programs_per_warp: self.programs_per_warp,
            cut: is_cut.then_some(iterations),
            run_prologue,
            steady_only: is_cut && !(run_prologue && iterations > 1),
            first_iteration: (spread(number, CASE_STEP) * room) as u32,
        }
    }

    /// The cases at which the launch is: this multiprocessor runs one of its `n_smx` shares.
    fn case_block_now(&self) -> u32 {
        let launched = self.blocks_of_work * f64::from(self.geometry.n_smx);
        self.geometry.case_block(launched)
    }

    /// Blocks handed out so far.
    pub fn started(&self) -> usize {
        self.started
    }
}

/// Element `n` of an evenly spread sequence, 0 to 1.
fn spread(n: usize, step: f64) -> f64 {
    (0.5 + n as f64 * step).fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::OpClass;
    use crate::sim::testing;

    #[test]
    fn visits_go_through_the_cases_as_the_launch_does() {
        let code = testing::looped(&[testing::alu(OpClass::Fp32, 1)]);
        let geometry = Geometry {
            threads_per_block: 64,
            stack_dim: 8,
            fitness_cases: 64 * 8 * 6,
            programs: 40,
            case_blocks: 3,
            resident_blocks: 4,
            n_smx: 4,
            local_stride_bytes: 512,
        };
        let mut queue = BlockQueue::units(&code, &[0], &geometry, f64::INFINITY);
        let mut next = || queue.pop().expect("units do not end").case_block;
        // 40 programs on 4 multiprocessors: ten blocks of this one on each third of the cases.
        let blocks: Vec<u32> = (0..40).map(|_| next()).collect();
        let expected: Vec<u32> = (0..40).map(|number| number / 10 % 3).collect();
        assert_eq!(blocks, expected);
    }

    /// A unit of a whole block has its first and its last iteration, of one iteration too.
    #[test]
    fn what_is_not_cut_is_a_whole_block() {
        let code = testing::looped(&[testing::alu(OpClass::Fp32, 1)]);
        for fitness_cases in [32, 320] {
            let geometry = Geometry {
                threads_per_block: 32,
                stack_dim: 1,
                fitness_cases,
                programs: 10,
                case_blocks: 1,
                resident_blocks: 1,
                n_smx: 1,
                local_stride_bytes: 512,
            };
            let mut queue = BlockQueue::units(&code, &[0], &geometry, f64::INFINITY);
            let start = queue.pop().expect("units do not end");
            assert_eq!(
                (start.cut, start.steady_only, start.first_iteration),
                (None, false, 0)
            );
            assert!(start.run_prologue);
        }
    }

    /// A token a warp and iteration, of two warps: eight tokens are four iterations. They begin anywhere from the first to the
    /// fourth last, the first and the last included.
    #[test]
    fn units_begin_wherever_they_fit() {
        let code = testing::looped(&[testing::alu(OpClass::Fp32, 1)]);
        let geometry = Geometry {
            threads_per_block: 64,
            fitness_cases: 64 * 10,
            programs: 10,
            ..testing::geometry()
        };
        let mut queue = BlockQueue::units(&code, &[0], &geometry, 8.0);
        let starts: Vec<BlockStart> = (0..100).filter_map(|_| queue.pop()).collect();
        assert!(starts.iter().all(|start| start.cut == Some(4)));
        let first = || starts.iter().map(|start| start.first_iteration);
        assert_eq!((first().min(), first().max()), (Some(0), Some(6)));
        // Four of ten iterations each: two of five have a prologue, and with it a first and a last iteration.
        assert_eq!(starts.iter().filter(|start| start.run_prologue).count(), 40);
        assert!(
            starts
                .iter()
                .all(|start| start.steady_only != start.run_prologue)
        );
        for (tokens, has_ends) in [(4.0, true), (2.0, false)] {
            let mut queue = BlockQueue::units(&code, &[0], &geometry, tokens);
            let starts: Vec<BlockStart> = (0..100).filter_map(|_| queue.pop()).collect();
            let with_ends = starts.iter().filter(|start| !start.steady_only).count();
            assert_eq!(with_ends > 0, has_ends, "{tokens} tokens");
        }
    }

    #[test]
    fn units_divide_the_work_as_the_grid_does() {
        let mut code = testing::looped(&[testing::alu(OpClass::Fp32, 1)]);
        code.programs = [5, 20, 80, 600]
            .map(|nodes| crate::launch::code::ReplayProgram {
                nodes,
                ..code.programs[0].clone()
            })
            .to_vec();
        let geometry = Geometry {
            threads_per_block: 64,
            stack_dim: 1,
            fitness_cases: 100_000,
            programs: 1000,
            case_blocks: 1,
            resident_blocks: 8,
            n_smx: 1,
            local_stride_bytes: 512,
        };
        let order = [0, 1, 1, 2, 3];
        let mut queue = BlockQueue::units(&code, &order, &geometry, 300.0);
        let mut tokens = [0.0; 4];
        for _ in 0..20_000 {
            let start = queue.pop().expect("units do not end");
            let nodes = code.programs[start.program as usize].nodes;
            let iterations = start.cut.expect("300 tokens are less than a block");
            tokens[start.program as usize] += f64::from(iterations * nodes);
        }
        let total: f64 = tokens.iter().sum();
        let grid = [5.0, 40.0, 80.0, 600.0].map(|nodes| nodes / 725.0);
        for (tokens, share) in tokens.into_iter().zip(grid) {
            assert!((tokens / total - share).abs() < 0.002, "{tokens} {share}");
        }
    }
}
