//! The multiprocessor as plain numbers, read by the simulator and the analytical model.
//!
//! Models: one value per mechanism, already resolved for one kernel and one L1/shared split.
//! Leaves out: where a value comes from; that is in the device preset (`fixtures/devices/`).
//! Units: core clock cycles and bytes, in the names.
//! Sources: the preset, see [`SmxSpec::new`].

pub use super::cache::{BitFlips, CacheSpec, Replacement, RowSpec, SetIndex, XorBits};
use super::code::ReplayOp;
pub use super::code_layout::CodeLayout;
pub use super::dependence::{BarrierTiming, DependenceTracking};
pub use super::dram::DramSpec;
use super::geometry::Geometry;
use super::pipes::{self, LANES};
pub use super::pipes::{IssueLimit, PipeTable};
use super::ports::Ports;
use crate::device::{self, Device};
pub use crate::device::{Arbitration, CODE_WAYS, Pipe, WarpPolicy};
use crate::isa::OpClass;
use crate::util::refused::Refused;

/// The multiprocessor, resolved for one L1/shared split.
#[derive(Debug, Clone, PartialEq)]
pub struct SmxSpec {
    pub n_schedulers: usize,
    /// First warps of blocks go to all schedulers in turn.
    pub first_warps_in_turn: bool,
    pub max_warps: usize,
    /// See `device::Chip`.
    pub grid_cycles: u32,
    pub block_cycles: u32,
    pub block_interval_cycles: f64,
    pub dispatches_per_scheduler: u32,
    pub warp_policy: WarpPolicy,
    /// Cycles that an issue takes of its scheduler.
    pub issue_interval_cycles: u32,
    /// Warp instructions issued per cycle over all schedulers.
    pub issued_per_cycle: u8,
    /// Warp instructions per cycle over all full-rate classes together.
    pub alu_warps_per_cycle: u8,
    /// The pipe of every class.
    pub limits: PipeTable,
    /// Order in which the shared units serve the schedulers.
    pub arbitration: Arbitration,
    pub shared_latency_cycles: u32,
    /// Cycles of the load/store unit that an access to shared memory takes.
    pub shared_access_cycles: u32,
    pub l1_latency_cycles: u32,
    pub l2_latency_cycles: u32,
    /// Cycles added to the L2 latency when the line comes from DRAM.
    pub dram_extra_cycles: u32,
    /// Lines per cycle through the load/store unit is one; this many cycles of work may queue before
    /// further memory instructions are held at issue.
    pub lsu_queue_cycles: u32,
    /// Load/store unit cycles per line moved into or out of the L1.
    pub store_cycles_per_line: u32,
    /// Bytes per cycle from the L2 that pass the load/store unit; 0 if they have a path of their own.
    pub return_bytes_per_cycle: u32,
    /// Bytes per cycle at which the L1 is filled, in the unit's time; 0 if fills take none.
    pub fill_bytes_per_cycle: u32,
    /// Further issue slots of a full-rate instruction by its number of different source registers, in [`WAIT_UNITS`]ths:
    /// the mean wait for operands of one bank.
    pub operand_wait: [u8; 4],
    /// Every 128-byte line after the first of one access takes an issue slot (a replay).
    pub replays_take_issue_slots: bool,
    /// Issue slots that a branch, taken or not, occupies.
    pub branch_issue_slots: u32,
    /// Least number of cycles from a taken branch to the warp's next issue.
    pub taken_branch_cycles: u32,
    /// Least number of cycles from a branch to an address in a register to the warp's next issue.
    pub indirect_branch_cycles: u32,
    /// Cycles that a barrier takes for each arriving warp of the multiprocessor, and from the last one of a block to its next issue.
    pub barrier_warp_cycles: u32,
    pub barrier_cycles: u32,
    /// No warp waits at a barrier.
    pub barriers_are_free: bool,
    /// Placement of instructions in the code.
    pub code_layout: CodeLayout,
    /// Mechanism by which results are waited for before an instruction issues.
    pub dependences: DependenceTracking,
    /// Global loads that one warp may have in flight to the L2.
    pub global_loads_in_flight_per_warp: usize,
    pub uncoalesced_cycles: u32,
    pub l1: CacheSpec,
    /// L1 misses that may be in flight from the L2 at once.
    pub l1_misses_in_flight: u32,
    /// A store that misses fetches the line from L2 first.
    pub l1_fetch_on_write_miss: bool,
    /// One multiprocessor's share of the L2.
    pub l2: CacheSpec,
    pub l2_read_bytes_per_cycle: f32,
    pub l2_write_bytes_per_cycle: f32,
    /// One multiprocessor's share of its port to the L2 where all of the port are at work; infinite if unlimited.
    pub l2_accepts_bytes_per_cycle: f32,
    /// One multiprocessor's share of the DRAM.
    pub dram: DramSpec,
    /// Ports through which all multiprocessors send to the L2.
    pub l2_ports: Ports,
    /// First-level instruction caches.
    pub n_icaches: usize,
    /// Bytes of code that a scheduler has itself, and that the first-level and second-level instruction caches hold.
    pub icache_l0_bytes: u32,
    pub icache_l1_bytes: u32,
    pub icache_l15_bytes: u32,
    pub icache_line_bytes: u32,
    pub icache_l1_latency_cycles: u32,
    /// Issue slots that a fetched line costs a scheduler, in [`WAIT_UNITS`]ths.
    pub icache_l0_line_slots: u8,
    pub icache_l15_latency_cycles: u32,
    pub icache_l2_latency_cycles: u32,
    /// Lines that the first-level instruction cache requests ahead of one that it lacks.
    pub icache_prefetch_lines: u32,
    /// Most lines in flight to it; 0 without a limit.
    pub icache_lines_in_flight: u32,
    /// Cycles between lines from the second-level instruction cache while all multiprocessors that share it demand as much; 0
    /// without a limit.
    pub icache_l15_cycles_per_line: u32,
    /// Cycles by which a multiprocessor may run ahead of its share of it.
    pub icache_burst_cycles: u32,
    /// Delay of the line that follows the one that ran last, from the second-level cache and from the L2.
    pub icache_next_line_cycles: [u32; 2],
    /// Local memory is looked up in the L1.
    pub l1_caches_local: bool,
    /// Lines that are not in the L1 are looked up in an L2.
    pub has_l2: bool,
    /// Data read from global memory is in the L2 from the start: an earlier launch read it, or the host has just put it there.
    pub l2_holds_data: bool,
    /// Global loads are looked up in the L1, too.
    pub l1_caches_global_loads: bool,
    /// Every store goes on to the L2.
    pub l1_write_through: bool,
    /// Stored lines that may wait for the write port before the unit stops.
    pub store_queue_lines: u32,
    /// Bytes of the write port that the request for a line takes.
    pub l2_request_bytes: u32,
    /// Idealization (see [`crate::device::ideal`]): every access of the L1 hits.
    pub l1_always_hits: bool,
    /// Idealization: accesses take no time of the load/store unit.
    pub unit_is_unlimited: bool,
    /// Idealization: the longest stall count; longer ones are cut.
    pub longest_stall_cycles: u8,
}

