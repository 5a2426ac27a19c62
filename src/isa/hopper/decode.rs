//! Decoding of opcodes from Turing to Hopper, with their modifiers.
//!
//! Models: the opcodes that ptxas 11.8 emits for the interpreters, the same names on all of these architectures; the uniform
//! datapath (`U...`) as the same operations on separate registers.
//! Leaves out: tensor cores (HFMA2.MMA only moves constants here), textures, atomics, clusters.
//! Sources: disassemblies of ptxas 11.8 for sm_75 to sm_90; CUDA binary utilities, Turing, Ampere, Ada and Hopper instruction
//! sets.

use crate::isa::meaning::{
    Meaning, Modifiers, access, comparison, constant_load, mufu, rounding, shuffle,
};
use crate::isa::op::{Mufu, Number, Op, Special};
use crate::isa::{OpClass, Space};

/// Returns the meaning of an opcode such as `IMAD.WIDE.U32`; `None` if unknown.
pub fn meaning(opcode: &str) -> Option<Meaning> {
    let mut parts = opcode.split('.');
    let base = parts.next()?;
    let base = match base {
        "UMOV" | "UIADD3" | "UIMAD" | "ULEA" | "ULOP3" | "UPOPC" | "USHF" | "UISETP" | "ULDC"
        | "USEL" | "UPRMT" | "USGXT" => &base[1..],
        other => other,
    };
    let mut modifiers = Modifiers::new(parts);
    let meaning = float(base, &mut modifiers)
        .or_else(|| integer(base, &mut modifiers))
        .or_else(|| comparison(base, &mut modifiers))
        .or_else(|| conversion(base, &mut modifiers))
        .or_else(|| memory(base, &mut modifiers))
        .or_else(|| control(base, &mut modifiers))?;
    modifiers.is_empty().then_some(meaning)
}

fn float(base: &str, modifiers: &mut Modifiers) -> Option<Meaning> {
    let (op, class) = match base {
        "FADD" => (Op::Fadd, OpClass::Fp32),
        "FMUL" => (Op::Fmul, OpClass::Fp32),
        "FFMA" => (Op::Ffma, OpClass::Fp32),
        "FMNMX" => (Op::Fmnmx, OpClass::Compare),
        "FSEL" => (Op::Fsel, OpClass::Compare),
        "FCHK" => (Op::Fchk, OpClass::Compare),
        "DADD" => (Op::Dadd, OpClass::Fp32),
        "DMUL" => (Op::Dmul, OpClass::Fp32),
        "DFMA" => (Op::Dfma, OpClass::Fp32),
        "MUFU" => {
            let function = match modifiers.take_first(mufu)? {
                // Hopper has no range reduction instruction: the code multiplies by 1 / (2 pi).
                Mufu::Cos => Mufu::CosTurns,
                Mufu::Sin => Mufu::SinTurns,
                other => other,
            };
            (Op::Mufu(function), OpClass::Sfu)
        }
        _ => return None,
    };
    let mut meaning = Meaning::new(op, class);
    meaning.flush_denormals = modifiers.take("FTZ");
    meaning.saturate = modifiers.take("SAT");
    meaning.round = modifiers.take_first(rounding).unwrap_or_default();
    if matches!(op, Op::Dadd | Op::Dmul | Op::Dfma) {
        (meaning.dst_registers, meaning.source_registers) = (2, 2);
    }
    Some(meaning)
}

