//! Latencies of the memories, capacities of L1 and L2, what the L1 keeps.

use super::{ROUNDS, blocks_of, fact, span};
use crate::device::characterize::readings::Readings;
use crate::measure::error::GpuError;
use crate::measure::launch::probes::{Probes, Shape};

const LINE: u32 = 128;
/// Multiprocessors that run the same list; their median counts.
const COPIES: u32 = 8;
/// Cycles that no load takes.
const NEVER: u32 = 1 << 20;
/// Loads of the L2 that are timed.
const SAMPLES: u32 = 2000;
/// Modes of the probe `lines`.
const IN_ORDER: u32 = 0;
const AT_RANDOM: u32 = 1;
const AFTER_STORES: u32 = 2;

/// Cycles of dependent loads from the L1, the L2 and the DRAM.
pub fn latency(probes: &mut Probes, readings: &mut Readings) -> Result<(), GpuError> {
    // Lines of the ring, lines from one to the next, rounds that are timed and those before.
    let far = (probes.memory_bytes() / LINE as usize / 2).next_power_of_two() as u32;
    let rings = [
        ("l1", "chase_l1", 64, 1, 100, 4),
        ("l2", "chase_l2", 1 << 14, 1051, 300, 600),
        ("dram", "chase_l2", far.min(1 << 22), 17, 30, 1),
    ];
    for (name, probe, lines, step, rounds, before) in rings {
        for round in 0..ROUNDS {
            probes.run("ring", blocks_of(512, 256), [lines, LINE, step, 0], 0)?;
            if name == "dram" {
                // What the ring's stores left in the L2 goes.
                let mib = (probes.memory_bytes() >> 20) as u32;
                probes.run("stream", blocks_of(1024, 256), [mib, 0, 0, 0], 0)?;
            }
            let times = probes.run(probe, blocks_of(1, 1), [rounds, before, 0, 0], 2)?;
            let cycles = span(&times) / (64.0 * f64::from(rounds));
            readings.push(&format!("chase_{name}"), 0, 0, round, cycles);
        }
    }
    Ok(())
}

/// A launch of `lines`, as its probe counts them.
#[derive(Clone, Copy)]
struct Lines {
    shared_bytes: u32,
    lines: u32,
    passes: u32,
    slower_than: u32,
    mode: u32,
}

impl Lines {
    /// Returns the slow loads of the last pass and the cycles of all its loads.
    fn run(self, probes: &mut Probes) -> Result<(u64, u64), GpuError> {
        let shape = Shape {
            blocks: COPIES,
            threads: 32,
            shared_bytes: self.shared_bytes,
        };
        let arguments = [self.lines, self.passes, self.slower_than, self.mode];
        let values = probes.run("lines", shape, arguments, 2 * COPIES as usize)?;
        let middle = |from: usize| {
            let mut all: Vec<u64> = values.iter().skip(from).step_by(2).copied().collect();
            all.sort_unstable();
            all[all.len() / 2]
        };
        Ok((middle(0), middle(1)))
    }

    /// Returns the cycles of a load in the last pass.
    fn cycles(self, probes: &mut Probes) -> Result<u32, GpuError> {
        Ok((self.run(probes)?.1 / u64::from(self.lines)) as u32)
    }

    /// Returns whether so many lines stay in the L1 when they are loaded again.
    fn fit(self, probes: &mut Probes, lines: u32) -> Result<bool, GpuError> {
        Ok(Lines { lines, ..self }.run(probes)?.0 <= 1)
    }

    /// Returns how many lines stay.
    fn capacity(self, probes: &mut Probes) -> Result<u32, GpuError> {
        let (mut low, mut high) = (0, MORE_LINES);
        while low + 1 < high {
            let middle = u32::midpoint(low, high);
            match self.fit(probes, middle)? {
                true => low = middle,
                false => high = middle,
            }
        }
        Ok(low)
    }
}

/// Lines that no L1 holds.
const MORE_LINES: u32 = 4096;

