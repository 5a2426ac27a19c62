//! The parser of machine code: every committed kernel, its control flow, and what it refuses.

use crate::listing::listing;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use warpstack::gp::problem::ProblemId;
use warpstack::isa::Arch;
use warpstack::isa::cfg::{ControlFlow, live_before};
use warpstack::isa::op::Op;
use warpstack::isa::{Instruction, IsaError, Kernel, OpClass, Space};
use warpstack::systems::chitty::variant::{KernelId, Variant};

fn parse(variant: &Variant) -> Kernel {
    let file = variant.sass_file().unwrap();
    Kernel::parse(&variant.sass().unwrap(), file).unwrap_or_else(|error| panic!("{error}"))
}

/// Every committed kernel.
static KERNELS: LazyLock<Vec<(Variant, Kernel)>> = LazyLock::new(|| {
    let variants = Variant::all().unwrap().into_par_iter();
    variants.map(|variant| (variant, parse(&variant))).collect()
});

fn sextic(arch: Arch) -> Variant {
    Variant::new(KernelId::Rpn, ProblemId::Sextic, 1, arch)
}

fn at(kernel: &Kernel, pc_bytes: u32) -> &Instruction {
    &kernel.instructions[kernel.index_of(pc_bytes).unwrap()]
}

#[test]
fn every_kernel_is_parsed_with_the_resources_that_ptxas_reported() {
    assert!(KERNELS.len() >= 300);
    for (variant, kernel) in &*KERNELS {
        let resources = variant.resources().unwrap();
        assert_eq!(kernel.name, variant.kernel.entry_point());
        assert_eq!(kernel.arch, variant.arch.name());
        assert!(variant.sass_file().unwrap().contains(&variant.to_string()));
        assert_eq!(kernel.registers, resources.registers, "{variant}");
        assert_eq!(kernel.frame_bytes, resources.frame_bytes, "{variant}");
        assert_eq!(kernel.parameters.len(), 6, "{variant}");
    }
}

#[test]
fn no_instruction_reads_or_writes_more_registers_than_the_kernel_has() {
    for (variant, kernel) in &*KERNELS {
        for instruction in &kernel.instructions {
            let registers = instruction.reads().into_iter().chain(instruction.writes());
            // Uniform registers are numbered from 192.
            let highest = registers
                .filter(|&register| register < 192)
                .max()
                .unwrap_or(0);
            assert!(
                u32::from(highest) < kernel.registers,
                "{variant}: {}",
                instruction.text
            );
        }
    }
}

#[test]
fn the_case_loop_holds_the_token_loop() {
    for (variant, kernel) in &*KERNELS {
        let flow = ControlFlow::new(kernel).unwrap();
        let loops = flow.loops();
        let largest = loops.iter().max_by_key(|found| found.blocks.len()).unwrap();
        let inner = loops.iter().filter(|other| other.header != largest.header);
        let nested = inner
            .filter(|other| other.blocks.is_subset(&largest.blocks))
            .count();
        assert!(nested >= 1, "{variant}: {} loops", loops.len());
    }
}

/// Every instruction but the padding after the last exit can be reached, so no edge is missing.
#[test]
fn all_code_is_reachable() {
    for (variant, kernel) in &*KERNELS {
        let flow = ControlFlow::new(kernel).unwrap();
        let mut reached = BTreeSet::from([0]);
        let mut pending = vec![0];
        while let Some(index) = pending.pop() {
            pending.extend(
                flow.successors[index]
                    .iter()
                    .filter(|&&next| reached.insert(next)),
            );
        }
        for (index, instruction) in kernel.instructions.iter().enumerate() {
            let padding = matches!(instruction.op, Op::Nop)
                || instruction.op == Op::Bra && instruction.target == Some(instruction.pc_bytes);
            assert!(
                padding || reached.contains(&index),
                "{variant}: {}",
                instruction.text
            );
        }
    }
}

/// The stack pointer is set once, and needed as long as there is a stack.
#[test]
fn the_stack_pointer_is_live_after_its_definition_only() {
    for (variant, kernel) in &*KERNELS {
        let live = live_before(kernel, &ControlFlow::new(kernel).unwrap());
        assert!(!live[0].contains(1), "{variant}");
        let is_stack_access =
            |instruction: &Instruction| instruction.memory.is_some_and(|memory| memory.base == 1);
        for (index, instruction) in kernel.instructions.iter().enumerate() {
            assert!(
                !is_stack_access(instruction) || live[index].contains(1),
                "{variant}"
            );
        }
    }
}

