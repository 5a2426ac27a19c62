//! Programs as steps of one warp: from one stack access or wait for memory to the next.
//!
//! What it does: strings the turns of a program's segments together, those that end in memory with all before them. What
//! is left at the end of an iteration belongs to the first step of the next.
//! What it leaves out: prologues; that the first iteration differs from the others. Units: ticks.
//! Sources: `turns.rs`.

use super::slots::{Span, TICKS_PER_CYCLE};
use super::turns::{Turn, Turns};
use crate::launch::code::ReplayCode;
use std::ops::Range;

/// A span of a warp, then what it does in memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    pub span: Span,
    /// First of its accesses in [`Turns::accesses`], and how many.
    pub first_access: u32,
    pub n_accesses: u8,
    /// Lines of its global loads, and ticks from the last of them to its end.
    pub global_lines: u8,
    pub ticks_since_global: u32,
    pub shared_accesses: u8,
    /// The warp waits for its stack loads, for its global loads.
    pub awaits_local: bool,
    pub awaits_global: bool,
}

/// One iteration of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Iteration {
    /// Its steps, a range of [`Steps::all`].
    pub steps: Range<u32>,
    /// Tokens that each step stands for.
    pub tokens_per_step: f64,
}

/// The steps of the programs asked for so far.
#[derive(Debug)]
pub struct Steps<'a> {
    code: &'a ReplayCode,
    pub turns: &'a Turns,
    pub all: Vec<Step>,
    iterations: Vec<Option<Iteration>>,
}

impl<'a> Steps<'a> {
    pub fn new(code: &'a ReplayCode, turns: &'a Turns) -> Self {
        Steps {
            code,
            turns,
            all: Vec::new(),
            iterations: vec![None; code.programs.len()],
        }
    }

    /// The iteration of a program.
    pub fn of(&mut self, program: u32) -> &Iteration {
        let index = program as usize;
        if self.iterations[index].is_none() {
            self.iterations[index] = Some(self.string(index));
        }
        self.iterations[index].as_ref().expect("set just now")
    }

    fn string(&mut self, program: usize) -> Iteration {
        let program = &self.code.programs[program];
        let segments = &self.code.lists[program.steady.start as usize..program.steady.end as usize];
        let first = self.all.len();
        let (mut cycles, mut slots, mut shared) = (0.0, 0.0, 0);
        for turn in segments.iter().flat_map(|&segment| self.turns.of(segment)) {
            cycles += turn.cycles;
            slots += turn.slots;
            shared += turn.shared_accesses;
            if turn.ends_in_memory() {
                self.all.push(step(turn, cycles, slots, shared));
                (cycles, slots, shared) = (0.0, 0.0, 0);
            }
        }
        if self.all.len() == first {
            self.all
                .push(step(&Turn::default(), cycles.max(1.0), slots, shared));
        } else {
            let span = &mut self.all[first].span;
            span.ticks += ticks(cycles);
            span.issue_ticks += ticks(slots);
        }
        Iteration {
            tokens_per_step: f64::from(program.nodes) / (self.all.len() - first) as f64,
            steps: first as u32..self.all.len() as u32,
        }
    }
}

fn step(turn: &Turn, cycles: f64, slots: f64, shared: u32) -> Step {
    Step {
        span: Span {
            ticks: ticks(cycles),
            issue_ticks: ticks(slots),
        },
        first_access: turn.accesses.start,
        n_accesses: turn.accesses.len() as u8,
        global_lines: turn.global_lines.min(255) as u8,
        ticks_since_global: ticks(turn.since_global.max(0.0)),
        shared_accesses: shared.min(255) as u8,
        awaits_local: turn.awaits_local,
        awaits_global: turn.awaits_global,
    }
}

/// Cycles in ticks.
pub fn ticks(cycles: f64) -> u32 {
    (cycles * TICKS_PER_CYCLE).round() as u32
}
