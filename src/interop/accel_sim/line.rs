//! One line of a trace: one executed warp instruction.
//!
//! Models: `[line_num] PC mask ndst [R..] opcode nsrc [R..] mem_width [mode addresses] [immediate] [immediate]`.
//! Leaves out: predicates and constants, which the format does not record; uniform registers, which version 6 does. Units: bytes.
//! Sources: `inst_trace_t::parse_from_string` of Accel-Sim's `trace_parser.cc`.

use super::addresses::{self, AddressMode};
use super::error::Fault;
use super::{MAX_DESTINATIONS, MAX_SOURCES};
use std::fmt::Write as _;

/// Text that a tracer writes where there is no immediate.
const NO_VALUE: &str = "NoVal";
/// Version 6 writes two.
const MAX_IMMEDIATES: usize = 2;

/// One executed warp instruction, as a line of a trace records it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Line number in the source code, if the trace lists it.
    pub line_number: Option<u32>,
    pub pc: u64,
    /// Lanes that execute, guards taken into account.
    pub mask: u32,
    /// The destination register; 255 is RZ.
    pub destination: Option<u8>,
    /// Opcode with its modifiers: `LDG.E.64`.
    pub opcode: String,
    pub sources: Vec<u8>,
    pub memory: Option<MemoryAccess>,
    /// The first that there is.
    pub immediate: Option<i64>,
}

/// Memory access of the lanes of one instruction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryAccess {
    /// Bytes per lane as the tracer reports them; readers take the width from the opcode.
    pub width: u32,
    /// Addresses of the active lanes, in lane order.
    pub addresses: Vec<u64>,
}

impl Line {
    /// Appends the line, with its end.
    pub fn write(&self, out: &mut String, mode: AddressMode) {
        // Writing to a string cannot fail.
        if let Some(number) = self.line_number {
            let _ = write!(out, "{number} ");
        }
        let _ = write!(out, "{:04x} {:08x}", self.pc, self.mask);
        write_registers(out, self.destination.as_slice());
        let _ = write!(out, " {}", self.opcode);
        write_registers(out, &self.sources);
        match &self.memory {
            None => out.push_str(" 0"),
            Some(memory) => {
                let _ = write!(out, " {}", memory.width);
                addresses::write(out, mode, self.mask, &memory.addresses);
            }
        }
        if let Some(immediate) = self.immediate {
            let _ = write!(out, " {immediate}");
        }
        out.push('\n');
    }

    /// Reads a line. `line_info`: it begins with a line number.
    pub fn parse(text: &str, line_info: bool) -> Result<Line, Fault> {
        let mut line = Line::default();
        line.read(text, line_info)?;
        Ok(line)
    }

    /// Reads a line into this one, reusing its memory.
    pub fn read(&mut self, text: &str, line_info: bool) -> Result<(), Fault> {
        let mut tokens = text.split_ascii_whitespace();
        self.line_number = line_info
            .then(|| field(&mut tokens, "source line number", "a decimal number"))
            .transpose()?;
        self.pc = hex(&mut tokens, "program counter")?;
        let mask = hex(&mut tokens, "mask")?;
        self.mask = u32::try_from(mask)
            .map_err(|_| Fault::new("mask", format!("{mask:x}"), "at most 8 hexadecimal digits"))?;
        let what = "destination registers";
        registers(&mut tokens, what, MAX_DESTINATIONS, &mut self.sources)?;
        self.destination = self.sources.first().copied();
        let opcode = tokens
            .next()
            .ok_or_else(|| Fault::new("opcode", "nothing", "a name"))?;
        opcode.clone_into(&mut self.opcode);
        let what = "source registers";
        registers(&mut tokens, what, MAX_SOURCES, &mut self.sources)?;
        match field(&mut tokens, "memory width", "a decimal number")? {
            0 => self.memory = None,
            width => {
                let memory = self.memory.get_or_insert_default();
                memory.width = width;
                addresses::parse(&mut tokens, self.mask, &mut memory.addresses)?;
            }
        }
        self.immediate = None;
        for _ in 0..MAX_IMMEDIATES {
            let immediate = tokens.next().map(parse_immediate).transpose()?;
            self.immediate = self.immediate.or(immediate.flatten());
        }
        match tokens.next() {
            None => Ok(()),
            Some(more) => Err(Fault::new(
                "text after the instruction",
                more,
                "at most two numbers, the immediates",
            )),
        }
    }
}

fn write_registers(out: &mut String, registers: &[u8]) {
    let _ = write!(out, " {}", registers.len());
    for register in registers {
        let _ = write!(out, " R{register}");
    }
}

/// Reads a list of at most `most` registers into `out`; uniform registers are checked and dropped.
fn registers<'a>(
    tokens: &mut impl Iterator<Item = &'a str>,
    what: &str,
    most: usize,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    out.clear();
    let token = tokens.next().unwrap_or("nothing");
    let count = token.parse().ok().filter(|&count: &usize| count <= most);
    let count = count.ok_or_else(|| Fault::new(what, token, format!("0 to {most}")))?;
    for _ in 0..count {
        let token = tokens.next().unwrap_or("nothing");
        let (digits, is_uniform) = match token.strip_prefix('U') {
            Some(rest) => (rest.strip_prefix('R'), true),
            None => (token.strip_prefix('R'), false),
        };
        let number: Option<u8> = digits.and_then(|digits| digits.parse().ok());
        let fault = || Fault::new("register", token, "R0 to R255, UR0 to UR255");
        let number = number.ok_or_else(fault)?;
        out.extend((!is_uniform).then_some(number));
    }
    Ok(())
}

