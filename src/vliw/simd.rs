//! Time of work-groups on one SIMD.
//!
//! Models: ALU clauses of two wavefronts alternate, each wavefront executing a bundle every second turn, so that one alone
//! leaves half of the turns unused; switches between a wavefront's clauses, during which others execute; fetches and stores
//! through the memory path; barriers; as many concurrent work-groups as fit, the next one starting when one has ended.
//! Leaves out: the instruction cache (every kernel here is smaller than 16 KiB), a limit on control-flow instructions per
//! cycle, bank conflicts of local memory (programs are read at one address, reductions at successive ones).
//! Units: cycles of the engine clock.
//! Sources: `device::vliw`.

use super::memory::Region;
use super::memory_path::MemoryPath;
use super::steps::{Executed, Step};
use crate::vliw::preset::Machine;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Range of a wavefront's executed steps, with an offset for lines of shared data.
#[derive(Debug, Clone)]
pub struct Stretch {
    pub steps: Range<usize>,
    pub shared_lines: u64,
}

/// Work of one wavefront.
#[derive(Debug, Clone)]
pub struct Work<'a> {
    pub executed: &'a Executed,
    pub stretches: Vec<Stretch>,
}

/// Wavefronts that share barriers.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    pub waves: Vec<Work<'a>>,
    /// Offset added to lines that only this work-group reads; `shared_lines`: to lines of shared data.
    pub own_lines: u64,
    pub shared_lines: u64,
}

/// Breakdown of a SIMD's cycles.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SimdTime {
    pub cycles: f64,
    /// Cycles in which lanes executed bundles, at most `cycles`.
    pub busy_cycles: f64,
    /// Wait for a turn of the ALU, summed over wavefronts; the following fields: in switches and control flow, for memory, at
    /// barriers.
    pub turn_cycles: f64,
    pub switch_cycles: f64,
    pub memory_cycles: f64,
    pub barrier_cycles: f64,
}

/// Event of a wavefront; ordered by time, then by order of entry.
type Event = Reverse<(u64, u64, usize, Phase)>;

/// Resolution of time: fractions per cycle.
const PARTS: f64 = 64.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// Start of the next step.
    Next,
    /// Start of the clause, after the switch.
    Clause,
}

struct Wave {
    group: usize,
    wave: usize,
    stretch: usize,
    at: usize,
    /// Time when its stores to scratch memory are acknowledged.
    acknowledged: f64,
}

struct Simd<'a, 'g> {
    machine: Machine,
    groups: &'g [Group<'a>],
    waves: Vec<Wave>,
    /// Number of unfinished waves of every started group.
    running: Vec<usize>,
    /// Waves of every started group that wait at a barrier, with the start of the wait.
    waiting: Vec<Vec<(usize, f64)>>,
    started: usize,
    alu_free: Vec<f64>,
    memory: MemoryPath,
    events: BinaryHeap<Event>,
    n_events: u64,
    time: SimdTime,
}

/// Runs the work-groups in order, `resident` at a time.
pub fn run(machine: Machine, groups: &[Group], resident: usize, l2_share: f64) -> SimdTime {
    let slots = machine.alternating_wavefronts.max(1.0) as usize;
    let mut simd = Simd {
        machine,
        groups,
        waves: Vec::new(),
        running: Vec::new(),
        waiting: Vec::new(),
        started: 0,
        alu_free: vec![0.0; slots],
        memory: MemoryPath::new(machine, l2_share),
        events: BinaryHeap::new(),
        n_events: 0,
        time: SimdTime::default(),
    };
    for _ in 0..resident.max(1) {
        simd.start_group(0.0);
    }
    while let Some(Reverse((now, _, wave, phase))) = simd.events.pop() {
        simd.event(now as f64 / PARTS, wave, phase);
    }
    simd.time
}

impl<'a, 'g> Simd<'a, 'g> {
    fn start_group(&mut self, now: f64) {
        let Some(group) = self.groups.get(self.started) else {
            return;
        };
        self.running.push(group.waves.len());
        self.waiting.push(Vec::new());
        for wave in 0..group.waves.len() {
            let id = self.waves.len();
            self.waves.push(Wave {
                group: self.started,
                wave,
                stretch: 0,
                at: 0,
                acknowledged: 0.0,
            });
            self.at(now, id, Phase::Next);
        }
        self.started += 1;
    }

    fn at(&mut self, time: f64, wave: usize, phase: Phase) {
        self.n_events += 1;
        let ticks = (time * PARTS).ceil() as u64;
        self.events
            .push(Reverse((ticks, self.n_events, wave, phase)));
    }

