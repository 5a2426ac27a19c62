//! Problems: function set, terminals, fitness cases and scoring.
//!
//! Models: the data that evolution and the interpreters need about a problem; every problem of the four papers by name.
//! Leaves out: the layout of cases on a device.
//! Units: fitness is an error, lower is better, 0 is solved.
//! Sources: Chitty (2D stack) section 4.2 and table 2; Robilliard et al. 2008; Langdon 2010; Augusto and Barbosa 2013.

pub mod gpocl;
pub mod kddcup;
pub mod multiplexer;
#[cfg(test)]
mod parity;
pub mod sextic;
pub mod shuttle;
pub mod spirals;
pub mod uci;

use super::primitive::Primitive;
use serde::Deserialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use uci::DataError;

/// Fitness cases, one column per input; every column has one element per case (or per 32 packed cases).
#[derive(Debug, Clone, PartialEq)]
pub struct Cases<T> {
    pub inputs: Vec<Vec<T>>,
    pub expected: Vec<T>,
}

impl<T: Copy> Cases<T> {
    /// Returns the cases with these numbers.
    pub fn select(&self, numbers: &[usize]) -> Self {
        let pick = |column: &Vec<T>| numbers.iter().map(|&n| column[n]).collect();
        Cases {
            inputs: self.inputs.iter().map(pick).collect(),
            expected: pick(&self.expected),
        }
    }
}

/// Words of all cases of five inputs: bit i of word p is bit p of i.
const PATTERNS: [u32; 5] = [
    0xaaaa_aaaa,
    0xcccc_cccc,
    0xf0f0_f0f0,
    0xff00_ff00,
    0xffff_0000,
];

impl Cases<u32> {
    /// Returns the Boolean cases of these words: word w holds the cases whose inputs are the bits of 32 w to 32 w + 31, the first
    /// input lowest. `output` computes an output word from one word per input.
    pub fn of_words(n_inputs: u32, words: &[u64], output: impl Fn(&[u32]) -> u32) -> Self {
        let bit = |word: u64, input: u32| match input {
            0..5 => PATTERNS[input as usize],
            _ => ((word >> (input - 5)) as u32 & 1).wrapping_neg(),
        };
        let column = |input| words.iter().map(|&word| bit(word, input)).collect();
        let expected = |&word: &u64| {
            let bits: Vec<u32> = (0..n_inputs).map(|input| bit(word, input)).collect();
            output(&bits)
        };
        Cases {
            inputs: (0..n_inputs).map(column).collect(),
            expected: words.iter().map(expected).collect(),
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

/// Scoring: the way outputs become one fitness value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Mean of squared differences.
    MeanSquaredError,
    /// Number of cases whose bit is wrong.
    WrongBits,
    /// Number of cases whose value, truncated to a whole number, is not the class (0 or more).
    WrongClasses,
    /// Number of cases whose value has the wrong sign; 0 counts as positive.
    WrongSigns,
}

/// Source of a problem's fitness cases.
#[derive(Debug, Clone, Copy)]
pub enum CaseSource {
    /// Cases defined by the problem; the arguments are a seed and the largest number of cases.
    Defined(fn(u64, usize) -> Dataset),
    /// Random cases from the problem's own distribution; the arguments are a seed and the number of cases.
    Drawn(fn(u64, usize) -> Dataset),
    /// The files of a data set.
    Files {
        /// Reads cases from a folder, at most the number given; `None`: all of them.
        read: fn(Option<&Path>, Option<usize>) -> Result<Dataset, DataError>,
        /// Random cases that replace missing files.
        classes: Classes,
    },
}

/// Shape of random cases: classes 1 to `n_classes`, whole inputs from `-range` to `range`.
#[derive(Debug, Clone, Copy)]
pub struct Classes {
    pub n_classes: usize,
    pub range: f32,
}

/// A problem without its cases.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    pub name: &'static str,
    /// Other accepted names, in lower case, with letters and digits only.
    pub aliases: &'static [&'static str],
    pub functions: &'static [Primitive],
    /// Ephemeral constants are drawn uniformly from this range; `None`: inputs are the only terminals.
    pub constants: Option<(f32, f32)>,
    pub n_inputs: usize,
    /// Number of fitness cases by default.
    pub n_cases: usize,
    pub cases: CaseSource,
    pub score: Score,
    /// Largest error of a program that counts as a solution.
    pub solved_error: f64,
    /// The problem whose compiled kernels run this one: itself, or one with the same score and at least its functions.
    pub kernels: Option<ProblemId>,
}

