//! Do Robilliard's interpreters compute what the reference interpreter does, on every architecture and with the programs laid out
//! either way, and do jumps skip what they should?

use warpstack::device::Preset;
use warpstack::gp::program::Rpn;
use warpstack::isa::Arch;
use warpstack::launch::prediction::PredictError;
use warpstack::systems::machine::Machine;
use warpstack::systems::registry::ARCHES;
use warpstack::systems::robilliard::kernel::{
    Scheme, agrees, block, expected_error, is_decided, load,
};
use warpstack::systems::robilliard::population::Evolved;
use warpstack::systems::robilliard::predict::{RobilliardLayout, RobilliardSpeed, predict};
use warpstack::systems::robilliard::problem::{Benchmark, ProblemId};
use warpstack::systems::robilliard::program::{evaluated_nodes, translate};

const BENCHMARKS: [Benchmark; 3] = [
    Benchmark::Regression { cases: 64 },
    Benchmark::Mux6,
    Benchmark::Spirals,
];

/// Returns programs of a young and of an old generation.
fn programs(benchmark: Benchmark) -> Vec<Rpn> {
    let evolved = Evolved::run(benchmark, 100, 12, 7).unwrap();
    let (first, last) = (evolved.generations.first(), evolved.generations.last());
    let some = [first, last].into_iter().flatten();
    some.flat_map(|programs| programs.iter().step_by(12).cloned())
        .collect()
}

#[test]
fn every_interpreter_finds_the_errors_of_the_reference_interpreter() {
    for benchmark in BENCHMARKS {
        let (set, cases) = (benchmark.function_set(), benchmark.case_words());
        let programs = programs(benchmark);
        let codes: Vec<Vec<u32>> = programs
            .iter()
            .map(|program| translate(program, set).unwrap())
            .collect();
        let expected: Vec<f64> = programs
            .iter()
            .map(|program| expected_error(program, set, &cases))
            .collect();
        for arch in ARCHES {
            for scheme in Scheme::ALL {
                let kernel = load(scheme, set, arch).unwrap();
                let per_block = scheme.programs_per_block(32) as usize;
                let found: Vec<f32> = codes
                    .chunks(per_block)
                    .flat_map(|programs| {
                        let block = block(&kernel, programs, cases.clone(), 32);
                        block.execute().unwrap().results
                    })
                    .map(f32::from_bits)
                    .collect();
                for ((program, found), expected) in programs.iter().zip(found).zip(&expected) {
                    assert!(
                        agrees(set, found, *expected),
                        "{arch} {} {benchmark} {program}: {found}, not {expected}",
                        scheme.name()
                    );
                }
            }
        }
    }
}

#[test]
fn code_jumps_over_what_is_not_asked_for() {
    let nodes = |text: &str, case: [u32; 3]| {
        let program: Rpn = text.parse().unwrap();
        evaluated_nodes(&translate(&program, ProblemId::Multiplexer).unwrap(), &case)
    };
    // Condition, the branch taken and the function itself.
    assert_eq!(nodes("X1 X2 NOT NOT X3 IF", [1, 0, 0]), 5);
    assert_eq!(nodes("X1 X2 NOT NOT X3 IF", [0, 0, 0]), 3);
    assert_eq!(nodes("X1 X2 NOT AND", [0, 0, 0]), 2);
    assert_eq!(nodes("X1 X2 NOT AND", [1, 0, 0]), 4);
    assert_eq!(nodes("X1 X2 NOT OR", [1, 0, 0]), 2);
}

#[test]
fn a_function_that_the_kernel_lacks_is_refused() {
    let program: Rpn = "X1 exp".parse().unwrap();
    let message = translate(&program, ProblemId::Spirals).unwrap_err();
    let message = message.to_string();
    assert!(message.contains("given exp; allowed: X1, X2"), "{message}");
    let message = Benchmark::named("mux20").unwrap_err().to_string();
    assert!(
        message.contains("given mux20; allowed: regression-64"),
        "{message}"
    );
}

