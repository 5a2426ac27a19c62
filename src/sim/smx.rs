//! The streaming multiprocessor: wires the parts together and ticks.
//!
//! What it models: warp schedulers with two dispatches each, the compiler's stall counts and dual-issue
//! pairs, scoreboarded loads, pipes, the load/store unit, resident blocks and their replacement.
//! What it leaves out: values, divergence (traces are uniform), other multiprocessors.
//! Units: core clock cycles. Sources: [`SmxSpec`] and the device preset behind it.
//!
//! Every latency is known when an instruction issues, so a warp's next issue cycle is computed once and
//! cycles in which no scheduler can issue are skipped, not ticked.

use super::calendar::{self, Calendar, MAX_SCHEDULERS};
use super::code::{MemoryRequest, ReplayCode, ReplayOp};
use super::dispatch::{BlockQueue, BlockStart, Geometry};
use super::icache::InstructionCache;
use super::memory::{CaseOffset, Memory};
use super::observe::{Cause, Counters, Issued, Observer, WarpSlot};
use super::pipes::Pipes;
use super::resident::Resident;
use super::scheduler::{SLOTS, Scheduler};
use super::spec::{IssueLimit, SmxSpec};
use super::warp::{CREDITS_PER_TOKEN, Step, Warp, WarpStart};
use crate::isa::{OpClass, hopper};
use crate::trace::AddressKind;

/// See the module text.
pub struct Smx<'a, O = ()> {
    spec: &'a SmxSpec,
    code: &'a ReplayCode,
    geometry: Geometry,
    case_window_bytes: u32,
    queue: BlockQueue,
    n_schedulers: usize,
    schedulers: [Scheduler; MAX_SCHEDULERS],
    /// By scheduler and slot.
    warps: Box<[Warp; MAX_SCHEDULERS * SLOTS]>,
    blocks: Vec<Resident>,
    calendar: Calendar,
    pipes: Pipes,
    memory: Memory,
    /// One, or one per scheduler.
    icaches: Vec<InstructionCache>,
    icache_of: [u8; MAX_SCHEDULERS],
    counters: Counters,
    /// Work done, by program.
    program_credits: Vec<u64>,
    /// Some warp waits until the load/store unit takes another instruction.
    any_refused: bool,
    now: u64,
    observer: O,
}

/// The simulation stopped moving.
#[derive(Debug, thiserror::Error)]
#[error("no warp can ever issue again at cycle {cycle}: {snapshot}")]
pub struct Deadlock {
    pub cycle: u64,
    pub snapshot: String,
}

impl<'a> Smx<'a> {
    /// A multiprocessor with all its block slots filled; block `b` of the first wave starts in the middle
    /// of its iterations, so that blocks do not end together.
    pub fn new(
        spec: &'a SmxSpec,
        code: &'a ReplayCode,
        code_bytes: u32,
        geometry: Geometry,
        queue: BlockQueue,
        seed: u32,
    ) -> Self {
        Self::observed(spec, code, code_bytes, geometry, queue, seed, ())
    }
}

impl<'a, O: Observer> Smx<'a, O> {
    /// The same with an observer that is told of every event.
    pub fn observed(
        spec: &'a SmxSpec,
        code: &'a ReplayCode,
        code_bytes: u32,
        geometry: Geometry,
        queue: BlockQueue,
        seed: u32,
        observer: O,
    ) -> Self {
        let mut smx = Smx {
            spec,
            code,
            case_window_bytes: geometry.case_window_bytes(),
            geometry,
            queue,
            n_schedulers: spec.n_schedulers,
            schedulers: std::array::from_fn(|_| Scheduler::new(spec.warp_policy)),
            warps: Box::new(std::array::from_fn(|_| Warp::idle())),
            blocks: vec![Resident::default(); geometry.resident_blocks as usize],
            calendar: Calendar::new(),
            pipes: Pipes::new(spec),
            memory: Memory::new(spec, seed),
            icaches: vec![InstructionCache::new(spec, code_bytes); n_icaches(spec)],
            icache_of: std::array::from_fn(|s| (s % n_icaches(spec)) as u8),
            counters: Counters::default(),
            program_credits: vec![0; code.programs.len()],
            any_refused: false,
            now: 0,
            observer,
        };
        let n = smx.blocks.len();
        for block in 0..n {
            let done = block as f64 / n as f64;
            smx.start_block(block, if smx.queue.makes_visits() { done } else { 0.0 });
        }
        smx
    }

