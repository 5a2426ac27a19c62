//! Stall counts of a trace's instructions, for which Accel-Sim's format has no place.
//!
//! Models: every instruction follows as soon as its operands are there, one at a time.
//! Leaves out: dual issue, scoreboards. Units: cycles.
//! Sources: dependent arithmetic after 9 cycles and a branch after a compare after 13, a taken or untaken branch 15:
//! what ptxas 11.8 writes for sm_35 (its commonest stall counts over the kernels in `fixtures/sass/`).

use crate::isa::{OpClass, TimingOp};

/// Cycles after which the result of fixed-latency arithmetic can be used.
const ARITHMETIC_LATENCY: u64 = 9;
/// Cycles from a compare to the branch that it decides.
const COMPARE_TO_BRANCH: u64 = 13;
/// Cycles from a branch to the next instruction.
const AFTER_BRANCH: u64 = 15;

/// Stall counts of one warp's instructions, in program order.
#[derive(Debug, Clone)]
pub struct Schedule {
    cycle: u64,
    ready_at: [u64; 256],
    branch_at: u64,
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule {
            cycle: 0,
            ready_at: [0; 256],
            branch_at: 0,
        }
    }
}

impl Schedule {
    /// The stall count of `op`, which is followed by `next`.
    pub fn stall(&mut self, op: &TimingOp, next: &TimingOp) -> u8 {
        if op.access.is_none() {
            // What a load writes is waited for when it is there; the simulator knows when.
            for &register in &op.writes {
                self.ready_at[usize::from(register)] = self.cycle + ARITHMETIC_LATENCY;
            }
        }
        if op.class == OpClass::Compare {
            self.branch_at = self.cycle + COMPARE_TO_BRANCH;
        }
        let operands = next
            .reads
            .iter()
            .map(|&register| self.ready_at[usize::from(register)]);
        let mut start = operands.max().unwrap_or(0).max(self.cycle + 1);
        if next.redirects {
            start = start.max(self.branch_at);
        }
        if op.redirects {
            start = start.max(self.cycle + AFTER_BRANCH);
        }
        let stall = start - self.cycle;
        self.cycle = start;
        stall as u8
    }
}
