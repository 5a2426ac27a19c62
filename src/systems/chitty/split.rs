//! Which half of the measurements a row belongs to.
//!
//! Leaves out: how it is decided (`measure`, behind the feature `gpu`).

use serde::Serialize;

/// The part of the measurements that a row belongs to: decided by its name before anything is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// What fitted values are fitted on.
    Calibration,
    /// What predictions are judged by.
    Holdout,
}
