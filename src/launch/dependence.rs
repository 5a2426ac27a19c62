//! Dependences: how long an instruction waits for its operands.
//!
//! Models: the results that are waited for, and how long if the compiler does not know it to the cycle.
//! Leaves out: the waits themselves; what an instruction waits for is in its [`super::code::ReplayOp`].
//! Units: cycles. Sources: the device preset.

use super::spec::N_CLASSES;
use crate::device::{Dependencies, Device};
use crate::isa::OpClass;

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
