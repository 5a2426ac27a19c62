//! Kepler's machine code, translated into that of compute capability 1.x ("nv50") for timing.
//!
//! Models: what each sm_35 instruction becomes: an instruction of the same kind, several (`table`), or none, because its result is the
//! upper half of an address (addresses have 32 bits), or because it is an operand of another one (`fold`). Addresses of shared, local and
//! indexed constant memory lie in address registers (`address`). Execution stays that of sm_35: its steps are laid out as what they become.
//! Leaves out: short forms of 4 bytes (every instruction has 8), a second allocation of registers, parallelism within an expansion: its
//! instructions are a chain. Kernel parameters and block sizes lie in shared memory and are operands from there; immediates that do not
//! fit are operands from constant memory.
//! Units: bytes, instructions.
//! Sources: envytools' description of the Tesla instruction set (which forms and operands there are); how Mesa's nouveau compiler splits
//! 32-bit products into 16-bit ones; CUDA's `device_functions.h` for the population count. Every line of the table: `docs/nv50.md`.

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
/// The architecture whose code is translated.
pub const SOURCE: &str = "sm_35";

/// How much a compiler puts around the same operations: the two ends between which real code is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// Emits the source's operations, and no more.
    Tight,
    /// As Mesa's compiler: every forward branch sets a point where lanes meet, and has an instruction there; parameters are loaded, constants
    /// that are compared with are moved to registers.
    Loose,
}

/// A chip of compute capability 1.x, and how code for it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub name: &'static str,
    /// Votes over a warp.
    pub votes: bool,
    pub compiler: Compiler,
}

/// Architectures, and whether they have votes.
const ARCHITECTURES: [(&str, bool); 4] = [
    ("sm_10", false),
    ("sm_11", false),
    ("sm_12", true),
    ("sm_13", true),
];
/// Behind the name of an architecture: [`Compiler::Loose`].
pub const LOOSE: &str = "-loose";

/// The target of a name as device files have it: `sm_13`, or `sm_13-loose`.
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

/// Returns the name of the heavier compiler's code for the chip of `name`; `None` if `name` is such code already, or code that is not translated.
pub fn loose(name: &str) -> Option<String> {
    let target = target(name)?;
    (target.compiler == Compiler::Tight).then(|| format!("{name}{LOOSE}"))
}

/// Why a kernel cannot be translated.
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
    /// As a listing shows it; registers by their sm_35 names.
    pub text: String,
}

/// A kernel's translation.
#[derive(Debug, Clone, PartialEq)]
pub struct Translated {
    pub instructions: Vec<Translation>,
    /// sm_35 instruction `i` becomes `instructions[starts[i]..starts[i + 1]]`.
    pub starts: Vec<u32>,
    /// For every sm_35 instruction that accesses memory, the instruction that does so, perhaps a later one's.
    pub access: Vec<Option<u32>>,
}

impl Translated {
    /// Returns the translation of one sm_35 instruction.
    pub fn of(&self, index: usize) -> &[Translation] {
        &self.instructions[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Bytes of the code.
    pub fn code_bytes(&self) -> u32 {
        INSTRUCTION_BYTES * self.instructions.len() as u32
    }
}

/// The kernel, its analyses and the target, as the parts of the translation use them.
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

/// Translates a kernel of sm_35 into code of compute capability 1.x.
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

/// Whether a space is addressed through address registers.
fn is_indexed(space: Space) -> bool {
    matches!(space, Space::Shared | Space::Local)
}
