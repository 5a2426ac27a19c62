//! Execution of an instruction at issue, and the next issue cycle of its warp.
//!
//! Every latency is known when an instruction issues: the warp's next issue cycle is computed at once.

use super::Smx;
use crate::device::ideal::Ideal;
use crate::isa::OpClass;
use crate::launch::spec::DependenceTracking;
use crate::sim::code::{MemoryRequest, ReplayOp};
use crate::sim::memory::{CaseOffset, Served};
use crate::sim::observe::{Cause, Issued, Observer, WarpSlot};
use crate::sim::warp::{Advance, Warp};
use crate::sim::warp_mask::MAX_SCHEDULERS;
use crate::trace::AddressKind;

impl<O: Observer, const EVEN_SLOTS: bool> Smx<'_, O, EVEN_SLOTS> {
    #[inline]
    fn warp(&mut self, s: usize, i: usize) -> &mut Warp {
        &mut self.warps[self.slots.warp(s, i)]
    }

    /// Issues the next instruction of warp `i`, and its dual-issue partner; false when a pipe is taken.
    #[inline]
    pub(super) fn issue(&mut self, s: usize, i: usize) -> bool {
        let code = self.code;
        let mut issued = 0;
        loop {
            let index = self.warp(s, i).op;
            let op = &code.ops[index as usize];
            if issued > 0 && op.request != MemoryRequest::None {
                // The first instruction of a pair is asked about before (`schedule`).
                let opens_at = self.memory.accepts_at();
                if opens_at > self.now {
                    self.refuse(s, 1 << i, opens_at);
                    return true;
                }
            }
            if issued > 0 && !self.pipes.may_issue(self.now) {
                self.hold(s, i, self.now + 1, Cause::MathPipe);
                return true;
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
            if issued == self.spec.device.issue.n_dispatch {
                self.hold(s, i, self.now + 1, Cause::Wait);
                return true;
            }
        }
    }

    /// Executes an instruction whose resources are taken, and computes when the warp can issue next.
    /// True when the next instruction may issue in the same cycle.
    #[inline]
    fn execute(&mut self, s: usize, i: usize, op: &ReplayOp) -> bool {
        let now = self.now;
        if op.request != MemoryRequest::None {
            self.access(s, i, op);
        } else if self.tracks_results {
            self.track_result(s, i, op);
        }
        let wait = self.pipes.operand_wait(op.class, op.sources);
        self.scheduler(s).lose_slots(wait, now, Cause::MathPipe);
        if op.redirects && self.spec.device.issue.branch_issue_slots > 1 {
            let until = now + u64::from(self.spec.device.issue.branch_issue_slots);
            self.scheduler(s).occupy(until, Cause::Branch);
        }
        let warp = &mut self.warps[self.slots.warp(s, i)];
        let step = if op.ends_other_warps && warp.index > 0 {
            warp.end()
        } else {
            warp.step(self.code)
        };
        match step {
            Advance::Within => {}
            Advance::SegmentDone(credits) => {
                self.counters.token_credits += u64::from(credits);
                self.program_credits[warp.program as usize] += u64::from(credits);
            }
            Advance::Exited(credits) => {
                self.counters.token_credits += u64::from(credits);
                self.program_credits[warp.program as usize] += u64::from(credits);
                self.end_unit(s, i, now + u64::from(op.stall_cycles));
                return false;
            }
        }
        self.go_on(s, i, op)
    }

    /// Computes when warp `i`, which issued `op`, can issue its next instruction. True when that is the same cycle.
    #[inline]
    fn go_on(&mut self, s: usize, i: usize, op: &ReplayOp) -> bool {
        let now = self.now;
        let warp = &mut self.warps[self.slots.warp(s, i)];
        let following = &self.code.ops[warp.op as usize];
        let asks_memory = following.request != MemoryRequest::None;
        self.waits.ask_memory(self.slots.warp(s, i), asks_memory);
        let stall = if self.ignores_stall_counts {
            1
        } else {
            op.stall_cycles.min(self.spec.longest_stall_cycles)
        };
        let mut next = now + u64::from(stall);
        let mut cause = Cause::Wait;
        let mut fetches_at = now;
        if op.redirects {
            cause = Cause::Branch;
            if following.pc_bytes != self.spec.code.layout.next(op.pc_bytes) {
                let (cycles, target_known) = self.spec.taken_branch(op);
                next = next.max(now + u64::from(cycles));
                fetches_at += u64::from(target_known);
            }
        }
        let icache = &mut self.icaches[usize::from(self.icache_of[s % MAX_SCHEDULERS])];
        let fetch = icache.fetch(s, following.pc_bytes, &mut warp.fetched_line, fetches_at);
        if fetch.lines > 0 {
            let slots = fetch.lines * self.spec.code.l0_line_slots;
            self.schedulers[s].lose_slots(slots, now, Cause::NoInstruction);
        }
        self.counters.icache_misses += u64::from(fetch.delay > 0);
        if fetches_at + fetch.delay > next {
            next = fetches_at + fetch.delay;
            cause = Cause::NoInstruction;
        }
        let mut mshr_until = 0;
        if let Some(load) = warp.wait_for_loads(following, next)
            && load.ready_at() > next
        {
            next = load.ready_at();
            cause = load.cause();
            mshr_until = load.mshr_until();
        }
        let limit = self.spec.device.load_store.global_loads_in_flight_per_warp as usize;
        if following.request == MemoryRequest::GlobalLoad
            && let Some(ready_at) = warp.wait_for_global_slot(
                limit,
                u64::from(self.spec.device.l2.hit_latency_cycles),
                next,
            )
            && ready_at > next
        {
            next = ready_at;
            cause = Cause::Global;
            mshr_until = 0;
        }
        if op.class == OpClass::Barrier && !self.spec.device.ideals.has(Ideal::Barriers) {
            self.arrive(s, i, next.max(now + 1));
            return false;
        }
        if next == now {
            return true;
        }
        if mshr_until > now {
            self.hold_for_mshr(s, i, mshr_until, next, cause);
        } else {
            self.hold(s, i, next, cause);
        }
        false
    }

    /// Gives a memory instruction to the load/store unit.
    fn access(&mut self, s: usize, i: usize, op: &ReplayOp) {
        let now = self.now;
        let served = self.serve(s, i, op);
        self.observer
            .served(WarpSlot::new(s, i), served.ready_at, served.cause);
        let warp = &mut self.warps[self.slots.warp(s, i)];
        if op.result_targets != 0 {
            warp.track_load(op.result_targets, served, now);
        }
        if op.read_targets != 0
            && let Some(barriers) = self.spec.dependences.barriers()
        {
            let read_at = self.memory.busy_until() + u64::from(barriers.operand_cycles);
            let read = Served::new(read_at, Cause::LoadStoreUnit);
            warp.track_load(op.read_targets.into(), read, now);
        }
        if self.spec.device.issue.replays_take_issue_slots && op.lines > 1 {
            let until = now + u64::from(op.lines);
            self.scheduler(s).occupy(until, Cause::LoadStoreUnit);
        }
    }

    #[inline]
    fn serve(&mut self, s: usize, i: usize, op: &ReplayOp) -> Served {
        let now = self.now;
        let warp = &self.warps[self.slots.warp(s, i)];
        let bytes = warp.address_offset(op);
        let (memory, base) = (&mut self.memory, warp.local_base);
        let (counters, observer) = (&mut self.counters, &mut self.observer);
        let offset = match op.address_kind {
            AddressKind::Scattered => {
                return memory.serve_scattered(op, self.code, now, base, counters, observer);
            }
            AddressKind::PerCase => CaseOffset {
                bytes,
                l2_bytes: bytes % self.case_window_bytes,
            },
            _ => CaseOffset::same(bytes),
        };
        memory.serve(op, now, base, offset, counters, observer)
    }

    /// Tracks a result, not of the load/store unit, that takes longer than the compiler's stall count.
    #[inline]
    fn track_result(&mut self, s: usize, i: usize, op: &ReplayOp) {
        let now = self.now;
        let (targets, cycles, cause) = match &self.spec.dependences {
            DependenceTracking::Barriers(barriers) => (
                op.result_targets | u64::from(op.read_targets),
                barriers.result_cycles[op.class as usize],
                Cause::Shared,
            ),
            DependenceTracking::AllRegisters(result_cycles) => {
                let cycles = result_cycles[op.class as usize];
                (op.result_targets, cycles, Cause::Wait)
            }
            DependenceTracking::Registers => return,
        };
        if targets != 0 {
            let ready_at = now + u64::from(cycles);
            let result = Served::new(ready_at, cause);
            self.warp(s, i).track_load(targets, result, now);
        }
    }
}
