//! Operands as nvdisasm prints them.
//!
//! Models: registers, predicates, constants, memory references, immediates, labels, special registers, with negation, absolute
//! value, inversion and `.CC`.
//! Leaves out: textures, surfaces.
//! Units: bytes for offsets.
//! Sources: output of nvdisasm 11.8.

/// Register that reads as zero and discards writes.
pub const RZ: u8 = 255;
/// Predicate that is always true.
pub const PT: u8 = 7;
/// First number of uniform registers (sm_75 and later) in kernels with at most as many others.
const FIRST_UNIFORM_REGISTER: u8 = 192;
/// First number of uniform predicates; 7 is [`PT`].
const FIRST_UNIFORM_PREDICATE: u8 = 8;

/// Returns the number of UR0 in a kernel with so many registers: uniform registers follow the others in one register file.
pub(super) fn first_uniform(registers: u32) -> u8 {
    registers.clamp(FIRST_UNIFORM_REGISTER.into(), RZ.into()) as u8
}

/// Origin of a source value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    Reg(u8),
    Imm(u32),
    /// Constant memory, `c[bank][index + offset]`.
    Const {
        bank: u8,
        index: u8,
        offset: i32,
    },
}

/// A source value with its modifiers, applied in the order absolute, then negate or invert.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Source {
    pub place: Place,
    pub negate: bool,
    pub absolute: bool,
    pub invert: bool,
}

/// A predicate source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Predicate {
    /// Number: 0 to 6, [`PT`], or a uniform predicate.
    pub index: u8,
    pub negate: bool,
}

impl Predicate {
    pub const ALWAYS: Predicate = Predicate {
        index: PT,
        negate: false,
    };
}

/// Memory reference, `[(base << shift) + index + offset]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryRef {
    pub base: u8,
    /// Power of two by which the base is multiplied: 2 for `[R5.X4]`.
    pub shift: u8,
    /// Register that is added to the base, `RZ` if none: since CUDA 12 a uniform one.
    pub index: u8,
    pub offset: i32,
}

/// One operand.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand<'a> {
    Value {
        source: Source,
        writes_cc: bool,
    },
    Predicate(Predicate),
    Memory(MemoryRef),
    Label(&'a str),
    /// Half of a symbol's address, `32@lo(symbol)` or `32@hi(symbol)`.
    Symbol {
        name: &'a str,
        high: bool,
    },
    Special(&'a str),
    /// A convergence barrier: `B0`.
    Barrier(u8),
    /// `CC.NEU`: a test of the condition code.
    ConditionCode(&'a str),
}

/// Splits an operand list at its top-level commas.
pub fn split_operands(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

/// Parses one operand of a kernel whose UR0 has the number `first_uniform`; the error gives the reason for a refusal.
pub fn parse_operand(text: &str, first_uniform: u8) -> Result<Operand<'_>, String> {
    if let Some(label) = text
        .strip_prefix("`(")
        .and_then(|rest| rest.strip_suffix(')'))
    {
        return Ok(Operand::Label(label));
    }
    if let Some(test) = text.strip_prefix("CC.") {
        return Ok(Operand::ConditionCode(test));
    }
    let barrier = text.strip_prefix('B').map(str::parse);
    if let Some(Ok(number)) = barrier {
        return Ok(Operand::Barrier(number));
    }
    if text == "SRZ"
        || text.starts_with("SR_")
        || text.starts_with("SR") && text[2..].parse::<u8>().is_ok()
    {
        return Ok(Operand::Special(text));
    }
    if let Some(symbol) = parse_symbol(text) {
        return Ok(symbol);
    }
    // Since CUDA 12 a global address is printed behind its memory descriptor.
    let address = match text.strip_prefix("desc[") {
        Some(rest) => rest.split_once(']').map_or(text, |(_, address)| address),
        None => text,
    };
    if address.starts_with('[') {
        return parse_memory(address, first_uniform).map(Operand::Memory);
    }
    if let Some((register, _)) = text.split_once(" `(") {
        // `RET.REL R4 `(kernel)`: returns to the offset in the register, counted from the kernel's start.
        return parse_value(register, first_uniform);
    }
    if let Some(target) = parse_indirect(text, first_uniform) {
        return Ok(Operand::Memory(target));
    }
    if let Some(predicate) = parse_predicate(text) {
        return Ok(Operand::Predicate(predicate));
    }
    parse_value(text, first_uniform)
}

/// Parses `P3`, `!P0`, `PT`, `UP1`.
pub fn parse_predicate(text: &str) -> Option<Predicate> {
    let (negate, name) = match text.strip_prefix('!') {
        Some(name) => (true, name),
        None => (false, text),
    };
    let (first, name) = match name.strip_prefix('U') {
        Some(name) => (FIRST_UNIFORM_PREDICATE, name),
        None => (0, name),
    };
    let index = match name {
        "PT" => PT,
        _ => {
            let digits = name.strip_prefix('P')?;
            first + digits.parse::<u8>().ok().filter(|&index| index < PT)?
        }
    };
    Some(Predicate { index, negate })
}

/// Parses `R3`, `RZ`, `UR4`, `URZ`.
fn parse_register(text: &str, first_uniform: u8) -> Option<u8> {
    let (first, limit, name) = match text.strip_prefix('U') {
        Some(name) => (first_uniform, (RZ - first_uniform).min(63), name),
        None => (0, RZ, text),
    };
    match name {
        "RZ" => Some(RZ),
        _ => {
            let index: u8 = name.strip_prefix('R')?.parse().ok()?;
            (index < limit).then(|| first + index)
        }
    }
}

/// Parses `R17 -0x620`: the target of an indirect branch, counted from the next instruction.
fn parse_indirect(text: &str, first_uniform: u8) -> Option<MemoryRef> {
    let (register, offset) = text.split_once(' ')?;
    let base = parse_register(register, first_uniform)?;
    let offset = parse_integer(offset.trim())? as i32;
    let index = RZ;
    Some(MemoryRef {
        base,
        shift: 0,
        index,
        offset,
    })
}

fn parse_symbol(text: &str) -> Option<Operand<'_>> {
    let rest = text.strip_prefix("32@")?;
    let (part, rest) = rest.split_once('(')?;
    let name = rest.strip_suffix(')')?;
    match part {
        "lo" => Some(Operand::Symbol { name, high: false }),
        "hi" => Some(Operand::Symbol { name, high: true }),
        _ => None,
    }
}

fn parse_value(text: &str, first_uniform: u8) -> Result<Operand<'_>, String> {
    let (mut negate, mut invert) = (false, false);
    let mut rest = text;
    if parse_immediate(rest).is_none() {
        if let Some(inner) = rest.strip_prefix('-') {
            (negate, rest) = (true, inner);
        } else if let Some(inner) = rest.strip_prefix('~') {
            (invert, rest) = (true, inner);
        }
    }
    let rest = rest.strip_suffix(".reuse").unwrap_or(rest);
    let bars = rest
        .strip_prefix('|')
        .and_then(|inner| inner.strip_suffix('|'));
    let absolute = bars.is_some();
    let rest = bars.unwrap_or(rest);
    let (name, writes_cc) = match rest.strip_suffix(".CC") {
        Some(name) => (name, true),
        None => (rest, false),
    };
    let place = parse_place(name, first_uniform)?;
    let source = Source {
        place,
        negate,
        absolute,
        invert,
    };
    Ok(Operand::Value { source, writes_cc })
}

