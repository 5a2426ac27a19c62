//! The multiprocessor as plain numbers, read by the simulator and the analytical model.
//!
//! Models: one value per mechanism, already resolved for one kernel and one L1/shared split.
//! Leaves out: where a value comes from; that is in the device preset (`fixtures/devices/`).
//! Units: core clock cycles and bytes, in the names.
//! Sources: the preset, see [`SmxSpec::new`].

use super::code::ReplayOp;
use super::geometry::Geometry;
pub use crate::device::cache::{BitFlips, CacheSpec, RowSpec, SetIndex, XorBits};
use crate::device::ideal::Ideal;
pub use crate::device::parts::code::{CODE_WAYS, CodeLayout, CodeSpec};
pub use crate::device::parts::dram::DramSpec;
pub use crate::device::parts::issue::{BarrierTiming, DependenceTracking};
use crate::device::parts::l2::Ports;
pub use crate::device::parts::pipes::{IssueLimit, N_CLASSES, PipeTable, WAIT_UNITS};
use crate::device::parts::{l1, l2, pipes};
pub use crate::device::{Arbitration, Device, Pipe, Replacement, WarpPolicy};
use crate::util::refused::Refused;

/// The multiprocessor, resolved for one L1/shared split.
#[derive(Debug, Clone, PartialEq)]
pub struct SmxSpec {
    /// The preset with its idealized parts changed. What is derived from it below does not follow later changes.
    pub device: Device,
    /// Warp instructions per cycle over all full-rate classes together.
    pub alu_warps_per_cycle: u8,
    /// The pipe of every class.
    pub limits: PipeTable,
    /// Further issue slots of a full-rate instruction by its number of different source registers, in [`WAIT_UNITS`]ths:
    /// the mean wait for operands of one bank.
    pub operand_wait: [u8; 4],
    /// Cycles that a barrier takes for each arriving warp of the multiprocessor.
    pub barrier_warp_cycles: u32,
    /// Mechanism by which results are waited for before an instruction issues.
    pub dependences: DependenceTracking,
    /// Idealization of fixed latencies: the longest stall count; longer ones are cut.
    pub longest_stall_cycles: u8,
    pub l1: CacheSpec,
    /// One multiprocessor's share of the L2.
    pub l2: CacheSpec,
    /// Data read from global memory is in the L2 from the start: an earlier launch read it, or the host has just put it there.
    pub l2_holds_data: bool,
    /// Ports through which all multiprocessors send to the L2.
    pub l2_ports: Ports,
    /// One multiprocessor's share of its port to the L2 where all of the port are at work; infinite if unlimited.
    pub l2_accepts_bytes_per_cycle: f32,
    /// One multiprocessor's share of the DRAM.
    pub dram: DramSpec,
    pub code: CodeSpec,
}

/// Largest number of schedulers in a preset.
const MAX_PRESET_SCHEDULERS: usize = 8;
/// Largest number of schedulers that the simulator has room for: idealized issue slots are twice the schedulers.
pub const MAX_SCHEDULERS: usize = 2 * MAX_PRESET_SCHEDULERS;
/// Largest number of warps of a multiprocessor.
pub const MAX_WARPS: usize = 64;

impl SmxSpec {
    /// The multiprocessor of `device` with `l1_bytes` of its on-chip memory as L1.
    pub fn new(device: &Device, l1_bytes: u32) -> Result<Self, Refused> {
        let within = |refused: Refused| refused.within(format_args!("device {}", device.name));
        device.check().map_err(within)?;
        check_schedulers(device)?;
        let device = device.idealized();
        let n_smx = device.chip.n_smx;
        let ports = Ports::of_l2(&device);
        Ok(SmxSpec {
            alu_warps_per_cycle: pipes::alu_warps_per_cycle(&device),
            limits: pipes::table(&device),
            operand_wait: pipes::operand_wait(device.issue.n_register_banks),
            barrier_warp_cycles: (pipes::LANES / device.throughput.barrier_lanes_per_cycle).round()
                as u32,
            dependences: DependenceTracking::new(&device),
            longest_stall_cycles: match device.ideals.has(Ideal::FixedLatency) {
                true => 1,
                false => u8::MAX,
            },
            l1: l1::resolved(&device, l1_bytes)?,
            l2: l2::share(&device, n_smx),
            l2_holds_data: false,
            l2_ports: ports,
            l2_accepts_bytes_per_cycle: ports.least_share(n_smx),
            dram: DramSpec::share(&device, n_smx),
            code: CodeSpec::new(&device),
            device,
        })
    }

    pub fn n_schedulers(&self) -> usize {
        self.device.issue.n_schedulers as usize
    }

    /// Returns the cycles added to the L2 latency when the line comes from DRAM.
    pub fn dram_extra_cycles(&self) -> u32 {
        let Device { l2, dram, .. } = &self.device;
        dram.latency_cycles.saturating_sub(l2.hit_latency_cycles)
    }

    /// Returns the load/store unit's cycles per line moved into or out of the L1.
    pub fn store_cycles_per_line(&self) -> u32 {
        let Device { l1, load_store, .. } = &self.device;
        l1.line_bytes.div_ceil(load_store.store_bytes_per_cycle)
    }

    /// Returns the wait at a barrier of a block whose warps all arrive at once.
    pub fn barrier_wait_cycles(&self, warps_per_block: u32) -> u32 {
        match self.device.ideals.has(Ideal::Barriers) {
            true => 0,
            false => {
                self.device.latency.barrier_cycles + self.barrier_warp_cycles * warps_per_block
            }
        }
    }

