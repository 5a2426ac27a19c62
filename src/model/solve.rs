//! The steady state of one multiprocessor: the throughput at which the time of a token fits the number of warps.
//!
//! What it models: `N` resident warps, each of which needs the expected critical path of a token, lengthened by the waits
//! for issue slots, pipes, the load/store unit, requests in flight and the ports behind the L1. Every wait grows with
//! the throughput, so exactly one throughput satisfies Little's law.
//! What it leaves out: that waits of one warp correlate.
//! Units: cycles, tokens. Sources: equations (19) to (21) of `docs/model.md`; Little, Operations Research 9 (1961); Hong and
//! Kim, ISCA 2009, and Huang et al. (GPUMech), MICRO 2014, for models of this kind.

use std::cell::Cell;
use std::sync::Arc;

use super::joins::Linear;
use super::l1::L1Curve;
use super::l2::{Sharers, Traffic, traffic};
use super::path::Latencies;
use super::queue::{wait_cycles, wait_for_one_of_cycles};
use super::shapes::Demand;
use super::{Analysis, Point};
use crate::launch::cause::Cause;
use crate::launch::spec::WarpPolicy;

const HALVINGS: u32 = 32;
const LINE_BYTES: f64 = 128.0;

/// Where the time of one token of one warp goes, in cycles.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TokenTime {
    pub path_cycles: f64,
    pub issue_wait_cycles: f64,
    pub pipe_wait_cycles: f64,
    pub fetch_wait_cycles: f64,
    /// Wait of one memory instruction for the load/store unit.
    pub unit_wait_cycles: f64,
    pub latencies: Latencies,
}

impl TokenTime {
    pub fn cycles(&self) -> f64 {
        self.path_cycles + self.issue_wait_cycles + self.pipe_wait_cycles + self.fetch_wait_cycles
    }
}

/// What the multiprocessor does on average.
#[derive(Debug, Clone)]
pub struct Steady {
    pub tokens_per_cycle: f64,
    /// Warps that run; the others wait for them.
    pub active_warps: u32,
    pub traffic: Traffic,
    pub time: TokenTime,
    /// Scheduler cycles per token and cause, by `Cause as usize`.
    pub cpi_stack: [f64; Cause::ALL.len()],
}

/// Parts of the resident warps that are tried as the ones that run.
const ACTIVE_STEPS: u32 = 12;
/// Misses per token below which the L1 does not limit anything.
const MISSES_THAT_MATTER: f64 = 0.01;
/// Paths are re-evaluated until the throughput moves by less than this.
const TOLERANCE: f64 = 1e-4;
const MAX_EVALUATIONS: u32 = 12;

/// One launch, ready to be solved for any filling.
pub struct Solver<'a> {
    point: &'a Point<'a>,
    analysis: &'a Analysis,
    curve: Arc<L1Curve>,
    demand: Demand,
    prologues_per_token: f64,
    fetch_wait_cycles: f64,
    first_guess: Cell<Latencies>,
}

