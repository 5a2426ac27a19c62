//! A campaign: several GP runs of one problem, their record and a sample of their programs, resumable at any generation.
//!
//! Models: the runs behind a corpus and a run record. Its state after a generation is a checkpoint; a campaign resumed from it
//! ends bit for bit like one that was never interrupted.
//! Leaves out: files; the caller keeps the text of the state.
//! Units: seeds, generations and programs.
//! Sources: Chitty (2D stack) section 4.2: 25 runs.

use super::corpus::{Corpus, Entry, Header, Statistics};
use super::evolve::dice::Dice;
use super::evolve::timing::Timing;
use super::evolve::{EvolveConfig, EvolveError, Generation, Run};
use super::problem::{Problem, ProblemId};
use super::program::Rpn;
use super::record::{self, Record, RunRecord};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ops::Range;

const FORMAT: &str = "warpstack-campaign-1";
/// Separates the random streams of sampling from those of evolution.
const SAMPLE_SEED: u64 = 0x5a3b_1e00;

/// Definition of a campaign: problem, cases, seeds, runs and settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub problem: String,
    pub evaluated_cases: usize,
    /// Seed of the first run; run number r uses seed + r.
    pub seed: u64,
    pub runs: u32,
    /// Programs sampled per run and generation.
    pub per_generation: usize,
    pub settings: EvolveConfig,
}

/// State of a campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Campaign {
    format: String,
    plan: Plan,
    finished: Vec<RunRecord>,
    entries: Vec<Entry>,
    current: Option<Current>,
    /// The runs done here, if other machines do the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<Part>,
}

/// Consecutive runs of a campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub first: u32,
    /// First run after the part.
    pub end: u32,
    /// Command of the whole campaign, without the files that it writes.
    pub command: String,
}

/// A run in progress: its record, and the parents of the next generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Current {
    record: RunRecord,
    programs: Vec<Rpn>,
}

/// Error in a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    #[error("checkpoint {name}: {message}")]
    Format { name: String, message: String },
    #[error(
        "checkpoint {name} belongs to another campaign: `{field}` is {given}, asked for: {wanted}"
    )]
    Other {
        name: String,
        field: &'static str,
        given: String,
        wanted: String,
    },
}

impl Campaign {
    pub fn new(plan: Plan) -> Self {
        Campaign {
            format: FORMAT.to_owned(),
            plan,
            finished: Vec::new(),
            entries: Vec::new(),
            current: None,
            part: None,
        }
    }

    /// Starts a campaign of some of the runs only.
    pub fn of_part(plan: Plan, part: Part) -> Self {
        Campaign {
            part: Some(part),
            ..Campaign::new(plan)
        }
    }

    /// Tells whether this text is the state of a campaign.
    pub fn is_state(text: &str) -> bool {
        text.starts_with(&format!("{{\"format\":\"{FORMAT}\""))
    }

    /// Joins finished parts, in order, into the whole campaign, and returns its command; `names` are for messages.
    pub fn joined(
        texts: &[String],
        names: &[String],
    ) -> Result<(Campaign, String), CheckpointError> {
        let mut whole: Option<(Campaign, String)> = None;
        for (text, name) in texts.iter().zip(names) {
            let format = |message: String| CheckpointError::Format {
                name: name.clone(),
                message,
            };
            let mut part: Campaign =
                serde_json::from_str(text).map_err(|error| format(error.to_string()))?;
            part.check().map_err(format)?;
            let runs = part.runs();
            let is_finished = part.finished.len() == runs.len();
            let Some(of) = part.part.take().filter(|_| is_finished) else {
                return Err(format(
                    "given a campaign; allowed: a finished part of one".into(),
                ));
            };
            let (whole, _) =
                whole.get_or_insert_with(|| (Campaign::new(part.plan.clone()), of.command));
            if let Some((field, given, wanted)) = part.plan.difference(&whole.plan) {
                let name = name.clone();
                return Err(CheckpointError::Other {
                    name,
                    field,
                    given,
                    wanted,
                });
            }
            if runs.start as usize != whole.finished.len() {
                let missing = whole.finished.len();
                return Err(format(format!(
                    "begins with run {}, run {missing} is missing",
                    runs.start
                )));
            }
            whole.finished.extend(part.finished);
            whole.entries.extend(part.entries);
        }
        whole.ok_or_else(|| CheckpointError::Format {
            name: "none".into(),
            message: "given no part; allowed: all parts of a campaign".into(),
        })
    }

