//! Cycles to start grids and blocks, and the schedulers of first warps.

use super::{ROUNDS, blocks_of, fact};
use crate::measure::card::readings::Readings;
use crate::measure::error::GpuError;
use crate::measure::launch::probes::Probes;
use crate::util::stats::median;
use std::collections::BTreeMap;

/// Cycles that every block waits.
const WAIT: u32 = 16_000;
/// Blocks that a place runs, one after the other.
const WAVES: u32 = 8;

/// Microseconds of an empty grid behind other work, cycles from a block to the next in its place, cycles per block of many that end at
/// once, blocks by the scheduler of their first warp.
pub fn blocks(probes: &mut Probes, readings: &mut Readings) -> Result<(), GpuError> {
    let n = fact(readings, "multiprocessors") as u32;
    let most = fact(readings, "threads_per_multiprocessor") as u32;
    for round in 0..ROUNDS {
        let busy = ("blocks", blocks_of(n, 32), [400_000, 0, 0, 0]);
        let ms = probes.time("empty", blocks_of(1, 32), [0; 4], Some(busy))?;
        readings.push("empty_us", 0, 0, round, f64::from(ms) * 1e3);
        let many = 512 * n;
        let values = probes.run("blocks", blocks_of(many, 64), [0; 4], 4 * many as usize)?;
        let spans: Vec<f64> = (stays(&values).values()).map(|stays| span(stays)).collect();
        let cycles = median(&spans).unwrap_or(f64::NAN) / f64::from(many);
        readings.push("block_interval", 64, 0, round, cycles);
        for threads in [1024, 512, 256, 64] {
            let resident = most / threads;
            if resident > 0 {
                gap(probes, readings, threads, n * resident * WAVES, round)?;
            }
        }
    }
    Ok(())
}

/// Block, with its times, on a multiprocessor.
struct Stay {
    start: u64,
    end: u64,
}

fn gap(
    probes: &mut Probes,
    readings: &mut Readings,
    threads: u32,
    blocks: u32,
    round: u32,
) -> Result<(), GpuError> {
    let shape = blocks_of(blocks, threads);
    let values = probes.run("blocks", shape, [WAIT, 0, 0, 0], 4 * blocks as usize)?;
    let mut of_scheduler = [0u32; 4];
    for block in values.chunks_exact(4) {
        of_scheduler[(block[1] % 4) as usize] += 1;
    }
    let gaps: Vec<f64> = stays(&values).into_values().flat_map(gaps).collect();
    let mean = crate::util::stats::mean(&gaps).unwrap_or(f64::NAN);
    readings.push("block_gap", threads, 0, round, mean);
    let most = of_scheduler.iter().max().copied().unwrap_or(0);
    let share = f64::from(most) / f64::from(blocks);
    readings.push("first_warps", threads, 0, round, share);
    Ok(())
}

/// Returns the blocks of every multiprocessor.
fn stays(values: &[u64]) -> BTreeMap<u64, Vec<Stay>> {
    let mut by_multiprocessor: BTreeMap<u64, Vec<Stay>> = BTreeMap::new();
    for block in values.chunks_exact(4) {
        let stay = Stay {
            start: block[2],
            end: block[3],
        };
        by_multiprocessor.entry(block[0]).or_default().push(stay);
    }
    by_multiprocessor
}

/// Cycles from the first start to the last end.
fn span(stays: &[Stay]) -> f64 {
    let start = stays.iter().map(|stay| stay.start).min().unwrap_or(0);
    let end = stays.iter().map(|stay| stay.end).max().unwrap_or(0);
    (end - start) as f64
}

/// Cycles from each end to the start that takes its place: the next start after it that no earlier end has taken.
fn gaps(mut stays: Vec<Stay>) -> Vec<f64> {
    stays.sort_by_key(|stay| stay.start);
    let mut ends: Vec<u64> = stays.iter().map(|stay| stay.end).collect();
    ends.sort_unstable();
    let starts: Vec<u64> = stays.iter().map(|stay| stay.start).collect();
    let first_end = ends.first().copied().unwrap_or(0);
    let later = starts.iter().filter(|&&start| start >= first_end);
    ends.iter()
        .zip(later)
        .map(|(&end, &start)| start.saturating_sub(end) as f64)
        .collect()
}
