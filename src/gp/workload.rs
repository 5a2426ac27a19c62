//! What the interpreters are measured on: a population and fitness cases.
//!
//! Models: each problem's number of inputs and cases. Sextic and the 20-multiplexer are the problems themselves; the
//! classification problems are their real cases where a folder of data is given, otherwise random cases of the same
//! shape. Random cases are drawn anew from a seed.
//! Leaves out: evolution; programs come from a file, one per line.
//! Units: cases, or words of 32 cases for the multiplexer.
//! Sources: Chitty 2016, section 4.2 (100,000, 58,000 and 494,021 cases, 2^20 as 32,768 words).

use std::path::Path;

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::gp::evolve::dice::Dice;
use crate::gp::problem::multiplexer::Multiplexer;
use crate::gp::problem::{
    Cases, Dataset, Description, Problem, ProblemError, Score, Source, kddcup, load, sextic,
    shuttle,
};
use crate::gp::program::{ProgramError, Rpn, Token};
use crate::systems::chitty::variant::FunctionSet;

/// Programs or cases that cannot be read, or that do not fit each other.
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
    #[error("program {program} reads X{given}; allowed with {problem}: X1 to X{allowed}")]
    Input {
        program: usize,
        given: u32,
        allowed: usize,
        problem: FunctionSet,
    },
    #[error(transparent)]
    Data(#[from] ProblemError),
    #[error("programs `{file}`: no program in it; expected one postfix program per line")]
    Empty { file: String },
}

/// The programs of a file, one per line in postfix text form; lines that begin with `#` are comments.
pub fn read_programs(path: &Path) -> Result<Vec<Rpn>, WorkloadError> {
    let file = path.display().to_string();
    let text = crate::util::input::data(path).map_err(|error| WorkloadError::Read {
        file: file.clone(),
        error,
    })?;
    parse_programs(&text, &file)
}

/// First 12 hexadecimal digits of the SHA-256 of the programs' text, one per line.
pub fn programs_digest(programs: &[Rpn]) -> String {
    let mut hash = Sha256::new();
    for program in programs {
        hash.update(format!("{program}\n"));
    }
    let bytes = hash.finalize();
    bytes
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
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

/// A program in postfix text form; `file` and `line` are used in messages only.
pub fn parse_program(text: &str, file: &str, line: usize) -> Result<Rpn, WorkloadError> {
    text.parse().map_err(|error| WorkloadError::Program {
        file: file.to_owned(),
        line,
        error,
    })
}

fn parse_programs(text: &str, file: &str) -> Result<Vec<Rpn>, WorkloadError> {
    let programs = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty())
        .map(|(index, line)| parse_program(line, file, index + 1))
        .collect::<Result<Vec<Rpn>, _>>()?;
    if programs.is_empty() {
        return Err(WorkloadError::Empty {
            file: file.to_owned(),
        });
    }
    Ok(programs)
}

/// A problem with its fitness cases.
#[derive(Debug, Clone)]
pub struct Workload {
    pub function_set: FunctionSet,
    pub problem: Problem,
    pub source: CasesSource,
}

/// Where fitness cases come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CasesSource {
    /// The problem defines them all.
    Problem,
    /// Drawn with this seed from the problem's own distribution.
    Drawn(u64),
    /// The files of a data set.
    Data,
    /// Drawn with this seed: as many as the data set has, of the same shape, but not its values.
    Random(u64),
}

impl CasesSource {
    pub fn name(self) -> &'static str {
        match self {
            CasesSource::Problem | CasesSource::Drawn(_) => "problem",
            CasesSource::Data => "data",
            CasesSource::Random(_) => "random",
        }
    }

    pub fn seed(self) -> Option<u64> {
        match self {
            CasesSource::Drawn(seed) | CasesSource::Random(seed) => Some(seed),
            CasesSource::Problem | CasesSource::Data => None,
        }
    }
}

impl Workload {
    /// The problem's cases; those of a data set from the folder `data`.
    pub fn new(
        function_set: FunctionSet,
        data: Option<&Path>,
        seed: u64,
    ) -> Result<Self, WorkloadError> {
        Self::with_cases(function_set, data, seed, None)
    }

    /// The same with another number of cases.
    pub fn with_cases(
        function_set: FunctionSet,
        data: Option<&Path>,
        seed: u64,
        n_cases: Option<usize>,
    ) -> Result<Self, WorkloadError> {
        let of = |description: Description| Description {
            n_cases: n_cases.unwrap_or(description.n_cases),
            ..description
        };
        let (problem, source) = match (function_set, data) {
            (FunctionSet::Sextic, _) => (
                sextic::problem(seed, n_cases.unwrap_or(sextic::N_CASES)),
                CasesSource::Drawn(seed),
            ),
            (FunctionSet::Mux20, _) => (
                Multiplexer::MUX20.problem(seed, n_cases),
                CasesSource::Problem,
            ),
            (_, Some(folder)) => {
                let source = Source {
                    n_cases,
                    data: Some(folder.to_owned()),
                };
                (load(function_set.name(), &source)?, CasesSource::Data)
            }
            (FunctionSet::Shuttle, None) => (
                random_classes(of(shuttle::DESCRIPTION), 200.0, 7, seed),
                CasesSource::Random(seed),
            ),
            (FunctionSet::Kddcup, None) => (
                random_classes(of(kddcup::DESCRIPTION), 20_000.0, 22, seed),
                CasesSource::Random(seed),
            ),
        };
        Ok(Self {
            function_set,
            problem,
            source,
        })
    }

    /// Refuses programs that read an input which the cases do not have: a kernel would read past them.
    pub fn check(&self, programs: &[Rpn]) -> Result<(), WorkloadError> {
        check_inputs(programs, self.problem.n_inputs(), self.function_set)
    }
}

/// Refuses programs that read an input which a problem's cases do not have.
pub fn check_inputs(
    programs: &[Rpn],
    n_inputs: usize,
    problem: FunctionSet,
) -> Result<(), WorkloadError> {
    for (index, program) in programs.iter().enumerate() {
        let beyond = program.0.iter().find_map(|token| match *token {
            Token::Input(input) if usize::from(input) >= n_inputs => Some(input),
            _ => None,
        });
        if let Some(input) = beyond {
            return Err(WorkloadError::Input {
                program: index + 1,
                given: u32::from(input) + 1,
                allowed: n_inputs,
                problem,
            });
        }
    }
    Ok(())
}

/// GP operations that one element of a row stands for.
pub fn cases_per_element(problem: FunctionSet) -> u32 {
    if problem == FunctionSet::Mux20 { 32 } else { 1 }
}

fn random_classes(description: Description, range: f32, n_classes: usize, seed: u64) -> Problem {
    let Description {
        n_inputs, n_cases, ..
    } = description;
    let mut dice = Dice::new(seed, n_inputs as u64);
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
    let dataset = Dataset::Float(Cases { inputs, expected });
    description.problem(dataset, Score::WrongClasses, 0.0)
}
