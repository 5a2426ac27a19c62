//! Interpreters on the CPU.
//!
//! Models: five interpreters behind one trait, chosen by name. [`mod@reference`] is the oracle, plain and slow; [`scalar`] is the
//! papers' baseline, a stack of single values; [`rpn_2d`] and [`lgp_2d`] hold a row of cases on every stack level;
//! [`accumulator`] keeps the value being computed in registers. The last three process 16 cases at a time ([`simd`]) and give
//! identical bits.
//! Leaves out: GPU kernels; tests compare their operations with `reference`.
//! Units: fitness is an error, lower is better; blocks in fitness cases.
//! Sources: Chitty 2012 and Chitty (2D stack) section 4.

pub mod accumulator;
mod accumulator_plan;
pub mod cache;
mod cases;
mod element;
pub mod lgp_2d;
mod machine;
pub mod math;
mod output;
pub mod plan;
mod reduction;
pub mod reference;
mod rows;
pub mod rpn_2d;
pub mod scalar;
mod score;
pub mod simd;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod tile;

use super::problem::Problem;
use super::program::Rpn;
use plan::UnsupportedFunction;
pub use reference::fitness_f32;
use simd::Path;

/// Options of a run.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Instruction set; ignored by interpreters without vectors.
    pub path: Path,
    /// Fitness cases of a block; absent: chosen for this machine's caches.
    pub block_cases: Option<usize>,
    /// Whether repeated subtrees may be evaluated once, if the interpreter can share them.
    pub share: bool,
}

impl Options {
    /// Returns the fastest instruction set and blocks, with every node evaluated.
    pub fn best() -> Self {
        Options {
            path: Path::best(),
            block_cases: None,
            share: false,
        }
    }
}

/// Values of a program on all cases.
#[derive(Debug, Clone, PartialEq)]
pub enum ProgramValues {
    Float(Vec<f32>),
    Word(Vec<u32>),
}

/// An interpreter. Programs must be valid for the problem.
pub trait Interpreter: Sync {
    fn name(&self) -> &'static str;
    /// Returns the fitness cases of a block with these options; `None` if the interpreter has no blocks to choose.
    fn block_cases(&self, problem: &Problem, options: Options) -> Option<usize>;
    /// Returns the fitness of each program.
    fn errors(
        &self,
        programs: &[&Rpn],
        problem: &Problem,
        options: Options,
    ) -> Result<Vec<f64>, UnsupportedFunction>;
    fn values(
        &self,
        program: &Rpn,
        problem: &Problem,
        options: Options,
    ) -> Result<ProgramValues, UnsupportedFunction>;
}

/// Every interpreter, the oracle first, the fastest last. A static: a constant would compile every interpreter again in each
/// crate that names it.
pub static ALL: [&dyn Interpreter; 5] = [
    &reference::Reference,
    &scalar::Scalar,
    &rpn_2d::Rpn2d,
    &lgp_2d::Lgp2d,
    &accumulator::Accumulator,
];

/// Interpreters that compute on vectors.
pub static FAST: [&dyn Interpreter; 3] =
    [&rpn_2d::Rpn2d, &lgp_2d::Lgp2d, &accumulator::Accumulator];

/// Interpreters with a choice of block size.
pub static BLOCKED: [&dyn Interpreter; 2] = [&rpn_2d::Rpn2d, &lgp_2d::Lgp2d];

/// Error for a name that no interpreter has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("interpreter: given {given}; allowed: {}", ALL.map(|one| one.name()).join(", "))]
pub struct UnknownInterpreter {
    pub given: String,
}

/// Returns the interpreter with this name.
pub fn by_name(given: &str) -> Result<&'static dyn Interpreter, UnknownInterpreter> {
    let found = ALL.into_iter().find(|one| one.name() == given);
    found.ok_or_else(|| UnknownInterpreter {
        given: given.to_owned(),
    })
}

/// Repetition factor below which it is faster to evaluate all subtrees in registers. Between 1.3, where the accumulator was
/// faster by half, and 2, where it was slower by half.
const LEAST_REPETITION: f64 = 1.5;

/// Returns the fitness of each program, as evolution needs it: equal programs are evaluated once, equal subtrees if that pays.
pub fn evaluate<'a>(
    programs: impl IntoIterator<Item = &'a Rpn>,
    problem: &Problem,
) -> Result<Vec<f64>, UnsupportedFunction> {
    evaluate_all(&programs.into_iter().collect::<Vec<_>>(), problem)
}

/// Non-generic part of `evaluate`, so that the interpreters are compiled in this crate and not in the caller's.
fn evaluate_all(programs: &[&Rpn], problem: &Problem) -> Result<Vec<f64>, UnsupportedFunction> {
    let repetition = plan::Repetition::of(programs);
    let options = Options {
        share: true,
        ..Options::best()
    };
    if repetition.factor() >= LEAST_REPETITION {
        return lgp_2d::Lgp2d.errors(programs, problem, options);
    }
    let distinct: Vec<&Rpn> = repetition.first.iter().map(|&i| programs[i]).collect();
    let errors = accumulator::Accumulator
        .errors(&distinct, problem, options)
        .map_err(|error| UnsupportedFunction {
            program: repetition.first[error.program],
            ..error
        })?;
    let of_program = |output: &u32| errors[*output as usize];
    Ok(repetition.output_of.iter().map(of_program).collect())
}

#[cfg(test)]
mod tests;
