//! Cycles to start grids and blocks, and the schedulers of first warps.

use super::{ROUNDS, blocks_of, fact, span};
use crate::device::characterize::readings::Readings;
use crate::measure::error::GpuError;
use crate::measure::launch::probes::{OUT_VALUES, Probes, Shape};
use crate::util::stats::{mean, median};
use std::collections::BTreeMap;

/// Shared memory of a block, in bytes, with which the L1 leaves room for one on a multiprocessor.
const ALONE: u32 = 4096;
/// Cycles that every block waits.
const WAIT: u32 = 16_000;
/// Blocks that a place runs, one after the other.
const WAVES: u32 = 8;
/// Values that a block stores, and the blocks that have room for them.
const VALUES: usize = 4;
const MOST_BLOCKS: u32 = (OUT_VALUES / VALUES) as u32;

/// Microseconds of an empty grid behind other work, cycles from a block to the next in its place, cycles per block of many that end at
/// once, blocks by the scheduler of their first warp.
pub fn blocks(probes: &mut Probes, readings: &mut Readings) -> Result<(), GpuError> {
    let n = fact(readings, "multiprocessors") as u32;
    let most = fact(readings, "threads_per_multiprocessor") as u32;
    for round in 0..ROUNDS {
        let busy = ("blocks", blocks_of(n, 32), [400_000, 0, 0, 0]);
        let ms = probes.time("empty", blocks_of(1, 32), [0; 4], Some(busy))?;
        readings.push("empty_us", 0, 0, round, f64::from(ms) * 1e3);
        let many = (512 * n).min(MOST_BLOCKS);
        let values = times(probes, (many, 64, 0), 0)?;
        let spans: Vec<f64> = (stays(&values).values())
            .map(|stays| span(stays.as_flattened()))
            .collect();
        let cycles = median(&spans).unwrap_or(f64::NAN) / f64::from(many);
        readings.push("block_interval", 64, 0, round, cycles);
        for threads in [1024, 512, 256, 64] {
            let resident = most / threads;
            if resident > 0 {
                let blocks = (n * resident * WAVES).min(MOST_BLOCKS);
                gap(probes, readings, threads, blocks, round)?;
            }
        }
    }
    Ok(())
}

/// Runs blocks that wait; returns multiprocessor, warp slot, start and end of each.
fn times(
    probes: &mut Probes,
    (blocks, threads, shared_bytes): (u32, u32, u32),
    wait: u32,
) -> Result<Vec<u64>, GpuError> {
    let shape = Shape {
        shared_bytes,
        ..blocks_of(blocks, threads)
    };
    probes.run("blocks", shape, [wait, 0, 0, 0], VALUES * blocks as usize)
}

fn gap(
    probes: &mut Probes,
    readings: &mut Readings,
    threads: u32,
    blocks: u32,
    round: u32,
) -> Result<(), GpuError> {
    let values = times(probes, (blocks, threads, ALONE), WAIT)?;
    let mut of_scheduler = [0u32; 4];
    for block in values.chunks_exact(VALUES) {
        of_scheduler[(block[1] % 4) as usize] += 1;
    }
    let gaps: Vec<f64> = stays(&values).into_values().flat_map(gaps).collect();
    let gap = mean(&gaps).unwrap_or(f64::NAN);
    readings.push("block_gap", threads, 0, round, gap);
    let most = of_scheduler.iter().max().copied().unwrap_or(0);
    let share = f64::from(most) / f64::from(blocks);
    readings.push("first_warps", threads, 0, round, share);
    Ok(())
}

/// Returns start and end of the blocks of every multiprocessor.
fn stays(values: &[u64]) -> BTreeMap<u64, Vec<[u64; 2]>> {
    let mut by_multiprocessor: BTreeMap<u64, Vec<[u64; 2]>> = BTreeMap::new();
    for block in values.chunks_exact(VALUES) {
        let stays = by_multiprocessor.entry(block[0]).or_default();
        stays.push([block[2], block[3]]);
    }
    by_multiprocessor
}

/// Cycles from each end to the start that takes its place: the next start after it that no earlier end has taken.
fn gaps(stays: Vec<[u64; 2]>) -> Vec<f64> {
    let sorted = |which: usize| {
        let mut all: Vec<u64> = stays.iter().map(|stay| stay[which]).collect();
        all.sort_unstable();
        all
    };
    let (starts, ends) = (sorted(0), sorted(1));
    let first_end = ends.first().copied().unwrap_or(0);
    let later = starts.iter().filter(|&&start| start >= first_end);
    ends.iter()
        .zip(later)
        .map(|(&end, &start)| start.saturating_sub(end) as f64)
        .collect()
}
