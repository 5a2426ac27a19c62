//! Resident warp: its position in its program's trace, and its pending loads.
//!
//! Models: the phases of a program (prologue, iterations of the fitness-case loop), the
//! register scoreboard for loads.
//! Leaves out: values.
//! Units: cycles, bytes.

use super::code::{ReplayCode, ReplayOp};
use super::memory::Served;
use super::observe::Cause;
use crate::launch::counters::CREDITS_PER_TOKEN;
use crate::trace::AddressKind;

/// Loads that the scoreboard tracks.
const MAX_LOADS: usize = 16;

/// A load in flight.
#[derive(Debug, Clone, Copy)]
pub struct PendingLoad {
    targets: u64,
    issued_at: u64,
    served: Served,
}

impl PendingLoad {
    /// Merges `other` into this load, which then is pending until both are done.
    fn take_over(&mut self, other: PendingLoad) {
        self.targets |= other.targets;
        if other.served.ready_at > self.served.ready_at {
            let mshr_cycles = other.mshr_until().saturating_sub(self.issued_at) as u32;
            self.served = Served {
                mshr_cycles,
                ..other.served
            };
        }
    }

    /// Cycle in which its result is available.
    #[inline]
    pub fn ready_at(&self) -> u64 {
        self.served.ready_at
    }

    /// Cause charged while a warp waits for it: the level that serves it.
    #[inline]
    pub fn cause(&self) -> Cause {
        self.served.cause
    }

    /// Cycle until which it waits for an MSHR; 0 if it does not.
    #[inline]
    pub fn mshr_until(&self) -> u64 {
        match self.served.mshr_cycles {
            0 => 0,
            cycles => self.issued_at + u64::from(cycles),
        }
    }
}

/// Result of stepping past an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advance {
    /// The next instruction belongs to the same token.
    Within,
    /// A segment ended; the warp has earned this many token credits.
    SegmentDone(u32),
    /// The warp has exited, and earned this many token credits.
    Exited(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Prologue,
    Iteration,
}

/// Arrival at a barrier.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    pub at: u64,
    /// Cycle in which the warp could go on, were it not for the others.
    pub next: u64,
}

/// Execution state of one warp.
#[derive(Debug, Clone)]
pub struct Warp {
    /// Index of the next instruction in `ReplayCode::ops`.
    pub op: u32,
    segment_end: u32,
    list: u32,
    list_end: u32,
    phase: Phase,
    pub program: u32,
    steady_only: bool,
    iteration: u32,
    iterations: u32,
    pub block: u32,
    /// Place in the block.
    pub index: u32,
    /// Sampling units made since the block began.
    pub n_units: u32,
    pub local_base: u32,
    /// Offset of the warp in per-case and per-thread addresses, per line of an instruction's stride from warp to warp.
    warp_offset_bytes: u32,
    /// Offset of the current iteration in per-case addresses.
    case_offset_bytes: u32,
    case_stride_bytes: u32,
    case_row_bytes: u32,
    pub fetched_line: u32,
    /// Arrival at the barrier at which it waits.
    pub arrival: Option<Arrival>,
    /// Credits per segment of the iteration, and for its last one: an iteration earns credits for all its nodes.
    segment_credit: u32,
    last_credit: u32,
    pending_targets: u64,
    loads: [PendingLoad; MAX_LOADS],
    n_loads: usize,
}

/// Initial state of a warp.
#[derive(Debug, Clone, Copy)]
pub struct WarpStart {
    pub program: u32,
    pub block: u32,
    /// Place in the block.
    pub index: u32,
    pub iterations: u32,
    /// See `BlockStart::steady_only`.
    pub steady_only: bool,
    /// Part of the work taken as done, 0 to 1 (a window starts in the middle of a block).
    pub done: f64,
    pub run_prologue: bool,
    pub local_base: u32,
    pub warp_offset_bytes: u32,
    pub case_offset_bytes: u32,
    pub case_stride_bytes: u32,
    /// Bytes of the cases that the block's threads read at a time.
    pub case_row_bytes: u32,
}

impl Warp {
    /// Placeholder for an empty slot.
    pub fn idle() -> Self {
        Warp {
            op: 0,
            segment_end: 0,
            list: 0,
            list_end: 0,
            phase: Phase::Prologue,
            program: 0,
            steady_only: false,
            iteration: 0,
            iterations: 0,
            block: 0,
            index: 0,
            n_units: 0,
            local_base: 0,
            warp_offset_bytes: 0,
            case_offset_bytes: 0,
            case_stride_bytes: 0,
            case_row_bytes: 0,
            fetched_line: u32::MAX,
            arrival: None,
            segment_credit: 0,
            last_credit: 0,
            pending_targets: 0,
            loads: [PendingLoad {
                targets: 0,
                issued_at: 0,
                served: Served::new(0, Cause::Wait),
            }; MAX_LOADS],
            n_loads: 0,
        }
    }

