//! Time of a generation's kernel.
//!
//! Models: blocks of the launch executed with fewer programs (FP) or fewer cases (PPPE, PPCU) than it has, at two repetition
//! counts, and extrapolated linearly (`launch::divergent`). Launches that differ only in repetitions share executions.
//! Leaves out: transfers, and adding up errors on the host. Units: milliseconds; nodes times cases per second.

use super::kernel::{self, MOST_CONSTANT_OUTPUTS, PROGRAM_WORDS, Part};
use super::ndrange::{Limits, NdRange};
use super::population::{self, Data};
use super::program::Program;
use super::{GpoclConfiguration, INPUTS, NODES, SIZES, Strategy};
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
use std::collections::HashMap;
use std::sync::Arc;

/// Number of blocks executed from a grid of many waves.
const SAMPLED_BLOCKS: u32 = 24;

/// Predicted speed of a configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpoclSpeed {
    pub configuration: GpoclConfiguration,
    pub range: NdRange,
    /// Warp instructions of the launch.
    pub instructions: f64,
    pub milliseconds: f64,
    pub gpops_billion: f64,
}

/// Returns every configuration's speed. Configurations that differ only in repetitions share executions and their timing.
pub fn predict(
    machine: Machine,
    configurations: &[GpoclConfiguration],
    seed: u64,
) -> Result<Vec<GpoclSpeed>, PredictError> {
    let alike = configurations.iter().map(|&one| alike(machine, one));
    let alike: Vec<GpoclConfiguration> = alike.collect::<Result<_, _>>()?;
    let mut distinct: Vec<GpoclConfiguration> = Vec::new();
    for one in &alike {
        if !distinct.contains(one) {
            distinct.push(*one);
        }
    }
    let executed = parallel::try_map(&distinct, |&one| {
        let (placement, sampled) = executed(machine, one, seed)?;
        let work = work(machine, one, one, sampled);
        let timed = work.timed(&placement)?;
        Ok::<_, PredictError>((one, (placement, work.sampled, timed)))
    });
    let executed: HashMap<GpoclConfiguration, _> = executed?.into_iter().collect();
    let speed = |(&configuration, alike): (&GpoclConfiguration, &GpoclConfiguration)| {
        let (placement, sampled, timed) = &executed[alike];
        let work = work(machine, configuration, *alike, sampled.clone());
        let timing = work.continued_timing(placement, timed);
        GpoclSpeed {
            configuration,
            range: range(machine, configuration),
            instructions: work.warp_instructions(placement.ideals),
            milliseconds: timing.milliseconds,
            gpops_billion: timing.gpops_billion,
        }
    };
    Ok(configurations.iter().zip(&alike).map(speed).collect())
}

/// Makes a generation of a configuration. The placement is that of the launch whose blocks are executed for all similar
/// configurations.
pub fn generation(
    machine: Machine,
    configuration: GpoclConfiguration,
    seed: u64,
) -> Result<(Placement, DivergentWork), PredictError> {
    let alike = alike(machine, configuration)?;
    let (placement, sampled) = executed(machine, alike, seed)?;
    Ok((placement, work(machine, configuration, alike, sampled)))
}

/// Returns all of a configuration's work, extrapolated from the executed blocks of the similar configuration `alike`.
fn work(
    machine: Machine,
    configuration: GpoclConfiguration,
    alike: GpoclConfiguration,
    sampled: Vec<Sampled>,
) -> DivergentWork {
    let range = range(machine, configuration);
    let groups = self::range(machine, alike).groups;
    DivergentWork {
        sampled,
        extent: Extent {
            programs: configuration.population,
            cases: configuration.dataset,
            repetitions: repetitions(configuration, range),
            grids: f64::from(range.groups) / f64::from(groups),
        },
    }
}

