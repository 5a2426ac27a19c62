//! A campaign: several GP runs of one problem, their record and a sample of their programs.
//!
//! Models: the runs behind a corpus and a run record.
//! Leaves out: files.
//! Units: seeds, generations and programs.
//! Sources: Chitty (2D stack) section 4.2: 25 runs.

use super::corpus::{Corpus, Entry, Header, Statistics};
use super::evolve::dice::Dice;
use super::evolve::{EvolveConfig, EvolveError, Generation, Run};
use super::problem::Problem;
use super::record::{self, Record, RunRecord};

/// Separates the random streams of sampling from those of evolution.
const SAMPLE_SEED: u64 = 0x5a3b_1e00;

/// Definition of a campaign: problem, cases, seeds, runs and settings.
#[derive(Debug, Clone, PartialEq)]
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

impl Plan {
    /// Generations of all runs if none ends early.
    pub fn generations(&self) -> u64 {
        u64::from(self.runs) * u64::from(self.settings.generations)
    }
}

/// A finished campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct Campaign {
    plan: Plan,
    pub runs: Vec<RunRecord>,
    entries: Vec<Entry>,
}

impl Campaign {
    /// Runs the plan to its end. `after_generation` may stop it with an error.
    pub fn run<E: From<EvolveError>>(
        plan: Plan,
        problem: &Problem,
        mut after_generation: impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let (mut runs, mut entries) = (Vec::new(), Vec::new());
        for number in 0..plan.runs {
            let seed = plan.seed.wrapping_add(u64::from(number));
            let mut record = RunRecord::new(seed);
            let mut run = Run::start(problem, &plan.settings, seed)?;
            while let Some(generation) = run.next_generation()? {
                record.add(&generation);
                entries.extend(sample(&generation, number, seed, plan.per_generation));
                after_generation()?;
            }
            runs.push(record);
        }
        Ok(Campaign {
            plan,
            runs,
            entries,
        })
    }

    /// Drops the programs of these runs from the corpus; the record keeps the runs.
    pub fn leave_out(&mut self, runs: &[u32]) {
        self.entries.retain(|entry| !runs.contains(&entry.run));
    }

    /// Returns the corpus of sampled programs; `command` is the command that made them.
    pub fn corpus(&self, command: String) -> Corpus {
        let solved_runs = self.runs.iter().filter(|run| run.solved).count() as u32;
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
        let longest = self.runs.iter().map(|run| run.longest.clone());
        header.longest = longest.collect();
        Corpus {
            header,
            entries: self.entries.clone(),
        }
    }

    /// Returns the record of all runs; `command` is the command that made it.
    pub fn record(&self, command: String) -> Record {
        Record {
            format: record::FORMAT.to_owned(),
            problem: self.plan.problem.clone(),
            command,
            evaluated_cases: self.plan.evaluated_cases,
            settings: self.plan.settings.clone(),
            runs: self.runs.clone(),
        }
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
