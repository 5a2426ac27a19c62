//! Decoding of Kepler opcodes with their modifiers.
//!
//! Models: the opcodes that ptxas 11.8 emits for the interpreters, CUDA's accurate math included.
//! Leaves out: textures, surfaces, atomics, video instructions.
//! Sources: disassemblies of ptxas 11.8 for sm_35; CUDA Programming Guide 5.5, Table 2 (classes).

use crate::isa::meaning::{
    Meaning, Modifiers, access, comparison, constant_load, mufu, rounding, shuffle,
};
use crate::isa::op::{Logic, Number, Op, Special};
use crate::isa::{OpClass, Space};

/// Returns the meaning of an opcode such as `FSETP.NEU.AND`; `None` if unknown.
pub fn meaning(opcode: &str) -> Option<Meaning> {
    let mut parts = opcode.split('.');
    let base = parts.next()?;
    let mut modifiers = Modifiers::new(parts);
    let mut meaning = float(base, &mut modifiers)
        .or_else(|| integer(base, &mut modifiers))
        .or_else(|| comparison(base, &mut modifiers))
        .or_else(|| conversion(base, &mut modifiers))
        .or_else(|| memory(base, &mut modifiers))
        .or_else(|| control(base, &mut modifiers))?;
    meaning.sync = modifiers.take("S");
    modifiers.is_empty().then_some(meaning)
}

fn float(base: &str, modifiers: &mut Modifiers) -> Option<Meaning> {
    let (op, class) = match base {
        "FADD" | "FADD32I" => (Op::Fadd, OpClass::Fp32),
        "FMUL" | "FMUL32I" => (Op::Fmul, OpClass::Fp32),
        "FFMA" | "FFMA32I" => (Op::Ffma, OpClass::Fp32),
        "FMNMX" => (Op::Fmnmx, OpClass::Fp32),
        "FCHK" => (Op::Fchk, OpClass::Compare),
        "DADD" => (Op::Dadd, OpClass::Fp32),
        "DMUL" => (Op::Dmul, OpClass::Fp32),
        "DFMA" => (Op::Dfma, OpClass::Fp32),
        "MUFU" => (Op::Mufu(modifiers.take_first(mufu)?), OpClass::Sfu),
        "RRO" => {
            modifiers.take_first(|name| matches!(name, "SINCOS" | "EX2").then_some(()))?;
            (Op::Rro, OpClass::Sfu)
        }
        _ => return None,
    };
    let mut meaning = Meaning::new(op, class);
    modifiers.take("DIVIDE");
    meaning.flush_denormals = modifiers.take("FTZ");
    meaning.saturate = modifiers.take("SAT");
    meaning.round = modifiers.take_first(rounding).unwrap_or_default();
    if matches!(op, Op::Dadd | Op::Dmul | Op::Dfma) {
        (meaning.dst_registers, meaning.source_registers) = (2, 2);
    }
    Some(meaning)
}

fn integer(base: &str, modifiers: &mut Modifiers) -> Option<Meaning> {
    let subtract = base == "ISUB";
    let mut meaning = match base {
        "MOV" | "MOV32I" => Meaning::new(Op::Mov, OpClass::Logic),
        "SEL" => Meaning::new(Op::Sel, OpClass::Compare),
        "PRMT" => Meaning::new(Op::Prmt, OpClass::Logic),
        "IADD" | "IADD32I" | "ISUB" => Meaning::new(Op::Iadd, OpClass::IntAdd),
        "ISCADD" | "ISCADD32I" => Meaning::new(Op::Iscadd, OpClass::IntAdd),
        "IMNMX" => {
            let signed = !modifiers.take("U32");
            Meaning::new(Op::Imnmx { signed }, OpClass::IntAdd)
        }
        "IMUL" | "IMUL32I" | "IMAD" | "IMAD32I" => multiplication(base, modifiers),
        "LOP" | "LOP32I" => {
            let logic = modifiers.take_first(Logic::known)?;
            Meaning::new(Op::Lop(logic), OpClass::Logic)
        }
        "SHL" => Meaning::new(
            Op::Shl {
                wrap: modifiers.take("W"),
            },
            OpClass::Shift,
        ),
        "SHR" => {
            let signed = !modifiers.take("U32");
            Meaning::new(
                Op::Shr {
                    signed,
                    wrap: modifiers.take("W"),
                },
                OpClass::Shift,
            )
        }
        "SHF" => funnel_shift(modifiers)?,
        "BFE" => {
            let signed = !modifiers.take("U32");
            Meaning::new(Op::Bfe { signed }, OpClass::Bitfield)
        }
        "BFI" => Meaning::new(Op::Bfi, OpClass::Bitfield),
        "POPC" => Meaning::new(Op::Popc, OpClass::Bitfield),
        "FLO" => {
            let signed = !modifiers.take("U32");
            Meaning::new(
                Op::Flo {
                    signed,
                    shift: modifiers.take("SH"),
                },
                OpClass::Bitfield,
            )
        }
        _ => return None,
    };
    meaning.subtract = subtract;
    meaning.carry_in = modifiers.take("X");
    Some(meaning)
}

