//! The steady state of one multiprocessor: the throughput at which the time of a token fits the number of warps.
//!
//! What it models: `N` resident warps, each of which needs the expected critical path of a token, lengthened by the waits
//! for issue slots, pipes, the load/store unit, requests in flight and the ports behind the L1. Every wait grows with
//! the throughput, so exactly one throughput satisfies Little's law.
//! What it leaves out: that waits of one warp correlate.
//! Units: cycles, tokens. Sources: equations (18) and (19) of `docs/model.md`; Little, Operations Research 9 (1961); Hong and
//! Kim, ISCA 2009, and Huang et al. (GPUMech), MICRO 2014, for models of this kind.

use super::l2::{Traffic, traffic};
use super::path::Latencies;
use super::queue::{wait_cycles, wait_for_one_of_cycles};
use super::{Analysis, fetch};
use crate::launch::Launch;
use crate::launch::cause::Cause;
use crate::launch::spec::WarpPolicy;

const HALVINGS: u32 = 40;
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

/// **(20)** The steady state with `blocks` resident. Where the oldest warp goes first, waits fall on the youngest ones: as many
/// warps run as give the highest throughput, and the others, whose stacks would only wear out the L1, stand still. Where
/// warps take turns, all run.
pub fn solve(launch: &Launch, analysis: &Analysis, blocks: u32) -> Steady {
    let warps = blocks * launch.geometry.warps_per_block();
    let mut best = solve_active(launch, analysis, warps, blocks);
    if launch.spec.warp_policy != WarpPolicy::GreedyThenOldest {
        return best;
    }
    let mut falling = 0;
    for step in (1..ACTIVE_STEPS).rev() {
        // Without misses further warps do no harm; past the best number throughput only falls.
        if best.traffic.load_misses + best.traffic.store_misses < MISSES_THAT_MATTER || falling == 2
        {
            break;
        }
        let active = (warps * step / ACTIVE_STEPS).max(1);
        let steady = solve_active(launch, analysis, active, blocks);
        if steady.tokens_per_cycle > best.tokens_per_cycle {
            best = steady;
            falling = 0;
        } else {
            falling += 1;
        }
    }
    best
}

/// Misses per token below which the L1 does not limit anything.
const MISSES_THAT_MATTER: f64 = 0.01;

/// The steady state with the first `warps` warps of `blocks` blocks running.
fn solve_active(launch: &Launch, analysis: &Analysis, warps: u32, blocks: u32) -> Steady {
    let model = TokenModel {
        launch,
        analysis,
        warps: f64::from(warps),
        traffic: traffic(launch, analysis, blocks, warps),
        fetch_wait_cycles: fetch::wait_cycles(launch, &analysis.shapes),
    };
    let tokens_per_cycle = model.throughput();
    let time = model.time(tokens_per_cycle);
    Steady {
        tokens_per_cycle,
        active_warps: warps,
        traffic: model.traffic,
        cpi_stack: model.cpi_stack(tokens_per_cycle, &time),
        time,
    }
}

struct TokenModel<'a> {
    launch: &'a Launch<'a>,
    analysis: &'a Analysis,
    warps: f64,
    traffic: Traffic,
    fetch_wait_cycles: f64,
}

impl TokenModel<'_> {
    /// **(18)** Little's law: `throughput x time of a token (throughput) = warps`; the left side grows, so halving finds it.
    fn throughput(&self) -> f64 {
        let slots = self.analysis.shapes.per_token.issue_slots(self.launch.spec);
        let (mut low, mut high) = (0.0, self.launch.spec.n_schedulers as f64 / slots);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if middle * self.time(middle).cycles() < self.warps {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Others among a group of warps that one meets: a warp never waits for itself.
    fn others(&self, sharing: f64) -> f64 {
        let group = (self.warps / sharing).max(1.0);
        (group - 1.0) / group
    }

    /// **(19)** The time of a token when the multiprocessor completes `tokens_per_cycle`.
    fn time(&self, tokens_per_cycle: f64) -> TokenTime {
        let spec = self.launch.spec;
        let demand = &self.analysis.shapes.per_token;
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
            path_cycles: self.path(&latencies),
            issue_wait_cycles: issue * issues,
            pipe_wait_cycles: pipe_wait,
            fetch_wait_cycles: self.fetch_wait_cycles,
            unit_wait_cycles,
            latencies,
        }
    }

    fn path(&self, latencies: &Latencies) -> f64 {
        if !latencies.global_cycles.is_finite() || !latencies.local_miss_cycles.is_finite() {
            return f64::INFINITY;
        }
        let shapes = &self.analysis.shapes.shapes;
        shapes
            .iter()
            .map(|shape| shape.per_token * shape.path.cycles(latencies))
            .sum()
    }

    /// Latencies under load, and the wait for the load/store unit that is part of all of them.
    fn latencies(&self, tokens_per_cycle: f64) -> (Latencies, f64) {
        let spec = self.launch.spec;
        let demand = &self.analysis.shapes.per_token;
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
        let dram = port(dram_lines * LINE_BYTES, spec.dram.bytes_per_cycle)
            + f64::from(spec.dram_extra_cycles);
        let fill = l2 + (1.0 - traffic.fill_l2_hit) * dram;
        let case = l2 + (1.0 - traffic.case_l2_hit) * dram;
        let held = if requests > 0.0 {
            (fills * fill + demand.global_loads * case) / requests
        } else {
            0.0
        };
        let limit = f64::from(spec.l1_misses_in_flight);
        let full = tokens_per_cycle * requests * held / limit;
        let unit = (wait_cycles(tokens_per_cycle * demand.lines, 0.5)
            + wait_for_one_of_cycles(full, held, limit))
            * others;
        let loads = demand.local_load_lines.max(f64::MIN_POSITIVE);
        let latencies = Latencies {
            shared_cycles: unit + f64::from(spec.shared_latency_cycles),
            local_hit_cycles: unit + f64::from(spec.l1_latency_cycles),
            local_miss_cycles: unit + fill,
            local_miss_probability: (traffic.load_misses / loads).min(1.0),
            global_cycles: unit + case,
            constant_cycles: f64::from(spec.constant_latency_cycles),
        };
        (latencies, unit)
    }

    /// Scheduler cycles per token by cause: slots taken, then what idles, split as the waits of a warp are.
    fn cpi_stack(&self, tokens_per_cycle: f64, time: &TokenTime) -> [f64; Cause::ALL.len()] {
        let spec = self.launch.spec;
        let demand = &self.analysis.shapes.per_token;
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
        let mut before = self.path(&seen);
        let fixed = before;
        let mut step = |change: &dyn Fn(&mut Latencies)| {
            change(&mut seen);
            let now = self.path(&seen);
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
        let l2 = step(&|l| l.local_miss_cycles = f64::from(self.launch.spec.l2_latency_cycles));
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
