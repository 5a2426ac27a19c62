//! The steady state of one multiprocessor: the throughput at which the time of a token fits the number of warps.
//!
//! What it models: `N` resident warps, each of which needs the expected critical path of a token, lengthened by the waits
//! for issue slots, pipes, the load/store unit, requests in flight and the ports behind the L1. Every wait grows with
//! the throughput, so exactly one throughput satisfies Little's law.
//! What it leaves out: that waits of one warp correlate.
//! Units: cycles, tokens. Sources: equations (17) to (21) of `docs/model.md`; Little, Operations Research 9 (1961); Hong and
//! Kim, ISCA 2009, and Huang et al. (GPUMech), MICRO 2014, for models of this kind.

use std::cell::Cell;
use std::sync::Arc;

use super::explain::cpi_stack;
use super::l1::L1Curve;
use super::l2::{Sharers, Traffic, traffic};
pub use super::memory::MemoryTimes;
use super::path::Latencies;
use super::paths::Linear;
use super::shapes::Demand;
pub use super::token::TokenTime;
use super::token::{PathPoint, TokenModel};
use super::{Analysis, Point};
use crate::launch::cause::Cause;
use crate::launch::spec::WarpPolicy;

const MAX_EVALUATIONS: u32 = 12;
/// Warps that share the caches are added until fewer than this part is missing.
const ACTIVE_TOLERANCE: f64 = 0.02;

/// What the multiprocessor does on average.
#[derive(Debug, Clone)]
pub struct Steady {
    pub tokens_per_cycle: f64,
    pub traffic: Traffic,
    pub time: TokenTime,
    pub memory: MemoryTimes,
    /// Scheduler cycles per token and cause, by `Cause as usize`.
    pub cpi_stack: [f64; Cause::ALL.len()],
}

impl Steady {
    /// Part of the time in which a scheduler's issue slot is taken.
    pub fn busy(&self) -> f64 {
        let taken = [Cause::Issued, Cause::Branch, Cause::LoadStoreUnit];
        let sum: f64 = taken
            .iter()
            .map(|&cause| self.cpi_stack[cause as usize])
            .sum();
        sum / self.cpi_stack.iter().sum::<f64>().max(f64::MIN_POSITIVE)
    }
}

/// One launch, ready to be solved for any filling.
pub struct Solver<'a> {
    pub(super) point: &'a Point<'a>,
    analysis: &'a Analysis,
    curve: Arc<L1Curve>,
    pub(super) demand: Demand,
    prologues_per_token: f64,
    pub(super) fetch_wait_cycles: f64,
    /// Instructions issued per token, a pair as one, and the issue slots that they take.
    pub(super) issues: f64,
    pub(super) slots: f64,
    /// Mean rest of an issue in progress.
    pub(super) residual_cycles: f64,
    /// Of the busiest pipe, per token.
    pub(super) pipe_cycles: f64,
    /// With every issue slot taken.
    pub(super) most_tokens_per_cycle: f64,
    first_guess: Cell<Latencies>,
}

impl<'a> Solver<'a> {
    pub fn new(point: &'a Point<'a>, analysis: &'a Analysis) -> Self {
        let spec = point.spec;
        let iterations = f64::from(point.geometry.iterations(0));
        let demand = analysis.shapes.per_token(iterations);
        let slots = demand.issue_slots(spec);
        // One-slot issues count half, longer ones by their square.
        let branch_slots = f64::from(spec.branch_issue_slots.max(1));
        let squares = slots + demand.branches * branch_slots * (branch_slots - 1.0);
        Solver {
            point,
            analysis,
            curve: analysis.curve(spec, point.geometry.local_stride_bytes),
            prologues_per_token: analysis.shapes.prologues_per_token(iterations),
            fetch_wait_cycles: analysis.missing_code_lines(spec)
                * f64::from(spec.icache_l15_latency_cycles),
            issues: demand.instructions - demand.dual_issued,
            slots,
            residual_cycles: 0.5 * squares / slots,
            pipe_cycles: demand.pipe_cycles(spec),
            most_tokens_per_cycle: spec.n_schedulers as f64 / slots,
            demand,
            first_guess: Cell::new(Latencies {
                shared_cycles: f64::from(spec.shared_latency_cycles),
                local_hit_cycles: f64::from(spec.l1_latency_cycles),
                local_miss_cycles: f64::from(spec.l2_latency_cycles),
                local_miss_probability: 0.0,
                global_cycles: f64::from(spec.l2_latency_cycles),
                constant_cycles: f64::from(spec.constant_latency_cycles),
            }),
        }
    }