fn parse_place(text: &str, first_uniform: u8) -> Result<Place, String> {
    if let Some(register) = parse_register(text, first_uniform) {
        return Ok(Place::Reg(register));
    }
    if let Some(bits) = parse_immediate(text) {
        return Ok(Place::Imm(bits));
    }
    match text.strip_prefix("c[") {
        Some(rest) => parse_constant(rest, first_uniform),
        None => Err("neither register, predicate, constant, memory nor immediate".to_owned()),
    }
}

/// Parses `0x2][R4+0x10]`, after `c[`.
fn parse_constant(rest: &str, first_uniform: u8) -> Result<Place, String> {
    let bad = || "not of the form c[bank][offset]".to_owned();
    let (bank, rest) = rest.split_once(']').ok_or_else(bad)?;
    let bank = parse_immediate(bank)
        .filter(|&bank| bank < 32)
        .ok_or_else(bad)?;
    let memory = parse_memory(rest.trim_start(), first_uniform)?;
    if memory.index != RZ {
        return Err("a constant's address of two registers is not supported".to_owned());
    }
    Ok(Place::Const {
        bank: bank as u8,
        index: memory.base,
        offset: memory.offset,
    })
}

/// Parses `[R5+-0x4]`, `[0x10]`, `[RZ]`, `[R2+UR4+0x8]`, `[R5.X4+0x40]`.
fn parse_memory(text: &str, first_uniform: u8) -> Result<MemoryRef, String> {
    let inner = text
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'));
    let inner = inner.ok_or_else(|| "not of the form [register+offset]".to_owned())?;
    let mut memory = MemoryRef {
        base: RZ,
        shift: 0,
        index: RZ,
        offset: 0,
    };
    for part in inner.split('+') {
        let part = part.trim();
        let name = part.split('.').next().unwrap_or("");
        if let Some(register) = parse_register(name, first_uniform) {
            let place = match (memory.base, memory.index) {
                (RZ, _) => &mut memory.base,
                (_, RZ) => &mut memory.index,
                _ => return Err("an address of three registers is not supported".to_owned()),
            };
            *place = register;
            memory.shift |= match part.rsplit('.').next() {
                Some("X4") => 2,
                Some("X8") => 3,
                Some("X16") => 4,
                _ => 0,
            };
        } else if let Some(offset) = parse_integer(part) {
            memory.offset = memory.offset.wrapping_add(offset as i32);
        } else {
            return Err(format!("`{part}` is neither a register nor an offset"));
        }
    }
    Ok(memory)
}

fn parse_integer(text: &str) -> Option<u32> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = u32::from_str_radix(digits.strip_prefix("0x")?, 16).ok()?;
    Some(if negative {
        value.wrapping_neg()
    } else {
        value
    })
}

/// Parses hexadecimal integers, and floats in decimal, `+INF`, `-QNAN`.
fn parse_immediate(text: &str) -> Option<u32> {
    let text = text.trim();
    if let Some(bits) = parse_integer(text) {
        return Some(bits);
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = match digits {
        "INF" => f32::INFINITY,
        "QNAN" | "SNAN" => f32::NAN,
        _ if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok()?,
        _ => return None,
    };
    Some(if negative { -magnitude } else { magnitude }.to_bits())
}
