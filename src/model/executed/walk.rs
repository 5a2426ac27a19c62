//! One executed warp, alone on a multiprocessor: its time, its stalls and its demand.
//!
//! Models: instructions in order, each as early as stall counts, branches, scoreboards and pending results allow; loads take
//! the mean of what their static instruction finds in the caches, and the parts of an access follow each other at the pace of
//! the slowest of load/store unit, ports, DRAM and page activations. The parts of one access open each of their pages once,
//! unless a request for the page is in the controller's queue; a coalesced access shares its page with its neighbours.
//! Leaves out: instruction fetch; DRAM pages that stay open with no request pending.
//! Units: cycles.
//! Sources: equations (E3) and (E4) of `docs/model.md`; the rules of `path` and `launch::dependence`.

use super::reuse::HitTable;
use crate::isa::OpClass;
use crate::launch::cause::Cause;
use crate::launch::code::{MemoryRequest, ReplayCode, ReplayOp};
use crate::launch::spec::{DependenceTracking, IssueLimit, SmxSpec};
use crate::model::LINE_BYTES;
use crate::model::demand::{Demand, N_PIPES};
use crate::model::memory::cycles_at;
use crate::model::path::PathRules;
use crate::trace::{AddressKind, SECTOR_BYTES};
use crate::util::elementary::powf;

/// Number of servers: issue slots, pipes, load/store unit, read port, write port, DRAM, page activations.
pub const N_SERVERS: usize = 1 + N_PIPES + 5;
pub const ISSUE: usize = 0;
pub const PIPES: usize = 1;
pub const UNIT: usize = PIPES + N_PIPES;
pub const READ_PORT: usize = UNIT + 1;
pub const WRITE_PORT: usize = UNIT + 2;
pub const DRAM: usize = UNIT + 3;
pub const PAGES: usize = UNIT + 4;

pub const N_CAUSES: usize = Cause::ALL.len();

/// Tells whether each scheduler has its own server of this kind.
pub fn is_schedulers(server: usize) -> bool {
    server < UNIT
}

/// Work of a server for a warp.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Service {
    /// Busy cycles.
    pub cycles: f64,
    /// Sum over the requests of squared service cycles.
    pub squares: f64,
    /// Requests that the warp waits for.
    pub waits: f64,
}

/// Time, stalls and demand of one warp alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Alone {
    /// Cycles from the first instruction to the end.
    pub cycles: f64,
    /// Stall cycles by cause, part of `cycles`.
    pub stalls: [f64; N_CAUSES],
    pub services: [Service; N_SERVERS],
    /// Memory instructions, which are held at issue while the load/store unit is far behind.
    pub memory_instructions: f64,
    pub traffic: Traffic,
}

/// Cache traffic of a warp.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Traffic {
    pub load_lines: f64,
    pub load_hits: f64,
    pub store_lines: f64,
    pub store_hits: f64,
    pub l2_lines: f64,
    pub l2_hits: f64,
    pub read_bytes: f64,
    pub written_bytes: f64,
    pub dram_read_bytes: f64,
    pub dram_written_bytes: f64,
}

/// One access in flight: cycles of each server behind the scheduler.
#[derive(Debug, Clone, Copy, Default)]
struct Access {
    unit: f64,
    read: f64,
    write: f64,
    dram: f64,
    activations: f64,
    /// Probabilities that some part misses in the L1, and in the L2 as well.
    beyond_l1: f64,
    beyond_l2: f64,
}

impl Access {
    fn slowest(&self) -> f64 {
        let memory = self.dram.max(self.activations);
        self.unit.max(self.read).max(memory)
    }
}

/// An awaited result.
#[derive(Debug, Clone, Copy)]
struct Awaited {
    targets: u64,
    ready_at: f64,
    cause: Cause,
    access: Option<Access>,
}

/// Walks warps, given the machine and the cache hit probabilities.
pub struct Walker<'a> {
    pub code: &'a ReplayCode,
    pub spec: &'a SmxSpec,
    pub rules: PathRules,
    pub hits: &'a HitTable,
    /// Fraction of the requests whose page another request in the controller's queue needs.
    pub pages_asked_for: f64,
}

/// Address of a part, from the start of the warp's memory.
pub fn of_warp(part: &ReplayOp) -> u32 {
    match part.request {
        MemoryRequest::LocalLoad | MemoryRequest::LocalStore => part.local_address(),
        _ => part.address,
    }
}

