//! The machine code of every committed kernel, from Kepler's to Hopper's, executed on all lanes, against the reference
//! interpreter; and the uniform trace against the path and the addresses of the lanes.
//!
//! Values are compared as those of a custom kernel are (`systems::chitty::conformance`).

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use warpstack::gp::problem::{PAPER, ProblemId};
use warpstack::gp::program::{Rpn, Token};
use warpstack::isa::Arch;
use warpstack::isa::Kernel;
use warpstack::systems::chitty::conformance::{compare_kernel, compare_programs};
use warpstack::systems::chitty::lower::function_codes;
use warpstack::systems::chitty::variant::Variant;
use warpstack::systems::chitty::{program_words, words_of_program};
use warpstack::trace::launch::{LOCAL_TOP, PROGRAMS_ADDRESS};
use warpstack::trace::{
    AddressKind, BlockRun, CaseWords, KernelLaunch, ProgramTrace, SegmentId, TraceBuilder, TraceOp,
    run_block,
};

const THREADS: u32 = 64;
const ITERATIONS: u32 = 2;
const PROGRAMS_PER_KERNEL: usize = 6;

/// Multiple of the suite's comparisons, read from `WARPSTACK_DIFFERENTIAL`.
pub fn times() -> usize {
    let given = std::env::var("WARPSTACK_DIFFERENTIAL").ok();
    let times: Option<usize> = given.and_then(|given| given.parse().ok());
    times.unwrap_or(1)
}

/// Step between committed kernels that are compared on every function and stack level; `WARPSTACK_DIFFERENTIAL` compares all.
const KERNELS: usize = 13;

fn random_program(problem: ProblemId, n_inputs: u16, rng: &mut ChaCha8Rng) -> Rpn {
    let mut tokens = Vec::new();
    let depth = rng.random_range(2..6);
    grow(problem, n_inputs, depth, rng, &mut tokens);
    Rpn(tokens)
}

fn grow(problem: ProblemId, n_inputs: u16, depth: u32, rng: &mut ChaCha8Rng, out: &mut Vec<Token>) {
    if depth == 0 || (depth < 4 && rng.random_bool(0.2)) {
        let constant = problem != ProblemId::Mux20 && rng.random_bool(0.4);
        out.push(if constant {
            Token::Constant((rng.random::<f32>() * 8.0 - 4.0).round() / 2.0)
        } else {
            Token::Input(rng.random_range(0..n_inputs))
        });
        return;
    }
    let codes = function_codes(problem);
    let (primitive, _) = codes[rng.random_range(0..codes.len())];
    for _ in 0..primitive.arity() {
        grow(problem, n_inputs, depth - 1, rng, out);
    }
    out.push(Token::Apply(primitive));
}

fn n_inputs(problem: ProblemId) -> u16 {
    problem.definition().n_inputs as u16
}

/// Input rows and expected outputs as words.
fn random_cases(problem: ProblemId, cases: usize, rng: &mut ChaCha8Rng) -> (Vec<u32>, Vec<u32>) {
    let rows = usize::from(n_inputs(problem)) * cases;
    let mut input = || match problem {
        _ if problem.is_boolean() => rng.random(),
        ProblemId::Sextic => (rng.random::<f32>() * 2.0 - 1.0).to_bits(),
        _ => (rng.random_range(-20i32..20) as f32).to_bits(),
    };
    let inputs: Vec<u32> = (0..rows).map(|_| input()).collect();
    let outputs = (0..cases).map(|_| match problem {
        _ if problem.is_boolean() => rng.random(),
        ProblemId::Sextic => (rng.random::<f32>() * 2.0 - 1.0).to_bits(),
        _ => (rng.random_range(1..8) as f32).to_bits(),
    });
    (inputs, outputs.collect())
}

/// Words of a row that holds the longest program. The threads of the accumulator share its copy: where they all copy equally much,
/// none of them leaves the loop before the others.
fn row_words(programs: &[Rpn], variant: &Variant) -> u32 {
    let words = program_words(variant, programs).unwrap();
    let longest = words.iter().map(|program| program.words.len()).max();
    (longest.unwrap() as u32).next_multiple_of(2 * THREADS)
}