fn multiplication(base: &str, modifiers: &mut Modifiers) -> Meaning {
    let unsigned = modifiers.take("U32") && modifiers.take("U32");
    let (high, signed) = (modifiers.take("HI"), !unsigned);
    let op = if base.starts_with("IMUL") {
        Op::Imul { high, signed }
    } else {
        Op::Imad { high, signed }
    };
    Meaning::new(op, OpClass::IntMul)
}

fn funnel_shift(modifiers: &mut Modifiers) -> Option<Meaning> {
    let right = modifiers.take("R");
    if right == modifiers.take("L") {
        return None;
    }
    let signed = modifiers.take("S64");
    let wide = modifiers.take("U64") || signed;
    let op = Op::Shf {
        right,
        wide,
        signed,
        wrap: modifiers.take("W"),
        high: !right,
    };
    Some(Meaning::new(op, OpClass::Shift))
}

/// Decodes a conversion, which names the destination's format before the source's for every base opcode.
fn conversion(base: &str, modifiers: &mut Modifiers) -> Option<Meaning> {
    if !["F2F", "F2I", "I2F", "I2I"].contains(&base) {
        return None;
    }
    let flush_denormals = modifiers.take("FTZ");
    let to = modifiers.take_first(Number::named)?;
    let from = modifiers.take_first(Number::named)?;
    let rounding = modifiers.take_first(rounding);
    let integral = base == "F2F" && (rounding.is_some() || modifiers.take("ROUND")) && to == from;
    let mut meaning = Meaning::new(Op::Convert { to, from, integral }, OpClass::Convert);
    meaning.flush_denormals = flush_denormals;
    meaning.round = rounding.unwrap_or_default();
    meaning.saturate = modifiers.take("SAT");
    meaning.dst_registers = to.bits().div_ceil(32);
    meaning.source_registers = from.bits().div_ceil(32);
    Some(meaning)
}

/// Cache hints, which affect caching, not the accessed data.
const HINTS: [&str; 9] = ["CA", "CG", "CS", "CV", "CI", "WB", "WT", "LU", "P"];

fn memory(base: &str, modifiers: &mut Modifiers) -> Option<Meaning> {
    let (space, store) = match base {
        "LDL" => (Space::Local, false),
        "STL" => (Space::Local, true),
        "LDS" => (Space::Shared, false),
        "STS" => (Space::Shared, true),
        "LD" | "LDG" => (Space::Global, false),
        "ST" => (Space::Global, true),
        "LDC" => return Some(constant_load(modifiers)),
        "SHFL" => return shuffle(modifiers),
        _ => return None,
    };
    Some(access(space, store, &HINTS, modifiers))
}

