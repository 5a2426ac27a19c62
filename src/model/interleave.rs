//! The stack accesses of the warps that are resident together, in the order in which a multiprocessor makes them.
//!
//! What it models: warps visit programs as in the simulator's window; each scheduler gives its issue slots to its warps by
//! the device's policy, the oldest first or all in turn; between steps a warp waits for memory, longer when a line missed.
//! What it leaves out: single cycles; prologues, but not that a block waits for its last warp where one is due.
//! Units: ticks, bytes. Sources: equations (23) and (24) of `docs/model.md`; `sim/smx.rs` follows single instructions.

pub use super::resident::Visit;
use super::resident::{Block, Warp};
use super::slots::{SLOTS, Slots};
use super::solve::MemoryTimes;
use super::steps::Steps;
use super::turns::{Access, Turns};
use super::unit::Unit;
use crate::launch::code::ReplayCode;
use crate::launch::spec::SmxSpec;

/// Room that is made for accesses beforehand: a load and a store, and some more.
const ACCESSES_PER_TOKEN: f64 = 2.2;

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
        let tokens = extent.warm_up + extent.counted;
        multiprocessor
            .all
            .reserve((ACCESSES_PER_TOKEN * tokens) as usize);
        multiprocessor.run(extent.warm_up);
        let warm_up = multiprocessor.all.len();
        multiprocessor.run(tokens);
        Stream {
            accesses: multiprocessor.all,
            warm_up,
        }
    }
}

struct Multiprocessor<'a> {
    residents: &'a Residents<'a>,
    steps: Steps<'a>,
    visits: &'a mut dyn FnMut() -> Visit,
    slots: Vec<Slots>,
    /// Of every scheduler, [`SLOTS`] each, the oldest first.
    warps: Vec<Warp>,
    blocks: Vec<Block>,
    tokens: f64,
    unit: Unit,
    /// Warps that the load/store unit holds up.
    held: u32,
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
        let mut multiprocessor = Multiprocessor {
            residents,
            steps: Steps::new(residents.code, turns),
            visits,
            slots: vec![Slots::new(spec.warp_policy); spec.n_schedulers],
            warps: vec![Warp::default(); SLOTS * spec.n_schedulers],
            blocks: vec![Block::default(); residents.blocks as usize],
            tokens: 0.0,
            unit: Unit::new(spec, &residents.memory, n_warps * residents.stride_bytes),
            held: 0,
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
        self.blocks[block] = Block::new(visit, per_block);
        for w in 0..per_block {
            let slot = block as u32 * per_block + w;
            let frame = slot * self.residents.stride_bytes;
            let warp = Warp::new(block, frame, &mut self.steps, visit, done);
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
            if self.held > 0 && self.unit.opens_at() <= first {
                self.release();
            } else if let Some(i) = self.slots[s].advance() {
                self.end_step(s, i, first);
            }
        }
    }

    /// The load/store unit takes what the oldest warp has for it, that of the first scheduler before others.
    fn release(&mut self) {
        let now = self.unit.opens_at();
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
        if self.unit.opens_at() > now && (step.n_accesses > 0 || step.global_lines > 0) {
            self.slots[s].hold(i);
            self.held += 1;
        } else {
            self.do_step(s, i, now);
        }
    }

    /// The accesses of a step are made, and the warp waits for what the next step needs.
    #[inline]
    fn do_step(&mut self, s: usize, i: usize, now: u64) {
        let warp = &mut self.warps[s * SLOTS + i];
        self.tokens += warp.tokens_per_step;
        let step = &self.steps.all[warp.step as usize];
        self.unit.shared(step.shared_accesses, now);
        if step.global_lines > 0 {
            warp.global_at = self
                .unit
                .cases(step.global_lines, step.ticks_since_global, now);
        }
        let first = step.first_access as usize;
        for access in &self.steps.turns.accesses[first..first + usize::from(step.n_accesses)] {
            let access = Access {
                address: warp.frame + access.address,
                ..*access
            };
            self.all.push(access);
            let ready_at = self.unit.access(access);
            if !access.store {
                warp.local_at = warp.local_at.max(ready_at);
            }
        }
        let mut until = now;
        if step.awaits_local {
            until = until.max(warp.local_at);
        }
        if step.awaits_global {
            until = until.max(warp.global_at);
        }
        let block = &mut self.blocks[warp.block];
        if warp.go_on(block, &mut self.steps, self.visits) {
            let span = self.steps.all[warp.step as usize].span;
            self.slots[s].go_on(i, until, span);
        } else {
            self.leave(s, i, now);
        }
    }

    /// A warp has ended with its block; the last one starts the next block.
    fn leave(&mut self, s: usize, i: usize, now: u64) {
        let warps = &mut self.warps[s * SLOTS..(s + 1) * SLOTS];
        let block = warps[i].block;
        // Those behind it move up.
        warps[i..].rotate_left(1);
        self.slots[s].remove(i);
        if let Some(visit) = self.blocks[block].leave() {
            self.start(block, visit, 0.0, now);
        }
    }
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
