//! The load/store unit and everything behind it: L1, L2 share, DRAM share.
//!
//! Models: one 128-byte line per cycle through the load/store unit, in order; the L1 for local memory, and for global loads
//! where the device has that; a limited number of L1 misses in flight (MSHRs), beyond which a miss waits for the first to
//! complete while the unit continues; global accesses that bypass the L1 and need no MSHR; write-through, with a queue of
//! stored lines. Traffic to the L2 is in `behind`.
//! Leaves out: bank conflicts (the kernels' shared accesses are broadcasts), TLBs, crossbar
//! contention between SMXs other than an equal share of capacity and bandwidth.
//! Units: cycles, bytes. Sources: the values are in [`SmxSpec`], their sources in the device preset.

mod behind;
mod mshrs;

use super::cache::{Cache, Lookup};
use super::code::{MemoryRequest, ReplayCode, ReplayOp};
use super::lower::LowerLevels;
use super::observe::{Cause, Counters, L1Access, Observer};
use super::port::Port;
use super::spec::SmxSpec;
use crate::device::ideal::Ideal;
use crate::trace::{AddressKind, LINE_BYTES};
use mshrs::Mshrs;

/// Local memory lies above all global buffers in the simulated physical address space.
pub const LOCAL_BASE: u32 = 0x8000_0000;

/// Completion time of a request, and the cause of its latency.
#[derive(Debug, Clone, Copy)]
pub struct Served {
    pub ready_at: u64,
    /// Cycles from the issue until an MSHR is free for it; 0 if one is free at once.
    pub mshr_cycles: u32,
    pub cause: Cause,
}

impl Served {
    /// A request that completes at `ready_at` without waiting for an MSHR.
    #[inline]
    pub fn new(ready_at: u64, cause: Cause) -> Self {
        Served {
            ready_at,
            mshr_cycles: 0,
            cause,
        }
    }
}

/// Offset that a warp's fitness cases add to a global address.
#[derive(Debug, Clone, Copy)]
pub struct CaseOffset {
    pub bytes: u32,
    /// Offset within this multiprocessor's share of the L2.
    pub l2_bytes: u32,
}

impl CaseOffset {
    /// Equal offsets in both.
    pub fn same(bytes: u32) -> Self {
        CaseOffset {
            bytes,
            l2_bytes: bytes,
        }
    }
}

/// Cycles to drain a full queue of stored lines.
fn store_queue_cycles(spec: &SmxSpec) -> u64 {
    let bytes = spec.device.load_store.store_queue_lines * LINE_BYTES;
    (bytes as f32 / spec.l2_write_limit()) as u64
}

/// Cycles of the unit that `bytes` take at a rate; none at 0, where they have a path of their own.
#[inline]
fn cycles_at(bytes_per_cycle: u32, bytes: u32) -> u64 {
    match bytes_per_cycle {
        0 => 0,
        rate => u64::from(bytes.div_ceil(rate)),
    }
}

/// Load/store unit of one multiprocessor, with its L1 and the levels behind it.
#[derive(Debug, Clone)]
pub struct Memory<'a> {
    spec: &'a SmxSpec,
    l1: Cache,
    lower: LowerLevels,
    /// Issue cycle of the instruction being served.
    issued_at: u64,
    lsu_free_at: u64,
    misses: Mshrs,
    read_port: Port,
    write_port: Port,
    lsu_queue_cycles: u64,
    store_queue_cycles: u64,
    store_cycles: u64,
    /// Bytes of filled sectors that do not yet make a cycle of the unit.
    filled_bytes: u32,
    /// Mask of the cycles that accesses occupy the unit: all ones, or 0 if the unit is unlimited.
    unit_mask: u64,
}