    /// Counters up to the current cycle.
    pub fn counters(&mut self) -> Counters {
        let opens_at = self.memory.accepts_at();
        for scheduler in &mut self.schedulers[..self.n_schedulers] {
            scheduler.charge_waiting(self.now, opens_at, &mut self.counters);
        }
        self.counters.cycles = self.now;
        self.counters.clone()
    }

    /// Token credits so far, by program.
    pub fn program_credits(&self) -> &[u64] {
        &self.program_credits
    }

    /// Runs until `tokens` more tokens are completed.
    pub fn run_tokens(&mut self, tokens: u64) -> Result<(), Deadlock> {
        let target = self.counters.token_credits + tokens * u64::from(CREDITS_PER_TOKEN);
        while self.counters.token_credits < target {
            self.tick()?;
        }
        Ok(())
    }

    /// Runs until every block of a finite queue has ended, or `cycle` is reached; true when all have ended.
    pub fn run_blocks(&mut self, until_cycle: u64) -> Result<bool, Deadlock> {
        while self.is_occupied() {
            if self.now >= until_cycle {
                return Ok(false);
            }
            self.tick()?;
        }
        Ok(true)
    }

    fn is_occupied(&self) -> bool {
        self.blocks.iter().any(|block| block.warps_left > 0)
    }

    /// What was observed.
    pub fn into_observer(self) -> O {
        self.observer
    }

    /// Blocks started so far.
    pub fn blocks_started(&self) -> usize {
        self.queue.started()
    }

    fn start_block(&mut self, block: usize, done: f64) {
        let Some(start) = self.blocks[block].begin(&mut self.queue) else {
            return;
        };
        let warps = self.geometry.warps_per_block();
        self.blocks[block].warps_left = warps;
        for w in 0..warps {
            let slot = block as u32 * warps + w;
            let (s, i) = self.place(slot as usize);
            self.schedulers[s].admit(i, self.now);
            let place = WarpSlot::new(s, i);
            self.observer.started(place, start.number, w, self.now);
            self.warps[s * SLOTS + i] = self.visit(start, block as u32, w, done);
            self.note_request(s, i);
            self.hold(s, i, self.now + 1, Cause::NoWarp);
        }
    }

    /// Warp `w` of a block at the start of a visit, or where a part of it is done.
    fn visit(&self, visit: BlockStart, block: u32, w: u32, done: f64) -> Warp {
        let stride = 4 * self.geometry.cases_per_iteration();
        let slot = block * self.geometry.warps_per_block() + w;
        let start = WarpStart {
            program: visit.program + w * visit.programs_per_warp,
            block,
            index: w,
            iterations: visit.cut.unwrap_or_else(|| self.geometry.iterations(w)),
            steady_only: visit.steady_only,
            done,
            run_prologue: visit.run_prologue && done == 0.0,
            local_base: slot * self.geometry.local_stride_bytes,
            warp_offset_bytes: if visit.programs_per_warp == 0 {
                128 * w
            } else {
                0
            },
            case_offset_bytes: visit.first_iteration * stride,
            case_stride_bytes: stride,
            case_row_bytes: 4 * self.geometry.threads_per_block,
        };
        Warp::start(self.code, start)
    }

    /// Scheduler and index of a warp slot.
    fn place(&self, slot: usize) -> (usize, usize) {
        (slot % self.n_schedulers, slot / self.n_schedulers)
    }

    #[inline]
    fn warp(&mut self, s: usize, i: usize) -> &mut Warp {
        &mut self.warps[(s * SLOTS + i) % (MAX_SCHEDULERS * SLOTS)]
    }

    #[inline]
    fn scheduler(&mut self, s: usize) -> &mut Scheduler {
        &mut self.schedulers[s % MAX_SCHEDULERS]
    }

