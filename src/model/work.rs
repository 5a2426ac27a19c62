//! Work of one token of one warp, independent of the throughput of its multiprocessor.
//!
//! Models: a token's work, including its share of the prologue; computed once per launch.
//! Units: per token.
//! Sources: equations (9), (10) and (16) of `docs/model.md`.

use std::sync::Arc;

use super::demand::{Demand, N_PIPES};
use super::fetch::Fetch;
use super::path::{Latencies, Linear, Paths};
use super::{Analysis, Point};

/// Critical path of a token, linearized around some latencies.
#[derive(Clone, Copy)]
pub(super) struct PathPoint {
    pub around: Latencies,
    pub path: Linear,
}

impl PathPoint {
    /// Path length at other latencies, by the linearization.
    #[inline]
    pub fn cycles_at(&self, latencies: &Latencies) -> f64 {
        self.path.at(&self.around, latencies)
    }
}

/// Work of one token of one warp.
pub(super) struct TokenWork<'a> {
    pub point: &'a Point<'a>,
    /// Paths of a token and of a prologue.
    graphs: Arc<[Paths; 2]>,
    prologues_per_token: f64,
    pub demand: Demand,
    pub fetch: Fetch,
    /// **(16a)** Cycles of the second level's instruction cache that the lines of a token take, each requested once by a block.
    pub fetch_port_cycles: f64,
    /// **(16b)** Waits at barriers.
    pub barrier_wait_cycles: f64,
    /// Instructions issued, a pair as one.
    pub issues: f64,
    /// Scheduler cycles of these issues.
    pub issued_cycles: f64,
    /// Scheduler cycles of issues, branches and replays.
    pub slots: f64,
    /// Mean remainder of an issue in progress.
    pub residual_cycles: f64,
    /// Busy cycles of each pipe.
    pub pipes: [f64; N_PIPES],
    /// Upper bound, with every issue slot or one pipe saturated.
    pub most_tokens_per_cycle: f64,
}

impl<'a> TokenWork<'a> {
    pub fn new(point: &'a Point<'a>, analysis: &Analysis) -> Self {
        let spec = point.spec;
        let iterations = point.geometry.mean_iterations(0);
        let demand = analysis.shapes.per_token(iterations);
        let slots = demand.issue_slots(spec);
        // One-slot issues count half, longer ones by their square.
        let square = |slots: u32| f64::from(slots.max(1)) * f64::from(slots.max(1) - 1);
        let squares = slots
            + demand.branches * square(spec.device.issue.branch_issue_slots)
            + demand.issues(spec) * square(spec.device.issue.interval_cycles);
        let pipes = demand.pipes(spec);
        let fetch = analysis.fetch(spec);
        let fetch_port_cycles = fetch.lines * f64::from(spec.code.l15_cycles_per_line)
            / f64::from(point.geometry.warps_per_block());
        let of_scheduler = pipes.iter().copied().fold(slots, f64::max);
        let most_cycles =
            of_scheduler.max(fetch_port_cycles * f64::from(spec.device.issue.n_schedulers));
        TokenWork {
            point,
            graphs: analysis.paths(spec),
            prologues_per_token: analysis.shapes.prologues_per_token(iterations),
            fetch,
            fetch_port_cycles,
            barrier_wait_cycles: demand.barriers
                * f64::from(spec.barrier_wait_cycles(point.geometry.warps_per_block())),
            issues: demand.issues(spec),
            issued_cycles: demand.issues(spec) * f64::from(spec.device.issue.interval_cycles),
            slots,
            residual_cycles: 0.5 * squares / slots,
            pipes,
            most_tokens_per_cycle: f64::from(spec.device.issue.n_schedulers) / most_cycles,
            demand,
        }
    }

    /// Evaluates the critical path with its derivatives.
    pub fn path(&self, around: Latencies) -> PathPoint {
        let [token, prologue] = &*self.graphs;
        let mut path = token.linear(&around);
        path.add(&prologue.linear(&around), self.prologues_per_token);
        path.cycles += self.gap_cycles();
        PathPoint { around, path }
    }

    /// Evaluates the length of the critical path alone.
    pub fn path_cycles(&self, latencies: &Latencies) -> f64 {
        let [token, prologue] = &*self.graphs;
        token.cycles(latencies)
            + self.prologues_per_token * prologue.cycles(latencies)
            + self.gap_cycles()
    }

    /// Share of the time in which a block slot is empty.
    fn gap_cycles(&self) -> f64 {
        self.prologues_per_token * f64::from(self.point.spec.device.chip.block_cycles)
    }
}
