//! Tests of the semantics of single operations, through the disassembler's text.

use super::{CC_CARRY, CC_ZERO, Inputs, Outputs, execute};
use crate::isa::{Instruction, Kernel};

/// Parses one Kepler instruction.
fn kepler(text: &str) -> Instruction {
    let file = format!(
        ".headerflags @\"EF_CUDA_SM35 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM35)\"\n\
         //----- nvinfo : EIATTR_FRAME_SIZE\n\
         .section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"\n.word index@(k)\n.word 0x0\n\
         .section\t.text.k,\"ax\",@progbits\n.sectioninfo @\"SHI_REGISTERS=8\"\n\
         /* 0x0880808080808080 */\n/*0008*/ {text}; /* 0x0000000000000000 */\n"
    );
    Kernel::parse(&file, "test").unwrap().instructions.remove(0)
}

/// Parses a Hopper kernel of these instructions.
pub fn hopper_kernel(instructions: &[&str], registers: u32) -> Kernel {
    let mut file = format!(
        ".headerflags @\"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)\"\n\
         //----- nvinfo : EIATTR_FRAME_SIZE\n\
         .section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"\n.word index@(k)\n.word 0x0\n\
         .section\t.text.k,\"ax\",@progbits\n.sectioninfo @\"SHI_REGISTERS={registers}\"\n"
    );
    for (at, text) in instructions.iter().enumerate() {
        file += &format!(
            "/*{:04x}*/ {text} ; /* 0x0000000000000000 */\n/* 0x0000000000000000 */\n",
            16 * at
        );
    }
    Kernel::parse(&file, "test").unwrap()
}

/// Parses one Hopper instruction.
fn hopper(text: &str) -> Instruction {
    hopper_kernel(&[text], 8).instructions.remove(0)
}

fn run(instruction: &Instruction, sources: &[u32], predicates: &[bool], cc: u8) -> Outputs {
    use crate::isa::operand::{Place, RZ};
    let mut inputs = Inputs {
        cc,
        ..Inputs::default()
    };
    let mut given = sources.iter();
    for (at, source) in instruction.sources.iter().enumerate() {
        inputs.sources[at] = u64::from(match source.place {
            Place::Imm(bits) => bits,
            Place::Reg(RZ) => 0,
            _ => *given.next().unwrap(),
        });
    }
    for (at, &predicate) in predicates.iter().enumerate() {
        inputs.predicates[at] = predicate;
    }
    execute(instruction, &inputs).unwrap()
}

fn bits(text: &str, sources: &[u32]) -> u32 {
    run(&kepler(text), sources, &[true; 3], 0).value as u32
}

fn float(text: &str, sources: &[f32]) -> f32 {
    let sources: Vec<u32> = sources.iter().map(|source| source.to_bits()).collect();
    f32::from_bits(bits(text, &sources))
}

/// CUDA 13 adds and clamps in one instruction.
#[test]
fn a_sum_is_clamped_signed_or_unsigned() {
    let clamp = |text: &str, sources: &[u32], minimum: bool| {
        run(&hopper(text), sources, &[minimum; 3], 0).value as u32
    };
    let (unsigned, signed) = (
        "VIADDMNMX.U32 R0, R1, R2, R3, P0",
        "VIADDMNMX R0, R1, R2, R3, P0",
    );
    let below = 3u32.wrapping_neg();
    assert_eq!(clamp(unsigned, &[1, 2, 7], true), 3);
    assert_eq!(clamp(unsigned, &[1, 2, 7], false), 7);
    assert_eq!(clamp(unsigned, &[1, below, 2], true), 2);
    assert_eq!(clamp(signed, &[1, below, 2], true), below + 1);
}

#[test]
fn float_modifiers_and_rounding() {
    assert_eq!(float("FADD R0, -|R1|, R2", &[-3.0, 1.0]), -2.0);
    assert_eq!(float("FFMA R0, R1, R2, -R3", &[2.0, 3.0, 1.0]), 5.0);
    let third = 1.0f32 / 3.0;
    assert!(
        float("FFMA.RM R0, R1, R2, RZ", &[third, third])
            < float("FFMA.RP R0, R1, R2, RZ", &[third, third])
    );
    assert_eq!(
        float("FFMA.RZ R0, R1, R2, RZ", &[-third, third]),
        -float("FFMA.RM R0, R1, R2, RZ", &[third, third])
    );
    assert_eq!(float("FFMA.SAT R0, R1, R2, R3", &[2.0, 3.0, 1.0]), 1.0);
    assert_eq!(float("FADD.FTZ R0, R1, R2", &[1e-40, 0.0]), 0.0);
    assert_eq!(float("FADD R0, R1, R2", &[1e-40, 0.0]), 1e-40);
}

