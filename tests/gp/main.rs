//! The GP engine: programs, interpreters, evolution, data.

mod corpus;
#[cfg(feature = "report")]
mod data;
mod differential;
mod laws;
mod printed;
#[allow(dead_code)]
#[cfg(feature = "cli")]
#[path = "../cli/program.rs"]
mod program;
#[cfg(feature = "cli")]
mod stacks;