/// Largest number of schedulers in a preset.
const MAX_PRESET_SCHEDULERS: usize = 8;
/// Largest number of schedulers that the simulator has room for: idealized issue slots are twice the schedulers.
pub const MAX_SCHEDULERS: usize = 2 * MAX_PRESET_SCHEDULERS;
/// Largest number of warps of a multiprocessor.
pub const MAX_WARPS: usize = 64;

/// Number of instruction classes.
pub const N_CLASSES: usize = OpClass::ALL.len();

impl SmxSpec {
    /// The multiprocessor of `device` with `l1_bytes` of its on-chip memory as L1.
    pub fn new(device: &Device, l1_bytes: u32) -> Result<Self, Refused> {
        let within = |refused: Refused| refused.within(format_args!("device {}", device.name));
        device.check().map_err(within)?;
        check_schedulers(device)?;
        Ok(SmxSpec {
            n_schedulers: device.issue.n_schedulers as usize,
            first_warps_in_turn: device.issue.first_warps_in_turn,
            max_warps: device.limits.warps_per_smx as usize,
            grid_cycles: device.chip.grid_cycles,
            block_cycles: device.chip.block_cycles,
            block_interval_cycles: device.chip.block_interval_cycles,
            dispatches_per_scheduler: device.issue.n_dispatch,
            warp_policy: device.issue.warp_policy,
            issue_interval_cycles: device.issue.interval_cycles,
            issued_per_cycle: device.issue.instructions_per_cycle as u8,
            alu_warps_per_cycle: alu_warps_per_cycle(device),
            limits: pipes::table(device),
            arbitration: device.load_store.arbitration,
            uncoalesced_cycles: device.load_store.uncoalesced_cycles,
            shared_latency_cycles: device.shared.latency_cycles,
            shared_access_cycles: device.shared.access_cycles,
            l1_latency_cycles: device.l1.hit_latency_cycles,
            l2_latency_cycles: device.l2.hit_latency_cycles,
            dram_extra_cycles: device
                .dram
                .latency_cycles
                .saturating_sub(device.l2.hit_latency_cycles),
            lsu_queue_cycles: device.load_store.queue_cycles,
            store_cycles_per_line: device
                .l1
                .line_bytes
                .div_ceil(device.load_store.store_bytes_per_cycle),
            return_bytes_per_cycle: device.load_store.return_bytes_per_cycle,
            fill_bytes_per_cycle: device.load_store.fill_bytes_per_cycle,
            operand_wait: operand_wait(device.issue.n_register_banks),
            replays_take_issue_slots: device.issue.replays_take_issue_slots,
            branch_issue_slots: device.issue.branch_issue_slots,
            taken_branch_cycles: device.latency.taken_branch_cycles,
            indirect_branch_cycles: device.latency.indirect_branch_cycles,
            barrier_warp_cycles: (LANES / device.throughput.barrier_lanes_per_cycle).round() as u32,
            barrier_cycles: device.latency.barrier_cycles,
            barriers_are_free: false,
            code_layout: CodeLayout::new(&device.instruction_cache),
            dependences: DependenceTracking::new(device),
            global_loads_in_flight_per_warp: device.load_store.global_loads_in_flight_per_warp
                as usize,
            l1: l1_spec(device, l1_bytes)?,
            l1_misses_in_flight: device.load_store.l1_misses_in_flight,
            l1_fetch_on_write_miss: device.l1.fetch_on_write_miss,
            l2: l2_share(device, device.chip.n_smx),
            l2_read_bytes_per_cycle: device.l2_port_bytes_per_cycle() as f32,
            l2_write_bytes_per_cycle: device.l2.write_bytes_per_cycle as f32,
            l2_accepts_bytes_per_cycle: l2_ports(device).least_share(device.chip.n_smx),
            dram: dram_share(device, device.chip.n_smx),
            l2_ports: l2_ports(device),
            n_icaches: device.instruction_cache.n_l1 as usize,
            icache_l0_bytes: device.instruction_cache.l0_bytes,
            icache_l1_bytes: device.instruction_cache.l1_bytes,
            icache_l15_bytes: device.instruction_cache.l15_bytes,
            icache_line_bytes: device.instruction_cache.line_bytes,
            icache_l0_line_slots: (device.instruction_cache.l0_line_slots * f64::from(WAIT_UNITS))
                .round() as u8,
            icache_l1_latency_cycles: device.instruction_cache.l1_latency_cycles,
            icache_l15_latency_cycles: device.instruction_cache.l15_latency_cycles,
            icache_prefetch_lines: device.instruction_cache.prefetch_lines,
            icache_lines_in_flight: device.instruction_cache.lines_in_flight,
            icache_l15_cycles_per_line: fetch_share(device),
            icache_burst_cycles: fetch_share(device)
                * device.chip.n_smx.div_ceil(device.instruction_cache.n_l15),
            icache_l2_latency_cycles: device.instruction_cache.l2_latency_cycles,
            icache_next_line_cycles: next_line_cycles(&device.instruction_cache),
            l1_caches_local: device.l1.caches_local,
            has_l2: device.l2.is_present,
            l2_holds_data: false,
            l1_caches_global_loads: device.l1.caches_global_loads,
            l1_write_through: !device.l1.write_back,
            store_queue_lines: device.load_store.store_queue_lines,
            l2_request_bytes: device.l2.request_bytes,
            l1_always_hits: false,
            unit_is_unlimited: false,
            longest_stall_cycles: u8::MAX,
        }
        .without(device.ideals))
    }

