//! Machine code of a launch: compiled with the program, or the listing of a custom kernel.
//!
//! The resources that a custom kernel needs are read from its listing. It takes the six arguments of the interpreters here
//! (programs, inputs, outputs, results, words of a row, fitness cases), and programs in one of their encodings.
//! Leaves out: execution; correctness of the results (`systems::chitty::conformance`).
//! Units: bytes. Sources: nvdisasm's output.

use super::kernel_id::Lowering;
use super::variant::{Resources, Variant, VariantError};
use super::{embedded, lines, source};
use crate::isa::Arch;
use crate::isa::encoding::{self, Opcodes};
use crate::isa::{IsaError, Kernel, SourceLine};
use crate::util::input;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// Error in obtaining machine code.
#[derive(Debug, Error)]
pub enum CodeError {
    #[error(transparent)]
    Variant(#[from] VariantError),
    #[error(transparent)]
    Isa(#[from] IsaError),
    #[error("{file}: {reason}")]
    Read { file: String, reason: String },
    #[error(
        "{file}: given {given} kernel arguments; allowed: {ARGUMENTS} (programs, inputs, outputs, results, words of a row, fitness cases)"
    )]
    Arguments { file: String, given: usize },
}

/// Number of kernel arguments of the interpreters.
const ARGUMENTS: usize = 6;

/// A custom kernel, compiled elsewhere.
#[derive(Debug, PartialEq, Eq)]
pub struct OwnCode {
    /// Name of the kernel: its file's name, with a dot that no built-in kernel's name has.
    pub name: String,
    pub lowering: Lowering,
    pub arch: Arch,
    text: String,
    /// Name and text of its source file.
    source: Option<(String, String)>,
    digest: [u8; 32],
    resources: Resources,
}

impl OwnCode {
    /// Reads the output of `nvdisasm -hex` (with or without `-g`) for a file with one kernel.
    pub fn read(path: &Path, lowering: Lowering) -> Result<Self, CodeError> {
        Self::new(read(path)?, &name_of(path), lowering)
    }

    /// Parses the output of `nvdisasm -hex`; `file` names it.
    pub fn new(text: String, file: &str, lowering: Lowering) -> Result<Self, CodeError> {
        let kernel = Kernel::parse(&text, file)?;
        if kernel.parameters.len() != ARGUMENTS {
            return Err(CodeError::Arguments {
                file: file.to_owned(),
                given: kernel.parameters.len(),
            });
        }
        Ok(OwnCode {
            name: name_of(Path::new(file)),
            lowering,
            arch: kernel.arch.parse().map_err(VariantError::from)?,
            digest: Sha256::digest(text.as_bytes()).into(),
            resources: Resources {
                registers: kernel.registers,
                frame_bytes: kernel.frame_bytes,
                static_shared_bytes: kernel.shared_bytes,
                spill_store_bytes: 0,
                spill_load_bytes: 0,
                compiler: String::new(),
                nvrtc_options: Vec::new(),
                ptxas_options: Vec::new(),
                source: String::new(),
                source_sha256: String::new(),
            },
            source: None,
            text,
        })
    }

    /// Returns the listing that it was parsed from.
    pub fn listing(&self) -> &str {
        &self.text
    }

    /// Refuses a listing whose text contradicts its encodings. They are compared with the program's own listings: for every
    /// kernel, problem and math of the architecture, the one with the smallest stack.
    pub fn check_encodings(&self) -> Result<(), CodeError> {
        let mut smallest = BTreeMap::new();
        for variant in Variant::all()?
            .into_iter()
            .filter(|variant| variant.arch == self.arch)
        {
            let kind = (variant.kernel, variant.problem, variant.math);
            smallest.entry(kind).or_insert(variant);
        }
        let mut known = Opcodes::new();
        for variant in smallest.values() {
            encoding::note_opcodes(&variant.sass()?, variant.sass_file()?, &mut known)?;
        }
        Ok(encoding::check(&self.text, &self.name, &known)?)
    }

    /// Adds the source of the kernel.
    pub fn with_source(mut self, path: &Path) -> Result<Self, CodeError> {
        let text = read(path)?;
        self.source = Some((lines::base_name(&path.to_string_lossy()).to_owned(), text));
        Ok(self)
    }
}

/// Returns the name of the custom kernel in a file.
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    match is_custom(&name) {
        true => name.into_owned(),
        false => format!("{name}.sass"),
    }
}

/// Returns whether a kernel of this name is custom.
pub fn is_custom(name: &str) -> bool {
    name.contains('.')
}

fn read(path: &Path) -> Result<String, CodeError> {
    input::text(path).map_err(|error| CodeError::Read {
        file: path.display().to_string(),
        reason: error.to_string(),
    })
}

/// Machine code with the variant that describes it. For a custom kernel, everything but its instructions is that of the nearest
/// variant.
#[derive(Debug, Clone)]
pub struct KernelCode {
    variant: Variant,
    own: Option<Arc<OwnCode>>,
}

impl KernelCode {
    /// Makes a custom kernel that runs like `variant` in everything but its instructions.
    pub fn own(variant: Variant, own: Arc<OwnCode>) -> Self {
        KernelCode {
            variant,
            own: Some(own),
        }
    }

    /// Returns the variant, or `None` for a custom kernel.
    pub fn compiled(&self) -> Option<&Variant> {
        match self.own {
            Some(_) => None,
            None => Some(&self.variant),
        }
    }

    /// Returns the name of the kernel.
    pub fn kernel_name(&self) -> &str {
        match &self.own {
            Some(own) => &own.name,
            None => self.variant.kernel.name(),
        }
    }

    /// Returns the parsed instructions.
    pub fn kernel(&self) -> Result<Kernel, CodeError> {
        Ok(match &self.own {
            Some(own) => Kernel::parse(&own.text, &own.name)?,
            None => embedded::kernel(self.variant.sass_file()?)?,
        })
    }

    /// Returns the resources that it needs of a multiprocessor.
    pub fn resources(&self) -> Result<&Resources, CodeError> {
        match &self.own {
            Some(own) => Ok(&own.resources),
            None => Ok(self.variant.resources()?),
        }
    }

    /// Returns the source lines of the instructions, where known.
    pub fn source_lines(&self) -> Result<Vec<SourceLine>, CodeError> {
        match &self.own {
            Some(_) => Ok(self.kernel()?.lines),
            None => Ok(lines::of(&self.variant)?),
        }
    }

    /// Returns a line of a source file by the file's name, if the file is available.
    pub fn source_text(&self, file: &str, line: u32) -> Option<&str> {
        let file = lines::base_name(file);
        let own = self.own.as_ref().and_then(|own| own.source.as_ref());
        let text = match own.filter(|(name, _)| name == file) {
            Some((_, text)) => text.as_str(),
            None => source::text(file)?,
        };
        text.lines()
            .nth(line.checked_sub(1)? as usize)
            .map(str::trim)
    }

    fn identity(&self) -> (Variant, Option<[u8; 32]>) {
        (self.variant, self.own.as_ref().map(|own| own.digest))
    }
}

impl From<Variant> for KernelCode {
    fn from(variant: Variant) -> Self {
        KernelCode { variant, own: None }
    }
}

impl Deref for KernelCode {
    type Target = Variant;

    fn deref(&self) -> &Variant {
        &self.variant
    }
}

impl PartialEq for KernelCode {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for KernelCode {}

impl Hash for KernelCode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl fmt::Display for KernelCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.own {
            Some(own) => write!(formatter, "{}/{}", own.arch, own.name),
            None => self.variant.fmt(formatter),
        }
    }
}
