//! Table of the interpreters: every property that distinguishes kernels is a column here.
//!
//! Leaves out: the instructions they execute (their machine code), and the encoding of programs (`lower`, `accumulate`).

use super::variant::Dispatch;
use crate::util::names::{UnknownName, named};
use std::fmt;
use std::str::FromStr;

/// Program encoding that a kernel takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lowering {
    /// Tokens in postfix order.
    Postfix,
    /// Tokens of a linear program: a function and the locations of its operands.
    Linear,
    /// Handler numbers with resolved operands.
    Accumulator,
}

/// Division of work among the threads of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// Every thread copies the whole program and has its own result; one block has all fitness cases of a program.
    PerThread,
    /// Threads share the copy of the program and the result; several blocks may share a program's fitness cases.
    PerBlock,
}

/// Representation of a stack row: the values of one level for all cases of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StackRow {
    /// An array with an element per case.
    Scalars,
    /// One CUDA vector, like float4.
    Vector,
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $id:ident = $name:literal: $source:literal, $entry:literal, $lowering:ident, $dispatch:ident, $sharing:ident, $row:ident;)+) => {
        named! {
            /// An interpreter: four from the papers, and the fast one.
            pub enum KernelId ("kernel") { $($(#[$doc])* $id = $name),+ }
        }

        impl KernelId {
            /// Returns the name of the CUDA source, under `src/systems/cuda/`.
            pub fn source_file(self) -> &'static str {
                match self { $(KernelId::$id => $source),+ }
            }

            /// Returns the text of the CUDA source.
            pub(crate) fn source(self) -> &'static str {
                match self { $(KernelId::$id => include_str!(concat!("../cuda/", $source))),+ }
            }

            /// Returns the name of the function in the machine code.
            pub fn entry_point(self) -> &'static str {
                match self { $(KernelId::$id => $entry),+ }
            }

            /// Returns the program encoding that it takes.
            pub fn lowering(self) -> Lowering {
                match self { $(KernelId::$id => Lowering::$lowering),+ }
            }

            /// Returns the default type of program words: floats, as in the papers' listings, or integers for numbered handlers.
            pub fn default_dispatch(self) -> Dispatch {
                match self { $(KernelId::$id => Dispatch::$dispatch),+ }
            }

            /// Returns the division of work among the threads of a block.
            pub fn sharing(self) -> Sharing {
                match self { $(KernelId::$id => Sharing::$sharing),+ }
            }

            /// Returns the representation of a stack row.
            pub fn row(self) -> StackRow {
                match self { $(KernelId::$id => StackRow::$row),+ }
            }
        }
    };
}

kernels! {
    /// BlockGP with a postfix program (Listing 1).
    Rpn = "rpn": "rpn.cu", "rpn", Postfix, Float, PerThread, Scalars;
    /// Linear program, operands gathered into registers (Listing 2).
    Lgp = "lgp": "lgp.cu", "lgp", Linear, Float, PerThread, Scalars;
    /// `lgp` with float2, float3 or float4 rows (Listing 3).
    LgpVector = "lgp-vector": "lgp-vector.cu", "lgp_vector", Linear, Float, PerThread, Vector;
    /// `lgp` with float4 rows and the lowest stack levels in registers (Listings 4 and 5).
    LgpRegisters = "lgp-registers": "lgp-registers.cu", "lgp_registers", Linear, Float, PerThread, Vector;
    /// Not from the papers: eight cases per thread, operands resolved before the launch, one result per block.
    Accumulator = "accumulator": "accumulator.cu", "accumulator", Accumulator, Int, PerBlock, Scalars;
}

impl Lowering {
    /// Every encoding, in listing order.
    pub const ALL: [Lowering; 3] = [Lowering::Postfix, Lowering::Linear, Lowering::Accumulator];

    /// Returns the name on the command line: that of the first kernel which takes the encoding.
    pub fn name(self) -> &'static str {
        self.kernel().name()
    }

    /// Returns the first kernel of the table that takes this encoding.
    pub fn kernel(self) -> KernelId {
        match self {
            Lowering::Postfix => KernelId::Rpn,
            Lowering::Linear => KernelId::Lgp,
            Lowering::Accumulator => KernelId::Accumulator,
        }
    }

    /// Returns the default cases per thread and stack levels in registers of a custom kernel: those of the smallest built-in one of the
    /// encoding.
    pub fn default_stack(self) -> (u32, u32) {
        match self {
            Lowering::Postfix | Lowering::Linear => (1, 0),
            Lowering::Accumulator => (8, 2),
        }
    }
}

impl Sharing {
    /// Returns the default number of blocks that share the fitness cases of a program.
    pub fn default_case_blocks(self) -> u32 {
        match self {
            Sharing::PerThread => 1,
            Sharing::PerBlock => 50,
        }
    }

    /// Returns the largest number of blocks per program, limited by CUDA's second grid dimension.
    pub fn most_case_blocks(self) -> u32 {
        match self {
            Sharing::PerThread => 1,
            Sharing::PerBlock => 65_535,
        }
    }

    /// Returns numbers of blocks per program worth trying.
    pub fn case_blocks_to_try(self) -> &'static [u32] {
        match self {
            Sharing::PerThread => &[1],
            Sharing::PerBlock => &[1, 25, 100],
        }
    }

    /// Returns the number of results per program.
    pub fn results_per_program(self, threads_per_block: u32, case_blocks: u32) -> u32 {
        match self {
            Sharing::PerThread => threads_per_block,
            Sharing::PerBlock => case_blocks,
        }
    }

    /// Returns the step of the block size: a warp that shares its cases must be full.
    pub fn thread_step(self) -> u32 {
        match self {
            Sharing::PerThread => 1,
            Sharing::PerBlock => 32,
        }
    }
}

impl fmt::Display for Lowering {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Lowering {
    type Err = UnknownName;

    /// Parses the name of any kernel as the encoding it takes.
    fn from_str(given: &str) -> Result<Self, UnknownName> {
        let found = KernelId::known(given);
        let forms = Self::ALL.iter().map(|form| form.name());
        found
            .map(|id| id.lowering())
            .ok_or_else(|| UnknownName::new("lowering", given, forms))
    }
}
