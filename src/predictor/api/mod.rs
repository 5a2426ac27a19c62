//! The library's public face: the few types that a caller of this crate needs, re-exported at its root.
//!
//! Leaves out: anything of its own. A [`Launch`] becomes the engine's configuration, a [`Predictor`] is engines by problem.

mod error;
mod launch;
mod predictor;

pub use error::Error;
pub use launch::Launch;
pub use predictor::Predictor;

pub use crate::device::occupancy::{BlockResources, Limiter, Occupancy, OccupancyError};
pub use crate::device::{Device, DeviceError, Preset};
pub use crate::gp::problem::ProblemId as Problem;
pub use crate::launch::prediction::{
    Cause, Configuration, CpiEntry, MemoryTraffic, PredictError, Prediction,
};
pub use crate::predictor::{InputError, Kind as EngineKind};
pub use crate::systems::chitty::variant::KernelId as Kernel;
pub use crate::trace::mix::{MixEntry, Role};
