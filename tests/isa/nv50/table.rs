//! The table of `docs/nv50.md`: how many instructions each instruction expands to.

use super::{kernel, texts, translated};
use warpstack::isa::Kernel;
use warpstack::isa::nv50;

/// Returns the number of instructions that an instruction computing `R3` expands to.
fn count(instruction: &str) -> usize {
    let kernel = kernel(&["S2R R0, SR_TID.X", instruction, "ST [R9], R3", "EXIT"]);
    translated(&kernel).of(1).len()
}

#[test]
fn an_instruction_becomes_as_many_as_the_table_says() {
    for (instruction, expected) in [
        // Products are made of pieces of 16 bits.
        ("IMUL R3, R4, R5", 4),
        ("IMAD R3, R4, R5, R6", 5),
        // Of the size of a block, or a small number, the upper half is 0; of a thread's number, too.
        ("IMUL R3, R4, c[0x0][0x28]", 3),
        ("IMUL R3, R4, 0x64", 3),
        ("IMUL R3, R4, 0xffff", 3),
        ("IMAD R3, R4, c[0x0][0x28], R0", 4),
        ("IMAD R3, R0, c[0x0][0x28], R4", 1),
        ("IMAD R3, R4, R5, RZ", 4), // adds nothing
        // Parameters and other banks hold anything.
        ("IMUL R3, R4, c[0x0][0x140]", 4),
        ("IMUL R3, R4, c[0x2][0x28]", 4),
        ("IMUL R3, R4, 0x10000", 4),
        ("IMUL.U32.U32.HI R3, R4, R5", 8),
        ("IMUL.HI R3, R4, R5", 18),
        // Shifts clamp their count and wrap it by a mask.
        ("SHL R3, R4, R5", 1),
        ("SHL.W R3, R4, R5", 2),
        ("SHL.W R3, R4, 0x3", 1),
        ("SHR.U32.W R3, R4, R5", 2),
        ("SHF.L R3, R4, R6, R5", 4),
        ("SHF.L.W R3, R4, R6, R5", 5),
        ("SHF.L.W R3, R4, 0x3, R5", 3),
        ("SHF.R R3, R4, 0x2, RZ", 1),
        ("SHF.R.W R3, R4, R6, RZ", 2),
        ("SHF.L R3, R4, 0x2, RZ", 3),
        // Bits are counted and found.
        ("POPC R3, R4, R5", 15),
        ("POPC R3, R4, 0xff", 15),
        ("FLO.U32 R3, R4", 3),
        ("FLO R3, R4", 5),
        ("FLO.U32.SH R3, R4", 4),
        ("FLO.SH R3, R4", 6),
        // Floats are computed as on kepler.
        ("FADD R3, R4, R5", 1),
        ("FFMA R3, R4, R5, R6", 1),
        ("FMNMX R3, R4, R5, PT", 1),
        ("IMNMX R3, R4, R5, !PT", 1),
        ("MUFU.EX2 R3, R4", 1),
        ("RRO.SINCOS R3, R4", 1),
        ("F2I.S32.F32 R3, R4", 1),
        ("MUFU.SQRT R3, R4", 2),
        ("FFMA R3, R4, R5, c[0x0][0x140]", 2), // no addend from there
        ("FMNMX R3, R4, R5, P1", 3),           // both, and a choice
        ("FADD R3, |R4|, |R5|", 3),
        ("FSET.BF.LT.AND R3, R4, R5, P1", 4),
        ("FSET.LT.AND R3, R4, R5, PT", 1),
        ("FCMP.LT R3, R3, R5, R6", 2),
        ("S2R R3, SR_LANEID", 2),
        // What these chips lack is made of shifts and logic.
        ("POPC R3, R4, -0x1", 14),
        ("BFE.U32 R3, R4, 0x808", 2),
        ("BFE R3, R4, 0x1000", 1),
        ("ISCADD R3, R4, R5, 0x2", 2),
        ("SHF.L R3, RZ, 0x2, R4", 1),
        ("SHF.R R3, R4, 0x2, R5", 3),
        ("SEL R3, R4, R5, P1", 2),
        ("SEL R3, R3, R5, P1", 1),
        ("FADD R3, |R4|, R5", 2),
        ("FSET.BF.LT.AND R3, R4, R5, PT", 2),
        ("ICMP.EQ R3, R4, R5, R6", 3),
    ] {
        assert_eq!(count(instruction), expected, "{instruction}");
    }
}

/// A factor that another instruction has computed.
#[test]
fn an_upper_half_is_known_to_be_0_by_what_computed_it() {
    let product = |setter: &str| {
        let kernel = kernel(&[
            setter,
            "IMUL R3, R4, R5",
            "ST [R9], R3",
            "ST [R9], R4",
            "EXIT",
        ]);
        translated(&kernel).of(1).len()
    };
    for short in [
        "S2R R4, SR_CTAID.X",
        "S2R R4, SR_LANEID",
        "LOP.AND R4, R6, 0xffff",
        "LD.U8 R4, [R6]",
        "MOV R4, c[0x0][0x2c]",
        "MOV32I R4, 0xffff",
    ] {
        assert_eq!(product(short), 3, "{short}");
    }
    for long in [
        "LOP.AND R4, R6, 0x10000",
        "LOP.AND R4, R6, R7",
        "LOP.OR R4, R6, 0xff",
        "LD R4, [R6]",
        "MOV R4, c[0x0][0x40]",
        "MOV32I R4, 0x10000",
        "MOV R4, R6",
        "IADD R4, R6, 0x1",
    ] {
        assert_eq!(product(long), 4, "{long}");
    }
}

