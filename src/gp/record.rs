//! Records of GP runs, from which Tables 5 and 6 are computed.
//!
//! Models: for each run the best error and mean size of every generation, and the number of all its programs that need each stack
//! depth.
//! Leaves out: the programs themselves (`corpus` holds samples of them).
//! Units: fitness is an error, sizes in nodes, depths in stack levels.
//! Sources: Chitty (2D stack) section 5: "the experiments conducted in this paper", 25 runs.

use super::depth_profile::DepthProfile;
use super::evolve::{EvolveConfig, Generation};
use super::program::Rpn;
use serde::{Deserialize, Serialize};

pub const FORMAT: &str = "warpstack-runs-1";

/// Runs of one problem with one setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub format: String,
    pub problem: String,
    /// Command that made the record.
    pub command: String,
    /// Fitness cases that every program was evaluated on.
    pub evaluated_cases: usize,
    pub settings: EvolveConfig,
    pub runs: Vec<RunRecord>,
}

/// Size of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Size {
    /// Functions and terminals.
    pub nodes: u32,
    pub terminals: u32,
}

impl Size {
    /// Returns the size of `program`.
    pub fn of(program: &Rpn) -> Self {
        let terminals = program.0.iter().filter(|token| token.arity() == 0);
        Size {
            nodes: program.0.len() as u32,
            terminals: terminals.count() as u32,
        }
    }
}

impl Size {
    /// Returns this size multiplied by `factor`.
    pub fn times(self, factor: f64) -> Self {
        let times = |n: u32| (f64::from(n) * factor).round().max(1.0) as u32;
        Size {
            nodes: times(self.nodes),
            terminals: times(self.terminals),
        }
    }
}

impl From<(u32, u32)> for Size {
    fn from((nodes, terminals): (u32, u32)) -> Self {
        Size { nodes, terminals }
    }
}

impl From<Size> for (u32, u32) {
    fn from(size: Size) -> Self {
        (size.nodes, size.terminals)
    }
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
    /// Longest program of each generation; empty in records made before it was kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub longest: Vec<Size>,
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
        // An infinite error has no JSON form.
        self.best_error.push(generation.best_fitness.min(f64::MAX));
        self.mean_nodes
            .push((100.0 * nodes as f64 / programs.len().max(1) as f64).round() as f32 / 100.0);
        let longest = programs.iter().max_by_key(|p| p.n_nodes());
        self.longest.extend(longest.map(Size::of));
        self.depths.merge(&DepthProfile::of(programs));
    }
}

impl Record {
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

    /// Returns the JSON text, one run per line.
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

    /// Returns the stack depths of all programs of all runs.
    pub fn depths(&self) -> DepthProfile {
        let mut depths = DepthProfile::default();
        self.runs.iter().for_each(|run| depths.merge(&run.depths));
        depths
    }
}

/// Error in a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("run record {name}: {message}")]
pub struct RecordError {
    pub name: String,
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trip_and_errors() {
        let run = RunRecord {
            best_error: vec![0.1, 1e-17],
            mean_nodes: vec![3.25, 4.0],
            ..RunRecord::new(5)
        };
        let record = Record {
            format: FORMAT.into(),
            problem: "sextic".into(),
            command: "test".into(),
            evaluated_cases: 7,
            settings: EvolveConfig::default(),
            runs: vec![run.clone(), RunRecord { seed: 6, ..run }],
        };
        let text = record.to_text().unwrap();
        assert_eq!(text.lines().count(), 4);
        assert_eq!(Record::parse(&text, "r").unwrap(), record);
        let error = Record::parse(&text.replace(FORMAT, "other"), "r.json")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("r.json: field `format` is `other`"),
            "{error}"
        );
        assert!(Record::parse("{", "r.json").is_err());
    }
}
