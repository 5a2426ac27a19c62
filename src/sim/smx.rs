//! The streaming multiprocessor: wires the parts together and ticks.
//!
//! What it models: warp schedulers with two dispatches each, the compiler's stall counts and dual-issue
//! pairs, scoreboarded loads, pipes, the load/store unit, resident blocks and their replacement.
//! What it leaves out: values, divergence (traces are uniform), other multiprocessors.
//! Units: core clock cycles. Sources: [`SmxSpec`] and the device preset behind it.
//!
//! Every latency is known when an instruction issues, so a warp's next issue cycle is computed once and
//! cycles in which no scheduler can issue are skipped, not ticked.

use super::code::{MemoryRequest, ReplayCode, ReplayOp};
use super::dispatch::{BlockQueue, Geometry};
use super::icache::InstructionCache;
use super::memory::Memory;
use super::observe::{Cause, Counters};
use super::pipes::Pipes;
use super::spec::SmxSpec;
use super::warp::{Step, Warp, WarpStart};
use crate::isa::OpClass;
use crate::trace::AddressKind;

/// Warp slots of one scheduler.
const SLOTS: usize = 16;
/// `ready_at` of an empty slot.
const NEVER: u32 = u32::MAX;

/// One scheduler's view of its warps.
#[derive(Debug, Clone)]
struct Scheduler {
    ready_at: [u32; SLOTS],
    cause: [Cause; SLOTS],
    last: usize,
    /// Cycles before this one are accounted for.
    accounted: u64,
    /// Replays occupy the issue slot until here.
    busy_until: u64,
}

impl Scheduler {
    fn new() -> Self {
        Scheduler {
            ready_at: [NEVER; SLOTS],
            cause: [Cause::NoWarp; SLOTS],
            last: 0,
            accounted: 0,
            busy_until: 0,
        }
    }

    #[inline]
    fn ready_mask(&self, now: u32) -> u32 {
        let mut mask = 0;
        for (i, &at) in self.ready_at.iter().enumerate() {
            mask |= u32::from(at <= now) << i;
        }
        mask
    }

    #[inline]
    fn earliest(&self) -> u32 {
        let mut min = NEVER;
        for &at in &self.ready_at {
            min = min.min(at);
        }
        min
    }

    fn blocking_cause(&self) -> Cause {
        let mut best = 0;
        for i in 1..SLOTS {
            if self.ready_at[i] < self.ready_at[best] {
                best = i;
            }
        }
        if self.ready_at[best] == NEVER {
            Cause::NoWarp
        } else {
            self.cause[best]
        }
    }

