//! A kernel: its instructions, resource usage and constant data.
//!
//! Models: one kernel per SASS file. Leaves out: device functions in sections of their own.
//! Units: bytes. Sources: nvdisasm 11.8 output, EIATTR attributes.

use std::collections::HashMap;

use super::OpClass;
use super::error::IsaError;
use super::hopper;
use super::instruction::{Control, Instruction};
use super::jump_table;
use super::kepler;
use super::meaning::{Meaning, special};
use super::op::{Compare, Op};
use super::operand::{
    Operand, PT, Place, Predicate, RZ, Source, parse_operand, parse_predicate, split_operands,
};
use super::text::{RawInstruction, SassText};

/// Where module-scope data (`.nv.global.init`) is placed in global memory.
pub const GLOBAL_DATA_ADDRESS: u32 = 0x7000_0000;

/// One kernel, parsed.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub name: String,
    /// `sm_35`.
    pub arch: String,
    /// Registers per thread.
    pub registers: u32,
    /// Local memory per thread.
    pub frame_bytes: u32,
    pub instructions: Vec<Instruction>,
    /// Constant banks with compiled-in data, by number.
    pub constants: HashMap<u8, Vec<u8>>,
    /// Module-scope data, placed at [`GLOBAL_DATA_ADDRESS`].
    pub global_data: Vec<u8>,
    /// Offset and size of every parameter in constant bank 0, in order.
    pub parameters: Vec<Parameter>,
}

/// A kernel parameter's place in constant bank 0.
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
                allowed: "sm_35, sm_90",
            });
        };
        let name = text.kernel.unwrap_or_default();
        let missing = |what| IsaError::Missing {
            file: file_name.to_owned(),
            what,
        };
        let decoder = Decoder {
            file: file_name,
            text: &text,
            family,
        };
        let instructions = text.instructions.iter().map(|raw| decoder.instruction(raw));
        let mut kernel = Self {
            name: name.to_owned(),
            arch: text.arch.clone(),
            registers: text
                .registers
                .or_else(|| text.function_attribute("EIATTR_REGCOUNT", name))
                .ok_or_else(|| missing("register count"))?,
            frame_bytes: text
                .function_attribute("EIATTR_FRAME_SIZE", name)
                .ok_or_else(|| missing("EIATTR_FRAME_SIZE"))?,
            instructions: instructions.collect::<Result<_, _>>()?,
            constants: decoder.constants(name),
            global_data: decoder.global_data(),
            parameters: parameters(&text),
        };
        jump_table::resolve(&mut kernel);
        Ok(kernel)
    }

    /// Index of the instruction at a byte offset. On Kepler the offset of a control word stands for the
    /// instruction after it.
    pub fn index_of(&self, pc_bytes: u32) -> Option<usize> {
        let find = |pc_bytes: u32| {
            self.instructions
                .binary_search_by_key(&pc_bytes, |found| found.pc_bytes)
                .ok()
        };
        find(pc_bytes).or_else(|| {
            let is_control_word =
                self.arch == "sm_35" && pc_bytes % kepler::control::WORD_INTERVAL_BYTES == 0;
            is_control_word
                .then(|| find(pc_bytes + kepler::control::WORD_BYTES))
                .flatten()
        })
    }
}

/// EIATTR_KPARAM_INFO: ordinal and offset in one word, size in the upper bits of the next.
fn parameters(text: &SassText) -> Vec<Parameter> {
    let base = param_base(text);
    let mut found = Vec::new();
    for section in text
        .data
        .iter()
        .filter(|(name, _)| name.starts_with(".nv.info."))
    {
        let bytes = &section.1.bytes;
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
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
    }
    found.sort_by_key(|(ordinal, _)| *ordinal);
    found.into_iter().map(|(_, parameter)| parameter).collect()
}

/// EIATTR_PARAM_CBANK: the first parameter's offset.
fn param_base(text: &SassText) -> u32 {
    let sections = text
        .data
        .iter()
        .filter(|(name, _)| name.starts_with(".nv.info."));
    for (_, section) in sections {
        for (at, window) in section.bytes.windows(10).enumerate() {
            if at % 4 == 0 && window[..2] == [0x04, 0x0a] {
                return u32::from(u16::from_le_bytes([window[8], window[9]]));
            }
        }
    }
    if text.arch == "sm_35" { 0x140 } else { 0x210 }
}