fn control(base: &str, modifiers: &mut Modifiers) -> Option<Meaning> {
    let op = match base {
        "BRA" => {
            modifiers.take("U");
            Op::Bra
        }
        "BRX" => Op::Brx,
        "SSY" => Op::Ssy,
        "PBK" => Op::Pbk,
        "BRK" => Op::Brk,
        "PCNT" => Op::Pcnt,
        "CONT" => Op::Cont,
        "CAL" => Op::Call,
        "RET" => Op::Ret,
        "EXIT" => Op::Exit,
        "S2R" => {
            return Some(Meaning::new(
                Op::S2r(Special::LaneId),
                OpClass::SpecialRegister,
            ));
        }
        "BAR" => {
            modifiers.take("SYNC").then_some(())?;
            return Some(Meaning::new(Op::Barrier, OpClass::Barrier));
        }
        "NOP" | "TEXDEPBAR" => return Some(Meaning::new(Op::Nop, OpClass::Nop)),
        _ => return None,
    };
    Some(Meaning::new(op, OpClass::Control))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::op::Round;

    #[test]
    fn conversions_name_both_formats_and_round_as_they_say() {
        let convert = |opcode: &str| {
            let found = meaning(opcode).unwrap();
            let Op::Convert { to, from, integral } = found.op else {
                panic!("{opcode}: {found:?}")
            };
            let registers = (found.dst_registers, found.source_registers);
            (to, from, integral, found.round, registers)
        };
        let (float, signed) = (Number::Float(32), Number::Signed(32));
        let single = (1, 1);
        assert_eq!(
            convert("F2I.S32.F32.TRUNC"),
            (signed, float, false, Round::Zero, single)
        );
        assert_eq!(
            convert("I2F.F32.S32"),
            (float, signed, false, Round::Nearest, single)
        );
        assert_eq!(
            convert("F2F.F32.F32.FLOOR"),
            (float, float, true, Round::Down, single)
        );
        assert_eq!(
            convert("F2F.F32.F32.ROUND"),
            (float, float, true, Round::Nearest, single)
        );
        assert_eq!(
            convert("F2F.F32.F32"),
            (float, float, false, Round::Nearest, single)
        );
        assert_eq!(
            convert("I2I.S32.S32"),
            (signed, signed, false, Round::Nearest, single)
        );
        let double = Number::Float(64);
        assert_eq!(
            convert("F2F.F64.F32"),
            (double, float, false, Round::Nearest, (2, 1))
        );
        assert_eq!(
            convert("F2F.F32.F64.RM"),
            (float, double, false, Round::Down, (1, 2))
        );
        assert!(meaning("F2I.S32.F32.SAT").unwrap().saturate);
        assert!(meaning("F2I.FTZ.S32.F32").unwrap().flush_denormals);
        assert!(meaning("F2I.S32").is_none());
    }

    #[test]
    fn arithmetic_says_how_it_rounds_and_what_it_reads() {
        let found = meaning("FADD.FTZ.SAT.RZ").unwrap();
        assert!(found.flush_denormals && found.saturate);
        assert_eq!(found.round, Round::Zero);
        let found = meaning("DFMA.RP").unwrap();
        assert_eq!((found.dst_registers, found.source_registers), (2, 2));
        assert_eq!(found.round, Round::Up);
        assert_eq!(meaning("FFMA").unwrap().source_registers, 1);
        let product = |opcode: &str| meaning(opcode).unwrap().op;
        let (high, signed) = (true, false);
        assert_eq!(product("IMUL.U32.U32.HI"), Op::Imul { high, signed });
        assert_eq!(product("IMAD.U32.U32.HI"), Op::Imad { high, signed });
        let signed = true;
        assert_eq!(product("IMUL.HI"), Op::Imul { high, signed });
        assert_eq!(
            product("IMAD"),
            Op::Imad {
                high: false,
                signed
            }
        );
        assert_eq!(product("IMNMX"), Op::Imnmx { signed });
        assert_eq!(product("IMNMX.U32"), Op::Imnmx { signed: false });
        assert_eq!(product("BFE.U32"), Op::Bfe { signed: false });
        let shift = false;
        assert_eq!(
            product("FLO.U32"),
            Op::Flo {
                signed: false,
                shift
            }
        );
        assert_eq!(
            product("SHR.U32.W"),
            Op::Shr {
                signed: false,
                wrap: true
            }
        );
        assert_eq!(
            product("SHR"),
            Op::Shr {
                signed,
                wrap: false
            }
        );
        let found = meaning("ISUB.X").unwrap();
        assert!(found.subtract && found.carry_in);
        assert!(!meaning("IADD").unwrap().subtract);
        assert!(meaning("SHF.W").is_none(), "neither way");
        let wide = |opcode: &str| match product(opcode) {
            Op::Shf {
                right,
                wide,
                signed,
                wrap,
                high,
            } => [right, wide, signed, wrap, high],
            other => panic!("{opcode}: {other:?}"),
        };
        assert_eq!(wide("SHF.L.W"), [false, false, false, true, true]);
        assert_eq!(wide("SHF.R.U64"), [true, true, false, false, false]);
        assert_eq!(wide("SHF.R.S64"), [true, true, true, false, false]);
    }
}
