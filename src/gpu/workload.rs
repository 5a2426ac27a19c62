//! What the interpreters are measured on: a population and fitness cases.
//!
//! Models: each problem's number of inputs and cases. Sextic and the 20-multiplexer are the problems themselves; the
//! classification problems are random cases of the same shape, so that measuring needs no data set.
//! Leaves out: evolution; programs come from a file, one per line.
//! Units: cases, or words of 32 cases for the multiplexer.
//! Sources: Chitty 2016, section 4.2 (100,000, 58,000 and 494,021 cases, 2^20 as 32,768 words).

use std::path::Path;

use thiserror::Error;

use super::variant::FunctionSet;
use crate::gp::evolve::dice::Dice;
use crate::gp::problem::multiplexer::Multiplexer;
use crate::gp::problem::{Cases, Dataset, sextic};
use crate::gp::program::{ProgramError, Rpn};

/// The seed of the random cases.
const CASE_SEED: u64 = 2;

/// A list of programs that cannot be read.
#[derive(Debug, Error)]
pub enum WorkloadError {
    #[error("programs `{file}`: {error}")]
    Read { file: String, error: std::io::Error },
    #[error("programs `{file}` line {line}: {error}")]
    Program {
        file: String,
        line: usize,
        error: ProgramError,
    },
    #[error("programs `{file}`: no program in it; expected one postfix program per line")]
    Empty { file: String },
}

/// The programs of a file, one per line in postfix text form; lines that begin with `#` are comments.
pub fn read_programs(path: &Path) -> Result<Vec<Rpn>, WorkloadError> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| WorkloadError::Read {
        file: file.clone(),
        error,
    })?;
    parse_programs(&text, &file)
}

/// The programs that the committed measurements ran.
pub fn measured_programs(problem: FunctionSet) -> Result<Vec<Rpn>, WorkloadError> {
    let text = match problem {
        FunctionSet::Sextic => include_str!("../../fixtures/measured/programs/sextic.txt"),
        FunctionSet::Shuttle => include_str!("../../fixtures/measured/programs/shuttle.txt"),
        FunctionSet::Kddcup => include_str!("../../fixtures/measured/programs/kddcup.txt"),
        FunctionSet::Mux20 => include_str!("../../fixtures/measured/programs/mux20.txt"),
    };
    parse_programs(text, &format!("fixtures/measured/programs/{problem}.txt"))
}

fn parse_programs(text: &str, file: &str) -> Result<Vec<Rpn>, WorkloadError> {
    let programs = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty())
        .map(|(index, line)| {
            line.parse().map_err(|error| WorkloadError::Program {
                file: file.to_owned(),
                line: index + 1,
                error,
            })
        })
        .collect::<Result<Vec<Rpn>, _>>()?;
    if programs.is_empty() {
        return Err(WorkloadError::Empty {
            file: file.to_owned(),
        });
    }
    Ok(programs)
}

/// The fitness cases of a problem.
pub fn dataset(problem: FunctionSet) -> Dataset {
    match problem {
        FunctionSet::Sextic => {
            sextic::problem(crate::gp::problem::CASE_SEED, sextic::N_CASES).dataset
        }
        FunctionSet::Shuttle => random_classes(9, 58_000, 200.0, 7),
        FunctionSet::Kddcup => random_classes(41, 494_021, 20_000.0, 22),
        FunctionSet::Mux20 => Multiplexer::MUX20.problem(CASE_SEED, None).dataset,
    }
}

/// Whether the cases are the problem's own.
pub fn cases_source(problem: FunctionSet) -> &'static str {
    match problem {
        FunctionSet::Sextic | FunctionSet::Mux20 => "problem",
        FunctionSet::Shuttle | FunctionSet::Kddcup => "random",
    }
}

/// GP operations that one element of a row stands for.
pub fn cases_per_element(problem: FunctionSet) -> u32 {
    if problem == FunctionSet::Mux20 { 32 } else { 1 }
}

fn random_classes(n_inputs: usize, n_cases: usize, range: f32, n_classes: usize) -> Dataset {
    let mut dice = Dice::new(CASE_SEED, n_inputs as u64);
    let inputs = (0..n_inputs)
        .map(|_| {
            (0..n_cases)
                .map(|_| dice.uniform(-range, range).round())
                .collect()
        })
        .collect();
    let expected = (0..n_cases)
        .map(|_| (1 + dice.below(n_classes)) as f32)
        .collect();
    Dataset::Float(Cases { inputs, expected })
}
