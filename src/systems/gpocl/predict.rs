//! How long the kernel of a generation takes.
//!
//! Models: blocks of the launch executed with fewer programs (FP) or fewer cases (PPPE, PPCU) than it has, with two numbers of them,
//! and continued in a straight line (`papers::launch`). Launches that differ in nothing else share what was executed.
//! Leaves out: transfers, and adding up errors on the host. Units: milliseconds; nodes times cases per second.

use super::kernel::{Interpreter, MOST_CONSTANT_OUTPUTS, PROGRAM_WORDS, Part, shared_bytes};
use super::ndrange::{Limits, NdRange};
use super::population::{self, Data};
use super::program::Program;
use super::{Configuration, INPUTS, NODES, SIZES, Strategy};
use crate::launch::divergent::{Cost, Executable, Executed, Extent, On, Whole};
use crate::launch::executed::{ExecutedBlock, ExecutedCode, Offsets};
use crate::launch::grid::{Grid, Launch, Sample};
use crate::launch::prediction::PredictError;
use crate::launch::work::Work;
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

/// A launch placed on a device, and what some of its repetitions cost.
#[derive(Debug)]
struct Costed {
    grid: Grid,
    groups: u32,
    cost: Cost,
}

/// Every configuration's speed.
pub fn predict(
    on: On,
    configurations: &[Configuration],
    seed: u64,
) -> Result<Vec<Speed>, PredictError> {
    let speed = |(&configuration, whole): (&Configuration, Whole)| Speed {
        configuration,
        range: range(on, configuration),
        resident_blocks: whole.resident_blocks(),
        instructions: whole.warp_instructions,
        milliseconds: whole.milliseconds,
        gpops_billion: whole.gpops_billion,
    };
    let wholes = generations(on, configurations, seed)?;
    Ok(configurations.iter().zip(wholes).map(speed).collect())
}

/// What a generation of every configuration comes to.
pub fn generations(
    on: On,
    configurations: &[Configuration],
    seed: u64,
) -> Result<Vec<Whole>, PredictError> {
    let alike = configurations
        .iter()
        .map(|&configuration| Ok((configuration, alike(on, configuration)?)));
    let alike: Vec<(Configuration, Configuration)> = alike.collect::<Result<_, PredictError>>()?;
    let mut distinct: Vec<Configuration> = Vec::new();
    for (_, one) in &alike {
        if !distinct.contains(one) {
            distinct.push(*one);
        }
    }
    let costs = distinct
        .par_iter()
        .map(|&one| Ok((one, costed(on, one, seed)?)));
    let costs: HashMap<Configuration, Costed> = costs.collect::<Result<_, PredictError>>()?;
    let wholes = alike
        .iter()
        .map(|(asked, one)| whole(on, *asked, &costs[one]));
    Ok(wholes.collect())
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

fn range(on: On, configuration: Configuration) -> NdRange {
    NdRange::of(configuration, Limits::of(on.device))
}

/// Programs, inputs and expected outputs.
fn data_bytes(configuration: Configuration) -> u64 {
    let programs = u64::from(configuration.population) * u64::from(PROGRAM_WORDS);
    4 * (programs + u64::from(configuration.dataset) * u64::from(INPUTS + 1))
}

fn grid(
    on: On,
    configuration: Configuration,
    interpreter: &Interpreter,
) -> Result<Grid, PredictError> {
    let range = range(on, configuration);
    let launch = Launch {
        name: interpreter.strategy.kernel(),
        kernel: &interpreter.kernel,
        threads_per_block: range.local,
        shared_bytes: shared_bytes(interpreter.strategy, range.local),
        blocks: range.groups,
        data_bytes: data_bytes(configuration),
        carve_out: on.carve_out,
    };
    Grid::place(on.device, launch)
}

fn interpreter(on: On, configuration: Configuration) -> Result<Interpreter, PredictError> {
    let Configuration {
        strategy,
        domain,
        dataset,
        ..
    } = configuration;
    Interpreter::load(strategy, domain, dataset, on.arch)
}

/// One configuration for all whose repetitions cost the same.
fn alike(on: On, configuration: Configuration) -> Result<Configuration, PredictError> {
    let interpreter = interpreter(on, configuration)?;
    let like = |dataset: u32| match interpreter.constant_outputs {
        true => dataset.min(MOST_CONSTANT_OUTPUTS),
        false => dataset.max(MOST_CONSTANT_OUTPUTS + 1),
    };
    let [_, most] = executed_repetitions(configuration.strategy);
    let range = range(on, configuration);
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
            if grid(on, alike, &interpreter)?.has_many_waves() {
                for population in SIZES.into_iter().rev().map(of_population) {
                    if grid(on, population, &interpreter)?.has_many_waves() {
                        alike = population;
                    }
                }
            }
            alike
        }
    })
}

