//! The GP engine: programs, interpreters, evolution, data.

mod corpus;
#[cfg(feature = "report")]
mod data;
mod differential;
mod laws;
#[cfg(feature = "cli")]
mod resume;
#[cfg(feature = "cli")]
mod stacks;
