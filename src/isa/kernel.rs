//! Kernels: instructions, resource usage and constant data.
//!
//! Models: one kernel per SASS file.
//! Leaves out: device functions in sections of their own.
//! Units: bytes.
//! Sources: nvdisasm 11.8 output, EIATTR attributes.

use std::collections::HashMap;

use super::decoder::Decoder;
use super::error::IsaError;
use super::family::Family;
use super::instruction::Instruction;
use super::jump_table;
use super::text::{LineNote, SassText};

/// Maximum local memory of a thread, by the CUDA C++ Programming Guide's table of technical specifications: 512 KiB.
const MAX_FRAME_BYTES: u32 = 512 << 10;

/// A parsed kernel.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub name: String,
    /// Architecture, such as `sm_35`.
    pub arch: String,
    pub family: Family,
    /// Registers per thread.
    pub registers: u32,
    /// Local memory per thread.
    pub frame_bytes: u32,
    /// Static shared memory per block.
    pub shared_bytes: u32,
    pub instructions: Vec<Instruction>,
    /// Constant banks with compiled-in data, by number.
    pub constants: HashMap<u8, Vec<u8>>,
    /// Module-scope data, placed at [`super::GLOBAL_DATA_ADDRESS`].
    pub global_data: Vec<u8>,
    /// Offset and size of every parameter in constant bank 0, in order.
    pub parameters: Vec<Parameter>,
    /// Source lines of runs of instructions, by the address of the first; empty unless the listing gives them (`nvdisasm -g`).
    pub lines: Vec<SourceLine>,
}

/// Source line of the instructions from this address up to that of the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    pub pc_bytes: u32,
    /// File name as passed to the compiler.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
}

/// Position of a kernel parameter in constant bank 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    pub offset_bytes: u32,
    pub size_bytes: u32,
}

impl Kernel {
    /// Parses the output of `nvdisasm -hex`; `file_name` is used in errors.
    pub fn parse(text: &str, file_name: &str) -> Result<Self, IsaError> {
        let text = SassText::split(text, file_name)?;
        let Some(family) = Family::of(&text.arch) else {
            return Err(IsaError::Architecture {
                file: file_name.to_owned(),
                given: text.arch,
                allowed: "sm_35, sm_75, sm_80, sm_86, sm_89, sm_90",
            });
        };
        let name = text.kernel.unwrap_or_default();
        let missing = |what| IsaError::Missing {
            file: file_name.to_owned(),
            what,
        };
        let decoder = Decoder::new(file_name, &text, family);
        let registers = decoder.registers.ok_or_else(|| missing("register count"))?;
        let frame_bytes = text
            .function_attribute("EIATTR_FRAME_SIZE", name)
            .ok_or_else(|| missing("EIATTR_FRAME_SIZE"))?;
        if frame_bytes > MAX_FRAME_BYTES {
            return Err(IsaError::Frame {
                file: file_name.to_owned(),
                given: frame_bytes,
                allowed: MAX_FRAME_BYTES,
            });
        }
        let instructions = text.instructions.iter().map(|raw| decoder.instruction(raw));
        let mut instructions = instructions.collect::<Result<Vec<_>, _>>()?;
        let constants = decoder.constants(name);
        jump_table::resolve(&mut instructions, &constants, family);
        Ok(Self {
            name: name.to_owned(),
            arch: text.arch.clone(),
            family,
            registers,
            frame_bytes,
            instructions,
            constants,
            global_data: decoder.global_data(),
            parameters: parameters(&text, name),
            shared_bytes: shared_bytes(&text, name),
            lines: source_lines(&text),
        })
    }

    /// Index of the instruction at a byte offset, see [`Family::index_of`].
    pub fn index_of(&self, pc_bytes: u32) -> Option<usize> {
        self.family.index_of(&self.instructions, pc_bytes)
    }

    /// Finds the source line of the instruction at a byte offset, among lines in order.
    pub fn source_line(lines: &[SourceLine], pc_bytes: u32) -> Option<&SourceLine> {
        let after = lines.partition_point(|line| line.pc_bytes <= pc_bytes);
        lines.get(after.checked_sub(1)?)
    }
}

/// Static shared memory without the system's reservation, which Hopper's compiler includes.
fn shared_bytes(text: &SassText, name: &str) -> u32 {
    let reserved = match text.arch.as_str() {
        "sm_90" => 1024,
        _ => 0,
    };
    let section = text.data.get(format!(".nv.shared.{name}").as_str());
    let bytes = section.map_or(0, |section| section.bytes.len() as u32);
    bytes.saturating_sub(reserved)
}

fn source_lines(text: &SassText) -> Vec<SourceLine> {
    let address = |first: usize| Some(text.instructions.get(first)?.pc_bytes);
    let line = |note: &LineNote| {
        Some(SourceLine {
            pc_bytes: address(note.first)?,
            file: note.file.to_owned(),
            line: note.line,
        })
    };
    text.lines.iter().filter_map(line).collect()
}

/// Attributes of the kernel alone: device functions have similar sections.
fn attributes<'a>(text: &'a SassText, name: &str) -> &'a [u8] {
    let section = text.data.get(format!(".nv.info.{name}").as_str());
    section.map_or(&[][..], |section| section.bytes.as_slice())
}

/// Reads EIATTR_KPARAM_INFO: ordinal and offset in one word, size in the upper bits of the next.
fn parameters(text: &SassText, name: &str) -> Vec<Parameter> {
    let bytes = attributes(text, name);
    let base = param_base(bytes, &text.arch);
    let mut found = Vec::new();
    let word =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    for at in (0..bytes.len().saturating_sub(15)).step_by(4) {
        if bytes[at..at + 2] == [0x04, 0x17] && word(at + 4) == 0 {
            let (ordinal, offset) = (word(at + 8) & 0xffff, word(at + 8) >> 16);
            let size_bytes = word(at + 12) >> 18;
            found.push((
                ordinal,
                Parameter {
                    offset_bytes: base + offset,
                    size_bytes,
                },
            ));
        }
    }
    found.sort_by_key(|(ordinal, _)| *ordinal);
    found.into_iter().map(|(_, parameter)| parameter).collect()
}

/// Reads EIATTR_PARAM_CBANK: the first parameter's offset.
fn param_base(attributes: &[u8], arch: &str) -> u32 {
    for (at, window) in attributes.windows(10).enumerate() {
        if at % 4 == 0 && window[..2] == [0x04, 0x0a] {
            return u32::from(u16::from_le_bytes([window[8], window[9]]));
        }
    }
    if arch == "sm_35" { 0x140 } else { 0x210 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_from_its_address_to_that_of_the_next() {
        let lines = [(16, 3), (48, 7), (64, 3)].map(|(pc_bytes, line)| SourceLine {
            pc_bytes,
            file: "a.cu".into(),
            line,
        });
        let line = |pc_bytes| Kernel::source_line(&lines, pc_bytes).map(|found| found.line);
        assert_eq!(
            [0, 16, 32, 48, 56, 64, 999].map(line),
            [None, Some(3), Some(3), Some(7), Some(7), Some(3), Some(3)]
        );
        assert!(Kernel::source_line(&[], 0).is_none());
    }
}