impl<'a> Solver<'a> {
    pub fn new(point: &'a Point, analysis: &'a Analysis) -> Self {
        let spec = point.spec;
        let iterations = f64::from(point.geometry.iterations(0));
        Solver {
            point,
            analysis,
            curve: analysis.curve(spec, point.geometry.local_stride_bytes),
            demand: analysis.shapes.per_token(iterations),
            prologues_per_token: analysis.shapes.prologues_per_token(iterations),
            fetch_wait_cycles: analysis.missing_code_lines(spec)
                * f64::from(spec.icache_l15_latency_cycles),
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

    /// **(21)** The steady state with `blocks` resident. Where the oldest warp goes first, waits fall on the youngest ones: as
    /// many warps run as give the highest throughput, and the others, whose stacks would only wear out the L1, stand still.
    /// Where warps take turns, all run.
    pub fn solve(&self, blocks: u32) -> Steady {
        self.best(blocks).explained()
    }

    /// The throughput alone.
    pub fn tokens_per_cycle(&self, blocks: u32) -> f64 {
        self.best(blocks).tokens_per_cycle
    }

    /// The warps that run.
    pub fn running_warps(&self, blocks: u32) -> u32 {
        self.best(blocks).active_warps
    }

    fn best(&self, blocks: u32) -> Candidate<'_> {
        let warps = blocks * self.point.geometry.warps_per_block();
        let mut best = self.running(warps, blocks);
        if self.point.spec.warp_policy == WarpPolicy::GreedyThenOldest {
            for step in (1..ACTIVE_STEPS).rev() {
                // Without misses further warps do no harm; past the best number throughput only falls.
                if best.traffic.load_misses + best.traffic.store_misses < MISSES_THAT_MATTER {
                    break;
                }
                let active = (warps * step / ACTIVE_STEPS).max(1);
                let fewer = self.running(active, blocks);
                if fewer.tokens_per_cycle <= best.tokens_per_cycle {
                    break;
                }
                best = fewer;
            }
        }
        best
    }

    /// The first `warps` warps of `blocks` blocks run.
    fn running(&self, warps: u32, blocks: u32) -> Candidate<'_> {
        let per_block = f64::from(self.point.geometry.warps_per_block());
        let sharers = Sharers {
            warps: f64::from(warps),
            blocks: (f64::from(warps) / per_block).clamp(1.0, f64::from(blocks)),
            ticks_per_token: self.analysis.locality.ticks_per_token,
            rows: self.analysis.rows,
        };
        let model = TokenModel {
            solver: self,
            warps: f64::from(warps),
            traffic: traffic(
                self.point.spec,
                &self.point.geometry,
                &self.curve,
                &self.analysis.locality,
                &sharers,
            ),
        };
        let (tokens_per_cycle, paths) = model.throughput(self.first_guess.get());
        self.first_guess.set(paths.around);
        Candidate {
            tokens_per_cycle,
            active_warps: warps,
            traffic: model.traffic,
            model,
            paths,
        }
    }
}

/// A steady state not yet explained.
struct Candidate<'a> {
    tokens_per_cycle: f64,
    active_warps: u32,
    traffic: Traffic,
    model: TokenModel<'a>,
    paths: PathPoint,
}

impl Candidate<'_> {
    fn explained(self) -> Steady {
        let time = self.model.time(self.tokens_per_cycle, &self.paths);
        Steady {
            tokens_per_cycle: self.tokens_per_cycle,
            active_warps: self.active_warps,
            traffic: self.traffic,
            cpi_stack: self.model.cpi_stack(self.tokens_per_cycle, &time),
            time,
        }
    }
}

/// Critical paths of a token around some latencies.
#[derive(Clone, Copy)]
struct PathPoint {
    around: Latencies,
    path: Linear,
}

struct TokenModel<'a> {
    solver: &'a Solver<'a>,
    warps: f64,
    traffic: Traffic,
}

