//! How long the kernel of a generation takes.
//!
//! Models: blocks of the launch executed with fewer programs (FP) or fewer cases (PPPE, PPCU) than it has, with two numbers of them,
//! and continued in a straight line (`papers::grid`). Launches that differ in nothing else share what was executed.
//! Leaves out: transfers, and adding up errors on the host. Units: milliseconds; nodes times cases per second.

use super::kernel::{Interpreter, MOST_CONSTANT_OUTPUTS, PROGRAM_WORDS, Part, shared_bytes};
use super::ndrange::{Limits, NdRange};
use super::population::{self, Data};
use super::program::Program;
use super::{Configuration, NODES, SIZES, Strategy};
use crate::device::Device;
use crate::gpu::variant::Arch;
use crate::papers::grid::{Grid, Launch, extrapolated};
use crate::predict::PredictError;
use crate::workload::executed::{ExecutedBlock, ExecutedCode, Offsets};
use rayon::prelude::*;
use std::collections::HashMap;

/// Blocks of a grid of many waves that are executed.
const SAMPLED_BLOCKS: u32 = 24;

/// What a configuration does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    pub configuration: Configuration,
    pub range: NdRange,
    pub resident_blocks: u32,
    /// Warp instructions of the launch.
    pub instructions: f64,
    pub milliseconds: f64,
    pub gpops_billion: f64,
}

/// A device and the machine code that runs on it.
#[derive(Debug, Clone, Copy)]
pub struct On<'a> {
    pub device: &'a Device,
    pub arch: Arch,
}

/// What some of a launch's repetitions cost.
#[derive(Debug)]
struct Cost {
    grid: Grid,
    groups: u32,
    repetitions: [u32; 2],
    cycles: [f64; 2],
    instructions: [f64; 2],
}

/// Every configuration's speed.
pub fn predict(
    on: On,
    configurations: &[Configuration],
    seed: u64,
) -> Result<Vec<Speed>, PredictError> {
    let alike = configurations
        .iter()
        .map(|&configuration| Ok((configuration, on.alike(configuration)?)));
    let alike: Vec<(Configuration, Configuration)> = alike.collect::<Result<_, PredictError>>()?;
    let mut distinct: Vec<Configuration> = Vec::new();
    for (_, one) in &alike {
        if !distinct.contains(one) {
            distinct.push(*one);
        }
    }
    let costs = distinct
        .par_iter()
        .map(|&one| Ok((one, on.cost(one, seed)?)));
    let costs: HashMap<Configuration, Cost> = costs.collect::<Result<_, PredictError>>()?;
    let speeds = alike
        .iter()
        .map(|(asked, one)| on.speed(*asked, &costs[one]));
    Ok(speeds.collect())
}

/// How often the part of a block that is repeated runs. If the last time is not executed, it counts as far as warps take part.
fn repetitions(configuration: Configuration, range: NdRange) -> f64 {
    match configuration.strategy {
        Strategy::Fp => configuration.population.into(),
        Strategy::Pppe => configuration.dataset.into(),
        Strategy::Ppcu => {
            let (whole, rest) = (
                configuration.dataset / range.local,
                configuration.dataset % range.local,
            );
            let all =
                f64::from(whole) + f64::from(rest.next_multiple_of(32)) / f64::from(range.local);
            let [_, most] = executed_repetitions(Strategy::Ppcu);
            if all <= f64::from(most) {
                all.ceil()
            } else {
                all
            }
        }
    }
}

/// How many of them are executed: the second number is enough for launches that have no more.
fn executed_repetitions(strategy: Strategy) -> [u32; 2] {
    match strategy {
        Strategy::Fp => [4, 20],
        Strategy::Pppe => [1, 3],
        Strategy::Ppcu => [2, 4],
    }
}