/// `IADD32I R1, R1, -0xe8` and its neighbours, checked against the disassembly by hand.
#[test]
fn kepler_timing_checked_by_hand() {
    let kernel = parse(&sextic(Arch::Sm35));
    let moved = at(&kernel, 0x08).timing();
    assert_eq!(
        (moved.class, moved.writes.as_slice()),
        (OpClass::Logic, &[1][..])
    );
    assert_eq!(moved.stall_cycles, 12);
    let paired = at(&kernel, 0x10).timing();
    assert!(paired.dual_with_next && paired.stall_cycles == 0);
    let load = at(&kernel, 0x90).timing();
    let access = load.access.unwrap();
    assert_eq!(
        (access.space, access.bytes_per_lane, access.store),
        (Space::Global, 4, false)
    );
    assert_eq!(load.reads, [2, 3]);
    assert_eq!(load.writes, [2]);
    let branch = at(&kernel, 0xc8).timing();
    assert!(branch.redirects);
    assert_eq!(branch.pred_reads, 1 << 1 | 1 << 7);
    let store = at(&kernel, 0xb0).timing();
    assert_eq!(store.reads, [2, 4]);
    assert!(store.access.unwrap().store && store.writes.is_empty());
}

/// `LDC R1`, `IADD3 R1, R1, ...` and a fetch of the stack, checked against the disassembly by hand.
#[test]
fn hopper_timing_checked_by_hand() {
    let kernel = parse(&Variant {
        math: warpstack::systems::chitty::variant::Math::Fast,
        ..sextic(Arch::Sm90)
    });
    let first = at(&kernel, 0x0).timing();
    assert_eq!(
        (first.class, first.stall_cycles),
        (OpClass::ConstantLoad, 8)
    );
    assert_eq!(first.barriers.write, Some(0));
    let second = at(&kernel, 0x40).timing();
    assert_eq!(second.barriers.wait_mask, 1);
    assert_eq!(
        (second.reads.as_slice(), second.writes.as_slice()),
        (&[1][..], &[1][..])
    );
    let wide = at(&kernel, 0xe0).timing();
    assert_eq!(
        (wide.class, wide.writes.as_slice()),
        (OpClass::IntMul, &[2, 3][..])
    );
    let load = at(&kernel, 0x3b0).timing();
    assert_eq!(load.access.unwrap().space, Space::Local);
    assert!(!load.dual_with_next);
}