fn field<'a, T: std::str::FromStr>(
    tokens: &mut impl Iterator<Item = &'a str>,
    what: &str,
    allowed: &str,
) -> Result<T, Fault> {
    let token = tokens.next();
    let parsed = token.and_then(|token| token.parse().ok());
    parsed.ok_or_else(|| Fault::new(what, token.unwrap_or("nothing"), allowed))
}

fn hex<'a>(tokens: &mut impl Iterator<Item = &'a str>, what: &str) -> Result<u64, Fault> {
    let token = tokens.next().unwrap_or("nothing");
    addresses::hexadecimal(token).ok_or_else(|| Fault::new(what, token, "a hexadecimal number"))
}

/// Parses a decimal number; values above `i64::MAX`, which tracers print for negative numbers, wrap. `None` for [`NO_VALUE`].
fn parse_immediate(token: &str) -> Result<Option<i64>, Fault> {
    if token == NO_VALUE {
        return Ok(None);
    }
    let signed = token.parse::<i64>().ok();
    signed
        .or_else(|| token.parse::<u64>().ok().map(|value| value as i64))
        .map(Some)
        .ok_or_else(|| Fault::new("immediate", token, "a whole decimal number, or NoVal"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_real_trace() {
        let text = "0120 ffffffff 1 R4 LDG.E.64 1 R2 8 1 0x7f1900000000 8 0";
        let line = Line::parse(text, false).unwrap();
        assert_eq!((line.pc, line.destination), (0x120, Some(4)));
        let addresses = &line.memory.as_ref().unwrap().addresses;
        assert_eq!((addresses.len(), addresses[31]), (32, 0x7f19_0000_00f8));
        let mut again = String::new();
        line.write(&mut again, AddressMode::Compressed);
        assert_eq!(again.trim_end(), text);
    }

    /// A memory instruction whose guard switches every lane off, as NVBit's tracer writes it.
    #[test]
    fn a_line_without_lanes_has_no_addresses() {
        for rest in ["1 0x0 0", "2 0x0", "0", "1 0x0 0 7", "2 0x0 7"] {
            let text = format!("01f0 00000000 1 R7 LDG.E 1 R4 4 {rest}");
            let line = Line::parse(&text, false).unwrap();
            assert!(line.memory.unwrap().addresses.is_empty(), "{text}");
            assert_eq!(line.immediate, rest.ends_with(" 7").then_some(7), "{text}");
        }
    }

    #[test]
    fn version_6_names_uniform_registers_and_two_immediates() {
        let text = "0120 ffffffff 1 UR4 R2UR 2 R2 UR7 0 NoVal 12";
        let line = Line::parse(text, false).unwrap();
        assert_eq!((line.destination, &line.sources[..]), (None, &[2][..]));
        assert_eq!(line.immediate, Some(12));
        let text = "0130 ffffffff 1 R1 FADD 2 R2 R3 0 NoVal NoVal";
        assert_eq!(Line::parse(text, false).unwrap().immediate, None);
    }

    #[test]
    fn nothing_of_the_line_before_stays() {
        let lines = [
            "0120 ffffffff 1 R4 LDG.E.64 1 R2 8 1 0x7f1900000000 8 5",
            "0008 0000ffff 0 BRA 0 0",
            "0128 00000003 1 R4 LDG 1 R3 4 0 0x10 0x20",
        ];
        let mut line = Line::default();
        for text in lines {
            line.read(text, false).unwrap();
            assert_eq!(line, Line::parse(text, false).unwrap());
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("", "program counter"),
            ("0008", "mask"),
            ("0008 1ffffffff 0 NOP 0 0", "mask"),
            ("0008 ffffffff 2 R1 R2 MOV 0 0", "destination registers"),
            ("0008 ffffffff 1 P1 MOV 0 0", "register"),
            ("0008 ffffffff 0", "opcode"),
            ("0008 ffffffff 0 FADD 5 R1", "source registers"),
            ("0008 ffffffff 0 NOP 0", "memory width"),
            ("0008 00000003 1 R1 LDG 1 R2 4", "address mode"),
            (
                "0008 00000003 1 R1 LDG 1 R2 4 0 10",
                "addresses of the active lanes",
            ),
            ("0008 ffffffff 0 NOP 0 0 0 9 8", "text after"),
            ("0008 ffffffff 0 NOP 0 0 x", "immediate"),
            ("0008 ffffffff 0 FADD 1 UP1 0", "register"),
        ];
        for (text, what) in cases {
            let fault = Line::parse(text, false).unwrap_err();
            assert!(fault.what.contains(what), "{text}: {fault:?}");
        }
    }
}
