//! What keeps an instruction from issuing before its operands are there.
//!
//! What it holds: which results are waited for, and for how long where the compiler does not know it to the cycle.
//! What it leaves out: the waits themselves; what an instruction waits for is in its [`super::code::ReplayOp`].
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
            Dependencies::Barriers => DependenceTracking::Barriers(BarrierTiming {
                result_cycles: OpClass::ALL.map(|class| result_cycles(device, class)),
                operand_cycles: device.latency.load_pace_cycles,
            }),
        }
    }

    /// The barriers' timing, where there are barriers.
    pub fn barriers(&self) -> Option<&BarrierTiming> {
        match self {
            DependenceTracking::Registers => None,
            DependenceTracking::Barriers(timing) => Some(timing),
        }
    }
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
