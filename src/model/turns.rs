//! Segments cut where a warp touches its stack or waits for memory: what the interleaving of warps needs of them.
//!
//! What it does: a *turn* is a run of instructions that ends with an access to the stack or before a wait for memory; it holds
//! the issue slots and cycles that it takes alone and what the warp waits for behind it.
//! What it leaves out: which of several loads is waited for (all of them); waits across segments.
//! Units: cycles, issue slots, bytes. Sources: equation (24) of `docs/model.md`; Cobham, Operations Research 2 (1954).

use std::ops::Range;

use super::path::Latencies;
use crate::isa::OpClass;
use crate::launch::code::{MemoryRequest, ReplayCode, ReplayOp};
use crate::launch::spec::{IssueLimit, SmxSpec, WAIT_UNITS};

/// Bytes of one word of all lanes.
pub const ROW_BYTES: u32 = 128;

/// One access of a warp: 32 lanes of one word, which is one line of 128 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Byte address of lane 0.
    pub address: u32,
    pub store: bool,
}

/// See the module text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Turn {
    /// Cycles that the turn takes a warp that never waits for a slot.
    pub cycles: f64,
    /// Issue slots, replays and branches included.
    pub slots: f64,
    /// What its last instruction touches: a range of [`Turns::accesses`].
    pub accesses: Range<u32>,
    /// Lines of the global loads in it, and cycles from the last of them to its end.
    pub global_lines: u32,
    pub shared_accesses: u32,
    pub since_global: f64,
    /// The warp waits for its stack loads, for its global loads.
    pub awaits_local: bool,
    pub awaits_global: bool,
}

impl Turn {
    /// It touches memory, or the warp waits behind it.
    pub fn ends_in_memory(&self) -> bool {
        !self.accesses.is_empty()
            || self.global_lines > 0
            || self.awaits_local
            || self.awaits_global
    }
}

/// The turns of every segment.
#[derive(Debug)]
pub struct Turns {
    turns: Vec<Turn>,
    /// Of every segment: a range of `turns`.
    segments: Vec<Range<u32>>,
    /// With addresses from the start of a frame.
    pub accesses: Vec<Access>,
}

impl Turns {
    /// Cuts all segments of `code`. Shared memory and constants do not end a turn. Before each run of instructions that
    /// follow each other at once a warp waits for the end of another's, in which the scheduler is for a part `busy` of
    /// the time.
    pub fn new(code: &ReplayCode, spec: &SmxSpec, latencies: &Latencies, busy: f64) -> Self {
        let mut turns = Turns {
            turns: Vec::new(),
            segments: Vec::with_capacity(code.segments.len()),
            accesses: Vec::new(),
        };
        let run_wait_cycles = busy * residual_cycles(code);
        for &(start, end) in &code.segments {
            let first = turns.turns.len();
            let mut cut = Cut {
                spec,
                latencies,
                run_wait_cycles,
                first,
                turns: &mut turns,
                open: Turn::default(),
                awaited: [0; 2],
                short: Vec::new(),
            };
            for op in &code.ops[start as usize..end as usize] {
                cut.take(op);
            }
            cut.end();
            let range = first as u32..turns.turns.len() as u32;
            turns.segments.push(range);
        }
        turns
    }

    /// The turns of a segment.
    pub fn of(&self, segment: u32) -> &[Turn] {
        let range = &self.segments[segment as usize];
        &self.turns[range.start as usize..range.end as usize]
    }
}

/// **(24)** Mean rest of a run in progress: what the oldest warp waits for when it is ready.
fn residual_cycles(code: &ReplayCode) -> f64 {
    let (mut run, mut sum, mut squares) = (0.0f64, 0.0, 0.0);
    for op in &code.ops {
        run += f64::from(u8::from(op.stall_cycles > 0));
        if op.stall_cycles > 1 {
            sum += run;
            squares += run * run;
            run = 0.0;
        }
    }
    if sum > 0.0 { 0.5 * squares / sum } else { 0.0 }
}