    /// Returns the wait at a barrier of a block whose warps all arrive at once.
    pub fn barrier_wait_cycles(&self, warps_per_block: u32) -> u32 {
        match self.barriers_are_free {
            true => 0,
            false => self.barrier_cycles + self.barrier_warp_cycles * warps_per_block,
        }
    }

    /// Returns the latency of the first level of the instruction cache after a jump: 0 if schedulers have no lines of their own.
    #[inline]
    pub fn near_jump_cycles(&self) -> u32 {
        match self.icache_l0_bytes {
            0 => 0,
            _ => self.icache_l1_latency_cycles,
        }
    }

    /// Returns the cycles from a taken branch to the next issue, with code in the first level of the instruction cache, and those
    /// until the target is known and fetched.
    #[inline]
    pub fn taken_branch(&self, op: &ReplayOp) -> (u32, u32) {
        match op.indirect {
            true => {
                let cycles = self.indirect_branch_cycles;
                (cycles, cycles.saturating_sub(self.near_jump_cycles()))
            }
            false => (self.taken_branch_cycles, 0),
        }
    }

    /// Returns the numbers in a launch: with fewer blocks than multiprocessors, fewer share a port to the L2 and the second level of code.
    pub fn at_work(mut self, geometry: &Geometry) -> Self {
        let at_work = geometry.blocks().clamp(1, geometry.n_smx);
        self.l2_accepts_bytes_per_cycle = self.l2_ports.least_share(at_work);
        for cycles in [
            &mut self.icache_l15_cycles_per_line,
            &mut self.icache_burst_cycles,
        ] {
            *cycles = (*cycles * at_work).div_ceil(geometry.n_smx);
        }
        self
    }

