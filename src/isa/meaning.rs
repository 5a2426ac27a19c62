//! Meaning of an opcode with its modifiers, and spellings common to all architectures.
//!
//! Models: modifiers consumed one by one, so that none is ignored silently.
//! Leaves out: encodings.
//! Sources: disassemblies of ptxas 11.8.

use super::op::{Compare, Logic, Mufu, Op, Round, Shuffle, Special};
use super::{Access, OpClass, Space};

/// Modifiers of an opcode, consumed one by one; an opcode is known if none is left.
pub struct Modifiers<'a>(Vec<&'a str>);

impl<'a> Modifiers<'a> {
    pub fn new(names: impl Iterator<Item = &'a str>) -> Self {
        Self(names.collect())
    }

    /// Consumes `name`, if present.
    pub fn take(&mut self, name: &str) -> bool {
        match self.0.iter().position(|modifier| *modifier == name) {
            Some(at) => {
                self.0.remove(at);
                true
            }
            None => false,
        }
    }

    /// Consumes the first modifier that `parse` recognizes.
    pub fn take_first<T>(&mut self, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let (at, value) = self
            .0
            .iter()
            .enumerate()
            .find_map(|(at, name)| Some((at, parse(name)?)))?;
        self.0.remove(at);
        Some(value)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Meaning of an opcode with its modifiers.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    pub op: Op,
    pub class: OpClass,
    pub access: Option<Access>,
    /// Number of destination registers; `source_registers`: of each source.
    pub dst_registers: u8,
    pub source_registers: u8,
    pub wide_address: bool,
    pub carry_in: bool,
    pub sync: bool,
    pub saturate: bool,
    pub flush_denormals: bool,
    pub round: Round,
    /// Whether the sign of the second source is flipped.
    pub subtract: bool,
}

impl Meaning {
    pub fn new(op: Op, class: OpClass) -> Self {
        Self {
            op,
            class,
            access: None,
            dst_registers: 1,
            source_registers: 1,
            wide_address: false,
            carry_in: false,
            sync: false,
            saturate: false,
            flush_denormals: false,
            round: Round::Nearest,
            subtract: false,
        }
    }
}

pub fn mufu(name: &str) -> Option<Mufu> {
    Some(match name {
        "COS" => Mufu::Cos,
        "SIN" => Mufu::Sin,
        "EX2" => Mufu::Ex2,
        "LG2" => Mufu::Lg2,
        "RCP" => Mufu::Rcp,
        "RSQ" => Mufu::Rsq,
        "SQRT" => Mufu::Sqrt,
        "RCP64H" => Mufu::Rcp64h,
        "RSQ64H" => Mufu::Rsq64h,
        _ => return None,
    })
}

pub fn rounding(name: &str) -> Option<Round> {
    Some(match name {
        "RN" => Round::Nearest,
        "RM" | "FLOOR" => Round::Down,
        "RP" | "CEIL" => Round::Up,
        "RZ" | "TRUNC" => Round::Zero,
        _ => return None,
    })
}

pub fn comparison(base: &str, modifiers: &mut Modifiers) -> Option<Meaning> {
    if base == "PSETP" {
        let first = modifiers.take_first(Logic::known)?;
        let second = modifiers.take_first(Logic::known)?;
        return Some(Meaning::new(Op::Psetp { first, second }, OpClass::Compare));
    }
    let known = ["FSET", "FSETP", "FCMP", "ISET", "ISETP", "ICMP"].contains(&base);
    let compare = if known {
        modifiers.take_first(Compare::known)?
    } else {
        return None;
    };
    let combine = modifiers.take_first(Logic::known).unwrap_or(Logic::And);
    let signed = !modifiers.take("U32");
    let as_float = modifiers.take("BF");
    let op = match base {
        "FSET" => Op::Fset {
            compare,
            combine,
            as_float,
        },
        "FSETP" => Op::Fsetp { compare, combine },
        "FCMP" => Op::Fcmp { compare },
        "ISET" => Op::Iset {
            compare,
            combine,
            signed,
            as_float,
        },
        "ISETP" => Op::Isetp {
            compare,
            combine,
            signed,
        },
        _ => Op::Icmp { compare, signed },
    };
    let mut meaning = Meaning::new(op, OpClass::Compare);
    meaning.flush_denormals = modifiers.take("FTZ");
    meaning.carry_in = modifiers.take("X");
    Some(meaning)
}

/// Decodes a load from constant memory.
pub fn constant_load(modifiers: &mut Modifiers) -> Meaning {
    Meaning {
        dst_registers: width(modifiers),
        ..Meaning::new(Op::Ldc, OpClass::ConstantLoad)
    }
}

/// Decodes a load from local, shared or global memory, or a store. `hints` are modifiers that do not affect the accessed data.
pub fn access(space: Space, store: bool, hints: &[&str], modifiers: &mut Modifiers) -> Meaning {
    let registers = width(modifiers);
    let wide_address = modifiers.take("E");
    for hint in hints {
        modifiers.take(hint);
    }
    // An unsigned byte, alone in a register.
    let is_byte = !store && modifiers.take("U8");
    let op = if store { Op::Store } else { Op::Load };
    let mut meaning = Meaning::new(op, OpClass::Memory);
    meaning.access = Some(Access {
        space,
        bytes_per_lane: if is_byte { 1 } else { 4 * registers },
        store,
    });
    meaning.wide_address = wide_address;
    if store {
        meaning.source_registers = registers;
    } else {
        meaning.dst_registers = registers;
    }
    meaning
}

/// Decodes a shuffle by its mode; `None` if unknown.
pub fn shuffle(modifiers: &mut Modifiers) -> Option<Meaning> {
    let mode = modifiers.take_first(|name| {
        Some(match name {
            "BFLY" => Shuffle::Xor,
            "UP" => Shuffle::Up,
            "DOWN" => Shuffle::Down,
            "IDX" => Shuffle::Index,
            _ => return None,
        })
    })?;
    Some(Meaning::new(Op::Shuffle(mode), OpClass::Memory))
}

/// Number of registers of an access.
fn width(modifiers: &mut Modifiers) -> u8 {
    if modifiers.take("128") {
        4
    } else if modifiers.take("64") {
        2
    } else {
        1
    }
}

/// Returns the special register that `S2R` reads by name.
pub fn special(name: &str) -> Option<Special> {
    Some(match name {
        "SR_TID.X" => Special::Tid(0),
        "SR_TID.Y" => Special::Tid(1),
        "SR_TID.Z" => Special::Tid(2),
        "SR_CTAID.X" => Special::Ctaid(0),
        "SR_CTAID.Y" => Special::Ctaid(1),
        "SR_CTAID.Z" => Special::Ctaid(2),
        "SR_LANEID" => Special::LaneId,
        // Index of the block in its cluster; kernels without clusters have one block each.
        "SRZ" | "SR_CgaCtaId" => Special::Zero,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_of_special_registers() {
        for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
            let axis = axis as u8;
            assert_eq!(special(&format!("SR_TID.{name}")), Some(Special::Tid(axis)));
            assert_eq!(
                special(&format!("SR_CTAID.{name}")),
                Some(Special::Ctaid(axis))
            );
        }
        assert_eq!(special("SR_TID.W"), None);
    }
}
