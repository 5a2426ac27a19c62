//! Latencies and throughputs of instructions, branches, barriers, shared memory.

use super::{Found, Rule, latency, measured, nearest, rounded, whole};
use crate::device::characterize::readings::Readings;
use crate::util::stats;

pub const RULES: &[Rule] = &[
    ("latency.alu_cycles", |r| latency(r, "chain.fp32", 0)),
    ("latency.sfu_cycles", |r| latency(r, "chain.sfu", 0)),
    // A conversion to floating point, which takes as long as arithmetic, and one back.
    ("latency.convert_cycles", |r| {
        latency(r, "chain.convert", alu_cycles(r)?)
    }),
    ("latency.taken_branch_cycles", |r| {
        let rounds = taken_branches(r);
        let how =
            "`loop` without its dependent instructions and the cycle in which the branch issues";
        Some(measured(nearest(stats::median(&rounds)?), how, &rounds))
    }),
    ("latency.indirect_branch_cycles", |r| {
        let rounds = r.rounds("one_handler", 1, 0);
        let loads = r.middle("chase_shared", 0, 0)? + r.middle("chase_constant", 0, 0)?;
        let taken = stats::median(&taken_branches(r))?;
        let cycles = stats::median(&rounds)? - VISIT_CYCLES - loads.floor() - taken;
        let how = format!(
            "`one_handler` less its loads of shared and constant memory, its taken branch and {VISIT_CYCLES} cycles that the code's control bits say"
        );
        Some(measured(nearest(cycles.max(0.0)), &how, &rounds))
    }),
    ("constant_cache.l1_latency_cycles", |r| {
        latency(r, "chase_constant", 0)
    }),
    ("latency.barrier_cycles", |r| {
        let rounds = r.rounds("barrier", 1, 0);
        let cycles = stats::median(&rounds)? - cycles_per_warp(r)?;
        let how = "`barrier` of one warp without its arrival";
        Some(measured(whole(cycles), how, &rounds))
    }),
    ("throughput.barrier_lanes_per_cycle", |r| {
        let cycles = cycles_per_warp(r)?;
        let how = format!("{cycles:.2} cycles for each further warp (`barrier`)");
        Some(measured(as_built(LANES / cycles), &how, &[]))
    }),
    ("pipes.fp32", |r| {
        let lanes = r.middle("wide.fp32", 0, 0)?;
        let pipe = if lanes > ONE_PIPE { "cores" } else { "fma" };
        let how = format!("{lanes:.0} lanes a cycle (`wide.fp32`)");
        Some(measured(pipe, &how, &[]))
    }),
    ("throughput.fp32_lanes_per_cycle", |r| lanes(r, "fp32", 1)),
    ("throughput.int_add_lanes_per_cycle", |r| {
        lanes(r, "logic", 1)
    }),
    ("throughput.logic_lanes_per_cycle", |r| lanes(r, "logic", 1)),
    // A comparison and the selection by its result.
    ("throughput.compare_lanes_per_cycle", |r| {
        lanes(r, "compare", 2)
    }),
    ("throughput.int_mul_lanes_per_cycle", |r| {
        lanes(r, "int_mul", 1)
    }),
    ("throughput.shift_lanes_per_cycle", |r| lanes(r, "shift", 1)),
    ("throughput.bitfield_lanes_per_cycle", |r| {
        lanes(r, "bitfield", 1)
    }),
    ("throughput.sfu_lanes_per_cycle", |r| lanes(r, "sfu", 1)),
    ("throughput.convert_lanes_per_cycle", |r| {
        lanes(r, "convert", 1)
    }),
    ("shared.latency_cycles", |r| latency(r, "chase_shared", 0)),
];

const LANES: f64 = 32.0;
/// Lanes a cycle beyond which both pipes of a scheduler execute floating point.
const ONE_PIPE: f64 = 96.0;
/// Issue cycles of a visit to a handler of seven instructions besides its loads and branches, in the machine code for compute capability 9.0;
/// a few less or more in that for others.
const VISIT_CYCLES: f64 = 35.0;
/// Instructions of a loop from which its branch does not wait for the counter's comparison.
const LONG_LOOP: u32 = 8;

/// Returns the cycles of a dependent instruction of floating point.
fn alu_cycles(readings: &Readings) -> Option<i64> {
    readings.middle("chain.fp32", 0, 0).map(whole)
}

/// Returns the lanes per cycle of a class, of `each` instructions in an element of the probe.
fn lanes(readings: &Readings, class: &str, each: u32) -> Option<Found> {
    let experiment = format!("wide.{class}");
    let rounds = readings.rounds(&experiment, 0, 0);
    let read = f64::from(each) * stats::median(&rounds)?;
    let how = format!("`{experiment}`, {read:.1} lanes");
    Some(measured(as_built(read), &how, &rounds))
}

/// Returns the lanes of a unit whose throughput was read: a power of two that is at most a tenth away, or what was read.
fn as_built(read: f64) -> f64 {
    let lanes = read.log2().round().exp2();
    match (read / lanes - 1.0).abs() <= 0.1 {
        true => lanes,
        false => rounded(read, 1),
    }
}

/// Returns the cycles from taken branches to the next issues, in loops that are long enough.
pub fn taken_branches(readings: &Readings) -> Vec<f64> {
    let Some(alu) = alu_cycles(readings) else {
        return Vec::new();
    };
    let long = readings.of("loop").filter(|row| row.at >= LONG_LOOP);
    let taken = long.map(|row| row.value - f64::from(row.at - 1) * alu as f64 - 1.0);
    taken.collect()
}

/// Returns the cycles that each further warp takes at a barrier.
fn cycles_per_warp(readings: &Readings) -> Option<f64> {
    let (few, many) = (1, 32);
    let more = readings.middle("barrier", many, 0)? - readings.middle("barrier", few, 0)?;
    Some(more / f64::from(many - few)).filter(|cycles| *cycles > 0.0)
}
