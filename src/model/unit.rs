//! The load/store unit, the L1 and what is behind it, as far as the order of accesses depends on them.
//!
//! What it models: the unit takes one line after another, longer for stores, for what returns and for what is
//! written back; it takes nothing new while it is behind by more than its queue; behind the L1 lines are served one after another.
//! What it leaves out: which lines the L2 holds (a fill takes the mean time). Units: ticks, bytes.
//! Sources: equation (20) of `docs/model.md`; `sim/memory.rs` is the twin with single cycles.

use super::caches::Caches;
use super::solve::MemoryTimes;
use super::steps::ticks;
use super::turns::{Access, ROW_BYTES};
use crate::launch::spec::SmxSpec;

/// Times in ticks.
#[derive(Debug, Clone)]
struct Ticks {
    l1: u64,
    fill: u64,
    fill_service: u64,
    case: u64,
    case_service: u64,
    load: u64,
    store: u64,
    returned: u64,
    /// What the unit may be behind.
    queue: u64,
}

impl Ticks {
    fn new(spec: &SmxSpec, memory: &MemoryTimes) -> Self {
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

/// See the module text.
#[derive(Debug, Clone)]
pub struct Unit {
    ticks: Ticks,
    cache: Caches,
    line_shift: u32,
    fetches_stored_lines: bool,
    /// Lines that were stored to since they came.
    dirty: Vec<bool>,
    /// When the unit has taken all that it was given.
    free_at: u64,
    /// When the memory behind the L1 has served all that was asked.
    port_free_at: u64,
}

impl Unit {
    /// An idle unit with an empty L1, for stacks of so many bytes together.
    pub fn new(spec: &SmxSpec, memory: &MemoryTimes, stack_bytes: u32) -> Self {
        let n_lines = stack_bytes.div_ceil(spec.l1.line_bytes);
        Unit {
            ticks: Ticks::new(spec, memory),
            cache: Caches::new(std::slice::from_ref(&spec.l1), n_lines),
            line_shift: spec.l1.line_bytes.trailing_zeros(),
            fetches_stored_lines: spec.l1_fetch_on_write_miss,
            dirty: vec![false; n_lines as usize],
            free_at: 0,
            port_free_at: 0,
        }
    }

    /// When the unit takes the next instruction.
    #[inline]
    pub fn opens_at(&self) -> u64 {
        self.free_at.saturating_sub(self.ticks.queue)
    }

    /// Accesses to shared memory up to now.
    #[inline]
    pub fn shared(&mut self, accesses: u8, now: u64) {
        self.free_at = self.free_at.max(now) + u64::from(accesses) * self.ticks.load;
    }

    /// Loads of fitness cases, the last of them some ticks ago; when they are there.
    #[inline]
    pub fn cases(&mut self, lines: u8, ticks_ago: u32, now: u64) -> u64 {
        let ticks = &self.ticks;
        let lines = u64::from(lines);
        self.free_at += lines * ticks.returned.max(ticks.load);
        self.port_free_at = self.port_free_at.max(now) + lines * ticks.case_service;
        (self.port_free_at + ticks.case).saturating_sub(u64::from(ticks_ago))
    }

    /// An access to the stack; when its data are there.
    #[inline]
    pub fn access(&mut self, access: Access) -> u64 {
        let ticks = &self.ticks;
        let line = access.address >> self.line_shift;
        let missed = self.cache.access(line) != 0;
        if missed && let Some(victim) = self.cache.replaced() {
            let dirty = std::mem::take(&mut self.dirty[victim as usize]);
            self.free_at += if dirty { ticks.store } else { 0 };
        }
        self.dirty[line as usize] |= access.store;
        self.free_at += if access.store {
            ticks.store
        } else {
            ticks.load
        };
        if missed && (!access.store || self.fetches_stored_lines) {
            self.port_free_at = self.port_free_at.max(self.free_at) + ticks.fill_service;
            self.free_at += ticks.returned;
            self.port_free_at + ticks.fill
        } else {
            self.free_at + ticks.l1
        }
    }
}