    /// A warp at its first instruction, or further on. `iterations` must be at least 1, `done` below 1.
    pub fn start(code: &ReplayCode, start: WarpStart) -> Self {
        let done = start.done * f64::from(start.iterations);
        let mut warp = Warp {
            program: start.program,
            steady_only: start.steady_only,
            iteration: done as u32,
            iterations: start.iterations,
            block: start.block,
            index: start.index,
            local_base: start.local_base,
            warp_offset_bytes: start.warp_offset_bytes,
            case_offset_bytes: start.case_offset_bytes + done as u32 * start.case_stride_bytes,
            case_stride_bytes: start.case_stride_bytes,
            case_row_bytes: start.case_row_bytes,
            ..Warp::idle()
        };
        let prologue = &code.programs[start.program as usize].prologue;
        if start.run_prologue && !prologue.is_empty() {
            warp.enter_list(code, prologue.start, prologue.end);
        } else {
            warp.enter_iteration(code);
            let segments = warp.list_end - warp.list;
            warp.list += (done.fract() * f64::from(segments)) as u32;
            warp.enter_segment(code);
        }
        warp
    }

    fn enter_list(&mut self, code: &ReplayCode, start: u32, end: u32) {
        self.list = start;
        self.list_end = end;
        self.enter_segment(code);
    }

    #[inline]
    fn enter_segment(&mut self, code: &ReplayCode) {
        let (start, end) = code.segments[code.lists[self.list as usize] as usize];
        self.op = start;
        self.segment_end = end;
    }

    fn enter_iteration(&mut self, code: &ReplayCode) {
        let program = &code.programs[self.program as usize];
        let range = if self.steady_only {
            &program.steady
        } else if self.iterations == 1 {
            &program.only
        } else if self.iteration == 0 {
            &program.first
        } else if self.iteration + 1 == self.iterations {
            &program.last
        } else {
            &program.steady
        };
        self.phase = Phase::Iteration;
        let segments = range.end - range.start;
        self.segment_credit = program.nodes * CREDITS_PER_TOKEN / segments;
        self.last_credit = program.nodes * CREDITS_PER_TOKEN - self.segment_credit * (segments - 1);
        self.enter_list(code, range.start, range.end);
    }

    /// Offset of `op`'s address from that of lane 0 of warp 0 in iteration 0.
    #[inline]
    pub fn address_offset(&self, op: &ReplayOp) -> u32 {
        let of_warp = self.warp_offset_bytes * u32::from(op.warp_lines);
        match op.address_kind {
            AddressKind::PerCase => {
                of_warp + self.case_offset_bytes + u32::from(op.case_row) * self.case_row_bytes
            }
            AddressKind::PerThread => of_warp,
            _ => 0,
        }
    }

    /// Ends the warp here: only the first warp executes the rest of the trace.
    pub fn end(&mut self) -> Advance {
        let left = self.list_end - self.list;
        Advance::Exited(self.segment_credit * left.saturating_sub(1) + self.last_credit)
    }

    /// Whether there is no instruction left in the segment.
    pub fn has_ended(&self) -> bool {
        self.op == self.segment_end
    }

    /// Moves past the current instruction.
    #[inline]
    pub fn step(&mut self, code: &ReplayCode) -> Advance {
        self.op += 1;
        if self.op < self.segment_end {
            return Advance::Within;
        }
        self.next_segment(code)
    }

    #[inline]
    fn next_segment(&mut self, code: &ReplayCode) -> Advance {
        self.list += 1;
        if self.list < self.list_end {
            self.enter_segment(code);
            return Advance::SegmentDone(self.segment_credit);
        }
        let mut credit = 0;
        if self.phase == Phase::Iteration {
            credit = self.last_credit;
            self.iteration += 1;
            self.case_offset_bytes += self.case_stride_bytes;
            if self.iteration == self.iterations {
                return Advance::Exited(credit);
            }
        }
        self.enter_iteration(code);
        Advance::SegmentDone(credit)
    }

