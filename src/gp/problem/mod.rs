//! Problems: function set, terminals, fitness cases and how an output is scored.
//!
//! Models: what evolution and the interpreters need to know about a problem; every problem of the four papers by name.
//! Leaves out: how the cases are laid out on a device.
//! Units: fitness is an error, lower is better, 0 is solved.
//! Sources: Chitty (2D stack) section 4.2 and table 2; Robilliard et al. 2008; Langdon 2010; Augusto and Barbosa 2013.

pub mod gpocl;
pub mod kddcup;
pub mod multiplexer;
pub mod sextic;
pub mod shuttle;
pub mod spirals;
pub mod uci;

use super::primitive::Primitive;
use multiplexer::Multiplexer;
use std::path::PathBuf;

/// Fitness cases, one column per input; every column has one element per case (or per 32 packed cases).
#[derive(Debug, Clone, PartialEq)]
pub struct Cases<T> {
    pub inputs: Vec<Vec<T>>,
    pub expected: Vec<T>,
}

impl<T: Copy> Cases<T> {
    /// The cases with these numbers.
    pub fn select(&self, numbers: &[usize]) -> Self {
        let pick = |column: &Vec<T>| numbers.iter().map(|&n| column[n]).collect();
        Cases {
            inputs: self.inputs.iter().map(pick).collect(),
            expected: pick(&self.expected),
        }
    }
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
    /// Number of cases whose value, cut to a whole number, is not the class (0 or more).
    WrongClasses,
    /// Number of cases whose value is not of the expected sign; 0 counts as positive.
    WrongSigns,
}

/// What is known of a problem without its cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Description {
    pub name: &'static str,
    pub functions: &'static [Primitive],
    /// Ephemeral constants are drawn uniformly from this range; `None`: inputs are the only terminals.
    pub constants: Option<(f32, f32)>,
    pub n_inputs: usize,
    /// Fitness cases when nothing limits them.
    pub n_cases: usize,
}

impl Description {
    pub(crate) fn problem(&self, dataset: Dataset, score: Score, solved_error: f64) -> Problem {
        let Description {
            name,
            functions,
            constants,
            ..
        } = *self;
        Problem {
            name,
            functions: functions.to_vec(),
            constants,
            dataset,
            score,
            solved_error,
        }
    }
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

/// Why there is no such problem.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    #[error("unknown problem `{given}`, allowed: {allowed}")]
    Unknown { given: String, allowed: String },
    #[error("fitness cases: given {given}; allowed: 1 to {MAX_CASES}")]
    Cases { given: usize },
    #[error(transparent)]
    Data(#[from] uci::DataError),
}

/// Every problem, the paper's four first.
pub const DESCRIPTIONS: &[Description] = &[
    sextic::DESCRIPTION,
    shuttle::DESCRIPTION,
    kddcup::DESCRIPTION,
    Multiplexer::MUX20.description(),
    Multiplexer::MUX6.description(),
    Multiplexer::MUX11.description(),
    Multiplexer::MUX37.description(),
    sextic::WITH_CONSTANTS,
    spirals::DESCRIPTION,
    gpocl::REGRESSION,
    gpocl::CLASSIFICATION,
];

/// The four problems of the paper's Tables 5 and 6.
pub const PAPER: [&str; 4] = [
    sextic::DESCRIPTION.name,
    shuttle::DESCRIPTION.name,
    kddcup::DESCRIPTION.name,
    Multiplexer::MUX20.name,
];

/// The seed of random cases.
pub const CASE_SEED: u64 = 1;

/// Cases that are made or read at most: three times what the largest file has.
pub const MAX_CASES: usize = 1 << 24;

/// Where cases come from and how many are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// At most this many cases; absent: all of them.
    pub n_cases: Option<usize>,
    /// Folder of the UCI files; absent: the one that `WARPSTACK_DATA` names.
    pub data: Option<PathBuf>,
}

/// What is known of the problem with this name.
pub fn describe(name: &str) -> Result<Description, ProblemError> {
    DESCRIPTIONS
        .iter()
        .copied()
        .find(|d| d.name == name)
        .ok_or_else(|| {
            let allowed = DESCRIPTIONS
                .iter()
                .map(|d| d.name)
                .collect::<Vec<_>>()
                .join(", ");
            ProblemError::Unknown {
                given: name.to_owned(),
                allowed,
            }
        })
}

/// The problem with this name; `n_cases` limits its fitness cases, absent: all of them.
pub fn by_name(name: &str, n_cases: Option<usize>) -> Result<Problem, ProblemError> {
    load(
        name,
        &Source {
            n_cases,
            data: None,
        },
    )
}

/// The problem with this name and its cases.
pub fn load(name: &str, source: &Source) -> Result<Problem, ProblemError> {
    let description = describe(name)?;
    let folder = uci::folder(source.data.as_deref());
    let n_cases = source.n_cases;
    if let Some(given) = n_cases.filter(|given| !(1..=MAX_CASES).contains(given)) {
        return Err(ProblemError::Cases { given });
    }
    let n = n_cases.unwrap_or(description.n_cases);
    if let Some(mux) = Multiplexer::ALL.into_iter().find(|mux| mux.name == name) {
        return Ok(mux.problem(CASE_SEED, n_cases));
    }
    Ok(match description {
        d if d == shuttle::DESCRIPTION => shuttle::problem(folder.as_deref(), n_cases)?,
        d if d == kddcup::DESCRIPTION => kddcup::problem(folder.as_deref(), n_cases)?,
        d if d == spirals::DESCRIPTION => spirals::problem(),
        d if d == gpocl::REGRESSION => gpocl::regression(CASE_SEED, n),
        d if d == gpocl::CLASSIFICATION => gpocl::classification(CASE_SEED, n),
        d if d == sextic::WITH_CONSTANTS => sextic::problem_with_constants(CASE_SEED, n),
        _ => sextic::problem(CASE_SEED, n),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_describe_the_problems() {
        for description in DESCRIPTIONS
            .iter()
            .filter(|d| ![shuttle::DESCRIPTION, kddcup::DESCRIPTION].contains(d))
        {
            let problem = by_name(description.name, None).unwrap();
            assert_eq!(problem.name, description.name);
            assert_eq!(problem.n_cases(), description.n_cases, "{}", problem.name);
            assert_eq!(problem.n_inputs(), description.n_inputs, "{}", problem.name);
            assert_eq!(problem.functions, description.functions);
            assert_eq!(problem.constants, description.constants);
        }
    }

    #[test]
    fn cases_that_no_memory_holds_are_refused() {
        for description in DESCRIPTIONS {
            for given in [0, MAX_CASES + 1, 1_000_000_000_000, usize::MAX] {
                let error = by_name(description.name, Some(given)).unwrap_err();
                assert!(error.to_string().contains("1 to 16777216"), "{error}");
            }
        }
    }

    #[test]
    fn unknown_problems_are_named() {
        let error = by_name("septic", None).unwrap_err().to_string();
        assert!(
            error.starts_with("unknown problem `septic`, allowed: sextic, shuttle, kddcup, mux20"),
            "{error}"
        );
    }
}