    fn event(&mut self, now: f64, wave: usize, phase: Phase) {
        self.time.cycles = self.time.cycles.max(now);
        let Some((step, work, shared)) = self.current(wave) else {
            self.end(now, wave);
            return;
        };
        match (step, phase) {
            (Step::Control, _) => {
                self.waves[wave].at += 1;
                self.time.switch_cycles += self.machine.control_cycles;
                self.at(now + self.machine.control_cycles, wave, Phase::Next);
            }
            (Step::Barrier, _) => {
                self.waves[wave].at += 1;
                let group = self.waves[wave].group;
                self.waiting[group].push((wave, now));
                self.release(group, now);
            }
            (_, Phase::Next) => {
                self.time.switch_cycles += self.machine.clause_switch_cycles;
                self.at(now + self.machine.clause_switch_cycles, wave, Phase::Clause);
            }
            (Step::Fetch { .. }, Phase::Clause) if self.must_wait(now, wave, step, work) => {
                // The fetch is issued at its own time only, so that it does not delay others.
                let acknowledged = self.waves[wave].acknowledged;
                self.time.memory_cycles += acknowledged - now;
                self.at(acknowledged, wave, Phase::Clause);
            }
            (_, Phase::Clause) => {
                let done = self.clause(now, wave, step, work, shared);
                self.waves[wave].at += 1;
                self.at(done, wave, Phase::Next);
            }
        }
    }

    /// Returns the next step of a wavefront, its execution, and its offset for lines of shared data.
    fn current(&mut self, wave: usize) -> Option<(Step, &'a Executed, u64)> {
        let state = &mut self.waves[wave];
        let group = &self.groups[state.group];
        let work = &group.waves[state.wave];
        loop {
            let stretch = work.stretches.get(state.stretch)?;
            let at = stretch.steps.start + state.at;
            if at < stretch.steps.end {
                let moved = group.shared_lines + stretch.shared_lines;
                return Some((work.executed.steps[at], work.executed, moved));
            }
            state.stretch += 1;
            state.at = 0;
        }
    }

    /// Tells whether a clause reads scratch memory before the wavefront's stores to it are acknowledged.
    fn must_wait(&self, now: f64, wave: usize, step: Step, work: &Executed) -> bool {
        let Step::Fetch { first, count } = step else {
            return false;
        };
        let accesses = &work.accesses[first as usize..first as usize + usize::from(count)];
        let reads_scratch = accesses.iter().any(|a| a.region == Region::Scratch);
        // Times are rounded up to parts of a cycle.
        reads_scratch && self.waves[wave].acknowledged > now + 1.0 / PARTS
    }

    /// Executes a clause that may begin, and returns the time when it is done.
    fn clause(&mut self, now: f64, wave: usize, step: Step, work: &Executed, shared: u64) -> f64 {
        match step {
            Step::Alu {
                bundles,
                local_reads,
            } => self.alu(now, f64::from(bundles), f64::from(local_reads)),
            Step::Fetch { first, count } => {
                let accesses = first as usize..first as usize + usize::from(count);
                let mut done = now;
                for access in &work.accesses[accesses] {
                    let own = self.groups[self.waves[wave].group].own_lines;
                    let moved = match access.region {
                        Region::Shared => shared,
                        _ => own,
                    };
                    let lines = work.lines_of(access).iter();
                    let lines = lines.map(|&line| u64::from(line) + moved);
                    done = done.max(self.memory.fetch(now, access.region, lines));
                }
                self.time.memory_cycles += done - now;
                done
            }
            Step::Store { access } => {
                let n_lines = work.accesses[access as usize].lines.len();
                let acknowledged = self.memory.store(now, n_lines);
                let last = &mut self.waves[wave].acknowledged;
                *last = last.max(acknowledged);
                now + self.machine.bundle_cycles
            }
            Step::Control | Step::Barrier => now,
        }
    }

    fn alu(&mut self, now: f64, bundles: f64, local_reads: f64) -> f64 {
        let machine = self.machine;
        let turn = machine.bundle_cycles * self.alu_free.len() as f64;
        let free = self.alu_free.iter_mut().min_by(|a, b| a.total_cmp(b));
        let Some(free) = free else { return now };
        let begin = now.max(*free);
        let done = begin + bundles * turn + local_reads * machine.local_read_cycles;
        *free = done;
        self.time.busy_cycles += bundles * machine.bundle_cycles;
        self.time.turn_cycles += begin - now;
        done
    }

    fn end(&mut self, now: f64, wave: usize) {
        let group = self.waves[wave].group;
        self.running[group] -= 1;
        if self.running[group] == 0 {
            self.start_group(now);
        } else {
            self.release(group, now);
        }
    }

    /// Releases a group's wavefronts if all of them wait.
    fn release(&mut self, group: usize, now: f64) {
        if self.waiting[group].len() < self.running[group] {
            return;
        }
        for (wave, since) in std::mem::take(&mut self.waiting[group]) {
            self.time.barrier_cycles += now - since;
            self.at(now, wave, Phase::Next);
        }
    }
}
