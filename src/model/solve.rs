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
    pub traffic: Traffic,
    pub time: TokenTime,
    pub memory: MemoryTimes,
    /// Scheduler cycles per token and cause, by `Cause as usize`.
    pub cpi_stack: [f64; Cause::ALL.len()],
}

/// How long memory takes, and how long it is busy for it. All cycles.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MemoryTimes {
    /// Under the load of the launch.
    pub latencies: Latencies,
    /// Of a line that the L1 lacks and of a fitness-case line, if nothing else is under way.
    pub fill_cycles: f64,
    pub case_cycles: f64,
    /// By which the next one is later: L2 port or DRAM, whichever is slower; write-backs counted with the fills.
    pub fill_service_cycles: f64,
    pub case_service_cycles: f64,
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

/// Paths are re-evaluated until the throughput moves by less than this.
const TOLERANCE: f64 = 1e-4;
const MAX_EVALUATIONS: u32 = 12;
/// Warps that share the caches are added until fewer than this part is missing.
const ACTIVE_TOLERANCE: f64 = 0.02;

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
        let model = TokenModel {
            solver: self,
            warps,
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
            traffic: model.traffic,
            model,
            paths,
        }
    }
}

/// A steady state not yet explained.
struct Candidate<'a> {
    tokens_per_cycle: f64,
    traffic: Traffic,
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
            traffic: self.traffic,
            cpi_stack: self.model.cpi_stack(self.tokens_per_cycle, &time),
            memory: self.model.memory_times(&time.latencies),
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

/// Cycles of the DRAM's share.
#[derive(Clone, Copy)]
struct DramUse {
    /// Of one token, and of its fitness cases alone.
    cycles: f64,
    case_cycles: f64,
    cycles_per_line: f64,
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
        let fills = self.fills();
        let read_cycles = (LINE_BYTES * fills + demand.global_load_bytes)
            / f64::from(spec.l2_read_bytes_per_cycle);
        let line_cycles = LINE_BYTES / f64::from(spec.l2_read_bytes_per_cycle);
        let others = self.others(1.0);
        let wait = |cycles_per_token: f64, service_cycles: f64| {
            wait_cycles(tokens_per_cycle * cycles_per_token, 0.5 * service_cycles) * others
        };
        let l2 = wait(read_cycles, line_cycles) + f64::from(spec.l2_latency_cycles);
        let dram_use = self.dram_use(fills);
        let dram =
            wait(dram_use.cycles, dram_use.cycles_per_line) + f64::from(spec.dram_extra_cycles);
        let fill = l2 + (1.0 - traffic.fill_l2_hit) * dram;
        let case = l2 + (1.0 - traffic.case_l2_hit) * dram;
        let limit = f64::from(spec.l1_misses_in_flight);
        let held = tokens_per_cycle * fills * fill / limit;
        let slot = wait_for_one_of_cycles(held, fill, limit) * others;
        let unit_cycles = self.unit_cycles(fills);
        let unit = wait(
            unit_cycles,
            unit_cycles / demand.lines.max(f64::MIN_POSITIVE),
        );
        let latencies = Latencies {
            shared_cycles: unit + f64::from(spec.shared_latency_cycles),
            local_hit_cycles: unit + f64::from(spec.l1_latency_cycles),
            local_miss_cycles: unit + slot + fill,
            local_miss_probability: self.miss_probability(),
            global_cycles: unit + case,
            constant_cycles: f64::from(spec.constant_latency_cycles),
        };
        (latencies, unit)
    }

    fn memory_times(&self, latencies: &Latencies) -> MemoryTimes {
        let (spec, traffic) = (&self.solver.point.spec, &self.traffic);
        let fills = self.fills();
        let dram = self.dram_use(fills);
        let line_cycles = LINE_BYTES / f64::from(spec.l2_read_bytes_per_cycle);
        let l2 = f64::from(spec.l2_latency_cycles);
        let extra = f64::from(spec.dram_extra_cycles);
        let per_fill = (dram.cycles - dram.case_cycles) / fills.max(f64::MIN_POSITIVE);
        let cases = self.solver.demand.global_load_bytes / LINE_BYTES;
        let per_case = dram.case_cycles / cases.max(f64::MIN_POSITIVE);
        MemoryTimes {
            latencies: *latencies,
            fill_cycles: l2 + (1.0 - traffic.fill_l2_hit) * extra,
            case_cycles: l2 + (1.0 - traffic.case_l2_hit) * extra,
            fill_service_cycles: line_cycles.max(per_fill),
            case_service_cycles: line_cycles.max(per_case),
        }
    }

    /// Cycles of the load/store unit per token: lines on their way in and out, and what comes back from the L2.
    fn unit_cycles(&self, fills: f64) -> f64 {
        let spec = self.solver.point.spec;
        let demand = &self.solver.demand;
        let store_cycles = f64::from(spec.store_cycles_per_line);
        let returned = |bytes: f64| match spec.return_bytes_per_cycle {
            0 => 0.0,
            rate => bytes / f64::from(rate),
        };
        let stores = demand.local_store_lines + demand.global_store_lines;
        let loads = demand.lines - stores - demand.global_load_lines;
        let cases = returned(demand.global_load_bytes).max(demand.global_load_lines);
        let writes = (stores + self.traffic.write_backs) * store_cycles;
        loads + cases + writes + returned(LINE_BYTES * fills)
    }

    /// Lines per token that the L1 asks for.
    fn fills(&self) -> f64 {
        let stores = if self.solver.point.spec.l1_fetch_on_write_miss {
            self.traffic.store_misses
        } else {
            0.0
        };
        self.traffic.load_misses + stores
    }

    /// **(21)** What a token takes of the DRAM: a line of a row that is not open occupies it for as long as an activation.
    /// Lines of one stack level are neighbours; a neighbour is in the open row if it misses too.
    fn dram_use(&self, fills: f64) -> DramUse {
        let (dram, traffic) = (&self.solver.point.spec.dram, &self.traffic);
        let geometry = &self.solver.point.geometry;
        let stream = LINE_BYTES / f64::from(dram.bytes_per_cycle);
        let scattered = stream.max(f64::from(dram.activation_cycles));
        let per_row = (f64::from(dram.interleave_bytes) / LINE_BYTES).max(1.0);
        let neighbours = f64::from(geometry.stack_dim).min(per_row);
        let to_dram = self.miss_probability() * (1.0 - traffic.fill_l2_hit);
        let open = to_dram * (1.0 - 1.0 / neighbours);
        let stack_fill = open * stream + (1.0 - open) * scattered;
        // Fitness cases that a thread reads together are next to each other if a block is one warp; otherwise the neighbours
        // are another warp's of the block.
        let in_row = if geometry.warps_per_block() == 1 {
            neighbours
        } else {
            per_row
        };
        let case = (scattered + (in_row - 1.0) * stream) / in_row;
        let fills = fills * (1.0 - traffic.fill_l2_hit);
        let cases = self.solver.demand.global_load_bytes / LINE_BYTES * (1.0 - traffic.case_l2_hit);
        let write_backs = traffic.write_backs * (1.0 - traffic.write_back_l2_hit);
        let cycles = fills * stack_fill + cases * case + write_backs * scattered;
        let lines = fills + cases + write_backs;
        DramUse {
            cycles,
            case_cycles: cases * case,
            cycles_per_line: if lines > 0.0 { cycles / lines } else { 0.0 },
        }
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
