//! One population on several GPUs of a host.
//!
//! Models: programs dealt out by size so that every GPU gets the same work; each GPU has all fitness cases and a host
//! thread of its own, and takes its programs in parts, the longest first, whose transfers and kernels overlap. A row's time is that of a
//! whole evaluation: programs to the devices, kernels, results back and summed, from a common start to the last GPU's end.
//! Leaves out: breeding. Units: milliseconds of wall-clock time; billions of GP operations per second.
//! Sources: Chitty 2016, section 3 (GPop/s).

use std::sync::Barrier;
use std::time::Instant;

use serde::Serialize;

use super::error::GpuError;
use super::launch::{Evaluator, Gpu};
use super::rows::{AGREEMENT, MeasureError, Protocol, Times, VariantLaunch};
use crate::gp::program::Rpn;
use crate::gp::workload::{Workload, programs_digest};
use crate::systems::chitty::layout::{CaseTable, ProgramTable};
use crate::systems::chitty::oracle::{ExpectedError, relative_difference};
use crate::util::parallel;

/// One configuration on some number of GPUs.
#[derive(Debug, Clone, Serialize)]
pub struct ScalingRow {
    pub device: String,
    pub gpus: usize,
    pub problem: &'static str,
    pub programs: String,
    pub population: usize,
    pub nodes: u64,
    pub cases: u64,
    pub kernel: String,
    pub stack_dim: u32,
    pub stack_registers: u32,
    pub math: &'static str,
    #[serde(rename = "threads")]
    pub threads_per_block: u32,
    pub carveout_percent: Option<u32>,
    pub repeats: usize,
    pub median_wall_ms: f64,
    pub min_wall_ms: f64,
    pub max_wall_ms: f64,
    pub gpops_billion: f64,
    pub checked_programs: usize,
    pub agreeing_programs: usize,
}

/// One GPU with its share of the population.
struct Worker<'a> {
    evaluator: Evaluator<'a>,
    share: Vec<usize>,
    nodes: u64,
}

/// Measures `programs` split over the first `n_gpus` GPUs.
pub fn measure_split(
    n_gpus: usize,
    workload: &Workload,
    programs: &[Rpn],
    configuration: &VariantLaunch,
    protocol: Protocol,
) -> Result<ScalingRow, MeasureError> {
    let VariantLaunch {
        variant, launch, ..
    } = configuration;
    let cases = CaseTable::new(
        &workload.problem.dataset,
        (launch.threads_per_block * variant.stack_dim) as usize,
    );
    let gpus = (0..n_gpus).map(Gpu::open).collect::<Result<Vec<_>, _>>()?;
    let mut workers = gpus
        .iter()
        .zip(deal(programs, n_gpus))
        .map(|(gpu, share)| {
            let mine: Vec<Rpn> = share.iter().map(|&index| programs[index].clone()).collect();
            let tables = mine
                .chunks(part_size(mine.len(), gpu.info.multiprocessors as usize))
                .map(|part| ProgramTable::new(part, variant))
                .collect::<Result<Vec<_>, _>>()?;
            let evaluator = gpu.evaluator(configuration.load(gpu)?, &tables, &cases, *launch)?;
            Ok(Worker {
                evaluator,
                share,
                nodes: tables.iter().map(|table| table.nodes).sum(),
            })
        })
        .collect::<Result<Vec<Worker>, MeasureError>>()?;
    let launches = protocol.warm_ups + protocol.repeats;
    let (wall_ms, errors) = evaluate_together(&mut workers, launches, programs.len())?;
    let wall_ms = &wall_ms[protocol.warm_ups..];
    let checked = protocol.checked_programs.min(programs.len());
    let agree = parallel::indices(checked, |index| {
        let expected = ExpectedError::of(&programs[index], workload).with_padding(&cases);
        relative_difference(errors[index], expected) <= AGREEMENT
    });
    let agreeing = agree.into_iter().filter(|&agrees| agrees).count();
    let nodes = workers.iter().map(|worker| worker.nodes).sum();
    let n_cases = workload.problem.n_cases() as u64;
    let times = Times::of(wall_ms);
    Ok(ScalingRow {
        device: gpus
            .first()
            .map(|gpu| gpu.info.name.clone())
            .unwrap_or_default(),
        gpus: workers.len(),
        problem: workload.id.name(),
        programs: programs_digest(programs),
        population: programs.len(),
        nodes,
        cases: n_cases,
        kernel: configuration.kernel_name().to_owned(),
        stack_dim: variant.stack_dim,
        stack_registers: variant.stack_registers,
        math: variant.math.name(),
        threads_per_block: launch.threads_per_block,
        carveout_percent: launch.carveout_percent,
        repeats: wall_ms.len(),
        median_wall_ms: times.median_ms,
        min_wall_ms: times.min_ms,
        max_wall_ms: times.max_ms,
        gpops_billion: nodes as f64 * n_cases as f64 / (times.median_ms * 1e6),
        checked_programs: checked,
        agreeing_programs: agreeing,
    })
}

