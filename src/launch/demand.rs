//! What programs ask of a multiprocessor, counted, and which of it the causes of lost cycles follow.
//!
//! What it holds: counts per steady iteration of one warp. What it leaves out: time.
//! Units: warp instructions; 128-byte lines for local memory.

use super::cause::Cause;
use super::code::{MemoryRequest, ReplayOp};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Counted {
    Instructions,
    Branches,
    SharedLoads,
    LocalLines,
    GlobalLoads,
    /// Lines of any memory that pass the load/store unit.
    UnitLines,
}

/// Number of things counted.
pub const N_COUNTED: usize = 6;

/// Counts, by `Counted as usize`.
pub type Demand = [u32; N_COUNTED];

/// What one instruction adds.
pub fn of_op(op: &ReplayOp) -> Demand {
    let mut demand = [0; N_COUNTED];
    let mut add = |counted: Counted, n: u32| demand[counted as usize] += n;
    add(Counted::Instructions, 1);
    if op.redirects {
        add(Counted::Branches, 1);
    }
    if op.request != MemoryRequest::None {
        add(Counted::UnitLines, u32::from(op.lines).max(1));
    }
    match op.request {
        MemoryRequest::None => {}
        MemoryRequest::LocalLoad | MemoryRequest::LocalStore => {
            add(Counted::LocalLines, u32::from(op.lines));
        }
        MemoryRequest::SharedLoad | MemoryRequest::SharedStore => add(Counted::SharedLoads, 1),
        MemoryRequest::GlobalLoad | MemoryRequest::GlobalStore => add(Counted::GlobalLoads, 1),
    }
    demand
}

/// The sum of two demands.
pub fn sum(a: Demand, b: Demand) -> Demand {
    std::array::from_fn(|i| a[i] + b[i])
}

/// What the cycles charged to a cause are taken to be proportional to; `None`: to the work done.
pub fn followed_by(cause: Cause) -> Option<Counted> {
    match cause {
        Cause::Issued | Cause::Wait | Cause::MathPipe | Cause::NoInstruction => {
            Some(Counted::Instructions)
        }
        Cause::Branch => Some(Counted::Branches),
        Cause::Shared => Some(Counted::SharedLoads),
        Cause::L1Hit | Cause::L2 | Cause::Dram => Some(Counted::LocalLines),
        Cause::LoadStoreUnit => Some(Counted::UnitLines),
        Cause::Global => Some(Counted::GlobalLoads),
        Cause::NoWarp => None,
    }
}