impl On<'_> {
    fn range(self, configuration: Configuration) -> NdRange {
        NdRange::of(configuration, Limits::of(self.device))
    }

    fn grid(
        self,
        configuration: Configuration,
        interpreter: &Interpreter,
    ) -> Result<Grid, PredictError> {
        let range = self.range(configuration);
        let launch = Launch {
            name: "gpocl",
            kernel: &interpreter.kernel,
            threads_per_block: range.local,
            shared_bytes: shared_bytes(interpreter.strategy, range.local),
            blocks: range.groups,
        };
        Grid::place(self.device, launch)
    }

    fn interpreter(self, configuration: Configuration) -> Result<Interpreter, PredictError> {
        let Configuration {
            strategy,
            domain,
            dataset,
            ..
        } = configuration;
        Interpreter::load(strategy, domain, dataset, self.arch)
    }

    /// One configuration for all whose repetitions cost the same.
    fn alike(self, configuration: Configuration) -> Result<Configuration, PredictError> {
        let interpreter = self.interpreter(configuration)?;
        let like = |dataset: u32| match interpreter.constant_outputs {
            true => dataset.min(MOST_CONSTANT_OUTPUTS),
            false => dataset.max(MOST_CONSTANT_OUTPUTS + 1),
        };
        let [_, most] = executed_repetitions(configuration.strategy);
        let range = self.range(configuration);
        let many = repetitions(configuration, range) > f64::from(most);
        Ok(match configuration.strategy {
            Strategy::Fp => Configuration {
                population: most.max(SIZES[0]),
                ..configuration
            },
            Strategy::Pppe => Configuration {
                dataset: like(SIZES[0]),
                ..configuration
            },
            Strategy::Ppcu => {
                let dataset = match many {
                    true => like((most + 1) * range.local),
                    false => configuration.dataset,
                };
                let of_population = |population| Configuration {
                    population,
                    dataset,
                    ..configuration
                };
                let mut alike = of_population(configuration.population);
                if self.grid(alike, &interpreter)?.has_many_waves() {
                    for population in SIZES.into_iter().rev().map(of_population) {
                        if self.grid(population, &interpreter)?.has_many_waves() {
                            alike = population;
                        }
                    }
                }
                alike
            }
        })
    }

    fn cost(self, configuration: Configuration, seed: u64) -> Result<Cost, PredictError> {
        let range = self.range(configuration);
        let interpreter = self.interpreter(configuration)?;
        let grid = self.grid(configuration, &interpreter)?;
        let all = repetitions(configuration, range).ceil() as u32;
        let repetitions = executed_repetitions(configuration.strategy).map(|some| some.min(all));
        // All groups do the same.
        let multiprocessors = match configuration.strategy {
            Strategy::Fp => 1,
            Strategy::Pppe => 2,
            Strategy::Ppcu => 4,
        };
        let sample = grid.sample(SAMPLED_BLOCKS, multiprocessors);
        let launch = Executed {
            interpreter: &interpreter,
            configuration,
            range,
            seed,
        };
        let data = Data::random(configuration.dataset, seed);
        let (mut cycles, mut instructions) = ([0.0; 2], [0.0; 2]);
        let numbers = sample.blocks();
        for (at, &some) in repetitions.iter().enumerate() {
            if at > 0 && some == repetitions[0] {
                (cycles[at], instructions[at]) = (cycles[0], instructions[0]);
                continue;
            }
            let blocks = numbers
                .par_iter()
                .map(|&block| launch.block(block, some, &data));
            let blocks = blocks.collect::<Result<Vec<ExecutedBlock>, _>>()?;
            let of_block = |block: &ExecutedBlock| {
                block
                    .warps
                    .iter()
                    .map(|warp| warp.steps.len() as f64)
                    .sum::<f64>()
            };
            let executed: f64 = blocks.iter().map(of_block).sum();
            let code = ExecutedCode::on(self.device, &interpreter.kernel, &blocks)
                .map_err(PredictError::other)?;
            drop(blocks);
            instructions[at] = executed / numbers.len() as f64 * f64::from(range.groups);
            cycles[at] = grid.cycles(&sample, &code)?;
        }
        Ok(Cost {
            grid,
            groups: range.groups,
            repetitions,
            cycles,
            instructions,
        })
    }

    fn speed(self, configuration: Configuration, cost: &Cost) -> Speed {
        let range = self.range(configuration);
        let groups = f64::from(range.groups) / f64::from(cost.groups);
        let whole = |of: [f64; 2]| {
            groups * extrapolated(repetitions(configuration, range), cost.repetitions, of)
        };
        let milliseconds = cost.grid.milliseconds(whole(cost.cycles));
        let nodes = f64::from(configuration.population) * f64::from(NODES);
        Speed {
            configuration,
            range,
            resident_blocks: cost.grid.resident_blocks(),
            instructions: whole(cost.instructions),
            milliseconds,
            gpops_billion: nodes * f64::from(configuration.dataset) / milliseconds / 1e6,
        }
    }
}

/// A launch whose blocks are executed.
struct Executed<'a> {
    interpreter: &'a Interpreter,
    configuration: Configuration,
    range: NdRange,
    seed: u64,
}

impl Executed<'_> {
    fn block(
        &self,
        block: u32,
        repetitions: u32,
        data: &Data,
    ) -> Result<ExecutedBlock, PredictError> {
        let Configuration {
            population,
            dataset,
            ..
        } = self.configuration;
        let local = self.range.local;
        let first = block * local;
        let (programs, first_case, cases) = match self.configuration.strategy {
            Strategy::Fp => (0..repetitions, first, dataset - first),
            Strategy::Pppe => (first..(first + local).min(population), 0, repetitions),
            Strategy::Ppcu => (block..block + 1, 0, dataset.min(repetitions * local)),
        };
        let first_program = match self.configuration.strategy {
            Strategy::Fp => 0,
            _ => programs.start,
        };
        let domain = self.configuration.domain;
        let programs: Vec<Program> = programs
            .map(|index| population::program(domain, index, self.seed))
            .collect();
        let part = Part {
            programs: &programs,
            data,
            first_case,
            cases,
        };
        let run = self.interpreter.execute(self.range, part)?;
        Ok(ExecutedBlock {
            nodes: vec![NODES * repetitions; run.warps.len()],
            warps: run.warps,
            offsets: Offsets {
                programs: 4 * PROGRAM_WORDS * first_program,
                cases: 4 * first_case,
                results: 4 * block,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::gpocl::Domain;

    #[test]
    fn what_is_executed_counts_whole_and_what_is_not_by_its_warps() {
        let of = |dataset| {
            let configuration = Configuration {
                strategy: Strategy::Ppcu,
                domain: Domain::Regression,
                population: 100,
                dataset,
            };
            let range = NdRange {
                local: 512,
                groups: 100,
            };
            repetitions(configuration, range)
        };
        assert_eq!(of(700), 2.0);
        assert_eq!(of(2048), 4.0);
        assert_eq!(of(5000), 9.0 + 416.0 / 512.0);
    }
}