impl<'a> Memory<'a> {
    /// Returns empty caches and idle ports.
    pub fn new(spec: &'a SmxSpec, seed: u32) -> Self {
        Memory {
            spec,
            l1: Cache::new(spec.l1.clone(), seed),
            lower: LowerLevels::share(spec, seed),
            issued_at: 0,
            lsu_free_at: 0,
            misses: Mshrs::new(spec.device.load_store.l1_misses_in_flight),
            read_port: Port::new(spec.device.l2_port_bytes_per_cycle() as f32),
            write_port: Port::new(spec.device.l2.write_bytes_per_cycle as f32),
            lsu_queue_cycles: u64::from(spec.device.load_store.queue_cycles),
            store_queue_cycles: store_queue_cycles(spec),
            store_cycles: u64::from(spec.store_cycles_per_line()),
            filled_bytes: 0,
            unit_mask: if spec.device.ideals.has(Ideal::LoadStoreUnit) {
                0
            } else {
                u64::MAX
            },
        }
    }

    /// Occupies the unit for `cycles` more cycles.
    #[inline]
    fn occupy_unit(&mut self, cycles: u64) {
        self.lsu_free_at += cycles & self.unit_mask;
    }

    /// The first cycle at which the unit takes another instruction.
    #[inline]
    pub fn accepts_at(&self) -> u64 {
        (self.lsu_free_at & self.unit_mask).saturating_sub(self.lsu_queue_cycles)
    }

    /// The cycle at which the unit has processed everything issued to it.
    #[inline]
    pub fn busy_until(&self) -> u64 {
        self.lsu_free_at
    }

    /// Serves a memory instruction issued at `now`. `local_base` is the address of the warp slot's local memory,
    /// `global_offset` the offset of the warp's fitness cases in a per-case address.
    #[inline]
    pub fn serve(
        &mut self,
        op: &ReplayOp,
        now: u64,
        local_base: u32,
        global_offset: CaseOffset,
        counters: &mut Counters,
        observer: &mut impl Observer,
    ) -> Served {
        self.issued_at = now;
        // Where the unit is unlimited, what an earlier access waits for holds up none.
        self.lsu_free_at = (self.lsu_free_at & self.unit_mask).max(now);
        match op.request {
            MemoryRequest::LocalLoad | MemoryRequest::LocalStore => {
                self.local(op, local_base, counters, observer)
            }
            MemoryRequest::GlobalLoad | MemoryRequest::GlobalStore => {
                self.global(op, global_offset, counters, observer)
            }
            MemoryRequest::SharedLoad | MemoryRequest::SharedStore | MemoryRequest::None => {
                let ready_at = self.lsu_free_at + u64::from(self.spec.device.shared.latency_cycles);
                self.occupy_unit(op.share_of(u64::from(self.spec.device.shared.access_cycles)));
                Served::new(ready_at, Cause::Shared)
            }
        }
    }

    /// Serves a scattered access part by part; it completes with the last part.
    #[cold]
    pub fn serve_scattered(
        &mut self,
        op: &ReplayOp,
        code: &ReplayCode,
        now: u64,
        local_base: u32,
        counters: &mut Counters,
        observer: &mut impl Observer,
    ) -> Served {
        let mut last = Served::new(now, Cause::LoadStoreUnit);
        for part in code.parts(op) {
            let offset = CaseOffset::same(0);
            let served = self.serve(&part, now, local_base, offset, counters, observer);
            if served.ready_at >= last.ready_at {
                last = served;
            }
            if part.address_kind == AddressKind::Segment && op.is_uncoalesced() {
                self.occupy_unit(u64::from(self.spec.device.load_store.uncoalesced_cycles));
            }
        }
        last
    }

    #[inline]
    fn local(
        &mut self,
        op: &ReplayOp,
        base: u32,
        counters: &mut Counters,
        observer: &mut impl Observer,
    ) -> Served {
        let mut served = Served::new(0, Cause::L1Hit);
        let first = base + op.local_address();
        for i in 0..u32::from(op.lines) {
            let line = self.local_line(op, first + i * LINE_BYTES, counters, observer);
            self.occupy_unit(match op.request {
                MemoryRequest::LocalStore => op.share_of(self.store_cycles),
                _ => 1,
            });
            if line.ready_at >= served.ready_at {
                served = line;
            }
        }
        served
    }

