//! The stack accesses of the warps that are resident together, in the order in which a multiprocessor makes them.
//!
//! What it models: each scheduler gives its issue slots to its warps by the device's policy, the oldest first or all alike;
//! a warp that lacks slots moves slower; between turns it waits for memory, longer when a line missed. When a block ends
//! the next program takes its frames.
//! What it leaves out: single cycles (between two events every warp moves at a constant speed); prologues.
//! Units: cycles, issue slots, bytes. Sources: equations (23) and (24) of `docs/model.md`; `sim/smx.rs` follows single
//! instructions.

use super::random_cache::RandomCache;
use super::shares::{SLOTS, Shares};
use super::solve::MemoryTimes;
use super::turns::{Access, ROW_BYTES, Turn, Turns};
use crate::launch::code::ReplayCode;
use crate::launch::spec::SmxSpec;

/// The warps whose stacks share the cache.
#[derive(Debug, Clone, Copy)]
pub struct Residents<'a> {
    pub code: &'a ReplayCode,
    pub spec: &'a SmxSpec,
    pub memory: MemoryTimes,
    /// Part of the time in which a scheduler issues.
    pub busy: f64,
    /// Programs of the blocks, in the order in which they start.
    pub sample: &'a [u32],
    pub blocks: u32,
    pub warps_per_block: u32,
    /// Iterations of the case loop that a block runs.
    pub iterations: u32,
    /// Bytes between the frames of neighbouring warps.
    pub stride_bytes: u32,
}

/// How much of a launch is followed, in tokens: program nodes in one warp.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
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
    /// The accesses of a span.
    pub fn stream(&self, span: Span) -> Stream {
        let turns = Turns::new(self.code, self.spec, &self.memory.latencies, self.busy);
        let mut multiprocessor = Multiprocessor::new(self, &turns);
        multiprocessor.run(span.warm_up);
        let warm_up = multiprocessor.all.len();
        multiprocessor.run(span.warm_up + span.counted);
        Stream {
            accesses: multiprocessor.all,
            warm_up,
        }
    }

    fn list(&self, program: u32) -> &[u32] {
        let steady = &self.code.programs[program as usize].steady;
        &self.code.lists[steady.start as usize..steady.end as usize]
    }
}

/// A resident warp.
#[derive(Debug, Clone)]
struct Warp<'a> {
    block: usize,
    frame: u32,
    list: &'a [u32],
    /// Of the next segment in `list`.
    segment: usize,
    iterations_left: u32,
    /// Tokens of the iterations that it has ended.
    tokens: u32,
    tokens_per_iteration: u32,
    turns: &'a [Turn],
    /// Current turn in `turns`; past the end when the program is over.
    turn: usize,
    /// When its stack loads and its global loads are there.
    local_at: f64,
    global_at: f64,
}

impl<'a> Warp<'a> {
    /// Goes on to the next turn that ends in memory and returns the cycles and issue slots until then; `None` when
    /// nothing is left.
    fn advance(&mut self, turns: &'a Turns) -> Option<(f64, f64)> {
        let (mut cycles, mut slots) = (0.0, 0.0);
        loop {
            self.turn += 1;
            if self.turn >= self.turns.len() {
                if self.segment == self.list.len() && self.iterations_left > 0 {
                    self.iterations_left -= 1;
                    self.tokens += self.tokens_per_iteration;
                    self.segment = 0;
                }
                if self.iterations_left == 0 || self.list.is_empty() {
                    return (cycles > 0.0).then_some((cycles, slots));
                }
                self.turns = turns.of(self.list[self.segment]);
                self.segment += 1;
                self.turn = 0;
            }
            let turn = &self.turns[self.turn];
            cycles += turn.cycles;
            slots += turn.slots;
            if turn.ends_in_memory() {
                return Some((cycles, slots));
            }
        }
    }
}

/// A scheduler's warps, the oldest first, and how they share its issue slots.
#[derive(Debug, Clone)]
struct Scheduler<'a> {
    warps: Vec<Warp<'a>>,
    shares: Shares,
}

struct Multiprocessor<'a> {
    residents: &'a Residents<'a>,
    turns: &'a Turns,
    schedulers: Vec<Scheduler<'a>>,
    /// Warps of every block that have not ended.
    warps_left: Vec<u32>,
    /// Tokens done: those of whole iterations.
    tokens: f64,
    /// Blocks started so far.
    started: usize,
    cache: RandomCache,
    /// When the memory behind the cache has served all that was asked.
    port_free: f64,
    /// When the load/store unit has.
    unit_free: f64,
    line_bytes: u32,
    all: Vec<Access>,
}

