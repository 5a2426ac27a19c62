//! The stack accesses of the warps that are resident together, in the order in which a multiprocessor makes them.
//!
//! What it models: warps visit programs as in the simulator's window; each scheduler gives its issue slots to its warps by
//! the device's policy, the oldest first or all in turn; between steps a warp waits for memory, longer when a line missed.
//! What it leaves out: single cycles; prologues, but not that a block waits for its last warp where one is due.
//! Units: ticks, bytes. Sources: equations (23) and (24) of `docs/model.md`; `sim/smx.rs` follows single instructions.

use super::caches::Caches;
use super::slots::{SLOTS, Slots};
use super::solve::MemoryTimes;
use super::steps::{Step, Steps, ticks};
use super::turns::{Access, ROW_BYTES, Turns};
use crate::launch::code::ReplayCode;
use crate::launch::spec::SmxSpec;

/// A program that the warps of a block run for some iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visit {
    pub program: u32,
    pub iterations: u32,
    /// A new block: the warps that come first wait for the last.
    pub new_block: bool,
}

/// The warps whose stacks share the cache.
#[derive(Debug, Clone, Copy)]
pub struct Residents<'a> {
    pub code: &'a ReplayCode,
    pub spec: &'a SmxSpec,
    pub memory: MemoryTimes,
    /// Part of the time in which a scheduler issues.
    pub busy: f64,
    pub blocks: u32,
    pub warps_per_block: u32,
    /// Bytes between the frames of neighbouring warps.
    pub stride_bytes: u32,
}

/// How much of a launch is followed, in tokens: program nodes in one warp.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Before anything counts.
    pub warm_up: f64,
    pub counted: f64,
}

/// Accesses in their order, the first of which only fill the caches.
#[derive(Debug, Clone)]
pub struct Stream {
    pub accesses: Vec<Access>,
    pub warm_up: usize,
}

impl Residents<'_> {
    /// The accesses of an extent. `visits` says what a block does next.
    pub fn stream(&self, extent: Extent, visits: &mut dyn FnMut() -> Visit) -> Stream {
        let turns = Turns::new(self.code, self.spec, &self.memory.latencies, self.busy);
        let mut multiprocessor = Multiprocessor::new(self, &turns, visits);
        multiprocessor.run(extent.warm_up);
        let warm_up = multiprocessor.all.len();
        multiprocessor.run(extent.warm_up + extent.counted);
        if std::env::var("DBG").is_ok() {
            let m = &multiprocessor;
            let now = m.slots.iter().map(|s| s.next_at()).max().unwrap();
            eprintln!(
                "scheduler cycles per token {:.2} port {:.2} unit {:.2} busy {:.2} memory {:?}",
                4.0 * now as f64 / 16.0 / m.tokens,
                m.port_free as f64 / now as f64,
                m.unit_free as f64 / now as f64,
                self.busy,
                self.memory
            );
        }
        Stream {
            accesses: multiprocessor.all,
            warm_up,
        }
    }
}

/// A resident warp.
#[derive(Debug, Clone, Default)]
struct Warp {
    block: usize,
    frame: u32,
    /// Visits of its block that it has begun.
    n_visits: usize,
    iterations_left: u32,
    /// The steps of its program, and the one that it is in.
    first: u32,
    end: u32,
    step: u32,
    tokens_per_step: f64,
    /// When its stack loads and its global loads are there.
    local_at: u64,
    global_at: u64,
}

/// A resident block.
#[derive(Debug, Clone, Default)]
struct Block {
    /// Since it began.
    visits: Vec<Visit>,
    /// What the next block begins with, when a warp has got there.
    next: Option<Visit>,
    warps_left: u32,
}

/// Times of the memory, in ticks.
struct Ticks {
    l1: u64,
    fill: u64,
    fill_service: u64,
    case: u64,
    case_service: u64,
    load: u64,
    store: u64,
    returned: u64,
    /// What the load/store unit may be behind.
    queue: u64,
}

impl Ticks {
    fn new(residents: &Residents) -> Self {
        let (spec, memory) = (residents.spec, &residents.memory);
        let ticks = |cycles: f64| u64::from(ticks(cycles));
        Ticks {
            l1: ticks(f64::from(spec.l1_latency_cycles)),
            fill: ticks(memory.fill_cycles),
            fill_service: ticks(memory.fill_service_cycles),
            case: ticks(memory.case_cycles),
            case_service: ticks(memory.case_service_cycles),
            load: ticks(1.0),
            store: ticks(f64::from(spec.store_cycles_per_line)),
            queue: ticks(f64::from(spec.lsu_queue_cycles)),
            returned: match spec.return_bytes_per_cycle {
                0 => 0,
                rate => ticks(f64::from(ROW_BYTES) / f64::from(rate)),
            },
        }
    }
}