    /// Charges the cycles up to `now` (exclusive) to whatever blocks.
    #[inline]
    fn account_idle(&mut self, now: u64, counters: &mut Counters) {
        if now > self.accounted {
            let mut from = self.accounted;
            if self.busy_until > from {
                let until = self.busy_until.min(now);
                counters.cpi_stack[Cause::LoadStoreUnit as usize] += until - from;
                from = until;
            }
            if now > from {
                counters.cpi_stack[self.blocking_cause() as usize] += now - from;
            }
            self.accounted = now;
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Block {
    warps_left: u32,
}

/// See the module text.
pub struct Smx<'a> {
    spec: &'a SmxSpec,
    code: &'a ReplayCode,
    geometry: Geometry,
    queue: BlockQueue,
    schedulers: Vec<Scheduler>,
    warps: Vec<Option<Warp>>,
    blocks: Vec<Block>,
    pipes: Pipes,
    memory: Memory,
    icache: InstructionCache,
    counters: Counters,
    now: u64,
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
        let mut smx = Smx {
            spec,
            code,
            geometry,
            queue,
            schedulers: vec![Scheduler::new(); spec.n_schedulers],
            warps: vec![None; spec.n_schedulers * SLOTS],
            blocks: vec![Block { warps_left: 0 }; geometry.resident_blocks as usize],
            pipes: Pipes::new(spec),
            memory: Memory::new(spec, seed),
            icache: InstructionCache::new(spec, code_bytes),
            counters: Counters::default(),
            now: 0,
        };
        let n = smx.blocks.len();
        for block in 0..n {
            smx.start_block(block, Some((block as u32, n as u32)));
        }
        smx
    }

    /// Counters up to the current cycle.
    pub fn counters(&mut self) -> Counters {
        for scheduler in &mut self.schedulers {
            scheduler.account_idle(self.now, &mut self.counters);
        }
        self.counters.cycles = self.now;
        self.counters.clone()
    }

    /// Runs until `tokens` more tokens are completed.
    pub fn run_tokens(&mut self, tokens: u64) -> Result<(), Deadlock> {
        let target = self.counters.tokens + tokens;
        while self.counters.tokens < target {
            self.tick()?;
        }
        Ok(())
    }

    /// Blocks started so far.
    pub fn blocks_started(&self) -> usize {
        self.queue.started()
    }

    fn start_block(&mut self, block: usize, staggered: Option<(u32, u32)>) {
        let start = self.queue.pop();
        let warps = self.geometry.warps_per_block();
        self.blocks[block].warps_left = warps;
        let stride = 4 * self.geometry.cases_per_iteration();
        for w in 0..warps {
            let slot = block as u32 * warps + w;
            let iterations = self.queue.iterations(self.geometry.iterations(w));
            let skip = staggered.map_or(0, |(i, n)| (iterations - 1) * i / n);
            let warp = Warp::start(
                self.code,
                WarpStart {
                    program: start.program,
                    block,
                    iterations,
                    skip_iterations: skip,
                    run_prologue: start.run_prologue && staggered.is_none(),
                    local_base: slot * self.geometry.local_stride_bytes,
                    case_offset_bytes: 128 * w,
                    case_stride_bytes: stride,
                },
            );
            let (s, i) = self.place(slot as usize);
            self.warps[s * SLOTS + i] = Some(warp);
            self.schedulers[s].ready_at[i] = self.now as u32 + 1;
            self.schedulers[s].cause[i] = Cause::NoWarp;
        }
    }

    /// Scheduler and index of a warp slot.
    fn place(&self, slot: usize) -> (usize, usize) {
        (slot % self.spec.n_schedulers, slot / self.spec.n_schedulers)
    }

    /// One cycle in which something can issue: every scheduler in turn, then on to the next such cycle.
    fn tick(&mut self) -> Result<(), Deadlock> {
        for s in 0..self.schedulers.len() {
            if self.schedulers[s].busy_until <= self.now {
                self.schedule(s);
            }
        }
        let next = self
            .schedulers
            .iter()
            .map(|scheduler| u64::from(scheduler.earliest()).max(scheduler.busy_until))
            .min()
            .unwrap_or(u64::from(NEVER));
        if next >= u64::from(NEVER) {
            return Err(Deadlock {
                cycle: self.now,
                snapshot: self.snapshot(),
            });
        }
        self.now = next.max(self.now + 1);
        Ok(())
    }

    fn snapshot(&self) -> String {
        let resident = self.warps.iter().flatten().count();
        format!(
            "{resident} resident warps, {} blocks started",
            self.queue.started()
        )
    }

    /// Lets scheduler `s` issue from one warp, loose round robin.
    fn schedule(&mut self, s: usize) {
        let now = self.now as u32;
        let mut mask = self.schedulers[s].ready_mask(now);
        if mask == 0 {
            return;
        }
        self.schedulers[s].account_idle(self.now, &mut self.counters);
        while mask != 0 {
            let start = self.schedulers[s].last + 1;
            let rotated = (mask >> start) << start;
            let i = if rotated != 0 {
                rotated.trailing_zeros()
            } else {
                mask.trailing_zeros()
            } as usize;
            if self.issue(s, i) {
                self.schedulers[s].last = i;
                self.counters.cpi_stack[Cause::Issued as usize] += 1;
                self.schedulers[s].accounted = self.now + 1;
                return;
            }
            mask &= !(1 << i);
        }
    }

    /// Issues the next instruction of warp `i`, and its dual-issue partner; false when a pipe is taken.
    fn issue(&mut self, s: usize, i: usize) -> bool {
        let mut issued = 0;
        loop {
            let Some(warp) = self.warps[s * SLOTS + i].as_ref() else {
                return issued > 0;
            };
            let op = self.code.ops[warp.op as usize];
            if let Err((retry_at, cause)) = self.take_resources(s, &op) {
                self.hold(s, i, retry_at, cause);
                return issued > 0;
            }
            issued += 1;
            self.counters.instructions += 1;
            if issued == 2 {
                self.counters.dual_issued += 1;
            }
            let pairs = self.execute(s, i, &op);
            if !pairs {
                return true;
            }
            if issued == self.spec.dispatches_per_scheduler {
                self.hold(s, i, self.now + 1, Cause::Wait);
                return true;
            }
        }
    }

    fn hold(&mut self, s: usize, i: usize, until: u64, cause: Cause) {
        self.schedulers[s].ready_at[i] = until.max(self.now + 1) as u32;
        self.schedulers[s].cause[i] = cause;
    }

    fn take_resources(&mut self, s: usize, op: &ReplayOp) -> Result<(), (u64, Cause)> {
        if op.request != MemoryRequest::None {
            let at = self.memory.accepts_at(self.now);
            if at > self.now {
                return Err((at, Cause::LoadStoreUnit));
            }
        }
        self.pipes
            .take(s, op.class, self.now)
            .map_err(|at| (at, Cause::MathPipe))
    }

    /// Executes an instruction whose resources are taken, and computes when the warp can issue next.
    /// True when the next instruction may issue in the same cycle.
    fn execute(&mut self, s: usize, i: usize, op: &ReplayOp) -> bool {
        let now = self.now;
        let warp = self.warps[s * SLOTS + i]
            .as_mut()
            .expect("issue() saw a warp");
        let mut next = now + u64::from(op.stall_cycles);
        let mut cause = if op.redirects {
            Cause::Branch
        } else {
            Cause::Wait
        };
        if op.request != MemoryRequest::None {
            let offset = match op.address_kind {
                AddressKind::PerCase => warp.case_offset_bytes,
                AddressKind::PerThread => warp.case_offset_bytes,
                _ => 0,
            };
            let served = self
                .memory
                .serve(op, now, warp.local_base, offset, &mut self.counters);
            if op.load_targets != 0 {
                warp.track_load(op.load_targets, served.ready_at, served.cause, now);
            }
            if self.spec.replays_take_issue_slots && op.lines > 1 {
                self.schedulers[s].busy_until = now + u64::from(op.lines);
            }
        } else if op.class == OpClass::ConstantLoad {
            let ready_at = now + u64::from(self.spec.constant_latency_cycles);
            warp.track_load(op.load_targets, ready_at, Cause::Constant, now);
        }
        match warp.step(self.code) {
            Step::Exited => {
                self.exit(s, i);
                return false;
            }
            Step::TokenDone => self.counters.tokens += 1,
            Step::Within | Step::PhaseDone => {}
        }
        let warp = self.warps[s * SLOTS + i]
            .as_mut()
            .expect("the warp has not exited");
        let following = &self.code.ops[warp.op as usize];
        let delay = self
            .icache
            .fetch(following.pc_bytes, &mut warp.fetched_line, now);
        if delay > 0 {
            self.counters.icache_misses += 1;
            next = next.max(now + delay);
            cause = Cause::NoInstruction;
        }
        if let Some((ready_at, why)) = warp.wait_for_loads(following, next) {
            if ready_at > next {
                next = ready_at;
                cause = why;
            }
        }
        if following.request == MemoryRequest::GlobalLoad {
            if let Some(ready_at) =
                warp.wait_for_global_slot(self.spec.global_loads_in_flight_per_warp, next)
            {
                if ready_at > next {
                    next = ready_at;
                    cause = Cause::Global;
                }
            }
        }
        if next == now {
            return true;
        }
        let scheduler = &mut self.schedulers[s];
        scheduler.ready_at[i] = next as u32;
        scheduler.cause[i] = cause;
        false
    }

    fn exit(&mut self, s: usize, i: usize) {
        let Some(warp) = self.warps[s * SLOTS + i].take() else {
            return;
        };
        self.schedulers[s].ready_at[i] = NEVER;
        self.schedulers[s].cause[i] = Cause::NoWarp;
        let block = warp.block;
        self.blocks[block].warps_left -= 1;
        if self.blocks[block].warps_left == 0 {
            self.counters.blocks_finished += 1;
            self.start_block(block, None);
        }
    }
}