#[test]
fn special_functions() {
    assert_eq!(float("MUFU.EX2 R0, R1", &[3.0]), 8.0);
    assert_eq!(float("MUFU.LG2 R0, R1", &[8.0]), 3.0);
    assert_eq!(float("MUFU.RCP R0, R1", &[4.0]), 0.25);
    assert_eq!(float("MUFU.RCP R0, R1", &[1e-40]), f32::INFINITY);
    let quarter_turn = run(&hopper("MUFU.SIN R0, R1"), &[0.25f32.to_bits()], &[], 0).value as u32;
    assert_eq!(f32::from_bits(quarter_turn), 1.0);
}

#[test]
fn carries_cross_words() {
    let low = run(&kepler("IADD R0.CC, R1, R2"), &[u32::MAX, 1], &[], 0);
    assert_eq!((low.value, low.cc), (0, CC_ZERO | CC_CARRY));
    assert_eq!(
        run(&kepler("IADD.X R0, R1, R2"), &[5, 6], &[], low.cc).value as u32,
        12
    );
    // 3 - 5 borrows, 5 - 3 does not.
    assert_eq!(
        run(&kepler("IADD R0.CC, R1, -R2"), &[3, 5], &[], 0).cc & CC_CARRY,
        0
    );
    assert_eq!(
        run(&kepler("IADD R0.CC, R1, -R2"), &[5, 3], &[], 0).cc & CC_CARRY,
        CC_CARRY
    );
    let three = run(
        &hopper("IADD3 R0, P1, R1, R2, RZ"),
        &[u32::MAX, 2],
        &[false; 3],
        0,
    );
    assert_eq!((three.value as u32, three.predicates[0]), (1, true));
    let upper = run(
        &hopper("IADD3.X R0, R1, R2, RZ, P1, !PT"),
        &[7, 8],
        &[true, false],
        0,
    );
    assert_eq!(upper.value as u32, 16);
}

#[test]
fn address_arithmetic() {
    assert_eq!(bits("ISCADD R0, R1, R2, 0x2", &[3, 100]), 112);
    assert_eq!(bits("IMAD R0, R1, 0x18, R2", &[3, 100]), 172);
    assert_eq!(bits("IMAD.U32.U32.HI R0, R1, R2, R3", &[1 << 31, 4, 5]), 7);
    assert_eq!(bits("IMAD.HI R0, R1, R2, R3", &[u32::MAX, 4, 5]), 4);
    let lea = hopper("LEA.HI R0, R1, R2, RZ, 0x2");
    assert_eq!(run(&lea, &[3 << 30, 10], &[], 0).value as u32, 13);
    let signed = hopper("LEA.HI.X.SX32 R0, R1, R2, 0x1, P0");
    assert_eq!(run(&signed, &[u32::MAX, 10], &[true], 0).value as u32, 10);
    assert_eq!(run(&signed, &[7, 10], &[false], 0).value as u32, 10);
    let carry = hopper("IMAD.X R0, RZ, RZ, R1, P0");
    assert_eq!(run(&carry, &[10], &[true], 0).value as u32, 11);
    let wide = run(&hopper("IMAD.WIDE R0, R1, 0x4, R2"), &[u32::MAX, 0], &[], 0);
    assert_eq!(wide.value as i64, -4);
}

#[test]
fn shifts_and_fields() {
    assert_eq!(bits("SHF.L R0, RZ, 0x2, R1", &[5]), 20);
    assert_eq!(bits("SHF.R R0, R1, 0x5, RZ", &[64]), 2);
    assert_eq!(bits("SHR R0, R1, 0x1f", &[u32::MAX - 1]), u32::MAX);
    assert_eq!(bits("SHR.U32 R0, R1, 0x20", &[u32::MAX]), 0);
    assert_eq!(bits("SHL R0, R1, R2", &[1, 40]), 0);
    assert_eq!(bits("BFE.U32 R0, R1, 0x817", &[2.0f32.to_bits()]), 128);
    assert_eq!(bits("PRMT R0, RZ, 0x6540, R1", &[0x11223344]), 0x22334400);
    assert_eq!(bits("POPC R0, R1, -0x1", &[0xf0f0]), 8);
    let shift = |text, sources: &[u32]| run(&hopper(text), sources, &[], 0).value as u32;
    assert_eq!(shift("SHF.R.U32.HI R0, RZ, 0x5, R1", &[64]), 2);
    assert_eq!(shift("SHF.R.S32.HI R0, RZ, 0x1f, R1", &[1 << 31]), u32::MAX);
    assert_eq!(shift("SHF.L.U32.HI R0, R1, 0x2, R2", &[3 << 30, 1]), 7);
    assert_eq!(shift("SHF.L.U32 R0, R1, 0x2, RZ", &[5]), 20);
}

