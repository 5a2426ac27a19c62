//! A launch, built from a kernel and a problem.
//!
//! Units: threads, fitness cases, KiB in the name of the one method that takes them.

use crate::gp::problem::ProblemId;
use crate::systems::chitty::variant::KernelId;
use crate::systems::registry::LaunchOptions;

/// One way to launch a kernel for a problem. What is not said is as the kernel or the device has it by itself.
///
/// ```
/// use warpstack::{Kernel, Launch, Problem};
///
/// let launch = Launch::of(Kernel::Rpn, Problem::Sextic).threads(256).stack_dim(2).l1_kib(48);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
pub struct Launch {
    kernel: KernelId,
    problem: ProblemId,
    threads: Option<u32>,
    stack_dim: Option<u32>,
    stack_registers: Option<u32>,
    case_blocks: Option<u32>,
    l1_kib: Option<u32>,
}

impl Launch {
    /// A launch of `kernel` for `problem`.
    pub fn of(kernel: KernelId, problem: ProblemId) -> Launch {
        Launch {
            kernel,
            problem,
            threads: None,
            stack_dim: None,
            stack_registers: None,
            case_blocks: None,
            l1_kib: None,
        }
    }

    /// Threads per block. Default: the usual number of the kernel.
    pub fn threads(mut self, threads: u32) -> Launch {
        self.threads = Some(threads);
        self
    }

    /// Size of the stack's second dimension: fitness cases that a thread evaluates per pass. Default: the smallest compiled.
    pub fn stack_dim(mut self, stack_dim: u32) -> Launch {
        self.stack_dim = Some(stack_dim);
        self
    }

    /// Lowest stack levels held in registers. Default: the fewest compiled; 0 for kernels without that.
    pub fn stack_registers(mut self, levels: u32) -> Launch {
        self.stack_registers = Some(levels);
        self
    }

    /// Blocks that share the fitness cases of a program. Default: 50 for the accumulator, else 1, which is all that the others allow.
    pub fn case_blocks(mut self, blocks: u32) -> Launch {
        self.case_blocks = Some(blocks);
        self
    }

    /// L1 size in KiB; the rest of the on-chip memory is shared memory. Default: as the device divides it by itself.
    pub fn l1_kib(mut self, kib: u32) -> Launch {
        self.l1_kib = Some(kib);
        self
    }

    /// The problem whose programs are run.
    pub fn problem(&self) -> ProblemId {
        self.problem
    }
}

impl From<&Launch> for LaunchOptions {
    fn from(launch: &Launch) -> LaunchOptions {
        LaunchOptions {
            problem: Some(launch.problem.name().into()),
            stack_dim: launch.stack_dim,
            stack_registers: launch.stack_registers,
            threads_per_block: launch.threads,
            case_blocks: launch.case_blocks,
            l1_kib: launch.l1_kib,
            ..LaunchOptions::of(launch.kernel.name())
        }
    }
}
