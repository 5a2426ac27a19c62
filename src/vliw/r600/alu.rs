//! ALU instructions, and the bundles in which they issue together.
//!
//! Models: the operations of the compiler's kernels; the slot of each instruction: that of the channel it writes, or the fifth
//! if that slot is taken or the operation requires it.
//! Leaves out: operations that no committed listing contains.
//! Sources: AMD, Evergreen Family Instruction Set Architecture, section 4.3.

use super::operand::{Destination, Operand};

macro_rules! opcodes {
    ($($name:ident $text:literal $transcendental:literal)*) => {
        /// Operation of an instruction.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Opcode { $($name),* }

        impl Opcode {
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Opcode::$name),)* _ => None }
            }

            /// Tells whether only the fifth slot can execute the operation.
            fn is_transcendental(self) -> bool {
                match self { $(Opcode::$name => $transcendental),* }
            }
        }
    };
}

opcodes! {
    Mov "MOV" false
    Add "ADD" false
    Mul "MUL_IEEE" false
    MulAdd "MULADD_IEEE" false
    Fract "FRACT" false
    Trunc "TRUNC" false
    SetE "SETE" false
    SetGt "SETGT" false
    SetGe "SETGE" false
    SetNe "SETNE" false
    SetEDx10 "SETE_DX10" false
    SetNeDx10 "SETNE_DX10" false
    SetGtDx10 "SETGT_DX10" false
    SetGeDx10 "SETGE_DX10" false
    AddInt "ADD_INT" false
    SubInt "SUB_INT" false
    And "AND_INT" false
    Or "OR_INT" false
    Xor "XOR_INT" false
    Not "NOT_INT" false
    ShiftLeft "LSHL" false
    ShiftRight "LSHR" false
    ShiftRightSigned "ASHR" false
    ExtractSigned "BFE_INT" false
    ExtractUnsigned "BFE_UINT" false
    SetEInt "SETE_INT" false
    SetNeInt "SETNE_INT" false
    SetGtInt "SETGT_INT" false
    SetGeInt "SETGE_INT" false
    SetGtUint "SETGT_UINT" false
    SetGeUint "SETGE_UINT" false
    SelectIfZeroInt "CNDE_INT" false
    PredSetEInt "PRED_SETE_INT" false
    PredSetNeInt "PRED_SETNE_INT" false
    MoveAddress "MOVA_INT" false
    FloatToInt "FLT_TO_INT" false
    IntToFloat "INT_TO_FLT" true
    UintToFloat "UINT_TO_FLT" true
    MulLowInt "MULLO_INT" true
    Reciprocal "RECIP_IEEE" true
    Sin "SIN" true
    Cos "COS" true
    LocalRead "LDS_READ_RET" false
    LocalWrite "LDS_WRITE" false
    Barrier "GROUP_BARRIER" false
}

/// Lanes for which an instruction takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predicate {
    Always,
    IfSet,
    IfClear,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    pub opcode: Opcode,
    pub destination: Destination,
    pub sources: Vec<Operand>,
    pub predicate: Predicate,
    /// Slot: 0 to 3 by channel, 4 the transcendental unit.
    pub slot: u8,
}

/// Instructions that issue together, at most five.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle(pub Vec<Instruction>);

/// A line of an ALU clause before its literals are known.
pub struct Line<'a> {
    opcode: Opcode,
    operands: Vec<&'a str>,
    predicate: Predicate,
    /// Whether the line ends its bundle.
    pub is_last: bool,
}

impl<'a> Line<'a> {
    pub fn parse(line: &'a str) -> Option<Self> {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let opcode = Opcode::parse(name)?;
        let rest = rest.trim();
        let is_last = rest.starts_with('*') || rest.is_empty();
        let rest = rest.trim_start_matches('*');
        let rest = rest.split("BS:").next().unwrap_or_default();
        let (rest, predicate) = predicate(rest);
        Some(Line {
            opcode,
            operands: split(rest.trim().trim_end_matches(',')),
            predicate,
            is_last,
        })
    }

