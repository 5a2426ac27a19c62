//! The library's public face: the few types that a caller of this crate needs, re-exported at its root.
//!
//! Leaves out: anything of its own.

mod error;

pub use error::{Error, ErrorKind};

pub use crate::device::occupancy::{BlockResources, Limiter, Occupancy, OccupancyError};
pub use crate::device::{Device, DeviceError, Preset};
pub use crate::gp::problem::ProblemId as Problem;
pub use crate::launch::prediction::{
    Cause, Configuration, CpiEntry, MemoryTraffic, PredictError, Prediction,
};
pub use crate::predictor::{InputError, Kind as EngineKind, Predictor};
pub use crate::systems::chitty::variant::KernelId as Kernel;
pub use crate::systems::options::{LaunchOptions, Size};
pub use crate::trace::mix::{MixEntry, Role};
pub use crate::util::refused::Refused;
