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