#[test]
fn an_unknown_opcode_is_named_with_file_and_line() {
    let text = sextic(Arch::Sm35).sass().unwrap();
    let line = text
        .lines()
        .position(|line| line.contains("ISCADD R2.CC"))
        .unwrap()
        + 1;
    let text = text.replacen("ISCADD R2.CC", "FROB.X R2.CC", 1);
    let error = Kernel::parse(&text, "damaged.sass").unwrap_err();
    let IsaError::UnknownOpcode { opcode, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(opcode, "FROB.X");
    let message = error.to_string();
    assert_eq!(
        message,
        format!("damaged.sass:{line}: unknown opcode `FROB.X` for sm_35")
    );
}

#[test]
fn an_unknown_modifier_is_an_unknown_opcode() {
    let text = sextic(Arch::Sm35)
        .sass()
        .unwrap()
        .replacen("MUFU.EX2", "MUFU.EX2.ODD", 1);
    let error = Kernel::parse(&text, "damaged.sass")
        .unwrap_err()
        .to_string();
    assert!(error.contains("unknown opcode `MUFU.EX2.ODD`"), "{error}");
}

#[test]
fn damaged_texts_are_refused() {
    let text = sextic(Arch::Sm35).sass().unwrap();
    let refused = |text: &str| Kernel::parse(text, "damaged.sass").unwrap_err().to_string();
    for (from, to, message) in [
        (
            "LDL R0, [R16+-0x4]",
            "LDL R0, [Q16+-0x4]",
            "neither a register nor an offset",
        ),
        (
            "S2R R9, SR_TID.X",
            "S2R R9, SR_ODD",
            "unknown special register",
        ),
        (
            "EF_CUDA_SM35 EF",
            "EF_CUDA_SM50 EF",
            "`sm_50` is not supported; allowed: sm_35, sm_75, sm_80, sm_86, sm_89, sm_90",
        ),
        ("BRA `(.L_x_13)", "BRA `(.L_x_999)", "no such label"),
        ("MOV R11, RZ;", "MOV R11;", "wrong number of value operands"),
        ("MOV R11, RZ;", "MOV R11, RZ", "no semicolon"),
        (
            "/* 0x08801090108c10ac */",
            "/* 0x18801090108c10ac */",
            "no control word",
        ),
        ("/*0008*/ MOV", "/*zz08*/ MOV", "not a byte offset"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = refused(&text.replacen(from, to, 1));
        assert!(
            error.starts_with("damaged.sass") && error.contains(message),
            "{from}: {error}"
        );
    }
    assert!(refused("").contains("no .headerflags"));
    assert!(refused("not SASS at all\n").contains("no .headerflags"));
    let header: String = text
        .lines()
        .take(3)
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(refused(&header).contains("no .text section"));
}

fn control_flow(instructions: &[&str]) -> Result<usize, IsaError> {
    let kernel = Kernel::parse(&listing(instructions, ""), "k")?;
    Ok(ControlFlow::new(&kernel)?.successors.len())
}

#[test]
fn reconvergence_points_that_are_never_left_have_an_end() {
    for instructions in [
        ["SSY `(.L_3)", "NOP.S", "NOP", "@P0 BRA `(.L_0)", "EXIT"],
        ["PBK `(.L_4)", "@P0 BRK", "BRA `(.L_1)", "NOP", "EXIT"],
        // Set again and never left.
        ["SSY `(.L_3)", "@P0 BRA `(.L_0)", "NOP.S", "NOP", "EXIT"],
        ["PBK `(.L_3)", "PBK `(.L_4)", "BRA `(.L_0)", "NOP", "EXIT"],
    ] {
        assert_eq!(control_flow(&instructions).unwrap(), 5, "{instructions:?}");
    }
    // As many stacks as there are orders of 40 points that are set and skipped, over and over.
    let points = (0..40).flat_map(|n| {
        let skip = format!("@P0 BRA `(.L_{})", 2 * n + 2);
        [skip, format!("SSY `(.L_{n})")]
    });
    let points: Vec<String> = points.collect();
    let mut many: Vec<&str> = points.iter().map(String::as_str).collect();
    many.extend(["BRA `(.L_0)", "EXIT"]);
    let message = control_flow(&many).unwrap_err().to_string();
    let named = message.contains("k+0x") && message.contains("more orders");
    assert!(named, "{message}");
    // A call that stands last has nowhere to return to.
    assert_eq!(control_flow(&["RET", "CAL `(.L_0)"]).unwrap(), 2);
    assert_eq!(
        control_flow(&["BRA `(.L_2)", "RET", "CAL `(.L_1)"]).unwrap(),
        3
    );
}

#[test]
fn data_is_bounded_and_labels_take_a_word() {
    let parse = |section: &str| {
        let section = format!("\t.section\t.nv.constant2.k,\"a\"\n{section}");
        Kernel::parse(&listing(&["EXIT"], &section), "k.sass")
    };
    for narrow in [".byte .L_0", ".short .L_0", ".byte 1, .L_0"] {
        let kernel = parse(&format!("\t{narrow}\n")).unwrap();
        assert!(
            kernel.constants[&2].iter().all(|&byte| byte <= 1),
            "{narrow}"
        );
    }
    assert_eq!(
        parse("\t.word `(.L_0)\n").unwrap().constants[&2],
        [8, 0, 0, 0]
    );
    let message = parse(&"\t.zero 1048576\n".repeat(17))
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("k.sass:") && message.contains("16 MiB"),
        "{message}"
    );
    assert!(parse("\t.zero 18446744073709551615\n").is_err());
}

/// Registers are R0 to R254 and UR0 to UR62; wide operands must not extend beyond them.
#[test]
fn operands_end_with_the_last_register() {
    let kepler = |instruction: &str| Kernel::parse(&listing(&[instruction], ""), "k.sass");
    let text = sextic(Arch::Sm90).sass().unwrap();
    let uniform = "ULDC.64 UR6, c[0x0][0x208]";
    assert!(text.contains(uniform));
    let hopper = |instruction: &str| Kernel::parse(&text.replacen(uniform, instruction, 1), "k");
    let allowed = "operand beyond the last register; allowed: up to R254 and UR62";
    for instruction in [
        "LD.E.64 R254, [R2]",
        "LD.E.128 R252, [R2]",
        "LD.E R2, [R254]",
        "STL.128 [R1], R254",
        "DADD R2, R4, R254",
    ] {
        let message = kepler(instruction).unwrap_err().to_string();
        assert_eq!(message, format!("k.sass:10: `{instruction}`: {allowed}"));
    }
    for instruction in ["ULDC.64 UR62, c[0x0][0x208]", "IMAD.WIDE R254, R2, R3, R4"] {
        let message = hopper(instruction).unwrap_err().to_string();
        assert!(
            message.ends_with(&format!("`{instruction}`: {allowed}")),
            "{message}"
        );
    }
    let last = kepler("LD.E.64 R253, [R253]").unwrap();
    assert_eq!(last.instructions[0].reads(), [253, 254]);
    assert_eq!(last.instructions[0].writes(), [253, 254]);
    assert!(kepler("LD.E.128 RZ, [RZ]").is_ok() && hopper("ULDC UR62, c[0x0][0x208]").is_ok());
}

#[test]
fn a_frame_is_what_local_memory_of_a_thread_holds() {
    let parse = |frame: &str| {
        let text = listing(&["EXIT"], "").replacen("\t.word\t0x0\n", frame, 1);
        Kernel::parse(&text, "k.sass")
    };
    assert_eq!(parse("\t.word\t0x80000\n").unwrap().frame_bytes, 524_288);
    for given in ["524289", "4294967295"] {
        let message = parse(&format!("\t.word\t{given}\n")).unwrap_err();
        let expected = format!(
            "k.sass: EIATTR_FRAME_SIZE: given {given} bytes of local memory per thread; allowed: at most 524288"
        );
        assert_eq!(message.to_string(), expected);
    }
}

/// Parameters are read from the kernel's own attributes, wherever those of other functions are.
#[test]
fn parameters_are_the_kernels_own() {
    let section = |name: &str, base: u32, offsets: &[u32]| {
        let mut text = format!(
            "\t.section\t.nv.info.{name},\"\"\n\t.byte\t0x04, 0x0a\n\t.short\t8\n\t.word\t0, {base:#x}\n"
        );
        for (ordinal, offset) in offsets.iter().enumerate() {
            let place = offset << 16 | ordinal as u32;
            text += &format!(
                "\t.byte\t0x04, 0x17\n\t.short\t12\n\t.word\t0, {place:#x}, {:#x}\n",
                8 << 18
            );
        }
        text
    };
    let own = section("k", 0x140, &[0, 8]);
    let others: Vec<String> = ["a", "kk", "z"]
        .map(|name| section(name, 0x210, &[0, 4, 12]))
        .into();
    for sections in [
        format!("{own}{}", others.concat()),
        format!("{}{own}", others.concat()),
    ] {
        let kernel = Kernel::parse(&listing(&["EXIT"], &sections), "k").unwrap();
        let offsets = kernel.parameters.iter().map(|place| place.offset_bytes);
        assert_eq!(offsets.collect::<Vec<_>>(), [0x140, 0x148]);
        assert!(kernel.parameters.iter().all(|place| place.size_bytes == 8));
    }
}

#[test]
fn instructions_that_do_not_follow_each_other_are_refused() {
    let text = listing(&["NOP", "EXIT"], "");
    let again = text.replace("/*0048*/", "/*0008*/");
    let message = Kernel::parse(&again, "k").unwrap_err().to_string();
    assert!(message.contains("one kernel per file"), "{message}");
}

/// CUDA 13 prints the architecture, global addresses and additions of two operands in its own way.
#[test]
fn a_listing_of_cuda_13_is_read_like_one_of_cuda_11() {
    use warpstack::gp::problem::ProblemId;
    use warpstack::isa::Arch;
    use warpstack::systems::chitty::variant::{KernelId, Variant};
    let variant = Variant::new(KernelId::Rpn, ProblemId::Sextic, 1, Arch::Sm90);
    let text = variant.sass().unwrap();
    let header = text
        .lines()
        .find(|line| line.trim().starts_with(".headerflags"));
    let now = text
        .replace(header.unwrap(), "\t.target\tsm_90")
        .replace(" [R2.64]", " desc[UR6][R2.64]");
    assert_eq!(
        now.matches("desc[").count(),
        text.matches("[R2.64]").count()
    );
    let [before, mut now] =
        [text.as_ref(), now.as_str()].map(|text| Kernel::parse(text, "k").unwrap());
    for instruction in &mut now.instructions {
        instruction.text = instruction.text.replace("desc[UR6]", "");
    }
    assert_eq!(now.arch, before.arch);
    assert!(now.instructions == before.instructions);
}

#[test]
fn an_address_waits_for_both_of_its_registers() {
    let kernel = |text| Kernel::parse(&listing(&[text], ""), "k");
    let load = kernel("LDL R0, [R3+R5+-0x4]").unwrap();
    assert_eq!(load.instructions[0].reads(), [3, 5]);
    let message = kernel("LDL R0, [R3+R5+R6]").unwrap_err().to_string();
    assert!(message.contains("three registers"), "{message}");
    let message = kernel("MOV R0, c[0x3][R3+R5]").unwrap_err().to_string();
    assert!(message.contains("two registers"), "{message}");
}
