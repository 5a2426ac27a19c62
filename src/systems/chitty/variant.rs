//! Kernel variants: their names, their machine code and their resource usage.
//!
//! Models: one entry per compiled kernel of `fixtures/sass/`; the files are embedded, so an installed binary needs neither CUDA
//! nor the repository.
//! Leaves out: the machine code's meaning (`isa`).
//! Units: bytes for frames and shared memory, 32-bit registers per thread.
//! Sources: `fixtures/sass/index.json`, written by `tools/regenerate-sass`.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use super::embedded::{listing, unpack};
pub use super::kernel_id::KernelId;
use crate::gp::problem::ProblemId;
use crate::isa::Arch;
use crate::util::names::{UnknownName, named};
use serde::Deserialize;
use thiserror::Error;

static INDEX_JSON: &str = include_str!("../../../fixtures/sass/index.json");
static INDEX: LazyLock<Result<Vec<Entry>, String>> =
    LazyLock::new(|| serde_json::from_str(INDEX_JSON).map_err(|error| error.to_string()));

/// Error in naming or reading a variant.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VariantError {
    /// No value with this name.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    #[error(
        "no machine code for `{given}`; allowed with this kernel, problem and architecture: {allowed}"
    )]
    /// No machine code for this combination.
    NotCompiled {
        /// Variant that was given.
        given: String,
        /// Variants that are allowed.
        allowed: String,
    },
    /// A damaged file in the library.
    #[error("embedded file `{file}` is damaged: {reason}")]
    Damaged {
        /// Name of the file.
        file: String,
        /// Description of the damage.
        reason: String,
    },
}

named! {
    /// Compilation of the loops over the cases per thread.
    pub enum Shape ("code shape") {
    /// All loops are unrolled.
    Unrolled = "unrolled",
    /// No loop is unrolled.
    Rolled = "rolled",
    /// All loops are unrolled except the one that reads fitness cases.
    RolledInput = "rolled-input",
    }
}

named! {
    /// Accuracy of division and the transcendental functions.
    pub enum Math ("math") {
    /// The compiler's default.
    Accurate = "accurate",
    /// `--use_fast_math`.
    Fast = "fast",
    }
}

named! {
    /// Type of a program word in shared memory, which the compare chain compares.
    pub enum Dispatch ("dispatch") {
    /// Floats, as in the paper's listings.
    Float = "float",
    /// Integers.
    Int = "int",
    }
}

/// One compiled kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
pub struct Variant {
    /// The interpreter.
    pub kernel: KernelId,
    /// Problem that it runs.
    pub problem: ProblemId,
    /// Cases per thread: the size of the stack's second dimension.
    pub stack_dim: u32,
    /// Stack levels held in registers; 0 for every kernel but `lgp-registers` and `accumulator`.
    pub stack_registers: u32,
    /// Compilation of its loops.
    pub shape: Shape,
    /// Accuracy of its mathematics.
    pub math: Math,
    /// Type of its program words.
    pub dispatch: Dispatch,
    /// Architecture of its machine code.
    pub arch: Arch,
}

/// Resources that a kernel needs of a multiprocessor, and the way it was compiled.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Resources {
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Local memory per thread for the stack and the compiler's own arrays.
    pub frame_bytes: u32,
    /// Bytes of register spills to local memory, stores.
    pub spill_store_bytes: u32,
    /// Bytes of register spills to local memory, loads.
    pub spill_load_bytes: u32,
    /// Shared memory per block besides the program, whose size depends on the launch.
    pub static_shared_bytes: u32,
    /// Name and version of the compiler.
    pub compiler: String,
    /// Options from CUDA C to PTX.
    pub nvrtc_options: Vec<String>,
    /// Options from PTX to machine code.
    pub ptxas_options: Vec<String>,
    /// CUDA C source file.
    pub source: String,
    /// SHA-256 of the source file.
    pub source_sha256: String,
}

#[derive(Debug, Deserialize)]
struct Entry {
    #[serde(flatten)]
    variant: Variant,
    file: String,
    cubin: Option<String>,
    #[serde(flatten)]
    resources: Resources,
}

