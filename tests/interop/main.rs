//! Other tools' formats, and every file that may be damaged.

#![cfg(feature = "cli")]

mod cli;
mod cycles;
mod fuzz_seeds;
mod grammar;
#[allow(dead_code)]
#[path = "../cli/program.rs"]
mod program;
mod round_trip;
