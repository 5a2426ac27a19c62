//! Execution pipes: which instruction classes may start in a cycle.
//!
//! What it models: full-rate classes share the SMX's ALU groups (a cap per cycle, and one per class);
//! slow classes occupy their scheduler's own 8-lane pipe for four cycles.
//! What it leaves out: result latency (the compiler's stall counts carry it), register-bank conflicts.
//! Units: warp instructions per cycle, cycles. Sources: throughputs per class in the device preset.

use super::spec::{IssueLimit, N_CLASSES, SmxSpec};
use super::waits::MAX_SCHEDULERS;
use crate::isa::OpClass;
use crate::launch::scoreboard;

/// Slow pipes of one scheduler. Classes that share a pipe share the index.
const N_SLOW_PIPES: usize = 3;

/// See the module text.
#[derive(Debug, Clone)]
pub struct Pipes {
    limits: [IssueLimit; N_CLASSES],
    alu_per_cycle: u8,
    cycle: u64,
    alu_issued: u8,
    issued: [u8; N_CLASSES],
    slow_free_at: [[u64; N_SLOW_PIPES]; MAX_SCHEDULERS],
    pipe_of: [u8; N_CLASSES],
    operand_wait: [[u8; 4]; N_CLASSES],
}

impl Pipes {
    /// Idle pipes.
    pub fn new(spec: &SmxSpec) -> Self {
        Pipes {
            limits: spec.limits,
            alu_per_cycle: spec.alu_warps_per_cycle,
            cycle: 0,
            alu_issued: 0,
            issued: [0; N_CLASSES],
            slow_free_at: [[0; N_SLOW_PIPES]; MAX_SCHEDULERS],
            pipe_of: OpClass::ALL.map(|class| match spec.scoreboards {
                Some(_) => scoreboard::pipe(class) as u8,
                None => slow_pipe(class) as u8,
            }),
            operand_wait: spec.limits.map(|limit| match limit {
                IssueLimit::PerCycle(_) => spec.operand_wait,
                _ => [0; 4],
            }),
        }
    }

    /// What an instruction with so many different source registers waits for its operands, on average, in
    /// [`super::spec::WAIT_UNITS`]ths of an issue slot. Only full-rate instructions wait.
    #[inline]
    pub fn operand_wait(&self, class: OpClass, sources: u8) -> u8 {
        self.operand_wait[class as usize][usize::from(sources) % 4]
    }

    /// Takes the pipe of `class` at `now`, or says from which cycle it is free.
    #[inline]
    pub fn take(&mut self, scheduler: usize, class: OpClass, now: u64) -> Result<(), u64> {
        match self.limits[class as usize] {
            IssueLimit::Free => Ok(()),
            IssueLimit::Interval(cycles) => {
                let pipe = usize::from(self.pipe_of[class as usize]) % N_SLOW_PIPES;
                let free_at = &mut self.slow_free_at[scheduler % MAX_SCHEDULERS][pipe];
                if *free_at > now {
                    return Err(*free_at);
                }
                *free_at = now + u64::from(cycles);
                Ok(())
            }
            IssueLimit::PerCycle(limit) => {
                if self.cycle != now {
                    self.cycle = now;
                    self.alu_issued = 0;
                    self.issued = [0; N_CLASSES];
                }
                let issued = &mut self.issued[class as usize];
                if *issued == limit || self.alu_issued == self.alu_per_cycle {
                    return Err(now + 1);
                }
                *issued += 1;
                self.alu_issued += 1;
                Ok(())
            }
        }
    }
}

/// IMUL, POPC and conversions share a pipe (they are spaced by four cycles among each other).
fn slow_pipe(class: OpClass) -> usize {
    match class {
        OpClass::Sfu => 0,
        OpClass::Shift | OpClass::Bitfield => 1,
        _ => 2,
    }
}