impl<'a> Multiprocessor<'a> {
    fn new(residents: &'a Residents<'a>, turns: &'a Turns) -> Self {
        let spec = residents.spec;
        let scheduler = Scheduler {
            warps: Vec::with_capacity(SLOTS),
            shares: Shares::new(spec.warp_policy),
        };
        let mut multiprocessor = Multiprocessor {
            residents,
            turns,
            schedulers: vec![scheduler; spec.n_schedulers],
            warps_left: vec![0; residents.blocks as usize],
            tokens: 0.0,
            started: 0,
            cache: RandomCache::new(&spec.l1),
            port_free: 0.0,
            unit_free: 0.0,
            line_bytes: spec.l1.line_bytes,
            all: Vec::new(),
        };
        let iterations = residents.iterations.max(1);
        for block in 0..residents.blocks {
            // The blocks of a long run do not end together.
            let done = (iterations - 1) * block / residents.blocks;
            multiprocessor.start(block as usize, iterations - done, 0.0);
        }
        multiprocessor
    }

    /// The next program runs in the slot of a block.
    fn start(&mut self, block: usize, iterations: u32, now: f64) {
        let residents = self.residents;
        let program = residents.sample[self.started % residents.sample.len()];
        self.started += 1;
        for w in 0..residents.warps_per_block {
            let slot = block as u32 * residents.warps_per_block + w;
            let mut warp = Warp {
                block,
                frame: slot * residents.stride_bytes,
                list: residents.list(program),
                segment: 0,
                iterations_left: iterations,
                tokens: 0,
                tokens_per_iteration: residents.code.programs[program as usize].nodes,
                turns: &[],
                turn: 0,
                local_at: 0.0,
                global_at: 0.0,
            };
            if let Some((cycles, slots)) = warp.advance(self.turns) {
                let at = slot as usize % self.schedulers.len();
                let scheduler = &mut self.schedulers[at];
                scheduler.shares.push(cycles, slots, now);
                scheduler.warps.push(warp);
                self.warps_left[block] += 1;
            }
        }
    }

    /// Runs until so many tokens are done, or nothing more can happen.
    fn run(&mut self, tokens: f64) {
        while self.tokens < tokens {
            let mut s = 0;
            for other in 1..self.schedulers.len() {
                if self.schedulers[other].shares.next < self.schedulers[s].shares.next {
                    s = other;
                }
            }
            let shares = &mut self.schedulers[s].shares;
            if shares.next.is_infinite() {
                return;
            }
            if let Some(i) = shares.advance() {
                self.end_turn(s, i);
            }
            self.schedulers[s].shares.plan();
        }
    }

    /// A warp has issued all of its turn: its accesses are made, and it waits for what the next turn needs.
    fn end_turn(&mut self, s: usize, i: usize) {
        let Scheduler { warps, shares } = &mut self.schedulers[s];
        let warp = &mut warps[i];
        let mut until = 0.0;
        if let Some(turn) = warp.turns.get(warp.turn) {
            let now = shares.now;
            let times = &self.residents.memory;
            let spec = self.residents.spec;
            let returned = match spec.return_bytes_per_cycle {
                0 => 0.0,
                rate => f64::from(ROW_BYTES) / f64::from(rate),
            };
            self.unit_free = self.unit_free.max(now);
            if turn.global_lines > 0 {
                self.unit_free += f64::from(turn.global_lines) * returned.max(1.0);
                self.port_free = self.port_free.max(now)
                    + f64::from(turn.global_lines) * times.case_service_cycles;
                warp.global_at = self.port_free - turn.since_global + times.case_cycles;
            }
            let made = turn.accesses.start as usize..turn.accesses.end as usize;
            for access in &self.turns.accesses[made] {
                let address = warp.frame + access.address;
                let hit = self.cache.access(address / self.line_bytes);
                self.all.push(Access { address, ..*access });
                self.unit_free += match access.store {
                    true => f64::from(spec.store_cycles_per_line),
                    false => 1.0,
                };
                let ready_at = if hit || access.store {
                    self.unit_free + f64::from(spec.l1_latency_cycles)
                } else {
                    self.port_free = self.port_free.max(self.unit_free) + times.fill_service_cycles;
                    self.unit_free += returned;
                    self.port_free + times.fill_cycles
                };
                if !access.store {
                    warp.local_at = warp.local_at.max(ready_at);
                }
            }
            if turn.awaits_local {
                until = warp.local_at;
            }
            if turn.awaits_global {
                until = warp.global_at.max(until);
            }
        }
        let next = warp.advance(self.turns);
        self.tokens += f64::from(std::mem::take(&mut warp.tokens));
        match next {
            Some((cycles, slots)) => shares.wait(i, until - shares.now, cycles, slots),
            None => {
                let (block, now) = (warp.block, shares.now);
                warps.remove(i);
                shares.remove(i);
                self.warps_left[block] -= 1;
                if self.warps_left[block] == 0 {
                    self.start(block, self.residents.iterations.max(1), now);
                }
            }
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
            sample: &[0],
            blocks,
            warps_per_block,
            iterations: 8,
            stride_bytes: 512,
        };
        let span = Span {
            warm_up: 0.0,
            counted: tokens,
        };
        residents.stream(span).accesses
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