    /// Builds the instruction from the literals of its bundle and the instructions already in it.
    pub fn finish(&self, literals: &[u32], bundle: &Bundle) -> Option<Instruction> {
        let writes = !matches!(self.opcode, Opcode::LocalWrite | Opcode::Barrier);
        let (destination, sources) = match self.operands.split_first() {
            Some((first, rest)) if writes => (Destination::parse(first)?, rest),
            _ => (Destination::None, &self.operands[..]),
        };
        let sources = sources.iter().map(|text| Operand::parse(text, literals));
        let sources: Vec<_> = sources.collect::<Option<_>>()?;
        Some(Instruction {
            opcode: self.opcode,
            slot: slot(self.opcode, destination, bundle),
            destination,
            sources,
            predicate: self.predicate,
        })
    }
}

fn predicate(text: &str) -> (&str, Predicate) {
    if let Some((before, _)) = text.split_once("Pred_sel_one") {
        (before, Predicate::IfSet)
    } else if let Some((before, _)) = text.split_once("Pred_sel_zero") {
        (before, Predicate::IfClear)
    } else {
        (text, Predicate::Always)
    }
}

/// Splits at commas, except between a predicate's two destinations.
fn split(text: &str) -> Vec<&str> {
    let pieces = text.split(", ").flat_map(|p| p.trim().split(",  "));
    pieces
        .map(|p| p.trim().trim_end_matches(','))
        .filter(|p| !p.is_empty())
        .collect()
}

fn slot(opcode: Opcode, destination: Destination, bundle: &Bundle) -> u8 {
    let channel = match destination {
        Destination::Register(_, c) | Destination::Relative(_, c) => c,
        _ => 0,
    };
    let is_taken = bundle.0.iter().any(|i| i.slot == channel);
    if is_taken || opcode.is_transcendental() {
        4
    } else {
        channel
    }
}

/// Parses a line of literals, `49(6.866362e-44), 0(0.000000e+00)`, as words.
pub fn literals(line: &str) -> Option<Vec<u32>> {
    let words = line.split("), ").map(|piece| {
        let number: i64 = piece.split_once('(')?.0.trim().parse().ok()?;
        Some(number as u32)
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vliw::r600::operand::Source;

    #[test]
    fn a_line_is_read_with_its_predicate_and_literal() {
        let line = Line::parse("MULADD_IEEE * T9.W, T4.Z, literal.x, 0.5, Pred_sel_zero")
            .expect("an instruction");
        assert!(line.is_last);
        let read = line.finish(&[5], &Bundle::default()).expect("operands");
        assert_eq!(read.opcode, Opcode::MulAdd);
        assert_eq!(read.predicate, Predicate::IfClear);
        assert_eq!(read.sources[1].source, Source::Word(5));
        assert_eq!(read.sources.len(), 3);
    }

    #[test]
    fn a_second_write_of_a_channel_takes_the_fifth_slot() {
        let first = Line::parse("MOV   T0.W, KC0[3].W,  ").expect("an instruction");
        let second = Line::parse("SETGT_UINT * T1.W, T0.X, literal.x,  ").expect("an instruction");
        let mut bundle = Bundle::default();
        let i = first.finish(&[], &bundle).expect("operands");
        assert_eq!((i.slot, first.is_last), (3, false));
        bundle.0.push(i);
        assert_eq!(second.finish(&[49], &bundle).expect("operands").slot, 4);
    }

    #[test]
    fn the_execution_mask_is_one_destination() {
        let line = Line::parse("PRED_SETE_INT * ExecMask,PredicateBit (MASKED), PS, 0.0,  ")
            .expect("an instruction");
        let read = line.finish(&[], &Bundle::default()).expect("operands");
        assert_eq!(read.destination, Destination::ExecMask);
        assert_eq!(read.sources.len(), 2);
    }

    #[test]
    fn literals_are_words_with_or_without_sign() {
        assert_eq!(
            literals("3212836864(-1.000000e+00), -1082130432(-1.000000e+00)"),
            Some(vec![0xbf80_0000, 0xbf80_0000])
        );
    }
}
