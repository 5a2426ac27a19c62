//! What is remembered of segments equals executing them.

use crate::listing::listing;
use proptest::prelude::*;
use warpstack::gp::problem::ProblemId;
use warpstack::isa::Arch;
use warpstack::isa::Kernel;
use warpstack::systems::chitty::variant::{KernelId, Math, Shape, Variant};
use warpstack::trace::{
    KernelLaunch, ProgramTrace, ProgramWords, SegmentId, TraceBuilder, TraceError, TraceOp,
};

fn kernel(
    arch: Arch,
    kernel: KernelId,
    stack_dim: u32,
    math: Math,
    shape: Shape,
    stack_registers: u32,
) -> Kernel {
    let plain = Variant::new(kernel, ProblemId::Sextic, stack_dim, arch);
    let variant = Variant {
        math,
        shape,
        stack_registers,
        ..plain
    };
    Kernel::parse(&variant.sass().unwrap(), variant.sass_file().unwrap()).unwrap()
}

/// A valid postfix program: each number picks a token among those that fit the stack.
fn rpn_words(choices: &[(u8, f32)]) -> ProgramWords {
    let (mut words, mut starts, mut depth) = (Vec::new(), Vec::new(), 0usize);
    for &(choice, constant) in choices {
        starts.push(words.len() as u32);
        match choice {
            0..=3 if depth < 12 => {
                words.extend([1.0, 0.0]);
                depth += 1;
            }
            4..=5 if depth < 12 => {
                words.extend([0.0, constant]);
                depth += 1;
            }
            6..=11 if depth >= 2 => {
                words.push(f32::from(2 + choice % 4));
                depth -= 1;
            }
            _ if depth >= 1 => words.push(f32::from(6 + choice % 4)),
            _ => {
                words.extend([1.0, 0.0]);
                depth += 1;
            }
        }
    }
    while depth > 1 {
        starts.push(words.len() as u32);
        words.push(4.0);
        depth -= 1;
    }
    words.push(255.0);
    let nodes = starts.len() as u32;
    ProgramWords::of_floats(&words, &starts, nodes).unwrap()
}

/// A valid linear program: the first instruction takes terminals, later ones also the stack.
fn lgp_words(choices: &[(u8, f32)]) -> ProgramWords {
    let (mut words, mut starts) = (Vec::new(), Vec::new());
    for (at, &(choice, constant)) in choices.iter().enumerate() {
        starts.push(words.len() as u32);
        words.push(f32::from(2 + choice % 8));
        let operands = if choice % 8 < 4 { 2 } else { 1 };
        for operand in 0..operands {
            match (at > 0 && operand == 0, choice % 3) {
                (true, _) => words.push(254.0),
                (false, 0) => words.extend([0.0, constant]),
                (false, _) => words.extend([1.0, 0.0]),
            }
        }
    }
    words.push(255.0);
    let nodes = starts.len() as u32;
    ProgramWords::of_floats(&words, &starts, nodes).unwrap()
}

/// The instructions of every part of a trace, segment borders forgotten.
fn expand(trace: &ProgramTrace, builder: &TraceBuilder) -> [Vec<TraceOp>; 5] {
    let pool = builder.pool();
    let ops = |id: &SegmentId| {
        let at = id.0 as usize;
        pool.ops[pool.starts[at] as usize..pool.starts[at + 1] as usize].to_vec()
    };
    [
        &trace.prologue,
        &trace.only,
        &trace.first,
        &trace.steady,
        &trace.last,
    ]
    .map(|part| part.iter().flat_map(ops).collect())
}

fn check(
    kernel: &Kernel,
    launch: KernelLaunch,
    programs: &[ProgramWords],
) -> Result<(), TestCaseError> {
    let mut remembering = TraceBuilder::new(kernel, launch.clone()).unwrap();
    let mut forgetful = TraceBuilder::new(kernel, launch).unwrap().forgetful();
    for program in programs {
        let fast = remembering.trace(program).unwrap();
        let slow = forgetful.trace(program).unwrap();
        prop_assert_eq!(expand(&fast, &remembering), expand(&slow, &forgetful));
        prop_assert_eq!(fast.assumptions, slow.assumptions);
    }
    Ok(())
}

