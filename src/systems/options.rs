//! Options of a launch.
//!
//! Leaves out: defaults for options not given (`registry`). Units: threads, programs, fitness cases; KiB for the L1.

use crate::launch::prediction::Configuration;
use crate::util::names::named;
use serde::{Deserialize, Serialize};

named! {
    /// A size of a launch that may be requested, by its key in options and files.
    pub enum Size ("size of a launch") {
        /// Threads in a block.
        Threads = "threads",
        /// Cases per thread: fitness cases that a thread evaluates per pass, the stack's second dimension.
        StackDim = "stack_dim",
        /// Lowest stack levels that are held in registers.
        StackRegisters = "stack_registers",
        /// Blocks that share the fitness cases of a program.
        CaseBlocks = "case_blocks",
        /// Size of the L1 in KiB; the rest of the on-chip memory is shared memory.
        L1Kib = "l1",
        /// Programs of a generation.
        Population = "population",
        /// Rows of the data set.
        Cases = "cases",
        /// Threads that share the tests of a program.
        ThreadsPerProgram = "threads_per_program",
    }
}

impl Size {
    /// Returns the name in messages, such as `threads per block`.
    pub fn words(self) -> &'static str {
        match self {
            Size::Threads => "threads per block",
            Size::StackDim => "second dimension",
            Size::StackRegisters => "stack levels in registers",
            Size::CaseBlocks => "blocks that share the fitness cases",
            Size::L1Kib => "L1 size",
            Size::Population => "population",
            Size::Cases => "cases",
            Size::ThreadsPerProgram => "threads per program",
        }
    }
}

/// The options of a launch. Everything but the kernel is optional, and then has the default of the kernel or the device.
///
/// ```
/// use warpstack::{LaunchOptions, Size};
///
/// let launch = LaunchOptions::of("rpn").with(Size::Threads, 256).with(Size::L1Kib, 48);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LaunchOptions {
    /// Name of the kernel: `rpn`.
    pub kernel: String,
    /// Name of the problem; `None`: the kernel's first.
    pub problem: Option<String>,
    /// See [`Size::StackDim`]; `None`: the smallest compiled.
    pub stack_dim: Option<u32>,
    /// See [`Size::StackRegisters`]; `None`: the fewest compiled.
    pub stack_registers: Option<u32>,
    /// See [`Size::Threads`].
    pub threads_per_block: Option<u32>,
    /// See [`Size::CaseBlocks`].
    pub case_blocks: Option<u32>,
    /// See [`Size::L1Kib`]; `None`: the device's default division of its memory.
    pub l1_kib: Option<u32>,
    /// See [`Size::Population`].
    pub population: Option<u32>,
    /// See [`Size::Cases`].
    pub cases: Option<u32>,
    /// See [`Size::ThreadsPerProgram`].
    pub threads_per_program: Option<u32>,
}

impl LaunchOptions {
    /// Returns the options of a kernel with no other option set.
    pub fn of(kernel: &str) -> LaunchOptions {
        LaunchOptions {
            kernel: kernel.to_owned(),
            ..LaunchOptions::default()
        }
    }

    /// Returns the options with a size set.
    #[must_use]
    pub fn with(&self, size: Size, value: u32) -> LaunchOptions {
        let mut options = self.clone();
        *options.size(size) = Some(value);
        options
    }

    /// Returns the field of a size.
    pub fn size(&mut self, size: Size) -> &mut Option<u32> {
        match size {
            Size::StackDim => &mut self.stack_dim,
            Size::StackRegisters => &mut self.stack_registers,
            Size::Threads => &mut self.threads_per_block,
            Size::CaseBlocks => &mut self.case_blocks,
            Size::L1Kib => &mut self.l1_kib,
            Size::Population => &mut self.population,
            Size::Cases => &mut self.cases,
            Size::ThreadsPerProgram => &mut self.threads_per_program,
        }
    }

    /// Returns a size, if it is given.
    pub fn given(&self, size: Size) -> Option<u32> {
        *self.clone().size(size)
    }
}

impl From<&LaunchOptions> for LaunchOptions {
    fn from(options: &LaunchOptions) -> LaunchOptions {
        options.clone()
    }
}

/// Requests exactly the given complete configuration.
impl From<&Configuration> for LaunchOptions {
    fn from(configuration: &Configuration) -> LaunchOptions {
        LaunchOptions {
            kernel: configuration.kernel.clone(),
            problem: Some(configuration.problem.clone()),
            stack_dim: Some(configuration.stack_dim),
            stack_registers: Some(configuration.stack_registers),
            threads_per_block: Some(configuration.threads_per_block),
            case_blocks: Some(configuration.case_blocks),
            l1_kib: configuration.l1_bytes.map(|bytes| bytes / 1024),
            population: configuration.population,
            cases: configuration.cases,
            threads_per_program: configuration.threads_per_program,
        }
    }
}