#[test]
fn fields_are_shifted_and_masked() {
    for (field, unsigned, signed) in [
        // Length and position.
        ("0x500", 1, 2),
        ("0x800", 1, 1),
        ("0x1000", 1, 1),
        ("0x804", 2, 2),
        ("0x1810", 1, 1),
        ("0x1010", 1, 1),
        ("0x0f10", 2, 2),
        ("R5", 6, 7),
    ] {
        assert_eq!(
            count(&format!("BFE.U32 R3, R4, {field}")),
            unsigned,
            "{field}"
        );
        assert_eq!(count(&format!("BFE R3, R4, {field}")), signed, "{field}");
    }
    assert_eq!(count("BFI R3, R4, 0x808, R5"), 4);
    assert_eq!(count("BFI R3, R4, R6, R5"), 8);
}

/// The selector's digits name bytes of the first source (0 to 3) and the third (4 to 7).
#[test]
fn halves_are_moved_and_bytes_are_masked_shifted_and_joined() {
    assert_eq!(count("PRMT R3, R4, 0x5410, R5"), 2);
    assert_eq!(count("PRMT R3, R4, 0x3276, R5"), 2);
    // A half that is there already.
    assert_eq!(count("PRMT R3, R3, 0x5410, R5"), 1);
    assert_eq!(count("PRMT R3, R4, 0x7610, R3"), 1);
    assert_eq!(count("PRMT R3, R4, 0x5476, R3"), 2, "the other way round");
    assert_eq!(count("PRMT R3, R3, 0x3210, R5"), 1, "at least one");
    for bytes in ["0x4440", "0x2110", "0x4410", "0x1054", "0x1032"] {
        let halves = ["0x1054", "0x1032"].contains(&bytes);
        let expected = if halves { 2 } else { 6 };
        assert_eq!(
            count(&format!("PRMT R3, R4, {bytes}, R5")),
            expected,
            "{bytes}"
        );
    }
}

/// A word of shared memory with one reader, in its block and without a guard, is that reader's operand.
#[test]
fn a_load_is_an_operand_where_one_instruction_takes_it() {
    let is_operand = |reader: &str| {
        let kernel = kernel(&[
            "SHL R2, R0, 0x2",
            "LDS R3, [R2]",
            reader,
            "STS [R2], R5",
            "@P1 ST [R9], R5",
            "EXIT",
        ]);
        translated(&kernel).of(1).is_empty()
    };
    for reader in [
        "FADD R5, R3, R4",
        "FFMA R5, R3, R4, R6",
        "FFMA R5, R4, R3, R6",
        "SHL R5, R3, 0x2",
        "LOP.AND R5, R4, R3",
        "ISETP.GE.AND P1, PT, R3, R4, PT",
    ] {
        assert!(is_operand(reader), "{reader}");
    }
    for reader in [
        "@P0 FADD R5, R3, R4",
        "FADD R5, R3, R3",
        "FADD R5, |R3|, R4",
        "FFMA R5, R4, R6, R3",
        "SHL R5, R4, R3",
        "ISETP.GE.AND P1, PT, R3, R4, P0",
        "IMUL R5, R3, R4",
        "MUFU.EX2 R5, R3",
    ] {
        assert!(!is_operand(reader), "{reader}");
    }
}

/// The end is a flag of the instruction before it, unless that or the end is guarded, or lanes come from elsewhere.
#[test]
fn the_end_is_a_flag_where_it_can_be() {
    let last = |code: &[&str]| translated(&kernel(code)).of(code.len() - 1).len();
    assert_eq!(last(&["ST [R9], R3", "EXIT"]), 0);
    assert_eq!(last(&["@P0 ST [R9], R3", "EXIT"]), 1);
    assert_eq!(last(&["EXIT"]), 1);
    assert_eq!(
        last(&["@P0 BRA `(.L_2)", "ST [R9], R3", "EXIT"]),
        1,
        "a block of its own"
    );
    let guarded = ["ST [R9], R3", "@P0 EXIT", "ST [R9], R4", "EXIT"];
    assert_eq!(translated(&kernel(&guarded)).of(1).len(), 1);
}

#[test]
fn lanes_meet_at_an_instruction_or_branch_to_it() {
    let meeting = |target: u32, instruction: &str| {
        let ssy = format!("SSY `(.L_{target})");
        let code = [&ssy, instruction, "ST [R9], R3", "ST [R9], R4", "EXIT"];
        translated(&kernel(&code)).of(1).len()
    };
    assert_eq!(meeting(2, "NOP.S"), 1);
    assert_eq!(meeting(2, "IADD.S R3, R4, R5"), 1);
    assert_eq!(meeting(3, "NOP.S"), 2, "elsewhere");
    assert_eq!(meeting(3, "@P0 NOP.S"), 1, "some lanes");
}

