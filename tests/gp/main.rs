//! The GP engine: programs, interpreters, evolution, data.

#![cfg(feature = "cli")]

mod corpus;
mod data;
mod differential;
mod laws;
mod printed;
#[allow(dead_code)]
#[path = "../cli/program.rs"]
mod program;
mod stacks;
