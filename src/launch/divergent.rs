//! A launch whose warps run several programs: sampled blocks, executed, and extrapolated to the whole.
//!
//! Models: repeated work of a block may be executed fewer times: time and instructions are linear in the number of repetitions,
//! so two numbers of repetitions suffice. The rest of a timing (CPI stack, traffic, instructions per node) comes from the
//! blocks timed with the larger number.
//! Leaves out: execution (`systems::blocks`), timing of blocks (`sim::divergent`).
//! Units: cycles of a multiprocessor, warp instructions, milliseconds; nodes times cases per second.

use super::counters::{Counters, cpi_entries, traffic};
use super::executed::ExecutedCode;
use super::grid::Sample;
use super::placement::Placement;
use super::roles::RoleCounts;
use super::work::{Launch, LaunchFacts, Work};
use crate::device::ideal::{Ideal, Ideals};
use crate::launch::prediction::{Configuration, PredictError, Timing};
use crate::trace::mix::Role;
use std::sync::Arc;

/// The work of a launch whose blocks run several programs each.
#[derive(Debug, Clone)]
pub struct DivergentWork {
    /// Launches on the same grid, which are averaged.
    pub sampled: Vec<Sampled>,
    pub extent: Extent,
}

/// Sampled blocks that represent a launch.
#[derive(Debug, Clone)]
pub struct Sampled {
    pub sample: Sample,
    /// The execution with one number of repetitions, or with few and with more.
    pub executed: Vec<(u32, Arc<Executed>)>,
}

/// The result of executing some blocks.
#[derive(Debug)]
pub struct Executed {
    pub code: ExecutedCode,
    /// Warp instructions of all blocks of the grid.
    pub instructions: f64,
    /// Nodes of a program, mean.
    pub mean_nodes: f64,
    /// The time of all blocks over the time of as many like these.
    pub of_time: f64,
}

/// The size of a launch, in terms of the executed blocks.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    pub programs: u32,
    pub cases: u32,
    /// Number of times that the repeated part runs.
    pub repetitions: f64,
    /// Blocks, over those of the grid that were executed.
    pub grids: f64,
}

/// Time of executed blocks.
#[derive(Debug, Clone)]
pub struct BlocksTiming {
    /// The cycles of the whole grid if all its blocks are like these.
    pub cycles: f64,
    /// The counters of the timed blocks.
    pub counters: Counters,
    /// 90 % bound of the sample's error, relative.
    pub error_percent: f64,
    /// Warp instructions that were simulated.
    pub simulated_instructions: u64,
}

impl Sampled {
    /// Executes the sample with these numbers of repetitions; once where both are the same.
    pub fn of(
        sample: Sample,
        repetitions: [u32; 2],
        execute: impl Fn(&Sample, u32) -> Result<Arc<Executed>, PredictError>,
    ) -> Result<Sampled, PredictError> {
        let [few, more] = repetitions;
        let mut executed = vec![(few, execute(&sample, few)?)];
        if more != few {
            executed.push((more, execute(&sample, more)?));
        }
        Ok(Sampled { sample, executed })
    }

    fn first(&self) -> &Executed {
        &self.executed[0].1
    }

    /// The execution with the larger number of repetitions.
    fn last(&self) -> &Executed {
        &self.executed[self.executed.len() - 1].1
    }

    fn repetitions(&self) -> [u32; 2] {
        [0, self.executed.len() - 1].map(|at| self.executed[at].0)
    }
}

impl Executed {
    /// Factor on time and instructions if divergence is idealized; 1 otherwise.
    pub fn of_paths(&self, ideals: Ideals) -> f64 {
        match ideals.has(Ideal::Divergence) {
            // Their paths would be as many times fewer.
            true => self.code.active_lanes,
            false => 1.0,
        }
    }
}

impl DivergentWork {
    /// The mean over the launches.
    fn mean(&self, of: impl Fn(&Sampled) -> f64) -> f64 {
        self.sampled.iter().map(of).sum::<f64>() / self.sampled.len() as f64
    }

    /// Extrapolates to the whole launch from the values at the executed numbers of repetitions.
    fn continued(&self, of: impl Fn(usize, &Sampled) -> [f64; 2]) -> f64 {
        let n = self.extent.repetitions;
        let each = self.sampled.iter().enumerate();
        let each = each.map(|(at, one)| extrapolated(n, one.repetitions(), of(at, one)));
        self.extent.grids * (each.sum::<f64>() / self.sampled.len() as f64)
    }

