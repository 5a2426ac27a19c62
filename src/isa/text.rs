//! Text of `nvdisasm -hex`, split into sections, symbols and raw instructions.
//!
//! Models: `.section` headers, EIATTR attributes, data directives, labels, instruction lines with their encodings.
//! Leaves out: relocation sections, debug information.
//! Units: bytes.
//! Sources: output of nvdisasm 11.8 and 13.0.

use std::collections::HashMap;

use super::error::IsaError;

/// Bytes of an instruction with a two-word encoding.
const WIDE_BYTES: u32 = 16;

/// Bytes of a label's address.
const LABEL_BYTES: usize = 4;

/// Maximum data size of all sections of a file: a cubin's constant banks and static shared memory are far smaller.
const MAX_DATA_BYTES: usize = 16 << 20;

/// Instruction line before decoding of its opcode.
#[derive(Debug, Clone)]
pub struct RawInstruction<'a> {
    pub line: usize,
    pub pc_bytes: u32,
    /// Guard, mnemonic and operands, without the semicolon and without nvdisasm's notes; empty if nvdisasm printed only the
    /// encoding.
    pub text: &'a str,
    /// Targets that nvdisasm notes for an indirect branch.
    pub noted_targets: Vec<&'a str>,
    pub encoding: u64,
    /// Kepler: the control word that governs the instruction, and its position after that word. Later architectures: the upper
    /// half of the encoding, and 0.
    pub control_word: Option<(u64, u8)>,
}

/// Source line of the instructions from a given one on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineNote<'a> {
    /// Index of the first of these instructions among all.
    pub first: usize,
    pub file: &'a str,
    pub line: u32,
}

/// A data section such as `.nv.constant2.rpn`.
#[derive(Debug, Clone, Default)]
pub struct DataSection<'a> {
    pub bytes: Vec<u8>,
    /// Label references stored in the word at a byte offset (jump tables, symbol addresses).
    pub references: Vec<(u32, &'a str)>,
    /// Symbols defined inside.
    pub symbols: HashMap<&'a str, u32>,
}

/// Contents of a file, split.
#[derive(Debug, Default)]
pub struct SassText<'a> {
    pub arch: String,
    pub kernel: Option<&'a str>,
    pub registers: Option<u32>,
    pub instructions: Vec<RawInstruction<'a>>,
    /// Source lines of the instructions, from `nvdisasm -g`.
    pub lines: Vec<LineNote<'a>>,
    /// Code labels: byte offset of the next instruction.
    pub labels: HashMap<&'a str, u32>,
    pub data: HashMap<&'a str, DataSection<'a>>,
    /// EIATTR name and the words that follow it, per appearance; `index@(f)` is kept as text.
    pub attributes: Vec<(&'a str, Vec<&'a str>)>,
}

impl<'a> SassText<'a> {
    /// Splits `text`; `file` names it in errors.
    pub fn split(text: &'a str, file: &str) -> Result<Self, IsaError> {
        let mut splitter = Splitter::new(file);
        for (index, line) in text.lines().enumerate() {
            splitter.line(index + 1, line.trim())?;
        }
        splitter.finish()
    }

    /// Returns the value of a per-function attribute for `function`.
    pub fn function_attribute(&self, name: &str, function: &str) -> Option<u32> {
        let owner = format!("index@({function})");
        self.attributes
            .iter()
            .filter(|(attribute, words)| {
                *attribute == name && words.first() == Some(&owner.as_str())
            })
            .find_map(|(_, words)| words.get(1).and_then(|word| parse_u64(word)))
            .map(|value| value as u32)
    }
}