    /// Returns the latency of the first level of the instruction cache after a jump: 0 if schedulers have no lines of their own.
    #[inline]
    pub fn near_jump_cycles(&self) -> u32 {
        match self.device.instruction_cache.l0_bytes {
            0 => 0,
            _ => self.device.instruction_cache.l1_latency_cycles,
        }
    }

    /// Returns the cycles from a taken branch to the next issue, with code in the first level of the instruction cache, and those
    /// until the target is known and fetched.
    #[inline]
    pub fn taken_branch(&self, op: &ReplayOp) -> (u32, u32) {
        match op.indirect {
            true => {
                let cycles = self.device.latency.indirect_branch_cycles;
                (cycles, cycles.saturating_sub(self.near_jump_cycles()))
            }
            false => (self.device.latency.taken_branch_cycles, 0),
        }
    }

    /// Returns the numbers in a launch: with fewer blocks than multiprocessors, fewer share a port to the L2 and the second level of code.
    pub fn at_work(mut self, geometry: &Geometry) -> Self {
        let at_work = geometry.blocks().clamp(1, geometry.n_smx);
        self.l2_accepts_bytes_per_cycle = self.l2_ports.least_share(at_work);
        for cycles in [
            &mut self.code.l15_cycles_per_line,
            &mut self.code.burst_cycles,
        ] {
            *cycles = (*cycles * at_work).div_ceil(geometry.n_smx);
        }
        self
    }

    /// Returns the bytes that a multiprocessor can send to the L2 per cycle while the others do the same.
    pub fn l2_write_limit(&self) -> f32 {
        (self.device.l2.write_bytes_per_cycle as f32).min(self.l2_accepts_bytes_per_cycle)
    }

    /// Returns the multiprocessor while the others send nothing; `None` if it can send no more then.
    pub fn uncontended(&self) -> Option<Self> {
        let limited = self.l2_accepts_bytes_per_cycle < self.device.l2.write_bytes_per_cycle as f32;
        limited.then(|| SmxSpec {
            l2_accepts_bytes_per_cycle: f32::INFINITY,
            ..self.clone()
        })
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::ideal::Ideals;
    use crate::device::{Dependencies, Preset};
    use crate::isa::OpClass;
    use crate::launch::testing;

    fn without(ideal: Ideal, change: impl FnOnce(&mut Device)) -> SmxSpec {
        let mut device = testing::spec().device.without(Ideals::of(&[ideal]));
        change(&mut device);
        SmxSpec::new(&device, 16 * 1024).unwrap()
    }

    #[test]
    fn a_free_part_costs_nothing_and_the_others_what_they_did() {
        let known = testing::spec().device;
        let on_chip = without(Ideal::OnChipLatency, |_| {}).device;
        assert_eq!(
            (on_chip.l1.hit_latency_cycles, on_chip.shared.latency_cycles),
            (1, 1)
        );
        assert_eq!(on_chip.l2, known.l2);
        let memory = without(Ideal::MemoryLatency, |_| {});
        assert_eq!(
            (
                memory.device.l2.hit_latency_cycles,
                memory.dram_extra_cycles()
            ),
            (35, 0)
        );
        assert_eq!(memory.device.l1, known.l1);
        let fetch = without(Ideal::InstructionFetch, |device| {
            device.instruction_cache.prefetches = true
        });
        assert_eq!(
            (fetch.near_jump_cycles(), fetch.code.next_line_cycles),
            (0, [0; 2])
        );
        let slow = |device: &mut Device| {
            device.chip.grid_cycles = 900;
            device.dram.queue_requests = 5;
            device.dram.activation_interval_ns = 3.0;
        };
        assert_eq!(without(Ideal::GridEnds, slow).device.chip.grid_cycles, 0);
        let wide = without(Ideal::MemoryBandwidth, slow);
        assert_eq!(
            (
                wide.dram.bytes_per_cycle,
                wide.dram.queue_requests,
                wide.dram.activation_cycles
            ),
            (1e9, 0, 0.0)
        );
        assert_eq!(
            (wide.l2_write_limit(), wide.device.chip.grid_cycles),
            (1e9, 900)
        );
        let pipes = without(Ideal::Pipes, |_| {});
        assert_eq!(
            (pipes.limits, pipes.alu_warps_per_cycle),
            ([IssueLimit::Free; N_CLASSES], u8::MAX)
        );
    }

    #[test]
    fn results_without_a_latency_are_there_in_a_cycle_however_they_are_awaited() {
        for (dependencies, expected) in [
            (Dependencies::Registers, None),
            (Dependencies::AllRegisters, Some(&[1; N_CLASSES])),
            (Dependencies::Barriers, Some(&[1; N_CLASSES])),
        ] {
            let fixed = without(Ideal::FixedLatency, |device| {
                device.issue.dependencies = dependencies
            });
            assert_eq!(fixed.dependences.result_cycles(), expected);
            assert_eq!(fixed.longest_stall_cycles, 1);
        }
        let unit = without(Ideal::LoadStoreUnit, |device| {
            device.issue.dependencies = Dependencies::Barriers
        });
        let operand_cycles = unit
            .dependences
            .barriers()
            .map(|timing| timing.operand_cycles);
        assert_eq!(operand_cycles, Some(0));
    }

    /// Twice the schedulers, each of whose pipes is half as fast.
    #[test]
    fn issue_slots_double_and_pipes_do_not() {
        let (known, slots) = (testing::spec(), without(Ideal::IssueSlots, |_| {}));
        assert_eq!([known.n_schedulers(), slots.n_schedulers()], [4, 8]);
        let interval = |spec: &SmxSpec| spec.limits[OpClass::Sfu as usize];
        let special = |cycles| IssueLimit::Interval(Pipe::Special, cycles);
        assert_eq!([interval(&known), interval(&slots)], [4, 8].map(special));
    }

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
}