fn predicted(
    scheme: Scheme,
    benchmark: Benchmark,
    [threads_per_block, population]: [u32; 2],
    programs: &[Rpn],
) -> Result<RobilliardSpeed, PredictError> {
    let layout = RobilliardLayout {
        scheme,
        benchmark,
        threads_per_block,
        population,
    };
    let g80 = Preset::load("g80").unwrap().device;
    predict(Machine::new(&g80, Arch::Sm35), layout, &[programs])
}

#[test]
fn without_a_cache_programs_in_shared_memory_are_worth_it_and_a_program_per_thread_is_not() {
    let benchmark = Benchmark::Regression { cases: 64 };
    let programs = programs(benchmark);
    let speed = |scheme| {
        let found = predicted(scheme, benchmark, [64, 2500], &programs).unwrap();
        found.gpops_billion
    };
    let speeds: Vec<f64> = Scheme::ALL.iter().copied().map(speed).collect();
    let [global, shared, per_thread] = speeds[..] else {
        panic!("three schemes");
    };
    assert!(shared > 2.0 * global, "{shared} and {global}");
    assert!(per_thread < global, "{per_thread} and {global}");
}

#[test]
fn lanes_that_part_cost_instructions() {
    // One program that takes the same way on all cases, and one that does not, of as many nodes.
    let instructions = |text: &str| {
        let program: Rpn = text.parse().unwrap();
        let speed = predicted(Scheme::BlockGp, Benchmark::Mux6, [64, 100], &[program]);
        speed.unwrap().warp_instructions
    };
    let together = instructions("X6 NOT X6 NOT OR X3 NOT X4 NOT IF");
    let apart = instructions("X1 NOT X2 NOT OR X3 NOT X4 NOT IF");
    assert!(apart > 1.2 * together, "{apart} and {together}");
}

#[test]
fn a_block_that_the_device_cannot_hold_is_refused() {
    let benchmark = Benchmark::Regression { cases: 64 };
    let one: Rpn = "X1".parse().unwrap();
    let refusal = |scheme, threads, program: &Rpn| {
        let found = predicted(
            scheme,
            benchmark,
            [threads, 100],
            std::slice::from_ref(program),
        );
        found.unwrap_err().to_string()
    };
    let message = refusal(Scheme::BlockGp, 512, &one);
    assert!(
        message.contains("registers of one block: given"),
        "{message}"
    );
    assert!(message.contains("allowed: at most 8192"), "{message}");
    let long: Rpn = format!("X1{}", " sin".repeat(5000)).parse().unwrap();
    let message = refusal(Scheme::BlockGpShared, 64, &long);
    assert!(
        message.contains("shared memory of one block: given 20"),
        "{message}"
    );
    assert!(
        message.contains("allowed: at most 16384 bytes"),
        "{message}"
    );
}

#[test]
fn measure_refuses_what_the_paper_does_not_have_in_one_line() {
    crate::program::refuses(&[
        (
            "measure paper robilliard --benchmark mux20",
            "mux20|allowed: regression-64",
        ),
        (
            "measure paper robilliard --scheme warpgp",
            "warpgp|allowed: blockgp, blockgp-shared, threadgp",
        ),
        (
            "measure paper robilliard --threads 48",
            "48|allowed: [32, 64",
        ),
        (
            "measure paper robilliard --populations 7",
            "7|allowed: 100, 500",
        ),
    ]);
}

/// Rounding decides errors where large values cancel in single precision.
#[test]
fn errors_that_rounding_decides_are_told_from_others() {
    let benchmark = Benchmark::Regression { cases: 64 };
    let (set, cases) = (benchmark.function_set(), benchmark.case_words());
    let decided = |text: &str| {
        let program: Rpn = text.parse().unwrap();
        is_decided(&program, set, &cases, expected_error(&program, set, &cases))
    };
    assert!(decided("X1 X1 * sin"));
    assert!(decided("X1 exp exp exp"));
    let large = "X1 exp exp exp X1 exp exp exp *";
    assert!(!decided(&format!("{large} X1 + {large} -")));
}