    /// Nodes of a program, mean.
    pub fn mean_nodes(&self) -> f64 {
        self.mean(|one| one.last().mean_nodes)
    }

    /// Warp instructions of the launch.
    pub fn warp_instructions(&self, ideals: Ideals) -> f64 {
        let of = |executed: &Executed| executed.of_paths(ideals) * executed.instructions;
        self.continued(|_, one| [of(one.first()), of(one.last())])
    }

    /// Nodes times cases.
    fn operations(&self) -> f64 {
        f64::from(self.extent.programs) * self.mean_nodes() * f64::from(self.extent.cases)
    }

    /// Executed warp instructions, and nodes of the warps.
    fn executed(&self) -> (f64, f64) {
        let mut all = (0.0, 0.0);
        for code in self.sampled.iter().map(|one| &one.last().code.code) {
            all.0 += code.ops.len() as f64;
            all.1 += code
                .programs
                .iter()
                .map(|warp| f64::from(warp.nodes))
                .sum::<f64>();
        }
        all
    }

    fn facts(&self, ideals: Ideals, of_shared: Role) -> LaunchFacts {
        let n = self.sampled.len() as f64;
        let mut roles = RoleCounts::default();
        let (mut mean_frame_words, mut active_lanes) = (0.0, 0.0);
        for code in self.sampled.iter().map(|one| &one.last().code) {
            roles.add(&code.roles);
            mean_frame_words += code.mean_frame_words / n;
            active_lanes += match ideals.has(Ideal::Divergence) {
                true => 1.0,
                false => code.active_lanes,
            } / n;
        }
        LaunchFacts {
            warp_instructions: self.warp_instructions(ideals),
            instruction_mix: roles.mix(of_shared, self.executed().1),
            mean_stack_levels: mean_frame_words,
            // Executed on data.
            assumed_branches_per_node: 0.0,
            divergence_overhead_percent: 100.0 * (1.0 / active_lanes - 1.0),
            host_milliseconds: 0.0,
        }
    }

    /// Extrapolates the launch's timing from the time of its executed blocks.
    pub fn continued_timing(&self, placement: &Placement, timed: &Timed) -> Timing {
        let milliseconds = placement.milliseconds(self.continued(|at, _| timed.cycles[at]));
        let counters = &timed.counters;
        let instructions = counters.instructions as f64;
        let (executed, nodes) = self.executed();
        Timing {
            gpops_billion: self.operations() / milliseconds / 1e6,
            milliseconds,
            error_percent: timed.error_percent,
            memory: traffic(counters),
            ipc: instructions / counters.cycles.max(1) as f64,
            dual_issue_percent: 100.0 * counters.dual_issued as f64 / instructions.max(1.0),
            warp_instructions_per_node: executed / nodes,
            cpi_stack: cpi_entries(counters),
            simulated_warp_instructions: timed.simulated_instructions,
            wall_seconds: timed.wall_seconds,
        }
    }
}

/// Times of the executed blocks of all launches.
#[derive(Debug, Clone, Default)]
pub struct Timed {
    /// The cycles of each launch at both numbers of repetitions.
    pub cycles: Vec<[f64; 2]>,
    pub counters: Counters,
    pub error_percent: f64,
    pub simulated_instructions: u64,
    pub wall_seconds: f64,
}

impl Launch {
    /// A launch whose sampled blocks were executed. `of_shared`: what the kernel's shared memory is for.
    pub fn divergent(
        configuration: &Configuration,
        (placement, work): (Placement, DivergentWork),
        of_shared: Role,
    ) -> Launch {
        Launch {
            configuration: configuration.clone(),
            facts: work.facts(placement.ideals, of_shared),
            placement,
            work: Work::Divergent(work),
        }
    }
}

/// Returns the cycles with `n` repetitions, extrapolated from `cycles[0]` with `repetitions[0]` and `cycles[1]` with `repetitions[1]`.
fn extrapolated(n: f64, repetitions: [u32; 2], cycles: [f64; 2]) -> f64 {
    let [few, more] = repetitions.map(f64::from);
    if few == more {
        return cycles[0] * n / few;
    }
    cycles[0] + (n - few) * (cycles[1] - cycles[0]) / (more - few)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_is_continued() {
        assert_eq!(extrapolated(10.0, [2, 4], [9.0, 13.0]), 25.0);
    }
}
