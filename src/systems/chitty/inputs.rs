//! Programs that a launch evaluates: corpus, weights, population.
//!
//! Leaves out: making corpora (`warpstack evolve`).
//! Units: programs, fitness cases. Sources: `fixtures/corpus/`; the percentages of programs within a stack limit are those of
//! Chitty's Tables 5 and 6, an input here, not a measured speed.

use crate::gp::corpus::{Corpus, CorpusError};
use crate::gp::problem::{CASE_SEED, Dataset, ProblemId};
use crate::gp::program::Rpn;
use crate::gp::program_file;
use crate::gp::programs::inferred;
use crate::gp::programs::inferred::Inferred;
use crate::gp::programs::{Population, PopulationError, paper_depths};
use crate::gp::workload::{Workload, WorkloadError, check_inputs};
use crate::systems::chitty::request::Cases;
use crate::systems::settings::{ProgramList, Settings, Weighting};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Embedded corpora: name and file text. A corpus with a problem's name is the default of that problem.
const CORPORA: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/corpus_files.rs"));

/// Factors inferred for the paper's programs, embedded and tested.
const INFERRED: &str = include_str!("../../../fixtures/inferred.csv");

/// Returns the factors inferred for the paper's programs, by problem (`docs/calibration.md`).
pub fn inferred() -> BTreeMap<String, Inferred> {
    inferred::parse(INFERRED, "fixtures/inferred.csv").unwrap_or_default()
}

/// Error in loading an engine's programs.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// No problem of this name.
    #[error("unknown problem \"{given}\"; allowed: {allowed}")]
    Problem {
        /// Name that was given.
        given: String,
        /// Names that are allowed.
        allowed: String,
    },
    /// A problem without a corpus of its own.
    #[error(
        "problem {given}: no corpus in the program; allowed: with --programs FILE or --corpus FILE, or one of {allowed}"
    )]
    NoCorpus {
        /// Name of the problem.
        given: ProblemId,
        /// Problems that have a corpus.
        allowed: String,
    },
    /// A corpus that cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Programs that cannot be read or do not fit the problem.
    #[error(transparent)]
    Programs(#[from] WorkloadError),
    /// A corpus of another problem.
    #[error("corpus {file}: given problem \"{given}\"; allowed: \"{allowed}\"")]
    OtherProblem {
        /// Name of the corpus file.
        file: String,
        /// Problem that was given.
        given: String,
        /// Problem that is allowed.
        allowed: String,
    },
    /// Damaged tables of the paper.
    #[error("the paper's Tables 5 and 6: {0}")]
    Tables(#[from] crate::util::rows::RowsError),
    /// Programs from which no population can be made.
    #[error("population of {problem}: {source}")]
    Population {
        /// Name of the problem.
        problem: String,
        /// Underlying error.
        source: PopulationError,
    },
}

/// Returns the names of the problems that an engine can predict: those with a corpus, in the paper's order.
pub fn problems() -> Vec<&'static str> {
    let has_corpus = |name: &&str| embedded(name).is_some();
    let names = ProblemId::ALL.iter().map(|problem| problem.name());
    names.filter(has_corpus).collect()
}

fn unknown(problem: &str) -> InputError {
    InputError::Problem {
        given: problem.into(),
        allowed: problems().join(", "),
    }
}

fn embedded(problem: &str) -> Option<&'static str> {
    let found = CORPORA.iter().find(|(name, _)| *name == problem);
    found.map(|(_, text)| *text)
}

/// A problem's programs and fitness cases.
#[derive(Debug)]
pub(crate) struct ProblemInputs {
    pub problem: ProblemId,
    pub population: Arc<Population>,
    pub cases: Cases,
    values: OnceLock<Option<Arc<Dataset>>>,
}

impl ProblemInputs {
    pub fn load(name: &str, settings: &Settings) -> Result<ProblemInputs, InputError> {
        let problem: ProblemId = name.parse().map_err(|_| unknown(name))?;
        let population = match &settings.list {
            Some(list) => read_list(list, problem)?,
            None => drawn(problem, settings)?,
        };
        ProblemInputs::new(problem, population)
    }

    /// Makes the inputs of exactly these programs, one block each.
    pub fn of_list(problem: ProblemId, programs: &[Rpn]) -> Result<ProblemInputs, InputError> {
        ProblemInputs::new(problem, listed(programs, programs.len(), problem)?)
    }

    fn new(problem: ProblemId, population: Population) -> Result<ProblemInputs, InputError> {
        let n_cases = problem.definition().n_cases;
        Ok(ProblemInputs {
            problem,
            population: Arc::new(population),
            cases: Cases::of(problem, n_cases as u64),
            values: OnceLock::new(),
        })
    }

    /// Returns the fitness cases of a problem that defines them itself.
    pub fn values(&self) -> Option<Arc<Dataset>> {
        let make = || {
            let cases = Workload::new(self.problem, None, CASE_SEED).ok()?;
            Some(Arc::new(cases.problem.dataset))
        };
        self.values.get_or_init(make).clone()
    }
}

/// Reads the programs of a file.
fn read_list(list: &ProgramList, problem: ProblemId) -> Result<Population, InputError> {
    let programs = program_file::read(&list.path, None).map_err(WorkloadError::from)?;
    listed(&programs, list.n_blocks.unwrap_or(programs.len()), problem)
}

