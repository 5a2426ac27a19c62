//! From executed blocks to what a launch of a paper's kernel comes to.
//!
//! Models: what a block does over and over may be cut short in what is executed: time and instructions are linear in the number of
//! repetitions, so that two numbers of them say all. The rest of a prediction (CPI stack, traffic, instructions of a node) is that of the
//! blocks timed with the larger number.
//! Leaves out: what is executed (each paper's `predict`), how it is timed (`replay`, `closed_form`).
//! Units: cycles of a multiprocessor, warp instructions, milliseconds; nodes times cases per second.

use super::grid::{Grid, Sample};
use crate::device::Device;
use crate::device::ideal::Ideal;
use crate::isa::Arch;
use crate::launch::CarveOut;
use crate::launch::counters::{Counters, cpi_entries, traffic};
use crate::launch::executed::ExecutedCode;
use crate::launch::prediction::{Configuration, PredictError, Prediction};
use crate::launch::roles::RoleCounts;
use crate::trace::mix::Role;

/// What executed blocks are timed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    Simulated,
    ClosedForm,
}

/// A device and how its on-chip memory is divided, the machine code that is executed for it, and what that is timed by.
#[derive(Debug, Clone, Copy)]
pub struct On<'a> {
    pub device: &'a Device,
    pub arch: Arch,
    pub carve_out: CarveOut,
    pub timing: Timing,
}

impl<'a> On<'a> {
    /// Simulated, with its on-chip memory as it is by itself.
    pub fn new(device: &'a Device, arch: Arch) -> Self {
        On {
            device,
            arch,
            carve_out: CarveOut::Default,
            timing: Timing::Simulated,
        }
    }
}

/// A launch whose blocks can be executed with fewer repetitions than it has.
pub trait Executable {
    fn grid(&self) -> &Grid;

    /// The blocks that stand for all.
    fn sample(&self) -> Sample;

    /// Two numbers of repetitions that are executed; twice the same where one is enough.
    fn executed_repetitions(&self, sample: &Sample) -> [u32; 2];

    fn execute(&self, sample: &Sample, repetitions: u32) -> Result<Executed, PredictError>;
}

/// What some blocks executed.
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

/// How long executed blocks take.
#[derive(Debug, Clone)]
pub struct Timed {
    /// Of the whole grid, if all its blocks are as these.
    pub cycles: f64,
    /// Of what was timed.
    pub counters: Counters,
    /// Standard error, relative.
    pub error_percent: f64,
    /// 0 in closed form.
    pub simulated_instructions: u64,
}

/// What some of a launch's repetitions cost.
#[derive(Debug)]
pub struct Cost {
    repetitions: [u32; 2],
    cycles: [f64; 2],
    instructions: [f64; 2],
    mean_nodes: f64,
    shown: Shown,
}

/// What is known of timed blocks besides their time.
#[derive(Debug, Clone, Default)]
struct Shown {
    counters: Counters,
    roles: RoleCounts,
    instructions: f64,
    /// Of warps.
    nodes: f64,
    mean_frame_words: f64,
    active_lanes: f64,
    error_percent: f64,
    simulated_instructions: u64,
}

impl Cost {
    pub fn of(launch: &impl Executable, timing: Timing) -> Result<Cost, PredictError> {
        let sample = launch.sample();
        let repetitions = launch.executed_repetitions(&sample);
        let few = Part::of(launch, timing, &sample, repetitions[0])?;
        let more = match repetitions[0] == repetitions[1] {
            true => None,
            false => Some(Part::of(launch, timing, &sample, repetitions[1])?),
        };
        let last = more.as_ref().unwrap_or(&few);
        let both = |of: fn(&Part) -> f64| [of(&few), of(last)];
        // The same blocks were executed twice: what is off in one number of repetitions is off in the other.
        let worse = few.shown.error_percent.max(last.shown.error_percent);
        let simulated = more
            .as_ref()
            .map_or(0, |_| few.shown.simulated_instructions);
        Ok(Cost {
            repetitions,
            cycles: both(|part| part.cycles),
            instructions: both(|part| part.instructions),
            mean_nodes: last.mean_nodes,
            shown: Shown {
                error_percent: worse,
                simulated_instructions: simulated + last.shown.simulated_instructions,
                ..last.shown.clone()
            },
        })
    }
}

/// The cost of one number of repetitions.
struct Part {
    cycles: f64,
    instructions: f64,
    mean_nodes: f64,
    shown: Shown,
}