/// Architectures whose code is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Kepler,
    Hopper,
}

impl Family {
    fn of(arch: &str) -> Option<Self> {
        match arch {
            "sm_35" => Some(Family::Kepler),
            "sm_90" => Some(Family::Hopper),
            _ => None,
        }
    }

    fn meaning(self, opcode: &str) -> Option<Meaning> {
        match self {
            Family::Kepler => kepler::decode::meaning(opcode),
            Family::Hopper => hopper::decode::meaning(opcode),
        }
    }

    /// The text of an instruction that the disassembler did not print.
    fn unprinted(self, raw: &RawInstruction) -> Option<String> {
        let (upper, _) = raw.control_word.filter(|_| raw.text.is_empty())?;
        hopper::unprinted::text(raw.encoding, upper).filter(|_| self == Family::Hopper)
    }

    fn instruction_bytes(self) -> u8 {
        match self {
            Family::Kepler => kepler::control::INSTRUCTION_BYTES,
            Family::Hopper => hopper::control::INSTRUCTION_BYTES,
        }
    }

    /// The schedule of an instruction; `None` when its control information is not understood.
    fn control(self, raw: &RawInstruction) -> Option<Control> {
        let (word, place) = raw.control_word?;
        match self {
            Family::Kepler => kepler::control::of_instruction(word, place),
            Family::Hopper => Some(hopper::control::decode(word)),
        }
    }
}

struct Decoder<'a> {
    file: &'a str,
    text: &'a SassText<'a>,
    family: Family,
}

