//! GPOCL on the Radeon HD 5750: predicted as a band.

pub mod kernel;
pub mod programs;