/// A shift or an added constant writes the address register itself; a sum of two registers is copied there.
#[test]
fn an_address_is_written_at_once_or_copied() {
    let before_the_load = |instruction: &str| {
        let found = texts(&[
            "S2R R0, SR_TID.X",
            instruction,
            "LDS R3, [R2]",
            "ST [R9], R3",
            "EXIT",
        ]);
        found.iter().position(|text| text.contains("s[]")).unwrap() - 1
    };
    for once in [
        "SHL R2, R0, 0x2",
        "IADD R2, R0, 0x40",
        "ISCADD R2, R0, RZ, 0x2",
        "MOV R2, R0",
        "SHF.L R2, RZ, 0x2, R0",
    ] {
        assert_eq!(before_the_load(once), 1, "{once}");
    }
    for copied in [
        "IADD R2, R0, R1",
        "IADD R2, -R0, 0x40",
        "LOP.AND R2, R0, 0x3c",
    ] {
        assert_eq!(before_the_load(copied), 2, "{copied}");
    }
    assert_eq!(before_the_load("ISCADD R2, R0, R1, 0x2"), 3);
}

/// Four addresses stay in registers; of five that are live together, the one with the fewest accesses is converted at each use.
#[test]
fn four_addresses_stay_in_registers() {
    let of = |n: usize, others: &[&str]| {
        let register = |at: usize| format!("R{}", 10 + at);
        let mut code = vec!["S2R R0, SR_TID.X".to_owned()];
        code.extend((0..n).map(|at| format!("SHL {}, R0, {:#x}", register(at), 2 + at)));
        code.extend(others.iter().map(|&other| other.to_owned()));
        for round in 0..3 {
            code.extend((0..4).map(|at| format!("STS [{}+{:#x}], R0", register(at), 4 * round)));
        }
        code.push("EXIT".to_owned());
        texts(&code.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let four = of(4, &[]);
    assert_eq!(four.len(), 1 + 4 + 12);
    for register in ["$a1", "$a2", "$a3", "$a4"] {
        let stores = four
            .iter()
            .filter(|text| text.contains("<-") && text.contains(register));
        assert_eq!(stores.count(), 3, "{register}");
    }
    // The shift, a copy of its address, the store; a second store finds the copy, but not of another address.
    let store = "STS [R14], R0";
    let five = |others: &[&str]| of(5, others).len() - four.len();
    assert_eq!(five(&[store]), 3);
    assert_eq!(five(&[store, "STS [R14+0x4], R0"]), 4);
    assert_eq!(five(&[store, "SHL R14, R0, 0x9", store]), 6);
}

/// The loose translation adds what Mesa's compiler does: reconvergence points behind forward branches, and loads of parameters
/// and of constants in comparisons.
#[test]
fn the_loose_translation_adds_moves_and_points_to_meet() {
    let loose = |kernel: &Kernel, index: usize| {
        let target = nv50::target("sm_13-loose").unwrap();
        let loose = nv50::translate(kernel, target).unwrap();
        loose.of(index).len() - translated(kernel).of(index).len()
    };
    let straight = |instruction: &str| {
        loose(
            &kernel(&["S2R R0, SR_TID.X", instruction, "ST [R9], R3", "EXIT"]),
            1,
        )
    };
    assert_eq!(straight("IADD R3, R4, c[0x0][0x140]"), 1);
    assert_eq!(straight("IADD R3, R4, c[0x2][0x0]"), 0);
    assert_eq!(straight("IADD R3, R4, 0x5"), 0);
    assert_eq!(straight("ICMP.EQ R3, R4, 0x5, R6"), 1);
    assert_eq!(straight("ICMP.EQ R3, R4, 0x0, R6"), 0);
    let branching = |branch: &str| {
        loose(
            &kernel(&["NOP", branch, "ST [R9], R3", "ST [R9], R4", "EXIT"]),
            1,
        )
    };
    assert_eq!(branching("@P0 BRA `(.L_3)"), 2);
    assert_eq!(branching("@P0 BRA `(.L_0)"), 0, "backwards");
    assert_eq!(branching("BRA `(.L_3)"), 0, "always");
    assert_eq!(branching("SSY `(.L_3)"), 0);
}

#[test]
fn predicates_are_combined_in_registers() {
    let of_branch = |setter: &str| {
        let kernel = kernel(&[setter, "@P0 EXIT", "ST [R9], R3", "EXIT"]);
        translated(&kernel).of(0).len()
    };
    assert_eq!(of_branch("ISETP.GE.AND P0, PT, R4, R5, PT"), 1);
    assert_eq!(of_branch("ISETP.GE.AND P0, PT, R4, R5, P1"), 3);
    assert_eq!(
        of_branch("ISETP.GE.AND P0, P2, R4, R5, P1"),
        5,
        "and its complement"
    );
    assert_eq!(of_branch("PSETP.AND.AND P0, PT, P1, P2, PT"), 3);
}
