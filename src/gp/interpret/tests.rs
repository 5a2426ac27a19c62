//! Tests that the interpreters agree with each other and with the oracle.

use super::reference::Reference;
use super::*;
use crate::gp::evolve::config::FunctionChoice;
use crate::gp::evolve::dice::Dice;
use crate::gp::evolve::init::{Ingredients, of_size};
use crate::gp::primitive::Primitive;
use crate::gp::problem::{Cases, Dataset, Problem, Score};
use proptest::prelude::*;

/// Functions that every interpreter computes exactly.
fn exact() -> Vec<Primitive> {
    use Primitive::{Cos, Exp, Log, Sin};
    let all = Primitive::ALL.iter().copied();
    all.filter(|f| ![Sin, Cos, Log, Exp].contains(f)).collect()
}

fn boolean() -> Vec<Primitive> {
    let all = Primitive::ALL.iter().copied();
    all.filter(|f| f.apply_u32([0; 4]).is_some()).collect()
}

fn programs(functions: Vec<Primitive>, n_nodes: usize, seed: u64) -> Vec<Rpn> {
    let ingredients = Ingredients {
        functions,
        function_choice: FunctionChoice::Uniform,
        n_inputs: 3,
        constants: Some((-3.0, 3.0)),
    };
    let program = |i| of_size(&ingredients, n_nodes, &mut Dice::new(seed, i));
    let mut programs: Vec<Rpn> = (0..5).map(program).collect();
    // One that occurs twice.
    programs.push(programs[0].clone());
    programs
}

fn problem(dataset: Dataset, score: Score) -> Problem {
    Problem {
        name: "test",
        functions: Primitive::ALL.to_vec(),
        constants: None,
        dataset,
        score,
        solved_error: 0.0,
    }
}

/// Zeros, equal values, signs, large and small magnitudes.
fn floats(n: usize, seed: u64) -> Dataset {
    let mut dice = Dice::new(seed, 1);
    let mut column = || -> Vec<f32> {
        let mut value = || match dice.below(8) {
            0 => 0.0,
            1 => dice.uniform(-1e6, 1e6),
            _ => (dice.uniform(-8.0, 8.0) * 4.0).round() / 4.0,
        };
        (0..n).map(|_| value()).collect()
    };
    let inputs = vec![column(), column(), column()];
    Dataset::Float(Cases {
        inputs,
        expected: column(),
    })
}

fn words(n: usize, seed: u64) -> Dataset {
    let mut dice = Dice::new(seed, 2);
    let mut column = || -> Vec<u32> {
        let half = |dice: &mut Dice| dice.below(1 << 16) as u32;
        (0..n)
            .map(|_| half(&mut dice) << 16 | half(&mut dice))
            .collect()
    };
    let inputs = vec![column(), column(), column()];
    Dataset::Word(Cases {
        inputs,
        expected: column(),
    })
}

/// Every vectorised interpreter, on every path, with block sizes that divide the cases and others.
fn ways() -> Vec<(&'static dyn Interpreter, Options)> {
    let mut ways = Vec::new();
    for path in Path::all() {
        for interpreter in FAST {
            for block_cases in [None, Some(16), Some(48), Some(2048), Some(100_000)] {
                for share in [false, true] {
                    let options = Options {
                        path,
                        block_cases,
                        share,
                    };
                    ways.push((interpreter, options));
                }
            }
        }
    }
    ways
}

fn bits(values: ProgramValues) -> Vec<u32> {
    match values {
        ProgramValues::Word(words) => words,
        // All NaNs count as the same.
        ProgramValues::Float(floats) => floats
            .iter()
            .map(|x| if x.is_nan() { u32::MAX } else { x.to_bits() })
            .collect(),
    }
}

fn bits_of(errors: &[f64]) -> Vec<u64> {
    errors.iter().map(|error| error.to_bits()).collect()
}

/// Asserts that values and errors are bit for bit the same in every way; returns the first way's values.
fn same_in_every_way(programs: &[Rpn], problem: &Problem) -> Vec<Vec<u32>> {
    let all: Vec<&Rpn> = programs.iter().collect();
    let found = |(interpreter, options): (&dyn Interpreter, Options)| {
        let values = all.iter().map(|program| {
            let values = interpreter.values(program, problem, options);
            bits(values.unwrap())
        });
        let errors = interpreter.errors(&all, problem, options).unwrap();
        (values.collect::<Vec<_>>(), bits_of(&errors))
    };
    let ways = ways();
    let first = found(ways[0]);
    for &(interpreter, options) in &ways[1..] {
        let name = interpreter.name();
        assert!(found((interpreter, options)) == first, "{name} {options:?}");
    }
    first.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn exact_functions_have_the_oracles_values(n_nodes in 1usize..60, n_cases in 1usize..400, seed: u64) {
        let programs = programs(exact(), n_nodes, seed);
        let problem = problem(floats(n_cases, seed), Score::MeanSquaredError);
        let values = same_in_every_way(&programs, &problem);
        for (program, values) in programs.iter().zip(values) {
            let of = |one: &dyn Interpreter| bits(one.values(program, &problem, Options::best()).unwrap());
            let oracle = of(&Reference);
            // Zeros of either sign are the same to every function.
            let same = |a: u32, b: u32| a == b || a << 1 == 0 && b << 1 == 0;
            let all = |values: &[u32]| values.iter().zip(&oracle).all(|(&a, &b)| same(a, b));
            prop_assert!(all(&values), "{}", program);
            prop_assert!(all(&of(&scalar::Scalar)), "rpn: {}", program);
        }
    }

    #[test]
    fn all_functions_are_the_same_in_every_way(n_nodes in 1usize..60, n_cases in 1usize..400, seed: u64) {
        same_in_every_way(&programs(Primitive::ALL.to_vec(), n_nodes, seed), &problem(floats(n_cases, seed), Score::MeanSquaredError));
    }

    #[test]
    fn words_have_the_oracles_values(n_nodes in 1usize..60, n_words in 1usize..100, seed: u64) {
        let programs = programs(boolean(), n_nodes, seed);
        let problem = problem(words(n_words, seed), Score::WrongBits);
        let values = same_in_every_way(&programs, &problem);
        for (program, values) in programs.iter().zip(values) {
            let of = |one: &dyn Interpreter| bits(one.values(program, &problem, Options::best()).unwrap());
            prop_assert_eq!(&values, &of(&Reference));
            prop_assert_eq!(values, of(&scalar::Scalar));
        }
    }
}