    /// Tracks a load in flight.
    #[inline]
    pub fn track_load(&mut self, targets: u64, served: Served, now: u64) {
        if self.n_loads == MAX_LOADS {
            self.forget_finished(now);
        }
        let mut load = PendingLoad {
            targets,
            issued_at: now,
            served,
        };
        if self.n_loads == MAX_LOADS {
            // More loads in flight than the scoreboard tracks: the newest stands for another one too.
            self.n_loads -= 1;
            load.take_over(self.loads[self.n_loads]);
        }
        self.loads[self.n_loads] = load;
        self.n_loads += 1;
        self.pending_targets |= targets;
    }

    /// The load that `op` must wait for longest, given that it could otherwise issue at `earliest`.
    #[inline]
    pub fn wait_for_loads(&mut self, op: &ReplayOp, earliest: u64) -> Option<PendingLoad> {
        if self.pending_targets & op.registers == 0 {
            return None;
        }
        self.forget_finished(earliest);
        let mut wait = None;
        let mut latest = 0;
        for load in self.in_flight() {
            if load.targets & op.registers != 0 && load.ready_at() >= latest {
                latest = load.ready_at();
                wait = Some(*load);
            }
        }
        wait
    }

    /// Cycle until which a global load must wait so that at most `limit` are on their way to the L2, each for `hold_cycles`.
    #[inline]
    pub fn wait_for_global_slot(
        &mut self,
        limit: usize,
        hold_cycles: u64,
        earliest: u64,
    ) -> Option<u64> {
        if self.n_loads < limit {
            return None;
        }
        self.forget_finished(earliest);
        let globals = || {
            let loads = self.in_flight().iter();
            let free_at =
                move |load: &PendingLoad| load.ready_at().min(load.issued_at + hold_cycles);
            let globals = loads.filter(|load| load.cause() == Cause::Global);
            globals.map(free_at).filter(move |&at| at > earliest)
        };
        let n = globals().count();
        if n < limit {
            return None;
        }
        // The one whose end brings the number below the limit.
        globals()
            .filter(|&at| globals().filter(|&other| other > at).count() < limit)
            .min()
    }

    #[inline]
    fn in_flight(&self) -> &[PendingLoad] {
        &self.loads[..self.n_loads]
    }

    #[inline]
    fn forget_finished(&mut self, now: u64) {
        let mut i = 0;
        let mut mask = 0;
        while i < self.n_loads {
            if self.loads[i].ready_at() <= now {
                self.n_loads -= 1;
                self.loads[i] = self.loads[self.n_loads];
            } else {
                mask |= self.loads[i].targets;
                i += 1;
            }
        }
        self.pending_targets = mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::testing::{looped, use_of_load};

    const L2: u64 = 200;

    /// A warp with global loads issued at these cycles, whose data come 500 cycles later.
    fn with_loads(issued_at: &[u64]) -> Warp {
        let mut warp = Warp::idle();
        for &now in issued_at {
            warp.track_load(1, Served::new(now + 500, Cause::Global), now);
        }
        warp
    }

    #[test]
    fn a_global_load_too_many_waits_until_the_oldest_has_reached_the_l2() {
        let mut warp = with_loads(&[0, 10, 20, 30]);
        assert_eq!(warp.wait_for_global_slot(4, L2, 40), Some(L2));
        assert_eq!(warp.wait_for_global_slot(5, L2, 40), None);
        assert_eq!(warp.wait_for_global_slot(3, L2, 40), Some(10 + L2));
    }

    #[test]
    fn loads_that_have_reached_the_l2_count_no_more() {
        let mut warp = with_loads(&[0, 10, 20, 30]);
        assert_eq!(warp.wait_for_global_slot(4, L2, L2), None);
    }

    #[test]
    fn loads_of_other_memory_do_not_count() {
        let mut warp = with_loads(&[0, 10, 20]);
        warp.track_load(2, Served::new(535, Cause::L2), 30);
        assert_eq!(warp.wait_for_global_slot(4, L2, 40), None);
    }

    #[test]
    fn every_load_in_flight_is_waited_for_however_many_there_are() {
        let mut warp = Warp::idle();
        // The first is the last to come.
        for n in 0..24 {
            warp.track_load(1 << n, Served::new(500 - n, Cause::L2), n);
        }
        let mut op = looped(&[use_of_load()]).ops[0];
        for n in 0..24 {
            op.registers = 1 << n;
            let load = warp.wait_for_loads(&op, 30).unwrap();
            assert!(load.ready_at() >= 500 - n, "load {n}: {load:?}");
            assert_eq!(load.cause(), Cause::L2);
        }
        op.registers = 1 << 24;
        assert!(warp.wait_for_loads(&op, 30).is_none());
    }
}
