//! Time of one token of one warp, at any throughput of its multiprocessor.
//!
//! Models: the expected critical path, lengthened by the waits for issue slots, pipes, instruction fetch and memory. Everything
//! independent of the throughput is computed once.
//! Leaves out: correlation between the waits of one warp.
//! Units: cycles, tokens.
//! Sources: equations (17) to (20) of `docs/model.md`; Little, Operations Research 9 (1961).

use super::l2::Traffic;
use super::memory::Memory;
use super::path::Latencies;
use super::queue::wait_cycles;
use super::root::{Bracket, falling_root};
use super::work::{PathPoint, TokenWork};

/// Breakdown of the time of one token of one warp, in cycles.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TokenTime {
    pub path_cycles: f64,
    pub issue_wait_cycles: f64,
    pub pipe_wait_cycles: f64,
    pub fetch_wait_cycles: f64,
    pub barrier_wait_cycles: f64,
    /// **(17b)** Wait of stores, which are held at issue while the load/store unit's queue is full.
    pub store_wait_cycles: f64,
    /// Wait of one memory instruction for the load/store unit.
    pub unit_wait_cycles: f64,
    pub latencies: Latencies,
}

impl TokenTime {
    pub fn cycles(&self) -> f64 {
        self.path_cycles
            + self.issue_wait_cycles
            + self.pipe_wait_cycles
            + self.fetch_wait_cycles
            + self.barrier_wait_cycles
            + self.store_wait_cycles
    }
}

/// Tolerance of the throughput on given paths.
const ROOT_TOLERANCE: f64 = 5e-6;

/// Token of one of `warps` warps, with the traffic that they cause.
pub(super) struct TokenModel<'a> {
    pub work: &'a TokenWork<'a>,
    pub warps: f64,
    pub traffic: Traffic,
    pub memory: Memory,
    /// Fraction of a scheduler's warps that are others.
    others: f64,
}

/// Fraction of a group of warps that are others: a warp never waits for itself.
fn others(warps: f64, sharing: f64) -> f64 {
    let group = (warps / sharing).max(1.0);
    (group - 1.0) / group
}

impl<'a> TokenModel<'a> {
    pub fn new(work: &'a TokenWork<'a>, warps: f64, traffic: Traffic) -> Self {
        let point = work.point;
        TokenModel {
            memory: Memory::new(
                point.spec,
                &point.geometry,
                &work.demand,
                &traffic,
                others(warps, 1.0),
            ),
            others: others(warps, f64::from(point.spec.device.issue.n_schedulers)),
            work,
            warps,
            traffic,
        }
    }

    /// **(19)** Solves Little's law on given paths: `throughput x time of a token (throughput) = warps`. A guess saves time.
    pub fn throughput(&self, paths: &PathPoint, guess: f64) -> f64 {
        // Warps over time is nearly linear where a server saturates, which the time itself is not.
        let excess = |throughput: f64| {
            let rate = self.warps / self.time(throughput, paths).cycles();
            rate - throughput
        };
        let most = self.work.most_tokens_per_cycle;
        let bracket = Bracket {
            low: 0.0,
            at_low: f64::INFINITY,
            high: most,
            at_high: -most,
        };
        falling_root(bracket.near(guess, excess), ROOT_TOLERANCE, excess)
    }

    /// Warps that could issue if they had an issue slot or a pipe. The load/store unit serves in order.
    pub fn not_selected_warps(&self, tokens_per_cycle: f64, paths: &PathPoint) -> f64 {
        let time = self.time(tokens_per_cycle, paths);
        tokens_per_cycle * (time.issue_wait_cycles + time.pipe_wait_cycles)
    }

    /// **(20)** Time of a token when the multiprocessor completes `tokens_per_cycle`.
    #[inline]
    pub fn time(&self, tokens_per_cycle: f64, paths: &PathPoint) -> TokenTime {
        let work = self.work;
        let per_scheduler = tokens_per_cycle / f64::from(work.point.spec.device.issue.n_schedulers);
        let issue = wait_cycles(per_scheduler * work.slots, work.residual_cycles);
        let waits = work
            .pipes
            .iter()
            .map(|&cycles| wait_cycles(per_scheduler * cycles, 0.5 * cycles));
        let pipe: f64 = waits.sum();
        // A miss waits for lines that others requested; its own are part of the latency.
        let port = tokens_per_cycle * work.fetch_port_cycles;
        let line_cycles = f64::from(work.point.spec.code.l15_cycles_per_line);
        let fetch_wait = wait_cycles(port, 0.5 * line_cycles) * work.fetch.misses;
        let (latencies, unit_wait_cycles) = self.memory.latencies(tokens_per_cycle);
        TokenTime {
            path_cycles: paths.cycles_at(&latencies),
            issue_wait_cycles: issue * self.others * work.issues,
            pipe_wait_cycles: pipe * self.others,
            fetch_wait_cycles: work.fetch.wait_cycles + fetch_wait * self.others,
            barrier_wait_cycles: work.barrier_wait_cycles,
            store_wait_cycles: work.demand.stores * self.memory.held_cycles(unit_wait_cycles),
            unit_wait_cycles,
            latencies,
        }
    }
}
