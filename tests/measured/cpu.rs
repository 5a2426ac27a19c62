//! Are the CPU's interpreters as fast as the CPU model predicts?
//!
//! Rows of `fixtures/measured/cpu`: interpreters over the block of cases, each on a machine that a preset describes. Of a machine only what a
//! prediction on it would have found is taken from the row: its preset and its clock.

use serde::Deserialize;
use std::time::Instant;
use warpstack::cpu::count::Width;
use warpstack::cpu::ecm::predict;
use warpstack::cpu::preset::{Preset, THIS};
use warpstack::cpu::work::{Kind, Setup, Work};
use warpstack::gp::evolve::config::FunctionChoice;
use warpstack::gp::evolve::dice::Dice;
use warpstack::gp::evolve::init::{Ingredients, of_size};
use warpstack::gp::interpret::{Options, by_name};
use warpstack::gp::primitive::Primitive;
use warpstack::gp::problem::{Problem, sextic};
use warpstack::gp::program::Rpn;

#[derive(Debug, Deserialize)]
struct MeasuredInterpreter {
    preset: String,
    clock_ghz: f64,
    functions: String,
    interpreter: String,
    simd: String,
    block_cases: Option<usize>,
    programs: u64,
    cases: usize,
    gpops_billion: f64,
}

/// Returns the programs of `measure --programs N --nodes 50 --program-seed 1`.
fn programs(n_programs: u64, functions: &str) -> Vec<Rpn> {
    let problem = sextic::problem(1, 1);
    let mut ingredients = Ingredients::of(&problem, FunctionChoice::Uniform);
    if functions == "arithmetic" {
        ingredients.functions = vec![
            Primitive::Add,
            Primitive::Sub,
            Primitive::Mul,
            Primitive::Div,
        ];
    }
    let program = |n| of_size(&ingredients, 50, &mut Dice::new(1, n));
    (0..n_programs).map(program).collect()
}

/// Predicted over measured speed.
fn ratio(row: &MeasuredInterpreter) -> f64 {
    let width = match row.simd.as_str() {
        "avx512" => Width::Whole,
        _ => Width::Half,
    };
    let setup = Setup {
        width,
        block_cases: row.block_cases,
        share: false,
    };
    let preset = Preset::load(&row.preset).unwrap();
    let preset = preset.with("core.clock_ghz", row.clock_ghz).unwrap();
    let kind = Kind::named(&row.interpreter).unwrap();
    let problem = sextic::problem(1, row.cases);
    let work = Work::new(
        kind,
        &programs(row.programs, &row.functions),
        &problem,
        setup,
    )
    .unwrap();
    predict(&work, &preset.machine(width).unwrap()).gpops_billion / row.gpops_billion
}

fn rows(name: &str) -> Vec<MeasuredInterpreter> {
    let path = format!("fixtures/measured/cpu/{name}.csv");
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_path(path)
        .unwrap();
    reader.deserialize().collect::<Result<_, _>>().unwrap()
}

/// Mean error and the largest, in percent.
fn errors(rows: &[MeasuredInterpreter]) -> (f64, f64) {
    let errors = rows.iter().map(|row| {
        let error = 100.0 * (ratio(row) - 1.0);
        let MeasuredInterpreter {
            functions,
            interpreter,
            simd,
            block_cases,
            gpops_billion,
            ..
        } = row;
        println!(
            "{functions} {interpreter} {simd} {block_cases:?}: {gpops_billion:.1}, {error:+.0} %"
        );
        error.abs()
    });
    let errors: Vec<f64> = errors.collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    (mean, errors.into_iter().fold(0.0, f64::max))
}

#[test]
fn an_epyc_is_predicted() {
    let all = rows("zen5-epyc");
    assert!(all.len() >= 40, "{}", all.len());
    let (mean, largest) = errors(&all);
    println!("mean {mean:.1} %, at most {largest:.0} %");
    assert!(mean < 10.0 && largest < 40.0, "{mean} {largest}");
}

#[test]
fn a_xeon_is_predicted_by_values_that_nobody_measured_there() {
    let all = rows("golden-cove-xeon");
    let (mean, largest) = errors(&all);
    println!("mean {mean:.1} %, at most {largest:.0} %");
    assert!(mean < 15.0 && largest < 45.0, "{mean} {largest}");
}

#[test]
fn the_best_block_is_the_measured_one_or_as_fast() {
    let all = rows("zen5-epyc");
    for functions in ["arithmetic", "full"] {
        for interpreter in ["rpn-2d", "lgp-2d"] {
            let own = all
                .iter()
                .filter(|row| row.functions == functions && row.interpreter == interpreter);
            let own: Vec<&MeasuredInterpreter> = own.collect();
            let predicted = own.iter().max_by(|a, b| {
                let speed = |row: &MeasuredInterpreter| ratio(row) * row.gpops_billion;
                speed(a).total_cmp(&speed(b))
            });
            let fastest = own.iter().map(|row| row.gpops_billion).fold(0.0, f64::max);
            let reached = predicted.unwrap().gpops_billion / fastest;
            assert!(reached > 0.85, "{functions} {interpreter}: {reached}");
        }
    }
}

/// The shortest of some evaluations, in seconds.
fn shortest(name: &str, programs: &[Rpn], problem: &Problem) -> f64 {
    let one = by_name(name).unwrap();
    let listed: Vec<&Rpn> = programs.iter().collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let timed = || {
        let start = Instant::now();
        one.errors(&listed, problem, Options::best()).unwrap();
        start.elapsed().as_secs_f64()
    };
    let shortest = || (0..20).map(|_| timed()).fold(f64::INFINITY, f64::min);
    pool.unwrap().install(shortest)
}

/// Kernel functions that are called instead of inlined would cost a factor of 10 to 40, beyond the model's error on any processor.
#[test]
fn the_kernels_are_inlined() {
    let Ok(setup) = Setup::of(Options::best()) else {
        eprintln!("skipped: needs AVX2 or AVX-512");
        return;
    };
    if cfg!(debug_assertions) {
        eprintln!("skipped: needs optimised code");
        return;
    }
    let machine = Preset::named(THIS).unwrap().machine(setup.width).unwrap();
    let problem = sextic::problem(1, 4096);
    for functions in ["arithmetic", "full"] {
        let programs = programs(20, functions);
        for kind in Kind::ALL {
            let work = Work::new(kind, &programs, &problem, setup).unwrap();
            let predicted = predict(&work, &machine).gpops_billion;
            let seconds = shortest(kind.name(), &programs, &problem);
            let reached = work.operations / seconds / 1e9 / predicted;
            println!(
                "{functions}, {}: {reached:.2} of the predicted speed",
                kind.name()
            );
            assert!(reached > 0.25, "{functions}, {}: {reached:.2}", kind.name());
        }
    }
}
