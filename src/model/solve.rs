//! Steady state of one multiprocessor: solves Little's law for the throughput.
//!
//! Models: `N` resident warps, each of which needs the expected critical path of a token, lengthened by the waits for issue
//! slots, pipes, the load/store unit, requests in flight and the ports behind the L1. Every wait grows with the throughput, so
//! exactly one throughput satisfies Little's law.
//! Leaves out: correlation between the waits of one warp.
//! Units: cycles, tokens.
//! Sources: equations (15b) and (17) to (20) of `docs/model.md`; Little, Operations Research 9 (1961); Hong and Kim, ISCA 2009,
//! and Huang et al. (GPUMech), MICRO 2014, for models of this kind.

use std::cell::Cell;
use std::sync::Arc;

use super::explain::cpi_stack;
use super::l1::L1Curve;
use super::l2::{Sharers, Traffic, traffic};
pub use super::memory::MemoryTimes;
use super::path::Latencies;
use super::root::{Bracket, falling_root};
use super::token::TokenModel;
pub use super::token::TokenTime;
use super::work::{PathPoint, TokenWork};
use super::{Analysis, Point};
use crate::launch::cause::Cause;
use crate::launch::spec::{SmxSpec, WarpPolicy};

const MAX_EVALUATIONS: u32 = 12;
/// Relative error allowed in a path's linear continuation.
const PATH_TOLERANCE: f64 = 3e-5;
/// Relative tolerance of the number of warps that share the caches.
const ACTIVE_TOLERANCE: f64 = 1e-4;

/// Mean behaviour of the multiprocessor.
#[derive(Debug, Clone)]
pub struct Steady {
    pub tokens_per_cycle: f64,
    pub traffic: Traffic,
    pub time: TokenTime,
    pub memory: MemoryTimes,
    /// Scheduler cycles per token and cause, by `Cause as usize`.
    pub cpi_stack: [f64; Cause::ALL.len()],
}

/// One launch, ready to be solved for any residency level.
pub struct Solver<'a> {
    point: &'a Point<'a>,
    analysis: &'a Analysis,
    curve: Arc<L1Curve>,
    work: TokenWork<'a>,
    /// Paths of the last solution.
    paths: Cell<PathPoint>,
    last_throughput: Cell<f64>,
    survival_log2: Cell<f64>,
}

impl<'a> Solver<'a> {
    pub fn new(point: &'a Point<'a>, analysis: &'a Analysis) -> Self {
        let work = TokenWork::new(point, analysis);
        Solver {
            point,
            analysis,
            curve: analysis.curve(point.spec, &point.geometry),
            last_throughput: Cell::new(0.0),
            survival_log2: Cell::new(0.0),
            paths: Cell::new(work.path(idle_latencies(point.spec))),
            work,
        }
    }

    /// Solves the steady state with `blocks` resident.
    pub fn solve(&self, blocks: u32) -> Steady {
        self.candidate(blocks).explained()
    }

    /// Solves for the throughput alone.
    pub fn tokens_per_cycle(&self, blocks: u32) -> f64 {
        self.candidate(blocks).tokens_per_cycle
    }