/// Shifts a pair by up to 63, 64, 65 and far more: `.W` takes the amount modulo the width; otherwise the amount saturates.
#[test]
fn funnel_shifts_wrap_or_end_at_their_width() {
    let amounts = [31, 32, 33, 63, 64, 65, u32::MAX];
    let shifted = |instruction: &Instruction| {
        amounts.map(|by| run(instruction, &[0x8000_0001, by, 0xc000_0003], &[], 0).value as u32)
    };
    let top = u32::MAX;
    for (text, expected) in [
        (
            "SHF.L.W.U64",
            [
                0xc000_0000,
                0x8000_0001,
                2,
                1 << 31,
                0xc000_0003,
                0x8000_0007,
                1 << 31,
            ],
        ),
        ("SHF.L.U64", [0xc000_0000, 0x8000_0001, 2, 1 << 31, 0, 0, 0]),
        (
            "SHF.R.W.U64",
            [
                0x8000_0007,
                0xc000_0003,
                0x6000_0001,
                1,
                0x8000_0001,
                0xc000_0000,
                1,
            ],
        ),
        (
            "SHF.R.U64",
            [0x8000_0007, 0xc000_0003, 0x6000_0001, 1, 0, 0, 0],
        ),
        (
            "SHF.R.W.S64",
            [
                0x8000_0007,
                0xc000_0003,
                0xe000_0001,
                top,
                0x8000_0001,
                0xc000_0000,
                top,
            ],
        ),
        (
            "SHF.R.S64",
            [0x8000_0007, 0xc000_0003, 0xe000_0001, top, top, top, top],
        ),
        (
            "SHF.L.W",
            [
                0xc000_0000,
                0xc000_0003,
                0x8000_0007,
                0xc000_0000,
                0xc000_0003,
                0x8000_0007,
                0xc000_0000,
            ],
        ),
        (
            "SHF.L",
            [
                0xc000_0000,
                0x8000_0001,
                0x8000_0001,
                0x8000_0001,
                0x8000_0001,
                0x8000_0001,
                0x8000_0001,
            ],
        ),
    ] {
        let instruction = kepler(&format!("{text} R0, R1, R2, R3"));
        assert_eq!(shifted(&instruction), expected, "{text}");
    }
    let upper = hopper("SHF.R.W.U64.HI R0, R1, R2, R3");
    assert_eq!(shifted(&upper)[3..6], [0, 0xc000_0003, 0x6000_0001]);
    let signed = hopper("SHF.R.S64 R0, R1, R2, R3");
    assert_eq!(shifted(&signed)[2..5], [0xe000_0001, top, top]);
}

#[test]
fn comparisons() {
    let setp = |text, sources: [f32; 2], with| {
        run(&kepler(text), &sources.map(f32::to_bits), &[with], 0).predicates
    };
    assert_eq!(
        setp("FSETP.NEU.AND P0, PT, R1, R2, PT", [f32::NAN, 1.0], true),
        [true, false]
    );
    assert_eq!(
        setp("FSETP.NE.AND P0, PT, R1, R2, PT", [f32::NAN, 1.0], true),
        [false, true]
    );
    assert_eq!(
        setp("FSETP.GEU.OR P0, PT, R1, R2, P3", [0.0, 1.0], true),
        [true, true]
    );
    let unsigned = kepler("ISETP.GE.U32.AND P0, PT, R1, R2, PT");
    assert!(run(&unsigned, &[u32::MAX, 1], &[true], 0).predicates[0]);
    let signed = kepler("ISETP.GE.AND P0, PT, R1, R2, PT");
    assert!(!run(&signed, &[u32::MAX, 1], &[true], 0).predicates[0]);
    let set = run(
        &kepler("ISET.NE.AND RZ.CC, R1, 0xff, PT"),
        &[0xff],
        &[true],
        0,
    );
    assert_eq!((set.value, set.cc), (0, CC_ZERO));
    assert_eq!(bits("ICMP.EQ R0, R1, R2, R3", &[7, 8, 0]), 7);
    assert_eq!(float("FCMP.NEU R0, R1, R2, R3", &[7.0, 8.0, 0.0]), 8.0);
}

