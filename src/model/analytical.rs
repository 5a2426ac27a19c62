//! Timing by the analytical model: from a resolved launch to GPop/s.
//!
//! Analyses each kernel and its programs once and keeps the result.
//! Units: counts per million nodes of a warp.

use crate::util::stopwatch::Stopwatch;

use super::demand::Demand;
use super::path::PathRules;
use super::solve::idle_latencies;
use super::{
    Analysis, Inputs, LINE_BYTES, Modelled, Point, filled_lines, predict_rates, written_bytes,
};
use crate::launch::cause::Cause;
use crate::launch::demand::TimeParts;
use crate::launch::prediction::{CpiEntry, MemoryTraffic, Timing};
use crate::launch::uniform::Uniform;
use crate::util::memo::Memo;

/// Nodes of a warp that counts refer to.
const NOMINAL_NODES: f64 = 1e6;

/// Analytical model, with its cache of analyses.
#[derive(Debug, Default)]
pub struct Analytical {
    /// Analyses by kernel number.
    analyses: Memo<u64, Analysis>,
}

impl Analytical {
    fn analysis(&self, launch: Uniform) -> std::sync::Arc<Analysis> {
        let facts = launch.facts();
        self.analyses.get(facts.id, || {
            let summary = launch.work.kernel.summary();
            Analysis::new(&Inputs {
                code: &summary.code,
                prologues: &summary.prologues,
                empty_block: summary.empty_block,
                sample: &summary.sample,
                rows_per_program: &summary.rows_per_program,
                rows: summary.rows,
                stack_dim: summary.stack_dim,
            })
        })
    }

    /// Times a launch.
    pub fn time_uniform(&self, launch: Uniform) -> Timing {
        let start = Stopwatch::start();
        let analysis = self.analysis(launch);
        let partial = launch.partial_residencies();
        let point = &point(launch, &partial);
        let modelled = predict_rates(point, &analysis);
        let demand = &demand(&analysis, point);
        let stack = &modelled.full.cpi_stack;
        let parts = TimeParts::of(|cause| stack[cause as usize]);
        let empty = match launch.empty_block() {
            Some(_) => empty_block_cycles(point, &analysis),
            None => 0.0,
        };
        let launches = launch.run_grids(&launch.filled(modelled.rates.clone()), &parts, empty);
        let expected = expected_stack(&modelled);
        let timing = Timing {
            gpops_billion: launch.gpops(launches) / 1e9,
            milliseconds: launch.milliseconds(launches),
            error_percent: 0.0,
            memory: expected_traffic(&modelled, demand, point),
            ipc: demand.instructions * modelled.full.tokens_per_cycle,
            dual_issue_percent: 100.0 * demand.dual_issued / demand.instructions,
            warp_instructions_per_node: demand.instructions,
            cpi_stack: CpiEntry::stack(|cause| expected[cause as usize]),
            simulated_warp_instructions: 0,
            wall_seconds: start.seconds(),
        };
        timing.with_divergence(launch, &expected)
    }
}

/// **(9a)** Cycles of a multiprocessor per block without fitness cases: the latency of one, shared by the resident blocks, or the
/// issue slots of its warps.
fn empty_block_cycles(point: &Point, analysis: &Analysis) -> f64 {
    let (spec, geometry) = (point.spec, &point.geometry);
    let block = &analysis.shapes.empty_block;
    let path = block.paths(&PathRules::new(spec));
    let cycles = path.cycles(&idle_latencies(spec)) + f64::from(spec.device.chip.block_cycles);
    let slots = block.demand.issue_slots(spec) * f64::from(geometry.warps_per_block());
    (cycles / f64::from(geometry.resident_blocks))
        .max(slots / f64::from(spec.device.issue.n_schedulers))
}

fn point<'a>(launch: Uniform<'a>, partial_residencies: &'a [u32]) -> Point<'a> {
    Point {
        spec: &launch.placement.spec,
        geometry: launch.placement.geometry,
        partial_residencies,
    }
}

fn expected_stack(modelled: &Modelled) -> [u64; Cause::ALL.len()] {
    let cycles = modelled.full.cpi_stack;
    cycles.map(|cycles| (NOMINAL_NODES * cycles).round() as u64)
}

fn demand(analysis: &Analysis, point: &Point) -> Demand {
    let iterations = point.geometry.mean_iterations(0);
    analysis.shapes.per_token(iterations)
}

fn expected_traffic(modelled: &Modelled, demand: &Demand, point: &Point) -> MemoryTraffic {
    let traffic = &modelled.full.traffic;
    let nominal = |per_node: f64| (NOMINAL_NODES * per_node).round() as u64;
    let hit_percent = |misses: f64, lines: f64| match lines > 0.0 {
        true => 100.0 * (1.0 - misses / lines),
        false => 0.0,
    };
    let fills = filled_lines(point.spec, traffic);
    let case_bytes = demand.global_load_bytes * (1.0 - traffic.case_l1_hit);
    let case_lines = case_bytes / LINE_BYTES;
    let l2_lines = fills + traffic.write_backs + case_lines;
    let l2_misses = fills * (1.0 - traffic.fill_l2_hit)
        + traffic.write_backs * (1.0 - traffic.write_back_l2_hit)
        + case_lines * (1.0 - traffic.case_l2_hit);
    let dram_lines = fills * (1.0 - traffic.fill_l2_hit) + case_lines * (1.0 - traffic.case_l2_hit);
    MemoryTraffic {
        warp_nodes: NOMINAL_NODES as u64,
        l1_load_lines: nominal(demand.local_load_lines),
        l1_store_lines: nominal(demand.local_store_lines),
        l1_global_bytes: match point.spec.device.l1.caches_global_loads {
            true => nominal(demand.global_load_bytes),
            false => 0,
        },
        l1_load_hit_percent: hit_percent(traffic.load_misses, demand.local_load_lines),
        l1_store_hit_percent: hit_percent(traffic.store_misses, demand.local_store_lines),
        l2_read_bytes: nominal(LINE_BYTES * fills + case_bytes),
        l2_write_bytes: nominal(written_bytes(point.spec, demand, traffic)),
        l2_hit_percent: hit_percent(l2_misses, l2_lines),
        dram_read_bytes: nominal(LINE_BYTES * dram_lines),
        dram_write_bytes: nominal(
            LINE_BYTES * traffic.write_backs * (1.0 - traffic.write_back_l2_hit),
        ),
    }
}
