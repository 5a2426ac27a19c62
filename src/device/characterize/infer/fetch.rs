//! Instruction caches: sizes from straight code and from branches, latencies from handlers chosen at random.
//!
//! A visit to one of `n` handlers finds it in a cache that holds `h` of them with probability `h / n`; its further lines follow at the pace
//! of straight code.

use super::cores::taken_branches;
use super::{Rule, measured, nearest, rounded};
use crate::device::characterize::readings::Readings;
use crate::util::stats;
use toml::Value;

pub const RULES: &[Rule] = &[
    ("instruction_cache.l0_bytes", |r| {
        let hops = Hops::of(r)?;
        let how = format!(
            "`hops`: up to {} branches take {:.1} cycles each; two lines of each",
            hops.near, hops.near_cycles
        );
        Some(measured(i64::from(hops.near * 2 * LINE), &how, &[]))
    }),
    ("instruction_cache.l1_latency_cycles", |r| {
        let how = "a taken branch, and what a further one of `hops` takes longer beyond the buffer";
        Some(measured(nearest(l1_latency(r)?), how, &[]))
    }),
    ("instruction_cache.l1_bytes", |r| {
        let pace = Pace::of(r)?;
        Some(measured(i64::from(pace.bytes[0]), &pace.said(0), &[]))
    }),
    ("instruction_cache.l15_bytes", |r| {
        let pace = Pace::of(r)?;
        Some(measured(i64::from(pace.bytes[1]), &pace.said(1), &[]))
    }),
    ("instruction_cache.cycles_per_instruction", |r| {
        let [first, second, l2] = Pace::of(r)?.cycles;
        let paces = [first, second, l2, l2 * FROM_DRAM];
        let paces: Vec<Value> = paces.map(|pace| Value::Float(rounded(pace, 1))).into();
        let how = "`straight` by its size; from the DRAM, which it does not tell, three times that from the L2";
        Some(measured(paces, how, &[]))
    }),
    ("instruction_cache.prefetches", |r| {
        let cycles = Pace::of(r)?.cycles[0];
        let how =
            format!("`straight`: code of the first level takes {cycles:.2} cycles per instruction");
        Some(measured(cycles < RUNS_ON, &how, &[]))
    }),
    ("instruction_cache.l15_latency_cycles", |r| {
        let how = "`handlers` that the second level holds";
        Some(measured(nearest(l15_latency(r)?), how, &[]))
    }),
    ("instruction_cache.prefetch_lines", |r| {
        let lines = l15_latency(r)? / (PER_LINE * Pace::of(r)?.cycles[1]);
        let how = format!(
            "`straight`: code of the second level comes as with {lines:.1} lines in flight"
        );
        Some(measured(nearest(lines - 1.0).clamp(0, 64), &how, &[]))
    }),
    ("instruction_cache.l2_latency_cycles", |r| {
        let how = "`handlers` that the second level does not hold";
        Some(measured(nearest(l2_latency(r)?), how, &[]))
    }),
];

const LINE: u32 = 128;
const INSTRUCTION: u32 = 16;
const PER_LINE: f64 = 8.0;
/// Pace of code from the DRAM, over that from the L2.
const FROM_DRAM: f64 = 3.0;
/// Cycles per instruction below which lines are there before they are needed.
const RUNS_ON: f64 = 1.5;
/// Parameter of the readings of handlers of 23 instructions and a branch, which are three lines.
const HANDLERS: u32 = 231;
const HANDLER_BYTES: u32 = 3 * LINE;

/// Returns the medians of an experiment by its first parameter, in order.
fn by_size(readings: &Readings, experiment: &str, with: u32) -> Vec<(u32, f64)> {
    let rows = readings.of(experiment);
    let rows = rows.filter(|row| row.round == 0 && row.with == with);
    let median = |at| Some((at, readings.middle(experiment, at, with)?));
    let mut found: Vec<(u32, f64)> = rows.filter_map(|row| median(row.at)).collect();
    found.sort_by_key(|(at, _)| *at);
    found
}

/// Branches in turn, each to a line of its own.
struct Hops {
    /// Most branches that take no longer than the first.
    near: u32,
    near_cycles: f64,
    /// Cycles of a branch that the buffer no longer holds.
    far_cycles: f64,
}

impl Hops {
    fn of(readings: &Readings) -> Option<Self> {
        let found = by_size(readings, "hops", 0);
        let further: Vec<(u32, f64)> = found
            .windows(2)
            .map(|two| {
                let [(few, short), (many, long)] = [two[0], two[1]];
                (many, (long - short) / f64::from(many - few))
            })
            .collect();
        let near_cycles = further.first()?.1;
        let near = further
            .iter()
            .take_while(|(_, cycles)| *cycles < near_cycles + 1.0);
        let near = near.last()?.0;
        // Somewhat beyond, some of all are still held; far beyond, the first level ends.
        let beyond = further.iter().filter(|(count, _)| *count > 2 * near);
        let far_cycles = beyond.map(|(_, cycles)| *cycles).reduce(f64::min)?;
        Some(Hops {
            near,
            near_cycles,
            far_cycles,
        })
    }
}