fn costed(on: On, configuration: Configuration, seed: u64) -> Result<Costed, PredictError> {
    let range = range(on, configuration);
    let interpreter = interpreter(on, configuration)?;
    let mut generation = Generation {
        on,
        grid: grid(on, configuration, &interpreter)?,
        interpreter: &interpreter,
        configuration,
        range,
        data: Data::random(configuration.dataset, seed),
        seed,
        work: None,
    };
    let differ = configuration.strategy == Strategy::Pppe;
    if differ && !generation.grid.has_many_waves() {
        let execute = |block| Ok(generation.block(block, 1)?.warps);
        generation.work = Some(Work::count(range.groups, execute)?);
    }
    Ok(Costed {
        cost: Cost::of(&generation, on.timing)?,
        grid: generation.grid,
        groups: range.groups,
    })
}

fn whole(on: On, configuration: Configuration, costed: &Costed) -> Whole {
    let range = range(on, configuration);
    let extent = Extent {
        programs: configuration.population,
        cases: configuration.dataset,
        repetitions: repetitions(configuration, range),
        grids: f64::from(range.groups) / f64::from(costed.groups),
    };
    Whole::of(&costed.grid, &[&costed.cost], extent)
}

/// A launch whose blocks are executed.
struct Generation<'a> {
    on: On<'a>,
    grid: Grid,
    interpreter: &'a Interpreter,
    configuration: Configuration,
    range: NdRange,
    data: Data,
    seed: u64,
    /// Of groups that differ, in a grid that ends with the longest.
    work: Option<Work>,
}

impl Executable for Generation<'_> {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn sample(&self) -> Sample {
        let multiprocessors = match self.configuration.strategy {
            // All groups do the same.
            Strategy::Fp => 1,
            Strategy::Pppe => 2,
            Strategy::Ppcu => 4,
        };
        match &self.work {
            Some(work) => {
                let work = work.longest_warps();
                (self.grid).sample_by_work(SAMPLED_BLOCKS, multiprocessors, work)
            }
            None => self.grid.sample(SAMPLED_BLOCKS, multiprocessors),
        }
    }

    fn executed_repetitions(&self, _: &Sample) -> [u32; 2] {
        let all = repetitions(self.configuration, self.range).ceil() as u32;
        executed_repetitions(self.configuration.strategy).map(|some| some.min(all))
    }

    fn execute(&self, sample: &Sample, repetitions: u32) -> Result<Executed, PredictError> {
        let numbers = sample.blocks();
        let blocks = numbers
            .par_iter()
            .map(|&block| self.block(block, repetitions));
        let blocks = blocks.collect::<Result<Vec<ExecutedBlock>, _>>()?;
        let warps = blocks.iter().flat_map(|block| &block.warps);
        let executed: f64 = warps.map(|warp| warp.steps.len() as f64).sum();
        // The groups that take longest execute more than others.
        let ratio = (self.work.as_ref()).map_or(1.0, |work| work.all_over(&numbers));
        let code = ExecutedCode::on(self.on.device, &self.interpreter.kernel, &blocks);
        Ok(Executed {
            code: code.map_err(PredictError::other)?,
            instructions: ratio * executed / numbers.len() as f64 * f64::from(self.range.groups),
            mean_nodes: NODES.into(),
            of_time: 1.0,
        })
    }
}

impl Generation<'_> {
    fn block(&self, block: u32, repetitions: u32) -> Result<ExecutedBlock, PredictError> {
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
            data: &self.data,
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
    use crate::systems::gpocl::Domain;

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
