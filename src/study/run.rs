//! Predicts every point of a study, in parallel; the journal keeps each.
//!
//! Leaves out: which engine predicts. Units: in field names.

use super::axis::{Axis, combination, n_combinations};
use super::journal::Journal;
use super::l1::with_l1;
use super::part::Part;
use super::setting::{Base, Key, changed};
use super::{Site, StudyError};
use crate::device::Device;
use crate::launch::prediction::{Configuration, PredictError, Prediction};
use crate::systems::options::LaunchOptions;
use crate::util::memo::Memo;
use crate::util::parallel;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Neighbouring points that one thread predicts: they have kernels and programs in common.
const BATCH: usize = 64;
/// Points of a study at most.
const MAX_POINTS: usize = 10_000_000;

/// Prediction of one point; empty where it cannot run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// The launch, complete unless something that is asked for cannot be had.
    pub launched: LaunchOptions,
    pub gpops_billion: Option<f64>,
    pub resident_blocks: Option<u32>,
    /// Resource that limits the resident blocks of an SMX.
    pub occupancy_limit: Option<String>,
    /// Part of the machine whose removal gains most, if that was asked for.
    pub gains_most: Option<String>,
    /// Percentage that its removal gains.
    pub gain_percent: Option<f64>,
    pub l1_load_hit_percent: Option<f64>,
    pub l1_store_hit_percent: Option<f64>,
    pub l2_read_bytes_per_node: Option<f64>,
    pub dram_read_bytes_per_node: Option<f64>,
    /// Reason why the point cannot run.
    pub impossible: Option<String>,
}

impl Outcome {
    /// The outcome of a launch that can run.
    pub fn of(prediction: &Prediction) -> Outcome {
        let memory = &prediction.memory;
        let per_node = |bytes: u64| Some(bytes as f64 / memory.warp_nodes.max(1) as f64);
        let limit = prediction.occupancy.limiters.first();
        Outcome {
            gpops_billion: Some(prediction.gpops_billion),
            resident_blocks: Some(prediction.occupancy.blocks),
            occupancy_limit: limit.map(|limit| limit.name().to_owned()),
            l1_load_hit_percent: Some(memory.l1_load_hit_percent),
            l1_store_hit_percent: Some(memory.l1_store_hit_percent),
            l2_read_bytes_per_node: per_node(memory.l2_read_bytes),
            dram_read_bytes_per_node: per_node(memory.dram_read_bytes),
            ..Outcome::default()
        }
    }

    fn impossible(why: &PredictError) -> Outcome {
        Outcome {
            impossible: Some(why.to_string()),
            ..Outcome::default()
        }
    }
}

/// Outcome of a launch, or why there is none.
pub type Predicted = Result<Outcome, PredictError>;

/// A study: what it starts from and what it varies.
#[derive(Debug, Clone)]
pub struct Study {
    pub base: Base,
    pub options: LaunchOptions,
    pub axes: Vec<Axis>,
    /// Part of the points to predict.
    pub part: Part,
}

/// A point's values and outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Values, one per axis.
    pub values: Vec<String>,
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

    /// Hashes all inputs of the results: the program, its presets, corpora and machine code, and the study; `engine` describes the model and its settings.
    pub fn hash(&self, engine: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(env!("WARPSTACK_BUILD"));
        hash.update(format!(
            "{engine}\n{:?}\n{:?}\n{:?}",
            self.base.device, self.options, self.axes
        ));
        hash.finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
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
        let options = changed(&self.options, &self.changes(point))?;
        Ok(Site {
            device: match options.l1_kib {
                Some(kib) => with_l1(device, kib.saturating_mul(1024))?,
                None => device.clone(),
            },
            options,
        })
    }

    /// Predicts the points of its part that `done` lacks; `predict` completes a launch on a device and returns its outcome,
    /// `done_one` is called after each point.
    pub fn run(
        &self,
        predict: impl Fn(&Device, &LaunchOptions) -> (Option<Configuration>, Predicted) + Sync,
        mut done: Vec<Option<Outcome>>,
        journal: Option<&Journal>,
        done_one: &(dyn Fn() + Sync),
    ) -> Result<Vec<Point>, StudyError> {
        let part = self.part.points(done.len());
        let missing: Vec<usize> = part
            .clone()
            .filter(|&point| done[point].is_none())
            .collect();
        let devices: Memo<Vec<&str>, Device> = Memo::default();
        let batches: Vec<&[usize]> = missing.chunks(BATCH).collect();
        let batches = parallel::try_map(&batches, |batch| {
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
                    let (launched, predicted) = predict(&site.device, &site.options);
                    let outcome = outcome(site, launched.as_ref(), predicted)?;
                    if let Some(journal) = journal {
                        journal.append(point, &outcome)?;
                    }
                    done_one();
                    Ok((point, outcome))
                })
                .collect::<Result<Vec<_>, StudyError>>()?;
            Ok::<_, StudyError>(outcomes)
        })?;
        for (point, outcome) in batches.into_iter().flatten() {
            done[point] = Some(outcome);
        }
        let predicted = done.into_iter().enumerate();
        let predicted = predicted.skip(part.start).take(part.len());
        let points = predicted.map(|(point, outcome)| {
            let changes = self.changes(point);
            Ok(Point {
                values: changes
                    .iter()
                    .map(|(_, value)| (*value).to_owned())
                    .collect(),
                outcome: outcome.unwrap_or_default(),
            })
        });
        points.collect()
    }
}

/// A combination that no kernel was compiled for, or whose block cannot be resident, is an outcome too.
fn outcome(
    site: Site,
    launched: Option<&Configuration>,
    predicted: Predicted,
) -> Result<Outcome, StudyError> {
    let outcome = match predicted {
        Ok(outcome) => outcome,
        Err(why @ (PredictError::Occupancy { .. } | PredictError::Refused(_))) => {
            Outcome::impossible(&why)
        }
        Err(error) => return Err(error.into()),
    };
    let mut launched = launched.map_or(site.options, LaunchOptions::from);
    let default_l1_kib = site.device.default_l1_bytes().map(|bytes| bytes / 1024);
    launched.l1_kib = launched.l1_kib.or(default_l1_kib);
    Ok(Outcome {
        launched,
        ..outcome
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// However a study ends, what was predicted before is not predicted again.
    #[test]
    fn every_finished_point_is_kept() {
        let base = Base::load("gtx670").unwrap();
        let study = Study {
            options: LaunchOptions::of("rpn"),
            axes: vec![Axis::parse("threads=32..352+32", &base).unwrap()],
            base,
            part: Part::WHOLE,
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.journal");
        let (points, calls) = (study.n_points().unwrap(), AtomicUsize::new(0));
        assert!(points < BATCH);
        // Points that cannot run are outcomes, too; the eighth fails.
        let predict = |_: &Device, _: &LaunchOptions| {
            let error = match calls.fetch_add(1, Ordering::Relaxed) {
                7 => PredictError::other(std::fmt::Error),
                _ => PredictError::refused("kernel", "none", "one"),
            };
            (None, Err(error))
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
