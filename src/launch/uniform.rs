//! A launch whose blocks run one program each.
//!
//! Leaves out: how fast it runs. Units: in field names.

use std::sync::Arc;

use super::code::ReplayProgram;
use super::demand::{TimeParts, per_token_of};
use super::kernel::{Facts, Grid, Summary, TracedKernel};
use super::makespan::BlockSchedule;
use super::placement::Placement;
use super::rates::Rates;
use super::work::LaunchFacts;
use crate::device::ideal::Ideal;

/// The work of a launch whose blocks run one program each.
#[derive(Debug, Clone)]
pub struct UniformWork {
    pub kernel: Arc<dyn TracedKernel>,
    /// Fitness cases that one evaluation of a node on all elements counts for.
    pub fitness_cases: u64,
    /// Resident blocks of each launch, at most: those with a long program need more shared memory.
    pub grid_blocks: Vec<u32>,
    /// Time on the host between the launches, all together.
    pub host_seconds: f64,
}

/// A launch in which every block runs one program.
#[derive(Debug, Clone, Copy)]
pub struct Uniform<'a> {
    pub placement: &'a Placement,
    pub work: &'a UniformWork,
}

/// The blocks of a launch over the multiprocessors.
struct Followed {
    /// Tokens evaluated while all multiprocessors are full, before any block is followed.
    before: f64,
    /// Number of times that the tokens of `handed_out` are evaluated.
    iterations: f64,
    handed_out: Arc<BlockSchedule>,
}

/// Waves above which rates at half, a quarter and one of the resident blocks suffice: nearly empty multiprocessors take little
/// of the time.
const MANY_WAVES: f64 = 4.0;

/// Cycles of all launches, and the nodes of their programs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Launches {
    pub cycles: f64,
    pub nodes: f64,
}