#[test]
fn truth_tables() {
    let and = hopper("LOP3.LUT R0, R1, R2, RZ, 0xc0, !PT");
    assert_eq!(
        run(&and, &[0b1100, 0b1010], &[false], 0).value as u32,
        0b1000
    );
    let test = hopper("LOP3.LUT P1, RZ, R1, 0x1, RZ, 0xc0, !PT");
    assert!(run(&test, &[3], &[false], 0).predicates[0]);
    assert!(!run(&test, &[2], &[false], 0).predicates[0]);
    // 0x2a: c and not both of a and b.
    let predicates = hopper("PLOP3.LUT P6, PT, P6, P5, PT, 0x2a, 0x0");
    assert!(run(&predicates, &[], &[true, false, true], 0).predicates[0]);
    assert!(!run(&predicates, &[], &[true, true, true], 0).predicates[0]);
}

#[test]
fn conversions() {
    assert_eq!(
        bits("F2I.S32.F32.TRUNC R0, R1", &[(-2.7f32).to_bits()]) as i32,
        -2
    );
    assert_eq!(bits("F2I.S32.F32 R0, R1", &[2.5f32.to_bits()]), 2);
    assert_eq!(
        bits("F2I.S32.F32.TRUNC R0, R1", &[1e20f32.to_bits()]),
        i32::MAX as u32
    );
    assert_eq!(
        f32::from_bits(bits("I2F.F32.S32 R0, R1", &[u32::MAX])),
        -1.0
    );
    let half = run(&hopper("HFMA2.MMA R9, -RZ, RZ, 1.875, 0"), &[], &[], 0).value as u32;
    assert_eq!(f32::from_bits(half), 1.0);
}

#[test]
fn a_division_needs_its_slow_path_only_at_the_edges() {
    let check = |a: f32, b: f32| {
        run(
            &kepler("FCHK.DIVIDE P0, R1, R2"),
            &[a.to_bits(), b.to_bits()],
            &[],
            0,
        )
        .predicates[0]
    };
    assert!(!check(1.0, 3.0) && !check(-7.5, 1e-3));
    assert!(check(0.0, 2.0), "a zero dividend is an edge");
    assert!(
        check(1.0, 0.0) && check(1.0, 1e-40) && check(f32::INFINITY, 1.0) && check(1e30, 1e-30)
    );
}

/// Runs one Hopper instruction on sources of 64 bits.
fn wide(text: &str, sources: [u64; 3]) -> u64 {
    let instruction = hopper(text);
    let inputs = Inputs {
        sources: [sources[0], sources[1], sources[2], 0],
        ..Inputs::default()
    };
    execute(&instruction, &inputs).unwrap().value
}

/// Division by a variable multiplies by its reciprocal, and adds a pair of registers.
#[test]
fn the_upper_half_of_a_product_is_that_of_its_sum_with_a_pair() {
    let (a, b, c) = (0xdead_beef_u64, 0x1234_5678_u64, 0x9abc_def0_8765_4321_u64);
    let expected = (a * b).wrapping_add(c) >> 32;
    assert_eq!(wide("IMAD.HI.U32 R0, R1, R2, R4", [a, b, c]), expected);
    let signed = i64::from(a as u32 as i32) * i64::from(b as i32);
    let expected = (signed as u64).wrapping_add(c) >> 32;
    assert_eq!(wide("IMAD.HI R0, R1, R2, R4", [a, b, c]), expected);
    // Kepler's adds a word to the upper half.
    let kepler = run(
        &kepler("IMAD.U32.U32.HI R0, R1, R2, R3"),
        &[a as u32, b as u32, 7],
        &[],
        0,
    );
    assert_eq!(kepler.value, ((a * b) >> 32) + 7);
}