impl Decoder<'_> {
    fn instruction(&self, raw: &RawInstruction) -> Result<Instruction, IsaError> {
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
            let outcome =
                parse_operand(operand).and_then(|parsed| self.add(&mut builder, parsed, raw));
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
            Operand::Barrier => {}
            Operand::ConditionCode(test) => {
                let test = Compare::named(test).ok_or("unknown condition-code test")?;
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
        if matches!(instruction.op, Op::ImadWide { .. }) && instruction.sources.len() == 3 {
            instruction.source_registers[2] = 2;
        }
        if instruction.op == Op::Mov && instruction.sources.len() == 4 {
            half_constants(&mut instruction);
        }
        let wanted = required_sources(&instruction);
        if instruction.sources.len() != wanted {
            return Err(IsaError::Syntax {
                file: self.file.to_owned(),
                line: raw.line,
                text: raw.text.to_owned(),
                why: "wrong number of value operands",
            });
        }
        Ok(instruction)
    }

    fn constants(&self, kernel: &str) -> HashMap<u8, Vec<u8>> {
        let mut banks = HashMap::new();
        for (name, data) in &self.text.data {
            let Some(rest) = name.strip_prefix(".nv.constant") else {
                continue;
            };
            let (number, owner) = rest.split_once('.').unwrap_or((rest, kernel));
            if let Ok(number) = number.parse()
                && owner == kernel
            {
                banks.insert(number, self.with_references(data));
            }
        }
        banks
    }

    /// A section's bytes with label and symbol references resolved.
    fn with_references(&self, data: &super::text::DataSection) -> Vec<u8> {
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

    fn global_data(&self) -> Vec<u8> {
        self.text
            .data
            .get(".nv.global.init")
            .map(|data| data.bytes.clone())
            .unwrap_or_default()
    }
}

/// Value operands that the executor relies on.
fn required_sources(instruction: &Instruction) -> usize {
    match instruction.op {
        Op::Psetp { .. } | Op::S2r(_) | Op::Load => 0,
        Op::Bra
        | Op::Brx
        | Op::Ssy
        | Op::Pbk
        | Op::Brk
        | Op::Pcnt
        | Op::Cont
        | Op::Call
        | Op::Exit => 0,
        Op::Nop | Op::Barrier | Op::Ret | Op::Popc => instruction.sources.len(),
        Op::Plop3 => 2,
        Op::Lop3 | Op::Lea { high: true } => 4,
        Op::Iadd3 | Op::Lea { high: false } | Op::ImadWide { .. } => 3,
        Op::Mov | Op::Mufu(_) | Op::Rro | Op::Convert { .. } | Op::Ldc | Op::Store => 1,
        Op::Flo { .. } => 1,
        Op::Ffma | Op::Dfma | Op::Imad { .. } | Op::Iscadd | Op::Prmt | Op::Bfi => 3,
        Op::Fcmp { .. } | Op::Icmp { .. } | Op::Shf { .. } => 3,
        _ => 2,
    }
}

/// `HFMA2.MMA R, -RZ, RZ, high, low` moves two half-precision constants.
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

/// The half-precision pattern of a number that half precision holds exactly.
fn half_bits(value: f32) -> u32 {
    let bits = value.to_bits();
    let sign = bits >> 16 & 0x8000;
    let magnitude = value.abs();
    if magnitude < 2f32.powi(-14) {
        return sign | (magnitude * 2f32.powi(24)) as u32;
    }
    if !magnitude.is_finite() {
        return sign | 0x7c00 | u32::from(value.is_nan()) << 9;
    }
    sign | ((bits >> 23 & 0xff) - 112) << 10 | bits >> 13 & 0x3ff
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

/// Collects operands in the order in which they are printed: destinations first.
struct Builder {
    instruction: Instruction,
    wants_register: bool,
    predicates_wanted: usize,
    predicates_seen: usize,
}

impl Builder {
    fn new(
        raw: &RawInstruction,
        text: &str,
        guard: Predicate,
        meaning: &Meaning,
        control: Control,
        size_bytes: u8,
    ) -> Self {
        let predicates_wanted = match meaning.op {
            Op::Fsetp { .. } | Op::Isetp { .. } | Op::Psetp { .. } | Op::Plop3 => 2,
            Op::Fchk => 1,
            _ => 0,
        };
        let without_register = matches!(meaning.op, Op::Store | Op::Nop | Op::Barrier | Op::Brx)
            || meaning.class == OpClass::Control;
        let instruction = Instruction {
            line: raw.line,
            pc_bytes: raw.pc_bytes,
            size_bytes,
            text: text.to_owned(),
            guard,
            op: meaning.op,
            class: meaning.class,
            dst: None,
            dst_registers: meaning.dst_registers,
            dst_predicates: [PT; 2],
            sources: Vec::new(),
            source_registers: Vec::new(),
            predicates: Vec::new(),
            memory: None,
            access: meaning.access,
            wide_address: meaning.wide_address,
            writes_cc: false,
            carry_in: meaning.carry_in,
            cc_test: None,
            sync: meaning.sync,
            saturate: meaning.saturate,
            flush_denormals: meaning.flush_denormals,
            round: meaning.round,
            target: None,
            indirect_targets: Vec::new(),
            control,
        };
        Self {
            instruction,
            wants_register: predicates_wanted == 0 && !without_register,
            predicates_wanted,
            predicates_seen: 0,
        }
    }

    fn predicate(&mut self, predicate: Predicate) {
        let instruction = &mut self.instruction;
        let may_write = matches!(instruction.op, Op::Iadd3 | Op::Lea { .. } | Op::Lop3);
        let is_result = self.predicates_wanted > 0 || may_write && instruction.sources.is_empty();
        if is_result && self.predicates_seen < 2 {
            instruction.dst_predicates[self.predicates_seen] = predicate.index;
            self.predicates_seen += 1;
            self.predicates_wanted = self.predicates_wanted.saturating_sub(1);
        } else {
            instruction.predicates.push(predicate);
        }
    }

    fn value(&mut self, source: Source) -> Result<(), String> {
        if self.wants_register {
            self.wants_register = false;
            let Place::Reg(register) = source.place else {
                return Err("the destination is not a register".to_owned());
            };
            self.instruction.dst = Some(register).filter(|&register| register != RZ);
            return Ok(());
        }
        self.instruction.sources.push(source);
        Ok(())
    }
}
