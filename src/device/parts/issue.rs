//! Issue: warp schedulers, and how long an instruction waits for its operands.
//!
//! Models: the results that are waited for, and how long if the compiler does not know it to the cycle.
//! Leaves out: the waits themselves; what an instruction waits for is in `launch::code::ReplayOp`.

use super::pipes::N_CLASSES;
use super::{CYCLES, section};
use crate::device::Device;
use crate::device::ideal::Ideal;
use crate::device::ledger::Condition;
use crate::device::policy::{Dependencies, WarpPolicy};
use crate::device::table::ANY;
use crate::isa::OpClass;

section! {
    /// Warp schedulers and the rate of issue.
    issue: Issue {
        n_schedulers: u32, "schedulers", (1.0, 8.0), [Sim, Model];
        /// Assigns the first warps of blocks to the schedulers in turn, where they would otherwise all share one.
        first_warps_in_turn: bool = false, "yes/no", ANY, [Sim];
        /// Maximum number of independent instructions of one warp that a scheduler issues in one cycle.
        n_dispatch: u32, "instructions", (1.0, 2.0), [Sim, Model];
        warp_policy: WarpPolicy, "policy", ANY, [Sim, Model];
        dependencies: Dependencies, "policy", ANY, [Sim, Model];
        /// Cycles for which an instruction occupies its scheduler.
        interval_cycles: u32, "cycles", (1.0, 64.0), [Sim, Model];
        /// Issue slots that a branch occupies, taken or not.
        branch_issue_slots: u32, "slots", (1.0, 16.0), [Sim, Model];
        /// Instructions issued per cycle, over all schedulers.
        instructions_per_cycle: u32, "instructions/cycle/SMX", (1.0, 64.0), [Sim, Model];
        /// Banks of a warp's registers; one register of each can be read per cycle. 0: instructions never wait for operands.
        n_register_banks: u32 = 0, "banks", (0.0, 64.0), [Sim, Model];
        /// Charges an issue slot for every further 128-byte line of a memory instruction.
        replays_take_issue_slots: bool = false, "yes/no", ANY, [Sim, Model];
    }
}

section! {
    /// Latencies from issue to use of the result, other than memory.
    latency: Latency {
        alu_cycles: u32, "cycles", CYCLES, [Sim, Model] if ALL_RESULTS;
        sfu_cycles: u32, "cycles", CYCLES, [Sim, Model] if ALL_RESULTS;
        convert_cycles: u32, "cycles", CYCLES, [Sim, Model] if ALL_RESULTS;
        predicate_cycles: u32, "cycles", CYCLES, [Sim, Model] if ALL_RESULTS;
        special_register_cycles: u32, "cycles", CYCLES, [Sim, Model] if ALL_RESULTS;
        /// Cycles from a taken branch to the warp's next issue; 0 if the compiler's stall count covers it.
        taken_branch_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Cycles from a branch to an address in a register to the warp's next issue, its code in the first level of the instruction cache.
        indirect_branch_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Cycles from the arrival of a block's last warp at a barrier to the next issue of its warps.
        barrier_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Minimum wait for a load in the compiler's own schedule.
        load_pace_cycles: u32, "cycles", CYCLES, [Sim, Model] if BARRIERS;
    }
}

pub(super) const ALL_RESULTS: Condition = Condition {
    decided_by: &["issue.dependencies"],
    because: "issue.dependencies is registers",
    holds: |device| device.issue.dependencies != Dependencies::Registers,
};
const BARRIERS: Condition = Condition {
    decided_by: &["issue.dependencies"],
    because: "issue.dependencies is not barriers",
    holds: |device| device.issue.dependencies == Dependencies::Barriers,
};

/// Stall counts and waits at barriers are the engines' own.
pub(super) fn idealize(device: &mut Device) {
    let (issue, latency) = (&mut device.issue, &mut device.latency);
    if device.ideals.has(Ideal::FixedLatency) {
        latency.alu_cycles = 1;
        latency.sfu_cycles = 1;
        latency.convert_cycles = 1;
        latency.predicate_cycles = 1;
        latency.special_register_cycles = 1;
        latency.taken_branch_cycles = 0;
        latency.indirect_branch_cycles = 0;
        device.constant_cache.l1_latency_cycles = 1;
    }
    if device.ideals.has(Ideal::LoadStoreUnit) {
        issue.replays_take_issue_slots = false;
        latency.load_pace_cycles = 0;
    }
    if device.ideals.has(Ideal::IssueSlots) {
        // Each scheduler has half as many warps; pipes of a scheduler are as fast together as they were.
        issue.n_schedulers *= 2;
        issue.instructions_per_cycle *= 2;
    }
}

/// The way dependences are tracked.
#[derive(Debug, Clone, PartialEq)]
pub enum DependenceTracking {
    /// The hardware tracks the registers that loads from memory write; the compiler's stall counts cover all other results,
    /// loaded constants included.
    Registers,
    /// The hardware tracks all registers: cycles from issue to result, by `OpClass as usize`, for all but memory accesses. Stall
    /// counts of the code are ignored.
    AllRegisters([u32; N_CLASSES]),
    /// The compiler assigns barriers, six per warp.
    Barriers(BarrierTiming),
}

/// Release times of a warp's barriers.
#[derive(Debug, Clone, PartialEq)]
pub struct BarrierTiming {
    /// Cycles from issue to release of the write barrier, by `OpClass as usize`, for all but memory accesses.
    pub result_cycles: [u32; N_CLASSES],
    /// Cycles from issue to release of the read barrier, beyond the wait for the load/store unit.
    pub operand_cycles: u32,
}

impl DependenceTracking {
    /// Reads the tracking from the preset.
    pub fn new(device: &Device) -> Self {
        match device.issue.dependencies {
            Dependencies::Registers => DependenceTracking::Registers,
            Dependencies::AllRegisters => {
                DependenceTracking::AllRegisters(all_result_cycles(device))
            }
            Dependencies::Barriers => DependenceTracking::Barriers(BarrierTiming {
                result_cycles: all_result_cycles(device),
                operand_cycles: device.latency.load_pace_cycles,
            }),
        }
    }

    /// Returns the barriers' timing; `None` without barriers.
    pub fn barriers(&self) -> Option<&BarrierTiming> {
        match self {
            DependenceTracking::Barriers(timing) => Some(timing),
            _ => None,
        }
    }

    /// Returns the cycles from issue to result by `OpClass as usize`; `None` if arithmetic results are not waited for.
    pub fn result_cycles(&self) -> Option<&[u32; N_CLASSES]> {
        match self {
            DependenceTracking::Registers => None,
            DependenceTracking::AllRegisters(cycles) => Some(cycles),
            DependenceTracking::Barriers(timing) => Some(&timing.result_cycles),
        }
    }

    /// Whether the hardware alone says when an instruction may issue.
    pub fn ignores_stall_counts(&self) -> bool {
        matches!(self, DependenceTracking::AllRegisters(_))
    }
}

fn all_result_cycles(device: &Device) -> [u32; N_CLASSES] {
    OpClass::ALL.map(|class| result_cycles(device, class))
}

fn result_cycles(device: &Device, class: OpClass) -> u32 {
    let latency = &device.latency;
    match class {
        OpClass::Sfu => latency.sfu_cycles,
        OpClass::Convert | OpClass::Bitfield => latency.convert_cycles,
        OpClass::Compare => latency.predicate_cycles,
        OpClass::SpecialRegister => latency.special_register_cycles,
        OpClass::ConstantLoad => device.constant_cache.l1_latency_cycles,
        _ => latency.alu_cycles,
    }
}