/// The operations of a trace over two iterations, with the iteration.
fn path(trace: &ProgramTrace, builder: &TraceBuilder) -> Vec<(TraceOp, u32)> {
    let pool = builder.pool();
    let ops = |id: &SegmentId| {
        let at = id.0 as usize;
        &pool.ops[pool.starts[at] as usize..pool.starts[at + 1] as usize]
    };
    let parts = [(&trace.prologue, 0), (&trace.first, 0), (&trace.last, 1)];
    let part = |(part, k): (&Vec<SegmentId>, u32)| {
        let ops: Vec<TraceOp> = part.iter().flat_map(ops).copied().collect();
        ops.into_iter().map(move |op| (op, k)).collect::<Vec<_>>()
    };
    parts.into_iter().flat_map(part).collect()
}

fn same_instructions(ops: &[(TraceOp, u32)], run: &BlockRun) -> bool {
    let lanes = run.path.iter().map(|step| step.instruction);
    ops.iter().map(|(op, _)| op.inst).eq(lanes)
}

/// Returns the first operation whose address differs from lane 0's access. Lane 0 may be inactive where data
/// decides.
fn wrong_address(
    kernel: &Kernel,
    launch: &KernelLaunch,
    ops: &[(TraceOp, u32)],
    run: &BlockRun,
    data_decides: bool,
) -> Option<String> {
    let wrong = ops.iter().zip(&run.path).find(|((op, k), step)| {
        let expected = match op.address_kind {
            AddressKind::None => None,
            AddressKind::Local => Some(op.address + LOCAL_TOP - kernel.frame_bytes),
            AddressKind::PerCase => Some(op.address + 4 * k * launch.cases_per_iteration),
            AddressKind::PerThread => Some(op.address),
            // Shared words are counted from the token.
            AddressKind::Uniform if op.address < PROGRAMS_ADDRESS => return step.address.is_none(),
            AddressKind::Uniform => Some(op.address),
            AddressKind::Scattered | AddressKind::Segment => {
                panic!("lanes that run one program access lines and sectors")
            }
        };
        expected != step.address && !(data_decides && step.address.is_none())
    });
    wrong.map(|((op, k), step)| {
        let text = &kernel.instructions[usize::from(op.inst)].text;
        format!(
            "{text} in iteration {k}: {op:?}, lane 0 at {:x?}",
            step.address
        )
    })
}

#[derive(Default, Debug)]
struct Tally {
    kernels: usize,
    compared: usize,
    skipped: usize,
    same_path: usize,
    other_path: usize,
}

fn check_kernel(variant: &Variant, tally: &mut Tally, failures: &mut Vec<String>) {
    let name = variant.sass_file().unwrap();
    let kernel = Kernel::parse(&variant.sass().unwrap(), name).unwrap();
    let mut rng =
        ChaCha8Rng::seed_from_u64(name.len() as u64 * 1000 + u64::from(variant.stack_dim));
    let cases = THREADS * variant.stack_dim * ITERATIONS;
    let programs: Vec<Rpn> = (0..PROGRAMS_PER_KERNEL * times())
        .map(|_| random_program(variant.problem, n_inputs(variant.problem), &mut rng))
        .collect();
    let launch = KernelLaunch {
        max_program_words: row_words(&programs, variant),
        ..KernelLaunch::block_gp(THREADS, variant.stack_dim, cases)
    };
    let mut builder = TraceBuilder::new(&kernel, launch.clone()).unwrap();
    for program in &programs {
        let (inputs, outputs) = random_cases(variant.problem, cases as usize, &mut rng);
        let cases = CaseWords {
            inputs: &inputs,
            outputs: &outputs,
            cases,
        };
        let words = words_of_program(variant, 0, program).unwrap();
        let run = run_block(&kernel, &launch, &words, &cases).unwrap();
        compare_path(
            &kernel,
            &launch,
            &builder.trace(&words).unwrap(),
            &builder,
            &run,
            program,
            name,
            tally,
            failures,
        );
    }
    let compared = compare_programs(&kernel, variant, &programs).unwrap();
    if let Some(differs) = compared.differs {
        failures.push(format!("{name}: {differs}"));
    }
    tally.compared += compared.programs;
    tally.skipped += programs.len() - compared.programs;
    tally.kernels += 1;
}

