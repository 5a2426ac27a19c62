//! What a multiprocessor with compiler-set scoreboards (Volta and later) needs besides Kepler's numbers.
//!
//! What it holds: the latencies of instructions that the compiler does not know to the cycle, the pipes that
//! classes share, the taken branch, the unified L1's policies.
//! What it leaves out: operand reuse and register banks. Units: cycles.
//! Sources: the device preset.

use crate::device::{Dependencies, Device};
use crate::isa::OpClass;

use super::spec::N_CLASSES;

/// See the module text.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreboardSpec {
    /// Issue to release of the write scoreboard, by `OpClass as usize`, for what is not memory.
    pub result_cycles: [u32; N_CLASSES],
    /// Issue to release of the read scoreboard, beyond the wait for the load/store unit.
    pub operand_cycles: u32,
    /// From a taken branch to the warp's next issue.
    pub taken_branch_cycles: u32,
}

impl ScoreboardSpec {
    /// `None` where the hardware tracks registers.
    pub fn new(device: &Device) -> Option<Self> {
        (device.issue.dependencies == Dependencies::Scoreboards).then(|| ScoreboardSpec {
            result_cycles: OpClass::ALL.map(|class| result_cycles(device, class)),
            operand_cycles: device.latency.load_pace_cycles,
            taken_branch_cycles: device.latency.branch_cycles,
        })
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

/// The pipe of a scheduler that a class takes: the ALU, the multiply-add pipe, the address divergence unit, which loads constants, or
/// the unit for transcendental functions, conversions and everything else that is slow (Nsight Compute documentation, Pipelines).
pub fn pipe(class: OpClass) -> usize {
    match class {
        OpClass::IntAdd | OpClass::Logic | OpClass::Compare | OpClass::Shift => 0,
        OpClass::IntMul | OpClass::Fp32 => 1,
        OpClass::ConstantLoad => 3,
        _ => 2,
    }
}
