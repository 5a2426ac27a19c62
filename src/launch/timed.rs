//! The machine code that a kernel's execution is timed as.
//!
//! Models: the code that was executed, or its translation for a device whose code is of compute capability 1.x. Leaves out: execution.
//! Units: bytes, indices of instructions. Sources: `isa::nv50`.

use crate::device::Device;
use crate::isa::nv50::{self, TranslationError};
use crate::isa::{Kernel, TimingOp};

/// The instructions that each executed instruction is timed as: itself, or its translation for the device.
#[derive(Debug, Clone)]
pub struct TimedCode<'a> {
    pub kernel: &'a Kernel,
    pub timing: Vec<TimingOp>,
    pub code_bytes: u32,
    starts: Vec<u32>,
    /// For every executed instruction, the timed one that accesses memory for it.
    access: Vec<Option<u32>>,
}

impl<'a> TimedCode<'a> {
    /// The code itself.
    pub fn literal(kernel: &'a Kernel) -> Self {
        let n = kernel.instructions.len() as u32;
        let last = kernel.instructions.last();
        TimedCode {
            kernel,
            timing: kernel.instructions.iter().map(|i| i.timing()).collect(),
            code_bytes: last.map_or(0, |last| last.pc_bytes + u32::from(last.size_bytes)),
            starts: (0..=n).collect(),
            access: (0..n).map(Some).collect(),
        }
    }

    /// The code that a device runs: its own machine code where a translation exists, otherwise the kernel's.
    pub fn on(device: &Device, kernel: &'a Kernel) -> Result<Self, TranslationError> {
        match nv50::target(&device.code) {
            Some(target) if kernel.arch == nv50::SOURCE => Self::translated(kernel, target),
            _ => Ok(Self::literal(kernel)),
        }
    }

    /// A translation.
    fn translated(kernel: &'a Kernel, target: nv50::Target) -> Result<Self, TranslationError> {
        let translated = nv50::translate(kernel, target)?;
        Ok(TimedCode {
            kernel,
            code_bytes: translated.code_bytes(),
            timing: translated
                .instructions
                .into_iter()
                .map(|found| found.timing)
                .collect(),
            starts: translated.starts,
            access: translated.access,
        })
    }

    /// Indices in `timing` of the instructions that an executed instruction is timed as.
    pub fn of(&self, instruction: u16) -> std::ops::Range<u32> {
        let at = usize::from(instruction);
        self.starts[at]..self.starts[at + 1]
    }

    /// The timed instruction that accesses memory for an executed one.
    pub fn access(&self, instruction: u16) -> Option<u32> {
        self.access[usize::from(instruction)]
    }
}
