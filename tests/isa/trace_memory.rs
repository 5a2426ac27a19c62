//! Traces built from remembered segments equal full execution.

use crate::listing::listing;
use proptest::prelude::*;
use warpstack::gp::evolve::config::FunctionChoice;
use warpstack::gp::evolve::dice::Dice;
use warpstack::gp::evolve::init::{Ingredients, of_size};
use warpstack::gp::problem::ProblemId;
use warpstack::gp::program::Rpn;
use warpstack::isa::Arch;
use warpstack::isa::Kernel;
use warpstack::systems::chitty::lower::function_codes;
use warpstack::systems::chitty::variant::{KernelId, Math, Shape, Variant};
use warpstack::systems::chitty::words_of_program;
use warpstack::trace::{
    KernelLaunch, ProgramTrace, ProgramWords, SegmentId, TraceBuilder, TraceError, TraceOp,
};

fn variant(arch: Arch, kernel: KernelId, stack_dim: u32, math: Math) -> Variant {
    let plain = Variant::new(kernel, ProblemId::Sextic, stack_dim, arch);
    Variant { math, ..plain }
}

fn kernel(variant: &Variant) -> Kernel {
    Kernel::parse(&variant.sass().unwrap(), variant.sass_file().unwrap()).unwrap()
}

/// One to seven programs of the sextic's functions.
fn programs() -> impl Strategy<Value = Vec<Rpn>> {
    let program = |(seed, n_nodes)| {
        let functions = function_codes(ProblemId::Sextic).iter();
        let ingredients = Ingredients {
            functions: functions.map(|(function, _)| *function).collect(),
            function_choice: FunctionChoice::Uniform,
            n_inputs: 1,
            constants: Some((-5.0, 5.0)),
        };
        of_size(&ingredients, n_nodes, &mut Dice::new(seed, 0))
    };
    let program = (any::<u64>(), 1usize..40).prop_map(program);
    prop::collection::vec(program, 1..8)
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

fn check(variant: &Variant, threads: u32, programs: &[Rpn]) -> Result<(), TestCaseError> {
    let kernel = kernel(variant);
    let launch = KernelLaunch::block_gp(threads, variant.stack_dim, 100_000);
    let mut remembering = TraceBuilder::new(&kernel, launch.clone()).unwrap();
    let mut forgetful = TraceBuilder::new(&kernel, launch).unwrap().forgetful();
    for program in programs {
        let words = words_of_program(variant, 0, program).unwrap();
        let fast = remembering.trace(&words).unwrap();
        let slow = forgetful.trace(&words).unwrap();
        prop_assert_eq!(expand(&fast, &remembering), expand(&slow, &forgetful));
        prop_assert_eq!(fast.assumptions, slow.assumptions);
    }
    Ok(())
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
    fn programs_on_kepler(programs in programs()) {
        let rolled = Variant { shape: Shape::Rolled, ..variant(Arch::Sm35, KernelId::Rpn, 3, Math::Accurate) };
        let registers = Variant {
            stack_registers: 3,
            ..variant(Arch::Sm35, KernelId::LgpRegisters, 4, Math::Accurate)
        };
        for (variant, threads) in [
            (variant(Arch::Sm35, KernelId::Rpn, 1, Math::Fast), 96),
            (variant(Arch::Sm35, KernelId::Rpn, 6, Math::Accurate), 96),
            (rolled, 96),
            (variant(Arch::Sm35, KernelId::Lgp, 2, Math::Accurate), 64),
            (registers, 64),
        ] {
            check(&variant, threads, &programs)?;
        }
    }
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn programs_on_hopper(programs in programs()) {
        check(&variant(Arch::Sm90, KernelId::Rpn, 4, Math::Fast), 128, &programs)?;
        let registers = Variant {
            stack_registers: 4,
            ..variant(Arch::Sm90, KernelId::LgpRegisters, 4, Math::Accurate)
        };
        check(&registers, 32, &programs)?;
    }
}

fn sextic() -> Kernel {
    kernel(&variant(Arch::Sm35, KernelId::Rpn, 2, Math::Fast))
}

fn traced(program: &str) -> ProgramTrace {
    let kernel = sextic();
    let mut builder = TraceBuilder::new(&kernel, KernelLaunch::block_gp(64, 2, 100_000)).unwrap();
    let variant = variant(Arch::Sm35, KernelId::Rpn, 2, Math::Fast);
    let words = words_of_program(&variant, 0, &program.parse().unwrap()).unwrap();
    builder.trace(&words).unwrap()
}

#[test]
fn equal_handlers_are_stored_once() {
    let trace = traced("X1 sin sin sin sin sin");
    assert_eq!(trace.nodes, 6);
    // The same function at the same stack level, wherever it stands in the program.
    assert_eq!(trace.steady[2..6], [trace.steady[2]; 4]);
}

#[test]
fn steady_iterations_are_those_of_the_first_one() {
    let trace = traced("X1 X1 *");
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

/// A token is fetched forever, with a count to 65536 between fetches: only the budget of a program is exceeded, neither the limit of a
/// segment's length nor that of their number.
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