    #[inline]
    fn local_line(
        &mut self,
        op: &ReplayOp,
        address: u32,
        counters: &mut Counters,
        observer: &mut impl Observer,
    ) -> Served {
        let request = op.request;
        let store = request == MemoryRequest::LocalStore;
        let address = LOCAL_BASE + address;
        if !self.spec.device.l1.caches_local {
            return self.uncached_line(address, op.moved_bytes(), store, counters);
        }
        let hit_at = self.lsu_free_at + u64::from(self.spec.device.l1.hit_latency_cycles);
        if store && !self.spec.device.l1.write_back {
            self.store_through(address, op.moved_bytes(), counters);
        }
        let lookup = self.look_up(address, LINE_BYTES, request, observer);
        let (lines, hits) = if store {
            (&mut counters.l1_store_lines, &mut counters.l1_store_hits)
        } else {
            (&mut counters.l1_load_lines, &mut counters.l1_load_hits)
        };
        *lines += 1;
        match lookup {
            Lookup::Hit { ready_at } => {
                *hits += 1;
                let cause = if ready_at > hit_at {
                    Cause::L2
                } else {
                    Cause::L1Hit
                };
                Served::new(ready_at.max(hit_at), cause)
            }
            Lookup::Miss {
                way,
                evicted_dirty,
                free_at,
            } => {
                self.lsu_free_at = self.lsu_free_at.max(free_at);
                if let Some(victim) = evicted_dirty {
                    self.write_back(victim, counters);
                }
                if store && !self.spec.device.l1.fetch_on_write_miss {
                    return Served::new(hit_at.max(free_at), Cause::L1Hit);
                }
                self.fill_l1(way, address, LINE_BYTES, counters, observer)
            }
        }
    }

    /// Serves local memory on a device without an L1: lines are read from and written to memory.
    #[cold]
    fn uncached_line(
        &mut self,
        address: u32,
        bytes: u32,
        store: bool,
        counters: &mut Counters,
    ) -> Served {
        if store {
            counters.l1_store_lines += 1;
            self.write_l2(address, bytes, counters);
            return Served::new(self.lsu_free_at, Cause::L1Hit);
        }
        counters.l1_load_lines += 1;
        self.fill(address, bytes, counters)
    }

    /// Looks a line up in the L1, of which `bytes` are requested.
    #[inline]
    fn look_up(
        &mut self,
        address: u32,
        bytes: u32,
        request: MemoryRequest,
        observer: &mut impl Observer,
    ) -> Lookup {
        let dirties = request == MemoryRequest::LocalStore && self.spec.device.l1.write_back;
        self.l1.now(self.lsu_free_at);
        observer.l1_accessed(L1Access {
            cycle: self.lsu_free_at,
            address,
            bytes: bytes as u16,
            request,
        });
        if self.spec.device.ideals.has(Ideal::L1Misses) {
            return Lookup::Hit { ready_at: 0 };
        }
        self.l1.access_part(address, bytes, dirties)
    }

    /// Sends a stored line to the L2; when the port is behind by more than the queue, the unit waits.
    #[inline]
    fn store_through(&mut self, address: u32, bytes: u32, counters: &mut Counters) {
        self.write_l2(address, bytes, counters);
        let behind = self.write_port.free_at().max(self.lower.has_taken_at()) as u64;
        self.lsu_free_at = self
            .lsu_free_at
            .max(behind.saturating_sub(self.store_queue_cycles));
    }

