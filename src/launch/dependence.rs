//! Dependences: how long an instruction waits for its operands.
//!
//! Models: the results that are waited for, and how long if the compiler does not know it to the cycle.
//! Leaves out: the waits themselves; what an instruction waits for is in its [`super::code::ReplayOp`].
//! Units: cycles. Sources: the device preset.

use super::spec::N_CLASSES;
use crate::device::{Dependencies, Device};
use crate::isa::OpClass;

/// How dependences are tracked.
#[derive(Debug, Clone, PartialEq)]
pub enum DependenceTracking {
    /// The hardware tracks the registers that loads from memory write; all other results, loaded constants too, are there
    /// when the compiler's stall counts say.
    Registers,
    /// The hardware tracks all registers: issue to result, by `OpClass as usize`, for what is not memory. Stall counts of the
    /// code say nothing.
    AllRegisters([u32; N_CLASSES]),
    /// Barriers that the compiler names: six per warp.
    Barriers(BarrierTiming),
}

/// When the barriers of a warp are released.
#[derive(Debug, Clone, PartialEq)]
pub struct BarrierTiming {
    /// Issue to release of the write barrier, by `OpClass as usize`, for what is not memory.
    pub result_cycles: [u32; N_CLASSES],
    /// Issue to release of the read barrier, beyond the wait for the load/store unit.
    pub operand_cycles: u32,
}

impl DependenceTracking {
    /// As the preset says.
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

    /// The barriers' timing, where there are barriers.
    pub fn barriers(&self) -> Option<&BarrierTiming> {
        match self {
            DependenceTracking::Barriers(timing) => Some(timing),
            _ => None,
        }
    }

    /// Issue to result by `OpClass as usize`, where results of arithmetic are waited for.
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
