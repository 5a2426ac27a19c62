//! What either model found, as a [`Prediction`].
//!
//! Leaves out: computing. Units: in field names. Sources: none of its own.

use crate::launch::cause::Cause;
use crate::model::shapes::Demand;
use crate::model::{Analysis, Modelled, Point};
use crate::predict::{CpiEntry, MemoryTraffic, Prediction};
use crate::sim::engine::{Simulated, cpi_entries, traffic};

/// Nodes of a warp that the analytical model's counts are given for.
const NOMINAL_NODES: f64 = 1e6;

/// The simulator's result in a prediction whose configuration is filled in.
pub(super) fn simulated(frame: Prediction, simulated: &Simulated, clock_hz: f64) -> Prediction {
    let counters = &simulated.window.counters;
    let instructions = counters.instructions as f64;
    Prediction {
        gpops_billion: simulated.gpops / 1e9,
        run_milliseconds: 1e3 * simulated.grid_cycles / clock_hz,
        sampling_error_percent: simulated.window.error_percent,
        memory: traffic(counters),
        ipc: instructions / counters.cycles as f64,
        dual_issue_percent: 100.0 * counters.dual_issued as f64 / instructions,
        warp_instructions_per_node: instructions / counters.tokens(),
        cpi_stack: cpi_entries(counters),
        simulated_warp_instructions: simulated.simulated_instructions,
        wall_seconds: simulated.wall_seconds,
        ..frame
    }
}

/// The analytical model's result; its averages are given as counts for a million nodes.
pub(super) fn modelled(
    frame: Prediction,
    modelled: &Modelled,
    analysis: &Analysis,
    point: &Point,
) -> Prediction {
    let demand = &demand(analysis, point);
    Prediction {
        gpops_billion: modelled.gpops / 1e9,
        run_milliseconds: 1e3 * modelled.grid_cycles / point.clock_hz,
        memory: expected_traffic(modelled, demand, point),
        ipc: demand.instructions * modelled.full.tokens_per_cycle,
        dual_issue_percent: 100.0 * demand.dual_issued / demand.instructions,
        warp_instructions_per_node: demand.instructions,
        cpi_stack: expected_stack(modelled),
        ..frame
    }
}

fn expected_stack(modelled: &Modelled) -> Vec<CpiEntry> {
    Cause::ALL
        .iter()
        .map(|&cause| CpiEntry {
            cause: cause.name().to_owned(),
            nsight_name: cause.nsight_name().to_owned(),
            cycles: (NOMINAL_NODES * modelled.full.cpi_stack[cause as usize]).round() as u64,
        })
        .filter(|entry| entry.cycles > 0)
        .collect()
}

fn demand(analysis: &Analysis, point: &Point) -> Demand {
    let iterations = point.geometry.mean_iterations(0);
    analysis.shapes.per_token(iterations)
}

fn expected_traffic(modelled: &Modelled, demand: &Demand, point: &Point) -> MemoryTraffic {
    let traffic = &modelled.full.traffic;
    let nominal = |per_node: f64| (NOMINAL_NODES * per_node).round() as u64;
    let hit_percent = |misses: f64, lines: f64| {
        if lines > 0.0 {
            100.0 * (1.0 - misses / lines)
        } else {
            0.0
        }
    };
    let fetched_stores = if point.spec.l1_fetch_on_write_miss {
        traffic.store_misses
    } else {
        0.0
    };
    let fills = traffic.load_misses + fetched_stores;
    let case_lines = demand.global_load_bytes / 128.0;
    let l2_lines = fills + traffic.write_backs + case_lines;
    let l2_misses = fills * (1.0 - traffic.fill_l2_hit)
        + traffic.write_backs * (1.0 - traffic.write_back_l2_hit)
        + case_lines * (1.0 - traffic.case_l2_hit);
    let dram_lines = fills * (1.0 - traffic.fill_l2_hit) + case_lines * (1.0 - traffic.case_l2_hit);
    MemoryTraffic {
        warp_nodes: NOMINAL_NODES as u64,
        l1_load_lines: nominal(demand.local_load_lines),
        l1_store_lines: nominal(demand.local_store_lines),
        l1_load_hit_percent: hit_percent(traffic.load_misses, demand.local_load_lines),
        l1_store_hit_percent: hit_percent(traffic.store_misses, demand.local_store_lines),
        l2_read_bytes: nominal(128.0 * fills + demand.global_load_bytes),
        l2_write_bytes: nominal(128.0 * traffic.write_backs + demand.global_store_bytes),
        l2_hit_percent: hit_percent(l2_misses, l2_lines),
        dram_read_bytes: nominal(128.0 * dram_lines),
        dram_write_bytes: nominal(128.0 * traffic.write_backs * (1.0 - traffic.write_back_l2_hit)),
    }
}