struct Multiprocessor<'a> {
    residents: &'a Residents<'a>,
    steps: Steps<'a>,
    visits: &'a mut dyn FnMut() -> Visit,
    ticks: Ticks,
    slots: Vec<Slots>,
    /// Of every scheduler, [`SLOTS`] each, the oldest first.
    warps: Vec<Warp>,
    blocks: Vec<Block>,
    tokens: f64,
    /// The L1.
    cache: Caches,
    /// When the memory behind the cache has served all that was asked.
    port_free: u64,
    /// When the load/store unit has.
    unit_free: u64,
    /// Warps that it holds up.
    held: u32,
    /// Lines that were stored to since they came.
    dirty: Vec<bool>,
    line_shift: u32,
    all: Vec<Access>,
}

impl<'a> Multiprocessor<'a> {
    fn new(
        residents: &'a Residents<'a>,
        turns: &'a Turns,
        visits: &'a mut dyn FnMut() -> Visit,
    ) -> Self {
        let spec = residents.spec;
        let n_warps = residents.blocks * residents.warps_per_block;
        let n_lines = n_warps * residents.stride_bytes / spec.l1.line_bytes;
        let mut multiprocessor = Multiprocessor {
            residents,
            steps: Steps::new(residents.code, turns),
            visits,
            ticks: Ticks::new(residents),
            slots: vec![Slots::new(spec.warp_policy); spec.n_schedulers],
            warps: vec![Warp::default(); SLOTS * spec.n_schedulers],
            blocks: vec![Block::default(); residents.blocks as usize],
            tokens: 0.0,
            cache: Caches::new(std::slice::from_ref(&spec.l1), n_lines),
            port_free: 0,
            unit_free: 0,
            held: 0,
            dirty: vec![false; n_lines as usize],
            line_shift: spec.l1.line_bytes.trailing_zeros(),
            all: Vec::new(),
        };
        for block in 0..residents.blocks {
            let visit = (multiprocessor.visits)();
            // The first visits start part way through.
            let done = f64::from(block) / f64::from(residents.blocks);
            multiprocessor.start(block as usize, visit, done, 0);
        }
        multiprocessor
    }

    /// A block starts at a visit, or where a part of it is done.
    fn start(&mut self, block: usize, visit: Visit, done: f64, now: u64) {
        let per_block = self.residents.warps_per_block;
        self.blocks[block] = Block {
            visits: vec![visit],
            next: None,
            warps_left: per_block,
        };
        for w in 0..per_block {
            let slot = block as u32 * per_block + w;
            let mut warp = Warp {
                block,
                frame: slot * self.residents.stride_bytes,
                ..Warp::default()
            };
            enter(&mut warp, &mut self.steps, visit, done);
            let s = slot as usize % self.slots.len();
            let i = self.slots[s].push(now, self.steps.all[warp.step as usize].span);
            self.warps[s * SLOTS + i] = warp;
        }
    }

    /// Runs until so many tokens are done.
    fn run(&mut self, tokens: f64) {
        while self.tokens < tokens {
            let (mut s, mut first) = (0, u64::MAX);
            for (other, slots) in self.slots.iter().enumerate() {
                let next = slots.next_at();
                (s, first) = if next < first {
                    (other, next)
                } else {
                    (s, first)
                };
            }
            if self.held > 0 && self.opens_at() <= first {
                self.release();
            } else if let Some(i) = self.slots[s].advance() {
                self.end_step(s, i, first);
            }
        }
    }

    /// When the load/store unit takes the next instruction.
    #[inline]
    fn opens_at(&self) -> u64 {
        self.unit_free.saturating_sub(self.ticks.queue)
    }

    /// The unit takes what the oldest warp has for it, that of the first scheduler before others.
    fn release(&mut self) {
        let now = self.opens_at();
        let mut slots = self.slots.iter_mut().enumerate();
        if let Some((s, i)) = slots.find_map(|(s, slots)| Some((s, slots.release()?))) {
            self.held -= 1;
            self.do_step(s, i, now);
        }
    }

    /// A warp has issued all of its step but what it has for the load/store unit.
    #[inline]
    fn end_step(&mut self, s: usize, i: usize, now: u64) {
        let step = &self.steps.all[self.warps[s * SLOTS + i].step as usize];
        if self.opens_at() > now && (step.n_accesses > 0 || step.global_lines > 0) {
            self.slots[s].hold(i);
            self.held += 1;
        } else {
            self.do_step(s, i, now);
        }
    }

    /// The accesses of a step are made, and the warp waits for what the next step needs.
    #[inline]
    fn do_step(&mut self, s: usize, i: usize, now: u64) {
        let warp = &self.warps[s * SLOTS + i];
        self.tokens += warp.tokens_per_step;
        let step = self.steps.all[warp.step as usize];
        let until = self.in_memory(s, i, &step, now);
        if self.go_on(s, i) {
            let span = self.steps.all[self.warps[s * SLOTS + i].step as usize].span;
            self.slots[s].go_on(i, until, span);
        } else {
            self.leave(s, i, now);
        }
    }