    /// Checks that running the plan can lead to this state: a checkpoint is untrusted input.
    fn check(&self) -> Result<(), String> {
        let Plan {
            seed,
            per_generation,
            settings,
            ..
        } = &self.plan;
        settings.check().map_err(|error| error.to_string())?;
        let runs = self.runs();
        let under_way = self.current.as_ref().map(|current| &current.record);
        let records = self.finished.iter().chain(under_way);
        let n_records = records.clone().count();
        if runs.end < runs.start || n_records > runs.len() {
            let planned = runs.len();
            return Err(format!(
                "given {n_records} runs; allowed: at most {planned}"
            ));
        }
        for (number, record) in runs.clone().zip(records) {
            record
                .check(
                    seed.wrapping_add(u64::from(number)),
                    settings.generations,
                    settings.population,
                )
                .map_err(|error| format!("run {number}: {error}"))?;
        }
        let sampled = self.generations_seen() * per_generation.min(&settings.population);
        if self.entries.len() != sampled {
            let given = self.entries.len();
            return Err(format!(
                "given {given} sampled programs; allowed: {sampled}"
            ));
        }
        let parents = self.current.as_ref().map(|current| &current.programs);
        if let Some(given) = parents.map(Vec::len).filter(|&n| n != settings.population) {
            let population = settings.population;
            return Err(format!(
                "given {given} programs to breed from; allowed: {population}"
            ));
        }
        let described = self
            .plan
            .problem
            .parse::<ProblemId>()
            .map_err(|error| error.to_string())?
            .definition();
        let sampled = self.entries.iter().map(|entry| &entry.program);
        for program in sampled.chain(parents.into_iter().flatten()) {
            program
                .check_against(described.functions, described.n_inputs)
                .map_err(|error| format!("program `{program}`: {error}"))?;
        }
        Ok(())
    }

    /// Runs to be done here.
    fn runs(&self) -> Range<u32> {
        match &self.part {
            Some(part) => part.first..part.end,
            None => 0..self.plan.runs,
        }
    }

    /// Restores the state that an earlier process saved, if it belongs to `plan`; `name` is for messages.
    pub fn from_checkpoint(
        text: &str,
        name: &str,
        plan: &Plan,
        part: Option<&Part>,
    ) -> Result<Self, CheckpointError> {
        let format = |message: String| CheckpointError::Format {
            name: name.to_owned(),
            message,
        };
        let campaign: Campaign = serde_json::from_str(text).map_err(|e| format(e.to_string()))?;
        if campaign.format != FORMAT {
            return Err(format(format!(
                "field `format` is `{}`, allowed: `{FORMAT}`",
                campaign.format
            )));
        }
        if campaign.part.as_ref() != part {
            let runs = |part: Option<&Part>| {
                part.map_or("all runs".into(), |part| {
                    format!("runs {} to {}", part.first, part.end - 1)
                })
            };
            return Err(CheckpointError::Other {
                name: name.to_owned(),
                field: "part",
                given: runs(campaign.part.as_ref()),
                wanted: runs(part),
            });
        }
        match campaign.plan.difference(plan) {
            None => campaign.check().map(|()| campaign).map_err(format),
            Some((field, given, wanted)) => Err(CheckpointError::Other {
                name: name.to_owned(),
                field,
                given,
                wanted,
            }),
        }
    }