    /// Returns the bytes that a multiprocessor can send to the L2 per cycle while the others do the same.
    pub fn l2_write_limit(&self) -> f32 {
        self.l2_write_bytes_per_cycle
            .min(self.l2_accepts_bytes_per_cycle)
    }

    /// Returns the multiprocessor while the others send nothing; `None` if it can send no more then.
    pub fn uncontended(&self) -> Option<Self> {
        (self.l2_accepts_bytes_per_cycle < self.l2_write_bytes_per_cycle).then(|| SmxSpec {
            l2_accepts_bytes_per_cycle: f32::INFINITY,
            ..self.clone()
        })
    }
}

/// Units per issue slot.
pub const WAIT_UNITS: u8 = 16;

/// Issue slots lost to operand bank conflicts, with registers at random in `n_banks`: a bank that holds `n` operands is read `n` times.
fn operand_wait(n_banks: u32) -> [u8; 4] {
    if n_banks == 0 {
        return [0; 4];
    }
    let banks = f64::from(n_banks);
    // Two operands meet with 1/n; of three, two meet with 3 (n-1)/n^2 and all with 1/n^2.
    let two = 1.0 / banks;
    let three = (3.0 * (banks - 1.0) + 2.0) / (banks * banks);
    [0.0, 0.0, two, three].map(|slots| (slots * f64::from(WAIT_UNITS)).round() as u8)
}

