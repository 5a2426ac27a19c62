//! A launch, built from a kernel and a problem.
//!
//! Units: threads, fitness cases, KiB in the name of the one method that takes them.

use crate::device::Device;
use crate::gp::problem::ProblemId;
use crate::launch::prediction::{Configuration, PaperSizes, PredictError};
use crate::predictor::{CodeChoice, architecture, smallest};
use crate::systems::chitty::variant::KernelId;

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
    threads: u32,
    stack_dim: Option<u32>,
    stack_registers: Option<u32>,
    case_blocks: Option<u32>,
    l1_kib: Option<u32>,
}

impl Launch {
    /// A launch of `kernel` for `problem`, with 256 threads per block.
    pub fn of(kernel: KernelId, problem: ProblemId) -> Launch {
        Launch {
            kernel,
            problem,
            threads: 256,
            stack_dim: None,
            stack_registers: None,
            case_blocks: None,
            l1_kib: None,
        }
    }

    /// Threads per block.
    pub fn threads(mut self, threads: u32) -> Launch {
        self.threads = threads;
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

    /// The engine's name for this launch on a device, with what was not said filled in.
    pub(super) fn on(&self, device: &Device) -> Result<Configuration, PredictError> {
        let arch = architecture(device, &CodeChoice::default())?;
        let smallest = smallest(self.kernel, self.problem, arch)?;
        Ok(Configuration {
            problem: self.problem.name().into(),
            kernel: self.kernel.name().into(),
            stack_dim: self.stack_dim.unwrap_or(smallest.0),
            stack_registers: self.stack_registers.unwrap_or(smallest.1),
            threads_per_block: self.threads,
            case_blocks: self
                .case_blocks
                .unwrap_or(self.kernel.sharing().default_case_blocks()),
            l1_bytes: self.l1_kib.map(|kib| kib.saturating_mul(1024)),
            sizes: PaperSizes::default(),
        })
    }
}
