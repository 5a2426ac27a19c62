//! The machine code that a kernel's execution is timed as.
//!
//! Models: the code that was executed, or its translation for a device whose code is of compute capability 1.x. Leaves out: execution.
//! Units: bytes, indices of instructions. Sources: `isa::nv50`.

use crate::device::Device;
use crate::isa::nv50::{self, TranslationError};
use crate::isa::{Access, Kernel, TimingOp};
use crate::trace::launch::LOCAL_TOP;
use std::ops::Range;

/// The timed instructions of each executed one.
#[derive(Debug, Clone)]
pub struct TimedCode {
    pub timing: Vec<TimingOp>,
    pub code_bytes: u32,
    /// Addresses of a thread's frame in local memory.
    pub frame: Range<u32>,
    /// Memory access of each executed instruction.
    pub accesses: Vec<Option<Access>>,
    starts: Vec<u32>,
    /// For every executed instruction, the timed one that accesses memory for it.
    access: Vec<Option<u32>>,
}

impl TimedCode {
    /// Code that is timed as it was executed.
    pub fn executed(timing: Vec<TimingOp>, code_bytes: u32, frame: Range<u32>) -> Self {
        let n = timing.len() as u32;
        TimedCode {
            accesses: timing.iter().map(|op| op.access).collect(),
            timing,
            code_bytes,
            frame,
            starts: (0..=n).collect(),
            access: (0..n).map(Some).collect(),
        }
    }

    /// The code itself.
    pub fn literal(kernel: &Kernel) -> Self {
        let last = kernel.instructions.last();
        Self::executed(
            kernel.instructions.iter().map(|i| i.timing()).collect(),
            last.map_or(0, |last| last.pc_bytes + u32::from(last.size_bytes)),
            frame(kernel),
        )
    }

    /// Returns the code that a device runs: the code itself, unless the device's own can be had by translation.
    pub fn on(device: &Device, kernel: &Kernel) -> Result<Self, TranslationError> {
        match nv50::target(&device.code) {
            Some(target) if kernel.arch == nv50::SOURCE => Self::translated(kernel, target),
            _ => Ok(Self::literal(kernel)),
        }
    }

    /// A translation.
    fn translated(kernel: &Kernel, target: nv50::Target) -> Result<Self, TranslationError> {
        let translated = nv50::translate(kernel, target)?;
        Ok(TimedCode {
            frame: frame(kernel),
            accesses: kernel.instructions.iter().map(|i| i.access).collect(),
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

    /// Returns the timed instructions of an executed one.
    pub fn of(&self, instruction: u16) -> std::ops::Range<u32> {
        let at = usize::from(instruction);
        self.starts[at]..self.starts[at + 1]
    }

    /// The timed instruction that accesses memory for an executed one.
    pub fn access(&self, instruction: u16) -> Option<u32> {
        self.access[usize::from(instruction)]
    }
}

fn frame(kernel: &Kernel) -> Range<u32> {
    LOCAL_TOP.saturating_sub(kernel.frame_bytes)..LOCAL_TOP
}