fn check_schedulers(device: &Device) -> Result<(), Refused> {
    let value = |what, given: u32, allowed| {
        Refused::new(format_args!("{what} of {}", device.name), given, allowed)
    };
    let (n, warps) = (device.issue.n_schedulers, device.limits.warps_per_smx);
    if n as usize > MAX_PRESET_SCHEDULERS {
        return Err(value("schedulers", n, "at most 8"));
    }
    if warps > n * (MAX_WARPS as u32 / n.next_power_of_two()) {
        let allowed = "at most 64 on one scheduler, 32 on each of two, 16 on each of three or four, 8 on each of more";
        return Err(value("resident warps", warps, allowed));
    }
    Ok(())
}

/// Returns the cycles between lines of a multiprocessor from the second-level instruction cache while all demand as much; 0 without a limit.
fn fetch_share(device: &Device) -> u32 {
    let code = &device.instruction_cache;
    match code.l15_bytes_per_cycle {
        0 => 0,
        rate => (code.line_bytes * device.chip.n_smx).div_ceil(rate * code.n_l15),
    }
}

/// Returns the additional cycles of a line of straight code from each farther level, from the pace of one warp that runs such code.
fn next_line_cycles(cache: &device::InstructionCache) -> [u32; 2] {
    let jumps = [cache.l15_latency_cycles, cache.l2_latency_cycles];
    let [near, levels @ ..] = cache.cycles_per_instruction.as_slice() else {
        return jumps;
    };
    let groups = cache.line_bytes / cache.group_bytes.max(1);
    let instructions = f64::from(groups * cache.instructions_per_group);
    let mut levels = levels.iter();
    jumps.map(|jump| match levels.next() {
        Some(pace) if cache.prefetches => ((pace - near) * instructions).round() as u32,
        _ => jump,
    })
}

fn l1_spec(device: &Device, l1_bytes: u32) -> Result<CacheSpec, Refused> {
    let geometry = device.l1_geometry(l1_bytes).ok_or_else(|| {
        let sizes = device.l1.geometry.iter().map(|g| g.bytes.to_string());
        let allowed = sizes.collect::<Vec<_>>().join(", ");
        let place = format_args!("L1 bytes of {}", device.name);
        Refused::new(place, l1_bytes, allowed)
    })?;
    Ok(CacheSpec {
        sets: geometry.n_sets,
        ways: geometry.n_ways,
        reserved_ways: device.l1.reserved_ways,
        line_bytes: device.l1.line_bytes,
        sector_bytes: device.l1.sector_bytes.min(device.l1.line_bytes),
        replacement: device.l1.replacement,
        index: SetIndex::of_l1(device, geometry.n_sets)?,
        fills_hold_lines: device.l1.fills_hold_lines,
        rows: RowSpec::of_l1(device)?,
    })
}

/// The share of one of `n_smx` multiprocessors of the L2, with whole sets.
fn l2_share(device: &Device, n_smx: u32) -> CacheSpec {
    let usable_bytes = f64::from(device.l2.bytes) * device.l2.usable_fraction;
    let share_bytes = usable_bytes as u32 / n_smx;
    CacheSpec {
        sets: (share_bytes / (device.l2.line_bytes * device.l2.n_ways)).max(1),
        ways: device.l2.n_ways,
        reserved_ways: 0,
        line_bytes: device.l2.line_bytes,
        sector_bytes: device.l2.line_bytes,
        replacement: device.l2.replacement,
        index: SetIndex::Spread,
        fills_hold_lines: false,
        rows: None,
    }
}

/// The share of one of `n_smx` multiprocessors of the DRAM: its part of the bandwidth, of the activations, of the open rows and of the
/// controllers' queues.
fn dram_share(device: &Device, n_smx: u32) -> DramSpec {
    let dram = &device.dram;
    let activations_per_cycle =
        f64::from(dram.n_partitions) / (dram.activation_interval_ns * device.chip.clock_mhz / 1e3);
    DramSpec {
        bytes_per_cycle: (device.dram_bytes_per_cycle() / f64::from(n_smx)) as f32,
        activation_cycles: (f64::from(n_smx) / activations_per_cycle) as f32,
        interleave_bytes: dram.interleave_bytes,
        n_partitions: dram.n_partitions,
        page_bytes: dram.page_bytes,
        open_pages: dram.n_partitions * dram.n_banks / n_smx,
        queue_requests: (dram.n_partitions * dram.queue_requests).div_ceil(n_smx),
    }
}