    /// What a step does in memory; when the next can begin.
    #[inline]
    fn in_memory(&mut self, s: usize, i: usize, step: &Step, now: u64) -> u64 {
        let warp = &mut self.warps[s * SLOTS + i];
        let ticks = &self.ticks;
        self.unit_free = self.unit_free.max(now) + u64::from(step.shared_accesses) * ticks.load;
        if step.global_lines > 0 {
            let lines = u64::from(step.global_lines);
            self.unit_free += lines * ticks.returned.max(ticks.load);
            self.port_free = self.port_free.max(now) + lines * ticks.case_service;
            warp.global_at =
                (self.port_free + ticks.case).saturating_sub(u64::from(step.ticks_since_global));
        }
        let first = step.first_access as usize;
        for access in &self.steps.turns.accesses[first..first + usize::from(step.n_accesses)] {
            let address = warp.frame + access.address;
            let line = address >> self.line_shift;
            let missed = self.cache.access(line) != 0;
            if missed && let Some(victim) = self.cache.replaced() {
                let dirty = std::mem::take(&mut self.dirty[victim as usize]);
                self.unit_free += if dirty { ticks.store } else { 0 };
            }
            self.dirty[line as usize] |= access.store;
            self.all.push(Access { address, ..*access });
            self.unit_free += if access.store {
                ticks.store
            } else {
                ticks.load
            };
            let ready_at = if missed && !access.store {
                self.port_free = self.port_free.max(self.unit_free) + ticks.fill_service;
                self.unit_free += ticks.returned;
                self.port_free + ticks.fill
            } else {
                self.unit_free + ticks.l1
            };
            if !access.store {
                warp.local_at = warp.local_at.max(ready_at);
            }
        }
        let mut until = now;
        if step.awaits_local {
            until = until.max(warp.local_at);
        }
        if step.awaits_global {
            until = warp.global_at.max(until);
        }
        until
    }

    /// On to the next step; false when the warp's block is at its end.
    #[inline]
    fn go_on(&mut self, s: usize, i: usize) -> bool {
        let warp = &mut self.warps[s * SLOTS + i];
        warp.step += 1;
        if warp.step < warp.end {
            return true;
        }
        warp.step = warp.first;
        warp.iterations_left -= 1;
        if warp.iterations_left > 0 {
            return true;
        }
        let block = &mut self.blocks[warp.block];
        if warp.n_visits == block.visits.len() && block.next.is_none() {
            let visit = (self.visits)();
            if visit.new_block {
                block.next = Some(visit);
            } else {
                block.visits.push(visit);
            }
        }
        let Some(&visit) = block.visits.get(warp.n_visits) else {
            return false;
        };
        enter(warp, &mut self.steps, visit, 0.0);
        true
    }

    /// A warp has ended with its block; the last one starts the next block.
    fn leave(&mut self, s: usize, i: usize, now: u64) {
        let warps = &mut self.warps[s * SLOTS..(s + 1) * SLOTS];
        let block = warps[i].block;
        // Those behind it move up.
        warps[i..].rotate_left(1);
        self.slots[s].remove(i);
        self.blocks[block].warps_left -= 1;
        if self.blocks[block].warps_left == 0
            && let Some(visit) = self.blocks[block].next
        {
            self.start(block, visit, 0.0, now);
        }
    }
}

/// A warp begins a visit, or goes on where a part of it is done.
fn enter(warp: &mut Warp, steps: &mut Steps, visit: Visit, done: f64) {
    let iteration = steps.of(visit.program);
    let n_steps = iteration.steps.end - iteration.steps.start;
    let done = done * f64::from(visit.iterations);
    warp.n_visits += 1;
    warp.iterations_left = visit.iterations - done as u32;
    warp.first = iteration.steps.start;
    warp.end = iteration.steps.end;
    warp.step = warp.first + (done.fract() * f64::from(n_steps)) as u32;
    warp.tokens_per_step = iteration.tokens_per_step;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;
    use crate::isa::Space;
    use crate::launch::spec::SmxSpec;
    use crate::sim::testing::{load, looped, use_of_load};

    fn accesses(warps_per_block: u32, blocks: u32, tokens: f64) -> Vec<Access> {
        let device = Preset::load("gtx670").unwrap().device;
        let spec = SmxSpec::new(&device, 49152).unwrap();
        let code = looped(&[load(Space::Local, 4), use_of_load()]);
        let residents = Residents {
            code: &code,
            spec: &spec,
            memory: MemoryTimes {
                fill_cycles: 250.0,
                fill_service_cycles: 4.0,
                ..MemoryTimes::default()
            },
            busy: 0.5,
            blocks,
            warps_per_block,
            stride_bytes: 512,
        };
        let extent = Extent {
            warm_up: 0.0,
            counted: tokens,
        };
        let mut visits = 0;
        let mut next = || {
            visits += 1;
            Visit {
                program: 0,
                iterations: 8,
                new_block: visits % 5 == 0,
            }
        };
        residents.stream(extent, &mut next).accesses
    }

    #[test]
    fn every_warp_has_its_turn_and_blocks_follow_each_other() {
        let all = accesses(2, 4, 1000.0);
        assert!(all.len() >= 1000);
        for warp in 0..8 {
            let mine = all.iter().filter(|access| access.address / 512 == warp);
            assert!(mine.count() > 80);
        }
    }

    #[test]
    fn the_same_every_time() {
        assert_eq!(accesses(8, 2, 500.0), accesses(8, 2, 500.0));
    }
}