/// A comparison of 64 bits on Kepler: the lower words are subtracted, the upper ones compared with the condition code.
#[test]
fn the_upper_words_of_a_pair_are_compared_after_the_lower_ones() {
    let words = [0_u32, 1, 5, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    let lower = kepler("ISUB RZ.CC, R1, R2");
    for (text, signed) in [
        ("ISETP.LT.X.AND P0, PT, R1, R2, PT", true),
        ("ISETP.LT.U32.X.AND P0, PT, R1, R2, PT", false),
    ] {
        for (a, b) in words.iter().flat_map(|&a| words.map(|b| (a, b))) {
            for (c, d) in words.iter().flat_map(|&c| words.map(|d| (c, d))) {
                let cc = run(&lower, &[c, d], &[], 0).cc;
                let less = run(&kepler(text), &[a, b], &[true], cc).predicates[0];
                let pair = |upper: u32, lower: u32| u64::from(upper) << 32 | u64::from(lower);
                let (left, right) = (pair(a, c), pair(b, d));
                let expected = match signed {
                    true => (left as i64) < right as i64,
                    false => left < right,
                };
                assert_eq!(less, expected, "{text}: {left:#x} {right:#x}");
            }
        }
    }
}

/// The upper word of a double's reciprocal begins a division.
#[test]
fn reciprocals_of_doubles_begin_with_their_upper_word() {
    let upper = |x: f64| (x.to_bits() >> 32) as u32;
    for x in [4.0, -0.3, 1e300, 1e-300] {
        let seed = wide("MUFU.RCP64H R0, R1", [upper(x).into(), 0, 0]);
        let seed = f64::from_bits(seed << 32);
        assert!((seed * x - 1.0).abs() < 1e-5, "{x}: {seed}");
    }
    assert_eq!(
        wide("MUFU.RSQ64H R0, R1", [upper(16.0).into(), 0, 0]),
        u64::from(upper(0.25))
    );
}

/// Every number of half precision, and halfway between two of them.
#[test]
fn half_precision_is_rounded_to() {
    let value = |bits: u16| {
        let bits = wide("F2F.F32.F16 R0, R1", [bits.into(), 0, 0]);
        f32::from_bits(bits as u32)
    };
    let half = |text: &str, x: f32| wide(text, [x.to_bits().into(), 0, 0]) as u16;
    assert_eq!(
        [value(0x3c00), value(0xc000), value(1)],
        [1.0, -2.0, 2f32.powi(-24)]
    );
    for bits in 0..0x7bff {
        let (low, high) = (value(bits), value(bits + 1));
        assert_eq!(half("F2F.F16.F32 R0, R1", low), bits);
        assert_eq!(half("F2F.F16.F32 R0, R1", -low), 0x8000 | bits);
        let middle = f32::midpoint(low, high);
        assert_eq!(half("F2F.F16.F32 R0, R1", middle), bits + bits % 2);
        assert_eq!(half("F2F.F16.F32.RM R0, R1", middle), bits);
        assert_eq!(half("F2F.F16.F32.RP R0, R1", middle), bits + 1);
        assert_eq!(half("F2F.F16.F32.RP R0, R1", -middle), 0x8000 | bits);
    }
    assert_eq!(half("F2F.F16.F32 R0, R1", 65520.0), 0x7c00);
    for beyond in [1e9, f32::MAX] {
        assert_eq!(half("F2F.F16.F32 R0, R1", beyond), 0x7c00);
        assert_eq!(half("F2F.F16.F32.RZ R0, R1", beyond), 0x7bff);
        assert_eq!(half("F2F.F16.F32.RP R0, R1", -beyond), 0xfbff);
        assert_eq!(half("F2F.F16.F32.RM R0, R1", -beyond), 0xfc00);
    }
    assert_eq!(half("F2F.F16.F32.RZ R0, R1", f32::INFINITY), 0x7c00);
    assert_eq!(half("F2F.F16.F32 R0, R1", f32::NAN) & 0x7fff, 0x7fff);
}

/// Conversions to numbers of 8 and 16 bits keep the range of those; `.SAT` keeps a float between 0 and 1.
#[test]
fn conversions_keep_the_range_of_their_target() {
    let to = |text: &str, x: f32| run(&kepler(text), &[x.to_bits()], &[], 0).value as u32;
    assert_eq!(to("F2I.S8.F32.TRUNC R0, R1", 300.0), 127);
    assert_eq!(to("F2I.S8.F32.TRUNC R0, R1", -300.0), (-128_i32) as u32);
    assert_eq!(to("F2I.U16.F32.TRUNC R0, R1", 70000.0), 65535);
    assert_eq!(to("F2I.U8.F32.TRUNC R0, R1", -1.0), 0);
    assert_eq!(to("F2I.S32.F32.TRUNC R0, R1", 3e9), i32::MAX as u32);
    assert_eq!(bits("I2I.S8.S32 R0, R1", &[0x1ff]), u32::MAX);
    assert_eq!(bits("I2I.U16.S32.SAT R0, R1", &[(-5_i32) as u32]), 0);
    assert_eq!(bits("I2I.S16.S32.SAT R0, R1", &[40000]), 32767);
    assert_eq!(float("F2F.F32.F32.SAT R0, R1", &[3.0]), 1.0);
    assert_eq!(float("F2F.F32.F32.SAT R0, R1", &[-3.0]), 0.0);
}
