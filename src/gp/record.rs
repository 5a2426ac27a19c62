//! Records of GP runs: what Tables 5 and 6 are computed from.
//!
//! Models: for each run the best error and mean size of every generation, and how many of all its programs need which
//! stack depth.
//! Leaves out: the programs themselves (`corpus` holds samples of them).
//! Units: fitness is an error, sizes in nodes, depths in stack levels.
//! Sources: Chitty (2D stack) section 5: "the experiments conducted in this paper", 25 runs.

use super::depth_profile::DepthProfile;
use super::evolve::{EvolveConfig, EvolveError, Generation, Run};
use super::problem::Problem;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub const FORMAT: &str = "warpstack-runs-1";

/// Runs of one problem with one setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub format: String,
    pub problem: String,
    /// The command that made the record.
    pub command: String,
    /// Fitness cases that every program was evaluated on.
    pub evaluated_cases: usize,
    pub settings: EvolveConfig,
    pub runs: Vec<RunRecord>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    pub seed: u64,
    pub solved: bool,
    /// Smallest error of each generation.
    pub best_error: Vec<f64>,
    /// Mean program size of each generation.
    pub mean_nodes: Vec<f32>,
    /// All programs of all generations.
    pub depths: DepthProfile,
}

impl RunRecord {
    pub fn new(seed: u64) -> Self {
        RunRecord {
            seed,
            ..RunRecord::default()
        }
    }

    /// Adds a generation.
    pub fn add(&mut self, generation: &Generation) {
        let programs = &generation.population.programs;
        let nodes: usize = programs.iter().map(|p| p.n_nodes()).sum();
        self.solved |= generation.solved;
        self.best_error.push(generation.best_fitness);
        self.mean_nodes
            .push((100.0 * nodes as f64 / programs.len().max(1) as f64).round() as f32 / 100.0);
        self.depths.merge(&DepthProfile::of(programs));
    }
}

impl Record {
    /// Runs with seeds `first_seed`, `first_seed + 1`, ...; `done` is called after each generation.
    pub fn make(
        problem: &Problem,
        settings: &EvolveConfig,
        command: String,
        first_seed: u64,
        n_runs: u32,
        done: impl Fn() + Sync,
    ) -> Result<Self, EvolveError> {
        let one = |run: u32| {
            let seed = first_seed.wrapping_add(u64::from(run));
            let mut record = RunRecord::new(seed);
            let mut run = Run::start(problem, settings, seed)?;
            while let Some(generation) = run.next_generation()? {
                record.add(&generation);
                done();
            }
            Ok(record)
        };
        let runs = (0..n_runs)
            .into_par_iter()
            .map(one)
            .collect::<Result<_, EvolveError>>()?;
        Ok(Record {
            format: FORMAT.to_owned(),
            problem: problem.name.to_owned(),
            command,
            evaluated_cases: problem.n_cases(),
            settings: settings.clone(),
            runs,
        })
    }

    /// Reads the JSON of a record; `name` is for messages.
    pub fn parse(text: &str, name: &str) -> Result<Self, RecordError> {
        let error = |message: String| RecordError {
            name: name.to_owned(),
            message,
        };
        let record: Record = serde_json::from_str(text).map_err(|e| error(e.to_string()))?;
        match record.format.as_str() {
            FORMAT => Ok(record),
            other => Err(error(format!(
                "field `format` is `{other}`, allowed: `{FORMAT}`"
            ))),
        }
    }

    /// The JSON text, one run per line.
    pub fn to_text(&self) -> Result<String, RecordError> {
        let error = |e: serde_json::Error| RecordError {
            name: self.problem.clone(),
            message: e.to_string(),
        };
        let head = Record {
            runs: Vec::new(),
            ..self.clone()
        };
        let head = serde_json::to_string(&head).map_err(error)?;
        let runs = self
            .runs
            .iter()
            .map(serde_json::to_string)
            .collect::<Result<Vec<_>, _>>()
            .map_err(error)?;
        let head = head.strip_suffix("[]}").unwrap_or(&head).to_owned();
        Ok(format!("{head}[\n{}\n]}}\n", runs.join(",\n")))
    }

    /// The stack depths of all programs of all runs.
    pub fn depths(&self) -> DepthProfile {
        let mut depths = DepthProfile::default();
        self.runs.iter().for_each(|run| depths.merge(&run.depths));
        depths
    }

    /// The mean size of all programs.
    pub fn mean_nodes(&self) -> f64 {
        let all: Vec<f64> = self
            .runs
            .iter()
            .flat_map(|run| &run.mean_nodes)
            .map(|&n| f64::from(n))
            .collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    }
}

/// A record that cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("run record {name}: {message}")]
pub struct RecordError {
    pub name: String,
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::problem::sextic;

    #[test]
    fn records_count_every_program_and_round_trip() {
        let problem = sextic::problem(1, 100);
        let settings = EvolveConfig {
            population: 30,
            generations: 4,
            ..EvolveConfig::default()
        };
        let record = Record::make(&problem, &settings, "test".into(), 5, 3, || ()).unwrap();
        assert_eq!(record.depths().n_programs(), 3 * 4 * 30);
        assert_eq!(
            record.runs.iter().map(|run| run.seed).collect::<Vec<_>>(),
            [5, 6, 7]
        );
        assert_eq!(
            Record::parse(&record.to_text().unwrap(), "r").unwrap(),
            record
        );
        let other = record.to_text().unwrap().replace(FORMAT, "other");
        assert!(
            Record::parse(&other, "r.json")
                .unwrap_err()
                .to_string()
                .contains("r.json: field `format` is `other`")
        );
        assert!(Record::parse("{", "r.json").is_err());
    }
}