impl TokenModel<'_> {
    /// **(19)** Little's law: `throughput x time of a token (throughput) = warps`; the left side grows, so halving finds it.
    /// Paths are taken as linear in the latencies around the last solution, until they agree.
    fn throughput(&self, guess: Latencies) -> (f64, PathPoint) {
        let mut paths = self.paths(guess);
        let mut before = 0.0;
        for _ in 0..MAX_EVALUATIONS {
            let throughput = self.throughput_near(&paths);
            paths = self.paths(self.latencies(throughput).0);
            if (throughput - before).abs() <= TOLERANCE * throughput {
                return (throughput, paths);
            }
            before = throughput;
        }
        (before, paths)
    }

    fn throughput_near(&self, paths: &PathPoint) -> f64 {
        let spec = self.solver.point.spec;
        let slots = self.solver.demand.issue_slots(spec);
        let (mut low, mut high) = (0.0, spec.n_schedulers as f64 / slots);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if middle * self.time(middle, paths).cycles() < self.warps {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    fn paths(&self, latencies: Latencies) -> PathPoint {
        let around = Latencies {
            local_miss_probability: self.miss_probability(),
            ..latencies
        };
        PathPoint {
            around,
            path: self.path(&around),
        }
    }

    fn path(&self, latencies: &Latencies) -> Linear {
        let shapes = &self.solver.analysis.shapes;
        let mut path = shapes.token.paths.cycles(latencies);
        let prologue = shapes.prologue.paths.cycles(latencies);
        path.add(&prologue, self.solver.prologues_per_token);
        path
    }

    fn miss_probability(&self) -> f64 {
        let loads = self.solver.demand.local_load_lines.max(f64::MIN_POSITIVE);
        (self.traffic.load_misses / loads).min(1.0)
    }

    /// Others among a group of warps that one meets: a warp never waits for itself.
    fn others(&self, sharing: f64) -> f64 {
        let group = (self.warps / sharing).max(1.0);
        (group - 1.0) / group
    }

    /// **(20)** The time of a token when the multiprocessor completes `tokens_per_cycle`.
    fn time(&self, tokens_per_cycle: f64, paths: &PathPoint) -> TokenTime {
        let spec = self.solver.point.spec;
        let demand = &self.solver.demand;
        let schedulers = spec.n_schedulers as f64;
        let per_scheduler = tokens_per_cycle / schedulers;
        let issues = demand.instructions - demand.dual_issued;
        let slots = demand.issue_slots(spec);
        // Mean rest of an issue in progress: one-slot issues count half, longer ones by their square.
        let long = demand.branches;
        let branch_slots = f64::from(spec.branch_issue_slots.max(1));
        let squares = slots - long * branch_slots + long * branch_slots * branch_slots;
        let residual = 0.5 * squares / slots;
        let issue = wait_cycles(per_scheduler * slots, residual) * self.others(schedulers);
        let pipe = demand.pipe_cycles(spec);
        let pipe_wait = wait_cycles(per_scheduler * pipe, 0.5 * pipe) * self.others(schedulers);
        let (latencies, unit_wait_cycles) = self.latencies(tokens_per_cycle);
        TokenTime {
            path_cycles: paths.path.at(&paths.around, &latencies),
            issue_wait_cycles: issue * issues,
            pipe_wait_cycles: pipe_wait,
            fetch_wait_cycles: self.solver.fetch_wait_cycles,
            unit_wait_cycles,
            latencies,
        }
    }

    /// Latencies under load, and the wait for the load/store unit that is part of all of them.
    fn latencies(&self, tokens_per_cycle: f64) -> (Latencies, f64) {
        let spec = self.solver.point.spec;
        let demand = &self.solver.demand;
        let traffic = &self.traffic;
        let fills = traffic.load_misses
            + if spec.l1_fetch_on_write_miss {
                traffic.store_misses
            } else {
                0.0
            };
        let requests = fills + demand.global_loads;
        let read_bytes = LINE_BYTES * fills + demand.global_load_bytes;
        let dram_lines = fills * (1.0 - traffic.fill_l2_hit)
            + demand.global_load_bytes / LINE_BYTES * (1.0 - traffic.case_l2_hit)
            + traffic.write_backs * (1.0 - traffic.write_back_l2_hit);
        let others = self.others(1.0);
        let port = |bytes: f64, bytes_per_cycle: f32| {
            let rate = f64::from(bytes_per_cycle);
            wait_cycles(tokens_per_cycle * bytes / rate, 0.5 * LINE_BYTES / rate) * others
        };
        let l2 = port(read_bytes, spec.l2_read_bytes_per_cycle) + f64::from(spec.l2_latency_cycles);
        let dram = port(dram_lines * LINE_BYTES, spec.dram_bytes_per_cycle)
            + f64::from(spec.dram_extra_cycles);
        let fill = l2 + (1.0 - traffic.fill_l2_hit) * dram;
        let case = l2 + (1.0 - traffic.case_l2_hit) * dram;
        let held = if requests > 0.0 {
            (fills * fill + demand.global_loads * case) / requests
        } else {
            0.0
        };
        let limit = f64::from(spec.l2_requests_in_flight);
        let full = tokens_per_cycle * requests * held / limit;
        let unit = (wait_cycles(tokens_per_cycle * demand.lines, 0.5)
            + wait_for_one_of_cycles(full, held, limit))
            * others;
        let latencies = Latencies {
            shared_cycles: unit + f64::from(spec.shared_latency_cycles),
            local_hit_cycles: unit + f64::from(spec.l1_latency_cycles),
            local_miss_cycles: unit + fill,
            local_miss_probability: self.miss_probability(),
            global_cycles: unit + case,
            constant_cycles: f64::from(spec.constant_latency_cycles),
        };
        (latencies, unit)
    }

    /// Scheduler cycles per token by cause: slots taken, then what idles, split as the waits of a warp are.
    fn cpi_stack(&self, tokens_per_cycle: f64, time: &TokenTime) -> [f64; Cause::ALL.len()] {
        let spec = self.solver.point.spec;
        let demand = &self.solver.demand;
        let slots = demand.issue_slots(spec);
        let mut stack = [0.0; Cause::ALL.len()];
        let mut add = |cause: Cause, cycles: f64| stack[cause as usize] += cycles;
        let issued = demand.instructions - demand.dual_issued;
        let branches = demand.branches * f64::from(spec.branch_issue_slots.max(1) - 1);
        add(Cause::Issued, issued);
        add(Cause::Branch, branches);
        add(Cause::LoadStoreUnit, slots - issued - branches);
        let waits = self.waits(time, issued);
        let total: f64 = waits.iter().map(|wait| wait.1).sum();
        let idle = (spec.n_schedulers as f64 / tokens_per_cycle - slots).max(0.0);
        if total > 0.0 {
            for (cause, cycles) in waits {
                add(cause, idle * cycles / total);
            }
        } else {
            add(Cause::Wait, idle);
        }
        stack
    }

    /// What a warp waits for in a token, each cause as the time that it adds to the path.
    fn waits(&self, time: &TokenTime, issued: f64) -> [(Cause, f64); 9] {
        let full = time.latencies;
        let mut seen = Latencies {
            constant_cycles: full.constant_cycles,
            ..Latencies::default()
        };
        let mut before = self.path(&seen).cycles;
        let fixed = before;
        let mut step = |change: &dyn Fn(&mut Latencies)| {
            change(&mut seen);
            let now = self.path(&seen).cycles;
            let added = (now - before).max(0.0);
            before = now;
            added
        };
        let unit = time.unit_wait_cycles;
        let shared = step(&|l| l.shared_cycles = full.shared_cycles - unit);
        let l1 = step(&|l| {
            l.local_hit_cycles = full.local_hit_cycles - unit;
            l.local_miss_cycles = l.local_hit_cycles;
            l.local_miss_probability = full.local_miss_probability;
        });
        let l2 =
            step(&|l| l.local_miss_cycles = f64::from(self.solver.point.spec.l2_latency_cycles));
        let dram = step(&|l| l.local_miss_cycles = full.local_miss_cycles - unit);
        let global = step(&|l| l.global_cycles = full.global_cycles - unit);
        let queue = step(&|l| *l = full);
        [
            (Cause::Wait, (fixed - issued).max(0.0)),
            (Cause::Shared, shared),
            (Cause::L1Hit, l1),
            (Cause::L2, l2),
            (Cause::Dram, dram),
            (Cause::Global, global),
            (Cause::LoadStoreUnit, queue),
            (Cause::MathPipe, time.pipe_wait_cycles),
            (Cause::NoInstruction, time.fetch_wait_cycles),
        ]
    }
}