    /// Returns the state as text.
    pub fn checkpoint(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Generations seen so far, over all runs.
    pub fn generations_seen(&self) -> usize {
        let current = self.current.as_ref().map(|current| &current.record);
        self.finished
            .iter()
            .chain(current)
            .map(|record| record.best_error.len())
            .sum()
    }

    /// Generations of all runs if none ends early.
    pub fn generations_planned(&self) -> u64 {
        self.runs().len() as u64 * u64::from(self.plan.settings.generations)
    }

    /// Runs to the end and returns the time spent. `after_generation` may save the state, or stop the campaign with an error.
    pub fn run<E: From<EvolveError>>(
        &mut self,
        problem: &Problem,
        mut after_generation: impl FnMut(&Self) -> Result<(), E>,
    ) -> Result<Timing, E> {
        let mut timing = Timing::default();
        let settings = self.plan.settings.clone();
        let runs = self.runs();
        while self.finished.len() < runs.len() {
            let number = runs.start + self.finished.len() as u32;
            let seed = self.plan.seed.wrapping_add(u64::from(number));
            let mut run = match self.current.clone() {
                Some(Current { record, programs }) => Run::resume(
                    problem,
                    &settings,
                    seed,
                    record.best_error.len() as u32 - 1,
                    programs,
                )?,
                None => Run::start(problem, &settings, seed)?,
            };
            while let Some(generation) = run.next_generation()? {
                self.see(number, seed, &generation);
                after_generation(self)?;
            }
            timing += run.timing();
            self.finished
                .extend(self.current.take().map(|current| current.record));
        }
        Ok(timing)
    }

    fn see(&mut self, run: u32, seed: u64, generation: &Generation) {
        let empty = || Current {
            record: RunRecord::new(seed),
            programs: Vec::new(),
        };
        let current = self.current.get_or_insert_with(empty);
        current.record.add(generation);
        current.programs.clone_from(&generation.parents.programs);
        self.entries
            .extend(sample(generation, run, seed, self.plan.per_generation));
    }

    /// Drops the programs of these runs from the corpus; the record keeps the runs.
    pub fn leave_out(&mut self, runs: &[u32]) {
        self.entries.retain(|entry| !runs.contains(&entry.run));
    }

    /// Returns the corpus of sampled programs; `command` is the command that made them.
    pub fn corpus(&self, command: String) -> Corpus {
        let solved_runs = self.finished.iter().filter(|run| run.solved).count() as u32;
        let statistics = Statistics::of(&self.entries, solved_runs);
        let Plan {
            problem,
            seed,
            runs,
            evaluated_cases,
            settings,
            ..
        } = &self.plan;
        let mut header = Header::new(
            problem,
            *seed,
            *runs,
            command,
            *evaluated_cases,
            settings.clone(),
            statistics,
        );
        let longest = self.finished.iter().map(|run| run.longest.clone());
        header.longest = longest.collect();
        Corpus {
            header,
            entries: self.entries.clone(),
        }
    }

    /// Finished runs, in order.
    pub fn finished(&self) -> &[RunRecord] {
        &self.finished
    }

    /// Returns a hash of the plan.
    pub fn plan_hash(&self) -> Result<String, serde_json::Error> {
        let digest = Sha256::digest(serde_json::to_vec(&self.plan)?);
        Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Returns the record of all runs; `command` is the command that made it.
    pub fn record(&self, command: String) -> Record {
        Record {
            format: record::FORMAT.to_owned(),
            problem: self.plan.problem.clone(),
            command,
            evaluated_cases: self.plan.evaluated_cases,
            settings: self.plan.settings.clone(),
            runs: self.finished.clone(),
        }
    }
}

impl Plan {
    /// Returns the first field that differs, with both values.
    fn difference(&self, other: &Plan) -> Option<(&'static str, String, String)> {
        let pairs = [
            ("problem", self.problem.clone(), other.problem.clone()),
            (
                "evaluated_cases",
                self.evaluated_cases.to_string(),
                other.evaluated_cases.to_string(),
            ),
            ("seed", self.seed.to_string(), other.seed.to_string()),
            ("runs", self.runs.to_string(), other.runs.to_string()),
            (
                "per_generation",
                self.per_generation.to_string(),
                other.per_generation.to_string(),
            ),
            (
                "settings",
                format!("{:?}", self.settings),
                format!("{:?}", other.settings),
            ),
        ];
        pairs.into_iter().find(|(_, given, wanted)| given != wanted)
    }
}

/// Draws distinct members of a generation, from a random stream of its own.
fn sample(generation: &Generation, run: u32, seed: u64, n: usize) -> Vec<Entry> {
    let programs = &generation.population.programs;
    let mut dice = Dice::new(seed ^ SAMPLE_SEED, u64::from(generation.number));
    let mut indices: Vec<usize> = (0..programs.len()).collect();
    let n = n.min(indices.len());
    for i in 0..n {
        let other = i + dice.below(indices.len() - i);
        indices.swap(i, other);
    }
    let entry = |&index: &usize| Entry {
        run,
        generation: generation.number,
        program: programs[index].clone(),
    };
    indices[..n].iter().map(entry).collect()
}

#[cfg(test)]
mod tests;