#[test]
fn every_score_is_the_oracles() {
    let programs = programs(exact(), 20, 9);
    let all: Vec<&Rpn> = programs.iter().collect();
    for score in [
        Score::MeanSquaredError,
        Score::WrongBits,
        Score::WrongClasses,
        Score::WrongSigns,
    ] {
        let mut dataset = floats(333, 5);
        if let Dataset::Float(cases) = &mut dataset {
            // Whole numbers, as classes are.
            let expected = cases.expected.iter_mut();
            expected.for_each(|one| *one = one.abs().trunc());
        }
        let problem = problem(dataset, score);
        let found = evaluate(all.iter().copied(), &problem).unwrap();
        for (program, error) in programs.iter().zip(found) {
            let want = fitness_f32(program, &problem);
            let near = error == want || (error - want).abs() <= 1e-5 * want;
            assert!(near, "{score:?} {program}: {error}, not {want}");
        }
    }
}

#[test]
fn fitness_is_the_same_whether_subtrees_repeat_or_not() {
    let problem = problem(floats(100, 3), Score::MeanSquaredError);
    let few = programs(exact(), 40, 5);
    // The same subtree again and again.
    let many: Vec<Rpn> = (1..20)
        .map(|n| {
            ["X1 X2 *", &" X1 X2 * +".repeat(n)]
                .concat()
                .parse()
                .unwrap()
        })
        .collect();
    let factors = [&few, &many].map(|set| {
        let listed: Vec<&Rpn> = set.iter().collect();
        let expected = accumulator::Accumulator.errors(&listed, &problem, Options::best());
        let found = evaluate(listed.iter().copied(), &problem).unwrap();
        assert_eq!(bits_of(&found), bits_of(&expected.unwrap()));
        plan::Repetition::of(&listed).factor()
    });
    assert!(factors[0] < LEAST_REPETITION && factors[1] > LEAST_REPETITION);
}

#[test]
fn errors_do_not_depend_on_the_number_of_threads() {
    let programs: Vec<Rpn> = (0..20)
        .flat_map(|seed| programs(Primitive::ALL.to_vec(), 30, seed))
        .collect();
    let all: Vec<&Rpn> = programs.iter().collect();
    let problem = problem(floats(20_001, 5), Score::MeanSquaredError);
    for interpreter in FAST {
        let on = |n_threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(n_threads)
                .build();
            let errors = || interpreter.errors(&all, &problem, Options::best()).unwrap();
            bits_of(&pool.unwrap().install(errors))
        };
        let one = on(1);
        assert_eq!(one, on(2), "{}", interpreter.name());
        assert_eq!(one, on(5), "{}", interpreter.name());
    }
}

#[test]
fn arithmetic_on_words_is_refused_by_all() {
    let programs: Vec<Rpn> = ["X1 X2 AND", "X1 X2 +"].map(|p| p.parse().unwrap()).into();
    let all: Vec<&Rpn> = programs.iter().collect();
    let problem = problem(words(3, 1), Score::WrongBits);
    for interpreter in ALL {
        let refused = interpreter.errors(&all, &problem, Options::best());
        assert_eq!(
            refused.unwrap_err().to_string(),
            "program 1: function `+` has no meaning on Boolean cases"
        );
    }
}

#[test]
fn an_unknown_interpreter_is_named() {
    let message = by_name("fast").err().unwrap().to_string();
    assert_eq!(
        message,
        "interpreter: given fast; allowed: reference, rpn, rpn-2d, lgp-2d, accumulator"
    );
}

#[test]
fn programs_as_deep_as_they_are_long_are_evaluated() {
    let deep = format!("X1{}", " X2 X1 +".repeat(20_000)) + &" +".repeat(20_000);
    let program: Rpn = deep.parse().unwrap();
    let problem = problem(floats(20, 1), Score::MeanSquaredError);
    for interpreter in FAST {
        assert!(
            interpreter
                .errors(&[&program], &problem, Options::best())
                .is_ok()
        );
    }
}