/// Returns the largest shared memory of each size of the L1, in KiB, with the lines that stay.
fn configurations(
    probes: &mut Probes,
    readings: &Readings,
    empty: Lines,
) -> Result<Vec<(u32, Lines)>, GpuError> {
    let reserved = fact(readings, "reserved_shared_bytes") as u32;
    let largest = fact(readings, "shared_bytes_per_multiprocessor") as u32;
    let mut found: Vec<(u32, Lines)> = Vec::new();
    for kib in (4..=largest / 1024).step_by(4) {
        let launch = Lines {
            shared_bytes: 1024 * kib - reserved,
            passes: 6,
            ..empty
        };
        // The lines that stayed with less shared memory may still do so.
        let lines = match found.last() {
            Some(&(_, last)) if launch.fit(probes, last.lines)? => {
                found.pop();
                last.lines
            }
            _ => launch.capacity(probes)?,
        };
        found.push((kib, Lines { lines, ..launch }));
    }
    Ok(found)
}

/// Lines that stay in the L1 by shared memory; the share of loads that miss where more are used.
pub fn l1(probes: &mut Probes, readings: &mut Readings) -> Result<(), GpuError> {
    let few = Lines {
        shared_bytes: 1024,
        lines: 64,
        passes: 4,
        slower_than: NEVER,
        mode: IN_ORDER,
    };
    let many = Lines {
        lines: 1 << 14,
        passes: 2,
        ..few
    };
    let (hit, miss) = (few.cycles(probes)?, many.cycles(probes)?);
    readings.push("l1_cycles_of_a_hit", 0, 0, 0, f64::from(hit));
    readings.push("l1_cycles_of_a_miss", 0, 0, 0, f64::from(miss));
    let few = Lines {
        slower_than: u32::midpoint(hit, miss),
        ..few
    };
    for (kib, full) in configurations(probes, readings, few)? {
        readings.push("l1_lines", kib, 0, 0, f64::from(full.lines));
        for percent in [105, 125, 160, 250] {
            let lines = full.lines * percent / 100;
            for (mode, name) in [(IN_ORDER, "l1_cyclic"), (AT_RANDOM, "l1_random")] {
                let launch = Lines {
                    lines,
                    passes: 12,
                    mode,
                    ..full
                };
                let (slow, _) = launch.run(probes)?;
                readings.push(name, kib, percent, 0, slow as f64 / f64::from(lines.max(1)));
            }
        }
    }
    let stored = Lines {
        passes: 2,
        mode: AFTER_STORES,
        ..few
    };
    let slow = stored.run(probes)?.0 as f64 / f64::from(stored.lines);
    readings.push("l1_slow_after_stores", 0, 0, 0, slow);
    Ok(())
}

/// Share of loads that miss the L2, by the part of its size in use, in percent.
pub fn l2(probes: &mut Probes, readings: &mut Readings) -> Result<(), GpuError> {
    let mib = fact(readings, "l2_bytes") / f64::from(1 << 20);
    let most = (probes.memory_bytes() >> 20) as u32;
    let sample = |probes: &mut Probes, mib: u32, slower_than: u32| {
        for _ in 0..3 {
            probes.run("stream", blocks_of(1024, 256), [mib, 0, 0, 0], 0)?;
        }
        probes.run(
            "sample_l2",
            blocks_of(1, 32),
            [mib, SAMPLES, slower_than, 0],
            2,
        )
    };
    let near = sample(probes, 2, NEVER)?[1] / u64::from(SAMPLES);
    let far = sample(probes, most, NEVER)?[1] / u64::from(SAMPLES);
    let slower_than = u64::midpoint(near, far) as u32;
    readings.push("l2_cycles_of_a_hit", 0, 0, 0, near as f64);
    readings.push("l2_cycles_of_a_miss", 0, 0, 0, far as f64);
    for percent in [25, 40, 50, 60, 70, 80, 90, 100, 110, 125, 150, 200] {
        let used = (mib * f64::from(percent) / 100.0) as u32;
        if used > 1 && used < most {
            let slow = sample(probes, used, slower_than)?[0];
            readings.push("l2_slow", percent, 0, 0, slow as f64 / f64::from(SAMPLES));
        }
    }
    Ok(())
}
