//! Predicts every point of a study, in parallel; the journal keeps each.
//!
//! What it leaves out: which engine predicts. Units: in field names.

use super::axis::{Axis, combination, n_combinations};
use super::journal::Journal;
use super::l1::with_l1;
use super::setting::{Base, Key, configuration};
use super::shard::Shard;
use super::{Site, StudyError};
use crate::device::Device;
use crate::launch::prediction::{Cause, Configuration, PredictError, Prediction};
use crate::util::memo::Memo;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Neighbouring points that one thread predicts: they have kernels and programs in common.
const BATCH: usize = 64;
/// Points of a study at most.
const MAX_POINTS: usize = 10_000_000;

/// What was predicted of one point; empty where it cannot run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Outcome {
    pub gpops_billion: Option<f64>,
    /// Also where they follow from other sizes.
    #[serde(default)]
    pub threads_per_block: Option<u32>,
    pub resident_blocks: Option<u32>,
    /// What keeps further blocks from an SMX.
    pub occupancy_limit: Option<String>,
    /// The largest cause of cycles in which nothing issued.
    pub first_stall: Option<String>,
    pub l1_load_hit_percent: Option<f64>,
    pub l1_store_hit_percent: Option<f64>,
    pub l2_read_bytes_per_node: Option<f64>,
    pub dram_read_bytes_per_node: Option<f64>,
    /// Why it cannot run.
    pub impossible: Option<String>,
}

impl Outcome {
    fn of(prediction: &Prediction) -> Outcome {
        let memory = &prediction.memory;
        let per_node = |bytes: u64| Some(bytes as f64 / memory.warp_nodes.max(1) as f64);
        let stalls = prediction
            .cpi_stack
            .iter()
            .filter(|entry| entry.cause != Cause::Issued);
        let first = stalls.max_by_key(|entry| entry.cycles);
        let limit = prediction.occupancy.limiters.first();
        Outcome {
            gpops_billion: Some(prediction.gpops_billion),
            threads_per_block: Some(prediction.configuration.threads_per_block),
            resident_blocks: Some(prediction.occupancy.blocks),
            occupancy_limit: limit.map(|limit| limit.name().to_owned()),
            first_stall: first.map(|entry| entry.cause.name().to_owned()),
            l1_load_hit_percent: Some(memory.l1_load_hit_percent),
            l1_store_hit_percent: Some(memory.l1_store_hit_percent),
            l2_read_bytes_per_node: per_node(memory.l2_read_bytes),
            dram_read_bytes_per_node: per_node(memory.dram_read_bytes),
            impossible: None,
        }
    }

    fn impossible(why: &PredictError) -> Outcome {
        Outcome {
            impossible: Some(why.to_string()),
            ..Outcome::default()
        }
    }
}

/// A study: what it starts from and what it varies.
#[derive(Debug, Clone)]
pub struct Study {
    pub base: Base,
    pub configuration: Configuration,
    pub axes: Vec<Axis>,
    /// What of it is predicted.
    pub shard: Shard,
}

/// A point's values and outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// One per axis.
    pub values: Vec<String>,
    pub configuration: Configuration,
    pub outcome: Outcome,
}

impl Study {
    /// Number of points.
    pub fn n_points(&self) -> Result<usize, StudyError> {
        let points = n_combinations(&self.axes).filter(|points| *points <= MAX_POINTS);
        points.ok_or_else(|| {
            let counts: Vec<String> = self
                .axes
                .iter()
                .map(|axis| axis.values.len().to_string())
                .collect();
            StudyError::input(
                "combinations",
                counts.join(" x "),
                format!("at most {MAX_POINTS}"),
            )
        })
    }

