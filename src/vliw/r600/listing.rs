//! Parsing of a whole listing: control-flow program, clauses, resources.
//!
//! Leaves out: directives.
//! Units: 64-bit words for addresses of clauses.
//! Sources: the listings; registers and branch stack are in the first configuration word (SQ_PGM_RESOURCES).

use super::R600Error;
use super::alu::{Bundle, Instruction, Line, literals};
use super::control::{self, Control};
use super::operand::{Channel, register};
use std::collections::BTreeMap;

/// One fetch: a word of every lane, with the address in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fetch {
    pub destination: (u8, Channel),
    pub address: (u8, Channel),
}

/// One kernel.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    pub control: Vec<Control>,
    pub alu: BTreeMap<u16, Vec<Bundle>>,
    pub fetches: BTreeMap<u16, Vec<Fetch>>,
    /// General registers needed per lane, of four words each.
    pub n_registers: u32,
    /// Entries of the branch stack needed per wavefront.
    pub n_stack_entries: u32,
}

/// Current section of the listing.
enum Place {
    Before,
    Configuration,
    Control,
    Alu(u16),
    Fetch(u16),
}

impl Listing {
    pub fn parse(text: &str) -> Result<Self, R600Error> {
        let mut reader = Reader {
            listing: Listing::default(),
            place: Place::Before,
            pending: Vec::new(),
            literals: Vec::new(),
        };
        for (index, line) in text.lines().enumerate() {
            reader.line(line.trim()).ok_or_else(|| R600Error::Syntax {
                line: index + 1,
                text: line.trim().to_string(),
                why: "not an instruction that is known here",
            })?;
        }
        reader.finish_bundle().ok_or(R600Error::Missing {
            what: "end of the last bundle",
        })?;
        reader.listing.checked()
    }

    fn checked(self) -> Result<Self, R600Error> {
        if self.n_registers == 0 {
            return Err(R600Error::Missing {
                what: "register count (.AMDGPU.config)",
            });
        }
        for control in &self.control {
            let is_there = match control {
                Control::Alu { clause, .. } => self.alu.contains_key(clause),
                Control::Fetch { clause } => self.fetches.contains_key(clause),
                _ => true,
            };
            if !is_there {
                return Err(R600Error::Missing { what: "clause" });
            }
        }
        Ok(self)
    }
}

struct Reader<'a> {
    listing: Listing,
    place: Place,
    /// Lines of the bundle being read; its literals follow it.
    pending: Vec<Line<'a>>,
    literals: Vec<u32>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) -> Option<()> {
        if line.is_empty() || line.starts_with(';') {
            return Some(());
        }
        if let Some(rest) = line.strip_prefix("ALU clause starting at ") {
            self.finish_bundle()?;
            self.place = Place::Alu(rest.strip_suffix(':')?.parse().ok()?);
            return Some(());
        }
        if let Some(rest) = line.strip_prefix("Fetch clause starting at ") {
            self.finish_bundle()?;
            self.place = Place::Fetch(rest.strip_suffix(':')?.parse().ok()?);
            return Some(());
        }
        if line.starts_with('.') || line.ends_with(':') {
            return self.directive(line);
        }
        self.instruction(line)
    }

    fn directive(&mut self, line: &str) -> Option<()> {
        if line.contains(".AMDGPU.config") {
            self.place = Place::Configuration;
        } else if let (Place::Configuration, Some(word)) =
            (&self.place, line.strip_prefix(".long\t"))
        {
            self.configuration(word.parse().ok()?);
        } else if line.ends_with(':') && !line.starts_with('.') {
            self.place = Place::Control;
        }
        Some(())
    }

    /// Reads a configuration word. Words come in pairs of a register's address and its value; only the first value is used.
    fn configuration(&mut self, word: u32) {
        const IS_ADDRESS: u32 = 0x28000;
        if word < IS_ADDRESS && self.listing.n_registers == 0 {
            self.listing.n_registers = word & 0xff;
            self.listing.n_stack_entries = word >> 8 & 0xff;
        }
    }

    fn instruction(&mut self, line: &'a str) -> Option<()> {
        match self.place {
            Place::Control => self.listing.control.push(control::parse(line)?),
            Place::Fetch(clause) => {
                let fetch = fetch(line)?;
                self.listing.fetches.entry(clause).or_default().push(fetch);
            }
            Place::Alu(_) if line.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                self.literals.extend(literals(line)?);
            }
            Place::Alu(_) => {
                if self.pending.last().is_some_and(|last| last.is_last) {
                    self.finish_bundle()?;
                }
                self.pending.push(Line::parse(line)?);
            }
            Place::Before | Place::Configuration => return None,
        }
        Some(())
    }

    /// Collects the lines read so far in a bundle.
    fn finish_bundle(&mut self) -> Option<()> {
        let Place::Alu(clause) = self.place else {
            return Some(());
        };
        let mut bundle = Bundle::default();
        for line in self.pending.drain(..) {
            let instruction: Instruction = line.finish(&self.literals, &bundle)?;
            bundle.0.push(instruction);
        }
        self.literals.clear();
        if !bundle.0.is_empty() {
            self.listing.alu.entry(clause).or_default().push(bundle);
        }
        Some(())
    }
}

/// Parses `VTX_READ_32 T30.X, T30.X, 0, #1`.
fn fetch(line: &str) -> Option<Fetch> {
    let mut parts = line.strip_prefix("VTX_READ_32 ")?.split(", ");
    let fetch = Fetch {
        destination: register(parts.next()?)?,
        address: register(parts.next()?)?,
    };
    (parts.next() == Some("0")).then_some(fetch)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of an address and a value: registers in the lowest byte of the first value, branch stack in the next.
    #[test]
    fn registers_and_stack_stand_in_the_first_value() {
        let text = "\t.section\t.AMDGPU.config\n\t.long\t163840\n\t.long\t773\n\t.long\t165900\n\t.long\t9\n";
        let listing = Listing::parse(text).unwrap();
        assert_eq!((listing.n_registers, listing.n_stack_entries), (5, 3));
    }
}