/// Returns the number of runs of a block's repeated part. A last run that is not executed counts in proportion to its warps.
fn repetitions(configuration: GpoclConfiguration, range: NdRange) -> f64 {
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

/// Returns the two repetition counts that are executed; the second suffices for launches with no more repetitions.
fn executed_repetitions(strategy: Strategy) -> [u32; 2] {
    match strategy {
        Strategy::Fp => [4, 20],
        Strategy::Pppe => [1, 3],
        Strategy::Ppcu => [2, 4],
    }
}

fn range(machine: Machine, configuration: GpoclConfiguration) -> NdRange {
    NdRange::of(configuration, Limits::of(machine.device))
}

/// Returns the bytes of programs, inputs and expected outputs.
fn data_bytes(configuration: GpoclConfiguration) -> u64 {
    let programs = u64::from(configuration.population) * u64::from(PROGRAM_WORDS);
    4 * (programs + u64::from(configuration.dataset) * u64::from(INPUTS + 1))
}

fn placement(
    machine: Machine,
    configuration: GpoclConfiguration,
    kernel: &Kernel,
) -> Result<Placement, PredictError> {
    let range = range(machine, configuration);
    let grid = DivergentGrid {
        name: configuration.strategy.kernel(),
        kernel,
        threads_per_block: range.local,
        shared_bytes: kernel::shared_bytes(configuration.strategy, range.local),
        blocks: range.groups,
        data_bytes: data_bytes(configuration),
        carve_out: machine.carve_out,
    };
    Placement::of_divergent(machine.device, grid)
}

fn load(machine: Machine, configuration: GpoclConfiguration) -> Result<Kernel, PredictError> {
    let GpoclConfiguration {
        strategy,
        domain,
        dataset,
        ..
    } = configuration;
    kernel::load(strategy, domain, dataset, machine.arch)
}

/// Returns the configuration that represents all whose repetitions cost the same.
fn alike(
    machine: Machine,
    configuration: GpoclConfiguration,
) -> Result<GpoclConfiguration, PredictError> {
    let kernel = load(machine, configuration)?;
    let like = |dataset: u32| match kernel::has_constant_outputs(configuration.dataset) {
        true => dataset.min(MOST_CONSTANT_OUTPUTS),
        false => dataset.max(MOST_CONSTANT_OUTPUTS + 1),
    };
    let [_, most] = executed_repetitions(configuration.strategy);
    let range = range(machine, configuration);
    let many = repetitions(configuration, range) > f64::from(most);
    Ok(match configuration.strategy {
        Strategy::Fp => GpoclConfiguration {
            population: most.max(SIZES[0]),
            ..configuration
        },
        Strategy::Pppe => GpoclConfiguration {
            dataset: like(SIZES[0]),
            ..configuration
        },
        Strategy::Ppcu => {
            let dataset = match many {
                true => like((most + 1) * range.local),
                false => configuration.dataset,
            };
            let of_population = |population| GpoclConfiguration {
                population,
                dataset,
                ..configuration
            };
            let mut alike = of_population(configuration.population);
            if placement(machine, alike, &kernel)?.has_many_waves(false) {
                for population in SIZES.into_iter().rev().map(of_population) {
                    if placement(machine, population, &kernel)?.has_many_waves(false) {
                        alike = population;
                    }
                }
            }
            alike
        }
    })
}

fn executed(
    machine: Machine,
    configuration: GpoclConfiguration,
    seed: u64,
) -> Result<(Placement, Vec<Sampled>), PredictError> {
    let range = range(machine, configuration);
    let kernel = load(machine, configuration)?;
    let placement = placement(machine, configuration, &kernel)?;
    let mut generation = ExecutedLaunch {
        kernel: &kernel,
        configuration,
        range,
        data: Data::random(configuration.dataset, seed),
        seed,
        work: None,
    };
    let part = [configuration.population, configuration.dataset];
    let differ = configuration.strategy == Strategy::Pppe;
    if differ && !placement.has_many_waves(false) {
        let execute = |block| Ok(generation.block(block, 1).execute()?.warps);
        let count = || BlockWork::count(range.groups, execute);
        generation.work = Some(machine.counted(part, count)?);
    }
    let sample = generation.sample(&placement);
    let all = repetitions(configuration, range).ceil() as u32;
    let repetitions = executed_repetitions(configuration.strategy).map(|some| some.min(all));
    let sampled = machine.sampled(
        part,
        &kernel,
        (sample, repetitions),
        |_, block, repetitions| Ok(generation.block(block, repetitions)),
        |sample, _, code| Ok(generation.whole(sample, code)),
    )?;
    Ok((placement, vec![sampled]))
}

/// A launch whose blocks are executed.
struct ExecutedLaunch<'a> {
    kernel: &'a Kernel,
    configuration: GpoclConfiguration,
    range: NdRange,
    data: Data,
    seed: u64,
    /// Work of every block, for groups that differ in a grid that ends with the longest.
    work: Option<Arc<BlockWork>>,
}

impl<'a> ExecutedLaunch<'a> {
    /// Returns the blocks that represent all.
    fn sample(&self, placement: &Placement) -> Sample {
        let multiprocessors = match self.configuration.strategy {
            // All groups do the same work.
            Strategy::Fp => 1,
            Strategy::Pppe => 2,
            Strategy::Ppcu => 4,
        };
        let work = self.work.as_ref().map(|work| work.longest_warps());
        placement.sample(SAMPLED_BLOCKS, multiprocessors, work)
    }

    fn block(&self, block: u32, repetitions: u32) -> BlockLaunch<'a> {
        let GpoclConfiguration {
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
        let first_program = programs.start;
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
        BlockLaunch {
            nodes: nodes_of_warps(local, repetitions, |_| Some(NODES)),
            offsets: Offsets {
                programs: 4 * PROGRAM_WORDS * first_program,
                cases: 4 * first_case,
                results: 4 * block,
            },
            ..kernel::block(self.kernel, domain, local, part)
        }
    }

    /// Returns what executed blocks stand for.
    fn whole(&self, sample: &Sample, code: ExecutedCode) -> Executed {
        let numbers = sample.blocks();
        // The longest-running groups execute more than the others.
        let ratio = (self.work.as_ref()).map_or(1.0, |work| work.all_over(&numbers));
        let groups = f64::from(self.range.groups);
        Executed {
            instructions: ratio * code.steps / numbers.len() as f64 * groups,
            code,
            mean_nodes: NODES.into(),
            of_time: 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::gpocl::Domain;

    #[test]
    fn what_is_executed_counts_whole_and_what_is_not_by_its_warps() {
        let of = |dataset| {
            let configuration = GpoclConfiguration {
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
