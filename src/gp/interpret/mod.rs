//! Interpreters on the CPU.
//!
//! Models: five of them behind one trait, chosen by name. [`mod@reference`] is the oracle, plain and slow; [`scalar`] is the papers' baseline,
//! a stack of single values; [`rpn_2d`] and [`lgp_2d`] have a row of cases on every level of the stack; [`accumulator`] keeps the
//! value that is being computed in registers. The last three run on 16 cases at a time ([`simd`]) and give the same bits as each other.
//! Leaves out: GPU kernels; their operations are held against `reference` in the tests.
//! Units: fitness is an error, lower is better; blocks in fitness cases.
//! Sources: Chitty 2012 and Chitty (2D stack) section 4.

pub mod accumulator;
pub(crate) mod accumulator_plan;
pub mod cache;
pub(crate) mod cases;
pub(crate) mod element;
pub mod lgp_2d;
pub(crate) mod machine;
pub mod math;
mod output;
pub mod plan;
mod reduction;
pub mod reference;
mod rows;
pub mod rpn_2d;
pub mod scalar;
pub(crate) mod score;
pub mod simd;
pub(crate) mod tile;

use super::problem::Problem;
use super::program::Rpn;
pub(crate) use machine::check;
use plan::UnsupportedFunction;
pub use reference::{fitness_f32, fitness_f64};
use simd::Path;

/// How to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Instructions; interpreters without vectors ignore them.
    pub path: Path,
    /// Fitness cases of a block; absent: as the caches of this machine want it.
    pub block_cases: Option<usize>,
    /// What occurs more than once in the programs may be evaluated once, where the interpreter can.
    pub share: bool,
}

impl Options {
    /// The fastest instructions and blocks, every node evaluated.
    pub fn best() -> Self {
        Options {
            path: Path::best(),
            block_cases: None,
            share: false,
        }
    }
}

/// The values of a program on all cases.
#[derive(Debug, Clone, PartialEq)]
pub enum ProgramValues {
    Float(Vec<f32>),
    Word(Vec<u32>),
}

/// One way to evaluate programs. They must be valid for the problem.
pub trait Interpreter: Sync {
    fn name(&self) -> &'static str;
    /// Fitness cases of a block with these options; none: there are no blocks to choose.
    fn block_cases(&self, problem: &Problem, options: Options) -> Option<usize>;
    /// The fitness of each program.
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

/// Every interpreter, the oracle first, the fastest last. Statics: a constant would compile every interpreter again in each crate that names it.
pub static ALL: [&dyn Interpreter; 5] = [
    &reference::Reference,
    &scalar::Scalar,
    &rpn_2d::Rpn2d,
    &lgp_2d::Lgp2d,
    &accumulator::Accumulator,
];

/// Those that compute on vectors.
pub static FAST: [&dyn Interpreter; 3] =
    [&rpn_2d::Rpn2d, &lgp_2d::Lgp2d, &accumulator::Accumulator];

/// Those whose blocks of cases can be chosen.
pub static BLOCKED: [&dyn Interpreter; 2] = [&rpn_2d::Rpn2d, &lgp_2d::Lgp2d];

/// No interpreter has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("interpreter: given {given}; allowed: {}", ALL.map(|one| one.name()).join(", "))]
pub struct UnknownInterpreter {
    pub given: String,
}

/// The interpreter with this name.
pub fn by_name(given: &str) -> Result<&'static dyn Interpreter, UnknownInterpreter> {
    let found = ALL.into_iter().find(|one| one.name() == given);
    found.ok_or_else(|| UnknownInterpreter {
        given: given.to_owned(),
    })
}

/// Where equal subtrees save less than this factor, evaluating all of them in registers is faster. Between 1.3, where the accumulator gained
/// half, and 2, where it lost half.
const LEAST_REPETITION: f64 = 1.5;

/// The fitness of each program, as evolution needs it: equal programs are evaluated once, equal subtrees where that pays.
pub fn evaluate<'a>(
    programs: impl IntoIterator<Item = &'a Rpn>,
    problem: &Problem,
) -> Result<Vec<f64>, UnsupportedFunction> {
    evaluate_all(&programs.into_iter().collect::<Vec<_>>(), problem)
}

/// Not generic: the interpreters are compiled here, not where it is called.
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
