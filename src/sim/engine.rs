//! The simulator as a [`crate::predict::PerformanceModel`]: from a launch configuration to GPop/s.
//!
//! What it does: occupancy, a steady window of the full multiprocessor, short windows of partly filled
//! ones, then the whole grid over all multiprocessors.
//! What it leaves out: what the host does between launches, which the launch states.
//! Units: in field names. Sources: those of the parts.

use std::time::Instant;

use super::dispatch::Geometry;
use super::observe::{Cause, Counters};
use super::window::{Window, WindowPlan, simulate};
use crate::launch::chip::RateCurve;
use crate::launch::other_levels;
pub use crate::launch::{Launch, run_grids};
use crate::predict::{CpiEntry, MemoryTraffic};

/// Simulation effort.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    pub plan: WindowPlan,
    /// Warp instructions that each window of a partly filled multiprocessor measures.
    pub partial_instructions: u64,
}

/// What the simulation of one launch gave.
#[derive(Debug, Clone)]
pub struct Simulated {
    pub window: Window,
    /// Cycles of one launch, on average over the grids.
    pub grid_cycles: f64,
    pub gpops: f64,
    pub simulated_instructions: u64,
    pub wall_seconds: f64,
}

/// Simulates one launch.
pub fn simulate_launch(
    launch: &Launch,
    effort: &Effort,
) -> Result<Simulated, super::smx::Deadlock> {
    let start = Instant::now();
    let full = launch.geometry.resident_blocks;
    let window = simulate_with(launch, full, effort.plan)?;
    let mut simulated_instructions = window.simulated_instructions;
    let mut points = vec![(full, window.tokens_per_cycle)];
    for blocks in other_levels(full, launch.grid_blocks) {
        let plan = WindowPlan {
            instructions: (effort.partial_instructions, effort.partial_instructions),
            ..effort.plan
        };
        let partial = simulate_with(launch, blocks, plan)?;
        simulated_instructions += partial.simulated_instructions;
        points.push((blocks, partial.tokens_per_cycle));
    }
    let rates = RateCurve::new(every_filling(points)).expect("the full window is a point");
    let (grid_cycles, nodes) = run_grids(launch, &rates);
    let seconds = grid_cycles / launch.clock_hz + launch.host_seconds;
    Ok(Simulated {
        gpops: nodes * f64::from(launch.geometry.fitness_cases) / seconds,
        window,
        grid_cycles: grid_cycles / launch.grids.len() as f64,
        simulated_instructions,
        wall_seconds: start.elapsed().as_secs_f64(),
    })
}

/// Throughput at every filling up to the greatest. Between those simulated, what is linear is the time that a block takes
/// for a token: it stays the same while latency limits, and grows with the blocks once something is saturated.
fn every_filling(mut points: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    points.sort_unstable_by_key(|point| point.0);
    let mut all = points.clone();
    for pair in points.windows(2) {
        let [(n0, t0), (n1, t1)] = [pair[0], pair[1]].map(|(n, rate)| (n, f64::from(n) / rate));
        for n in n0 + 1..n1 {
            let part = f64::from(n - n0) / f64::from(n1 - n0);
            all.push((n, f64::from(n) / (t0 + part * (t1 - t0))));
        }
    }
    all
}

fn simulate_with(
    launch: &Launch,
    resident_blocks: u32,
    plan: WindowPlan,
) -> Result<Window, super::smx::Deadlock> {
    let geometry = Geometry {
        resident_blocks,
        ..launch.geometry
    };
    simulate(
        launch.spec,
        launch.code,
        launch.code_bytes,
        geometry,
        launch.sample,
        plan,
    )
}

/// The CPI stack of a window in display order, empty causes left out.
pub fn cpi_entries(counters: &Counters) -> Vec<CpiEntry> {
    Cause::ALL
        .iter()
        .filter(|&&cause| counters.cpi_stack[cause as usize] > 0)
        .map(|&cause| CpiEntry {
            cause: cause.name().to_owned(),
            nsight_name: cause.nsight_name().to_owned(),
            cycles: counters.cpi_stack[cause as usize],
        })
        .collect()
}

/// Memory traffic of a window.
pub fn traffic(counters: &Counters) -> MemoryTraffic {
    let percent = |part: u64, whole: u64| {
        if whole == 0 {
            0.0
        } else {
            100.0 * part as f64 / whole as f64
        }
    };
    MemoryTraffic {
        warp_nodes: counters.tokens().round() as u64,
        l1_load_lines: counters.l1_load_lines,
        l1_store_lines: counters.l1_store_lines,
        l1_load_hit_percent: percent(counters.l1_load_hits, counters.l1_load_lines),
        l1_store_hit_percent: percent(counters.l1_store_hits, counters.l1_store_lines),
        l2_read_bytes: counters.l2_read_bytes,
        l2_write_bytes: counters.l2_write_bytes,
        l2_hit_percent: percent(counters.l2_hits, counters.l2_lines),
        dram_read_bytes: counters.dram_read_bytes,
        dram_write_bytes: counters.dram_write_bytes,
    }
}