/// Straight code by its size: three paces, and the sizes at which they change.
struct Pace {
    cycles: [f64; 3],
    bytes: [u32; 2],
}

impl Pace {
    /// The pace from the first level is that of the smallest code, from the L2 that of the largest, from the second level the median of
    /// those between; a level holds the largest code that is nearer to its pace than to the next.
    fn of(readings: &Readings) -> Option<Self> {
        let found = by_size(readings, "straight", 1);
        let (least, most) = (found.first()?.1, found.last()?.1);
        let median = |from: f64, to: f64| {
            let all = found.iter().map(|(_, cycles)| *cycles);
            let within: Vec<f64> = all.filter(|cycles| (from..to).contains(cycles)).collect();
            stats::median(&within)
        };
        let cycles = [
            median(0.0, RUNS_ON * least)?,
            median(RUNS_ON * least, most / 1.1)?,
            median(most / 1.1, f64::INFINITY)?,
        ];
        let largest = |level: usize| {
            let next = f64::midpoint(cycles[level], cycles[level + 1]);
            let held = found.iter().take_while(|(_, cycles)| *cycles < next);
            held.last().map(|(size, _)| size * INSTRUCTION)
        };
        let bytes = [largest(0)?, largest(1)?];
        Some(Pace { cycles, bytes })
    }

    fn said(&self, level: usize) -> String {
        format!(
            "`straight`: up to {} bytes take {:.1} cycles per instruction, more take {:.1}",
            self.bytes[level],
            self.cycles[level],
            self.cycles[level + 1]
        )
    }
}

fn l1_latency(readings: &Readings) -> Option<f64> {
    let hops = Hops::of(readings)?;
    let taken = stats::median(&taken_branches(readings))?;
    Some(taken + hops.far_cycles - hops.near_cycles)
}

/// Cycles that a visit takes longer than in the first level, and the shares of visits that miss the first and the second level.
struct Visit {
    cycles: f64,
    missed: [f64; 2],
}

/// Returns the visits among more handlers than the first level holds.
fn visits(readings: &Readings, pace: &Pace) -> Option<Vec<Visit>> {
    let held = pace.bytes.map(|bytes| f64::from(bytes / HANDLER_BYTES));
    let found = by_size(readings, "handlers", HANDLERS);
    let beyond = found.partition_point(|(count, _)| f64::from(*count) <= held[0]);
    let (near, beyond) = found.split_at(beyond);
    let near = near.last()?.1;
    let visit = |(count, cycles): &(u32, f64)| Visit {
        cycles: cycles - near,
        missed: held.map(|held| (1.0 - held / f64::from(*count)).max(0.0)),
    };
    Some(beyond.iter().map(visit).collect())
}

/// Returns the cycles that a visit takes longer if its handler is in the second level.
fn second_level(visits: &[Visit]) -> Option<f64> {
    let near = visits.iter().filter(|visit| visit.missed[1] == 0.0);
    let each: Vec<f64> = near.map(|visit| visit.cycles / visit.missed[0]).collect();
    stats::median(&each)
}

/// Returns the cycles by which the lines behind a handler's first come later from a level than from the one before it.
fn following(pace: &Pace, level: usize) -> f64 {
    let lines = f64::from(HANDLER_BYTES / LINE - 1);
    lines * PER_LINE * (pace.cycles[level] - pace.cycles[level - 1])
}

fn l15_latency(readings: &Readings) -> Option<f64> {
    let pace = Pace::of(readings)?;
    let more = second_level(&visits(readings, &pace)?)? - following(&pace, 1);
    Some(l1_latency(readings)? + more.max(0.0))
}

/// Share of visits that miss the second level from which a reading tells what they cost.
const MANY_MISS: f64 = 0.25;

fn l2_latency(readings: &Readings) -> Option<f64> {
    let pace = Pace::of(readings)?;
    let all = visits(readings, &pace)?;
    let second = second_level(&all)?;
    let far = all.iter().filter(|visit| visit.missed[1] > MANY_MISS);
    let each: Vec<f64> = far
        .map(|visit| (visit.cycles - visit.missed[0] * second) / visit.missed[1])
        .collect();
    let more = stats::median(&each)? - following(&pace, 2);
    Some(l15_latency(readings)? + more.max(0.0))
}