    /// Serves a fitness-case load where the L1 holds global lines: each line hits or is requested.
    fn cached_global(
        &mut self,
        op: &ReplayOp,
        offset: CaseOffset,
        counters: &mut Counters,
        observer: &mut impl Observer,
    ) -> Served {
        let access = op.global_access();
        let bytes = access.part_bytes;
        let mut ready_at = 0;
        for part in 0..access.parts {
            let at = op.address + part * bytes;
            let hit_at = self.lsu_free_at + u64::from(self.spec.device.l1.hit_latency_cycles);
            counters.l1_global_lines += 1;
            counters.l1_global_bytes += u64::from(bytes);
            let served_at = match self.look_up(at + offset.bytes, bytes, op.request, observer) {
                Lookup::Hit { ready_at } => {
                    counters.l1_global_hits += 1;
                    ready_at.max(hit_at)
                }
                Lookup::Miss { way, free_at, .. } => {
                    self.lsu_free_at = self.lsu_free_at.max(free_at);
                    let address = at + offset.l2_bytes;
                    let served = self.fill_l1(way, address, bytes, counters, observer);
                    served.ready_at
                }
            };
            ready_at = served_at.max(ready_at);
            self.occupy_unit(1);
        }
        Served::new(ready_at, Cause::Global)
    }

    #[inline]
    fn global(
        &mut self,
        op: &ReplayOp,
        offset: CaseOffset,
        counters: &mut Counters,
        observer: &mut impl Observer,
    ) -> Served {
        if self.spec.device.l1.caches_global_loads && op.request == MemoryRequest::GlobalLoad {
            return self.cached_global(op, offset, counters, observer);
        }
        let access = op.global_access();
        let address = op.address + offset.l2_bytes;
        let bytes = access.bytes();
        let ready_at = if op.request == MemoryRequest::GlobalStore {
            let now = self.lsu_free_at;
            self.send(now, now as f64, bytes);
            counters.l2_write_bytes += u64::from(bytes);
            self.occupy_unit(u64::from(op.lines) * op.share_of(self.store_cycles));
            if !self.spec.device.l2.is_present && op.address_kind == AddressKind::Segment {
                self.write_dram(address, bytes, now as f64, counters);
            }
            now
        } else {
            let served = self.read(address, bytes, self.lsu_free_at, counters);
            let cycles = cycles_at(self.spec.device.load_store.return_bytes_per_cycle, bytes);
            self.occupy_unit(cycles.max(u64::from(op.lines)));
            served.ready_at
        };
        Served::new(ready_at, Cause::Global)
    }

    /// Fetches a line into its way of the L1.
    #[inline]
    fn fill_l1(
        &mut self,
        way: u32,
        address: u32,
        bytes: u32,
        counters: &mut Counters,
        observer: &mut impl Observer,
    ) -> Served {
        let served = self.fill(address, bytes, counters);
        self.l1.fill_at(way, served.ready_at);
        observer.l1_filled(served.ready_at);
        served
    }

    /// Fetches a line as soon as an MSHR is free; later accesses are not delayed.
    #[inline]
    fn fill(&mut self, address: u32, bytes: u32, counters: &mut Counters) -> Served {
        let cycle = self.misses.admit(self.lsu_free_at);
        let mut served = self.read(address, bytes, cycle, counters);
        if cycle > self.lsu_free_at {
            served.mshr_cycles = (cycle - self.issued_at) as u32;
        }
        self.misses.track(served.ready_at);
        self.occupy_by_fill(bytes);
        served
    }

    /// Occupies the unit with a filled sector or line; sectors share cycles.
    #[inline]
    fn occupy_by_fill(&mut self, bytes: u32) {
        let filled = self.filled_bytes + bytes;
        if let Some(cycles) = filled.checked_div(self.spec.device.load_store.fill_bytes_per_cycle) {
            self.occupy_unit(u64::from(cycles));
            self.filled_bytes = filled % self.spec.device.load_store.fill_bytes_per_cycle;
        }
    }

    /// Writes a dirty L1 line to the L2; the whole line is written, so nothing is fetched.
    #[inline]
    fn write_back(&mut self, address: u32, counters: &mut Counters) {
        self.occupy_unit(self.store_cycles);
        self.write_l2(address, LINE_BYTES, counters);
    }
}