    /// One cycle in which something can issue: every scheduler in turn, then on to the next such cycle.
    fn tick(&mut self) -> Result<(), Deadlock> {
        self.wake();
        let mut next = u64::MAX;
        let mut s = self.first_scheduler();
        for _ in 0..self.n_schedulers {
            if self.scheduler(s).has_ready() {
                if self.scheduler(s).busy_until() <= self.now {
                    self.schedule(s);
                }
                if self.scheduler(s).has_ready() {
                    next = next.min(self.scheduler(s).busy_until().max(self.now + 1));
                }
            }
            s = if s + 1 == self.n_schedulers { 0 } else { s + 1 };
        }
        if next > self.now + 1 {
            let woken = self.calendar.next_after(self.now).unwrap_or(u64::MAX);
            next = next.min(woken);
            if self.any_refused {
                next = next.min(self.memory.accepts_at());
            }
        }
        if next == u64::MAX && !self.is_occupied() {
            // The last block of a finite queue has ended.
            next = self.now + 1;
        }
        if next == u64::MAX {
            return Err(Deadlock {
                cycle: self.now,
                snapshot: self.snapshot(),
            });
        }
        self.now = next;
        Ok(())
    }

    /// The scheduler that the shared units serve first. Where stores press on them without end, a fixed order starves
    /// the last one.
    fn first_scheduler(&self) -> usize {
        match self.spec.scoreboards {
            Some(_) => self.now as usize % self.n_schedulers,
            None => 0,
        }
    }

    /// Marks warps as ready whose time has come.
    #[inline]
    fn wake(&mut self) {
        let called = self.calendar.take(self.now);
        let has_opened = self.any_refused && self.memory.accepts_at() <= self.now;
        if called.is_none() && !has_opened {
            return;
        }
        self.any_refused &= !has_opened;
        for (s, slots) in called.unwrap_or_default().into_iter().enumerate() {
            let slots = self.wait_on(s, slots);
            self.schedulers[s].wake(slots, has_opened, self.now, &mut self.counters);
        }
    }

    /// Enters warps again that the calendar gave back early; the others.
    #[inline]
    fn wait_on(&mut self, s: usize, mut slots: u16) -> u16 {
        while let Some((i, until)) = self.schedulers[s].still_waiting(slots, self.now) {
            slots &= !(1 << i);
            let is_far = self.calendar.enter(s, i, until, self.now);
            let cause = self.schedulers[s].cause(i);
            self.schedulers[s].hold(i, until, cause, is_far);
        }
        slots
    }

    fn snapshot(&self) -> String {
        let resident: u32 = self.blocks.iter().map(|block| block.warps_left).sum();
        format!(
            "{resident} resident warps, {} blocks started",
            self.queue.started()
        )
    }

    /// Lets scheduler `s` issue from one of its ready warps.
    fn schedule(&mut self, s: usize) {
        let now = self.now;
        self.schedulers[s % MAX_SCHEDULERS].charge_occupied(now, &mut self.counters);
        let opens_at = self.memory.accepts_at();
        let mut cause = Cause::Wait;
        loop {
            let pick = self.scheduler(s).take_ready(opens_at > now);
            if pick.refused != 0 {
                self.note_refused(s, pick.refused, opens_at);
                cause = Cause::LoadStoreUnit;
            }
            let Some(i) = pick.slot else {
                break;
            };
            if self.issue(s, i) {
                self.schedulers[s % MAX_SCHEDULERS].charge_issue(i, now, &mut self.counters);
                return;
            }
            cause = self.scheduler(s).cause(i);
        }
        // Every ready warp found its pipe taken.
        self.schedulers[s % MAX_SCHEDULERS].charge(now + 1, cause, &mut self.counters);
    }

    /// Warps of some ranks wait until the load/store unit opens, beyond the wheel in the calendar.
    #[inline]
    fn note_refused(&mut self, s: usize, ranks: u16, opens_at: u64) {
        if opens_at - self.now >= calendar::WHEEL {
            self.refuse_for_long(s, ranks, opens_at);
            return;
        }
        if O::WATCHES {
            for i in self.schedulers[s].in_order(ranks) {
                let (slot, cause) = (WarpSlot::new(s, i), Cause::LoadStoreUnit);
                self.observer.held(slot, self.now, opens_at, cause);
            }
        }
        self.any_refused = true;
    }

