//! Measured launches as requests for a prediction: their programs and fitness cases found and checked.
//!
//! Leaves out: predicting.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::at_hand::{self, matching};
use super::launches::MeasuredLaunch;
use crate::gp::problem::{CASE_SEED, Dataset, ProblemId};
use crate::gp::program::Rpn;
use crate::gp::program_file;
use crate::gp::programs::{Population, PopulationError};
use crate::gp::workload::{Workload, WorkloadError, measured_programs};
use crate::launch::CarveOut;
use crate::systems::chitty::request::{Cases, Request};

/// Where a launch's programs come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Programs {
    /// Programs of the committed measurements.
    Committed,
    /// This file; where there is none, the programs at hand with the row's digest, or the file that the row names.
    File(Option<PathBuf>),
}

/// Why a measured launch cannot be predicted.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    #[error("programs: {0}")]
    Population(#[from] PopulationError),
    #[error(
        "programs of the measured rows: given hash {found} (file {file}, {population} blocks, in this order or the longest first); \
         allowed: {expected}, the hash in the rows"
    )]
    Hash {
        file: String,
        population: u32,
        found: String,
        expected: String,
    },
    #[error(
        "programs of the measured rows: given no --programs; allowed: the file that they ran, as the rows name none"
    )]
    NoFile,
    #[error(
        "programs of the measured rows: given hash {digest}, whose programs are lost, as their seed was not kept; \
         allowed: a hash of programs that are at hand, or --programs with a file of that hash"
    )]
    Lost { digest: String },
}

/// Digests of populations whose seed was not kept: set 3 on the H200.
const LOST: [&str; 6] = [
    "f210532ed662",
    "5a0d835deb24",
    "15426a3bb8ca",
    "af33bd194df0",
    "fe92af1384f1",
    "0cf6034fa95e",
];

type PopulationKey = (ProblemId, u32, String);

/// Makes requests; what several launches share is made once.
#[derive(Debug)]
pub struct Requests {
    programs: Programs,
    /// Folder of the data sets' files.
    data: Option<PathBuf>,
    lists: HashMap<PathBuf, Vec<Rpn>>,
    populations: HashMap<PopulationKey, Arc<Population>>,
    values: HashMap<(ProblemId, u64, bool), Arc<Dataset>>,
}

impl Requests {
    pub fn new(programs: Programs, data: Option<PathBuf>) -> Self {
        Requests {
            programs,
            data,
            lists: HashMap::new(),
            populations: HashMap::new(),
            values: HashMap::new(),
        }
    }

    pub fn of(&mut self, row: &MeasuredLaunch) -> Result<Request, RequestError> {
        let launched = &row.launched;
        let kernel = launched.kernel.clone();
        let mut cases = Cases::of(kernel.problem, row.cases);
        cases.padded_elements = launched.padded_elements;
        cases.values = self.values(row)?;
        Ok(Request {
            programs: self.population(row)?,
            cases,
            threads_per_block: launched.threads_per_block,
            case_blocks: launched.case_blocks,
            carve_out: match launched.shared_config_bytes {
                Some(bytes) => CarveOut::SharedBytes(bytes),
                None => CarveOut::Default,
            },
            kernel,
        })
    }

    /// The fitness cases; `None` where they came from files that are not at hand.
    fn values(&mut self, row: &MeasuredLaunch) -> Result<Option<Arc<Dataset>>, RequestError> {
        let problem = row.launched.kernel.problem;
        let from_files = row.cases_source == "data";
        if from_files && self.data.is_none() {
            return Ok(None);
        }
        let seed = row.case_seed.unwrap_or(CASE_SEED);
        let key = (problem, seed, from_files);
        if let Some(found) = self.values.get(&key) {
            return Ok(Some(Arc::clone(found)));
        }
        let folder = self.data.as_deref().filter(|_| from_files);
        let values = Arc::new(Workload::new(problem, folder, seed)?.problem.dataset);
        self.values.insert(key, Arc::clone(&values));
        Ok(Some(values))
    }

    fn population(&mut self, row: &MeasuredLaunch) -> Result<Arc<Population>, RequestError> {
        let launched = &row.launched;
        let problem = launched.kernel.problem;
        let key = (problem, launched.population, launched.programs.clone());
        if let Some(found) = self.populations.get(&key) {
            return Ok(Arc::clone(found));
        }
        let n_blocks = launched.population as usize;
        let at_hand = match self.programs {
            Programs::File(None) => at_hand::find(problem, n_blocks, &launched.programs)?,
            _ => None,
        };
        let list = match at_hand {
            Some(list) => list,
            None => self.checked_list(row)?,
        };
        let population = Arc::new(Population::of_list(&list, n_blocks)?);
        self.populations.insert(key, Arc::clone(&population));
        Ok(population)
    }

    /// Returns the list of a file that has the row's digest.
    fn checked_list(&mut self, row: &MeasuredLaunch) -> Result<Vec<Rpn>, RequestError> {
        let launched = &row.launched;
        let (list, file) = self.list(row)?;
        let list = matching(list, launched.population as usize, &launched.programs);
        list.map_err(|found| RequestError::Hash {
            file,
            population: launched.population,
            found,
            expected: launched.programs.clone(),
        })
    }

    /// The list of programs before it is repeated, and what it is called.
    fn list(&mut self, row: &MeasuredLaunch) -> Result<(&[Rpn], String), RequestError> {
        let problem = row.launched.kernel.problem;
        let path = match &self.programs {
            Programs::Committed => {
                let name = format!("fixtures/measured/programs/{problem}.txt");
                let list = self.lists.entry(PathBuf::from(&name));
                let list = match list {
                    std::collections::hash_map::Entry::Occupied(found) => found.into_mut(),
                    std::collections::hash_map::Entry::Vacant(place) => {
                        place.insert(measured_programs(problem)?)
                    }
                };
                return Ok((list, name));
            }
            Programs::File(Some(path)) => path.clone(),
            Programs::File(None) if LOST.contains(&row.launched.programs.as_str()) => {
                let digest = row.launched.programs.clone();
                return Err(RequestError::Lost { digest });
            }
            Programs::File(None) => {
                let named = row.programs_file.as_deref().ok_or(RequestError::NoFile)?;
                Path::new(named).to_owned()
            }
        };
        let name = path.display().to_string();
        if !self.lists.contains_key(&path) {
            let list = program_file::read(&path, None).map_err(WorkloadError::from)?;
            self.lists.insert(path.clone(), list);
        }
        Ok((&self.lists[&path], name))
    }
}