fn integer(base: &str, modifiers: &mut Modifiers) -> Option<Meaning> {
    let mut meaning = match base {
        "MOV" => Meaning::new(Op::Mov, OpClass::Logic),
        "R2UR" => Meaning::new(Op::Mov, OpClass::SpecialRegister),
        // A pair of half-precision constants: the builder makes it a move.
        "HFMA2" => {
            modifiers.take("MMA").then_some(())?;
            Meaning::new(Op::Mov, OpClass::Fp32)
        }
        "SEL" => Meaning::new(Op::Sel, OpClass::Compare),
        "PRMT" => Meaning::new(Op::Prmt, OpClass::Logic),
        "IADD3" => Meaning::new(Op::Iadd3, OpClass::IntAdd),
        // Printed since CUDA 12.
        "VIADD" => Meaning::new(Op::Iadd, OpClass::IntAdd),
        "LEA" => {
            let high = modifiers.take("HI");
            let signed = high && modifiers.take("SX32");
            let op = if signed {
                Op::LeaSigned
            } else {
                Op::Lea { high }
            };
            Meaning::new(op, OpClass::IntAdd)
        }
        "IMNMX" | "VIMNMX" => {
            let signed = !modifiers.take("U32");
            Meaning::new(Op::Imnmx { signed }, OpClass::Compare)
        }
        "VIADDMNMX" => {
            let signed = !modifiers.take("U32");
            Meaning::new(Op::IaddMnmx { signed }, OpClass::IntAdd)
        }
        "IMAD" => multiplication(modifiers),
        "LOP3" => {
            modifiers.take("LUT").then_some(())?;
            Meaning::new(Op::Lop3, OpClass::Logic)
        }
        "PLOP3" => {
            modifiers.take("LUT").then_some(())?;
            Meaning::new(Op::Plop3, OpClass::Logic)
        }
        "SHF" => funnel_shift(modifiers)?,
        "SGXT" => Meaning::new(Op::Sgxt, OpClass::Bitfield),
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
    meaning.carry_in = false;
    // `.X` adds predicate sources, which are treated like other operands.
    modifiers.take("X");
    Some(meaning)
}

fn multiplication(modifiers: &mut Modifiers) -> Meaning {
    let signed = !modifiers.take("U32");
    // The assembler's aliases for a move, an addition or a shift are still multiply-adds.
    for alias in ["MOV", "IADD", "SHL"] {
        modifiers.take(alias);
    }
    if modifiers.take("WIDE") {
        let mut meaning = Meaning::new(Op::ImadWide { signed }, OpClass::IntMul);
        meaning.dst_registers = 2;
        return meaning;
    }
    let high = modifiers.take("HI");
    Meaning::new(Op::Imad { high, signed }, OpClass::IntMul)
}

fn funnel_shift(modifiers: &mut Modifiers) -> Option<Meaning> {
    let right = modifiers.take("R");
    if right == modifiers.take("L") {
        return None;
    }
    let is_signed_pair = modifiers.take("S64");
    let signed = modifiers.take("S32") || is_signed_pair;
    modifiers.take("U32");
    let wide = modifiers.take("U64") || is_signed_pair;
    let high = modifiers.take("HI");
    let wrap = modifiers.take("W");
    Some(Meaning::new(
        Op::Shf {
            right,
            wide,
            signed,
            wrap,
            high,
        },
        OpClass::Shift,
    ))
}

/// Decodes a conversion, which names formats only where they differ from F32 and S32.
fn conversion(base: &str, modifiers: &mut Modifiers) -> Option<Meaning> {
    if !["F2F", "F2I", "I2F", "I2FP"].contains(&base) {
        return None;
    }
    let flush_denormals = modifiers.take("FTZ");
    modifiers.take("NTZ");
    let rounding = modifiers.take_first(rounding);
    let first = modifiers.take_first(Number::named);
    let second = modifiers.take_first(Number::named);
    let (to, from) = match (base, first, second) {
        ("F2I", None, None) => (Number::Signed(32), Number::Float(32)),
        ("F2I", Some(to), None) => (to, Number::Float(32)),
        (_, Some(to), Some(from)) => (to, from),
        ("I2F", None, None) => (Number::Float(32), Number::Signed(32)),
        _ => return None,
    };
    let mut meaning = Meaning::new(
        Op::Convert {
            to,
            from,
            integral: false,
        },
        OpClass::Convert,
    );
    meaning.flush_denormals = flush_denormals;
    meaning.round = rounding.unwrap_or_default();
    meaning.dst_registers = to.bits().div_ceil(32);
    meaning.source_registers = from.bits().div_ceil(32);
    Some(meaning)
}

/// Cache hints, the scope and Turing's mark of shared loads: they affect caching and visibility, not the accessed data.
const HINTS: [&str; 6] = ["CONSTANT", "LU", "EF", "EL", "SYS", "U"];

fn memory(base: &str, modifiers: &mut Modifiers) -> Option<Meaning> {
    let (space, store) = match base {
        "LDL" => (Space::Local, false),
        "STL" => (Space::Local, true),
        "LDS" => (Space::Shared, false),
        "STS" => (Space::Shared, true),
        "LDG" => (Space::Global, false),
        "STG" => (Space::Global, true),
        "LDC" => return Some(constant_load(modifiers)),
        _ => return None,
    };
    Some(access(space, store, &HINTS, modifiers))
}

fn control(base: &str, modifiers: &mut Modifiers) -> Option<Meaning> {
    let mut take_all = |names: &[&str]| names.iter().all(|name| modifiers.take(name));
    let op = match base {
        "BRA" => Op::Bra,
        "BRX" => Op::Brx,
        "BSSY" => Op::Ssy,
        // Its lanes do not wait at the barrier. They leave it on reaching one further out (`trace::warp`).
        "BREAK" => Op::Nop,
        // Turing clears a barrier before BSSY sets it again.
        "BMOV" if take_all(&["32", "CLEAR"]) => Op::Nop,
        "CALL" if take_all(&["REL", "NOINC"]) => Op::Call,
        "RET" if take_all(&["REL", "NODEC"]) => Op::Ret,
        "EXIT" => Op::Exit,
        "BSYNC" => {
            let mut meaning = Meaning::new(Op::Nop, OpClass::Control);
            meaning.sync = true;
            return Some(meaning);
        }
        "S2R" | "S2UR" => {
            return Some(Meaning::new(
                Op::S2r(Special::Zero),
                OpClass::SpecialRegister,
            ));
        }
        "CS2R" => {
            let mut meaning = Meaning::new(Op::S2r(Special::Zero), OpClass::Logic);
            meaning.dst_registers = if modifiers.take("32") { 1 } else { 2 };
            return Some(meaning);
        }
        "BAR" if take_all(&["SYNC"]) => {
            modifiers.take("DEFER_BLOCKING");
            return Some(Meaning::new(Op::Barrier, OpClass::Barrier));
        }
        "WARPSYNC" if take_all(&["ALL"]) => Op::WarpSync,
        "VOTE" if take_all(&["ANY"]) => {
            return Some(Meaning::new(Op::VoteAny, OpClass::Compare));
        }
        "SHFL" => return shuffle(modifiers),
        "NOP" => return Some(Meaning::new(Op::Nop, OpClass::Nop)),
        _ => return None,
    };
    Some(Meaning::new(op, OpClass::Control))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::op::Round;

    #[test]
    fn conversions_name_what_differs_from_the_usual_formats() {
        let convert = |opcode: &str| {
            let found = meaning(opcode).unwrap();
            let Op::Convert {
                to,
                from,
                integral: false,
            } = found.op
            else {
                panic!("{opcode}: {found:?}")
            };
            let registers = (found.dst_registers, found.source_registers);
            (to, from, found.round, registers)
        };
        let (float, signed) = (Number::Float(32), Number::Signed(32));
        let unsigned = Number::Unsigned(32);
        assert_eq!(
            convert("F2I.TRUNC.NTZ"),
            (signed, float, Round::Zero, (1, 1))
        );
        assert_eq!(
            convert("F2I.U32"),
            (unsigned, float, Round::Nearest, (1, 1))
        );
        assert_eq!(
            convert("F2I.FTZ.U32.TRUNC.NTZ"),
            (unsigned, float, Round::Zero, (1, 1))
        );
        assert_eq!(convert("I2F"), (float, signed, Round::Nearest, (1, 1)));
        assert_eq!(
            convert("I2FP.F32.U32"),
            (float, unsigned, Round::Nearest, (1, 1))
        );
        assert_eq!(
            convert("I2F.F64.U32.RP"),
            (Number::Float(64), unsigned, Round::Up, (2, 1))
        );
        assert_eq!(
            convert("F2F.F32.F64"),
            (float, Number::Float(64), Round::Nearest, (1, 2))
        );
        for unknown in ["I2F.U32", "F2F", "F2F.F32", "I2FP", "F2I.ODD"] {
            assert!(meaning(unknown).is_none(), "{unknown}");
        }
        assert!(meaning("F2I.FTZ.NTZ").unwrap().flush_denormals);
        assert!(!meaning("F2I.NTZ").unwrap().flush_denormals);
    }

    #[test]
    fn the_uniform_datapath_does_the_same() {
        for opcode in [
            "MOV", "IADD3", "IMAD", "LEA", "LOP3.LUT", "POPC", "SEL", "PRMT", "SGXT",
        ] {
            assert_eq!(meaning(&format!("U{opcode}")), meaning(opcode), "{opcode}");
            assert!(meaning(opcode).is_some());
        }
        assert!(meaning("UFADD").is_none());
        assert_eq!(meaning("VIADD").unwrap().op, Op::Iadd);
        let clamped = |opcode| meaning(opcode).unwrap().op;
        assert_eq!(clamped("VIADDMNMX"), Op::IaddMnmx { signed: true });
        assert_eq!(clamped("VIADDMNMX.U32"), Op::IaddMnmx { signed: false });
        assert!(meaning("VIADDMNMX.RELU").is_none());
    }

    #[test]
    fn products_and_shifts_say_what_they_keep() {
        let op = |opcode: &str| meaning(opcode).unwrap().op;
        let signed = true;
        assert_eq!(
            op("IMAD.MOV.U32"),
            Op::Imad {
                high: false,
                signed: false
            }
        );
        assert_eq!(
            op("IMAD.IADD"),
            Op::Imad {
                high: false,
                signed
            }
        );
        assert_eq!(op("IMAD.HI"), Op::Imad { high: true, signed });
        assert_eq!(op("IMAD.WIDE.U32"), Op::ImadWide { signed: false });
        assert_eq!(meaning("IMAD.WIDE").unwrap().dst_registers, 2);
        assert_eq!(op("LEA.HI"), Op::Lea { high: true });
        assert_eq!(op("LEA.HI.X.SX32"), Op::LeaSigned);
        assert_eq!(op("LEA.X"), Op::Lea { high: false });
        let shift = |opcode: &str| match op(opcode) {
            Op::Shf {
                right,
                wide,
                signed,
                wrap,
                high,
            } => [right, wide, signed, wrap, high],
            other => panic!("{opcode}: {other:?}"),
        };
        assert_eq!(shift("SHF.L.U32"), [false; 5]);
        assert_eq!(shift("SHF.R.S32.HI"), [true, false, true, false, true]);
        assert_eq!(shift("SHF.R.S64.W"), [true, true, true, true, false]);
        assert_eq!(shift("SHF.L.U64.HI"), [false, true, false, false, true]);
        assert!(meaning("SHF.U32").is_none(), "neither way");
    }

    #[test]
    fn memory_and_barriers_by_their_names() {
        let bytes = |opcode: &str| {
            let access = meaning(opcode).unwrap().access.unwrap();
            (access.space, access.store, access.bytes_per_lane)
        };
        assert_eq!(bytes("LDG.E.64.CONSTANT"), (Space::Global, false, 8));
        assert_eq!(bytes("STG.E"), (Space::Global, true, 4));
        assert_eq!(bytes("LDS.U.128"), (Space::Shared, false, 16));
        assert_eq!(bytes("LDL.U8"), (Space::Local, false, 1));
        assert_eq!(bytes("STL.LU"), (Space::Local, true, 4));
        assert_eq!(meaning("LDC.64").unwrap().dst_registers, 2);
        assert_eq!(meaning("CS2R").unwrap().dst_registers, 2);
        assert_eq!(meaning("CS2R.32").unwrap().dst_registers, 1);
        assert!(meaning("BSYNC").unwrap().sync);
        assert_eq!(meaning("BAR.SYNC.DEFER_BLOCKING").unwrap().op, Op::Barrier);
        assert_eq!(meaning("CALL.REL.NOINC").unwrap().op, Op::Call);
        for unknown in [
            "CALL.ABS.NOINC",
            "RET.ABS.NODEC",
            "BAR.ARV",
            "VOTE.ALL",
            "STL.U8",
        ] {
            assert!(meaning(unknown).is_none(), "{unknown}");
        }
    }
}
