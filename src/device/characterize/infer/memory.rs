//! L1, L2 and DRAM: latencies, sizes, what the L1 keeps.

use super::reported::bandwidth;
use super::{Found, Rule, latency, measured, nearest, rounded};
use crate::device::characterize::readings::Readings;
use crate::util::stats;
use toml::{Table, Value};

pub const RULES: &[Rule] = &[
    ("l1.hit_latency_cycles", |r| latency(r, "chase_l1", 0)),
    ("l2.hit_latency_cycles", |r| latency(r, "chase_l2", 0)),
    ("dram.latency_cycles", |r| latency(r, "chase_dram", 0)),
    ("l1.splits", |r| {
        let on_chip = OnChip::of(r)?;
        let split = |(kib, bytes)| table([("shared_bytes", KIB * kib), ("l1_bytes", bytes)]);
        let splits: Vec<Value> = on_chip.sizes().map(split).collect();
        let kib = on_chip.bytes / KIB;
        let how = format!(
            "`l1_lines`: the lines that stay and the shared memory beside them are {kib} KiB, less what is reserved"
        );
        Some(measured(splits, &how, &[]))
    }),
    ("l1.geometry", |r| {
        let geometry = |(_, bytes)| {
            let ways = bytes / LINE / SETS;
            table([("bytes", bytes), ("n_sets", SETS), ("n_ways", ways)])
        };
        let geometry: Vec<Value> = OnChip::of(r)?.sizes().map(geometry).collect();
        let how = "`l1_lines`: as many ways as hold the lines, in 4 sets, which are assumed";
        Some(measured(geometry, how, &[]))
    }),
    ("l1.reserved_ways", |r| {
        let lines = OnChip::of(r)?.reserved_lines;
        let how = format!("`l1_lines`: {lines:.0} lines of the L1 never stay");
        Some(measured(nearest(lines / SETS as f64), &how, &[]))
    }),
    ("l1.replacement", replacement),
    ("l1.write_back", write_back),
    ("l2.usable_fraction", |r| {
        // Random lines of a range larger than the L2 hit for as much of the range as it holds.
        let beyond = r.of("l2_slow").filter(|row| row.at >= 100);
        let held: Vec<f64> = beyond
            .map(|row| f64::from(row.at) / 100.0 * (1.0 - row.value))
            .collect();
        let fraction = rounded(stats::median(&held)?.clamp(0.1, 1.0), 2);
        let how = "`l2_slow`: the part of ranges of 100 to 200 % of the L2 whose lines hit";
        Some(measured(fraction, how, &held))
    }),
    ("dram.efficiency", |r| {
        let rounds = r.rounds("stream_gb_per_s", 0, 0);
        let read = stats::median(&rounds)?;
        let fraction = rounded((read / bandwidth(r)?).clamp(0.01, 1.0), 2);
        let how = format!("`stream_gb_per_s`, {read:.0}");
        Some(measured(fraction, &how, &rounds))
    }),
];

const KIB: i64 = 1024;
const LINE: i64 = 128;
/// Sets of the L1, which no reading tells.
const SETS: i64 = 4;
/// Unit of the on-chip memory.
const UNIT: i64 = 32 * KIB;

fn table<const N: usize>(fields: [(&str, i64); N]) -> Value {
    let fields = fields.map(|(name, value)| (name.to_owned(), Value::Integer(value)));
    Value::Table(Table::from_iter(fields))
}

/// The memory that L1 and shared memory divide.
struct OnChip {
    bytes: i64,
    /// Lines of the L1 that hold no data.
    reserved_lines: f64,
    /// Shared memory of each configuration, in KiB.
    shared_kib: Vec<u32>,
}

impl OnChip {
    /// The lines that stay and the shared memory beside them make the same sum in most configurations; the memory is the next unit.
    fn of(readings: &Readings) -> Option<Self> {
        let rows = || readings.of("l1_lines");
        let sums: Vec<f64> = rows()
            .map(|row| f64::from(row.at) * KIB as f64 + row.value * LINE as f64)
            .collect();
        let used = stats::median(&sums)?;
        let bytes = (used / UNIT as f64).ceil() as i64 * UNIT;
        Some(OnChip {
            bytes,
            reserved_lines: (bytes as f64 - used) / LINE as f64,
            shared_kib: rows().map(|row| row.at).collect(),
        })
    }

    /// Returns KiB of shared memory and bytes of the L1 of each configuration.
    fn sizes(&self) -> impl Iterator<Item = (i64, i64)> {
        let all = self.shared_kib.iter().map(|&kib| i64::from(kib));
        let sizes = all.map(|kib| (kib, self.bytes - KIB * kib));
        sizes.filter(|(_, bytes)| *bytes >= LINE * SETS)
    }
}

/// Share of loads in turn of a quarter more lines than stay that miss if any line leaves with the same probability: the solution of
/// 1 - m = exp(-1.25 m). All miss if the least recently used line leaves.
const MISSED_AT_RANDOM: f64 = 0.37;

fn replacement(readings: &Readings) -> Option<Found> {
    let beyond = readings.of("l1_cyclic").filter(|row| row.with == 125);
    let shares: Vec<f64> = beyond.map(|row| row.value).collect();
    let missed = stats::median(&shares)?;
    let policy = match missed > f64::midpoint(1.0, MISSED_AT_RANDOM) {
        true => "lru",
        false => "random",
    };
    let how = format!(
        "`l1_cyclic`: {missed:.2} of the loads in turn of a quarter more lines than stay miss, where 1 would with lru and {MISSED_AT_RANDOM} with random"
    );
    Some(measured(policy, &how, &[]))
}

/// Stores to a few lines of local memory reach the L2 as fast as those to many, unless the L1 holds them back.
fn write_back(readings: &Readings) -> Option<Found> {
    let all = readings.fact("multiprocessors")? as u32;
    let few = readings.middle("traffic.local", all, 4)?;
    let many = readings.middle("traffic.local", all, 64)?;
    let how = format!(
        "`traffic.local`: stores to 4 lines a warp take {few:.1} bytes a cycle, to 64 lines {many:.1}"
    );
    Some(measured(few > 2.0 * many, &how, &[]))
}