/// Parts that a GPU's share is cut into: the first transfer in and the last one out, which nothing hides, are an eighth of all.
const N_PARTS: usize = 8;

/// Programs of a part: at least one for every multiprocessor.
fn part_size(n_programs: usize, n_multiprocessors: usize) -> usize {
    n_programs.div_ceil(N_PARTS).max(n_multiprocessors).max(1)
}

/// Deals programs out, largest first, always to the GPU with the fewest nodes; indices of each share, largest first.
fn deal(programs: &[Rpn], n_gpus: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..programs.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(programs[index].0.len()));
    let mut shares = vec![(0usize, Vec::new()); n_gpus];
    for index in order {
        if let Some((nodes, share)) = shares.iter_mut().min_by_key(|(nodes, _)| *nodes) {
            *nodes += programs[index].0.len();
            share.push(index);
        }
    }
    shares.into_iter().map(|(_, share)| share).collect()
}

/// The wall-clock milliseconds of each evaluation, and every program's error after the last one.
fn evaluate_together(
    workers: &mut [Worker],
    launches: usize,
    n_programs: usize,
) -> Result<(Vec<f64>, Vec<f64>), GpuError> {
    let barrier = Barrier::new(workers.len());
    let run = |evaluator: &mut Evaluator| {
        let mut wall_ms = Vec::with_capacity(launches);
        let mut last = Ok(Vec::new());
        for _ in 0..launches {
            barrier.wait();
            let start = Instant::now();
            // A worker that failed goes on waiting, so that the others are not left at the barrier.
            if last.is_ok() {
                last = evaluator.evaluate();
            }
            barrier.wait();
            wall_ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        last.map(|errors| (wall_ms, errors))
    };
    let mut errors = vec![f64::NAN; n_programs];
    let mut wall_ms = Vec::new();
    std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = workers
            .iter_mut()
            .map(
                |Worker {
                     evaluator, share, ..
                 }| (scope.spawn(move || run(evaluator)), share),
            )
            .collect();
        for (thread, share) in threads {
            let (times, mine) = thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            wall_ms = times;
            for (&index, error) in share.iter().zip(mine) {
                errors[index] = error;
            }
        }
        Ok((wall_ms, errors))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_goes_to_one_gpu_and_the_work_is_even() {
        let programs: Vec<Rpn> = (0..100)
            .map(|size| vec!["X1"; size + 1].join(" ") + &" +".repeat(size))
            .map(|text| text.parse().unwrap())
            .collect();
        for n_gpus in 1..5 {
            let shares = deal(&programs, n_gpus);
            let mut all: Vec<usize> = shares.iter().flatten().copied().collect();
            all.sort_unstable();
            assert_eq!(all, (0..100).collect::<Vec<_>>());
            let nodes = |share: &Vec<usize>| {
                share
                    .iter()
                    .map(|&index| programs[index].0.len())
                    .sum::<usize>()
            };
            let (least, most) = (
                shares.iter().map(nodes).min().unwrap(),
                shares.iter().map(nodes).max().unwrap(),
            );
            assert!(most - least <= 200, "{least} {most}");
            let longest_first = |share: &Vec<usize>| share.is_sorted_by(|a, b| a >= b);
            assert!(shares.iter().all(longest_first));
        }
    }

    #[test]
    fn a_share_is_cut_into_eight_parts_that_fill_the_multiprocessors() {
        assert_eq!(part_size(64_000, 132), 8_000);
        assert_eq!(part_size(1_000, 132), 132);
        assert_eq!(part_size(10, 132), 132);
        assert_eq!(part_size(0, 0), 1);
    }
}