    #[cold]
    fn refuse_for_long(&mut self, s: usize, ranks: u16, opens_at: u64) {
        self.schedulers[s].take_back(ranks);
        let slots: Vec<usize> = self.schedulers[s].in_order(ranks).collect();
        for i in slots {
            self.hold(s, i, opens_at, Cause::LoadStoreUnit);
        }
    }

    /// Says whether warp `i` asks for the load/store unit next.
    fn note_request(&mut self, s: usize, i: usize) {
        let op = self.warp(s, i).op;
        let request = self.code.ops[op as usize].request;
        self.scheduler(s)
            .ask_memory(i, request != MemoryRequest::None);
    }

    /// Issues the next instruction of warp `i`, and its dual-issue partner; false when a pipe is taken.
    fn issue(&mut self, s: usize, i: usize) -> bool {
        let code = self.code;
        let mut issued = 0;
        loop {
            let index = self.warp(s, i).op;
            let op = &code.ops[index as usize];
            if op.request != MemoryRequest::None && self.is_closed(s, i) {
                return issued > 0;
            }
            if let Err(retry_at) = self.pipes.take(s, op.class, self.now) {
                self.hold(s, i, retry_at, Cause::MathPipe);
                return issued > 0;
            }
            issued += 1;
            self.counters.instructions += 1;
            self.counters.dual_issued += u64::from(issued == 2);
            self.observer.issued(Issued {
                slot: WarpSlot::new(s, i),
                op: index,
                cycle: self.now,
                second: issued == 2,
            });
            let pairs = self.execute(s, i, op);
            if !pairs {
                return true;
            }
            if issued == self.spec.dispatches_per_scheduler {
                self.hold(s, i, self.now + 1, Cause::Wait);
                return true;
            }
        }
    }

    #[inline]
    fn hold(&mut self, s: usize, i: usize, until: u64, cause: Cause) {
        let until = until.max(self.now + 1);
        self.observer
            .held(WarpSlot::new(s, i), self.now, until, cause);
        let is_far = self.calendar.enter(s, i, until, self.now);
        self.scheduler(s).hold(i, until, cause, is_far);
    }

    /// Whether the load/store unit refuses warp `i`.
    #[inline]
    fn is_closed(&mut self, s: usize, i: usize) -> bool {
        let opens_at = self.memory.accepts_at();
        if opens_at <= self.now {
            return false;
        }
        let rank = self.scheduler(s).refuse(i);
        self.note_refused(s, rank, opens_at);
        true
    }