/// A segment that is being cut.
struct Cut<'a> {
    spec: &'a SmxSpec,
    latencies: &'a Latencies,
    run_wait_cycles: f64,
    /// First turn of the segment.
    first: usize,
    turns: &'a mut Turns,
    open: Turn,
    /// Registers that stack loads and global loads have yet to fill.
    awaited: [u64; 2],
    /// The same of shared memory and constants, and when they come.
    short: Vec<(u64, f64)>,
}

impl Cut<'_> {
    fn take(&mut self, op: &ReplayOp) {
        self.wait(op.registers);
        let start = self.turns.accesses.len() as u32;
        match op.request {
            MemoryRequest::LocalLoad => self.awaited[0] |= op.load_targets,
            MemoryRequest::GlobalLoad => {
                self.awaited[1] |= op.load_targets;
                self.open.global_lines += u32::from(op.lines.max(1));
                self.open.since_global = -self.open.cycles;
            }
            MemoryRequest::SharedLoad => {
                self.open.shared_accesses += 1;
                self.shortly(op, self.latencies.shared_cycles);
            }
            _ if op.class == OpClass::ConstantLoad => {
                self.shortly(op, self.latencies.constant_cycles);
            }
            _ => {}
        }
        self.issue(op);
        let store = op.request == MemoryRequest::LocalStore;
        if store || op.request == MemoryRequest::LocalLoad {
            let rows = 0..u32::from(op.lines);
            self.turns.accesses.extend(rows.map(|row| Access {
                address: ROW_BYTES * (op.address / 4 + row),
                store,
            }));
            self.open.accesses = start..self.turns.accesses.len() as u32;
            self.close();
        }
    }

    /// The next instruction needs these registers.
    fn wait(&mut self, registers: u64) {
        let [local, global] = self.awaited.map(|awaited| awaited & registers != 0);
        if local || global {
            if self.open.slots > 0.0 {
                self.close();
            }
            if self.turns.turns.len() > self.first
                && let Some(last) = self.turns.turns.last_mut()
            {
                last.awaits_local |= local;
                last.awaits_global |= global;
            }
            if local {
                self.awaited[0] = 0;
            }
            if global {
                self.awaited[1] = 0;
            }
        }
        let open = &mut self.open;
        self.short.retain(|&(targets, ready_at)| {
            let waits = targets & registers != 0;
            if waits {
                open.cycles = open.cycles.max(ready_at);
            }
            !waits
        });
    }

    fn shortly(&mut self, op: &ReplayOp, cycles: f64) {
        self.short
            .push((op.load_targets, self.open.cycles + cycles));
    }

    fn issue(&mut self, op: &ReplayOp) {
        self.open.cycles += f64::from(op.stall_cycles);
        // The first of a pair shares the slot of the second.
        if op.stall_cycles > 0 {
            self.open.slots += 1.0;
        }
        if op.stall_cycles > 1 {
            self.open.cycles += self.run_wait_cycles;
        }
        if let IssueLimit::PerCycle(_) = self.spec.limits[op.class as usize] {
            let wait = self.spec.operand_wait[usize::from(op.sources) % 4];
            self.open.slots += f64::from(wait) / f64::from(WAIT_UNITS);
        }
        if op.redirects {
            self.open.slots += f64::from(self.spec.branch_issue_slots.max(1) - 1);
        }
        if self.spec.replays_take_issue_slots && op.request != MemoryRequest::None {
            self.open.slots += f64::from(op.lines.max(1) - 1);
        }
    }

    fn close(&mut self) {
        let mut turn = std::mem::take(&mut self.open);
        for (_, ready_at) in &mut self.short {
            *ready_at -= turn.cycles;
        }
        turn.cycles = turn.cycles.max(turn.slots).max(1.0);
        turn.since_global += turn.cycles;
        self.turns.turns.push(turn);
    }

    /// Loads that nothing in the segment needs are waited for by what follows.
    fn end(&mut self) {
        if self.open.slots > 0.0 {
            self.close();
        }
        self.wait(u64::MAX);
    }
}