/// Makes a population of exactly these programs, repeated to `n_blocks`.
fn listed(programs: &[Rpn], n_blocks: usize, problem: ProblemId) -> Result<Population, InputError> {
    check_inputs(programs, problem.definition().n_inputs, problem)?;
    Population::of_list(programs, n_blocks).map_err(|source| InputError::Population {
        problem: problem.name().into(),
        source,
    })
}

/// Draws a population from a corpus.
fn drawn(problem: ProblemId, settings: &Settings) -> Result<Population, InputError> {
    let name = problem.name();
    let corpus = match &settings.corpus {
        Some(path) => load_file(path, name)?,
        None => {
            let text = embedded(name).ok_or_else(|| InputError::NoCorpus {
                given: problem,
                allowed: problems().join(", "),
            })?;
            Corpus::parse(text, Path::new("the corpus in the program"))?
        }
    };
    let percentages = match settings.weighting {
        Weighting::Paper => paper_depths::of_paper(name)?,
        Weighting::AsEvolved => None,
    };
    let mut population = Population::draw(
        &corpus,
        percentages.as_ref(),
        settings.inferred.get(name).copied().unwrap_or_default(),
        settings.n_blocks,
        settings.program_seed,
    )
    .map_err(|source| InputError::Population {
        problem: name.into(),
        source,
    })?;
    if settings.weighting == Weighting::Paper && percentages.is_none() {
        population.weighting += ", because the paper's Tables 5 and 6 have no row for this problem";
    }
    Ok(population)
}

fn load_file(path: &Path, problem: &str) -> Result<Corpus, InputError> {
    let text = crate::util::input::data(path).map_err(|source| CorpusError::Io {
        path: path.to_owned(),
        source,
    })?;
    let corpus = Corpus::parse(&text, path)?;
    if corpus.header.problem != problem {
        return Err(InputError::OtherProblem {
            file: path.display().to_string(),
            given: corpus.header.problem,
            allowed: problem.into(),
        });
    }
    Ok(corpus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::stack_depth::{lgp_stack_depth, rpn_stack_depth};

    #[test]
    fn every_problem_of_the_paper_has_its_inferred_factors() {
        let found = inferred();
        let paper = ["sextic", "shuttle", "kddcup", "mux20"];
        assert_eq!(found.len(), paper.len());
        assert!(paper.iter().all(|name| found.contains_key(*name)));
    }

    #[test]
    fn inferred_sizes_are_met_and_depths_stay() {
        let drawn = |mean_nodes, longest| {
            let one = Inferred {
                mean_nodes,
                longest,
                slow_operands: 1.0,
            };
            let settings = Settings {
                inferred: BTreeMap::from([("mux20".to_owned(), one)]),
                ..Settings::default()
            };
            ProblemInputs::load("mux20", &settings).unwrap().population
        };
        let (plain, larger) = (drawn(1.0, 1.0), drawn(1.2, 1.5));
        let grown = larger.mean_nodes() / plain.mean_nodes();
        assert!((grown - 1.2).abs() < 0.02, "{grown}");
        let shallow = |population: &Population| {
            let depth = |index: &&u32| rpn_stack_depth(&population.programs[**index as usize]);
            population.sample.iter().filter(|i| depth(i) <= 5).count()
        };
        assert!(shallow(&plain).abs_diff(shallow(&larger)) < 10);
        let longest = |population: &Population| -> u32 {
            population
                .longest
                .iter()
                .flatten()
                .map(|size| size.nodes)
                .max()
                .unwrap()
        };
        assert!(longest(&larger) > longest(&plain));
    }

    #[test]
    fn every_problem_of_the_paper_has_its_cases_and_depths() {
        for (problem, expected) in [
            ("sextic", (100_000, 1)),
            ("shuttle", (58_000, 1)),
            ("kddcup", (494_021, 1)),
            ("mux20", (32_768, 32)),
        ] {
            let inputs = ProblemInputs::load(problem, &Settings::default()).unwrap();
            let cases = &inputs.cases;
            let per_element = cases.n / u64::from(cases.elements);
            assert_eq!((cases.elements, per_element), expected);
            let weighting = &inputs.population.weighting;
            assert!(!weighting.contains("no row"), "{problem}");
        }
    }

    #[test]
    fn the_population_has_the_papers_depths() {
        let inputs = ProblemInputs::load("sextic", &Settings::default()).unwrap();
        let population = &inputs.population;
        assert_eq!(population.sample.len(), 1000);
        let within = |depth_of: fn(&Rpn) -> usize, limit| {
            let depth = |index: &&u32| depth_of(&population.programs[**index as usize]);
            let shallow = population
                .sample
                .iter()
                .filter(|index| depth(index) <= limit);
            100.0 * shallow.count() as f64 / population.sample.len() as f64
        };
        let paper = paper_depths::of_paper("sextic").unwrap().unwrap();
        for (limit, percent) in paper.rpn {
            let drawn = within(rpn_stack_depth, limit);
            assert!((drawn - percent).abs() < 1.0, "{limit}: {percent} {drawn}");
        }
        for (limit, percent) in paper.lgp {
            let drawn = within(lgp_stack_depth, limit);
            assert!((drawn - percent).abs() < 2.0, "{limit}: {percent} {drawn}");
        }
    }
}
