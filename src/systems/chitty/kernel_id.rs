//! The table of interpreters: whatever distinguishes one kernel from another is a column here.
//!
//! Leaves out: what they execute (their machine code), and how programs are lowered for them (`lower`, `accumulate`).

use super::variant::Dispatch;
use crate::util::names::{UnknownName, named};
use std::fmt;
use std::str::FromStr;

/// The form in which a kernel takes programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lowering {
    /// Tokens in postfix order.
    Postfix,
    /// Tokens of a linear program: a function and where its operands are.
    Linear,
    /// Numbers of handlers, operands resolved.
    Accumulator,
}

/// How the lanes of a block share work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// Every thread copies the whole program and has a result of its own; one block has all fitness cases of a program.
    PerThread,
    /// Threads share the copy of the program and the result; several blocks may share a program's fitness cases.
    PerBlock,
}

/// What an element of the stack is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Row {
    /// Cases of a row are elements of an array.
    Scalars,
    /// A row is one CUDA vector, like float4.
    Vector,
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $id:ident = $name:literal: $source:literal, $entry:literal, $lowering:ident, $dispatch:ident, $sharing:ident, $row:ident;)+) => {
        named! {
            /// An interpreter: four of the papers, and the fast one.
            pub enum KernelId ("kernel") { $($(#[$doc])* $id = $name),+ }
        }

        impl KernelId {
            /// The CUDA source, under `src/systems/cuda/`.
            pub fn source_file(self) -> &'static str {
                match self { $(KernelId::$id => $source),+ }
            }

            /// Its text.
            pub(crate) fn source(self) -> &'static str {
                match self { $(KernelId::$id => include_str!(concat!("../cuda/", $source))),+ }
            }

            /// The name of the function in the machine code.
            pub fn entry_point(self) -> &'static str {
                match self { $(KernelId::$id => $entry),+ }
            }

            /// The form in which it takes programs.
            pub fn lowering(self) -> Lowering {
                match self { $(KernelId::$id => Lowering::$lowering),+ }
            }

            /// The type of program words if nothing is said: floats, as in the papers' listings, but where handlers have numbers.
            pub fn default_dispatch(self) -> Dispatch {
                match self { $(KernelId::$id => Dispatch::$dispatch),+ }
            }

            /// How the lanes of a block share work.
            pub fn sharing(self) -> Sharing {
                match self { $(KernelId::$id => Sharing::$sharing),+ }
            }

            /// What an element of the stack is.
            pub fn row(self) -> Row {
                match self { $(KernelId::$id => Row::$row),+ }
            }
        }
    };
}

kernels! {
    /// BlockGP with a postfix program (Listing 1).
    Rpn = "rpn": "rpn.cu", "rpn", Postfix, Float, PerThread, Scalars;
    /// Linear program, operands gathered into registers (Listing 2).
    Lgp = "lgp": "lgp.cu", "lgp", Linear, Float, PerThread, Scalars;
    /// The same with float2, float3 or float4 rows (Listing 3).
    LgpVector = "lgp-vector": "lgp-vector.cu", "lgp_vector", Linear, Float, PerThread, Vector;
    /// The same with float4 rows and the lowest stack levels in registers (Listings 4 and 5).
    LgpRegisters = "lgp-registers": "lgp-registers.cu", "lgp_registers", Linear, Float, PerThread, Vector;
    /// Not of the papers: eight cases per thread, operands resolved before the launch, one result per block.
    Accumulator = "accumulator": "accumulator.cu", "accumulator", Accumulator, Int, PerBlock, Scalars;
}

impl Lowering {
    /// Every form, in the order in which they are listed.
    pub const ALL: [Lowering; 3] = [Lowering::Postfix, Lowering::Linear, Lowering::Accumulator];

    /// The name on the command line: that of the first kernel which takes it.
    pub fn name(self) -> &'static str {
        self.kernel().name()
    }

    /// The first kernel of the table that takes programs in this form.
    pub fn kernel(self) -> KernelId {
        match self {
            Lowering::Postfix => KernelId::Rpn,
            Lowering::Linear => KernelId::Lgp,
            Lowering::Accumulator => KernelId::Accumulator,
        }
    }
}

impl Sharing {
    /// Blocks that share the fitness cases of a program if nothing is said.
    pub fn default_case_blocks(self) -> u32 {
        match self {
            Sharing::PerThread => 1,
            Sharing::PerBlock => 50,
        }
    }

    /// At most so many: CUDA's second grid dimension.
    pub fn most_case_blocks(self) -> u32 {
        match self {
            Sharing::PerThread => 1,
            Sharing::PerBlock => 65_535,
        }
    }

    /// Numbers of them worth a try.
    pub fn case_blocks_to_try(self) -> &'static [u32] {
        match self {
            Sharing::PerThread => &[1],
            Sharing::PerBlock => &[1, 25, 100],
        }
    }

    /// Results that a program has.
    pub fn results_per_program(self, threads_per_block: u32, case_blocks: u32) -> u32 {
        match self {
            Sharing::PerThread => threads_per_block,
            Sharing::PerBlock => case_blocks,
        }
    }

    /// What the threads of a block are a multiple of: a warp that shares its cases is whole.
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

    /// The name of any kernel: programs as that one takes them.
    fn from_str(given: &str) -> Result<Self, UnknownName> {
        let found = KernelId::known(given);
        let forms = Self::ALL.iter().map(|form| form.name());
        found
            .map(|id| id.lowering())
            .ok_or_else(|| UnknownName::new("lowering", given, forms))
    }
}
