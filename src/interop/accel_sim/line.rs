//! One line of a trace: one executed warp instruction.
//!
//! Models: `PC mask ndst [R..] opcode nsrc [R..] mem_width [mode addresses] [immediate] [immediate]`.
//! Leaves out: predicates and constants, which the format does not record; uniform registers, which version 6 does, and immediates.
//! Units: bytes.
//! Sources: `inst_trace_t::parse_from_string` of Accel-Sim's `trace_parser.cc`.

use super::addresses::{self, AddressMode};
use super::error::Fault;
use super::token::{self, decimal, hexadecimal};
use super::{MAX_DESTINATIONS, MAX_SOURCES};
use std::fmt::Write as _;

/// Text that a tracer writes where there is no immediate.
const NO_VALUE: &str = "NoVal";
/// Version 6 writes two.
const MAX_IMMEDIATES: usize = 2;

/// One executed warp instruction, as a line of a trace records it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    pub pc: u64,
    /// Lanes that execute, guards taken into account.
    pub mask: u32,
    /// The destination register; 255 is RZ.
    pub destination: Option<u8>,
    /// Opcode with its modifiers: `LDG.E.64`.
    pub opcode: String,
    pub sources: Vec<u8>,
    pub memory: Option<MemoryAccess>,
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
    /// Appends the line, with an immediate of 0 and its end.
    pub fn write(&self, out: &mut String, mode: AddressMode) {
        // Writing to a string cannot fail.
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
        out.push_str(" 0\n");
    }

    /// Reads a line into this one, reusing its memory.
    pub fn read<'a>(&mut self, mut tokens: impl Iterator<Item = &'a str>) -> Result<(), Fault> {
        let hex = "a hexadecimal number";
        self.pc = token::next(&mut tokens, "program counter", hex, hexadecimal)?;
        let mask = token::next(&mut tokens, "mask", hex, hexadecimal)?;
        self.mask = u32::try_from(mask)
            .map_err(|_| Fault::new("mask", format!("{mask:x}"), "at most 8 hexadecimal digits"))?;
        let what = "destination registers";
        registers(&mut tokens, what, MAX_DESTINATIONS, &mut self.sources)?;
        self.destination = self.sources.first().copied();
        let opcode = token::next(&mut tokens, "opcode", "a name", Some)?;
        opcode.clone_into(&mut self.opcode);
        let what = "source registers";
        registers(&mut tokens, what, MAX_SOURCES, &mut self.sources)?;
        match token::next(&mut tokens, "memory width", "a decimal number", decimal)? {
            0 => self.memory = None,
            width => {
                let memory = self.memory.get_or_insert_default();
                memory.width = width;
                addresses::parse(&mut tokens, self.mask, &mut memory.addresses)?;
            }
        }
        for immediate in tokens.by_ref().take(MAX_IMMEDIATES) {
            check_immediate(immediate)?;
        }
        let allowed = "at most two numbers, the immediates";
        let more = tokens.next();
        more.map_or(Ok(()), |more| {
            Err(Fault::new("text after the instruction", more, allowed))
        })
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
    let count = |token| decimal(token).filter(|&count: &usize| count <= most);
    let count = token::next(tokens, what, &format!("0 to {most}"), count)?;
    for _ in 0..count {
        let allowed = "R0 to R255, UR0 to UR255";
        let (number, is_uniform) = token::next(tokens, "register", allowed, register)?;
        out.extend((!is_uniform).then_some(number));
    }
    Ok(())
}

/// A register's number, and whether it is uniform.
fn register(token: &str) -> Option<(u8, bool)> {
    let plain = token.strip_prefix('U');
    let digits = plain.unwrap_or(token).strip_prefix('R')?;
    Some((decimal(digits)?, plain.is_some()))
}

/// Checks a decimal number of 64 bits, which tracers print without its sign too, or [`NO_VALUE`].
fn check_immediate(token: &str) -> Result<(), Fault> {
    let is_number = token.parse::<i64>().is_ok() || token.parse::<u64>().is_ok();
    match is_number || token == NO_VALUE {
        true => Ok(()),
        false => Err(Fault::new(
            "immediate",
            token,
            "a whole decimal number, or NoVal",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Line, Fault> {
        let mut line = Line::default();
        line.read(text.split_ascii_whitespace())?;
        Ok(line)
    }

    #[test]
    fn a_line_of_a_real_trace() {
        let text = "0120 ffffffff 1 R4 LDG.E.64 1 R2 8 1 0x7f1900000000 8 0";
        let line = parse(text).unwrap();
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
            let line = parse(&text).unwrap();
            assert!(line.memory.unwrap().addresses.is_empty(), "{text}");
        }
    }

    #[test]
    fn version_6_names_uniform_registers_and_two_immediates() {
        let text = "0120 ffffffff 1 UR4 R2UR 2 R2 UR7 0 NoVal 12";
        let line = parse(text).unwrap();
        assert_eq!((line.destination, &line.sources[..]), (None, &[2][..]));
        assert!(parse("0130 ffffffff 1 R1 FADD 2 R2 R3 0 NoVal NoVal").is_ok());
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
            line.read(text.split_ascii_whitespace()).unwrap();
            assert_eq!(line, parse(text).unwrap());
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
            let fault = parse(text).unwrap_err();
            assert!(fault.what.contains(what), "{text}: {fault:?}");
        }
    }
}
