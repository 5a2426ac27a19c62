//! Latencies of the memories, capacities of L1 and L2, what the L1 keeps.

use super::{ROUNDS, blocks_of, fact, span};
use crate::measure::card::readings::Readings;
use crate::measure::error::GpuError;
use crate::measure::launch::probes::{Probes, Shape};

const LINE: u32 = 128;
/// Multiprocessors that run the same list; their median counts.
const COPIES: u32 = 8;

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

/// A launch of `lines`: the median of slow loads, or of all cycles.
struct Lines {
    shared_bytes: u32,
    lines: u32,
    passes: u32,
    slower_than: u32,
    mode: u32,
}

impl Lines {
    fn run(&self, probes: &mut Probes) -> Result<(u64, u64), GpuError> {
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

    /// Cycles of a load in the last pass.
    fn cycles(&self, probes: &mut Probes) -> Result<u32, GpuError> {
        Ok((self.run(probes)?.1 / u64::from(self.lines)) as u32)
    }
}

/// Lines that stay in the L1 by shared memory; the share of loads that miss where more are used.
pub fn l1(probes: &mut Probes, readings: &mut Readings) -> Result<(), GpuError> {
    let all_lines = |shared_bytes, lines, passes, slower_than, mode| Lines {
        shared_bytes,
        lines,
        passes,
        slower_than,
        mode,
    };
    let hit = all_lines(1024, 64, 4, 1 << 20, 0).cycles(probes)?;
    let miss = all_lines(1024, 1 << 14, 2, 1 << 20, 0).cycles(probes)?;
    let slower_than = u32::midpoint(hit, miss);
    readings.push("l1_cycles_of_a_hit", 0, 0, 0, f64::from(hit));
    readings.push("l1_cycles_of_a_miss", 0, 0, 0, f64::from(miss));
    let reserved = fact(readings, "reserved_shared_bytes") as u32;
    let largest = fact(readings, "shared_bytes_per_multiprocessor") as u32;
    let mut configurations: Vec<(u32, u32)> = Vec::new();
    for kib in (4..=largest / 1024).step_by(4) {
        let shared_bytes = 1024 * kib - reserved;
        let fits = |probes: &mut Probes, lines| {
            let (slow, _) = all_lines(shared_bytes, lines, 6, slower_than, 0).run(probes)?;
            Ok::<bool, GpuError>(slow <= 1)
        };
        // The same as with less shared memory, or fewer.
        if let Some(&(_, lines)) = configurations.last()
            && fits(probes, lines)?
        {
            configurations.pop();
            configurations.push((kib, lines));
            continue;
        }
        let (mut low, mut high) = (0, 4096);
        while low + 1 < high {
            let middle = u32::midpoint(low, high);
            if fits(probes, middle)? {
                low = middle;
            } else {
                high = middle;
            }
        }
        configurations.push((kib, low));
    }
    for &(kib, lines) in &configurations {
        readings.push("l1_lines", kib, 0, 0, f64::from(lines));
        let shared_bytes = 1024 * kib - reserved;
        for percent in [105, 125, 160, 250] {
            let n = lines * percent / 100;
            for (mode, name) in [(0, "l1_cyclic"), (1, "l1_random")] {
                let (slow, _) = all_lines(shared_bytes, n, 12, slower_than, mode).run(probes)?;
                readings.push(name, kib, percent, 0, slow as f64 / f64::from(n.max(1)));
            }
        }
    }
    let (slow, _) = all_lines(1024, 64, 2, slower_than, 2).run(probes)?;
    readings.push("l1_slow_after_stores", 0, 0, 0, slow as f64 / 64.0);
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
            [mib, 2000, slower_than, 0],
            2,
        )
    };
    let near = sample(probes, 2, 1 << 20)?[1] / 2000;
    let far = sample(probes, most, 1 << 20)?[1] / 2000;
    let slower_than = u64::midpoint(near, far) as u32;
    readings.push("l2_cycles_of_a_hit", 0, 0, 0, near as f64);
    readings.push("l2_cycles_of_a_miss", 0, 0, 0, far as f64);
    for percent in [25, 40, 50, 60, 70, 80, 90, 100, 110, 125, 150, 200] {
        let used = (mib * f64::from(percent) / 100.0) as u32;
        if used > 1 && used < most {
            let slow = sample(probes, used, slower_than)?[0];
            readings.push("l2_slow", percent, 0, 0, slow as f64 / 2000.0);
        }
    }
    Ok(())
}