/// Parses a decimal or `0x` number.
fn parse_u64(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

struct Splitter<'a, 'f> {
    file: &'f str,
    out: SassText<'a>,
    section: &'a str,
    in_code: bool,
    pending_labels: Vec<&'a str>,
    control: Option<(u64, u8)>,
    wide_encoding: bool,
    /// Bytes in all data sections.
    data_bytes: usize,
}

impl<'a, 'f> Splitter<'a, 'f> {
    fn new(file: &'f str) -> Self {
        Self {
            file,
            out: SassText::default(),
            section: "",
            in_code: false,
            pending_labels: Vec::new(),
            control: None,
            wide_encoding: false,
            data_bytes: 0,
        }
    }

    fn line(&mut self, number: usize, line: &'a str) -> Result<(), IsaError> {
        if line.is_empty() {
            return Ok(());
        }
        if let Some(attribute) = line.strip_prefix("//----- nvinfo : ") {
            self.out.attributes.push((attribute.trim(), Vec::new()));
        } else if let Some(note) = line.strip_prefix("//## File \"") {
            self.line_note(note);
        } else if line.starts_with("//") {
        } else if let Some(header) = line.strip_prefix(".section\t") {
            self.enter_section(header.trim());
        } else if line.starts_with(".headerflags") {
            self.header_flags(line);
        } else if let Some(target) = line.strip_prefix(".target\t") {
            self.architecture(target.trim_start_matches("sm_"));
        } else if line.starts_with(".sectioninfo") {
            self.section_info(line);
        } else if let Some(label) = line.strip_suffix(':').filter(|label| !label.contains(' ')) {
            self.label(label);
        } else if self.in_code {
            self.code_line(number, line)?;
        } else {
            self.data_line(number, line)?;
        }
        Ok(())
    }

    /// Parses `NAME", line N`, with or without an inlining location.
    fn line_note(&mut self, note: &'a str) {
        let Some((file, rest)) = note.split_once("\", line ") else {
            return;
        };
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next();
        if let Some(line) = digits.and_then(|digits| digits.parse().ok()) {
            let first = self.out.instructions.len();
            self.out.lines.push(LineNote { first, file, line });
        }
    }

    fn enter_section(&mut self, header: &'a str) {
        let name = header.split(',').next().unwrap_or("").trim();
        self.section = name;
        self.in_code = name.starts_with(".text.");
        if self.in_code && self.out.kernel.is_none() {
            self.out.kernel = name.strip_prefix(".text.");
        }
        if !self.in_code {
            self.out.data.entry(name).or_default();
        }
    }

    fn header_flags(&mut self, line: &str) {
        if let Some((_, number)) = line.split_once("EF_CUDA_SM") {
            self.architecture(number);
        }
    }

    /// Reads the number at the head of a text: `.headerflags` has it up to CUDA 12, `.target` since 13.
    fn architecture(&mut self, text: &str) {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        self.out.arch = format!("sm_{digits}");
        self.wide_encoding = digits.parse::<u32>().is_ok_and(|sm| sm >= 70);
    }

    fn section_info(&mut self, line: &str) {
        if let Some((_, rest)) = line.split_once("SHI_REGISTERS=") {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            self.out.registers = digits.parse().ok();
        }
    }

    fn label(&mut self, label: &'a str) {
        if self.in_code {
            self.pending_labels.push(label);
        } else if let Some(data) = self.out.data.get_mut(self.section) {
            data.symbols.insert(label, data.bytes.len() as u32);
        }
    }

    fn code_line(&mut self, number: usize, line: &'a str) -> Result<(), IsaError> {
        let Some(rest) = line.strip_prefix("/*") else {
            return Ok(()); // .align, .global, .type, .size, .other
        };
        let bad = |why| self.syntax(number, line, why);
        let (head, rest) = rest
            .split_once("*/")
            .ok_or_else(|| bad("unclosed comment"))?;
        let head = head.trim();
        if head.starts_with("0x") {
            let word = parse_u64(head).ok_or_else(|| bad("not a 64-bit word"))?;
            return self.lone_word(number, line, word);
        }
        let pc_bytes = u32::from_str_radix(head, 16).map_err(|_| bad("not a byte offset"))?;
        let (text, rest) = rest.rsplit_once(';').ok_or_else(|| bad("no semicolon"))?;
        let before = self.out.instructions.last();
        if before.is_some_and(|before| pc_bytes <= before.pc_bytes) {
            return Err(bad(
                "not behind the instruction before it; allowed: one kernel per file",
            ));
        }
        let encoding = rest
            .trim()
            .strip_prefix("/*")
            .and_then(|word| word.strip_suffix("*/"));
        let encoding = encoding
            .and_then(|word| parse_u64(word.trim()))
            .ok_or_else(|| bad("no encoding (run nvdisasm with -hex)"))?;
        self.push_instruction(number, pc_bytes, text, encoding);
        Ok(())
    }

    /// Handles a line that holds only an encoding: a Kepler control word, the upper half of the previous instruction, or an
    /// instruction that nvdisasm cannot print.
    fn lone_word(&mut self, number: usize, line: &str, word: u64) -> Result<(), IsaError> {
        if !self.wide_encoding {
            self.control = Some((word, 0));
            return Ok(());
        }
        let Some(last) = self.out.instructions.last_mut() else {
            return Ok(());
        };
        if last.control_word.is_none() {
            last.control_word = Some((word, 0));
            return Ok(());
        }
        let next = last.pc_bytes.checked_add(WIDE_BYTES);
        let next = next.ok_or_else(|| self.syntax(number, line, "not an offset of 32 bits"))?;
        self.push_instruction(number, next, "", word);
        Ok(())
    }

    fn push_instruction(&mut self, line: usize, pc_bytes: u32, text: &'a str, encoding: u64) {
        for label in self.pending_labels.drain(..) {
            self.out.labels.insert(label, pc_bytes);
        }
        let (text, note) = match text.split_once("(*") {
            Some((text, note)) => (text, note),
            None => (text, ""),
        };
        let noted_targets = note
            .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$')))
            .filter(|word| word.starts_with(".L_"))
            .collect();
        self.out.instructions.push(RawInstruction {
            line,
            pc_bytes,
            text: text.trim(),
            noted_targets,
            encoding,
            control_word: self.control,
        });
        if let Some((_, place)) = &mut self.control {
            *place = place.saturating_add(1);
        }
    }

    fn data_line(&mut self, number: usize, line: &'a str) -> Result<(), IsaError> {
        let line = match line
            .strip_prefix("/*")
            .and_then(|rest| rest.split_once("*/"))
        {
            Some((_, rest)) => rest.trim(),
            None => line,
        };
        let (directive, values) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let width = match directive {
            ".byte" => 1,
            ".short" | ".2byte" => 2,
            ".word" | ".4byte" => 4,
            ".dword" | ".8byte" | ".quad" => 8,
            ".zero" => return self.zeros(number, line, values.trim()),
            _ => return Ok(()),
        };
        for value in values.split(',') {
            self.datum(number, value.trim(), width)?;
        }
        Ok(())
    }

    fn zeros(&mut self, number: usize, line: &str, count: &str) -> Result<(), IsaError> {
        let count = parse_u64(count).and_then(|count| usize::try_from(count).ok());
        let given = count.filter(|&count| count <= MAX_DATA_BYTES - self.data_bytes);
        let count = given.ok_or_else(|| self.too_much(number, line))?;
        if let Some(data) = self.out.data.get_mut(self.section) {
            data.bytes.resize(data.bytes.len() + count, 0);
            self.data_bytes += count;
        }
        Ok(())
    }

    fn datum(&mut self, line: usize, value: &'a str, width: usize) -> Result<(), IsaError> {
        if width == 4
            && self.section.starts_with(".nv.info")
            && let Some((_, words)) = self.out.attributes.last_mut()
        {
            words.push(value);
        }
        let number = parse_u64(value);
        if self.data_bytes + width > MAX_DATA_BYTES {
            return Err(self.too_much(line, value));
        }
        if let Some(data) = self.out.data.get_mut(self.section) {
            // Narrower values are differences of labels in debug information.
            if number.is_none() && width >= LABEL_BYTES {
                data.references.push((data.bytes.len() as u32, value));
            }
            let bytes = number.unwrap_or(0).to_le_bytes();
            data.bytes.extend_from_slice(&bytes[..width]);
            self.data_bytes += width;
        }
        Ok(())
    }

    fn too_much(&self, line: usize, text: &str) -> IsaError {
        let why = "not data of at most 16 MiB in all sections together";
        self.syntax(line, text, why)
    }

    fn syntax(&self, line: usize, text: &str, why: &'static str) -> IsaError {
        IsaError::Syntax {
            file: self.file.to_owned(),
            line,
            text: text.to_owned(),
            why,
        }
    }

    fn finish(self) -> Result<SassText<'a>, IsaError> {
        let missing = |what| IsaError::Missing {
            file: self.file.to_owned(),
            what,
        };
        if self.out.arch.is_empty() {
            return Err(missing(".headerflags or .target with the architecture"));
        }
        if self.out.kernel.is_none() || self.out.instructions.is_empty() {
            return Err(missing(".text section with instructions"));
        }
        Ok(self.out)
    }
}
