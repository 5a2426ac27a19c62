//! The analytical model: predicts the simulator's results from the same inputs without stepping cycles.
//!
//! Models: issue slots and pipe throughput, the expected critical path of every handler, occupancy and latency hiding, the L1
//! and L2 with random or LRU replacement, the limit on requests in flight, bandwidths, the end of the grid.
//! Leaves out: the order of single events; everything is an average over the population; kernels that are executed lane by lane.
//! Units: core clock cycles, bytes, tokens (one program node in one warp).
//! Sources: the numbered equations of `docs/model.md`, each with its source.

pub mod analytical;
mod demand;
pub mod dram;
mod explain;
pub mod fetch;
pub mod l1;
pub mod l2;
pub mod locality;
pub mod memory;
pub mod path;
pub mod queue;
pub mod root;
pub mod shapes;
pub mod solve;
#[cfg(test)]
mod tests;
pub mod token;
mod work;

use crate::launch::code::ReplayCode;
use crate::launch::geometry::Geometry;
use crate::launch::makespan::RateCurve;
use crate::launch::rates::Rates;
use crate::launch::spec::{Replacement, SetIndex, SmxSpec};
use crate::util::memo::Memo;
use demand::Demand;
use fetch::{Fetch, FetchRules};
use l1::{L1Curve, L1Layout};
use l2::Traffic;
use locality::Locality;
use path::{PathRules, Paths};
use shapes::Shapes;
use solve::{Solver, Steady};
use std::sync::Arc;

/// Executed code of a kernel for a population.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// Steady iterations and prologues.
    pub code: &'a ReplayCode,
    /// Representative programs of `code` for prologues, and how often a block executes each on average.
    pub prologues: &'a [(u32, f64)],
    /// Program of `code` whose only iteration is a whole block without fitness cases.
    pub empty_block: Option<u32>,
    /// Program of every block.
    pub sample: &'a [u32],
    /// Rows of fitness cases that each program reads.
    pub rows_per_program: &'a [u32],
    /// Rows that any program reads.
    pub rows: u32,
    pub stack_dim: u32,
}

/// Analysis of a kernel and population, done once; the parts that depend on a device are computed on first use.
#[derive(Debug)]
pub struct Analysis {
    pub shapes: Shapes,
    pub locality: Locality,
    rows: f64,
    curves: Memo<CurveKey, L1Curve>,
    paths: Memo<PathRules, [Paths; 2]>,
    fetches: Memo<FetchRules, Fetch>,
}

/// Parameters of an [`L1Curve`]: sets, ways, line, policy, index, frame stride, warps, fetch on write miss, case lines.
type CurveKey = (u32, u32, u32, Replacement, SetIndex, u32, usize, bool, u64);

impl Analysis {
    /// Analyses a kernel's traces.
    pub fn new(inputs: &Inputs) -> Self {
        Analysis {
            shapes: Shapes::new(inputs),
            locality: Locality::new(inputs),
            rows: f64::from(inputs.rows),
            curves: Memo::default(),
            paths: Memo::default(),
            fetches: Memo::default(),
        }
    }

    fn curve(&self, spec: &SmxSpec, geometry: &Geometry) -> Arc<L1Curve> {
        let (cache, stride_bytes) = (&spec.l1, geometry.local_stride_bytes);
        let case_lines = match spec.device.l1.caches_global_loads {
            true => (self.rows * f64::from(geometry.fitness_cases.div_ceil(32))) as u64,
            false => 0,
        };
        let key = (
            cache.sets,
            cache.usable_ways(),
            cache.line_bytes,
            cache.replacement,
            cache.index,
            stride_bytes,
            spec.device.limits.warps_per_smx as usize,
            spec.device.l1.fetch_on_write_miss,
            case_lines,
        );
        self.curves.get(key, || {
            let layout = L1Layout {
                cache,
                stride_bytes,
                max_warps: spec.device.limits.warps_per_smx,
                fetches_on_write_miss: spec.device.l1.fetch_on_write_miss,
                case_lines: case_lines as f64,
            };
            L1Curve::new(&layout, &self.locality)
        })
    }