impl Part {
    fn of(
        launch: &impl Executable,
        timing: Timing,
        sample: &Sample,
        repetitions: u32,
    ) -> Result<Part, PredictError> {
        let executed = launch.execute(sample, repetitions)?;
        let timed = launch.grid().timed(timing, sample, &executed.code)?;
        let code = &executed.code.code;
        // With lanes that never part, their paths would be as many times fewer.
        let active = executed.code.active_lanes;
        let free = launch.grid().ideals.has(Ideal::Divergence);
        let of_paths = if free { active } else { 1.0 };
        Ok(Part {
            cycles: of_paths * executed.of_time * timed.cycles,
            instructions: of_paths * executed.instructions,
            mean_nodes: executed.mean_nodes,
            shown: Shown {
                counters: timed.counters,
                roles: executed.code.roles,
                instructions: code.ops.len() as f64,
                nodes: code.programs.iter().map(|warp| f64::from(warp.nodes)).sum(),
                mean_frame_words: executed.code.mean_frame_words,
                active_lanes: if free { 1.0 } else { active },
                error_percent: timed.error_percent,
                simulated_instructions: timed.simulated_instructions,
            },
        })
    }
}

impl Grid {
    /// What executed blocks take, timed this way.
    pub fn timed(
        &self,
        timing: Timing,
        sample: &Sample,
        executed: &ExecutedCode,
    ) -> Result<Timed, PredictError> {
        match timing {
            Timing::Simulated => self.replayed(sample, executed),
            Timing::ClosedForm => Ok(self.modelled(sample, executed)),
        }
    }
}

/// How much of it there is in a launch.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    pub programs: u32,
    pub cases: u32,
    /// How often the repeated part runs.
    pub repetitions: f64,
    /// Blocks, over those of the grid whose cost is known.
    pub grids: f64,
}

/// What a launch comes to.
#[derive(Debug, Clone)]
pub struct Whole {
    pub milliseconds: f64,
    pub warp_instructions: f64,
    pub mean_nodes: f64,
    pub gpops_billion: f64,
    grid: Grid,
    shown: Shown,
}

impl Whole {
    /// The mean of launches that cost this on the same grid.
    pub fn of(grid: &Grid, costs: &[&Cost], extent: Extent) -> Whole {
        let mean = |of: &dyn Fn(&Cost) -> f64| {
            costs.iter().map(|cost| of(cost)).sum::<f64>() / costs.len() as f64
        };
        let n = extent.repetitions;
        let continued = |of: fn(&Cost) -> [f64; 2]| {
            let all = mean(&|cost| extrapolated(n, cost.repetitions, of(cost)));
            extent.grids * all
        };
        let mean_nodes = mean(&|cost| cost.mean_nodes);
        let milliseconds = grid.milliseconds(continued(|cost| cost.cycles));
        let operations = f64::from(extent.programs) * mean_nodes * f64::from(extent.cases);
        Whole {
            milliseconds,
            warp_instructions: continued(|cost| cost.instructions),
            mean_nodes,
            gpops_billion: operations / milliseconds / 1e6,
            grid: grid.clone(),
            shown: Shown::together(costs),
        }
    }

    pub fn resident_blocks(&self) -> u32 {
        self.grid.resident_blocks()
    }

    /// Warp instructions for a node of a warp, of what was executed.
    pub fn warp_instructions_per_node(&self) -> f64 {
        self.shown.instructions / self.shown.nodes
    }

    /// All of it. `of_shared`: what the kernel's shared memory is for.
    pub fn prediction(&self, configuration: Configuration, of_shared: Role) -> Prediction {
        let (grid, shown) = (&self.grid, &self.shown);
        let counters = &shown.counters;
        let instructions = counters.instructions as f64;
        Prediction {
            configuration,
            gpops_billion: self.gpops_billion,
            run_milliseconds: self.milliseconds,
            host_milliseconds: 0.0,
            sampling_error_percent: shown.error_percent,
            block: grid.block,
            occupancy: grid.occupancy.clone(),
            l1_bytes: grid.l1_bytes,
            memory: traffic(counters),
            ipc: instructions / counters.cycles.max(1) as f64,
            dual_issue_percent: 100.0 * counters.dual_issued as f64 / instructions.max(1.0),
            warp_instructions_per_node: self.warp_instructions_per_node(),
            warp_instructions: self.warp_instructions,
            instruction_mix: shown.roles.mix(of_shared, shown.nodes),
            mean_stack_levels: shown.mean_frame_words,
            // Executed on data.
            assumed_branches_per_node: 0.0,
            added_by_data_percent: 100.0 * (1.0 / shown.active_lanes - 1.0),
            cpi_stack: cpi_entries(counters),
            simulated_warp_instructions: shown.simulated_instructions,
            wall_seconds: 0.0,
        }
    }
}

impl Shown {
    fn together(costs: &[&Cost]) -> Shown {
        let n = costs.len() as f64;
        let mut all = Shown::default();
        for Cost { shown, .. } in costs {
            all.counters = all.counters.with(&shown.counters);
            all.roles.add(&shown.roles);
            all.instructions += shown.instructions;
            all.nodes += shown.nodes;
            all.mean_frame_words += shown.mean_frame_words / n;
            all.active_lanes += shown.active_lanes / n;
            // Of a mean of independent values.
            all.error_percent = all.error_percent.hypot(shown.error_percent / n);
            all.simulated_instructions += shown.simulated_instructions;
        }
        all
    }
}

/// What takes `cycles[0]` with `repetitions[0]` and `cycles[1]` with `repetitions[1]`, with `n`.
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
