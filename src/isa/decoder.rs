//! Decoding of raw instructions.
//!
//! Models: opcodes by architecture, operands in printed order, resolved labels, symbols and data sections.
//! Leaves out: relocations other than to labels and module data.
//! Units: bytes.
//! Sources: nvdisasm 11.8 output.

use std::collections::HashMap;

use super::error::IsaError;
use super::family::Family;
use super::half::half_from;
use super::hopper;
use super::instruction::{Control, Instruction};
use super::meaning::{Meaning, special};
use super::op::{Compare, Op, Round};
use super::operand::{
    Operand, Place, Predicate, RZ, Source, first_uniform, parse_operand, parse_predicate,
    split_operands,
};
use super::operands::Builder;
use super::text::{DataSection, RawInstruction, SassText};

/// Address of module-scope data (`.nv.global.init`) in global memory.
pub const GLOBAL_DATA_ADDRESS: u32 = 0x7000_0000;

/// Decodes the instructions of one file.
pub struct Decoder<'a> {
    pub file: &'a str,
    pub text: &'a SassText<'a>,
    pub family: Family,
    /// Number of registers per thread.
    pub registers: Option<u32>,
    /// Number of UR0.
    pub first_uniform: u8,
}

impl<'a> Decoder<'a> {
    pub fn new(file: &'a str, text: &'a SassText<'a>, family: Family) -> Self {
        let name = text.kernel.unwrap_or_default();
        let registers = text.registers;
        let registers = registers.or_else(|| text.function_attribute("EIATTR_REGCOUNT", name));
        Self {
            file,
            text,
            family,
            registers,
            first_uniform: first_uniform(registers.unwrap_or_default()),
        }
    }

