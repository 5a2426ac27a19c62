//! Which pipe serves which class of instruction, and for how long.
//!
//! One table made from the preset, for both models. What it leaves out: result latency (stall counts and barriers carry
//! it). Units: warp instructions per cycle, cycles. Sources: sections `pipes` and `throughput` of the preset.

use super::spec::{N_CLASSES, SpecError};
use crate::device::{Device, Pipe};
use crate::isa::OpClass;

/// How often one instruction class can start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueLimit {
    /// On the cores that all schedulers share: at most this many warp instructions per cycle.
    PerCycle(u8),
    /// On a pipe of the scheduler, which is then taken for so many cycles.
    Interval(Pipe, u8),
    /// Takes an issue slot only.
    Free,
}

/// Limit per instruction class, indexed by `OpClass as usize`.
pub type PipeTable = [IssueLimit; N_CLASSES];

/// Lanes of a warp.
pub(super) const LANES: f64 = 32.0;

/// The table of a device.
pub(super) fn table(device: &Device) -> Result<PipeTable, SpecError> {
    let mut limits = [IssueLimit::Free; N_CLASSES];
    for class in OpClass::ALL {
        limits[class as usize] = limit(device, class)?;
    }
    Ok(limits)
}

fn limit(device: &Device, class: OpClass) -> Result<IssueLimit, SpecError> {
    let Some((pipe, lanes)) = device.pipe(class) else {
        return Ok(IssueLimit::Free);
    };
    let warps_per_cycle = lanes / LANES;
    match pipe {
        Pipe::IssueOnly => Ok(IssueLimit::Free),
        Pipe::Cores if warps_per_cycle < 1.0 => Err(SpecError::Value {
            device: device.name.clone(),
            what: "throughput of a class on the shared cores",
            given: format!("{lanes} lanes per cycle ({class:?})"),
            allowed: "at least 32, a warp instruction per cycle",
        }),
        Pipe::Cores => Ok(IssueLimit::PerCycle(warps_per_cycle as u8)),
        pipe => {
            let cycles = f64::from(device.issue.n_schedulers) / warps_per_cycle;
            Ok(IssueLimit::Interval(pipe, cycles.round() as u8))
        }
    }
}
