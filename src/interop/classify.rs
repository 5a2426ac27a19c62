//! Classifies an instruction for the simulator, given only its line in a trace.
//!
//! Models: the opcodes that `isa` decodes, with all their modifiers; any other opcode by its name before the first
//! dot, in a table. Leaves out: tensor cores, textures, surfaces: no preset has such units, so they are refused.
//! Units: registers, bytes. Sources: Accel-Sim's opcode maps (`ISA_Def/*.h`) for the names.

use super::accel_sim::Line;
use crate::isa::meaning::Meaning;
use crate::isa::op::Op;
use crate::isa::operand::RZ;
use crate::isa::{Access, Barriers, Family, OpClass, Space, TimingOp};

/// Opcodes without memory operands that `isa` does not decode, or not with the modifiers given.
const TABLE: [(OpClass, &str); 14] = [
    (
        OpClass::Fp32,
        "FADD FADD32I FMUL FMUL32I FFMA FFMA32I FMNMX FSWZ FSWZADD HADD2 HADD2_32I HMUL2 HMUL2_32I HFMA2 \
         HFMA2_32I HMNMX2 DADD DMUL DFMA DMNMX",
    ),
    (
        OpClass::IntAdd,
        "IADD IADD32I IADD3 ISUB ISCADD ISCADD32I LEA IMNMX IABS ISAD VABSDIFF VADD UIADD3 ULEA UCLEA \
         VIADD VIADDMNMX VMNMX VIMNMX UVIADD UVIMNMX",
    ),
    (
        OpClass::Logic,
        "MOV MOV32I LOP LOP32I LOP3 PRMT UMOV ULOP3 UPRMT R2UR P2R R2P UP2UR UR2UP UBMSK ULOP VOTE VOTEU \
         MATCH SGXT BMSK R2B B2R",
    ),
    (
        OpClass::Compare,
        "ISETP ISET ICMP FSETP FSET FCMP PSETP PSET CSET CSETP DSETP DSET HSETP2 HSET2 PLOP3 UPLOP3 \
         UISETP UPSETP SEL FSEL USEL FCHK",
    ),
    (
        OpClass::IntMul,
        "IMAD IMAD32I IMADSP IMUL IMUL32I XMAD IDP IDP4A UIMAD VMAD",
    ),
    (OpClass::Shift, "SHL SHR SHF USHL USHR USHF SHFL"),
    (
        OpClass::Bitfield,
        "BFE BFI BREV FLO POPC UFLO UPOPC UBREV REDUX",
    ),
    (OpClass::Sfu, "MUFU RRO"),
    (
        OpClass::Convert,
        "F2F F2I F2IP I2F I2I I2IP F2FP UF2FP FRND",
    ),
    (OpClass::SpecialRegister, "S2R CS2R S2UR"),
    (OpClass::ConstantLoad, "LDC ULDC"),
    (
        OpClass::Control,
        "BRA BRX BRXU JMP JMX JMXU CAL JCAL CALL RET BRK CONT SYNC EXIT KILL BSYNC BREAK WARPSYNC SSY \
         PBK PCNT PRET PEXIT BSSY BMOV BPT YIELD RPCMOV",
    ),
    (OpClass::Barrier, "BAR"),
    (
        OpClass::Nop,
        "NOP DEPBAR TEXDEPBAR LDGDEPBAR MEMBAR ERRBAR CCTL CCTLL NANOSLEEP",
    ),
];

/// Control instructions that only prepare a later redirection.
const DOES_NOT_REDIRECT: [&str; 9] = [
    "SSY", "PBK", "PCNT", "PRET", "PEXIT", "BSSY", "BMOV", "BPT", "YIELD",
];

/// Branches to an address in a register.
const INDIRECT: [&str; 4] = ["BRX", "BRXU", "JMX", "JMXU"];

/// Memory instructions: space, whether they are stores, names. Atomics that return a value count as loads, and so does what loads into
/// shared memory: of its two accesses a line has the addresses of one.
const MEMORY: [(Space, bool, &str); 6] = [
    (Space::Global, false, "LD LDG LDGSTS ATOM ATOMG"),
    (Space::Global, true, "ST STG RED"),
    (Space::Local, false, "LDL"),
    (Space::Local, true, "STL"),
    (Space::Shared, false, "LDS LDSM LDSLK ATOMS"),
    (Space::Shared, true, "STS STSCUL"),
];

/// The instruction of a trace line without its stall count; `None` when the opcode is unknown. `binary_version` is the
/// header's.
pub fn timing(line: &Line, binary_version: u32) -> Option<TimingOp> {
    let meaning = decoded(&line.opcode, binary_version).or_else(|| tabled(&line.opcode))?;
    let base = base(&line.opcode);
    let redirects = meaning.sync
        || meaning.op.redirects()
        || meaning.op == Op::Nop
            && meaning.class == OpClass::Control
            && !DOES_NOT_REDIRECT.contains(&base);
    Some(TimingOp {
        class: meaning.class,
        access: meaning.access,
        reads: reads(line, &meaning),
        writes: expand(line.destination, meaning.dst_registers),
        pred_reads: 0,
        pred_writes: 0,
        stall_cycles: 1,
        dual_with_next: false,
        pc_bytes: line.pc as u32,
        redirects,
        indirect: INDIRECT.contains(&base),
        barriers: Barriers::default(),
    })
}