impl<'a> Uniform<'a> {
    pub fn facts(&self) -> &'a Facts {
        self.work.kernel.facts()
    }

    /// Launches of the population.
    pub fn n_launches(&self) -> f64 {
        self.work.grid_blocks.len().max(1) as f64
    }

    /// Warp instructions that data adds to the traces.
    pub fn divergence_overhead_percent(&self) -> f64 {
        match self.placement.ideals.has(Ideal::Divergence) {
            true => 0.0,
            false => self.facts().divergence_overhead_percent,
        }
    }

    /// Time on the host between two launches.
    pub fn host_milliseconds(&self) -> f64 {
        1e3 * self.work.host_seconds / self.n_launches()
    }

    /// The facts about the launch that need no timing.
    pub fn launch_facts(&self) -> LaunchFacts {
        let facts = self.facts();
        LaunchFacts {
            warp_instructions: self.warp_instructions(),
            instruction_mix: facts.mix.clone(),
            mean_stack_levels: facts.mean_stack_levels,
            assumed_branches_per_node: facts.assumed_branches_per_node,
            divergence_overhead_percent: self.divergence_overhead_percent(),
            host_milliseconds: self.host_milliseconds(),
        }
    }

    /// Iterations of the case loop over all warps of all blocks of a program.
    fn warp_iterations(&self) -> u64 {
        let rows = 0..self.placement.geometry.case_blocks;
        rows.map(|row| self.placement.geometry.warp_iterations(row))
            .sum()
    }

    /// The block without fitness cases, if the launch has any: its code, and its program there.
    pub fn empty_block(&self) -> Option<(&'a Summary, u32)> {
        let summary = self.work.kernel.summary();
        let program = summary.empty_block?;
        (self.placement.geometry.empty_blocks() > 0).then_some((summary, program))
    }

    /// Follows every block of every launch over all multiprocessors. Blocks without cases come last, each of which takes
    /// `empty_block_cycles` of its multiprocessor.
    pub fn run_grids(&self, rates: &Rates, parts: &TimeParts, empty_block_cycles: f64) -> Launches {
        let empty_per_program =
            self.placement.geometry.case_blocks - self.placement.geometry.working_case_blocks();
        let known = self
            .facts()
            .grids
            .iter()
            .any(|grid| grid.programs.is_some());
        let times = known.then(|| self.times_of_programs(parts));
        let mut total = Launches {
            cycles: 0.0,
            nodes: 0.0,
        };
        for (grid, &blocks) in self.facts().grids.iter().zip(&self.work.grid_blocks) {
            total.nodes += grid.nodes as f64;
            total.cycles += f64::from(self.placement.spec.device.chip.grid_cycles);
            let empty = f64::from(empty_per_program) * grid.work.len() as f64;
            total.cycles += empty
                * started_every(
                    empty_block_cycles,
                    self.placement.n_smx(),
                    self.placement.spec.device.chip.block_interval_cycles,
                );
            let rate = self.placement.n_smx() as f64 * rates.full_tokens_per_cycle(blocks as usize);
            if self.placement.ideals.has(Ideal::GridEnds) {
                let work: f64 = grid.work.iter().sum();
                total.cycles += work * self.warp_iterations() as f64 / rate;
                continue;
            }
            let timed = times.as_deref().and_then(|times| grid.timed(times));
            let followed = self.follow(grid, blocks, timed.as_deref());
            total.cycles += followed.before / rate;
            total.cycles += followed.iterations * followed.handed_out.cycles(rates);
        }
        total
    }

    /// Returns each program's time per work over the mean.
    pub fn times_of_programs(&self, parts: &TimeParts) -> Vec<f64> {
        let summary = self.work.kernel.summary();
        let whole = per_token_of(&summary.code, &summary.sample);
        let weight = |program: &ReplayProgram| {
            let per_node = f64::from(program.demand[0]) / f64::from(program.nodes.max(1));
            per_node / whole[0]
        };
        let programs = summary.code.programs.iter();
        let time = |program: &ReplayProgram| {
            parts.time_of(program, &whole) / weight(program).max(f64::MIN_POSITIVE)
        };
        programs.map(time).collect()
    }

    /// Part of the tokens of all launches by the number of blocks that share their multiprocessor.
    pub fn parts_by_residents(&self) -> Vec<f64> {
        let mut parts = vec![0.0; self.placement.geometry.resident_blocks as usize + 1];
        if self.placement.ideals.has(Ideal::GridEnds) {
            parts[self.placement.geometry.resident_blocks as usize] = 1.0;
            return parts;
        }
        let mut add = |residents: usize, tokens: f64| {
            if parts.len() <= residents {
                parts.resize(residents + 1, 0.0);
            }
            parts[residents] += tokens;
        };
        for (grid, &blocks) in self.facts().grids.iter().zip(&self.work.grid_blocks) {
            let followed = self.follow(grid, blocks, None);
            add(blocks as usize, followed.before);
            let tokens = followed.handed_out.tokens_by_residents();
            for (residents, tokens) in tokens.into_iter().enumerate() {
                add(residents, followed.iterations * tokens);
            }
        }
        let all: f64 = parts.iter().sum();
        parts.iter().map(|part| part / all.max(1.0)).collect()
    }

    /// Hands out the blocks of a launch, with their own work or another.
    fn follow(&self, grid: &Grid, resident_blocks: u32, work: Option<&[f64]>) -> Followed {
        let (n_smx, resident) = (self.placement.n_smx(), resident_blocks as usize);
        let rows = self.placement.geometry.working_case_blocks();
        if self.placement.geometry.case_blocks == 1 {
            return Followed {
                before: 0.0,
                iterations: self.placement.geometry.warp_iterations(0) as f64,
                handed_out: match work {
                    Some(work) => Arc::new(BlockSchedule::new(work, n_smx, resident)),
                    None => grid.handed_out(n_smx, resident),
                },
            };
        }
        let work = work.unwrap_or(&grid.work);
        // Padding of the last iteration is work too, but not useful work.
        let of_row = |row: u32| {
            let iterations = self.placement.geometry.warp_iterations(row) as f64;
            work.iter().map(move |work| work * iterations)
        };
        let full = self.rows_at_full_rate(grid, resident_blocks);
        let last: Vec<f64> = (full..rows).flat_map(of_row).collect();
        Followed {
            before: (0..full).flat_map(of_row).sum(),
            iterations: 1.0,
            handed_out: Arc::new(BlockSchedule::new(&last, n_smx, resident)),
        }
    }

    /// Rows of blocks that start while all multiprocessors are full; from there on every block is followed.
    fn rows_at_full_rate(&self, grid: &Grid, resident_blocks: u32) -> u32 {
        let resident = self.placement.n_smx() as f64 * f64::from(resident_blocks);
        let rows = (MANY_WAVES * resident / grid.work.len().max(1) as f64).ceil();
        rows_before(self.placement.geometry.working_case_blocks(), rows as u32)
    }

    /// Numbers of resident blocks besides the usual one at which throughput is needed: for the end of the grid, and for
    /// launches whose blocks need less shared memory.
    pub fn partial_residencies(&self) -> Vec<u32> {
        let usual = self.placement.geometry.resident_blocks;
        let launched = self.facts().grids.iter().zip(&self.work.grid_blocks);
        let most = launched.map(|(grid, &blocks)| blocks.min(self.blocks_per_smx(grid)));
        let mut levels = vec![most.max().unwrap_or(usual)];
        let halvings = match self.waves() > MANY_WAVES {
            true => 2,
            false => u32::BITS - 1,
        };
        levels.extend((1..=halvings).map(|halvings| usual >> halvings));
        levels.push(1);
        if self.placement.ideals.has(Ideal::Occupancy) {
            levels.push(usual - 1);
        }
        levels.retain(|&blocks| blocks >= 1 && blocks != usual);
        levels.sort_unstable_by(|a, b| b.cmp(a));
        levels.dedup();
        levels
    }

    /// Returns the rates with all warp slots taken, even by a fractional number of blocks, if occupancy is idealized. A block's
    /// time per token is extrapolated linearly.
    pub fn filled(&self, rates: Rates) -> Rates {
        let blocks = self.placement.geometry.resident_blocks;
        let places = f64::from(self.placement.spec.device.limits.warps_per_smx)
            / f64::from(self.placement.geometry.warps_per_block());
        if !self.placement.ideals.has(Ideal::Occupancy) || blocks < 2 || places <= f64::from(blocks)
        {
            return rates;
        }
        let rate = |n: u32| rates.contended().tokens_per_cycle(n as usize);
        let time = |n: u32| f64::from(n) / rate(n);
        let slope = (time(blocks) - time(blocks - 1)).max(0.0);
        let filled = places / (time(blocks) + (places - f64::from(blocks)) * slope);
        rates.times((filled / rate(blocks)).max(1.0))
    }

    fn blocks_per_smx(&self, grid: &Grid) -> u32 {
        let blocks = grid.work.len() * self.placement.geometry.case_blocks as usize;
        blocks.div_ceil(self.placement.n_smx()) as u32
    }

    /// Waves of resident blocks over all multiprocessors per launch, mean over the launches.
    pub fn waves(&self) -> f64 {
        let grids = &self.facts().grids;
        let blocks: usize = grids.iter().map(|grid| grid.work.len()).sum();
        let blocks = blocks * self.placement.geometry.case_blocks as usize;
        let per_launch = blocks as f64 / grids.len().max(1) as f64;
        per_launch
            / f64::from(self.placement.geometry.n_smx * self.placement.geometry.resident_blocks)
                .max(1.0)
    }

    /// The mean time of one launch.
    pub fn milliseconds(&self, launches: Launches) -> f64 {
        1e3 * launches.cycles / self.n_launches() / self.placement.clock_hz()
    }

    /// GP operations per second of launches that take `cycles` in all.
    pub fn gpops(&self, launches: Launches) -> f64 {
        let seconds = launches.cycles / self.placement.clock_hz() + self.work.host_seconds;
        launches.nodes * self.work.fitness_cases as f64 / seconds
    }

    /// Warp instructions per launch, mean over the launches, including divergence.
    pub fn warp_instructions(&self) -> f64 {
        let facts = self.facts();
        let warps = f64::from(
            self.placement.geometry.warps_per_block() * self.placement.geometry.case_blocks,
        );
        let of_grid = |grid: &Grid| {
            let work: f64 = grid.work.iter().sum();
            let blocks = grid.work.len() as f64;
            work * facts.instructions_per_node * self.warp_iterations() as f64
                + blocks * warps * facts.prologue_instructions
        };
        let all: f64 = facts.grids.iter().map(of_grid).sum();
        all / facts.grids.len().max(1) as f64 * (1.0 + facts.divergence_overhead_percent / 100.0)
    }
}

/// Cycles of the chip per block, if each takes `block_cycles` of its multiprocessor and the dispatcher starts one per `interval`.
fn started_every(block_cycles: f64, n_smx: usize, interval: f64) -> f64 {
    (block_cycles / n_smx as f64).max(interval)
}

/// Rows of a launch before its last one and as many as are `followed` with it.
fn rows_before(case_blocks: u32, followed: u32) -> u32 {
    case_blocks.saturating_sub(followed.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_blocks_wait_for_the_dispatcher() {
        assert_eq!(started_every(76.0, 132, 1.14), 1.14);
        assert_eq!(started_every(330.0, 132, 1.14), 2.5);
    }

    #[test]
    fn where_all_rows_are_followed_none_comes_before() {
        let before = [0, 1, 9, 10, u32::MAX].map(|followed| rows_before(10, followed));
        assert_eq!(before, [9, 8, 0, 0, 0]);
    }
}