impl Variant {
    /// Returns the default variant of a kernel: unrolled loops, accurate math, the kernel's own type of program words.
    pub fn new(kernel: KernelId, problem: ProblemId, stack_dim: u32, arch: Arch) -> Self {
        Self {
            kernel,
            problem,
            stack_dim,
            stack_registers: 0,
            shape: Shape::Unrolled,
            math: Math::Accurate,
            dispatch: kernel.default_dispatch(),
            arch,
        }
    }

    /// Returns the cases per thread with the stack levels in registers of a kernel as compiled for an architecture, ascending.
    pub fn stacks(
        kernel: KernelId,
        problem: ProblemId,
        arch: Arch,
    ) -> Result<Vec<(u32, u32)>, VariantError> {
        let compiled = Self::of_problem(problem, arch)?.into_iter();
        let stacks: BTreeSet<(u32, u32)> = compiled
            .filter(|v| v.kernel == kernel)
            .map(|v| (v.stack_dim, v.stack_registers))
            .collect();
        Ok(stacks.into_iter().collect())
    }

    /// Returns the variants that run a problem, compiled for it or for another problem with its functions.
    pub fn of_problem(problem: ProblemId, arch: Arch) -> Result<Vec<Variant>, VariantError> {
        let mut all = Self::all()?;
        all.retain(|v| (v.problem, v.arch) == (problem.compiled_as(), arch));
        all.iter_mut().for_each(|variant| variant.problem = problem);
        Ok(all)
    }

    /// Returns every compiled variant.
    pub fn all() -> Result<Vec<Variant>, VariantError> {
        Ok(index()?.iter().map(|entry| entry.variant).collect())
    }

    /// Returns the name of the listing, for messages.
    pub fn sass_file(&self) -> Result<&'static str, VariantError> {
        Ok(&self.entry()?.file)
    }

    /// Returns the machine code as printed by `nvdisasm -hex`, without sections that nothing reads.
    pub fn sass(&self) -> Result<String, VariantError> {
        listing(self.sass_file()?)
    }

    /// Returns the binary that the driver loads; `None` if none is stored for the architecture.
    pub fn cubin(&self) -> Result<Option<Vec<u8>>, VariantError> {
        self.entry()?.cubin.as_deref().map(unpack).transpose()
    }

    /// Returns the resources that the kernel needs of a multiprocessor.
    pub fn resources(&self) -> Result<&'static Resources, VariantError> {
        Ok(&self.entry()?.resources)
    }

    fn entry(&self) -> Result<&'static Entry, VariantError> {
        let index = index()?;
        let problem = self.problem.compiled_as();
        let compiled = Variant { problem, ..*self };
        index
            .iter()
            .find(|entry| entry.variant == compiled)
            .ok_or_else(|| VariantError::NotCompiled {
                given: self.to_string(),
                allowed: self.others(index),
            })
    }

    /// Lists the variants with this kernel, problem and architecture; if there are none, the kernels of the architecture.
    fn others(&self, index: &[Entry]) -> String {
        let of_arch = index.iter().map(|entry| entry.variant);
        let of_arch: Vec<Variant> = of_arch.filter(|one| one.arch == self.arch).collect();
        let same = of_arch
            .iter()
            .filter(|one| (one.kernel, one.problem) == (self.kernel, self.problem.compiled_as()));
        let same: Vec<String> = same.map(Variant::to_string).collect();
        if !same.is_empty() {
            return same.join(", ");
        }
        let kernels: BTreeSet<&str> = of_arch.iter().map(|one| one.kernel.name()).collect();
        let names: Vec<&str> = kernels.into_iter().collect();
        format!("none; kernels of {}: {}", self.arch, names.join(", "))
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Variant {
            kernel,
            problem,
            stack_dim,
            stack_registers,
            shape,
            math,
            dispatch,
            arch,
        } = self;
        write!(formatter, "{arch}/{kernel}-{problem}-d{stack_dim}")?;
        if *stack_registers > 0 {
            write!(formatter, "-r{stack_registers}")?;
        }
        write!(formatter, "-{shape}-{math}-{dispatch}")
    }
}

fn index() -> Result<&'static [Entry], VariantError> {
    match &*INDEX {
        Ok(entries) => Ok(entries),
        Err(reason) => Err(damaged("index.json", reason)),
    }
}

pub(crate) fn damaged(file: &str, reason: impl fmt::Display) -> VariantError {
    VariantError::Damaged {
        file: format!("fixtures/sass/{file}"),
        reason: reason.to_string(),
    }
}