/// Whether the space of the access is decided by its address: the generic loads and stores.
pub fn is_generic(opcode: &str) -> bool {
    matches!(base(opcode), "LD" | "ST" | "ATOM")
}

fn base(opcode: &str) -> &str {
    opcode.split('.').next().unwrap_or(opcode)
}

fn decoded(opcode: &str, binary_version: u32) -> Option<Meaning> {
    let family = match binary_version {
        70.. => Family::Hopper,
        _ => Family::Kepler,
    };
    family.meaning(opcode)
}

fn tabled(opcode: &str) -> Option<Meaning> {
    let base = base(opcode);
    let is_named = |names: &str| names.split(' ').any(|name| name == base);
    if let Some(&(space, store, _)) = MEMORY.iter().find(|row| is_named(row.2)) {
        let op = if store { Op::Store } else { Op::Load };
        let bytes_per_lane = width(opcode);
        let registers = bytes_per_lane.div_ceil(4);
        let mut meaning = Meaning::new(op, OpClass::Memory);
        meaning.access = Some(Access {
            space,
            bytes_per_lane,
            store,
        });
        meaning.dst_registers = registers;
        meaning.source_registers = if store { registers } else { 1 };
        meaning.wide_address = opcode.split('.').any(|modifier| modifier == "E");
        return Some(meaning);
    }
    let row = TABLE.iter().find(|(_, names)| is_named(names))?;
    Some(Meaning::new(Op::Nop, row.0))
}

/// Bytes per lane: the first modifier that is a number of bits, 4 without one, as Accel-Sim reads it.
fn width(opcode: &str) -> u8 {
    let bits = opcode.split('.').find_map(|modifier| {
        let digits = modifier.strip_prefix('U').unwrap_or(modifier);
        digits.parse::<u32>().ok()
    });
    bits.map_or(4, |bits| (bits / 8).clamp(1, 16) as u8)
}

fn reads(line: &Line, meaning: &Meaning) -> Vec<u8> {
    let address = meaning
        .access
        .map(|_| if meaning.wide_address { 2 } else { 1 });
    let mut reads = Vec::new();
    for (at, &register) in line.sources.iter().enumerate() {
        let registers = match (at, address, meaning.op) {
            (0, Some(registers), _) => registers,
            (2, None, Op::ImadWide { .. }) => 2,
            _ => meaning.source_registers,
        };
        reads.extend(expand(Some(register), registers));
    }
    reads
}

/// A register and those after it that belong to the same operand; RZ is none.
fn expand(register: Option<u8>, count: u8) -> Vec<u8> {
    match register {
        None | Some(RZ) => Vec::new(),
        Some(first) => (0..count)
            .filter_map(|part| first.checked_add(part))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing_of(opcode: &str, sources: &[u8], destination: Option<u8>, version: u32) -> TimingOp {
        let line = Line {
            opcode: opcode.to_owned(),
            sources: sources.to_vec(),
            destination,
            ..Line::default()
        };
        timing(&line, version).unwrap()
    }

    #[test]
    fn operands_are_expanded_to_registers() {
        let load = timing_of("LD.E.64", &[4], Some(8), 35);
        assert_eq!((load.reads, load.writes), (vec![4, 5], vec![8, 9]));
        let store = timing_of("ST.E.128", &[4, 12], None, 35);
        assert_eq!(store.reads, [4, 5, 12, 13, 14, 15]);
        let double = timing_of("DADD", &[2, 4], Some(2), 35);
        assert_eq!(
            (double.reads, double.writes),
            (vec![2, 3, 4, 5], vec![2, 3])
        );
        assert_eq!(timing_of("FADD", &[255, 1], None, 35).reads, [1]);
    }

    #[test]
    fn opcodes_that_are_not_decoded_have_a_class_by_name() {
        for (opcode, class) in [
            ("XMAD.MRG", OpClass::IntMul),
            ("HFMA2.MMA.NOVEL", OpClass::Fp32),
            ("SHFL.IDX", OpClass::Memory),
            ("LDG.E.CONSTANT.SYS", OpClass::Memory),
            ("WARPSYNC", OpClass::Control),
            ("VIADD", OpClass::IntAdd),
            ("VIADDMNMX.U32", OpClass::IntAdd),
            ("REDUX.SUM", OpClass::Bitfield),
            ("UF2FP.BF16.F32.PACK_AB", OpClass::Convert),
            ("USHL", OpClass::Shift),
            ("UPSETP.AND", OpClass::Compare),
            ("IDP4A", OpClass::IntMul),
            ("PEXIT", OpClass::Control),
            ("LDGSTS.E.BYPASS.128", OpClass::Memory),
        ] {
            assert_eq!(timing_of(opcode, &[], None, 75).class, class, "{opcode}");
        }
        let narrow = timing_of("LDG.E.U16.SYS", &[2], Some(0), 70)
            .access
            .unwrap();
        assert_eq!(narrow.bytes_per_lane, 2);
        assert!(timing_of("SYNC", &[], None, 61).redirects);
        assert!(!timing_of("SSY", &[], None, 61).redirects);
    }

    #[test]
    fn units_that_no_preset_has_are_unknown() {
        for opcode in ["HMMA.1688.F32", "TEX", "SULD", "FANCY"] {
            let line = Line {
                opcode: opcode.to_owned(),
                ..Line::default()
            };
            assert_eq!(timing(&line, 75), None, "{opcode}");
        }
    }
}