impl Walker<'_> {
    /// **(E3)** Walks the warp that executes `ops`.
    pub fn alone(&self, ops: &[ReplayOp]) -> Alone {
        let mut alone = Alone {
            cycles: 0.0,
            stalls: [0.0; N_CAUSES],
            services: [Service::default(); N_SERVERS],
            memory_instructions: 0.0,
            traffic: Traffic::default(),
        };
        let mut now = 0.0f64;
        let mut memory_free_at = 0.0f64;
        let mut awaited: Vec<Awaited> = Vec::new();
        let mut loads: Vec<f64> = Vec::new();
        for (i, op) in ops.iter().enumerate() {
            now = self.wait(op, now, &mut awaited, &mut alone);
            if op.request == MemoryRequest::GlobalLoad {
                let limit = self.rules.global_loads_in_flight;
                if let Some(&first) = loads.iter().nth_back(limit.saturating_sub(1)) {
                    let free_at = first + f64::from(self.rules.global_hold_cycles);
                    if free_at > now {
                        alone.stalls[Cause::Global as usize] += free_at - now;
                        now = free_at;
                    }
                }
                loads.push(now);
            }
            if op.request == MemoryRequest::None {
                awaited.extend(self.result(op, now));
            } else {
                let access = self.access(op, &mut alone);
                let start = memory_free_at.max(now);
                memory_free_at = start + access.slowest();
                self.await_access(op, access, start, &mut awaited);
            }
            let next = self.rules.stall_cycles(op, ops.get(i + 1));
            let least = f64::from(self.rules.issue_interval_cycles);
            let cause = if op.redirects {
                Cause::Branch
            } else {
                Cause::Wait
            };
            alone.stalls[cause as usize] += (next - least).max(0.0);
            now += next;
            if op.class == OpClass::Barrier {
                let wait = f64::from(self.spec.barrier_wait_cycles(1));
                alone.stalls[Cause::Barrier as usize] += wait;
                now += wait;
            }
        }
        alone.cycles = now.max(1.0);
        self.add_instructions(ops, &mut alone);
        alone
    }

    /// Waits for the operands of `op` and returns the time; a latency that only some loads of a kind have enters as its mean.
    fn wait(&self, op: &ReplayOp, now: f64, awaited: &mut Vec<Awaited>, alone: &mut Alone) -> f64 {
        let mut last: Option<Awaited> = None;
        awaited.retain(|result| {
            let waits = result.targets & op.registers != 0;
            if waits && last.is_none_or(|last| result.ready_at > last.ready_at) {
                last = Some(*result);
            }
            !waits
        });
        let Some(last) = last.filter(|last| last.ready_at > now) else {
            return now;
        };
        alone.stalls[last.cause as usize] += last.ready_at - now;
        if let Some(access) = last.access {
            alone.services[UNIT].waits += 1.0;
            alone.services[READ_PORT].waits += access.beyond_l1;
            alone.services[WRITE_PORT].waits += match self.spec.l2_request_bytes {
                0 => 0.0,
                _ => access.beyond_l1,
            };
            alone.services[DRAM].waits += access.beyond_l2;
            alone.services[PAGES].waits += access.beyond_l2;
        }
        last.ready_at
    }

    fn result(&self, op: &ReplayOp, now: f64) -> Option<Awaited> {
        let cycles = self.rules.result_cycles?[op.class as usize];
        let (targets, cause) = match self.spec.dependences {
            DependenceTracking::Barriers(_) => (
                op.result_targets | u64::from(op.read_targets),
                Cause::Shared,
            ),
            _ => (op.result_targets, Cause::Wait),
        };
        (targets != 0).then(|| Awaited {
            targets,
            ready_at: now + f64::from(cycles),
            cause,
            access: None,
        })
    }

    fn await_access(&self, op: &ReplayOp, access: Access, start: f64, awaited: &mut Vec<Awaited>) {
        let spec = self.spec;
        let far = f64::from(spec.l2_latency_cycles)
            + access.beyond_l2 / access.beyond_l1.max(f64::MIN_POSITIVE)
                * f64::from(spec.dram_extra_cycles);
        let (latency, cause) = match op.request {
            MemoryRequest::SharedLoad => (f64::from(spec.shared_latency_cycles), Cause::Shared),
            MemoryRequest::LocalLoad | MemoryRequest::GlobalLoad => {
                let near = f64::from(spec.l1_latency_cycles);
                let latency = near + access.beyond_l1 * (far - near);
                let cause = match op.request {
                    MemoryRequest::GlobalLoad => Cause::Global,
                    _ if access.beyond_l2 > 0.5 => Cause::Dram,
                    _ if access.beyond_l1 > 0.5 => Cause::L2,
                    _ => Cause::L1Hit,
                };
                (latency, cause)
            }
            _ => (0.0, Cause::LoadStoreUnit),
        };
        // Delay of the last part after the first.
        let parts = (access.slowest() - 1.0).max(0.0);
        if op.result_targets != 0 && latency > 0.0 {
            awaited.push(Awaited {
                targets: op.result_targets,
                ready_at: start + parts + latency,
                cause,
                access: Some(access),
            });
        }
        if op.read_targets != 0 {
            awaited.push(Awaited {
                targets: op.read_targets.into(),
                ready_at: start + access.unit + f64::from(self.rules.operand_cycles),
                cause: Cause::LoadStoreUnit,
                access: Some(Access::default()),
            });
        }
    }

    /// **(E4)** Computes the time that an access occupies each server.
    fn access(&self, op: &ReplayOp, alone: &mut Alone) -> Access {
        let mut access = Access::default();
        match op.address_kind {
            AddressKind::Scattered => {
                let apart = match op.is_uncoalesced() {
                    true => f64::from(self.spec.uncoalesced_cycles),
                    false => 0.0,
                };
                let mut pages = Vec::new();
                for part in self.code.parts(op) {
                    let before = access.dram;
                    self.part(&part, &mut access, &mut alone.traffic);
                    if access.dram > before {
                        pages.push(self.spec.dram.page_of(of_warp(&part)));
                    }
                    if part.address_kind == AddressKind::Segment {
                        access.unit += apart;
                    }
                }
                pages.sort_unstable();
                pages.dedup();
                access.activations = match op.is_uncoalesced() {
                    true => self.opening(pages.len() as f64),
                    false => self.opening_together(&access),
                };
            }
            _ => {
                self.part(op, &mut access, &mut alone.traffic);
                access.activations = self.opening_together(&access);
            }
        }
        if self.spec.unit_is_unlimited {
            access.unit = 0.0;
        }
        alone.memory_instructions += 1.0;
        let of_servers = [
            (UNIT, access.unit),
            (READ_PORT, access.read),
            (WRITE_PORT, access.write),
            (DRAM, access.dram),
            (PAGES, access.activations),
        ];
        for (server, cycles) in of_servers {
            let service = &mut alone.services[server];
            service.cycles += cycles;
            service.squares += cycles * cycles;
        }
        access
    }

    /// Activation cycles of `pages` for a controller that continues with other pages meanwhile.
    fn opening(&self, pages: f64) -> f64 {
        match self.spec.dram.queue_requests {
            0 => 0.0,
            _ => {
                let opened = pages * (1.0 - self.pages_asked_for);
                opened * f64::from(self.spec.dram.activation_cycles)
            }
        }
    }

    /// Activation cycles of an access to neighbouring bytes: its neighbours in the same partition share the page.
    fn opening_together(&self, access: &Access) -> f64 {
        let dram = &self.spec.dram;
        let bytes = access.dram * f64::from(dram.bytes_per_cycle);
        self.opening(bytes / f64::from(dram.interleave_bytes))
    }

    fn part(&self, op: &ReplayOp, access: &mut Access, traffic: &mut Traffic) {
        let spec = self.spec;
        let hits = self.hits.of(op.pc_bytes);
        let store_cycles = op.share_of(spec.store_cycles_per_line.into()) as f64;
        let lines = f64::from(op.lines.max(1));
        match op.request {
            MemoryRequest::SharedLoad | MemoryRequest::SharedStore => {
                access.unit += op.share_of(spec.shared_access_cycles.into()) as f64;
            }
            MemoryRequest::LocalLoad => {
                let (bytes, lacking) = match spec.l1_caches_local {
                    true => (LINE_BYTES, 1.0 - hits.l1),
                    false => (f64::from(op.moved_bytes()), 1.0),
                };
                traffic.load_lines += lines;
                traffic.load_hits += lines * (1.0 - lacking);
                access.unit += lines;
                self.fetch(lines, bytes, lacking, op.pc_bytes, access, traffic);
            }
            MemoryRequest::LocalStore => {
                traffic.store_lines += lines;
                access.unit += lines * store_cycles;
                if spec.l1_caches_local && !spec.l1_write_through {
                    // Every line that a store brings in is written back.
                    traffic.store_hits += lines * hits.l1;
                    let lacking = lines * (1.0 - hits.l1);
                    access.unit += lacking * f64::from(spec.store_cycles_per_line);
                    self.store(lacking * LINE_BYTES, access, traffic);
                } else {
                    traffic.store_hits += lines * hits.l1;
                    self.store(lines * f64::from(op.moved_bytes()), access, traffic);
                }
            }
            MemoryRequest::GlobalLoad => {
                let of_op = op.global_access();
                let (parts, bytes) = (f64::from(of_op.parts), f64::from(of_op.part_bytes));
                match spec.l1_caches_global_loads {
                    true => {
                        access.unit += parts;
                        self.fetch(parts, bytes, 1.0 - hits.l1, op.pc_bytes, access, traffic);
                    }
                    false => {
                        let returned = cycles_at(spec.return_bytes_per_cycle, parts * bytes);
                        let unit = access.unit + returned.max(lines);
                        self.fetch(parts, bytes, 1.0, op.pc_bytes, access, traffic);
                        access.unit = unit;
                    }
                }
            }
            MemoryRequest::GlobalStore => {
                access.unit += lines * store_cycles;
                self.store(f64::from(op.global_access().bytes()), access, traffic);
            }
            MemoryRequest::None => {}
        }
    }

    /// Adds the traffic of `parts` of `bytes` each, of which a fraction `lacking` misses in the L1.
    fn fetch(
        &self,
        parts: f64,
        bytes: f64,
        lacking: f64,
        pc_bytes: u32,
        access: &mut Access,
        traffic: &mut Traffic,
    ) {
        let spec = self.spec;
        let l2_hit = match spec.has_l2 {
            true => self.hits.of(pc_bytes).l2,
            false => 0.0,
        };
        let (moved, farther) = (parts * lacking * bytes, lacking * (1.0 - l2_hit));
        access.read += moved / f64::from(spec.l2_read_bytes_per_cycle);
        let asked = parts * lacking * f64::from(spec.l2_request_bytes);
        access.write += asked / f64::from(spec.l2_write_limit());
        access.unit += cycles_at(spec.fill_bytes_per_cycle, moved);
        let from_dram = parts * farther * bytes.max(f64::from(SECTOR_BYTES));
        access.dram += from_dram / f64::from(spec.dram.bytes_per_cycle);
        let some = |each: f64, before: f64| 1.0 - (1.0 - before) * powf(1.0 - each, parts);
        access.beyond_l1 = some(lacking, access.beyond_l1);
        access.beyond_l2 = some(farther, access.beyond_l2);
        traffic.l2_lines += parts * lacking;
        traffic.l2_hits += parts * lacking * l2_hit;
        traffic.read_bytes += moved;
        traffic.dram_read_bytes += from_dram;
    }

    fn store(&self, bytes: f64, access: &mut Access, traffic: &mut Traffic) {
        access.write += bytes / f64::from(self.spec.l2_write_limit());
        traffic.written_bytes += bytes;
        if !self.spec.has_l2 {
            access.dram += bytes / f64::from(self.spec.dram.bytes_per_cycle);
            traffic.dram_written_bytes += bytes;
        }
    }

    /// Adds the time that the instructions occupy schedulers and pipes.
    fn add_instructions(&self, ops: &[ReplayOp], alone: &mut Alone) {
        let demand = Demand::of(ops);
        let issues = demand.issues(self.spec).max(1.0);
        let slots = demand.issue_slots(self.spec);
        alone.services[ISSUE] = Service {
            cycles: slots,
            squares: slots * slots / issues,
            waits: issues,
        };
        let mut uses = [0.0; N_PIPES];
        for (count, limit) in demand.per_class.iter().zip(&self.spec.limits) {
            match limit {
                IssueLimit::Free => {}
                IssueLimit::PerCycle(_) => uses[0] += count,
                IssueLimit::Interval(pipe, _) => uses[1 + *pipe as usize] += count,
            }
        }
        for (pipe, cycles) in demand.pipes(self.spec).into_iter().enumerate() {
            let uses = uses[pipe];
            alone.services[PIPES + pipe] = Service {
                cycles,
                squares: cycles * cycles / f64::max(uses, 1.0),
                waits: uses,
            };
        }
    }
}
