//! The streaming multiprocessor: connects its components and advances the cycle.
//!
//! Models: warp schedulers with one or two dispatches each, the compiler's stall counts and dual-issue
//! pairs, dependences between instructions, pipes, the load/store unit, resident blocks and their replacement.
//! Leaves out: values and lanes (a warp replays a trace), other multiprocessors.
//! Units: core clock cycles. Sources: [`SmxSpec`] and the device preset behind it.
//!
//! Every latency is known when an instruction issues, so a warp's next issue cycle is computed once and
//! cycles in which no scheduler can issue are skipped, not ticked.

mod barrier;
mod execute;
mod tick;

use super::account::{Account, WHOLE};
use super::code::{MemoryRequest, ReplayCode};
use super::dispatch::{BlockQueue, BlockStart, GOLDEN_STEP, Geometry};
use super::icache::InstructionCache;
use super::memory::{LOCAL_BASE, Memory};
use super::observe::{Cause, Counters, Observer, WarpSlot};
use super::pipes::Pipes;
use super::resident::Resident;
use super::scheduler::Scheduler;
use super::spec::SmxSpec;
use super::waits::Waits;
use super::warp::{Warp, WarpStart};
use super::warp_mask::{MAX_SCHEDULERS, MAX_WARPS, Slots};
use crate::launch::counters::CREDITS_PER_TOKEN;

/// State of one multiprocessor; `EVEN_SLOTS` as in [`Slots`].
pub struct Smx<'a, O, const EVEN_SLOTS: bool> {
    spec: &'a SmxSpec,
    code: &'a ReplayCode,
    geometry: Geometry,
    case_window_bytes: u32,
    queue: BlockQueue,
    n_schedulers: usize,
    slots: Slots<EVEN_SLOTS>,
    schedulers: [Scheduler; MAX_SCHEDULERS],
    /// Warps by scheduler and slot.
    warps: Box<[Warp; MAX_WARPS]>,
    blocks: Vec<Resident>,
    waits: Box<Waits<EVEN_SLOTS>>,
    pipes: Pipes,
    memory: Memory<'a>,
    /// One, or one per scheduler.
    icaches: Vec<InstructionCache>,
    /// Index of each scheduler's instruction cache.
    icache_of: [u8; MAX_SCHEDULERS],
    /// Whether the scoreboard tracks results besides those of loads.
    tracks_results: bool,
    ignores_stall_counts: bool,
    counters: Counters,
    account: Account,
    /// Work done, by program.
    program_credits: Vec<u64>,
    now: u64,
    /// Cycle by which all arrivals at barriers so far are counted.
    arrivals_until: u64,
    observer: O,
}

/// Device, code and blocks of a multiprocessor's run.
pub struct Setup<'a> {
    pub spec: &'a SmxSpec,
    pub code: &'a ReplayCode,
    pub code_bytes: u32,
    pub geometry: Geometry,
    pub queue: BlockQueue,
    /// Seed of the caches' replacement generators.
    pub seed: u32,
}

/// Error of a simulation in which no warp can issue again.
#[derive(Debug, thiserror::Error)]
#[error("no warp can ever issue again at cycle {cycle}: {snapshot}")]
pub struct Deadlock {
    pub cycle: u64,
    pub snapshot: String,
}

impl<'a, O: Observer, const EVEN_SLOTS: bool> Smx<'a, O, EVEN_SLOTS> {
    /// A multiprocessor with all its block slots filled. The observer receives every event.
    pub fn new(setup: Setup<'a>, observer: O) -> Self {
        let Setup {
            spec,
            code,
            code_bytes,
            geometry,
            queue,
            seed,
        } = setup;
        let slots = Slots::new(spec.n_schedulers());
        let mut smx = Smx {
            spec,
            code,
            case_window_bytes: geometry.case_window_bytes(),
            geometry,
            queue,
            n_schedulers: spec.n_schedulers(),
            slots,
            schedulers: std::array::from_fn(|_| {
                Scheduler::new(spec.device.issue.warp_policy, slots.per_scheduler())
            }),
            warps: Box::new(std::array::from_fn(|_| Warp::idle())),
            blocks: vec![Resident::default(); geometry.resident_blocks as usize],
            waits: Box::new(Waits::new(slots)),
            pipes: Pipes::new(spec),
            memory: Memory::new(spec, seed),
            icaches: vec![
                InstructionCache::new(spec, code_bytes);
                spec.device.instruction_cache.n_l1 as usize
            ],
            icache_of: std::array::from_fn(|s| {
                icache_of(
                    s,
                    spec.n_schedulers(),
                    spec.device.instruction_cache.n_l1 as usize,
                )
            }),
            tracks_results: spec.dependences.result_cycles().is_some(),
            ignores_stall_counts: spec.dependences.ignores_stall_counts(),
            counters: Counters::default(),
            account: Account::default(),
            program_credits: vec![0; code.programs.len()],
            now: 0,
            arrivals_until: 0,
            observer,
        };
        for block in 0..smx.blocks.len() {
            smx.start_first(block);
        }
        smx
    }