impl Definition {
    /// Makes at most `n_cases` fitness cases; a data set is read from its files in `folder`.
    pub fn dataset(
        &self,
        seed: u64,
        folder: Option<&Path>,
        n_cases: Option<usize>,
    ) -> Result<Dataset, ProblemError> {
        if let Some(given) = n_cases.filter(|given| !(1..=MAX_CASES).contains(given)) {
            return Err(ProblemError::Cases { given });
        }
        let n = n_cases.unwrap_or(self.n_cases);
        Ok(match self.cases {
            CaseSource::Defined(make) | CaseSource::Drawn(make) => make(seed, n),
            CaseSource::Files { read, .. } => read(folder, n_cases)?,
        })
    }

    /// Returns the problem with these cases.
    pub fn with(&self, dataset: Dataset) -> Problem {
        Problem {
            name: self.name,
            functions: self.functions.to_vec(),
            constants: self.constants,
            dataset,
            score: self.score,
            solved_error: self.solved_error,
        }
    }
}

/// Declares the problems from their definitions.
macro_rules! problems {
    ($($(#[doc = $doc:literal])+ $(#[cfg($condition:meta)])? $id:ident = $definition:expr;)+) => {
        /// A problem of the papers. Each is defined in a file of `gp::problem`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
        #[serde(try_from = "String")]
        pub enum ProblemId { $($(#[doc = $doc])+ $(#[cfg($condition)])? $id),+ }

        impl ProblemId {
            /// Every problem, the four of Chitty's paper first.
            pub const ALL: &'static [ProblemId] = &[$($(#[cfg($condition)])? ProblemId::$id),+];

            /// Returns the definition: everything about the problem except its cases.
            #[doc(hidden)]
            pub const fn definition(self) -> &'static Definition {
                match self { $($(#[cfg($condition)])? ProblemId::$id => &$definition),+ }
            }
        }
    };
}

problems! {
    /// Symbolic regression of x^6 - 2x^4 + x^2.
    Sextic = sextic::SEXTIC;
    /// Classification of the UCI Shuttle data.
    Shuttle = shuttle::SHUTTLE;
    /// Classification of the UCI KDD Cup 1999 data.
    Kddcup = kddcup::KDDCUP;
    /// The 20-multiplexer, on words of 32 Boolean cases.
    Mux20 = multiplexer::MUX20;
    /// The 6-multiplexer.
    Mux6 = multiplexer::MUX6;
    /// The 11-multiplexer.
    Mux11 = multiplexer::MUX11;
    /// The 37-multiplexer.
    Mux37 = multiplexer::MUX37;
    /// The sextic with constants as terminals.
    SexticConstants = sextic::WITH_CONSTANTS;
    /// The two intertwined spirals.
    Spirals = spirals::SPIRALS;
    /// GPOCL's random regression.
    GpoclRegression = gpocl::REGRESSION;
    /// GPOCL's random classification.
    GpoclClassification = gpocl::CLASSIFICATION;
    /// Even parity of six bits.
    #[cfg(test)]
    Parity6 = parity::PARITY6;
}

/// The four problems of the paper's Tables 5 and 6.
pub const PAPER: [ProblemId; 4] = [
    ProblemId::Sextic,
    ProblemId::Shuttle,
    ProblemId::Kddcup,
    ProblemId::Mux20,
];

impl ProblemId {
    /// Returns the name on the command line and in files.
    pub const fn name(self) -> &'static str {
        self.definition().name
    }

    /// Tells whether a value is a word of 32 Boolean cases rather than a number.
    pub fn is_boolean(self) -> bool {
        self.definition().score == Score::WrongBits
    }

    /// Returns the number of fitness cases in one value.
    pub fn cases_per_element(self) -> u32 {
        if self.is_boolean() { 32 } else { 1 }
    }

    /// Returns the problem whose compiled kernels run this one; the problem itself if there are none.
    pub(crate) fn compiled_as(self) -> ProblemId {
        self.definition().kernels.unwrap_or(self)
    }

    /// Tells whether its cases are available without the files of a data set.
    pub(crate) fn defines_its_cases(self) -> bool {
        !matches!(self.definition().cases, CaseSource::Files { .. })
    }
}

impl fmt::Display for ProblemId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for ProblemId {
    type Err = ProblemError;

    fn from_str(given: &str) -> Result<Self, ProblemError> {
        let found = Self::ALL.iter().find(|id| id.name() == given);
        found.copied().ok_or_else(|| ProblemError::Unknown {
            given: given.to_owned(),
            allowed: names(Self::ALL),
        })
    }
}

impl TryFrom<String> for ProblemId {
    type Error = ProblemError;

    fn try_from(given: String) -> Result<Self, ProblemError> {
        given.parse()
    }
}

/// Returns the names of problems, for messages.
pub fn names(problems: &[ProblemId]) -> String {
    let names: Vec<&str> = problems.iter().map(|id| id.name()).collect();
    names.join(", ")
}

/// Returns the program's name for a problem given by any of its names; an unknown name is returned in lower case.
pub fn canonical(given: &str) -> String {
    let small = given.to_lowercase();
    let bare: String = small.chars().filter(|c| c.is_alphanumeric()).collect();
    let is_meant = |id: &&ProblemId| id.definition().aliases.contains(&bare.as_str());
    let known = ProblemId::ALL.iter().find(is_meant);
    known.map_or(small, |id| id.name().to_owned())
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
    /// Largest error of a program that counts as a solution.
    pub solved_error: f64,
}

impl Problem {
    /// Returns the number of inputs of a fitness case.
    pub fn n_inputs(&self) -> usize {
        match &self.dataset {
            Dataset::Float(cases) => cases.inputs.len(),
            Dataset::Word(cases) => cases.inputs.len(),
        }
    }

    /// Returns the number of fitness cases (32 per word for Boolean problems).
    pub fn n_cases(&self) -> usize {
        match &self.dataset {
            Dataset::Float(cases) => cases.expected.len(),
            Dataset::Word(cases) => cases.expected.len() * 32,
        }
    }
}

/// Error for a problem that cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    #[error("unknown problem `{given}`; allowed: {allowed}")]
    Unknown { given: String, allowed: String },
    #[error("fitness cases: given {given}; allowed: 1 to {MAX_CASES}")]
    Cases { given: usize },
    #[error(transparent)]
    Data(#[from] DataError),
}

/// Default seed of random cases.
pub const CASE_SEED: u64 = 1;

/// Largest number of cases made or read; the largest file has 494,021.
pub const MAX_CASES: usize = 1 << 24;

/// Source and number of cases.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// Maximum number of cases; absent: all of them.
    pub n_cases: Option<usize>,
    /// Folder of the UCI files; absent: the folder named by `WARPSTACK_DATA`.
    pub data: Option<PathBuf>,
}

/// Loads the problem with this name; `n_cases` limits its fitness cases, absent: all of them.
pub fn by_name(name: &str, n_cases: Option<usize>) -> Result<Problem, ProblemError> {
    let data = None;
    load(name, &Source { n_cases, data })
}

/// Loads the problem with this name and its cases.
pub fn load(name: &str, source: &Source) -> Result<Problem, ProblemError> {
    let definition = name.parse::<ProblemId>()?.definition();
    let folder = uci::folder(source.data.as_deref());
    Ok(definition.with(definition.dataset(CASE_SEED, folder.as_deref(), source.n_cases)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_hold_of_the_problems() {
        for id in ProblemId::ALL.iter().filter(|id| id.defines_its_cases()) {
            let problem = by_name(id.name(), None).unwrap();
            assert_eq!(problem.name, id.name());
            assert_eq!(problem.n_cases(), id.definition().n_cases, "{id}");
            assert_eq!(problem.n_inputs(), id.definition().n_inputs, "{id}");
            let is_words = matches!(problem.dataset, Dataset::Word(_));
            assert_eq!(is_words, id.is_boolean(), "{id}");
        }
    }

    #[test]
    fn kernels_compiled_for_another_problem_have_the_functions_and_the_score() {
        for id in ProblemId::ALL {
            let (own, Some(kernels)) = (id.definition(), id.definition().kernels) else {
                continue;
            };
            let theirs = kernels.definition();
            assert_eq!(theirs.kernels, Some(kernels), "{id}");
            assert_eq!(theirs.score, own.score, "{id}");
            let has = |function| theirs.functions.contains(function);
            assert!(own.functions.iter().all(has), "{id}");
            // Such kernels read their one input once per pass.
            assert!(theirs.n_inputs > 1 || own.n_inputs == 1, "{id}");
        }
    }

    #[test]
    fn cases_that_no_memory_holds_are_refused() {
        for id in ProblemId::ALL {
            for given in [0, MAX_CASES + 1, 1_000_000_000_000, usize::MAX] {
                let error = by_name(id.name(), Some(given)).unwrap_err();
                assert!(error.to_string().contains("1 to 16777216"), "{error}");
            }
        }
    }

    #[test]
    fn unknown_problems_are_named() {
        let error = by_name("septic", None).unwrap_err().to_string();
        assert!(
            error.starts_with("unknown problem `septic`; allowed: sextic, shuttle, kddcup, mux20"),
            "{error}"
        );
    }

    #[test]
    fn names_are_understood_in_any_case_and_by_their_other_names() {
        for (given, name) in [
            ("Sextic", "sextic"),
            ("20-MUX", "mux20"),
            ("KDD Cup 99", "kddcup"),
            ("regression-64", "regression-64"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(canonical(given), name);
        }
        let aliases = ProblemId::ALL.iter().flat_map(|id| id.definition().aliases);
        let mut names: Vec<&str> = aliases.copied().collect();
        names.extend(ProblemId::ALL.iter().map(|id| id.name()));
        let n = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n);
    }
}
