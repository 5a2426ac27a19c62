//! What-if studies: every combination of values of anything in a preset or a kernel configuration.
//!
//! Reads axes ([`axis`]), applies a combination to a device and a configuration ([`setting`], [`l1`]), predicts all
//! combinations in parallel and keeps a journal, so that a study that was stopped goes on where it was ([`journal`],
//! [`run`]). A study may be a TOML file ([`mod@file`]). Which values of a preset matter most: [`sensitivity`].
//! Leaves out: showing results (`report::whatif`). Units: those of the settings.

pub mod axis;
pub mod file;
pub mod journal;
pub mod l1;
pub mod part;
pub mod run;
pub mod sensitivity;
pub mod setting;

pub use axis::Axis;
pub use setting::{Base, Key, Site};

use crate::util::refused::Refused;
use std::fmt::Display;

/// Error of reading or running a study.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    #[error(transparent)]
    Refused(Refused),
    #[error("key {key}: given --engine {engine}; allowed: keys that the {reader} reads; {why}")]
    Unread {
        key: String,
        engine: &'static str,
        reader: &'static str,
        why: String,
    },
    #[error(transparent)]
    Device(#[from] crate::device::DeviceError),
    #[error(transparent)]
    Predict(#[from] crate::launch::prediction::PredictError),
    #[error("journal {file}: {message}")]
    Journal { file: String, message: String },
}

impl StudyError {
    /// Returns the refusal of `given`.
    pub fn input(what: impl Display, given: impl Display, allowed: impl Display) -> Self {
        StudyError::Refused(Refused::new(what, format_args!("\"{given}\""), allowed))
    }
}