    /// Solves the steady state on consistent critical paths (Newton): paths are linearized around the last solution until the
    /// linearization agrees with the next one.
    fn candidate(&self, blocks: u32) -> Candidate<'_> {
        let mut paths = self.paths.get();
        let mut active = None;
        for _ in 0..MAX_EVALUATIONS {
            let candidate = self.on_paths(blocks, paths, active);
            active = Some(candidate.model.traffic.warps);
            let (latencies, _) = candidate.model.memory.latencies(candidate.tokens_per_cycle);
            let told = paths.cycles_at(&latencies);
            paths = self.work.path(latencies);
            self.paths.set(paths);
            if (paths.path.cycles - told).abs() <= PATH_TOLERANCE * told {
                return candidate;
            }
        }
        self.on_paths(blocks, paths, active)
    }

    /// **(19a)** If the scheduler prefers the oldest warps, the warps that queue for issue slots are the youngest, and their
    /// stacks are not touched: the others share the caches. Finds the smallest self-consistent number of the others, starting
    /// from `guess` if that is below it.
    fn on_paths(&self, blocks: u32, paths: PathPoint, guess: Option<f64>) -> Candidate<'_> {
        let warps = f64::from(blocks * self.point.geometry.warps_per_block());
        let with = |active: f64| {
            let candidate = self.with_active(blocks, active, paths);
            let not_selected = candidate
                .model
                .not_selected_warps(candidate.tokens_per_cycle, &paths);
            (candidate, (warps - not_selected).min(warps) - active)
        };
        if self.point.spec.device.issue.warp_policy != WarpPolicy::GreedyThenOldest {
            return with(warps).0;
        }
        let agrees = |more: f64, active: f64| more.abs() <= ACTIVE_TOLERANCE * active;
        // The more warps share the caches, the fewer queue: from below, the iteration never exceeds the solution.
        let least = warps.min(f64::from(self.point.spec.device.issue.n_schedulers));
        let mut low = guess.unwrap_or(least).clamp(least, warps);
        let (mut candidate, mut more) = with(low);
        if more < 0.0 && !agrees(more, low) && low > least {
            low = least;
            (candidate, more) = with(low);
        }
        let mut next = low + more;
        for _ in 0..MAX_EVALUATIONS {
            if more <= 0.0 || agrees(more, low) {
                return candidate;
            }
            let (further, then) = with(next);
            if then < 0.0 && !agrees(then, next) {
                let bracket = Bracket {
                    low,
                    at_low: more,
                    high: next,
                    at_high: then,
                };
                let active = falling_root(bracket, ACTIVE_TOLERANCE, |active| with(active).1);
                return with(active).0;
            }
            // A secant step, which may overshoot.
            let slope = (then - more) / (next - low);
            let step = if slope < 0.0 { -then / slope } else { warps };
            (low, candidate, more) = (next, further, then);
            next = (low + step.max(then)).min(warps);
        }
        candidate
    }

    /// Solves the steady state on given paths if `active` of the resident warps share the caches.
    fn with_active(&self, blocks: u32, active: f64, paths: PathPoint) -> Candidate<'_> {
        let warps = f64::from(blocks * self.point.geometry.warps_per_block());
        let sharers = Sharers {
            warps: active,
            blocks: (f64::from(blocks) * active / warps).max(1.0),
            instructions_per_token: self.analysis.locality.instructions_per_token,
            rows: self.analysis.rows,
            guess_log2: self.survival_log2.get(),
        };
        let spec = self.point.spec;
        let traffic = traffic(
            spec,
            &self.point.geometry,
            &self.curve,
            &self.analysis.locality,
            &sharers,
        )
        .past_missing_caches(spec, &self.work.demand);
        self.survival_log2.set(traffic.survival_log2);
        let model = TokenModel::new(&self.work, warps, traffic);
        let tokens_per_cycle = model.throughput(&paths, self.last_throughput.get());
        self.last_throughput.set(tokens_per_cycle);
        Candidate {
            tokens_per_cycle,
            model,
            paths,
        }
    }
}

/// Latencies of an unloaded memory.
pub(super) fn idle_latencies(spec: &SmxSpec) -> Latencies {
    Latencies {
        shared_cycles: f64::from(spec.device.shared.latency_cycles),
        local_hit_cycles: f64::from(spec.device.l1.hit_latency_cycles),
        local_miss_cycles: f64::from(spec.device.l2.hit_latency_cycles),
        local_miss_probability: 0.0,
        global_cycles: f64::from(spec.device.l2.hit_latency_cycles),
        operands_cycles: 0.0,
    }
}

/// Steady state without a breakdown.
struct Candidate<'a> {
    tokens_per_cycle: f64,
    model: TokenModel<'a>,
    paths: PathPoint,
}

impl Candidate<'_> {
    fn explained(self) -> Steady {
        let time = self.model.time(self.tokens_per_cycle, &self.paths);
        Steady {
            tokens_per_cycle: self.tokens_per_cycle,
            traffic: self.model.traffic,
            cpi_stack: cpi_stack(&self.model, self.tokens_per_cycle, &time),
            memory: self.model.memory.times(&time.latencies),
            time,
        }
    }
}