    /// Executes an instruction whose resources are taken, and computes when the warp can issue next.
    /// True when the next instruction may issue in the same cycle.
    fn execute(&mut self, s: usize, i: usize, op: &ReplayOp) -> bool {
        let now = self.now;
        let warp = &mut self.warps[(s * SLOTS + i) % (MAX_SCHEDULERS * SLOTS)];
        let mut next = now + u64::from(op.stall_cycles);
        let mut cause = if op.redirects {
            Cause::Branch
        } else {
            Cause::Wait
        };
        if op.request != MemoryRequest::None {
            let bytes = warp.address_offset(op);
            let offset = match op.address_kind {
                AddressKind::PerCase => CaseOffset {
                    bytes,
                    l2_bytes: bytes % self.case_window_bytes,
                },
                _ => CaseOffset::same(bytes),
            };
            let served = if op.address_kind == AddressKind::Scattered {
                let (memory, counters) = (&mut self.memory, &mut self.counters);
                memory.serve_scattered(op, self.code, now, warp.local_base, counters)
            } else {
                self.memory
                    .serve(op, now, warp.local_base, offset, &mut self.counters)
            };
            self.observer
                .served(WarpSlot::new(s, i), served.ready_at, served.cause);
            if op.load_targets != 0 {
                warp.track_load(op.load_targets, served.ready_at, served.cause, now);
            }
            if op.read_targets != 0
                && let Some(scoreboards) = &self.spec.scoreboards
            {
                let read_at = self.memory.busy_until() + u64::from(scoreboards.operand_cycles);
                warp.track_load(op.read_targets.into(), read_at, Cause::LoadStoreUnit, now);
            }
            if self.spec.replays_take_issue_slots && op.lines > 1 {
                self.schedulers[s % MAX_SCHEDULERS]
                    .occupy(now + u64::from(op.lines), Cause::LoadStoreUnit);
            }
        } else if op.class == OpClass::ConstantLoad && self.spec.scoreboards.is_none() {
            let ready_at = now + u64::from(self.spec.constant_latency_cycles);
            warp.track_load(op.load_targets, ready_at, Cause::Constant, now);
        }
        if let Some(scoreboards) = &self.spec.scoreboards
            && op.request == MemoryRequest::None
            && (op.load_targets != 0 || op.read_targets != 0)
        {
            let ready_at = now + u64::from(scoreboards.result_cycles[op.class as usize]);
            let targets = op.load_targets | u64::from(op.read_targets);
            warp.track_load(targets, ready_at, Cause::Shared, now);
        }
        if let IssueLimit::PerCycle(_) = self.spec.limits[op.class as usize] {
            let wait = self.spec.operand_wait[usize::from(op.sources) % 4];
            self.schedulers[s % MAX_SCHEDULERS].wait_for_operands(wait, now);
        }
        if op.redirects && self.spec.branch_issue_slots > 1 {
            self.schedulers[s % MAX_SCHEDULERS]
                .occupy(now + u64::from(self.spec.branch_issue_slots), Cause::Branch);
        }
        match warp.step(self.code) {
            Step::Within => {}
            Step::SegmentDone(credits) => {
                self.counters.token_credits += u64::from(credits);
                self.program_credits[warp.program as usize] += u64::from(credits);
            }
            Step::Exited(credits) => {
                self.counters.token_credits += u64::from(credits);
                self.program_credits[warp.program as usize] += u64::from(credits);
                self.end_visit(s, i, next);
                return false;
            }
        }
        let following = &self.code.ops[warp.op as usize];
        self.schedulers[s % MAX_SCHEDULERS].ask_memory(i, following.request != MemoryRequest::None);
        if let Some(scoreboards) = &self.spec.scoreboards
            && op.redirects
            && following.pc_bytes != op.pc_bytes + hopper::control::INSTRUCTION_BYTES as u32
        {
            next = next.max(now + u64::from(scoreboards.taken_branch_cycles));
        }
        let icache = usize::from(self.icache_of[s % MAX_SCHEDULERS]);
        let delay = self.icaches[icache].fetch(following.pc_bytes, &mut warp.fetched_line, now);
        if delay > 0 {
            self.counters.icache_misses += 1;
            next = next.max(now + delay);
            cause = Cause::NoInstruction;
        }
        if let Some((ready_at, why)) = warp.wait_for_loads(following, next)
            && ready_at > next
        {
            next = ready_at;
            cause = why;
        }
        let limit = self.spec.global_loads_in_flight_per_warp;
        if following.request == MemoryRequest::GlobalLoad
            && let Some(ready_at) = warp.wait_for_global_slot(limit, next)
            && ready_at > next
        {
            next = ready_at;
            cause = Cause::Global;
        }
        if next == now {
            return true;
        }
        self.hold(s, i, next, cause);
        false
    }

    /// The warp has ended its visit; it could go on at `next`.
    fn end_visit(&mut self, s: usize, i: usize, next: u64) {
        let warp = self.warp(s, i);
        let (block, w, n_visits) = (warp.block, warp.index, warp.n_visits + 1);
        let resident = &mut self.blocks[block as usize];
        if let Some(visit) = resident.go_on(n_visits as usize, &mut self.queue) {
            let mut warp = self.visit(visit, block, w, 0.0);
            warp.n_visits = n_visits;
            *self.warp(s, i) = warp;
            self.note_request(s, i);
            self.hold(s, i, next, Cause::Wait);
            return;
        }
        self.observer.exited(WarpSlot::new(s, i), self.now);
        self.scheduler(s).dismiss(i);
        let resident = &mut self.blocks[block as usize];
        resident.warps_left -= 1;
        if resident.warps_left == 0 {
            self.counters.blocks_finished += 1;
            self.start_block(block as usize, 0.0);
        }
    }
}

/// First-level instruction caches: since Volta every scheduler has its own.
fn n_icaches(spec: &SmxSpec) -> usize {
    match spec.scoreboards {
        Some(_) => spec.n_schedulers,
        None => 1,
    }
}
