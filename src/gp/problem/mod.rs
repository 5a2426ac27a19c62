//! Problems: function set, terminals, fitness cases and how an output is scored.
//!
//! Models: what evolution and the interpreters need to know about a problem.
//! Leaves out: how the cases are laid out on a device.
//! Units: fitness is an error, lower is better, 0 is solved.
//! Sources: Chitty (2D stack) section 4.2 and table 2.

pub mod multiplexer;
pub mod sextic;

use super::primitive::Primitive;
use multiplexer::{MUX6, MUX11, MUX20, MUX37};

/// Fitness cases, one column per input; every column has one element per case (or per 32 packed cases).
#[derive(Debug, Clone, PartialEq)]
pub struct Cases<T> {
    pub inputs: Vec<Vec<T>>,
    pub expected: Vec<T>,
}

/// The fitness cases of a problem.
#[derive(Debug, Clone, PartialEq)]
pub enum Dataset {
    /// One case per element.
    Float(Cases<f32>),
    /// 32 Boolean cases per element (sub-machine-code GP).
    Word(Cases<u32>),
}

/// How outputs become one fitness value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Mean of squared differences.
    MeanSquaredError,
    /// Number of cases whose bit is wrong.
    WrongBits,
}

/// A GP problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    pub name: &'static str,
    pub functions: Vec<Primitive>,
    /// Ephemeral constants are drawn uniformly from this range; `None`: inputs are the only terminals.
    pub constants: Option<(f32, f32)>,
    pub dataset: Dataset,
    pub score: Score,
    /// A program with an error of at most this much has solved the problem.
    pub solved_error: f64,
}

impl Problem {
    /// The number of inputs of a fitness case.
    pub fn n_inputs(&self) -> usize {
        match &self.dataset {
            Dataset::Float(cases) => cases.inputs.len(),
            Dataset::Word(cases) => cases.inputs.len(),
        }
    }

    /// The number of fitness cases (32 per word for Boolean problems).
    pub fn n_cases(&self) -> usize {
        match &self.dataset {
            Dataset::Float(cases) => cases.expected.len(),
            Dataset::Word(cases) => cases.expected.len() * 32,
        }
    }
}

/// A problem name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown problem `{given}`, allowed: {allowed}")]
pub struct UnknownProblem {
    pub given: String,
    pub allowed: String,
}

/// Names of all problems.
pub const NAMES: &[&str] = &[sextic::NAME, MUX6.name, MUX11.name, MUX20.name, MUX37.name];

/// The seed of sampled cases.
pub const CASE_SEED: u64 = 1;

/// The problem with this name; `n_cases` limits its fitness cases, absent: all of them.
pub fn by_name(name: &str, n_cases: Option<usize>) -> Result<Problem, UnknownProblem> {
    if let Some(mux) = [MUX6, MUX11, MUX20, MUX37]
        .into_iter()
        .find(|mux| mux.name == name)
    {
        return Ok(mux.problem(CASE_SEED, n_cases));
    }
    match name {
        sextic::NAME => Ok(sextic::problem(
            CASE_SEED,
            n_cases.unwrap_or(sextic::N_CASES),
        )),
        _ => Err(UnknownProblem {
            given: name.to_owned(),
            allowed: NAMES.join(", "),
        }),
    }
}
