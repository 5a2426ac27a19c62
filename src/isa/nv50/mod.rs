//! Translation of Kepler's machine code into that of compute capability 1.x ("nv50") for timing.
//!
//! Models: the translation of each sm_35 instruction: an instruction of the same kind, several (`table`), or none, because its
//! result is the upper half of an address (addresses have 32 bits), or because it is an operand of another one (`fold`).
//! Addresses of shared, local and indexed constant memory are kept in address registers (`address`). Kernel parameters and
//! block sizes are operands in shared memory; immediates that do not fit are operands in constant memory. Execution remains
//! that of sm_35: its steps are replaced by their translations.
//! Leaves out: short forms of 4 bytes (every instruction has 8), a second allocation of registers, parallelism within an
//! expansion: its instructions are a chain.
//! Units: bytes, instructions.
//! Sources: envytools' description of the Tesla instruction set (instruction forms and operands); the split of 32-bit products
//! into 16-bit ones in Mesa's nouveau compiler; CUDA's `device_functions.h` for the population count. The main rows of the
//! table are in `docs/nv50.md`, all are tested in `tests/isa/nv50`.

mod address;
mod emit;
mod float;
mod flow;
mod fold;
mod integer;
mod predicate;
mod table;

use super::cfg::ControlFlow;
use super::kernel::Kernel;
use super::{Space, TimingOp};
use address::Addresses;
use flow::Flow;
use fold::Folds;

/// Bytes of an instruction.
pub const INSTRUCTION_BYTES: u32 = 8;
/// Architecture whose code is translated.
pub const SOURCE: &str = "sm_35";

/// Amount of code that a compiler adds around the operations: the two bounds between which real code is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// Only the operations of the source, without additions.
    Tight,
    /// Code like that of Mesa's compiler: every forward branch sets a reconvergence point and has an instruction there;
    /// parameters are loaded, and constants used in comparisons are moved to registers.
    Loose,
}

/// A chip of compute capability 1.x, and the style of its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub name: &'static str,
    /// Whether the chip has warp votes.
    pub votes: bool,
    pub compiler: Compiler,
}

/// Architectures, and whether they have warp votes.
const ARCHITECTURES: [(&str, bool); 4] = [
    ("sm_10", false),
    ("sm_11", false),
    ("sm_12", true),
    ("sm_13", true),
];
/// Suffix of an architecture's name for [`Compiler::Loose`].
pub const LOOSE: &str = "-loose";

/// Returns the target by its name in device files: `sm_13`, or `sm_13-loose`.
pub fn target(name: &str) -> Option<Target> {
    let (architecture, compiler) = match name.strip_suffix(LOOSE) {
        Some(architecture) => (architecture, Compiler::Loose),
        None => (name, Compiler::Tight),
    };
    let found = ARCHITECTURES
        .into_iter()
        .find(|found| found.0 == architecture);
    found.map(|(name, votes)| Target {
        name,
        votes,
        compiler,
    })
}

/// Returns the name of the heavier compiler's code for the chip of `name`; `None` if `name` is such code already, or
/// untranslated code.
pub fn loose(name: &str) -> Option<String> {
    let target = target(name)?;
    (target.compiler == Compiler::Tight).then(|| format!("{name}{LOOSE}"))
}

/// Error in translating a kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TranslationError {
    #[error(transparent)]
    Isa(#[from] super::IsaError),
    #[error("machine code to translate: given {given}; allowed: {SOURCE}")]
    Architecture { given: String },
    #[error("{kernel} at {pc_bytes:#06x}, `{text}`: no counterpart on {target}: {why}")]
    Instruction {
        kernel: String,
        pc_bytes: u32,
        text: String,
        target: &'static str,
        why: &'static str,
    },
}

/// One instruction of the translation.
#[derive(Debug, Clone, PartialEq)]
pub struct Translation {
    pub timing: TimingOp,
    /// Text in listings; registers by their sm_35 names.
    pub text: String,
}

/// Translation of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Translated {
    pub instructions: Vec<Translation>,
    /// Starts of the translations: sm_35 instruction `i` becomes `instructions[starts[i]..starts[i + 1]]`.
    pub starts: Vec<u32>,
    /// For every sm_35 instruction that accesses memory, the instruction that performs the access, possibly that of a later
    /// one.
    pub access: Vec<Option<u32>>,
}

impl Translated {
    /// Returns the translation of one sm_35 instruction.
    pub fn of(&self, index: usize) -> &[Translation] {
        &self.instructions[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Size of the code in bytes.
    pub fn code_bytes(&self) -> u32 {
        INSTRUCTION_BYTES * self.instructions.len() as u32
    }
}

/// Analyses of the kernel shared by the parts of the translation.
struct Context<'a> {
    kernel: &'a Kernel,
    target: Target,
    control: ControlFlow,
    flow: Flow,
    addresses: Addresses,
    folds: Folds,
}

impl Context<'_> {
    fn refuse(&self, index: usize, why: &'static str) -> TranslationError {
        let instruction = &self.kernel.instructions[index];
        TranslationError::Instruction {
            kernel: self.kernel.name.clone(),
            pc_bytes: instruction.pc_bytes,
            text: instruction.text.clone(),
            target: self.target.name,
            why,
        }
    }
}

/// Translates a kernel for timing on `target`.
pub fn translate(kernel: &Kernel, target: Target) -> Result<Translated, TranslationError> {
    if kernel.arch != SOURCE {
        return Err(TranslationError::Architecture {
            given: kernel.arch.clone(),
        });
    }
    let control = ControlFlow::new(kernel)?;
    let flow = Flow::new(kernel, &control);
    let folds = Folds::new(kernel, &control, &flow);
    let addresses = Addresses::new(kernel, &control, &flow);
    let context = Context {
        kernel,
        target,
        control,
        flow,
        addresses,
        folds,
    };
    emit::all(&context)
}

/// Tells whether a space is addressed through address registers.
fn is_indexed(space: Space) -> bool {
    matches!(space, Space::Shared | Space::Local)
}