    /// Critical path of a token, its part of the prologue included.
    pub(super) fn path(&self, latencies: &Latencies) -> Linear {
        let shapes = &self.analysis.shapes;
        let mut path = shapes.token.paths.linear(latencies);
        let prologue = shapes.prologue.paths.linear(latencies);
        path.add(&prologue, self.prologues_per_token);
        path
    }

    /// Its length alone.
    pub(super) fn path_cycles(&self, latencies: &Latencies) -> f64 {
        let shapes = &self.analysis.shapes;
        let prologue = shapes.prologue.paths.cycles(latencies);
        shapes.token.paths.cycles(latencies) + self.prologues_per_token * prologue
    }

    /// The steady state with `blocks` resident.
    pub fn solve(&self, blocks: u32) -> Steady {
        self.candidate(blocks).explained()
    }

    /// The throughput alone.
    pub fn tokens_per_cycle(&self, blocks: u32) -> f64 {
        self.candidate(blocks).tokens_per_cycle
    }

    /// **(19a)** Where the scheduler prefers the oldest warps, those that stand in line for issue slots are the youngest, and
    /// their stacks are not touched: the others share the caches. The smallest number of them that agrees with itself.
    fn candidate(&self, blocks: u32) -> Candidate<'_> {
        let warps = f64::from(blocks * self.point.geometry.warps_per_block());
        let oldest_first = self.point.spec.warp_policy == WarpPolicy::GreedyThenOldest;
        let mut active = if oldest_first {
            warps.min(self.point.spec.n_schedulers as f64)
        } else {
            warps
        };
        for _ in 0..MAX_EVALUATIONS {
            let candidate = self.with_active(blocks, active);
            let moving = warps - candidate.standing_warps();
            if active >= warps || moving <= active * (1.0 + ACTIVE_TOLERANCE) {
                return candidate;
            }
            active = moving.min(warps);
        }
        self.with_active(blocks, active)
    }

    /// The steady state if `active` of the resident warps share the caches.
    fn with_active(&self, blocks: u32, active: f64) -> Candidate<'_> {
        let warps = f64::from(blocks * self.point.geometry.warps_per_block());
        let sharers = Sharers {
            warps: active,
            blocks: (f64::from(blocks) * active / warps).max(1.0),
            ticks_per_token: self.analysis.locality.ticks_per_token,
            rows: self.analysis.rows,
        };
        let traffic = traffic(
            self.point.spec,
            &self.point.geometry,
            &self.curve,
            &self.analysis.locality,
            &sharers,
        );
        let model = TokenModel::new(self, warps, traffic);
        let (tokens_per_cycle, paths) = model.throughput(self.first_guess.get());
        self.first_guess.set(paths.around);
        Candidate {
            tokens_per_cycle,
            model,
            paths,
        }
    }
}

/// A steady state not yet explained.
struct Candidate<'a> {
    tokens_per_cycle: f64,
    model: TokenModel<'a>,
    paths: PathPoint,
}

impl Candidate<'_> {
    /// Warps that could go on if they had an issue slot or a pipe. The load/store unit serves in order.
    fn standing_warps(&self) -> f64 {
        let time = self.model.time(self.tokens_per_cycle, &self.paths);
        self.tokens_per_cycle * (time.issue_wait_cycles + time.pipe_wait_cycles)
    }

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