fn choices() -> impl Strategy<Value = Vec<Vec<(u8, f32)>>> {
    prop::collection::vec(prop::collection::vec((0u8..16, -5f32..5.0), 1..40), 1..8)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn postfix_programs(programs in choices()) {
        let words: Vec<_> = programs.iter().map(|program| rpn_words(program)).collect();
        for (dim, math, shape) in [
            (1, Math::Fast, Shape::Unrolled),
            (6, Math::Accurate, Shape::Unrolled),
            (3, Math::Accurate, Shape::Rolled),
        ] {
            let kernel = kernel(Arch::Sm35, KernelId::Rpn, dim, math, shape, 0);
            check(&kernel, KernelLaunch::block_gp(96, dim, 100_000), &words)?;
        }
    }

    #[test]
    fn linear_programs(programs in choices()) {
        let words: Vec<_> = programs.iter().map(|program| lgp_words(program)).collect();
        for (id, dim, registers) in [(KernelId::Lgp, 2, 0), (KernelId::LgpRegisters, 4, 3)] {
            let kernel = kernel(Arch::Sm35, id, dim, Math::Accurate, Shape::Unrolled, registers);
            check(&kernel, KernelLaunch::block_gp(64, dim, 100_000), &words)?;
        }
    }
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn programs_on_hopper(programs in choices()) {
        let postfix: Vec<_> = programs.iter().map(|program| rpn_words(program)).collect();
        let rpn = kernel(Arch::Sm90, KernelId::Rpn, 4, Math::Fast, Shape::Unrolled, 0);
        check(&rpn, KernelLaunch::block_gp(128, 4, 100_000), &postfix)?;
        let linear: Vec<_> = programs.iter().map(|program| lgp_words(program)).collect();
        let lgp = kernel(Arch::Sm90, KernelId::LgpRegisters, 4, Math::Accurate, Shape::Unrolled, 4);
        check(&lgp, KernelLaunch::block_gp(32, 4, 100_000), &linear)?;
    }
}

fn sextic() -> Kernel {
    kernel(Arch::Sm35, KernelId::Rpn, 2, Math::Fast, Shape::Unrolled, 0)
}

#[test]
fn equal_handlers_are_stored_once() {
    let kernel = sextic();
    let mut builder = TraceBuilder::new(&kernel, KernelLaunch::block_gp(64, 2, 100_000)).unwrap();
    let words = rpn_words(&[
        (0, 0.0),
        (12, 0.0),
        (12, 0.0),
        (12, 0.0),
        (12, 0.0),
        (12, 0.0),
    ]);
    let trace = builder.trace(&words).unwrap();
    assert_eq!(trace.nodes, 6);
    // The same function at the same stack level, wherever it stands in the program.
    assert_eq!(trace.steady[2..6], [trace.steady[2]; 4]);
}

#[test]
fn steady_iterations_are_those_of_the_first_one() {
    let kernel = sextic();
    let mut builder = TraceBuilder::new(&kernel, KernelLaunch::block_gp(64, 2, 100_000)).unwrap();
    let trace = builder
        .trace(&rpn_words(&[(0, 0.0), (0, 0.0), (6, 0.0)]))
        .unwrap();
    assert_eq!(trace.first, trace.steady);
    assert_eq!(trace.only, trace.last);
    assert_ne!(trace.steady, trace.last);
}

#[test]
fn bad_launches_and_programs_are_named() {
    let kernel = sextic();
    let refused = TraceBuilder::new(&kernel, KernelLaunch::block_gp(0, 2, 100_000));
    let message = refused.map(|_| ()).unwrap_err().to_string();
    assert!(
        message.contains("threads per block is 0; allowed: 1 to 1024"),
        "{message}"
    );
    let message = ProgramWords::of_floats(&[255.0], &[3], 1)
        .unwrap_err()
        .to_string();
    assert!(message.contains("token start is 3"), "{message}");
    assert!(ProgramWords::of_floats(&[], &[], 0).is_err());
}

/// A Kepler kernel of these instructions, each at its own label `.L_n`.
fn of_instructions(instructions: &[&str]) -> Kernel {
    let text = listing(instructions, "");
    Kernel::parse(&text, "k").unwrap()
}

/// The same token is fetched over and over, a count to 65536 in between: neither a segment nor their number is beyond the limits.
#[test]
fn a_program_has_a_budget_of_instructions() {
    let kernel = of_instructions(&[
        "MOV32I R2, 0x10000000",
        "LDS R6, [RZ]",
        "MOV R4, RZ",
        "IADD R4, R4, 0x1",
        "ISETP.LT.AND P0, PT, R4, 0x10000, PT",
        "@P0 BRA `(.L_3)",
        "LD R0, [R2]",
        "ISETP.EQ.AND P1, PT, RZ, RZ, PT",
        "@P1 BRA `(.L_2)",
        "BRA `(.L_1)",
        "EXIT",
    ]);
    let mut builder = TraceBuilder::new(&kernel, KernelLaunch::block_gp(64, 2, 100_000)).unwrap();
    let words = ProgramWords::of_floats(&[3.0, 255.0], &[0], 1).unwrap();
    let message = builder.trace(&words).unwrap_err().to_string();
    assert!(
        message.starts_with("k: 1000")
            && message.ends_with(" instructions executed for one program; allowed: 100000000"),
        "{message}"
    );
}

#[test]
fn an_address_that_depends_on_data_is_an_error_with_its_place() {
    let kernel = sextic();
    let mut builder = TraceBuilder::new(&kernel, KernelLaunch::block_gp(64, 2, 100_000)).unwrap();
    // 3 = a subtraction on an empty stack: below the frame.
    let words = ProgramWords::of_floats(&[3.0, 255.0], &[0], 1).unwrap();
    match builder.trace(&words) {
        Err(TraceError::Instruction {
            pc_bytes,
            text,
            why,
            ..
        }) => {
            assert!(
                pc_bytes > 0 && text.contains("LDL") && why.contains("outside the frame"),
                "{why}"
            );
        }
        other => panic!("{other:?}"),
    }
}
