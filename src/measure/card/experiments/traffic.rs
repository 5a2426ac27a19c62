//! Bytes per cycle to and from the L2 and the DRAM, and which multiprocessors share a port.

use super::{ROUNDS, blocks_of, fact, span};
use crate::device::characterize::readings::Readings;
use crate::measure::error::GpuError;
use crate::measure::launch::probes::{LIST_VALUES, Probes, Shape};

/// Cycles of a launch.
const CYCLES: u32 = 300_000;

/// Shared memory of a block, so that a multiprocessor holds one: more than half of what it has.
fn whole(readings: &Readings, blocks: u32) -> Shape {
    Shape {
        blocks,
        threads: 1024,
        shared_bytes: (fact(readings, "shared_bytes_per_multiprocessor") as u32) / 2 + 2048,
    }
}

/// Bytes per cycle of each multiprocessor of a set; the others are idle.
fn traffic(
    probes: &mut Probes,
    shape: Shape,
    probe: &str,
    members: &[bool],
    lines: u32,
) -> Result<Vec<f64>, GpuError> {
    let list: Vec<u32> = members.iter().map(|&is| u32::from(is)).collect();
    let n = list.iter().sum();
    probes.set_list(&list)?;
    probes.clear()?;
    let bytes = probes.run(probe, shape, [CYCLES, n, lines, 0], LIST_VALUES)?;
    let of = |(&bytes, &is): (&u64, &bool)| is.then(|| bytes as f64 / f64::from(CYCLES));
    Ok(bytes.iter().zip(members).filter_map(of).collect())
}

fn mean(values: &[f64]) -> f64 {
    crate::util::stats::mean(values).unwrap_or(f64::NAN)
}

/// Bytes per cycle and multiprocessor, by kind of traffic, of one, one in two and all; GB/s of the DRAM; hits beside misses.
pub fn l2(probes: &mut Probes, readings: &mut Readings) -> Result<(), GpuError> {
    let n = fact(readings, "multiprocessors") as u32;
    let shape = whole(readings, n);
    let sets = |step: u32| -> Vec<bool> { (0..n).map(|i| i.is_multiple_of(step)).collect() };
    let kinds = [
        ("store", 64),
        ("load", 64),
        ("both", 64),
        ("part", 64),
        ("local", 64),
        ("local", 16),
        ("local", 4),
    ];
    for round in 0..ROUNDS {
        for (kind, lines) in kinds {
            let probe = format!("traffic_{kind}");
            for (at, members) in [(1, sets(n)), (n / 2, sets(2)), (n, sets(1))] {
                let each = traffic(probes, shape, &probe, &members, lines)?;
                readings.push(&format!("traffic.{kind}"), at, lines, round, mean(&each));
            }
        }
        let mib = (probes.memory_bytes() >> 20) as u32;
        let ms = probes.time("stream", blocks_of(4 * n, 512), [mib, 0, 0, 0], None)?;
        let gb_per_s = f64::from(mib) * 1.048_576 / f64::from(ms);
        readings.push("stream_gb_per_s", 0, 0, round, gb_per_s);
    }
    fills(probes, readings)
}

/// Lines per cycle that hit, by the lines that miss beside them.
fn fills(probes: &mut Probes, readings: &mut Readings) -> Result<(), GpuError> {
    let rounds = 2000;
    for hitting in [4, 8, 16] {
        for missing in [0, 1, 2, 4, 8] {
            for flight in [1, 4] {
                let probe = format!("fill_{flight}");
                let shape = super::block(hitting + missing);
                for _ in 0..2 {
                    probes.run(&probe, shape, [hitting, rounds, 0, 0], 0)?;
                }
                let times = probes.run(&probe, shape, [hitting, rounds, 0, 0], 64)?;
                let (hits, misses) = times.split_at(2 * hitting as usize);
                let lines = f64::from(32 * hitting * rounds) / span(hits);
                let missed = misses.chunks(2).take(missing as usize);
                let missed: f64 = missed.map(|at| at[1] as f64 / at[0] as f64).sum();
                let with = 10 * missing + flight;
                readings.push("fill.hits", hitting, with, 0, lines);
                readings.push("fill.misses", hitting, with, 0, missed);
            }
        }
    }
    Ok(())
}

/// Bytes per cycle that a pair of multiprocessors gains while another pair is idle: those that share a port gain.
pub fn ports(probes: &mut Probes, readings: &mut Readings) -> Result<(), GpuError> {
    let n = fact(readings, "multiprocessors") as u32;
    let shape = whole(readings, n);
    for round in 0..ROUNDS {
        let busy = traffic(probes, shape, "traffic_store", &vec![true; n as usize], 64)?;
        for idle in 0..n / 2 {
            let members: Vec<bool> = (0..n).map(|i| i / 2 != idle).collect();
            let mut stored = traffic(probes, shape, "traffic_store", &members, 64)?.into_iter();
            for pair in 0..n / 2 {
                if pair == idle {
                    continue;
                }
                let mut of = |i: usize| stored.next().unwrap_or(f64::NAN) - busy[i];
                let gain = of(2 * pair as usize) + of(2 * pair as usize + 1);
                if gain > 1.0 {
                    readings.push("port_gain", idle, pair, round, gain);
                }
            }
        }
    }
    Ok(())
}
