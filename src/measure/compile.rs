//! A custom kernel from its CUDA source: nvrtc, ptxas and nvdisasm, as the committed machine code was made.
//!
//! Leaves out: kernels that a GPU of this machine compiles for itself (`launch`). Sources: `tools/variants.py` for the options.

use crate::isa::Arch;
use crate::systems::chitty::code::name_of;
use crate::systems::chitty::source;
use crate::systems::chitty::variant::{Math, Variant};
use cudarc::nvrtc::{self, CompileOptions, compile_ptx_with_opts};
use std::path::{Path, PathBuf};
use std::process::Command;
use thiserror::Error;

/// Error of compiling a source.
#[derive(Debug, Error)]
pub enum CompileError {
    #[error("{file}: {reason}")]
    Read { file: String, reason: String },
    #[error(
        "{tool} was not found; looked for in the folders of $WARPSTACK_CUDA, $CUDA_HOME, $CUDA_PATH (bin/), $PATH, /usr/local/cuda/bin; \
         without it compile elsewhere and give the listing with --sass"
    )]
    Missing { tool: &'static str },
    #[error(
        "libnvrtc was not found; set LD_LIBRARY_PATH to CUDA's folder of libraries, or compile elsewhere and give the listing with --sass"
    )]
    NoNvrtc,
    #[error("{tool} refused {file}: {reason}")]
    Refused {
        tool: &'static str,
        file: String,
        reason: String,
    },
}

/// A custom kernel's source and how it is compiled.
#[derive(Debug, Clone)]
pub struct OwnSource<'a> {
    pub path: &'a Path,
    /// Compiled like this kernel: its problem, second dimension, shape, math, words and architecture.
    pub like: Variant,
    /// More options of nvrtc.
    pub options: &'a [String],
    /// `None`: as many as leave room for 1024 threads.
    pub max_registers: Option<u32>,
}

/// A custom kernel as a GPU loads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnBinary {
    /// Name of its file.
    pub name: String,
    /// Name of its function.
    pub entry: String,
    pub cubin: Vec<u8>,
}