    /// Critical paths of a token and of a prologue.
    fn paths(&self, spec: &SmxSpec) -> Arc<[Paths; 2]> {
        let rules = PathRules::new(spec);
        let shapes = &self.shapes;
        let make = || [&shapes.token, &shapes.prologue].map(|profile| profile.paths(&rules));
        self.paths.get(rules, make)
    }

    fn fetch(&self, spec: &SmxSpec) -> Fetch {
        let rules = FetchRules::new(spec);
        let make = || fetch::fetch(&self.shapes.token, &rules);
        *self.fetches.get(rules, make)
    }
}

/// One launch of an analysed kernel.
#[derive(Debug, Clone, Copy)]
pub struct Point<'a> {
    pub spec: &'a SmxSpec,
    pub geometry: Geometry,
    /// Other numbers of resident blocks at which throughput is needed.
    pub partial_residencies: &'a [u32],
}

const LINE_BYTES: f64 = crate::trace::LINE_BYTES as f64;

/// Adds `times` times every value of `other`.
fn add_scaled<T: bytemuck::Pod>(sum: &mut T, other: &T, times: f64) {
    let sum: &mut [f64] = bytemuck::cast_slice_mut(std::slice::from_mut(sum));
    let other: &[f64] = bytemuck::cast_slice(std::slice::from_ref(other));
    for (sum, other) in sum.iter_mut().zip(other) {
        *sum += times * other;
    }
}

/// Prediction for one multiprocessor.
#[derive(Debug, Clone)]
pub struct Modelled {
    /// Steady state with all block slots filled.
    pub full: Steady,
    /// Tokens per cycle by number of resident blocks.
    pub rates: Rates,
}

/// Predicts the throughput of one multiprocessor.
pub fn predict_rates(point: &Point, analysis: &Analysis) -> Modelled {
    let solver = Solver::new(point, analysis);
    let full_blocks = point.geometry.resident_blocks;
    let full = solver.solve(full_blocks);
    let contended = curve(point, full.tokens_per_cycle, &solver);
    let rates = match point.spec.uncontended() {
        None => contended.into(),
        Some(spec) => {
            let alone = &Point {
                spec: &spec,
                ..*point
            };
            let solver = Solver::new(alone, analysis);
            let rate = solver.tokens_per_cycle(full_blocks);
            let sent = sent_bytes(point, analysis, &full.traffic);
            let uncontended = curve(alone, rate, &solver);
            Rates::sharing(contended, uncontended, sent, point.spec.l2_ports)
        }
    };
    Modelled { rates, full }
}

/// Throughput by the number of resident blocks.
fn curve(point: &Point, full: f64, solver: &Solver) -> RateCurve {
    let mut points = vec![(point.geometry.resident_blocks, full)];
    for &blocks in point.partial_residencies {
        points.push((blocks, solver.tokens_per_cycle(blocks)));
    }
    RateCurve::new(points).expect("the full multiprocessor is a point")
}

/// Bytes per token sent to the L2: stored data, and a request for every line read.
fn sent_bytes(point: &Point, analysis: &Analysis, traffic: &Traffic) -> f64 {
    let demand = analysis.shapes.per_token(point.geometry.mean_iterations(0));
    let case_bytes = demand.global_load_bytes * (1.0 - traffic.case_l1_hit);
    let requests = filled_lines(point.spec, traffic) + case_bytes / LINE_BYTES;
    written_bytes(point.spec, &demand, traffic)
        + requests * f64::from(point.spec.device.l2.request_bytes)
}

/// Stack lines fetched from the L2 per token.
fn filled_lines(spec: &SmxSpec, traffic: &Traffic) -> f64 {
    traffic.load_misses
        + match spec.device.l1.fetch_on_write_miss {
            true => traffic.store_misses,
            false => 0.0,
        }
}

/// Bytes stored in the L2 per token.
fn written_bytes(spec: &SmxSpec, demand: &Demand, traffic: &Traffic) -> f64 {
    let lines = match spec.device.l1.write_back {
        true => traffic.write_backs,
        false => demand.local_store_lines,
    };
    LINE_BYTES * lines + demand.global_store_bytes
}
