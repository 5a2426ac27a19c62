//! The one error type of the library's public face.

use crate::device::DeviceError;
use crate::launch::prediction::PredictError;
use crate::predictor::InputError;

/// Error of a prediction. Every message names the given value and the allowed ones.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The device is unknown, or its file is not a device's.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// No programs to run, or programs that do not fit the problem.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The launch is impossible on the device, or no such kernel was compiled.
    #[error(transparent)]
    Predict(#[from] PredictError),
}

/// Subject of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The device or its file.
    Device,
    /// The programs to run.
    Programs,
    /// The launch: its kernel, its problem or its sizes.
    Launch,
}

impl Error {
    /// Returns what the error is about.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Device(_) => ErrorKind::Device,
            Error::Input(_) => ErrorKind::Programs,
            Error::Predict(_) => ErrorKind::Launch,
        }
    }

    /// Returns the values allowed instead of a refused one, as the message lists them.
    pub fn allowed(&self) -> Option<&str> {
        match self {
            Error::Device(DeviceError::Unknown { allowed, .. })
            | Error::Input(
                InputError::Problem { allowed, .. } | InputError::NoCorpus { allowed, .. },
            ) => Some(allowed),
            Error::Device(DeviceError::Value(refused))
            | Error::Predict(PredictError::Refused(refused)) => Some(&refused.allowed),
            _ => None,
        }
    }
}