    /// Fills a block slot for the first time. Sampled blocks start in the middle of their iterations, so that they do not end together.
    fn start_first(&mut self, block: usize) {
        let done = block as f64 / self.blocks.len() as f64;
        self.start_block(block, self.queue.is_sampled().then_some(done));
    }

    /// Counters up to the current cycle.
    pub fn counters(&mut self) -> Counters {
        let opens_at = self.memory.accepts_at();
        for s in 0..self.n_schedulers {
            // Where a warp is ready, the cycles not yet charged are all occupied ones, whatever the cause given.
            let slots = self.schedulers[s].resident();
            let cause = self.waits.nearest_cause(s, slots, opens_at);
            let idle = self.schedulers[s].charge(self.now, cause, &mut self.account);
            if slots == 0 {
                self.account.parts[Cause::NoWarp as usize] += idle * WHOLE;
            }
            for i in (0..self.slots.per_scheduler()).filter(|i| slots >> i & 1 == 1) {
                self.charge_warp(s, i);
            }
        }
        self.account.read(&mut self.counters);
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
            if !self.tick() {
                return Err(self.deadlock());
            }
        }
        Ok(())
    }

    /// Runs until every block of a finite queue has ended, or `cycle` is reached; true when all have ended.
    pub fn run_blocks(&mut self, until_cycle: u64) -> Result<bool, Deadlock> {
        while self.is_occupied() {
            if self.now >= until_cycle {
                return Ok(false);
            }
            if !self.tick() {
                return Err(self.deadlock());
            }
        }
        Ok(true)
    }

    fn deadlock(&self) -> Deadlock {
        let resident: u32 = self.blocks.iter().map(|block| block.warps_left).sum();
        let started = self.queue.started();
        Deadlock {
            cycle: self.now,
            snapshot: format!("{resident} resident warps, {started} blocks started"),
        }
    }

    /// Whether any warp is resident.
    fn is_occupied(&self) -> bool {
        self.blocks.iter().any(|block| block.warps_left > 0)
    }

    /// Starts a block. `done`: part of its work taken as done, around which its warps are spread; `None`: none of it.
    fn start_block(&mut self, block: usize, done: Option<f64>) {
        let Some(start) = self.blocks[block].begin(&mut self.queue) else {
            return;
        };
        let warps = self.geometry.warps_per_block();
        self.blocks[block].warps_left = warps;
        let gap = match self.now {
            0 => 0,
            _ => u64::from(self.spec.device.chip.block_cycles),
        };
        let starts_at = self.now + gap + 1;
        let turn = self.turn_of(block as u32);
        for w in 0..warps {
            let slot = block as u32 * warps + (w + turn) % warps;
            let done = done.map_or(0.0, |done| (done + f64::from(slot) * GOLDEN_STEP).fract());
            let warp = self.unit(start, block as u32, w, done);
            if warp.has_ended() {
                // Of a trace that has no instruction of it.
                self.blocks[block].warps_left -= 1;
                continue;
            }
            let (s, i) = self.place(slot as usize);
            self.schedulers[s].admit(i, self.now);
            self.waits
                .admit(self.slots.warp(s, i), self.schedulers[s].idle_part());
            let place = WarpSlot::new(s, i);
            self.observer.started(place, start.number, w, self.now);
            self.enter(s, i, warp, starts_at, Cause::NoWarp);
        }
    }

    /// Number of slots by which the warps of a block are rotated, so that first warps are spread over the schedulers.
    fn turn_of(&self, block: u32) -> u32 {
        if !self.spec.device.issue.first_warps_in_turn {
            return 0;
        }
        let warps = self.geometry.warps_per_block();
        // Blocks one after the other whose first warps fall to different schedulers by themselves.
        let apart = (1..=self.n_schedulers as u32)
            .find(|blocks| (blocks * warps).is_multiple_of(self.n_schedulers as u32));
        block / apart.unwrap_or(1)
    }

    /// Warp `w` of a block at the start of a sampling unit, or where a part of it is done.
    fn unit(&self, unit: BlockStart, block: u32, w: u32, done: f64) -> Warp {
        let pass = 4 * self.geometry.cases_per_iteration();
        let stride = 4 * self.geometry.cases_to_next_iteration();
        let full = self.geometry.iterations_of(unit.case_block, w);
        let slot = block * self.geometry.warps_per_block() + w;
        let start = WarpStart {
            program: unit.program + w * unit.programs_per_warp,
            block,
            index: w,
            // A last block of a program may have no cases; it is as good as none.
            iterations: unit.cut.unwrap_or(full).max(1),
            steady_only: unit.steady_only,
            done,
            run_prologue: unit.run_prologue && done == 0.0,
            local_base: self.local_base(slot),
            warp_offset_bytes: if unit.programs_per_warp == 0 {
                128 * w
            } else {
                0
            },
            case_offset_bytes: unit.case_block * pass + unit.first_iteration * stride,
            case_stride_bytes: stride,
            case_row_bytes: 4 * self.geometry.threads_per_block,
        };
        Warp::start(self.code, start)
    }

    /// Address of a warp slot's local memory, within the 2 GiB of local memory.
    fn local_base(&self, slot: u32) -> u32 {
        let stride = u64::from(self.geometry.local_stride_bytes);
        (u64::from(slot) * stride) as u32 % LOCAL_BASE
    }

    /// Scheduler and index of a warp slot.
    fn place(&self, slot: usize) -> (usize, usize) {
        (slot % self.n_schedulers, slot / self.n_schedulers)
    }

    /// Puts a warp into a slot, to issue from `until` on.
    fn enter(&mut self, s: usize, i: usize, warp: Warp, until: u64, cause: Cause) {
        let request = self.code.ops[warp.op as usize].request;
        self.waits
            .ask_memory(self.slots.warp(s, i), request != MemoryRequest::None);
        self.warps[self.slots.warp(s, i)] = warp;
        self.hold(s, i, until, cause);
    }

    /// Ends a warp's sampling unit; the warp could issue again at `next`.
    fn end_unit(&mut self, s: usize, i: usize, next: u64) {
        let warp = &self.warps[self.slots.warp(s, i)];
        let (block, w, n_units) = (warp.block, warp.index, warp.n_units + 1);
        let resident = &mut self.blocks[block as usize];
        if let Some(unit) = resident.go_on(n_units as usize, &mut self.queue) {
            let mut warp = self.unit(unit, block, w, 0.0);
            warp.n_units = n_units;
            self.enter(s, i, warp, next, Cause::Wait);
            return;
        }
        self.observer.exited(WarpSlot::new(s, i), self.now);
        self.charge_warp(s, i);
        self.schedulers[s].dismiss(i);
        let resident = &mut self.blocks[block as usize];
        resident.warps_left -= 1;
        if resident.warps_left == 0 {
            self.counters.blocks_finished += 1;
            self.start_block(block as usize, None);
        } else {
            self.open_barrier(block);
        }
    }
}

/// Index of a scheduler's instruction cache: neighbouring schedulers share one where there are fewer caches.
fn icache_of(scheduler: usize, n_schedulers: usize, n_icaches: usize) -> u8 {
    (scheduler * n_icaches / n_schedulers).min(n_icaches - 1) as u8
}

#[cfg(test)]
mod tests {
    use super::icache_of;

    #[test]
    fn neighbouring_schedulers_share_an_instruction_cache() {
        let caches = |n_caches| [0, 1, 2, 3].map(|s| icache_of(s, 4, n_caches));
        assert_eq!(caches(1), [0, 0, 0, 0]);
        assert_eq!(caches(2), [0, 0, 1, 1]);
        assert_eq!(caches(4), [0, 1, 2, 3]);
        assert_eq!(icache_of(1, 2, 4), 2);
    }
}