    pub fn instruction(&self, raw: &RawInstruction) -> Result<Instruction, IsaError> {
        let unprinted = self.family.unprinted(raw).unwrap_or_default();
        let text = if raw.text.is_empty() {
            unprinted.as_str()
        } else {
            raw.text
        };
        let (guard, rest) = split_guard(text);
        let (opcode, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let meaning = self
            .family
            .meaning(opcode)
            .ok_or_else(|| IsaError::UnknownOpcode {
                file: self.file.to_owned(),
                line: raw.line,
                opcode: if opcode.is_empty() {
                    format!("encoding {:#018x}", raw.encoding)
                } else {
                    opcode.to_owned()
                },
                arch: self.text.arch.clone(),
            })?;
        let mut builder = Builder::new(
            raw,
            text,
            guard,
            &meaning,
            self.control(raw)?,
            self.family.instruction_bytes(),
        );
        for operand in split_operands(operands) {
            let outcome = parse_operand(operand, self.first_uniform)
                .and_then(|parsed| self.add(&mut builder, parsed, raw));
            outcome.map_err(|why| IsaError::Operand {
                file: self.file.to_owned(),
                line: raw.line,
                instruction: raw.text.to_owned(),
                operand: operand.to_owned(),
                why,
            })?;
        }
        self.finish(builder.instruction, raw, &meaning)
    }

    fn control(&self, raw: &RawInstruction) -> Result<Control, IsaError> {
        self.family.control(raw).ok_or_else(|| IsaError::Syntax {
            file: self.file.to_owned(),
            line: raw.line,
            text: raw.text.to_owned(),
            why: "no control word, or a field of it that is not understood",
        })
    }

    fn add(
        &self,
        builder: &mut Builder,
        operand: Operand,
        raw: &RawInstruction,
    ) -> Result<(), String> {
        let instruction = &mut builder.instruction;
        match operand {
            Operand::Predicate(predicate) => builder.predicate(predicate),
            Operand::Value { source, writes_cc } => {
                instruction.writes_cc |= writes_cc;
                builder.value(source)?;
            }
            Operand::Memory(memory) => instruction.memory = Some(memory),
            Operand::Label(label) => {
                let by_encoding = self.family == Family::Hopper && instruction.op == Op::Bra;
                let target = self.label(label);
                instruction.target = Some(if by_encoding {
                    target.unwrap_or_else(|_| {
                        hopper::control::branch_target(raw.pc_bytes, raw.encoding)
                    })
                } else {
                    target?
                });
            }
            Operand::Symbol { name, high } => {
                let address = if high { 0 } else { self.symbol(name)? };
                builder.value(plain(Place::Imm(address)))?;
            }
            Operand::Special(name) => {
                let special = special(name).ok_or("unknown special register")?;
                instruction.op = Op::S2r(special);
            }
            Operand::Barrier(number) => instruction.convergence = Some(number),
            Operand::ConditionCode(test) => {
                let test = Compare::known(test).ok_or("unknown condition-code test")?;
                instruction.cc_test = Some(test);
            }
        }
        Ok(())
    }

    fn label(&self, label: &str) -> Result<u32, String> {
        self.text
            .labels
            .get(label)
            .copied()
            .ok_or_else(|| "no such label in the kernel".to_owned())
    }

    fn symbol(&self, name: &str) -> Result<u32, String> {
        let section = self.text.data.get(".nv.global.init");
        let offset = section.and_then(|data| data.symbols.get(name));
        let offset = offset.ok_or_else(|| "no such symbol in .nv.global.init".to_owned())?;
        Ok(GLOBAL_DATA_ADDRESS + offset)
    }

    fn finish(
        &self,
        mut instruction: Instruction,
        raw: &RawInstruction,
        meaning: &Meaning,
    ) -> Result<Instruction, IsaError> {
        let targets = raw
            .noted_targets
            .iter()
            .filter_map(|label| self.text.labels.get(label));
        instruction.indirect_targets = targets.copied().collect();
        instruction.source_registers = vec![meaning.source_registers; instruction.sources.len()];
        if meaning.subtract
            && let Some(second) = instruction.sources.get_mut(1)
        {
            second.negate = !second.negate;
        }
        // Since Turing the upper half of a product, too, is that of the sum with a pair of registers.
        let adds_pair = match instruction.op {
            Op::ImadWide { .. } => true,
            Op::Imad { high, .. } => high && self.family == Family::Hopper,
            _ => false,
        };
        if adds_pair && instruction.sources.len() == 3 {
            instruction.source_registers[2] = 2;
        }
        if instruction.op == Op::Mov && instruction.sources.len() == 4 {
            half_constants(&mut instruction);
        }
        let refused = |why| IsaError::Syntax {
            file: self.file.to_owned(),
            line: raw.line,
            text: raw.text.to_owned(),
            why,
        };
        if instruction.sources.len() != required_sources(&instruction) {
            return Err(refused("wrong number of value operands"));
        }
        if !instruction.registers_exist() {
            return Err(refused(
                "operand beyond the last register; allowed: up to R254 and UR62",
            ));
        }
        Ok(instruction)
    }

    pub fn constants(&self, kernel: &str) -> HashMap<u8, Vec<u8>> {
        let mut banks = HashMap::new();
        for (name, data) in &self.text.data {
            let Some(rest) = name.strip_prefix(".nv.constant") else {
                continue;
            };
            let (number, owner) = rest.split_once('.').unwrap_or((rest, kernel));
            // Instructions cannot access other banks.
            if let Some(number) = number.parse().ok().filter(|number| *number < N_BANKS)
                && owner == kernel
            {
                banks.insert(number, self.with_references(data));
            }
        }
        banks
    }

    /// Returns a section's bytes with label and symbol references resolved.
    fn with_references(&self, data: &DataSection) -> Vec<u8> {
        let mut bytes = data.bytes.clone();
        for &(at, text) in &data.references {
            let name = text.trim_start_matches("`(").trim_end_matches(')');
            let name = name.split([' ', '-']).next().unwrap_or(name);
            if let Some(value) = self.label(name).ok().or_else(|| self.symbol(name).ok()) {
                let at = at as usize;
                bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
        }
        bytes
    }

    pub fn global_data(&self) -> Vec<u8> {
        self.text
            .data
            .get(".nv.global.init")
            .map(|data| data.bytes.clone())
            .unwrap_or_default()
    }
}

/// Number of constant banks that an instruction can name.
const N_BANKS: u8 = 32;

/// Number of value operands that the executor requires.
fn required_sources(instruction: &Instruction) -> usize {
    match instruction.op {
        Op::Psetp { .. } | Op::S2r(_) | Op::Load | Op::VoteAny => 0,
        Op::Bra
        | Op::Brx
        | Op::Ssy
        | Op::Pbk
        | Op::Brk
        | Op::Pcnt
        | Op::Cont
        | Op::Call
        | Op::Exit => 0,
        Op::Nop | Op::Barrier | Op::WarpSync | Op::Ret => instruction.sources.len(),
        Op::Plop3 => 2,
        Op::Lop3 | Op::Lea { high: true } => 4,
        Op::Iadd3 | Op::IaddMnmx { .. } | Op::Lea { high: false } | Op::LeaSigned => 3,
        Op::ImadWide { .. } => 3,
        Op::Mov | Op::Mufu(_) | Op::Rro | Op::Convert { .. } | Op::Ldc | Op::Store => 1,
        Op::Flo { .. } => 1,
        // Kepler's POPC counts the bits set in both of two operands.
        Op::Popc => instruction.sources.len().clamp(1, 2),
        Op::Ffma | Op::Dfma | Op::Imad { .. } | Op::Iscadd | Op::Prmt | Op::Bfi => 3,
        Op::Fcmp { .. } | Op::Icmp { .. } | Op::Shf { .. } | Op::Shuffle(_) => 3,
        _ => 2,
    }
}

/// Converts `HFMA2.MMA R, -RZ, RZ, high, low` to a move of two half-precision constants.
fn half_constants(instruction: &mut Instruction) {
    let [first, second, high, low] = instruction.sources[..] else {
        return;
    };
    let zero = |source: Source| source.place == Place::Reg(RZ);
    if let (true, true, Place::Imm(high), Place::Imm(low)) =
        (zero(first), zero(second), high.place, low.place)
    {
        let bits = half_bits(f32::from_bits(high)) << 16 | half_bits(f32::from_bits(low));
        instruction.sources = vec![plain(Place::Imm(bits))];
        instruction.source_registers = vec![1];
    }
}

/// Returns the half-precision pattern of a constant; the quiet NaN is the compiler's.
fn half_bits(value: f32) -> u32 {
    match value.is_nan() {
        true => value.to_bits() >> 16 & 0x8000 | 0x7e00,
        false => half_from(value.into(), Round::Nearest).into(),
    }
}

fn plain(place: Place) -> Source {
    Source {
        place,
        negate: false,
        absolute: false,
        invert: false,
    }
}

fn split_guard(text: &str) -> (Predicate, &str) {
    if let Some(rest) = text.strip_prefix('@')
        && let Some((guard, rest)) = rest.split_once(char::is_whitespace)
        && let Some(predicate) = parse_predicate(guard)
    {
        return (predicate, rest.trim());
    }
    (Predicate::ALWAYS, text)
}

#[cfg(test)]
mod tests {
    use super::half_bits;

    /// Compares with the definition of IEEE 754's binary16.
    #[test]
    fn every_number_of_half_precision_has_its_pattern() {
        for bits in 0..=u16::MAX {
            let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
            let magnitude = match (exponent, fraction) {
                (31, 0.0) => f32::INFINITY,
                (31, _) => continue,
                (0, fraction) => fraction * 2f32.powi(-24),
                _ => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
            };
            let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
            assert_eq!(half_bits(sign * magnitude), u32::from(bits));
        }
        assert_eq!(half_bits(f32::NAN) & 0x7fff, 0x7e00);
    }
}
