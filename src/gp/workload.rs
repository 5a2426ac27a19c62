//! Workload for measuring the interpreters: a population and fitness cases.
//!
//! Models: each problem's number of inputs and cases. A data set's real cases if its folder is given, otherwise random cases of
//! the same shape, drawn from a seed.
//! Leaves out: evolution; programs come from a file, one per line.
//! Units: cases, or words of 32 cases for the multiplexer.
//! Sources: Chitty 2016, section 4.2 (100,000, 58,000 and 494,021 cases, 2^20 as 32,768 words).

use std::path::Path;

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::gp::evolve::dice::Dice;
use crate::gp::problem::{
    CaseSource, Cases, Classes, Dataset, Definition, Problem, ProblemError, ProblemId, names,
};
use crate::gp::program::{Rpn, Token};
use crate::gp::program_file::{self, ProgramFileError};

/// Error in programs or cases, or a mismatch between them.
#[derive(Debug, Error)]
pub enum WorkloadError {
    #[error(transparent)]
    File(#[from] ProgramFileError),
    #[error("program {program} reads X{given}; allowed with {problem}: X1 to X{allowed}")]
    Input {
        program: usize,
        given: u32,
        allowed: usize,
        problem: ProblemId,
    },
    #[error(transparent)]
    Data(#[from] ProblemError),
    #[error("measured programs: given {given}; allowed: {allowed}")]
    NotMeasured { given: ProblemId, allowed: String },
}

/// Returns the first 12 hexadecimal digits of the SHA-256 of the programs' text, one per line.
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

/// Texts of the programs used in the committed measurements.
const MEASURED: [(ProblemId, &str); 4] = [
    (
        ProblemId::Sextic,
        include_str!("../../fixtures/measured/programs/sextic.txt"),
    ),
    (
        ProblemId::Shuttle,
        include_str!("../../fixtures/measured/programs/shuttle.txt"),
    ),
    (
        ProblemId::Kddcup,
        include_str!("../../fixtures/measured/programs/kddcup.txt"),
    ),
    (
        ProblemId::Mux20,
        include_str!("../../fixtures/measured/programs/mux20.txt"),
    ),
];

/// Returns the programs used in the committed measurements.
pub fn measured_programs(problem: ProblemId) -> Result<Vec<Rpn>, WorkloadError> {
    let known = MEASURED.iter().find(|(one, _)| *one == problem);
    let (_, text) = known.ok_or_else(|| WorkloadError::NotMeasured {
        given: problem,
        allowed: names(&MEASURED.map(|(one, _)| one)),
    })?;
    let file = format!("fixtures/measured/programs/{problem}.txt");
    Ok(program_file::parse(text, &file, None)?)
}

/// A problem with its fitness cases.
#[derive(Debug, Clone)]
pub struct Workload {
    pub id: ProblemId,
    pub problem: Problem,
    pub source: CasesSource,
}

/// Source of fitness cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CasesSource {
    /// Defined by the problem.
    Problem,
    /// Drawn with this seed from the problem's own distribution.
    Drawn(u64),
    /// Read from the files of a data set.
    Data,
    /// Drawn with this seed: as many cases as the data set has, of the same shape, but with other values.
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
    /// Makes a problem with its default number of cases, reading a data set from the folder `data`.
    pub fn new(id: ProblemId, data: Option<&Path>, seed: u64) -> Result<Self, WorkloadError> {
        Self::with_cases(id, data, seed, None)
    }

    /// Makes a problem with `n_cases` cases.
    pub fn with_cases(
        id: ProblemId,
        data: Option<&Path>,
        seed: u64,
        n_cases: Option<usize>,
    ) -> Result<Self, WorkloadError> {
        let definition = id.definition();
        let source = match (definition.cases, data) {
            (CaseSource::Defined(_), _) => CasesSource::Problem,
            (CaseSource::Drawn(_), _) => CasesSource::Drawn(seed),
            (CaseSource::Files { .. }, Some(_)) => CasesSource::Data,
            (CaseSource::Files { .. }, None) => CasesSource::Random(seed),
        };
        let dataset = match (definition.cases, source) {
            (CaseSource::Files { classes, .. }, CasesSource::Random(_)) => {
                random_classes(definition, n_cases, classes, seed)
            }
            _ => definition.dataset(seed, data, n_cases)?,
        };
        Ok(Self {
            id,
            problem: definition.with(dataset),
            source,
        })
    }

    /// Refuses programs that read a missing input: a kernel would read beyond the cases.
    pub fn check(&self, programs: &[Rpn]) -> Result<(), WorkloadError> {
        check_inputs(programs, self.problem.n_inputs(), self.id)
    }
}

/// Refuses programs that read an input beyond a problem's `n_inputs`.
pub fn check_inputs(
    programs: &[Rpn],
    n_inputs: usize,
    problem: ProblemId,
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

fn random_classes(
    definition: &Definition,
    n_cases: Option<usize>,
    Classes { n_classes, range }: Classes,
    seed: u64,
) -> Dataset {
    let n_inputs = definition.n_inputs;
    let n_cases = n_cases.unwrap_or(definition.n_cases);
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
    Dataset::Float(Cases { inputs, expected })
}
