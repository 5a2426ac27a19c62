//! Plain numbers that the simulated multiprocessor is built from.
//!
//! What it holds: one value per mechanism, already resolved for one kernel and one L1/shared split.
//! What it leaves out: where a value comes from; that is in the device preset (`fixtures/devices/`).
//! Units: core clock cycles and bytes, in the names.
//! Sources: the preset, see [`SmxSpec::new`].

use crate::isa::OpClass;

/// How the L1 chooses the line to evict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    Lru,
    Random,
}

/// Geometry and policy of a cache.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheSpec {
    pub sets: u32,
    pub ways: u32,
    pub line_bytes: u32,
    pub replacement: Replacement,
    /// XOR-hash the set index (Fermi's hash) instead of taking the low line-address bits.
    pub hashed_index: bool,
}

impl CacheSpec {
    /// Capacity in bytes.
    pub fn bytes(&self) -> u32 {
        self.sets * self.ways * self.line_bytes
    }
}

/// How often one instruction class can start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueLimit {
    /// At most this many warp instructions per cycle over the whole multiprocessor.
    PerCycle(u8),
    /// One warp instruction per this many cycles on each scheduler's own pipe.
    Interval(u8),
    /// Takes an issue slot only.
    Free,
}

/// The multiprocessor, resolved for one L1/shared split.
#[derive(Debug, Clone, PartialEq)]
pub struct SmxSpec {
    pub n_schedulers: usize,
    pub max_warps: usize,
    pub dispatches_per_scheduler: u32,
    /// Full-rate ALU lanes groups: warp instructions per cycle over all full-rate classes together.
    pub alu_warps_per_cycle: u8,
    /// Limit per instruction class, indexed by `OpClass as usize`.
    pub limits: [IssueLimit; N_CLASSES],
    pub shared_latency_cycles: u32,
    pub l1_latency_cycles: u32,
    pub l2_latency_cycles: u32,
    /// Added to the L2 latency when the line comes from DRAM.
    pub dram_extra_cycles: u32,
    pub constant_latency_cycles: u32,
    /// Lines per cycle through the load/store unit is one; this many cycles of work may queue before
    /// further memory instructions are held at issue.
    pub lsu_queue_cycles: u32,
    /// Every 128-byte line after the first of one access takes an issue slot (a replay).
    pub replays_take_issue_slots: bool,
    /// Global loads that one warp may have in flight.
    pub global_loads_in_flight_per_warp: usize,
    pub l1: CacheSpec,
    /// Line fills that may wait for the L2 port before the load/store unit stops taking work.
    pub l1_miss_queue_lines: u32,
    /// A store that misses fetches the line from L2 first.
    pub l1_fetch_on_write_miss: bool,
    /// One multiprocessor's share of the L2.
    pub l2: CacheSpec,
    pub l2_read_bytes_per_cycle: f32,
    pub l2_write_bytes_per_cycle: f32,
    pub dram_bytes_per_cycle: f32,
    /// Bytes of code that the first-level and second-level instruction caches hold.
    pub icache_l1_bytes: u32,
    pub icache_l15_bytes: u32,
    pub icache_line_bytes: u32,
    pub icache_l15_latency_cycles: u32,
    pub icache_l2_latency_cycles: u32,
    pub barrier_latency_cycles: u32,
}

/// Number of instruction classes.
pub const N_CLASSES: usize = OpClass::Nop as usize + 1;
