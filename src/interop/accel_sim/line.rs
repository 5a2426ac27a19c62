//! One line of a trace: one executed warp instruction.
//!
//! Models: `[line_num] PC mask ndst [R..] opcode nsrc [R..] mem_width [mode addresses] [immediate]`.
//! Leaves out: predicates, uniform registers and constants, which the format does not record. Units: bytes.
//! Sources: `inst_trace_t::parse_from_string` of Accel-Sim's `trace_parser.cc`.

use super::addresses::{self, AddressMode};
use super::error::Fault;
use super::{MAX_DESTINATIONS, MAX_SOURCES};
use std::fmt::Write as _;

/// See the module text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Of the source code, when the header says so.
    pub line_number: Option<u32>,
    pub pc: u64,
    /// Lanes that execute, guards taken into account.
    pub mask: u32,
    /// The first destination register; 255 is RZ.
    pub destination: Option<u8>,
    /// With its modifiers: `LDG.E.64`.
    pub opcode: String,
    pub sources: Vec<u8>,
    pub memory: Option<MemoryAccess>,
    pub immediate: Option<i64>,
}

/// What the lanes of one instruction access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryAccess {
    /// Bytes per lane as the tracer reports them; readers take the width from the opcode.
    pub width: u32,
    /// One per active lane, in lane order.
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
        let mut tokens = text.split_ascii_whitespace();
        let line_number = line_info
            .then(|| field(&mut tokens, "source line number", "a decimal number"))
            .transpose()?;
        let pc = hex(&mut tokens, "program counter")?;
        let mask = hex(&mut tokens, "mask")?;
        let mask = u32::try_from(mask)
            .map_err(|_| Fault::new("mask", format!("{mask:x}"), "at most 8 hexadecimal digits"))?;
        let destination = registers(&mut tokens, "destination registers", MAX_DESTINATIONS)?;
        let opcode: String = field(&mut tokens, "opcode", "a name")?;
        let sources = registers(&mut tokens, "source registers", MAX_SOURCES)?;
        let width: u32 = field(&mut tokens, "memory width", "a decimal number")?;
        let memory = match width {
            0 => None,
            _ => Some(MemoryAccess {
                width,
                addresses: addresses::parse(&mut tokens, mask)?,
            }),
        };
        let immediate = tokens.next().map(parse_immediate).transpose()?;
        match tokens.next() {
            None => Ok(Line {
                line_number,
                pc,
                mask,
                destination: destination.first().copied(),
                opcode,
                sources,
                memory,
                immediate,
            }),
            Some(more) => Err(Fault::new(
                "text after the instruction",
                more,
                "at most one number, the immediate",
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

fn registers<'a>(
    tokens: &mut impl Iterator<Item = &'a str>,
    what: &str,
    most: usize,
) -> Result<Vec<u8>, Fault> {
    let token = tokens.next().unwrap_or("nothing");
    let count = token.parse().ok().filter(|&count: &usize| count <= most);
    let count = count.ok_or_else(|| Fault::new(what, token, format!("0 to {most}")))?;
    (0..count)
        .map(|_| {
            let token = tokens.next().unwrap_or("nothing");
            let number = token.strip_prefix('R').and_then(|rest| rest.parse().ok());
            number.ok_or_else(|| Fault::new("register", token, "R0 to R255"))
        })
        .collect()
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
    let digits = token.strip_prefix("0x").unwrap_or(token);
    u64::from_str_radix(digits, 16).map_err(|_| Fault::new(what, token, "a hexadecimal number"))
}

/// Decimal; values above `i64::MAX`, which tracers print for negative numbers, wrap.
fn parse_immediate(token: &str) -> Result<i64, Fault> {
    let signed = token.parse::<i64>().ok();
    signed
        .or_else(|| token.parse::<u64>().ok().map(|value| value as i64))
        .ok_or_else(|| Fault::new("immediate", token, "a whole decimal number"))
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
            ("0008 ffffffff 0 NOP 0 0 0 9", "text after"),
        ];
        for (text, what) in cases {
            let fault = Line::parse(text, false).unwrap_err();
            assert!(fault.what.contains(what), "{text}: {fault:?}");
        }
    }
}
