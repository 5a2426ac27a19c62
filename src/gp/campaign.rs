//! A campaign: several GP runs of one problem, their record and a sample of their programs, resumable at any generation.
//!
//! Models: the runs behind a corpus and a run record. Its state after a generation is a checkpoint; what goes on from it
//! ends bit for bit like the campaign that was never interrupted.
//! Leaves out: files; the caller keeps the text of the state.
//! Units: seeds, generations and programs.
//! Sources: Chitty (2D stack) section 4.2: 25 runs.

use super::corpus::{Corpus, Entry, Header, Statistics};
use super::evolve::dice::Dice;
use super::evolve::{EvolveConfig, EvolveError, Generation, Run};
use super::problem::Problem;
use super::program::Rpn;
use super::record::{self, Record, RunRecord};
use serde::{Deserialize, Serialize};

const FORMAT: &str = "warpstack-campaign-1";
/// Keeps the streams of sampling apart from those of evolution.
const SAMPLE_SEED: u64 = 0x5a3b_1e00;

/// What is to be run.
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

/// The state of a campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Campaign {
    format: String,
    plan: Plan,
    finished: Vec<RunRecord>,
    entries: Vec<Entry>,
    current: Option<Current>,
}

/// A run in progress: its record, and the programs that the next generation is bred from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Current {
    record: RunRecord,
    programs: Vec<Rpn>,
}

/// Why a checkpoint cannot be used.
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
        }
    }

    /// The state that an earlier process saved, if it belongs to `plan`; `name` is for messages.
    pub fn from_checkpoint(text: &str, name: &str, plan: &Plan) -> Result<Self, CheckpointError> {
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
        match campaign.plan.difference(plan) {
            None => Ok(campaign),
            Some((field, given, wanted)) => Err(CheckpointError::Other {
                name: name.to_owned(),
                field,
                given,
                wanted,
            }),
        }
    }

    /// The state as text.
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

    /// Generations that all runs have if none ends early.
    pub fn generations_planned(&self) -> u64 {
        u64::from(self.plan.runs) * u64::from(self.plan.settings.generations)
    }

    /// Runs until everything is done. `after_generation` may save the state or stop the campaign with an error.
    pub fn run<E: From<EvolveError>>(
        &mut self,
        problem: &Problem,
        mut after_generation: impl FnMut(&Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let settings = self.plan.settings.clone();
        while (self.finished.len() as u32) < self.plan.runs {
            let number = self.finished.len() as u32;
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
            self.finished
                .extend(self.current.take().map(|current| current.record));
        }
        Ok(())
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

    /// The sampled programs of all runs; `command` is what made them.
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

    /// The record of all runs; `command` is what made them.
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
    /// The first field that differs, with both values.
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

/// Distinct members of a generation, drawn from a stream of their own.
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
mod tests {
    use super::*;
    use crate::gp::problem::sextic;

    fn plan() -> Plan {
        let settings = EvolveConfig {
            population: 40,
            generations: 5,
            elitism: 2,
            ..EvolveConfig::default()
        };
        Plan {
            problem: "sextic".into(),
            evaluated_cases: 300,
            seed: 9,
            runs: 3,
            per_generation: 4,
            settings,
        }
    }

    /// Runs and stops after `n` generations, as a kill would.
    fn interrupted(campaign: &mut Campaign, n: usize) -> Option<String> {
        let problem = sextic::problem(1, 300);
        let mut left = n;
        let mut saved = None;
        let stopped: Result<(), EvolveError> = campaign.run(&problem, |state| {
            saved = state.checkpoint().ok();
            left -= 1;
            match left {
                0 => Err(EvolveConfig {
                    population: 0,
                    ..EvolveConfig::default()
                }
                .check()
                .unwrap_err()
                .into()),
                _ => Ok(()),
            }
        });
        stopped.is_err().then_some(saved).flatten()
    }

    #[test]
    fn a_resumed_campaign_ends_bit_identical() {
        let mut whole = Campaign::new(plan());
        assert_eq!(interrupted(&mut whole, 1000), None);
        assert_eq!(whole.entries.len(), 3 * 5 * 4);
        assert_eq!(
            whole.record(String::new()).depths().n_programs(),
            3 * 5 * 40
        );
        for stop in [1, 5, 7, 14] {
            let mut first = Campaign::new(plan());
            let saved = interrupted(&mut first, stop).unwrap();
            let mut second = Campaign::from_checkpoint(&saved, "c", &plan()).unwrap();
            assert_eq!(second.generations_seen(), stop);
            assert_eq!(interrupted(&mut second, 1000), None);
            assert_eq!(second, whole, "stopped after {stop}");
        }
    }

    #[test]
    fn foreign_checkpoints_are_refused() {
        let text = Campaign::new(plan()).checkpoint().unwrap();
        let other = Plan { seed: 10, ..plan() };
        let error = Campaign::from_checkpoint(&text, "c.json", &other)
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "checkpoint c.json belongs to another campaign: `seed` is 9, asked for: 10"
        );
        assert!(Campaign::from_checkpoint("{}", "c.json", &plan()).is_err());
    }
}
