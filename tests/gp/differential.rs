//! Do all CPU interpreters compute what the oracle does, on every case? `trace_conformance.rs` asks the same about machine code.
//!
//! Functions that every interpreter rounds alike are equal to the bit on every instruction path. Functions that a library or an
//! approximation computes are equal to the bit among the three vector interpreters, and near the oracle unless rounding decides.
//! `WARPSTACK_DIFFERENTIAL=50` tries a million pairs of a program and a case; the suite a part.

use warpstack::gp::evolve::config::FunctionChoice;
use warpstack::gp::evolve::dice::Dice;
use warpstack::gp::evolve::init::{Ingredients, of_size};
use warpstack::gp::interpret::reference::{Reference, value_f64};
use warpstack::gp::interpret::scalar::Scalar;
use warpstack::gp::interpret::simd::Path;
use warpstack::gp::interpret::{FAST, Interpreter, Options, ProgramValues};
use warpstack::gp::primitive::Primitive;
use warpstack::gp::problem::{Cases, Dataset, Problem, ProblemId, Score};
use warpstack::gp::program::{Rpn, Token};
use warpstack::systems::chitty::lower::function_codes;

const N_INPUTS: usize = 5;
const N_CASES: usize = 96;
/// Programs of each function set in the suite.
const PROGRAMS: u64 = 60;
/// Relative difference between single and double precision above which rounding decides a result.
const DECIDED: f64 = 1e-5;
/// Tolerance for approximated functions where rounding does not decide the result.
const NEAR: f64 = 1e-3;

/// Multiple of the suite's number of programs.
fn times() -> u64 {
    let given = std::env::var("WARPSTACK_DIFFERENTIAL").ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(1)
}

fn functions(set: ProblemId) -> Vec<Primitive> {
    let codes = function_codes(set);
    codes.iter().map(|(primitive, _)| *primitive).collect()
}

fn program(functions: &[Primitive], words: bool, seed: u64) -> Rpn {
    let ingredients = Ingredients {
        functions: functions.to_vec(),
        function_choice: FunctionChoice::Uniform,
        n_inputs: N_INPUTS,
        constants: (!words).then_some((-3.0, 3.0)),
    };
    let mut dice = Dice::new(seed, 0);
    let n_nodes = 1 + dice.below(60);
    of_size(&ingredients, n_nodes, &mut dice)
}

/// Zeros, equal values, both signs, large and small magnitudes; or any words.
fn dataset(words: bool, seed: u64) -> Dataset {
    let mut dice = Dice::new(seed, 1);
    if words {
        let mut column = || {
            let mut half = || dice.below(1 << 16) as u32;
            (0..N_CASES).map(|_| half() << 16 | half()).collect()
        };
        return Dataset::Word(Cases {
            inputs: (0..N_INPUTS).map(|_| column()).collect(),
            expected: column(),
        });
    }
    let mut column = || {
        let mut value = || match dice.below(8) {
            0 => 0.0,
            1 => dice.uniform(-1e6, 1e6),
            2 => dice.uniform(-1e-3, 1e-3),
            _ => (dice.uniform(-8.0, 8.0) * 4.0).round() / 4.0,
        };
        (0..N_CASES).map(|_| value()).collect()
    };
    Dataset::Float(Cases {
        inputs: (0..N_INPUTS).map(|_| column()).collect(),
        expected: column(),
    })
}

fn problem(words: bool, seed: u64) -> Problem {
    Problem {
        name: "differential",
        functions: Primitive::ALL.to_vec(),
        constants: None,
        dataset: dataset(words, seed),
        score: Score::MeanSquaredError,
        solved_error: 0.0,
    }
}

/// Returns words as they are and numbers as bits, with one zero and one NaN.
fn bits(values: ProgramValues) -> Vec<u32> {
    let bits = |x: f32| match x {
        _ if x.is_nan() => u32::MAX,
        0.0 => 0,
        _ => x.to_bits(),
    };
    match values {
        ProgramValues::Word(words) => words,
        ProgramValues::Float(floats) => floats.into_iter().map(bits).collect(),
    }
}

#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    /// Compared with the oracle to the bit.
    exact: usize,
    near: usize,
    undecided: usize,
    /// A comparison of approximated values went the other way, or a steep function, as in `log log cos x`, amplified the last bit.
    other_way: usize,
    largest: f64,
}

fn compare(program: &Rpn, problem: &Problem, tally: &mut Tally) {
    let of = |one: &dyn Interpreter, path| {
        let options = Options {
            path,
            ..Options::best()
        };
        bits(one.values(program, problem, options).unwrap())
    };
    let oracle = of(&Reference, Path::best());
    let scalar = of(&Scalar, Path::best());
    let fast = of(FAST[0], Path::best());
    for path in Path::all() {
        for one in FAST {
            let (name, path_name) = (one.name(), path.name());
            assert_eq!(fast, of(one, path), "{name} {path_name}: {program}");
        }
    }
    tally.pairs += oracle.len();
    let exact = program.0.iter().all(|token| match token {
        Token::Apply(function) => function.is_exact(),
        _ => true,
    });
    match &problem.dataset {
        Dataset::Float(cases) if !exact => {
            for (case, &oracle) in oracle.iter().enumerate() {
                let inputs = cases.inputs.iter().map(|row| f64::from(row[case]));
                let double = value_f64(program, &inputs.collect::<Vec<f64>>());
                let [oracle, scalar, fast] = [oracle, scalar[case], fast[case]].map(single);
                if relative(oracle, double) > DECIDED {
                    tally.undecided += 1;
                    continue;
                }
                let found = relative(oracle, fast).max(relative(oracle, scalar));
                if found >= NEAR {
                    tally.other_way += 1;
                    continue;
                }
                tally.near += 1;
                tally.largest = tally.largest.max(found);
            }
        }
        _ => {
            assert_eq!(oracle, scalar, "the stack of single values: {program}");
            assert_eq!(oracle, fast, "{program}");
            tally.exact += oracle.len();
        }
    }
}

fn single(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

/// Returns the relative difference; NaN is infinitely far from every number.
fn relative(a: f64, b: f64) -> f64 {
    match (a - b).abs() / a.abs().max(b.abs()).max(1e-3) {
        found if found.is_nan() => f64::INFINITY,
        found => found,
    }
}

#[test]
fn every_interpreter_computes_what_the_oracle_does() {
    for set in ProblemId::ALL {
        let (words, functions) = (*set == ProblemId::Mux20, functions(*set));
        let mut tally = Tally::default();
        for seed in 0..PROGRAMS * times() {
            let problem = problem(words, seed / 10);
            compare(&program(&functions, words, seed), &problem, &mut tally);
        }
        println!("CPU interpreters, {set:?}: {tally:?}");
        assert!(tally.undecided < tally.pairs / 2, "{tally:?}");
        assert!(tally.other_way < tally.pairs / 500, "{tally:?}");
    }
}