/// Returns the ports through which the L2 ingests the bytes of all multiprocessors.
fn l2_ports(device: &Device) -> Ports {
    let chip = &device.chip;
    let all = match device.l2.ingest_bytes_per_cycle {
        0.0 => f32::INFINITY,
        rate => rate as f32,
    };
    Ports::new(device.l2.n_ports, chip.n_smx, chip.smx_per_tpc, all)
}

/// Warp instructions that the arithmetic units take in a cycle, all of them together.
fn alu_warps_per_cycle(device: &Device) -> u8 {
    let lanes = device.throughput.fp32_lanes_per_cycle / LANES;
    lanes.min(f64::from(u8::MAX)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    /// The allowed range of a field ends with the simulator's tables.
    #[test]
    fn a_preset_may_have_what_there_is_room_for() {
        let preset = Preset::load("gtx670").unwrap();
        let most = |key: &str| {
            let entry = preset.entries.iter().find(|entry| entry.key() == key);
            entry.unwrap().allowed.1
        };
        assert_eq!(most("issue.n_schedulers"), MAX_PRESET_SCHEDULERS as f64);
        assert_eq!(most("limits.warps_per_smx"), MAX_WARPS as f64);
        let last = most("l1.index_hash_bits") as u32;
        assert!(XorBits::new(&[last], 128).is_some());
        assert!(XorBits::new(&[last + 1], 128).is_none());
    }

    /// 32 lanes a warp.
    #[test]
    fn lanes_limit_the_arithmetic() {
        let mut device = Preset::load("gtx670").unwrap().device;
        let mut warps = |lanes: f64| {
            device.throughput.fp32_lanes_per_cycle = lanes;
            alu_warps_per_cycle(&device)
        };
        assert_eq!([64.0, 128.0, 192.0, 256.0].map(&mut warps), [2, 4, 6, 8]);
    }

    /// A chip of round numbers: four multiprocessors share 1 MiB of L2, of which half is used, and 64 GB a second at 1 GHz.
    #[test]
    fn a_multiprocessor_has_its_part_of_what_all_share() {
        let mut device = Preset::load("gtx670").unwrap().device;
        device.chip.n_smx = 4;
        device.chip.clock_mhz = 1000.0;
        (device.l2.bytes, device.l2.usable_fraction) = (1 << 20, 0.5);
        (device.l2.n_ways, device.l2.line_bytes) = (16, 128);
        (device.dram.bandwidth_gb_per_s, device.dram.efficiency) = (64.0, 0.5);
        (device.dram.n_partitions, device.dram.n_banks) = (4, 8);
        (
            device.dram.queue_requests,
            device.dram.activation_interval_ns,
        ) = (6, 5.0);
        let l2 = l2_share(&device, 4);
        assert_eq!((l2.sets, l2.ways, l2.reserved_ways), (64, 16, 0));
        assert_eq!(l2_share(&device, 1).sets, 256);
        let dram = dram_share(&device, 4);
        assert_eq!(dram.bytes_per_cycle, 8.0);
        // Each of the partitions opens a page every five cycles; a quarter of them is this multiprocessor's.
        assert_eq!(dram.activation_cycles, 5.0);
        assert_eq!((dram.open_pages, dram.queue_requests), (8, 6));
        let whole = dram_share(&device, 1);
        assert_eq!(
            (whole.bytes_per_cycle, whole.activation_cycles),
            (32.0, 1.25)
        );
        assert_eq!((whole.open_pages, whole.queue_requests), (32, 24));
    }
}