    /// Everything that decides the results, as one hash: the program, its presets, corpora and machine code, and the study; `engine` describes the model and its settings.
    pub fn hash(&self, engine: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(env!("WARPSTACK_BUILD"));
        hash.update(format!(
            "{engine}\n{:?}\n{:?}\n{:?}",
            self.base.device, self.configuration, self.axes
        ));
        hash.finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// Problems that occur.
    pub fn problems(&self) -> Vec<String> {
        self.names(&Key::Problem, &self.configuration.problem)
    }

    /// Kernels that occur.
    pub fn kernels(&self) -> Vec<String> {
        self.names(&Key::Kernel, &self.configuration.kernel)
    }

    fn names(&self, key: &Key, base: &str) -> Vec<String> {
        let axis = self.axes.iter().find(|axis| axis.key == *key);
        axis.map_or_else(|| vec![base.to_owned()], |axis| axis.values.clone())
    }

    fn changes(&self, point: usize) -> Vec<(&Key, &str)> {
        let places = combination(&self.axes, point);
        let pairs = self.axes.iter().zip(places);
        pairs
            .map(|(axis, at)| (&axis.key, axis.values[at].as_str()))
            .collect()
    }

    /// The device and launch of a point.
    pub fn site(&self, point: usize) -> Result<Site, StudyError> {
        self.site_on(point, &self.base.device(&self.changes(point))?)
    }

    fn site_on(&self, point: usize, device: &Device) -> Result<Site, StudyError> {
        let configuration = configuration(&self.configuration, &self.changes(point))?;
        Ok(Site {
            device: match configuration.l1_bytes {
                Some(bytes) => with_l1(device, bytes)?,
                None => device.clone(),
            },
            configuration,
        })
    }

    /// Predicts the points of its shard that `done` lacks; `predict` says what a launch on a device comes to, `predicted` is called after each point.
    pub fn run(
        &self,
        predict: impl Fn(&Device, &Configuration) -> Result<Prediction, PredictError> + Sync,
        mut done: Vec<Option<Outcome>>,
        journal: Option<&Journal>,
        predicted: &(dyn Fn() + Sync),
    ) -> Result<Vec<Point>, StudyError> {
        let shard = self.shard.points(done.len());
        let missing: Vec<usize> = shard
            .clone()
            .filter(|&point| done[point].is_none())
            .collect();
        let devices: Memo<Vec<&str>, Device> = Memo::default();
        let batches: Vec<Vec<(usize, Outcome)>> = missing
            .par_chunks(BATCH)
            .map(|batch| {
                let outcomes = batch
                    .iter()
                    .map(|&point| {
                        let changes = self.changes(point);
                        let fields = changes
                            .iter()
                            .filter(|(key, _)| matches!(key, Key::Field(..)));
                        let key = fields.map(|(_, value)| *value).collect();
                        let device = devices.try_get(key, || self.base.device(&changes))?;
                        let site = self.site_on(point, &device)?;
                        let outcome = outcome(predict(&site.device, &site.configuration))?;
                        if let Some(journal) = journal {
                            journal.append(point, &outcome)?;
                        }
                        predicted();
                        Ok((point, outcome))
                    })
                    .collect::<Result<Vec<_>, StudyError>>()?;
                Ok(outcomes)
            })
            .collect::<Result<_, StudyError>>()?;
        for (point, outcome) in batches.into_iter().flatten() {
            done[point] = Some(outcome);
        }
        let predicted = done.into_iter().enumerate();
        let predicted = predicted.skip(shard.start).take(shard.len());
        let points = predicted.map(|(point, outcome)| {
            let changes = self.changes(point);
            Ok(Point {
                values: changes
                    .iter()
                    .map(|(_, value)| (*value).to_owned())
                    .collect(),
                configuration: configuration(&self.configuration, &changes)?,
                outcome: outcome.unwrap_or_default(),
            })
        });
        points.collect()
    }
}

/// A combination that no kernel was compiled for, or whose block cannot be resident, is an outcome too.
fn outcome(predicted: Result<Prediction, PredictError>) -> Result<Outcome, StudyError> {
    match predicted {
        Ok(prediction) => Ok(Outcome::of(&prediction)),
        Err(why @ (PredictError::Occupancy { .. } | PredictError::Input { .. })) => {
            Ok(Outcome::impossible(&why))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::prediction::PaperSizes;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// However a study ends, what was predicted before is not predicted again.
    #[test]
    fn every_finished_point_is_kept() {
        let base = Base::load("gtx670").unwrap();
        let study = Study {
            configuration: Configuration {
                problem: "sextic".into(),
                kernel: "rpn".into(),
                stack_dim: 1,
                stack_registers: 0,
                threads_per_block: 64,
                case_blocks: 1,
                l1_bytes: None,
                sizes: PaperSizes::default(),
            },
            axes: vec![Axis::parse("threads=32..352+32", &base).unwrap()],
            base,
            shard: Shard::WHOLE,
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.journal");
        let (points, calls) = (study.n_points().unwrap(), AtomicUsize::new(0));
        assert!(points < BATCH);
        // Points that cannot run are outcomes, too; the eighth fails.
        let predict = |_: &Device, _: &Configuration| match calls.fetch_add(1, Ordering::Relaxed) {
            7 => Err(PredictError::other(std::fmt::Error)),
            _ => Err(PredictError::Input {
                what: "kernel",
                given: "none".into(),
                allowed: "one".into(),
            }),
        };
        let (journal, done) = Journal::open(&path, "study", points).unwrap();
        assert!(study.run(predict, done, Some(&journal), &|| ()).is_err());
        drop(journal);
        let (journal, done) = Journal::open(&path, "study", points).unwrap();
        assert_eq!(done.iter().flatten().count(), 7);
        study.run(predict, done, Some(&journal), &|| ()).unwrap();
        assert_eq!(calls.into_inner(), points + 1);
    }
}