impl OwnSource<'_> {
    /// Returns the listing of its machine code, with the lines of the source.
    pub fn listing(&self) -> Result<String, CompileError> {
        let nvdisasm = tool("nvdisasm")?;
        let folder = tempfile::tempdir().map_err(|error| self.unread(error))?;
        let (_, cubin) = self.assemble(folder.path())?;
        let mut disassemble = Command::new(nvdisasm);
        disassemble.args(["-hex", "-g"]).arg(&cubin);
        self.run("nvdisasm", &mut disassemble)
    }

    /// Returns its machine code as a GPU loads it.
    pub fn binary(&self) -> Result<OwnBinary, CompileError> {
        let folder = tempfile::tempdir().map_err(|error| self.unread(error))?;
        let (ptx, cubin) = self.assemble(folder.path())?;
        let entry = entry_point(&ptx)
            .ok_or_else(|| self.refused("nvrtc", "given no kernel (`__global__`)".into()))?;
        Ok(OwnBinary {
            name: name_of(self.path),
            entry: entry.to_owned(),
            cubin: std::fs::read(cubin).map_err(|error| self.unread(error))?,
        })
    }

    /// Writes its machine code into a folder; returns the text in PTX and the file.
    fn assemble(&self, folder: &Path) -> Result<(String, PathBuf), CompileError> {
        let ptxas = tool("ptxas")?;
        let (ptx, cubin) = (folder.join("kernel.ptx"), folder.join("kernel.cubin"));
        let text = self.ptx()?;
        std::fs::write(&ptx, &text).map_err(|error| self.unread(error))?;
        let registers = self
            .max_registers
            .unwrap_or(usual_registers(self.like.arch));
        let mut assemble = Command::new(ptxas);
        assemble
            .arg(format!("-arch={}", self.like.arch))
            .arg(format!("-maxrregcount={registers}"))
            .arg("-lineinfo")
            .args([ptx.as_os_str(), "-o".as_ref(), cubin.as_os_str()]);
        self.run("ptxas", &mut assemble)?;
        Ok((text, cubin))
    }

    fn ptx(&self) -> Result<String, CompileError> {
        let text = crate::util::input::text(self.path).map_err(|error| self.unread(error))?;
        let name = self.path.display().to_string();
        let source = source::with_headers(&text, &name, self.path.parent());
        if source.contains('\0') || name.contains('\0') {
            return Err(self.refused("nvrtc", "given a byte 0; allowed: text".into()));
        }
        // SAFETY: only opens the library and looks for it.
        if !unsafe { nvrtc::sys::is_culib_present() } {
            return Err(CompileError::NoNvrtc);
        }
        let (major, minor) = self.like.arch.compute_capability();
        let mut options = vec![format!("--gpu-architecture=compute_{major}{minor}")];
        options.extend(variant_options(&self.like));
        options.push("-lineinfo".into());
        options.extend_from_slice(self.options);
        let compile = CompileOptions {
            options,
            include_paths: (self.path.parent().iter())
                .map(|folder| folder.display().to_string())
                .filter(|folder| !folder.is_empty())
                .collect(),
            name: Some(name),
            ..CompileOptions::default()
        };
        match compile_ptx_with_opts(source, compile) {
            Ok(ptx) => Ok(ptx.to_src()),
            Err(nvrtc::CompileError::CompileError { log, .. }) => {
                Err(self.refused("nvrtc", first_error(&log.to_string_lossy())))
            }
            Err(other) => Err(self.refused("nvrtc", format!("{other:?}"))),
        }
    }

    fn run(&self, name: &'static str, command: &mut Command) -> Result<String, CompileError> {
        let output = command.output().map_err(|error| self.unread(error))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(self.refused(name, first_error(&said)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn refused(&self, tool: &'static str, reason: String) -> CompileError {
        CompileError::Refused {
            tool,
            file: self.path.display().to_string(),
            reason,
        }
    }

    fn unread(&self, error: std::io::Error) -> CompileError {
        CompileError::Read {
            file: self.path.display().to_string(),
            reason: error.to_string(),
        }
    }
}

/// Returns the name of the first kernel in a text of PTX.
fn entry_point(ptx: &str) -> Option<&str> {
    let (_, after) = ptx.split_once(".entry ")?;
    let end = after.find(|letter: char| letter == '(' || letter.is_whitespace())?;
    Some(&after[..end])
}

/// The options that a variant's source is compiled with, the architecture left out.
fn variant_options(variant: &Variant) -> Vec<String> {
    let define = |key: &str, value: &str| {
        let value = value.to_uppercase().replace('-', "_");
        format!("-D{key}_{value}")
    };
    let mut options = vec![
        "--std=c++14".to_owned(),
        define("PROBLEM", variant.problem.compiled_as().name()),
        define("SHAPE", variant.shape.name()),
        define("DISPATCH", variant.dispatch.name()),
        format!("-DSTACKDIM={}", variant.stack_dim),
    ];
    if variant.stack_registers > 0 {
        options.push(format!("-DSTACK_REGISTERS={}", variant.stack_registers));
    }
    if variant.math == Math::Fast {
        options.push("--use_fast_math".into());
    }
    options
}

/// Registers per thread that leave room for 1024 threads; on Kepler the limit of compute capability 3.0.
fn usual_registers(arch: Arch) -> u32 {
    match arch {
        Arch::Sm35 => 63,
        _ => 64,
    }
}

/// Returns the first line with an error, or else the first line.
fn first_error(log: &str) -> String {
    let mut lines = log.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next().unwrap_or("no reason given");
    lines
        .find(|line| line.contains("error"))
        .unwrap_or(first)
        .to_owned()
}

fn tool(name: &'static str) -> Result<PathBuf, CompileError> {
    let of_variable =
        |variable: &&str| Some(PathBuf::from(std::env::var_os(variable)?).join("bin"));
    let roots = ["WARPSTACK_CUDA", "CUDA_HOME", "CUDA_PATH"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = (roots.iter().filter_map(of_variable))
        .chain(std::env::split_paths(&path))
        .chain([PathBuf::from("/usr/local/cuda/bin")]);
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let mut candidates = folders.map(|folder| folder.join(&file));
    candidates
        .find(|candidate| candidate.is_file())
        .ok_or(CompileError::Missing { tool: name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::chitty::variant::KernelId;

    #[test]
    fn an_own_kernel_is_compiled_with_the_options_of_the_committed_ones() {
        for variant in Variant::all().unwrap() {
            let recorded = &variant.resources().unwrap().nvrtc_options[1..];
            let mut options = variant_options(&variant);
            // The fast accumulator is compiled with one more definition.
            if variant.kernel == KernelId::Accumulator && variant.math == Math::Fast {
                options.insert(options.len() - 1, "-DMATH_FAST".into());
            }
            assert_eq!(options, recorded, "{variant}");
        }
    }

    #[test]
    fn the_line_with_the_error_is_told() {
        let log = "kernel.cu(3): warning: unused\nkernel.cu(9): error: expected a \";\"\n";
        assert_eq!(first_error(log), "kernel.cu(9): error: expected a \";\"");
        assert_eq!(first_error(""), "no reason given");
    }
}
