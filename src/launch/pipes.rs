//! The pipe that serves each class of instruction, and the time it takes.
//!
//! Models: one table made from the preset, for both performance models.
//! Leaves out: result latency (stall counts and barriers carry it).
//! Units: warp instructions per cycle, cycles. Sources: sections `pipes` and `throughput` of the preset.

use super::spec::N_CLASSES;
use crate::device::{Device, Pipe};
use crate::isa::OpClass;

/// Issue rate limit of one instruction class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueLimit {
    /// Cores that all schedulers share: at most this many warp instructions per cycle.
    PerCycle(u8),
    /// A pipe of the scheduler, and the cycles that it is busy per instruction.
    Interval(Pipe, u8),
    /// Takes an issue slot only.
    Free,
}

/// Limit per instruction class, indexed by `OpClass as usize`.
pub type PipeTable = [IssueLimit; N_CLASSES];

/// Lanes of a warp.
pub(super) const LANES: f64 = 32.0;

/// The table of a device, whose rates were checked with it.
pub(super) fn table(device: &Device) -> PipeTable {
    let mut limits = [IssueLimit::Free; N_CLASSES];
    for class in OpClass::ALL {
        limits[class as usize] = limit(device, class);
    }
    limits
}

fn limit(device: &Device, class: OpClass) -> IssueLimit {
    let Some((pipe, lanes)) = device.pipe(class) else {
        return IssueLimit::Free;
    };
    let warps_per_cycle = lanes / LANES;
    match pipe {
        Pipe::IssueOnly => IssueLimit::Free,
        Pipe::Cores => IssueLimit::PerCycle(warps_per_cycle as u8),
        pipe => {
            let cycles = f64::from(device.issue.n_schedulers) / warps_per_cycle;
            IssueLimit::Interval(pipe, cycles.round() as u8)
        }
    }
}