/// A trace without assumptions equals the lanes' path; one with assumptions does unless the data diverged.
#[allow(clippy::too_many_arguments)]
fn compare_path(
    kernel: &Kernel,
    launch: &KernelLaunch,
    trace: &ProgramTrace,
    builder: &TraceBuilder,
    run: &BlockRun,
    program: &Rpn,
    name: &str,
    tally: &mut Tally,
    failures: &mut Vec<String>,
) {
    let ops = path(trace, builder);
    if same_instructions(&ops, run) {
        tally.same_path += 1;
        if let Some(wrong) = wrong_address(kernel, launch, &ops, run, trace.assumptions > 0) {
            failures.push(format!("{name}: {program}: {wrong}"));
        }
    } else if trace.assumptions > 0 {
        tally.other_path += 1;
    } else {
        failures.push(format!(
            "{name}: {program}: the trace is not the lanes' path"
        ));
    }
}

/// Instructions for infinities and NaN are never reached, nor those for constants in Boolean problems.
#[test]
fn every_function_at_every_stack_level() {
    let kernels = Variant::all().unwrap();
    for variant in kernels
        .iter()
        .step_by(if times() > 1 { 1 } else { KERNELS })
    {
        let kernel = Kernel::parse(&variant.sass().unwrap(), variant.sass_file().unwrap()).unwrap();
        let compared = compare_kernel(&kernel, variant, &[]).unwrap();
        println!("machine code, {variant}: {compared}");
        assert_eq!(compared.differs, None, "{variant}");
        let (unreached, all) = (compared.unreached.len(), compared.instructions);
        let part = if variant.problem.is_boolean() { 4 } else { 16 };
        assert!(unreached * part < all, "{variant}: {unreached} of {all}");
    }
}

fn check_problem(problem: ProblemId, arch: Arch) {
    check(&[problem], arch);
}

fn check(problems: &[ProblemId], arch: Arch) {
    let (mut tally, mut failures) = (Tally::default(), Vec::new());
    for variant in Variant::all().unwrap() {
        if variant.arch == arch && problems.contains(&variant.problem) {
            check_kernel(&variant, &mut tally, &mut failures);
        }
    }
    println!("machine code, {arch} {problems:?}: {tally:?}");
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(tally.compared > 2 * tally.skipped, "{tally:?}");
    assert!(tally.same_path > tally.other_path, "{tally:?}");
}

#[test]
fn kepler_sextic() {
    check_problem(ProblemId::Sextic, Arch::Sm35);
}

#[test]
fn kepler_shuttle() {
    check_problem(ProblemId::Shuttle, Arch::Sm35);
}

#[test]
fn kepler_kddcup() {
    check_problem(ProblemId::Kddcup, Arch::Sm35);
}

#[test]
fn kepler_multiplexer() {
    check_problem(ProblemId::Mux20, Arch::Sm35);
}

#[test]
fn hopper_sextic() {
    check_problem(ProblemId::Sextic, Arch::Sm90);
}

#[test]
fn hopper_shuttle() {
    check_problem(ProblemId::Shuttle, Arch::Sm90);
}

#[test]
fn hopper_kddcup() {
    check_problem(ProblemId::Kddcup, Arch::Sm90);
}

#[test]
fn hopper_multiplexer() {
    check_problem(ProblemId::Mux20, Arch::Sm90);
}

#[test]
fn turing() {
    check(&PAPER, Arch::Sm75);
}

#[test]
fn ampere() {
    check(&PAPER, Arch::Sm80);
    check(&PAPER, Arch::Sm86);
}

#[test]
fn ada() {
    check(&PAPER, Arch::Sm89);
}
